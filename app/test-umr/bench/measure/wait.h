/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_WAIT_H
#define BENCH_WAIT_H

/**
 * @file
 * Wait for a device without checking what it writes.
 *
 * A program that polls finds a CQE in a cache line that another agent wrote. A check of the CQE
 * before the timed poll would bring the line to the cache, and that miss is most of the cost of a
 * poll. Therefore nothing is checked: some batches show how long the device takes, and the others
 * wait that long plus a reserve. A poll that comes too early is detected by its result.
 */

#include <stdbool.h>
#include <stdint.h>

/** How long to wait. Zeros: unknown yet. */
struct bench_wait {
	uint64_t least;		/**< The shortest time of a batch, in TSC cycles. */
	uint64_t cycles;	/**< Time to wait for a batch. */
	uint32_t nb_late;	/**< Batches that were not back in time. */
	uint32_t nb_late_in_row; /**< Late batches in a row. */
};

/** Late batches in a row after which the device may be waiting for this CPU. */
#define BENCH_WAIT_MAX_IN_ROW	4u

/** Record the time of a batch. */
void bench_wait_learn(struct bench_wait *wait, uint64_t cycles);

/** Return when a batch posted at that time should be back. Touches nothing but wait. */
void bench_wait_until(const struct bench_wait *wait, uint64_t posted);

/** Record whether a batch was late; extends the wait if several in a row were late. */
void bench_wait_judge(struct bench_wait *wait, bool is_late);

#endif /* BENCH_WAIT_H */
