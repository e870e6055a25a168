# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""How much random work a test does, and which: UMR_TEST_CASES and UMR_TEST_SEED, as in budget.h."""

import os
import random

DEFAULT_CASES = 100


def env_number(name, otherwise):
    """A number of the environment."""
    text = os.environ.get(name)
    return int(text, 0) if text else otherwise


def test_nb_cases():
    """Cases of a random test, not 0: what UMR_TEST_CASES says, 100 without it."""
    return max(1, env_number("UMR_TEST_CASES", DEFAULT_CASES))


def test_seed():
    """A seed for random work, which is printed: UMR_TEST_SEED, a fresh one without it."""
    seed = env_number("UMR_TEST_SEED", random.SystemRandom().getrandbits(32))
    print(f"# UMR_TEST_CASES={test_nb_cases()} UMR_TEST_SEED={seed}", flush=True)
    return seed
