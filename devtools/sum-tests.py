#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Sum up the test cases of meson test logs (meson-logs/*.json).

A test program says how many cases it ran by cmocka's closing lines or by a line
"N passed, N failed[, N errors][, N skipped]"; an error counts as a failure. One that says
nothing counts as one case. What meson saw overrules what the program says: a crash or a
timeout is a failure.
"""

import argparse
import json
import re
import sys

PLAIN = re.compile(r"^(?:\w+: )?(\d+) passed, (\d+) failed(?:, (\d+) errors)?(?:, (\d+) skipped)?$",
                   re.M)
CMOCKA = re.compile(r"^\[  (PASSED|FAILED|SKIPPED) +\] (?:.*?: )?(\d+) test\(s\)", re.M)


def count_cases(output, errors):
    """Cases that a program reported: [passed, failed, skipped]. cmocka closes on stderr."""
    counts = [0, 0, 0]
    for match in PLAIN.finditer(output):
        for i, number in zip((0, 1, 1, 2), match.groups()):
            counts[i] += int(number or 0)
    for match in CMOCKA.finditer(errors):
        counts[("PASSED", "FAILED", "SKIPPED").index(match.group(1))] += int(match.group(2))
    return counts


def count_test(test):
    """Cases of one test of a meson log."""
    counts = count_cases(test.get("stdout") or "", test.get("stderr") or "")
    result = test["result"]
    if result == "SKIP":
        return [0, 0, max(1, sum(counts))]
    if result == "OK":
        # A program that exited with 0 has not failed, whatever its text quotes.
        return [counts[0] or (0 if counts[2] else 1), counts[1], counts[2]]
    counts[1] = max(1, counts[1])
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--add", help="file of lines 'PASSED FAILED SKIPPED NAME'")
    parser.add_argument("logs", nargs="*", help="meson-logs/*.json")
    args = parser.parse_args()

    total = [0, 0, 0]
    bad = []
    for path in args.logs:
        tests = 0
        try:
            with open(path, encoding="utf-8") as log:
                for line in log:
                    test = json.loads(line)
                    counts = count_test(test)
                    tests += 1
                    total = [a + b for a, b in zip(total, counts)]
                    if counts[1]:
                        bad.append(f"{test['name']}: {test['result']} ({path})")
        except OSError as error:
            bad.append(str(error))
        if tests == 0:
            total[1] += 1
            bad.append(f"{path}: no test ran")
    if args.add:
        with open(args.add, encoding="utf-8") as extra:
            for line in extra:
                passed, failed, skipped, name = line.split(maxsplit=3)
                total = [a + int(b) for a, b in zip(total, (passed, failed, skipped))]
                if int(failed):
                    bad.append(name.strip())
    for name in bad:
        print(f"failed: {name}")
    print(f"{total[0]} passed, {total[1]} failed, {total[2]} skipped")
    return 1 if total[1] else 0


if __name__ == "__main__":
    sys.exit(main())
