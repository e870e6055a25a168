/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef TEST_BARRIER_HOOKS_H
#define TEST_BARRIER_HOOKS_H

/**
 * @file
 * Included before every source of test_barrier.c: barriers call the test. Such a call is also a
 * compiler barrier, since it may access all memory of the test.
 */

/* Before the others: it selects arm64's atomics. */
#include <rte_config.h>

#include <rte_atomic.h>
#include <rte_io.h>

enum test_barrier {
	TEST_IO_WMB,
	TEST_IO_RMB,
	TEST_WMB,
};

/** Called when the tested code reaches a barrier. */
void test_barrier(enum test_barrier barrier);

#undef rte_io_wmb
#define rte_io_wmb()	test_barrier(TEST_IO_WMB)
#undef rte_io_rmb
#define rte_io_rmb()	test_barrier(TEST_IO_RMB)
#undef rte_wmb
#define rte_wmb()	test_barrier(TEST_WMB)

#endif /* TEST_BARRIER_HOOKS_H */
