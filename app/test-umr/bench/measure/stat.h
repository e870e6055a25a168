/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_STAT_H
#define BENCH_STAT_H

/**
 * @file
 * Statistics of samples.
 */

#include <stdint.h>

/** A median and its spread. */
struct bench_stat {
	double median;
	double q1;	/**< Quartiles: half of the values lie between them. */
	double q3;
	double min;
	double max;
};

/** Compute the median and quartiles of at least one value; sorts the values. */
struct bench_stat bench_stat_of(double *values, uint32_t nb);

/** The value at percentile p in [0, 1] of sorted values. */
double bench_percentile(const double *sorted, uint32_t nb, double p);

/**
 * Mean of all values except the highest sixteenth, which excludes interrupts and nothing else. The
 * TSC of many machines advances in steps of some 25 cycles; a mean resolves less than a step, a
 * median does not. Sorts the values; at least one.
 */
double bench_mean(double *values, uint32_t nb);

/** Sort in ascending order. */
void bench_sort(double *values, uint32_t nb);

#endif /* BENCH_STAT_H */
