/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <math.h>
#include <stdlib.h>

#include "bench/flat.h"

/* Costs of all sizes in all rounds. */
struct flat_costs {
	uint32_t nb;		/* sizes */
	double *values;		/* path, size, round: nb_rounds values for each size */
};

static double *
costs_of(const struct bench *bench, const struct flat_costs *costs, unsigned int path,
	 uint32_t size)
{
	return &costs->values[(path * (size_t)costs->nb + size) * bench->nb_rounds];
}

/* Batches to the steady state: once round the ring, and for what uses keys, once round them. */
static uint32_t
nb_warm_up(const struct bench *bench, const struct bench_flat_size *size, unsigned int path)
{
	const struct bench_row *row = &size->row;
	uint32_t nb_desc = bench_batch_desc(&bench->info, row->layout, row->nb_entries, row->batch);
	uint32_t nb = BENCH_WARM_UP_BATCHES + size->depth / nb_desc;

	if (path != BENCH_FLOOR)
		nb = RTE_MAX(nb, row->nb_keys / row->batch);
	return nb;
}

static bool
size_measure(struct bench *bench, const struct bench_flat_size *size, unsigned int path,
	     uint32_t offset, double *cost)
{
	void *ctx = bench->workers[size->worker].ctx[path];
	struct bench_round round;

	if (!bench_paths[path]->begin(ctx, &size->row, offset) ||
	    !bench_round_measure(bench, size->worker, path, &size->row,
				 nb_warm_up(bench, size, path), &round))
		return false;
	*cost = round.total;
	return true;
}

/* Every size at every offset of the arrays, and each goes first as often as the others. */
static bool
rounds_measure(struct bench *bench, const struct bench_flat_size *sizes,
	       const struct flat_costs *costs)
{
	static const unsigned int paths[] = { BENCH_RTE, BENCH_FLOOR };

	for (uint32_t round = 0; round < bench->nb_rounds; round++)
		for (uint32_t i = 0; i < costs->nb * RTE_DIM(paths); i++) {
			uint32_t size = (round + i / RTE_DIM(paths)) % costs->nb;
			unsigned int path = paths[(round + i) % RTE_DIM(paths)];
			uint32_t offset = round / costs->nb % BENCH_NB_OFFSETS * BENCH_OFFSET_STEP;

			if (!size_measure(bench, &sizes[size], path, offset,
					  &costs_of(bench, costs, path, size)[round]))
				return false;
		}
	return true;
}

static struct bench_stat
change_of(struct bench *bench, const struct flat_costs *costs, unsigned int path, uint32_t size)
{
	const double *value = costs_of(bench, costs, path, size);
	const double *first = costs_of(bench, costs, path, 0);

	for (uint32_t round = 0; round < bench->nb_rounds; round++)
		bench->values[round] = first[round] > 0 ? value[round] / first[round] - 1 : 0;
	return bench_stat_of(bench->values, bench->nb_rounds);
}

static void
changes_judge(struct bench *bench, const struct flat_costs *costs, struct bench_flat *flat)
{
	*flat = (struct bench_flat){ .worst = 1, .again = costs->nb - 1 };
	for (uint32_t i = 0; i < costs->nb; i++)
		flat->changes[i] = (struct bench_flat_change){
			.rte = change_of(bench, costs, BENCH_RTE, i),
			.floor = change_of(bench, costs, BENCH_FLOOR, i),
		};
	for (uint32_t i = 2; i < flat->again; i++)
		if (fabs(flat->changes[i].rte.median) >
		    fabs(flat->changes[flat->worst].rte.median))
			flat->worst = i;
}

bool
bench_flat_measure(struct bench *bench, const struct bench_flat_size *sizes, uint32_t nb,
		   struct bench_flat *result)
{
	struct flat_costs costs = { .nb = nb };
	bool is_ok;

	costs.values = calloc((size_t)BENCH_NB_PATHS * nb * bench->nb_rounds, sizeof(double));
	if (costs.values == NULL) {
		tool_error("bench: out of memory");
		return false;
	}
	is_ok = rounds_measure(bench, sizes, &costs);
	if (is_ok)
		changes_judge(bench, &costs, result);
	free(costs.values);
	return is_ok;
}
