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

/* One path of one row, in cycles. */
struct latency {
	bool is_valid;
	double p50;
	double p99;
	double p999;
	double min;
	double max;
};

struct latency_row {
	struct bench_row row;
	struct latency paths[BENCH_NB_PATHS];
};

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

static struct latency
latency_of(double *values, uint32_t nb)
{
	bench_sort(values, nb);
	return (struct latency){
		.is_valid = true,
		.p50 = bench_percentile(values, nb, 0.5),
		.p99 = bench_percentile(values, nb, 0.99),
		.p999 = bench_percentile(values, nb, 0.999),
		.min = values[0],
		.max = values[nb - 1],
	};
}

static bool
row_measure(struct bench *bench, struct latency_row *result, double *values[BENCH_NB_PATHS])
{
	const struct bench_row *row = &result->row;
	uint32_t nb = bench->nb_rounds * NB_BATCHES;
	bool can_run[BENCH_NB_PATHS];

	for (unsigned int i = 0; i < BENCH_NB_PATHS; i++)
		can_run[i] = bench_paths[i]->can_run(bench->workers[0].ctx[i], row);
	for (uint32_t round = 0; round < bench->nb_rounds; round++)
		for (unsigned int i = 0; i < BENCH_NB_PATHS; i++) {
			unsigned int path = (round + i) % BENCH_NB_PATHS;

			if (can_run[path] &&
			    !round_measure(bench, row, path, round,
					   values[path] + (size_t)round * NB_BATCHES))
				return false;
		}
	for (unsigned int i = 0; i < BENCH_NB_PATHS; i++)
		if (can_run[i])
			result->paths[i] = latency_of(values[i], nb);
	return true;
}

static void
report_start(const struct bench *bench, enum tool_format format)
{
	if (format == TOOL_FORMAT_CSV) {
		bench_report_csv_names();
		result_print_csv_head(",layout,entries,batch,path,p50_ns,p99_ns,p999_ns,min_ns,"
				      "max_ns");
	} else if (format == TOOL_FORMAT_TEXT) {
		bench_report_head(bench);
		printf("Nanoseconds from doorbell to completion: a software device's own.\n\n"
		       "%-11s %7s %5s %-9s | %9s %9s %9s %9s %9s\n", "layout", "entries",
		       "batch", "path", "p50", "p99", "p99.9", "min", "max");
	}
}

static void
report_row(const struct bench *bench, const struct latency_row *result, enum tool_format format)
{
	const bool is_csv = format == TOOL_FORMAT_CSV;

	for (unsigned int i = 0; i < BENCH_NB_PATHS && format != TOOL_FORMAT_JSON; i++) {
		const struct latency *l = &result->paths[i];

		if (!l->is_valid)
			continue;
		if (is_csv)
			bench_report_csv_values(bench);
		printf(is_csv ? ",%s,%u,%u,%s,%.1f,%.1f,%.1f,%.1f,%.1f" :
				"%-11s %7u %5u %-9s | %9.0f %9.0f %9.0f %9.0f %9.0f\n",
		       bench_layout_name(result->row.layout), result->row.nb_entries,
		       result->row.batch, bench_paths[i]->name, bench_ns(l->p50), bench_ns(l->p99),
		       bench_ns(l->p999), bench_ns(l->min), bench_ns(l->max));
		if (is_csv)
			result_print_csv_end();
	}
	fflush(stdout);
}

static json_t *
row_to_json(const struct latency_row *result)
{
	json_t *object = json_pack("{s:s, s:i, s:i}", "layout",
				   bench_layout_name(result->row.layout), "entries",
				   (int)result->row.nb_entries, "batch", (int)result->row.batch);

	for (unsigned int i = 0; i < BENCH_NB_PATHS; i++) {
		const struct latency *l = &result->paths[i];

		json_object_set_new(object, bench_paths[i]->name, !l->is_valid ? json_null() :
				    json_pack("{s:f, s:f, s:f, s:f, s:f}",
					      "p50_ns", bench_ns(l->p50), "p99_ns",
					      bench_ns(l->p99), "p999_ns", bench_ns(l->p999),
					      "min_ns", bench_ns(l->min), "max_ns",
					      bench_ns(l->max)));
	}
	return object;
}

static enum tool_exit
rows_run(struct bench *bench, const struct bench_conf *conf, const struct bench_report_row *rows,
	 uint32_t nb, double *values[BENCH_NB_PATHS])
{
	json_t *results = json_array(), *report;

	report_start(bench, conf->format);
	for (uint32_t i = 0; i < nb; i++) {
		struct latency_row result = { .row = rows[i].row };

		bench_progress("rows", i, nb);
		if (!row_measure(bench, &result, values)) {
			json_decref(results);
			return TOOL_FAILED;
		}
		report_row(bench, &result, conf->format);
		json_array_append_new(results, row_to_json(&result));
	}
	report = bench_report_env(bench);
	json_object_set_new(report, "latencies", results);
	if (conf->format == TOOL_FORMAT_JSON)
		result_print_json(report);
	else
		json_decref(report);
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

	all = calloc(BENCH_NB_PATHS * nb_values, sizeof(*all));
	if (all == NULL) {
		tool_error("bench: out of memory");
		return TOOL_SETUP;
	}
	for (unsigned int i = 0; i < BENCH_NB_PATHS; i++)
		values[i] = all + i * nb_values;
	ret = rows_run(bench, conf, rows, nb, values);
	free(all);
	return ret;
}
