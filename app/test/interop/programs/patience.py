# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""How long tests in Python wait: long, as a limit protects from hanging and from nothing else.

The environment's UMR_TEST_TIMEOUT_FACTOR multiplies the limits on machines that are slow or busy. The
same for tests in C is in app/test/patience.h, for scripts in devtools/ci/patience.sh.
"""

import os
import re
import sys
import time

MAX_FACTOR = 1000


def factor_of(text):
    """The factor that a text says, which must be one."""
    if not re.fullmatch(r"[0-9]+(\.[0-9]*)?", text) or not 1 <= float(text) <= MAX_FACTOR:
        print(f'UMR_TEST_TIMEOUT_FACTOR: "{text}" is not a number from 1 to {MAX_FACTOR}',
              file=sys.stderr)
        sys.exit(2)
    return float(text)


FACTOR = factor_of(os.environ.get("UMR_TEST_TIMEOUT_FACTOR", "1"))
# What happens by itself, or a program that is asked for little; and one that works for long.
WAIT_S = 120 * FACTOR
LONG_S = 600 * FACTOR


def wait_until(is_so, what, limit=WAIT_S):
    """Look until is_so() returns something that is true, which is returned.

    What it is in vain that one waits for is a text, or a function that tells it.
    """
    end = time.monotonic() + limit
    while True:
        found = is_so()
        if found:
            return found
        if time.monotonic() >= end:
            raise AssertionError(f"after {limit:g} s: {what() if callable(what) else what}")
        time.sleep(0.02)
