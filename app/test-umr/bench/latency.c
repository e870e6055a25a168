/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Latency: from the return of the call that rings the doorbell to the return of the call that
 * returns the batch. On a software device this is the time of the model, not of an adapter. The
 * program checks for completions continuously, regardless of how polls are timed elsewhere.
 */

#include <stdlib.h>

#include "bench/path/collect.h"
#include "bench/conf.h"
#include "bench/report.h"

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

enum tool_exit
bench_latency_run(struct bench *bench, const struct bench_conf *conf,
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
