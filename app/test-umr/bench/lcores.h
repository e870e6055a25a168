/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_LCORES_H
#define BENCH_LCORES_H

/**
 * @file
 * Whether an operation costs more when another lcore does the same on queues of its own.
 *
 * What makes this difficult is that a software device needs a CPU, too. So each lcore has several
 * queues, posts batches to each in a window of some microseconds, all lcores at the same time and
 * without a look at the device, and lets it work afterwards. A window counts only if the lcores
 * have really been in it together, which the clock tells; and an lcore that is alone in its window
 * has the other one spin meanwhile, so that the device is kept off the CPUs alike.
 *
 * Queues belong to the lcores by turns: what was allocated next to each other is used by different
 * ones, as bad as it can be.
 */

#include "bench/run.h"

/** Lcores that are compared, and workers of each. */
#define BENCH_NB_LCORES		2u
#define BENCH_LCORE_QUEUES	4u

/** What came out. */
struct bench_lcores {
	bool is_judged;		/**< Enough windows were common ones. */
	uint32_t nb_windows;	/**< Windows that should have been, */
	uint32_t nb_common;	/**< and those that were. */
	/** Of the rounds: cost on both lcores at a time, divided by that on each alone. */
	struct bench_stat ratio;
};

/** Whether two lcores are threads of one core, and slow down each other whatever they do. */
bool bench_lcores_share_core(unsigned int lcore_a, unsigned int lcore_b);

/**
 * Measure on an open bench of BENCH_NB_LCORES * BENCH_LCORE_QUEUES workers. False, said on stderr,
 * on failure.
 */
bool bench_lcores_measure(struct bench *bench, const struct bench_row *row,
			  struct bench_lcores *result);

#endif /* BENCH_LCORES_H */
