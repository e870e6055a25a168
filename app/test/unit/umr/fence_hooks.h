/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef TEST_FENCE_HOOKS_H
#define TEST_FENCE_HOOKS_H

/**
 * @file
 * Included before every source of test_lookup_fence.c: fences call the test at their position.
 */

/* Before the others: it selects arm64's atomics. */
#include <rte_config.h>

#include <rte_atomic.h>

/** Called when the tested code reaches a fence; order is one of __ATOMIC_*. */
void test_fence(int order);

#define rte_atomic_thread_fence(order)	test_fence(order)

#endif /* TEST_FENCE_HOOKS_H */
