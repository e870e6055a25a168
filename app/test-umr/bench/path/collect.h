/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_COLLECT_H
#define BENCH_COLLECT_H

/**
 * @file
 * Batches: post, wait, take. All paths wait here, in the same way.
 *
 * Wait for a device without checking what it writes.
 *
 * A program that polls finds a CQE in a cache line that another agent wrote. A check of the CQE
 * before the timed poll would bring the line to the cache, and that miss is most of the cost of a
 * poll. Therefore nothing is checked: some batches show how long the device takes, and the others
 * wait that long plus a reserve. A poll that comes too early is detected by its result.
 *
 * Check a completion ring without polling.
 */

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/mlx5dv.h>

#include "bench/path/path.h"

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

/** Number of rte_umr operations in a batch of a row. */
static inline uint32_t
bench_row_nb_ops(const struct bench_row *row)
{
	return row->layout == BENCH_MIXED ? 2 * row->batch : row->batch;
}

/**
 * Wait for nb posted operations and take them.
 *
 * @param wait
 *   Wait without checking the CQE, so that it is cold when it is taken; the wait starts at
 *   sample->posted. If the batch is late, sample->is_late is true, its times are invalid, and the
 *   function checks the CQE until it arrives. NULL: always check, so that the CQE is in the cache.
 * @param sample
 *   Output: poll, done, is_late.
 * @return
 *   False after an error was printed, also if nothing arrived within BENCH_TIMEOUT_MS.
 */
bool bench_collect(const struct bench_path *path, void *ctx, uint32_t nb, struct bench_wait *wait,
		   struct bench_sample *sample);

/** Post a batch of a row, then call bench_collect(). */
bool bench_batch(const struct bench_path *path, void *ctx, const struct bench_row *row,
		 struct bench_wait *wait, struct bench_sample *sample);

/** A completion ring with CQEs of 64 bytes. */
struct bench_cq {
	volatile struct mlx5_cqe64 *ring;
	uint32_t mask;
};

/** Whether the CQE of index ci has arrived. */
bool bench_cq_has(const struct bench_cq *cq, uint32_t ci);

#endif /* BENCH_COLLECT_H */
