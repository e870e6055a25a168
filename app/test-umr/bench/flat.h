/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_FLAT_H
#define BENCH_FLAT_H

/**
 * @file
 * Whether the cost of an operation is independent of the size of a ring or of a set of keys.
 *
 * Sizes take turns in rounds, and each is compared with the first one in the same round, for the
 * same reason as paths are. A round measures the steady state: before it, batches go once around
 * the ring and once around the keys. Caches then hold what they would hold in a program that does
 * nothing else, regardless of the other sizes measured in between.
 */

#include "bench/run.h"

/** Maximum number of sizes, including the repeated first one. */
#define BENCH_MAX_FLAT_SIZES	8u

/** A size: a row of a worker. */
struct bench_flat_size {
	uint32_t worker;
	uint32_t depth;		/**< Depth of the send rings of that worker. */
	struct bench_row row;
};

/** Cost of a size divided by that of the first one in the same round, minus 1. */
struct bench_flat_change {
	struct bench_stat rte;
	struct bench_stat floor;
};

/** Results. */
struct bench_flat {
	struct bench_flat_change changes[BENCH_MAX_FLAT_SIZES]; /**< Change of each size. */
	uint32_t worst;	/**< Size with the largest change of its median, up or down. */
	uint32_t again;	/**< Last size, which repeats the first one. */
};

/**
 * Measure sizes on an open bench. The last size repeats the first one; its change shows the noise.
 * Print an error and return false on failure.
 */
bool bench_flat_measure(struct bench *bench, const struct bench_flat_size *sizes, uint32_t nb,
			struct bench_flat *result);

#endif /* BENCH_FLAT_H */
