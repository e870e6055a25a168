/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_COLLECT_H
#define BENCH_COLLECT_H

/**
 * @file
 * Batches: post, wait, take. All paths wait here, in the same way.
 */

#include "bench.h"

/** Operations of rte_umr that a batch of a row has. */
static inline uint32_t
bench_row_nb_ops(const struct bench_row *row)
{
	return row->layout == BENCH_MIXED ? 2 * row->batch : row->batch;
}

/**
 * Wait for nb operations that were posted, and take them.
 *
 * They are waited for by looking, so that the CQE is in the cache when it is taken.
 *
 * @param sample
 *   Written: poll, done.
 * @return
 *   False, said on stderr, if something failed, or nothing came in BENCH_TIMEOUT_MS.
 */
bool bench_collect(const struct bench_path *path, void *ctx, uint32_t nb,
		   struct bench_sample *sample);

/** Do a batch of a row: post it, then bench_collect(). */
bool bench_batch(const struct bench_path *path, void *ctx, const struct bench_row *row,
		 struct bench_sample *sample);

#endif /* BENCH_COLLECT_H */
