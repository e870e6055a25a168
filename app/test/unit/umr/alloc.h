/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_ALLOC_H
#define RTE_UMR_ALLOC_H

/**
 * @file
 * rte_zmalloc_socket() and rte_free() in place of those of EAL, also for the library: they work
 * without EAL, and tests can make them run out of memory.
 */

/** Statistics of allocations, and which one fails. */
struct test_alloc {
	unsigned int nb_calls;
	unsigned int fail_at; /**< Number of the call that fails, from 1; 0: none. */
	unsigned int nb_live; /**< Not freed yet. */
	int socket_id; /**< Of the last call. */
};

extern struct test_alloc test_alloc;

#endif /* RTE_UMR_ALLOC_H */
