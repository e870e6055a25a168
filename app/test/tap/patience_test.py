# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""UMR_TEST_TIMEOUT_FACTOR is the same for tests in C, in Python and scripts; cases that cannot be.

Usage: patience_test.py PATIENCE_SH PROGRAM
PROGRAM prints the limit of tests in C. The output is the Test Anything Protocol; exit status 1 if a
case failed.
"""

import os
import pathlib
import subprocess
import sys

PROGRAMS = str(pathlib.Path(__file__).resolve().parents[1] / "interop/programs")
sys.path.insert(0, PROGRAMS)
# pylint: disable=wrong-import-position
from case_runner import expect, report_cases, verdict_of  # noqa: E402

NAME = "UMR_TEST_TIMEOUT_FACTOR"


def told(factor, *command):
    """What a command says of its limits; None is no factor."""
    env = {name: value for name, value in os.environ.items() if name != NAME}
    env.update({} if factor is None else {NAME: factor})
    return subprocess.run(command, env=dict(env, PYTHONPATH=PROGRAMS), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, text=True)


def commands(sh, program):
    """C, Python and a script, each of which prints 60 seconds."""
    return ((program,),
            (sys.executable, "-c", "from patience import WAIT_S; print(int(WAIT_S / 2))"),
            ("bash", "-c", '. "$0"; patience 60', sh))


def limits_are_multiplied(sh, program):
    for factor, seconds in ((None, "60"), ("1", "60"), ("2.5", "150"), ("10", "600"),
                            ("1000", "60000")):
        for command in commands(sh, program):
            done = told(factor, *command)
            expect(done.returncode == 0 and done.stdout.split()[0] == seconds, (factor, done))


def wrong_factors_are_refused(sh, program):
    for factor in ("", "0", "0.9", "-1", "1001", "2s", "two", "1e3", "inf", "nan", "1.2.3", " 2",
                   "99999999999999999999"):
        for command in commands(sh, program):
            done = told(factor, *command)
            expect(done.returncode == 2 and not done.stdout, (factor, done))
            expect(done.stderr == f'{NAME}: "{factor}" is not a number from 1 to 1000\n',
                   (factor, done))


CASES_BEHIND = """
import case_runner

def good():
    pass

def ends():
    raise {error}("told")

def behind():
    raise ValueError

case_runner.sys.exit(case_runner.report_cases({cases}, case_runner.verdict_of, needs_first=True))
"""


def cases_behind_one_that_ends_all_are_skipped(*_):
    for error, line, why, status in (
            ("case_runner.Gone", "not ok 2 - ends\n# told", "ends failed", 1),
            ("case_runner.SkipAll", "ok 2 - ends # SKIP told", "told", 0)):
        done = told(None, sys.executable, "-c",
                    CASES_BEHIND.format(error=error, cases="[good, ends, behind]"))
        expect(done.returncode == status and done.stdout ==
               f"1..3\nok 1 - good\n{line}\nok 3 - behind # SKIP {why}\n", done)


def cases_behind_the_first_may_need_it(*_):
    done = told(None, sys.executable, "-c",
                CASES_BEHIND.format(error="AssertionError", cases="[ends, behind]"))
    expect(done.returncode == 1 and done.stdout ==
           "1..2\nnot ok 1 - ends\n# told\nok 2 - behind # SKIP ends failed\n", done)


CASES = [limits_are_multiplied, wrong_factors_are_refused,
         cases_behind_one_that_ends_all_are_skipped, cases_behind_the_first_may_need_it]


if __name__ == "__main__":
    sys.exit(report_cases(CASES, lambda case: verdict_of(case, *sys.argv[1:3])))
