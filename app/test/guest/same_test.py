# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""The same programs above Linux' own driver and on swhca-run: they must be told the same.

Usage: same_test.py GUEST_SH SWHCA_RUN ANSWERS EXPECTED PROGRAM...
One guest with two adapters runs all. EXPECTED lists what is other, with its reason. The output is the
Test Anything Protocol; exit status 1 if a case failed.
"""

import functools
import os
import re
import shlex
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../interop/programs"))

# pylint: disable=wrong-import-position
from guest_shell import parts_of  # noqa: E402
from case_runner import Gone, expect, report_cases, verdict_of  # noqa: E402
from patience import WAIT_S  # noqa: E402

ANSWER = re.compile(r"^(.+?): (.+)$", re.MULTILINE)
CASE = re.compile(r"^(ok|not ok) \d+ - (\w+)", re.MULTILINE)


def expected_of(path):
    """Names of what is other."""
    with open(path, encoding="utf-8") as file:
        lines = [line for line in file.read().splitlines() if line and not line.startswith("#")]
    return {line.split(": ", 1)[0] for line in lines}


class Same:
    """What the programs print here and there."""

    def __init__(self, guest_sh, swhca_run, answers, expected, *programs):
        self.guest_sh, self.swhca_run = guest_sh, swhca_run
        self.answers = os.path.abspath(answers)
        self.expected = expected_of(expected)
        self.programs = {os.path.basename(path): os.path.abspath(path) for path in programs}

    @functools.lru_cache(maxsize=None)
    def guest(self):
        """Exit status and output of each program in a guest, by name."""
        runs = {"answers": f"{shlex.quote(self.answers)} mlx5_0"}
        runs.update((name, shlex.quote(path)) for name, path in self.programs.items())
        script = "export CMOCKA_MESSAGE_OUTPUT=TAP\n" + "".join(
            f"timeout {WAIT_S:g} {run} 2>&1\necho \"part {name}: $?\"\n"
            for name, run in runs.items())
        parts = parts_of(self.guest_sh, ["--functions", "2"], script + "dmesg\n")
        if sorted(parts) != sorted([*runs, "rest"]):
            raise Gone(f"parts did not run: {parts}")
        return parts

    def here(self):
        """The answers of swhca-run."""
        done = subprocess.run([self.swhca_run, self.answers, "mlx5_0"], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, timeout=WAIT_S, check=True, text=True)
        return ANSWER.findall(done.stdout)


def device_and_errors_are_the_same(same):
    status, text = same.guest()["answers"]
    expect(status == 0, text)
    here, there = same.here(), [pair for pair in ANSWER.findall(text)
                                if not pair[0].startswith("swhca ")]
    expect([name for name, _ in here] == [name for name, _ in there], (here, there))
    other = {one[0]: (one[1], two[1]) for one, two in zip(here, there) if one != two}
    expected = {name for name in same.expected if "/" not in name}
    expect(set(other) == expected,
           f"other: {other}; expected: {sorted(expected)}")


def programs_pass_above_a_kernel(same):
    failed = set()
    for name in same.programs:
        status, text = same.guest()[name]
        cases = CASE.findall(text)
        expect(cases and status < 100, f"{name}: exit status {status}\n{text}")
        failed |= {f"{name}/{case}" for verdict, case in cases
                   if verdict != "ok" and case not in ("tests", "signature")}
    expected = {name for name in same.expected if "/" in name}
    names = {one.split("/")[0] for one in failed - expected}
    texts = "".join(same.guest()[name][1] for name in names)
    expect(failed == expected, f"failed: {sorted(failed)}; expected: {sorted(expected)}\n{texts}")


def the_kernel_has_nothing_to_complain_of(same):
    found = re.search(r".*(WARNING:|BUG:|Oops).*", same.guest()["rest"][1])
    expect(found is None, found)


CASES = [device_and_errors_are_the_same, programs_pass_above_a_kernel,
         the_kernel_has_nothing_to_complain_of]


def main():
    """One guest for all cases."""
    same = Same(*sys.argv[1:])
    return report_cases(CASES, lambda case: verdict_of(case, same))


if __name__ == "__main__":
    sys.exit(main())
