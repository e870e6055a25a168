/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_WAIT_H
#define BENCH_WAIT_H

/**
 * @file
 * Wait for a device without a look at what it writes.
 *
 * A program that polls finds a CQE in a cache line that another agent has written. Who looks at it
 * before the poll is timed has brought the line to its own cache, and that is most of what a poll
 * costs. So nothing is looked at: some batches tell how long the device takes, the others are
 * given as long, and a reserve. A poll that comes too early is found by its result.
 */

#include <stdbool.h>
#include <stdint.h>

/** How long to wait. Zeros: nothing is known yet. */
struct bench_wait {
	uint64_t least;		/**< The shortest time of a batch, in TSC cycles. */
	uint64_t cycles;	/**< What a batch is given. */
	uint32_t nb_late;	/**< Batches for which that was not enough, */
	uint32_t nb_late_in_row; /**< and those of them without another one in between. */
};

/** Late batches in a row after which the device may be waiting for this CPU. */
#define BENCH_WAIT_MAX_IN_ROW	4u

/** A batch came back in that time. */
void bench_wait_learn(struct bench_wait *wait, uint64_t cycles);

/** Return when a batch that was posted then is expected to be back. Touches nothing but wait. */
void bench_wait_until(const struct bench_wait *wait, uint64_t posted);

/** Whether the batch had come back; the next ones get more time if several in a row had not. */
void bench_wait_judge(struct bench_wait *wait, bool is_late);

#endif /* BENCH_WAIT_H */
