/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Table of every layout with every number of entries and every batch. */

#include <stdlib.h>

#include "bench/conf.h"
#include "bench/instr.h"
#include "bench/path/collect.h"
#include "bench/path/kind.h"
#include "bench/report.h"

/*
 * Latency: from the return of the call that rings the doorbell to the return of the call that
 * returns the batch. On a software device this is the time of the model, not of an adapter. The
 * program checks for completions continuously, regardless of how polls are timed elsewhere.
 */

/* Batches per path and round. */
#define NB_BATCHES	256u
#define NB_WARM_UP	4u

static const struct tool_column columns[] = {
	BENCH_ROW_COLUMNS, { .name = "path", "path", TOOL_TEXT, -9 }, TOOL_BAR,
	{ .name = "p50_ns", "p50", TOOL_REAL, 9, 0, 1 },
	{ .name = "p99_ns", "p99", TOOL_REAL, 9, 0, 1 },
	{ .name = "p999_ns", "p99.9", TOOL_REAL, 9, 0, 1 },
	{ .name = "min_ns", "min", TOOL_REAL, 9, 0, 1 },
	{ .name = "max_ns", "max", TOOL_REAL, 9, 0, 1 }, { 0 },
};
/* Columns and values of the row and the path, which are not members of the path in JSON. */
#define FIRST_COLUMN	5u
#define FIRST_CELL	4u

static bool
round_measure(struct bench *bench, const struct bench_row *row, unsigned int path, uint32_t round,
	      double *values)
{
	void *ctx = bench->workers[0].ctx[path];
	uint32_t offset = round % BENCH_NB_OFFSETS * BENCH_OFFSET_STEP;
	struct bench_sample sample;

	if (!bench_paths[path]->begin(ctx, row, offset))
		return false;
	for (uint32_t i = 0; i < NB_WARM_UP + NB_BATCHES; i++) {
		if (!bench_batch(bench_paths[path], ctx, row, NULL, &sample))
			return false;
		if (i >= NB_WARM_UP)
			values[i - NB_WARM_UP] =
				(double)(sample.done - sample.posted) - bench->tsc_overhead;
	}
	return true;
}

/* Report the sorted samples of a path of a row. */
static json_t *
path_report(const struct bench *bench, const struct bench_row *row, unsigned int path,
	    const double *values, enum tool_format format)
{
	const uint32_t nb = bench->nb_rounds * NB_BATCHES;

	const union tool_cell cells[] = {
		BENCH_ROW_CELLS(row), { .text = bench_paths[path]->name },
		{ bench_ns(bench_percentile(values, nb, 0.5)) },
		{ bench_ns(bench_percentile(values, nb, 0.99)) },
		{ bench_ns(bench_percentile(values, nb, 0.999)) },
		{ bench_ns(values[0]) }, { bench_ns(values[nb - 1]) },
	};
	bench_report_line(bench, columns, cells, format);
	return tool_line_to_json(&columns[FIRST_COLUMN], &cells[FIRST_CELL]);
}

/* Measure a row; the result is NULL on failure. */
static json_t *
row_measure(struct bench *bench, const struct bench_row *row, double *values[BENCH_NB_PATHS],
	    enum tool_format format)
{
	bool can_run[BENCH_NB_PATHS];
	json_t *object;

	for (unsigned int i = 0; i < BENCH_NB_PATHS; i++)
		can_run[i] = bench_paths[i]->can_run(bench->workers[0].ctx[i], row);
	for (uint32_t round = 0; round < bench->nb_rounds; round++)
		for (unsigned int i = 0; i < BENCH_NB_PATHS; i++) {
			unsigned int path = (round + i) % BENCH_NB_PATHS;

			if (can_run[path] &&
			    !round_measure(bench, row, path, round,
					   values[path] + (size_t)round * NB_BATCHES))
				return NULL;
		}
	object = json_pack("{s:s, s:i, s:i}", "layout", bench_layout_name(row->layout), "entries",
			   (int)row->nb_entries, "batch", (int)row->batch);
	for (unsigned int i = 0; i < BENCH_NB_PATHS; i++) {
		if (can_run[i])
			bench_sort(values[i], bench->nb_rounds * NB_BATCHES);
		json_object_set_new(object, bench_paths[i]->name, !can_run[i] ? json_null() :
				    path_report(bench, row, i, values[i], format));
	}
	return object;
}

static enum tool_exit
rows_run(struct bench *bench, const struct bench_conf *conf, const struct bench_report_row *rows,
	 uint32_t nb, double *values[BENCH_NB_PATHS])
{
	json_t *results = json_array(), *result;

	if (conf->format == TOOL_FORMAT_TEXT) {
		bench_report_head(bench);
		printf("Nanoseconds from doorbell to completion: a software device's own.\n\n");
	}
	bench_report_columns(columns, conf->format);
	for (uint32_t i = 0; i < nb; i++) {
		bench_progress("rows", i, nb);
		result = row_measure(bench, &rows[i].row, values, conf->format);
		if (result == NULL) {
			json_decref(results);
			return TOOL_FAILED;
		}
		json_array_append_new(results, result);
	}
	bench_report_list(bench, "latencies", results, conf->format);
	return TOOL_OK;
}

static enum tool_exit
latency_run(struct bench *bench, const struct bench_conf *conf,
	    struct bench_report_row *rows, uint32_t nb)
{
	size_t nb_values = (size_t)bench->nb_rounds * NB_BATCHES;
	double *values[BENCH_NB_PATHS];
	enum tool_exit ret = TOOL_SETUP;
	double *all;

	all = tool_calloc("bench", BENCH_NB_PATHS * nb_values, sizeof(*all));
	if (all == NULL)
		return TOOL_SETUP;
	for (unsigned int i = 0; i < BENCH_NB_PATHS; i++)
		values[i] = all + i * nb_values;
	ret = rows_run(bench, conf, rows, nb, values);
	free(all);
	return ret;
}

bool
bench_init(struct bench *bench, const struct bench_conf *conf)
{
	*bench = (struct bench){
		.nb_rounds = conf->nb_rounds,
		/* Values of a previous bench, until measured again. */
		.poll_cycles = {
			[BENCH_POLL_COLD] = bench->poll_cycles[BENCH_POLL_COLD],
			[BENCH_POLL_WARM] = bench->poll_cycles[BENCH_POLL_WARM],
		},
		.setup = {
			.dev_id = conf->devices.ids[0],
			.nb_workers = conf->nb_lcores,
			.is_single = conf->is_single,
			.is_random = conf->is_random,
			.is_poll_warm = conf->is_poll_warm,
		},
	};
	rte_umr_dev_info_get(bench->setup.dev_id, &bench->info);
	bench->setup.dev_name = bench->info.dev_name;
	return bench_asked_start(bench->setup.dev_id);
}

/* Whether the device supports a row; otherwise print the reason. */
static bool
row_is_offered(const struct bench *bench, const struct bench_row *row)
{
	const struct rte_umr_dev_info *info = &bench->info;
	int16_t dev_id = bench->setup.dev_id;
	uint32_t max = bench_max_entries(info, row->layout), nb_desc = 0;

	if (row->nb_entries <= max)
		nb_desc = bench_batch_size(dev_id, row).nb_desc;
	if (row->nb_entries <= max && nb_desc <= info->max_desc)
		return true;
	if (row->nb_entries <= max)
		tool_error("bench: %s of %u entries in a batch of %u is not measured: it needs %u "
			   "descriptors, rings have at most %u on %s",
			   bench_layout_name(row->layout), row->nb_entries, row->batch, nb_desc,
			   info->max_desc, info->dev_name);
	else if (max == 0)
		tool_error("bench: %s does not offer %s%s", info->dev_name,
			   bench_layout_name(row->layout), row->layout == BENCH_CRYPTO ?
			   " with plain keys and many data units" : "");
	else
		tool_error("bench: %s of %u entries is not measured: at most %u on %s",
			   bench_layout_name(row->layout), row->nb_entries, max, info->dev_name);
	return false;
}

/*
 * Skip unsupported rows: layouts if all were selected, entries and batches if the user chose none.
 * Print skipped rows; a layout that is too long is printed once for all batches.
 */
static bool
row_is_left_out(const struct bench_conf *conf, const struct bench *bench,
		const struct bench_row *row)
{
	uint32_t max = bench_max_entries(&bench->info, row->layout);

	if (conf->is_all && (max == 0 || (conf->mode == BENCH_LATENCY &&
					  row->layout == BENCH_KEYGET)))
		return true;
	if (row->nb_entries > max) {
		if (!conf->is_all && (conf->has_entries || max == 0))
			return false;
		if (row->batch == conf->batches.values[0])
			row_is_offered(bench, row);
		return true;
	}
	return !conf->has_batches && !row_is_offered(bench, row);
}

/* Several numbers of entries may be equal after adaptation to a layout; their rows are adjacent. */
static bool
row_is_repeated(const struct bench_conf *conf, const struct bench_report_row *reports, uint32_t nb)
{
	const struct bench_row *row = &reports[nb].row, *other;

	if (nb < conf->batches.nb)
		return false;
	other = &reports[nb - conf->batches.nb].row;
	return row->layout == other->layout && row->nb_entries == other->nb_entries;
}

/* Extend the setup for another row. */
static void
setup_extend(struct bench *bench, const struct bench_row *row, uint32_t *depth)
{
	struct bench_setup *setup = &bench->setup;
	struct bench_batch_size size = bench_batch_size(setup->dev_id, row);

	*depth = RTE_MAX(*depth, size.nb_desc);
	setup->max_batch = RTE_MAX(setup->max_batch, row->batch);
	setup->max_entries = RTE_MAX(setup->max_entries,
				     RTE_MIN(row->nb_entries + 1, bench->info.max_entries));
	setup->max_keys = RTE_MAX(setup->max_keys, row->nb_keys);
	setup->has_layout[row->layout] = true;
	if (size.nb_list_entries > RTE_UMR_DEFAULT_LIST_ENTRIES)
		setup->nb_list_entries = RTE_MAX(setup->nb_list_entries, size.nb_list_entries);
}

/* List all rows; return their number, or 0 after an error was printed. */
static uint32_t
rows_list(const struct bench_conf *conf, struct bench *bench, struct bench_report_row *reports)
{
	struct bench_setup *setup = &bench->setup;
	uint32_t nb = 0, depth = 0, nb_keys = conf->nb_keys;

	/* Keys are created twice, also for libmlx5. */
	if (nb_keys == 0)
		nb_keys = RTE_MIN(BENCH_DEFAULT_KEYS,
				  bench->info.max_mkeys / setup->nb_workers / 4);
	for (unsigned int layout = 0; layout < BENCH_NB_LAYOUTS; layout++)
		for (uint32_t e = 0; conf->has_layout[layout] && e < conf->entries.nb; e++)
			for (uint32_t b = 0; b < conf->batches.nb; b++) {
				struct bench_row *row = &reports[nb].row;

				row->layout = layout;
				row->nb_entries = bench_kind_entries(layout,
								     conf->entries.values[e]);
				row->batch = conf->batches.values[b];
				row->nb_keys = RTE_MAX(nb_keys, row->batch);
				if (row_is_repeated(conf, reports, nb) ||
				    row_is_left_out(conf, bench, row))
					continue;
				if (!row_is_offered(bench, row))
					return 0;
				setup_extend(bench, row, &depth);
				nb++;
			}
	if (conf->depth != 0 && conf->depth < depth) {
		tool_error("--depth: %u, but the rows need %u", conf->depth, depth);
		return 0;
	}
	setup->depth = conf->depth != 0 ? conf->depth :
		RTE_MIN(RTE_MAX(BENCH_DEFAULT_DEPTH, rte_align32pow2(depth)), bench->info.max_desc);
	setup->max_keys_libmlx5 = setup->max_keys;
	if (nb == 0)
		tool_error("bench: nothing is left to measure on %s", bench->info.dev_name);
	return nb;
}

bool
bench_init_row(struct bench *bench, const struct bench_conf *conf, struct bench_row *row)
{
	uint32_t nb_layouts = 0, depth = 0;

	for (unsigned int i = 0; i < BENCH_NB_LAYOUTS; i++)
		if (conf->has_layout[i]) {
			row->layout = i;
			nb_layouts++;
		}
	if (nb_layouts != 1 || conf->entries.nb != 1 || conf->batches.nb != 1) {
		tool_error("--measure: one layout, one number of entries and one batch are "
			   "measured, not several");
		return false;
	}
	if (!bench_init(bench, conf))
		return false;
	row->nb_entries = bench_kind_entries(row->layout, conf->entries.values[0]);
	row->batch = conf->batches.values[0];
	row->nb_keys = conf->nb_keys != 0 ? conf->nb_keys : BENCH_DEFAULT_KEYS;
	if (!row_is_offered(bench, row))
		return false;
	setup_extend(bench, row, &depth);
	bench->setup.depth = conf->depth;
	if (conf->depth == 0)
		bench->setup.depth = RTE_MAX(BENCH_DEFAULT_DEPTH, rte_align32pow2(depth));
	if (bench->setup.depth < depth) {
		tool_error("--depth: %u, but the row needs %u", bench->setup.depth, depth);
		return false;
	}
	return true;
}

static enum tool_exit
run_rows(struct bench *bench, const struct bench_conf *conf, struct bench_report_row *reports,
	 uint32_t nb)
{
	if (!bench_instr_open(bench, conf))
		return TOOL_SETUP;
	bench_report_start(bench, conf->format);
	for (uint32_t i = 0; i < nb; i++) {
		struct bench_row row = reports[i].row;

		bench_progress("rows", i, nb);
		if (!bench_measure(bench, &row, &reports[i]) ||
		    !bench_instr_row(bench, &reports[i]))
			return TOOL_FAILED;
		bench_report_row(bench, &reports[i], conf->format);
	}
	if (conf->format == TOOL_FORMAT_JSON)
		bench_report_json(bench, reports, nb);
	if (conf->plot_dir != NULL)
		return bench_plot_rows(bench, conf->plot_dir, reports, nb);
	return TOOL_OK;
}

static enum tool_exit
run_mode(struct bench *bench, const struct bench_conf *conf, struct bench_report_row *reports,
	 uint32_t nb)
{
	enum tool_exit ret;

	if (conf->mode == BENCH_LATENCY)
		return latency_run(bench, conf, reports, nb);
	if (conf->mode == BENCH_SOFTWARE)
		return bench_software_run(bench, conf, reports, nb);
	if (bench_instr_is_counting(conf))
		return bench_instr_rows(bench, reports, nb);
	ret = run_rows(bench, conf, reports, nb);
	bench_instr_close();
	return ret;
}

enum tool_exit
bench_table_run(const struct bench_conf *conf)
{
	struct bench_report_row *reports;
	enum tool_exit ret = TOOL_SETUP;
	static struct bench bench;
	uint32_t nb;

	reports = tool_calloc("bench", (size_t)BENCH_NB_LAYOUTS * conf->entries.nb *
			      conf->batches.nb, sizeof(*reports));
	if (reports == NULL)
		return TOOL_SETUP;
	if (!bench_init(&bench, conf))
		goto free_reports;
	nb = rows_list(conf, &bench, reports);
	if (nb == 0) {
		ret = TOOL_USAGE;
		goto free_reports;
	}
	/* Only what is printed. */
	if (conf->mode == BENCH_SOFTWARE) {
		bench.setup.paths = RTE_BIT32(BENCH_RTE);
		bench.setup.max_keys_libmlx5 = 0;
	}
	if (bench_open(&bench))
		ret = run_mode(&bench, conf, reports, nb);
	bench_close(&bench);

free_reports:
	free(reports);
	return ret;
}
