/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_STAT_H
#define BENCH_STAT_H

/**
 * @file
 * What many samples come to.
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

/** Sorts the values; at least one. */
struct bench_stat bench_stat_of(double *values, uint32_t nb);

/** The value below which a share p, [0, 1], of the values lies; the values are sorted. */
double bench_percentile(const double *sorted, uint32_t nb, double p);

/**
 * Mean of all but the highest sixteenth: what an interrupt hits does not count, everything else
 * does. The TSC of many machines advances in steps of some 25 cycles; a mean sees between them, a
 * median does not. Sorts the values; at least one.
 */
double bench_mean(double *values, uint32_t nb);

/** Ascending. */
void bench_sort(double *values, uint32_t nb);

#endif /* BENCH_STAT_H */
