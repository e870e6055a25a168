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

/** Operations of rte_umr that a batch of a row has. */
static inline uint32_t
bench_row_nb_ops(const struct bench_row *row)
{
	return row->layout == BENCH_MIXED ? 2 * row->batch : row->batch;
}

/**
 * Wait for nb operations that were posted, and take them.
 *
 * @param wait
 *   The wait looks at nothing, so that the CQE is cold when it is taken; sample->posted tells when
 *   it begins. If the batch is not back then, sample->is_late is true, its times are of no use,
 *   and it is waited for by looking. NULL: always by looking, so that the CQE is in the cache.
 * @param sample
 *   Written: poll, done, is_late.
 * @return
 *   False, said on stderr, if something failed, or nothing came in BENCH_TIMEOUT_MS.
 */
bool bench_collect(const struct bench_path *path, void *ctx, uint32_t nb, struct bench_wait *wait,
		   struct bench_sample *sample);

/** Do a batch of a row: post it, then bench_collect(). */
bool bench_batch(const struct bench_path *path, void *ctx, const struct bench_row *row,
		 struct bench_wait *wait, struct bench_sample *sample);

#endif /* BENCH_COLLECT_H */
