/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Whether the cost of an operation is independent of the size of a ring or of a set of keys.
 *
 * Sizes take turns in rounds, and each is compared with the first one in the same round, for the
 * same reason as paths are. A round measures the steady state: before it, batches go once around
 * the ring and once around the keys. Caches then hold what they would hold in a program that does
 * nothing else, regardless of the other sizes measured in between.
 */

#include <math.h>
#include <stdlib.h>

#include "bench/conf.h"
#include "bench/report.h"

/* Maximum number of sizes, including the repeated first one. */
#define MAX_SIZES	8u

/* A size: a row of a worker. */
struct flat_size {
	uint32_t worker;
	uint32_t depth;		/* Depth of the send rings of that worker. */
	struct bench_row row;
};

/* Cost of a size divided by that of the first one in the same round, minus 1. */
struct flat_change {
	struct bench_stat rte;
	struct bench_stat floor;
};

/* Results. */
struct flat {
	struct flat_change changes[MAX_SIZES]; /* Change of each size. */
	uint32_t worst;	/* Size with the largest change of its median, up or down. */
	uint32_t again;	/* Last size, which repeats the first one. */
};

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

/*
 * Batches until the steady state: once around the ring, and once around the keys if the row uses
 * keys.
 */
static uint32_t
nb_warm_up(const struct bench *bench, const struct flat_size *size, unsigned int path)
{
	const struct bench_row *row = &size->row;
	uint32_t nb_desc = bench_batch_size(bench->setup.dev_id, row).nb_desc;
	uint32_t nb = BENCH_WARM_UP_BATCHES + size->depth / nb_desc;

	if (path != BENCH_FLOOR)
		nb = RTE_MAX(nb, row->nb_keys / row->batch);
	return nb;
}

static bool
size_measure(struct bench *bench, const struct flat_size *size, unsigned int path,
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

/* Measure every size at every offset of the arrays; each size goes first equally often. */
static bool
rounds_measure(struct bench *bench, const struct flat_size *sizes,
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
changes_judge(struct bench *bench, const struct flat_costs *costs, struct flat *flat)
{
	*flat = (struct flat){ .worst = 1, .again = costs->nb - 1 };
	for (uint32_t i = 0; i < costs->nb; i++)
		flat->changes[i] = (struct flat_change){
			.rte = change_of(bench, costs, BENCH_RTE, i),
			.floor = change_of(bench, costs, BENCH_FLOOR, i),
		};
	for (uint32_t i = 2; i < flat->again; i++)
		if (fabs(flat->changes[i].rte.median) >
		    fabs(flat->changes[flat->worst].rte.median))
			flat->worst = i;
}

/* The last size repeats the first one; its change shows the noise. */
static bool
flat_measure(struct bench *bench, const struct flat_size *sizes, uint32_t nb,
	     struct flat *result)
{
	struct flat_costs costs = { .nb = nb };
	bool is_ok;

	costs.values = tool_calloc("bench", (size_t)BENCH_NB_PATHS * nb * bench->nb_rounds,
				   sizeof(double));
	if (costs.values == NULL)
		return false;
	is_ok = rounds_measure(bench, sizes, &costs);
	if (is_ok)
		changes_judge(bench, &costs, result);
	free(costs.values);
	return is_ok;
}

static const struct tool_column columns[] = {
	{ .name = "layout", NULL, TOOL_TEXT | TOOL_NO_JSON },
	{ .name = "entries", NULL, TOOL_COUNT | TOOL_NO_JSON },
	{ .name = "batch", NULL, TOOL_COUNT | TOOL_NO_JSON },
	{ .name = "sizes_of", NULL, TOOL_TEXT | TOOL_NO_JSON },
	{ .name = "size", "", TOOL_COUNT, 8 }, { .name = "change", "change", TOOL_REAL, 8, 3, 6 },
	{ .name = "q1", "q1", TOOL_REAL, 8, 3, 6 }, { .name = "q3", "q3", TOOL_REAL, 8, 3, 6 },
	{ .name = "floor", "floor", TOOL_REAL, 8, 3, 6 },
	{ .name = "note", "", TOOL_TEXT | TOOL_NO_CSV | TOOL_NO_JSON }, { 0 },
};

/* Text leaves out the first size, which all are compared with, until it is repeated. */
static void
flat_print(const struct bench *bench, const struct bench_row *row, const char *what,
	   const struct flat *flat, const struct tool_numbers *numbers, enum tool_format format)
{
	json_t *report = bench_report_env(bench), *list = json_array();

	if (format == TOOL_FORMAT_TEXT) {
		bench_report_head(bench);
		printf("\n%s of %u, batch %u: cost by that of the first size in the same round, "
		       "less 1\n%8s ", bench_layout_name(row->layout), row->nb_entries, row->batch,
		       what);
	}
	bench_report_columns(columns, format);
	for (uint32_t i = format == TOOL_FORMAT_TEXT; i <= numbers->nb; i++) {
		const struct flat_change *change = &flat->changes[i];
		const union tool_cell cells[] = {
			BENCH_ROW_CELLS(row), { .text = what },
			{ numbers->values[i % numbers->nb] }, { change->rte.median },
			{ change->rte.q1 }, { change->rte.q3 }, { change->floor.median },
			{ .text = i == flat->again ? " (once more)" : "" },
		};

		bench_report_line(bench, columns, cells, format);
		json_array_append_new(list, tool_line_to_json(columns, cells));
	}
	bench_report_add_row(report, row);
	json_object_set_new(report, "sizes_of", json_string(what));
	json_object_set_new(report, "sizes", list);
	tool_report_print(report, format);
}

/*
 * Use one queue for all numbers of keys, or one worker per depth, all on this lcore. The last size
 * repeats the first one.
 */
static void
sizes_init(struct bench *bench, const struct bench_row *row, bool is_depths,
	   const struct tool_numbers *numbers, struct flat_size *sizes, uint32_t *depths)
{
	struct bench_setup *setup = &bench->setup;

	setup->paths = RTE_BIT32(BENCH_RTE) | RTE_BIT32(BENCH_FLOOR);
	setup->max_keys_libmlx5 = 0;
	setup->nb_workers = is_depths ? numbers->nb + 1 : 1;
	setup->depths = is_depths ? depths : NULL;
	for (uint32_t i = 0; i <= numbers->nb; i++) {
		uint32_t number = numbers->values[i % numbers->nb];

		depths[i] = number;
		sizes[i] = (struct flat_size){
			.worker = is_depths ? i : 0,
			.depth = is_depths ? number : setup->depth,
			.row = *row,
		};
		if (!is_depths)
			sizes[i].row.nb_keys = number;
		setup->max_keys = RTE_MAX(setup->max_keys, sizes[i].row.nb_keys);
	}
}

enum tool_exit
bench_flat_run(const struct bench_conf *conf)
{
	bool is_depths = conf->depths.nb > 1;
	const struct tool_numbers *numbers = is_depths ? &conf->depths : &conf->keys;
	const char *what = is_depths ? "depth" : "keys";
	struct flat_size sizes[MAX_SIZES];
	uint32_t depths[MAX_SIZES];
	static struct bench bench;
	struct flat flat;
	struct bench_row row;
	enum tool_exit ret = TOOL_SETUP;

	if (numbers->nb >= MAX_SIZES) {
		tool_error("--%s: at most %u for --measure flat", what, MAX_SIZES - 1);
		return TOOL_USAGE;
	}
	if (!bench_init_row(&bench, conf, &row))
		return TOOL_USAGE;
	sizes_init(&bench, &row, is_depths, numbers, sizes, depths);
	if (bench_open(&bench))
		ret = flat_measure(&bench, sizes, numbers->nb + 1, &flat) ? TOOL_OK : TOOL_FAILED;
	bench_close(&bench);
	if (ret != TOOL_OK)
		return ret;
	/* All workers ran on one lcore. */
	bench.setup.nb_workers = 1;
	flat_print(&bench, &row, what, &flat, numbers, conf->format);
	return TOOL_OK;
}
