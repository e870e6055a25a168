/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdlib.h>

#include "bench/measure/stat.h"

static int
compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void
bench_sort(double *values, uint32_t nb)
{
	qsort(values, nb, sizeof(values[0]), compare_doubles);
}

double
bench_percentile(const double *sorted, uint32_t nb, double p)
{
	double at = p * (nb - 1);
	uint32_t below = (uint32_t)at;

	if (below + 1 >= nb)
		return sorted[nb - 1];
	return sorted[below] + (at - below) * (sorted[below + 1] - sorted[below]);
}

struct bench_stat
bench_stat_of(double *values, uint32_t nb)
{
	bench_sort(values, nb);
	return (struct bench_stat){
		.median = bench_percentile(values, nb, 0.5),
		.q1 = bench_percentile(values, nb, 0.25),
		.q3 = bench_percentile(values, nb, 0.75),
		.min = values[0],
		.max = values[nb - 1],
	};
}

double
bench_mean(double *values, uint32_t nb)
{
	uint32_t nb_kept = nb - nb / 16;
	double sum = 0;

	bench_sort(values, nb);
	for (uint32_t i = 0; i < nb_kept; i++)
		sum += values[i];
	return sum / nb_kept;
}
