#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Measure what this driver is to reach, and judge it: targets.json says what, and how far.

Usage: devtools/bench/targets.py [options] [-- COMMAND...]

COMMAND runs dpdk-test-umr with options of the EAL, up to and with their closing "--". Without it,
that of the build folder is run on software devices that acknowledge only (swhca-run). One lcore
leaves a CPU to the engine of such devices; the target lcores-2 takes two (-l 0,1).

A target that a device has no room for is not judged, and says why; one that is not judged is not
met. The exit status tells whether everything else could be measured, not whether all is met:
0 measured, 1 a measurement failed, 2 wrong usage, 3 set-up failed.
"""

import argparse
import json
import os
import re
import subprocess
import sys

TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
MEASURED, FAILED, USAGE, SETUP = range(4)
# Exit status of the tool if a device has no room for a row or does not support it.
NO_ROOM = (USAGE, SETUP)


class BenchError(Exception):
    """A measurement is impossible or failed; has a message and the exit status."""

    def __init__(self, text, status):
        super().__init__(text)
        self.status = status


def default_command(build_dir):
    """Command line of the tool of a build folder on software devices, with the common EAL options."""
    options = subprocess.run(["bash", "-c", '. "$0" && eal_options',
                              os.path.join(TOP, "devtools/ci/lib.sh")],
                             stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    os.environ.setdefault("SWHCA_LIB", os.path.join(build_dir, "lib/swhca/libswhca.so.0"))
    return [os.path.join(TOP, "devtools/swhca-run"), "--acknowledge-only",
            os.path.join(build_dir, "app/test-umr/dpdk-test-umr"), *options, "--"]


def measure(command, options):
    """Run the tool once; return its JSON, or {"error": reason} if the device has no room for it."""
    try:
        done = subprocess.run([*command, *options, "--format", "json"], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False)
    except OSError as error:
        raise BenchError(str(error), SETUP) from error
    if done.returncode == 0:
        return json.loads(done.stdout)
    said = re.findall(r"^dpdk-test-umr: (?:bench: )?(.*)$", done.stderr, re.M)
    if done.returncode not in NO_ROOM or not said:
        raise BenchError(f"{' '.join(options)}: exit status {done.returncode}\n"
                         f"{done.stderr[-2000:]}", FAILED)
    return {"error": said[-1]}


def measure_all(command, runs, rounds):
    """Run all measurements by name after checking that a device is available."""
    info = measure(command, ["info"])
    if "error" in info:
        raise BenchError(info["error"], SETUP)
    reports = {}
    for name, run in runs.items():
        nb_rounds = min(rounds, run.get("max_rounds", rounds))
        reports[name] = measure(command, ["bench", *run["options"].split(),
                                          "--rounds", str(nb_rounds)])
    return reports


def row_of(report, wanted):
    """The only row of a report with these values; a report without rows is its own row."""
    rows = [row for row in report.get("results", [report])
            if all(row[name] == value for name, value in (wanted or {}).items())]
    if len(rows) != 1:
        raise BenchError(f"{len(rows)} rows are {wanted}", FAILED)
    return rows[0]


def largest_change(row):
    """The size with the largest change, except the first one and its repetition, for the verdict."""
    worst = max(row["sizes"][1:-1], key=lambda size: abs(size["change"]))
    again = row["sizes"][-1]
    return {"measured": worst["change"], "q1": worst["q1"], "q3": worst["q3"],
            "floor": worst["floor"], "sizes": row["sizes"],
            "depth": None if row["sizes_of"] == "depth" else row["depth"],
            "note": f"at {worst['size']}; {again['size']} again: {again['change']:.2f}"}


def value_of(row, metric):
    """A metric of a row, with its quartiles."""
    *path, name = metric.split(".")
    for word in path:
        row = row[word]
    value = row[name]
    if isinstance(value, dict):
        return {"measured": value["median"], "q1": value["q1"], "q3": value["q3"]}
    # A number in another unit than cycles: scale the quartiles of the cycles.
    cycles = row["cycles_per_op"]
    scale = value / cycles["median"]
    return {"measured": value, "q1": cycles["q1"] * scale, "q3": cycles["q3"] * scale}


def is_met(limits, value):
    """Whether a value meets the limits of a target; for limits of changes, the sign is ignored."""
    if "at_least" in limits:
        return value >= limits["at_least"]
    return abs(value) <= limits["at_most"]


def judge(target, report):
    """Compute the verdict on a target."""
    direction = "at_least" if "at_least" in target else "at_most"
    verdict = {"name": target["name"], "what": target["what"],
               "direction": direction.replace("_", " "), "limit": target[direction],
               "judged": False, "met": False, "reason": None, "measured": None, "q1": None,
               "q3": None, "depth": None}
    if "error" in report:
        return {**verdict, "reason": report["error"]}
    row = row_of(report, target.get("row"))
    verdict["depth"] = report["depth"]
    if target["metric"] == "largest_change":
        verdict.update(largest_change({**row, "depth": report["depth"]}))
    elif row.get("judged") is False:
        return {**verdict, "depth": None, "reason":
                "the lcores were at work together in {common_windows} of {windows} windows"
                .format(**row)}
    elif "." not in target["metric"] and row.get(target["metric"]) is None:
        return {**verdict, "depth": None, "reason":
                "a method does not support the row" if target["metric"] in row else
                "dpdk-test-umr was built without -Dspdk"}
    else:
        verdict.update(value_of(row, target["metric"]))
    if "floor" in target:
        verdict["floor"] = value_of(row, target["floor"])["measured"]
    other = target.get("or")
    met = is_met(target, verdict["measured"])
    met |= other is not None and is_met(other, value_of(row, other["metric"])["measured"])
    return {**verdict, "judged": True, "met": met}


def head_of(reports):
    """The machine and the mode, from the first available report."""
    reports = [report for report in reports.values() if "error" not in report]
    names = ("device", "execution", "tsc_hz", "tsc_overhead_cycles", "rounds", "lcores", "hugepages",
             "order", "max_simd_bits", "poll", "cold_poll_cycles", "warm_poll_cycles")
    return {name: reports[0][name] for name in names} if reports else {}


def text_of(head, verdicts):
    """One line for each target."""
    lines = []
    if head:
        lines = ["device {device}, {execution}; TSC {ghz:.2f} GHz; {rounds} rounds; in {memory};"
                 .format(ghz=head["tsc_hz"] / 1e9,
                         memory="hugepages" if head["hugepages"] else "4 KiB pages", **head),
                 "vectors up to {max_simd_bits} bits; polls are {poll} (for one operation: "
                 "{cold_poll_cycles:.0f} cycles cold, {warm_poll_cycles:.0f} warm)".format(**head),
                 ""]
    lines.append(f"{'target':22} {'measured':>9} {'quartiles':>17} {'limit':>16}  met")
    for v in verdicts:
        limit = f"{v['direction']:>9} {v['limit']:6.2f}  {str(v['met']).lower():5} {v['what']}"
        if not v["judged"]:
            lines.append(f"{v['name']:22} {'-':>9} {'-':>8} {'-':>8} {limit} "
                         f"(not judged: {v['reason']})")
            continue
        line = f"{v['name']:22} {v['measured']:9.2f} {v['q1']:8.2f} {v['q3']:8.2f} {limit}"
        if "floor" in v:
            line += f" (floor: {v['floor']:.2f})"
        if "note" in v:
            line += f" ({v['note']})"
        lines.append(line)
    return "\n".join(lines)


def parse_args():
    """Parse the command line, which ends with COMMAND."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        usage=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=51, help="rounds of each row (default 51)")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("--targets", default=os.path.join(TOP, "devtools/bench/targets.json"),
                        help="what is measured and judged (default: targets.json)")
    parser.add_argument("--save", metavar="FILE", help="write down what was measured")
    parser.add_argument("--read", metavar="FILE",
                        help="judge what --save has written, instead of measuring")
    parser.add_argument("--build-dir", default=os.path.join(TOP, "build"),
                        help="whose dpdk-test-umr to run without COMMAND (default: build)")
    words, command = sys.argv[1:], []
    if "--" in words:
        words, command = words[:words.index("--")], words[words.index("--") + 1:]
    args = parser.parse_args(words)
    args.command = command or default_command(os.path.abspath(args.build_dir))
    return args


def main():
    """Run as described by --help."""
    args = parse_args()
    try:
        with open(args.targets, encoding="utf-8") as file:
            wanted = json.load(file)
        if args.read:
            with open(args.read, encoding="utf-8") as file:
                reports = json.load(file)
        else:
            reports = measure_all(args.command, wanted["runs"], args.rounds)
        if args.save:
            with open(args.save, "w", encoding="utf-8") as file:
                json.dump(reports, file, indent=2)
        verdicts = [judge(target, reports[target["run"]]) for target in wanted["targets"]]
    except BenchError as error:
        print(f"targets.py: {error}", file=sys.stderr)
        return error.status
    except (OSError, ValueError, KeyError) as error:
        print(f"targets.py: {error!r}", file=sys.stderr)
        return SETUP
    head = head_of(reports)
    if args.format == "json":
        print(json.dumps({**head, "targets": verdicts}, indent=2))
    else:
        print(text_of(head, verdicts))
    return MEASURED


if __name__ == "__main__":
    sys.exit(main())
