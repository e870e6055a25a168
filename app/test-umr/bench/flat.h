/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_FLAT_H
#define BENCH_FLAT_H

/**
 * @file
 * Whether the cost of an operation stays the same over sizes: of a ring, of a set of keys.
 *
 * Sizes take turns in rounds, and each is compared with the first one round by round, for the same
 * reason as paths are. A round measures the steady state: before it, batches go once round the
 * ring and once round the keys. What is used is then as far away as it is in a program that does
 * nothing else, whatever other sizes have done to the caches in between.
 */

#include "bench/run.h"

/** Most sizes, with the first one once more. */
#define BENCH_MAX_FLAT_SIZES	8u

/** A size: a row of a worker. */
struct bench_flat_size {
	uint32_t worker;
	uint32_t depth;		/**< Of the send rings of that worker. */
	struct bench_row row;
};

/** Cost of a size divided by that of the first one in the same round, less 1. */
struct bench_flat_change {
	struct bench_stat rte;
	struct bench_stat floor;
};

/** What came out. */
struct bench_flat {
	struct bench_flat_change changes[BENCH_MAX_FLAT_SIZES]; /**< Of each size. */
	uint32_t worst;	/**< The size whose median has changed most, up or down. */
	uint32_t again;	/**< The last size: the first one once more. */
};

/**
 * Measure sizes on an open bench. The last one is the first one once more, and tells what of a
 * change is only noise. False, said on stderr, if something failed.
 */
bool bench_flat_measure(struct bench *bench, const struct bench_flat_size *sizes, uint32_t nb,
			struct bench_flat *result);

#endif /* BENCH_FLAT_H */
