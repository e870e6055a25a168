# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""The promises of the security guide: each names tests, and these exist.

Usage: promises_test.py GUIDE
Its output is the Test Anything Protocol; exit status 1 if a case failed.
"""

import pathlib
import re
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "interop/programs"))

from case_runner import expect, report_cases, verdict_of  # noqa: E402

ROW = re.compile(r"^   \* - (.*)\n     - (.*)$", re.MULTILINE)
LITERAL = re.compile(r"``([^`]+)``")
NB_AT_LEAST = 30


def rows(text):
    """Promises, and what holds them; the heads of tables and the table of parties are not these."""
    return [(promise, held) for promise, held in ROW.findall(text)
            if held.startswith("``") and promise != "promise"]


def missing(held, tests):
    """Names of tests that are not where a row says they are."""
    wrong = []
    for part in held.split("; "):
        path, *names = LITERAL.findall(part)
        file = tests / path
        text = file.read_text(encoding="utf-8") if file.is_file() else ""
        wrong += [f"{path}: {name}" for name in names or ["no test named"]
                  if not re.search(rf"\b{re.escape(name)}\b", text)]
    return wrong


def every_promise_has_tests_that_exist(guide):
    text = pathlib.Path(guide).read_text(encoding="utf-8")
    promises = rows(text)
    expect(len(promises) >= NB_AT_LEAST, f"{len(promises)} promises")
    wrong = [name for _promise, held in promises for name in missing(held, TESTS)]
    expect(not wrong, "\n".join(wrong))


def a_name_that_is_none_is_found(_guide):
    planted = ("   * - Nothing is lost.\n"
               "     - ``autotest/key.c``: ``keys_nest``, ``keys_nest_in_vain``; "
               "``autotest/gone.c``: ``main``\n")
    (_promise, held), = rows(planted)
    expect(missing(held, TESTS) == ["autotest/key.c: keys_nest_in_vain", "autotest/gone.c: main"],
           missing(held, TESTS))


CASES = (
    every_promise_has_tests_that_exist,
    a_name_that_is_none_is_found,
)


def main():
    return report_cases(CASES, lambda case: verdict_of(case, sys.argv[1]))


if __name__ == "__main__":
    sys.exit(main())
