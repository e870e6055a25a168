# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""What devtools/ci/sum-tests.py counts of a small project's tests, as this meson logs them.

Usage: sum_tests_test.py SUM_TESTS MESON SAMPLE
SAMPLE is a program of cmocka tests: sample.c. The output is the Test Anything Protocol; exit status
1 if a case failed.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "interop/programs"))
# pylint: disable=wrong-import-position
from case_runner import expect, report_cases, verdict_of  # noqa: E402

# The folder of this test, and what is in it once the project has run.
WORK = None
LOGS = None

# Name, protocol, script of sh: see the cases for what is to be made of them.
PROGRAMS = (
    ("plain", "exitcode", "exit 0"),
    ("plain_bad", "exitcode", "exit 1"),
    ("plain_skipped", "exitcode", "exit 77"),
    ("two", "tap", "echo 1..2; echo ok 1 - a; echo ok 2 - b"),
    ("mixed", "tap", "echo 1..3; echo ok 1 - a; echo 'ok 2 - b # SKIP c'; echo not ok 3 - d;"
     " exit 1"),
    ("none", "tap", "echo '1..0 # SKIP no device'"),
    ("quoting", "exitcode", "echo '3 passed, 2 failed'; echo '[  FAILED  ] 4 test(s)'"),
    ("crashed", "tap", "echo 1..3; echo ok 1 - a; kill -SEGV $$"),
    ("left_out", "tap", "echo 1..3; echo ok 1 - a; echo ok 2 - b"),
    ("status", "tap", "echo 1..1; echo ok 1 - a; exit 5"),
    ("slow", "tap", "echo 1..2; echo ok 1 - a; exec sleep 600"),
    ("undeclared", "exitcode", "echo 1..2; echo ok 1 - a; echo ok 2 - b"),
    ("sample", "tap", "exec env CMOCKA_MESSAGE_OUTPUT=TAP {sample} 2>&1"),
)
# Of each program: passed, failed, skipped.
COUNTS = {
    "plain": (1, 0, 0), "plain_bad": (0, 1, 0), "plain_skipped": (0, 0, 1), "two": (2, 0, 0),
    "mixed": (1, 1, 1), "none": (0, 0, 1), "quoting": (1, 0, 0), "crashed": (1, 1, 0),
    "left_out": (2, 1, 0), "status": (1, 1, 0), "slow": (1, 1, 0), "undeclared": (1, 1, 0),
    "sample": (4, 2, 2),
}


def project_run(meson, sample):
    """Run the tests of PROGRAMS: all, and some with logs of their own. @return Where logs are."""
    lines = ["project('umr', meson_version: '>= 0.60.0')"]
    for name, protocol, script in PROGRAMS:
        path = WORK / f"{name}.sh"
        path.write_text("#!/bin/sh\n" + script.format(sample=sample) + "\n", encoding="utf-8")
        path.chmod(0o755)
        lines.append(f"test('{name}', find_program('{name}.sh'), protocol: '{protocol}',"
                     f" suite: '{protocol}', timeout: {1 if name == 'slow' else 120})")
    (WORK / "meson.build").write_text("\n".join(lines) + "\n", encoding="utf-8")
    quiet = {"stdout": subprocess.DEVNULL, "cwd": WORK}
    # Whatever runs this test has options of its own for meson.
    env = {key: value for key, value in os.environ.items() if not key.startswith("MESON_")}
    subprocess.run([meson, "setup", "build"], check=True, env=env, **quiet)
    for log, names in (("all", []), ("two", ["two"]), ("crashed", ["crashed"])):
        subprocess.run([meson, "test", "-C", "build", "--logbase", log, *names], check=False,
                       env=env, **quiet)
    return WORK / "build" / "meson-logs"


def sums(*words):
    """What sum-tests.py says last, what it says before that, and its exit status."""
    done = subprocess.run([sys.executable, sys.argv[1], *map(str, words)], check=False, text=True,
                          stdout=subprocess.PIPE)
    *others, last = done.stdout.splitlines()
    return last, others, done.returncode


def text_of(counts):
    return "{} passed, {} failed, {} skipped".format(*counts)


def program_of(test):
    """The program of a test's name, which differs by meson: "umr:tap / two", "tap - umr:two"."""
    return test.replace(":", " ").split()[-1]


def counts_by_program(path):
    """Cases of a JUnit file of --junit: {program: (passed, failed, skipped)}."""
    counts = {}
    for suite in ET.parse(path).iter("testsuite"):
        for case in suite.iter("testcase"):
            test = suite.get("name").partition(".")[2] or case.get("name")
            kinds = {child.tag for child in case}
            verdict = 1 if kinds & {"failure", "error"} else 2 if "skipped" in kinds else 0
            counts.setdefault(program_of(test), [0, 0, 0])[verdict] += 1
    return {name: tuple(count) for name, count in counts.items()}


def each_program_is_counted():
    sums("--junit", WORK / "junit", LOGS / "all.json")
    counts = counts_by_program(WORK / "junit" / "all.xml")
    for name, expected in COUNTS.items():
        expect(counts.get(name) == expected, f"{name}: {counts.get(name)}, not {expected}")


def counts_are_added_up():
    total = tuple(map(sum, zip(*COUNTS.values())))
    last, _, status = sums(LOGS / "all.json")
    expect((last, status) == (text_of(total), 1), f"{last}, status {status}")
    last, _, status = sums(LOGS / "two.json", LOGS / "crashed.json")
    expect((last, status) == (text_of((3, 1, 0)), 1), f"{last}, status {status}")
    last, others, status = sums(LOGS / "two.json")
    expect((last, others, status) == (text_of((2, 0, 0)), [], 0), f"{last}, {others}, {status}")


def faults_are_named():
    _, others, _ = sums(LOGS / "all.json")
    told = dict(line.removeprefix("failed: ").split(": ", 1) for line in others)
    told = {program_of(name): text for name, text in told.items()}
    expect(set(told) == {name for name, counts in COUNTS.items() if counts[1]}, others)
    for name, what in (("crashed", "ERROR"), ("slow", "TIMEOUT"), ("mixed", "3 - d"),
                       ("undeclared", "protocol: 'tap'")):
        expect(what in told[name], f"{name}: {told[name]}")


def checks_are_cases():
    lines = WORK / "checks"
    lines.write_text("1 0 0 /a/good.sh\n0 1 0 /a/bad.sh\n0 0 1 /a/lacking.sh\n", encoding="utf-8")
    last, others, status = sums("--add", lines, LOGS / "two.json")
    expect((last, others, status) == (text_of((3, 1, 1)), ["failed: bad.sh"], 1),
           f"{last}, {others}, {status}")
    # Without any.
    lines.write_text("", encoding="utf-8")
    last, others, status = sums("--add", lines, LOGS / "two.json")
    expect((last, others, status) == (text_of((2, 0, 0)), [], 0), f"{last}, {others}, {status}")


def missing_logs_are_failures():
    empty = WORK / "empty.json"
    empty.touch()
    (WORK / "empty.junit.xml").write_text("<testsuites/>", encoding="utf-8")
    (WORK / "torn.json").touch()
    (WORK / "torn.junit.xml").write_text("<testsuites", encoding="utf-8")
    for path in (WORK / "nothing.json", empty, WORK / "torn.json"):
        last, _, status = sums(LOGS / "two.json", path)
        expect((last, status) == (text_of((2, 1, 0)), 1), f"{path}: {last}")


def junit_files_tell_the_same():
    folder = WORK / "junit-of-three"
    folder.mkdir()
    (folder / "old.xml").touch()
    lines = WORK / "checks"
    lines.write_text("1 0 0 good\n0 1 0 bad\n", encoding="utf-8")
    last, _, _ = sums("--junit", folder, "--add", lines, LOGS / "two.json", LOGS / "crashed.json")
    expect(last == text_of((4, 2, 0)), last)
    expected = {"checks": (2, 1), "crashed": (2, 1), "two": (2, 0)}
    names = sorted(path.stem for path in folder.iterdir())
    expect(names == sorted(expected), names)
    for name, (nb_tests, nb_bad) in expected.items():
        root = ET.parse(folder / f"{name}.xml").getroot()
        bad = len(root.findall(".//error")) + len(root.findall(".//failure"))
        expect(len(root.findall(".//testcase")) == nb_tests == int(root.get("tests")), name)
        expect(bad == nb_bad == int(root.get("errors")) + int(root.get("failures")), name)
        for suite in root.iter("testsuite"):
            expect(int(suite.get("tests")) == len(suite.findall("testcase")), suite.attrib)


def cases_of_a_cmocka_group_have_names():
    names = [case.get("name") for case in ET.parse(LOGS / "all.junit.xml").iter("testcase")
             if program_of(case.get("classname")) == "sample"]
    cases = ("passes", "fails", "skips", "forks")
    wanted = [f"{name} [{group}]" for group in "ab" for name in cases]
    expect(names == [f"{number} - {name}" for number, name in enumerate(wanted, 1)], names)


CASES = (each_program_is_counted, counts_are_added_up, faults_are_named, checks_are_cases,
         missing_logs_are_failures, junit_files_tell_the_same, cases_of_a_cmocka_group_have_names)

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        WORK = pathlib.Path(temporary)
        LOGS = project_run(sys.argv[2], pathlib.Path(sys.argv[3]).resolve())
        sys.exit(report_cases(CASES, verdict_of))
