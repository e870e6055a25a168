#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Sum up the test cases of meson's test logs: NAME.json, and NAME.junit.xml beside it.

A case is one of the JUnit file: each that a program told in the Test Anything Protocol (protocol:
'tap' of meson.build), and each other test as a whole. What meson saw overrules what programs say:
after a crash, a wrong exit status or a time-out there is a case that failed.
With --junit DIR, DIR/NAME.xml is the JUnit file with such cases added, and DIR/checks.xml has the
lines of --add; nothing else is left in DIR.
The last line is "N passed, N failed, N skipped"; exit status 1 if a case failed.
"""

import argparse
import json
import pathlib
import sys
import xml.etree.ElementTree as ET

GOOD = ("OK", "SKIP", "EXPECTEDFAIL")
PROJECT = "umr"


def verdict(case):
    """Verdict of a case: index in [passed, failed, skipped]."""
    if case.find("failure") is not None or case.find("error") is not None:
        return 1
    return 0 if case.find("skipped") is None else 2


def cases_by_test(root):
    """Cases of a JUnit file by the name of the test in meson's log.

    Meson names the suite of a program with several cases PROJECT.TEST; the other tests are cases of a
    suite PROJECT.
    """
    found = {}
    for suite in root.iter("testsuite"):
        _, _, test = suite.get("name").partition(".")
        for case in suite.iter("testcase"):
            found.setdefault(test or case.get("name"), []).append(case)
    return found


def fault_of(test, cases):
    """Why a test failed although none of its cases did, if applicable."""
    if any(verdict(case) == 1 for case in cases):
        return None
    if test["result"] not in GOOD:
        return f"{test['result']}, exit status {test['returncode']}"
    output = (test.get("stdout") or "").lstrip()
    if len(cases) < 2 and test["result"] == "OK" and output.startswith(("TAP version ", "1..")) \
            and not any(case.get("classname").endswith(test["name"]) for case in cases):
        return "its output is TAP, but meson.build does not say protocol: 'tap'"
    return None


def case_add(root, suite_name, case_name, kind=None, text=None):
    """Add a case to a JUnit tree; kind is failure, error or skipped."""
    for suite in root.iter("testsuite"):
        if suite.get("name") == suite_name:
            break
    else:
        suite = ET.SubElement(root, "testsuite", name=suite_name, tests="0", errors="0",
                              failures="0", skipped="0")
    case = ET.Element("testcase", name=case_name, classname=suite_name)
    # Before the output of the suite.
    suite.insert(len(suite.findall("testcase")), case)
    kinds = {"failure": "failures", "error": "errors", "skipped": "skipped"}
    for element in (suite, root):
        for attribute in ["tests"] + ([kinds[kind]] if kind else []):
            if element is suite or attribute != "skipped":
                element.set(attribute, str(int(element.get(attribute, "0")) + 1))
    if kind:
        ET.SubElement(case, kind).text = text


def log_read(path):
    """The JUnit tree of a log, with a case for each test that failed without one; and the
    failures."""
    root = ET.parse(path.with_suffix(".junit.xml")).getroot()
    if root.find(".//testcase") is None:
        raise ValueError("no test ran")
    bad = []
    found = cases_by_test(root)
    for line in path.read_text(encoding="utf-8").splitlines():
        test = json.loads(line)
        cases = found.get(test["name"], [])
        fault = fault_of(test, cases)
        if fault:
            case_add(root, f"{PROJECT}.{test['name']}", "the program as a whole", "error", fault)
        failed = [case.get("name") for case in cases if verdict(case) == 1]
        if failed or fault:
            what = ", ".join(failed + ([fault] if fault else []))
            bad.append(f"{test['name']}: {what} ({path})")
    return root, bad


def checks_read(path):
    """The same for a file of lines 'PASSED FAILED SKIPPED NAME', each of which is one case."""
    root = ET.Element("testsuites", tests="0", errors="0", failures="0")
    bad = []
    for line in path.read_text(encoding="utf-8").splitlines():
        _, failed, skipped, name = line.split(maxsplit=3)
        name = pathlib.PurePath(name).name
        kind = "failure" if failed != "0" else "skipped" if skipped != "0" else None
        case_add(root, f"{PROJECT}.checks", name, kind)
        if kind == "failure":
            bad.append(name)
    return root, bad


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--add", type=pathlib.Path, metavar="FILE",
                        help="lines 'PASSED FAILED SKIPPED NAME'")
    parser.add_argument("--junit", type=pathlib.Path, metavar="DIR",
                        help="where JUnit files go")
    parser.add_argument("logs", type=pathlib.Path, nargs="*", help="meson-logs/*.json")
    return parser.parse_args()


def read(reader, path):
    """Read a file with a reader; an unreadable file is a failed case."""
    try:
        root, bad = reader(path)
        fault = None
    except (OSError, ValueError, ET.ParseError) as error:
        root, bad, fault = ET.Element("testsuites"), [], str(error)
    if fault:
        case_add(root, PROJECT, path.name, "error", fault)
        bad.append(f"{path}: {fault}")
    return root, bad


def main():
    args = parse_args()
    roots, bad = {}, []
    for name, reader, path in [(path.stem, log_read, path) for path in args.logs] + \
            ([("checks", checks_read, args.add)] if args.add else []):
        roots[name], some = read(reader, path)
        bad += some
    if args.junit:
        args.junit.mkdir(parents=True, exist_ok=True)
        for old in args.junit.glob("*.xml"):
            old.unlink()
        for name, root in roots.items():
            ET.ElementTree(root).write(args.junit / f"{name}.xml", encoding="utf-8",
                                       xml_declaration=True)
    total = [0, 0, 0]
    for root in roots.values():
        for case in root.iter("testcase"):
            total[verdict(case)] += 1
    for line in bad:
        print(f"failed: {line}")
    print(f"{total[0]} passed, {total[1]} failed, {total[2]} skipped")
    return 1 if total[1] else 0


if __name__ == "__main__":
    sys.exit(main())
