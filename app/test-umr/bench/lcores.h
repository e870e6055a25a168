/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_LCORES_H
#define BENCH_LCORES_H

/**
 * @file
 * Whether an operation costs more while another lcore does the same on its own queues.
 *
 * A software device needs a CPU, too. Therefore each lcore has several queues and posts batches to
 * each of them in a window of some microseconds. All lcores do so at the same time, without
 * checking the device, and let it work afterwards. A window counts only if the clock shows that the
 * lcores were in it together. When an lcore is alone in its window, the other one spins, so that
 * the device is kept off the CPUs in the same way.
 *
 * Queues are assigned to the lcores alternately: neighboring allocations belong to different
 * lcores, which is the worst case.
 */

#include "bench/run.h"

/** Lcores that are compared, and workers of each. */
#define BENCH_NB_LCORES		2u
#define BENCH_LCORE_QUEUES	4u

/** Results. */
struct bench_lcores {
	bool is_judged;		/**< Enough windows were common. */
	uint32_t nb_windows;	/**< Windows that were measured. */
	uint32_t nb_common;	/**< Windows that were common. */
	/** Per round: cost on both lcores at a time, divided by the cost on each alone. */
	struct bench_stat ratio;
};

/** Whether two lcores are threads of one core, which slow each other down in any case. */
bool bench_lcores_share_core(unsigned int lcore_a, unsigned int lcore_b);

/**
 * Measure on an open bench of BENCH_NB_LCORES * BENCH_LCORE_QUEUES workers. Print an error and
 * return false on failure.
 */
bool bench_lcores_measure(struct bench *bench, const struct bench_row *row,
			  struct bench_lcores *result);

#endif /* BENCH_LCORES_H */
