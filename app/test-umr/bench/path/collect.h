/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_COLLECT_H
#define BENCH_COLLECT_H

/**
 * @file
 * Batches: post, wait, take. All paths wait here, in the same way.
 */

#include "bench/path/path.h"
#include "bench/measure/wait.h"

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

#endif /* BENCH_COLLECT_H */
