/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/path/mlx5dv.h"
#include "bench/pipeline/pipeline.h"
#include "bench/report.h"

static void
print_text(const struct bench_pipeline_table *table)
{
	printf("\n%s\n\n%8s %6s", table->what, table->nb_name, "bytes");
	for (uint32_t way = 0; way < table->nb_ways; way++)
		printf(table->has_wqes ? " | %11s %5s" : " | %11s", table->ways[way], "WQEs");
	printf("\n");
	for (uint32_t i = 0; i < table->nb_rows; i++) {
		const struct bench_pipeline_row *row = &table->rows[i];

		printf("%8u %6u", row->nb, row->bytes);
		for (uint32_t way = 0; way < table->nb_ways; way++) {
			const struct bench_pipeline_cost *cost = &row->costs[way];

			if (!cost->is_valid)
				printf(table->has_wqes ? " | %11s %5s" : " | %11s", "-", "-");
			else if (table->has_wqes)
				printf(" | %11.1f %5.0f", cost->cost.median, cost->nb_wqes);
			else
				printf(" | %11.1f", cost->cost.median);
		}
		printf("%s%s\n", row->note[0] != '\0' ? "  " : "", row->note);
	}
}

static const struct tool_column columns[] = {
	{ .name = "layout", NULL, TOOL_TEXT }, { .name = "of", NULL, TOOL_TEXT },
	{ .name = "nb", NULL, TOOL_COUNT }, { .name = "bytes", NULL, TOOL_COUNT },
	{ .name = "note", NULL, TOOL_TEXT }, { .name = "way", NULL, TOOL_TEXT },
	{ .name = "unit", NULL, TOOL_TEXT }, { .name = "cost", NULL, TOOL_REAL, 0, 0, 2 },
	{ .name = "cost_q1", NULL, TOOL_REAL, 0, 0, 2 },
	{ .name = "cost_q3", NULL, TOOL_REAL, 0, 0, 2 },
	{ .name = "work_requests", NULL, TOOL_COUNT }, { 0 },
};

static void
print_csv(const struct bench *bench, const char *name, const struct bench_pipeline_table *table)
{
	for (uint32_t i = 0; i < table->nb_rows; i++)
		for (uint32_t way = 0; way < table->nb_ways; way++) {
			const struct bench_pipeline_row *row = &table->rows[i];
			const struct bench_pipeline_cost *cost = &row->costs[way];
			const union tool_cell cells[] = {
				{ .text = name }, { .text = table->nb_name }, { row->nb },
				{ row->bytes }, { .text = row->note }, { .text = table->ways[way] },
				{ .text = table->unit }, { cost->cost.median }, { cost->cost.q1 },
				{ cost->cost.q3 }, { table->has_wqes ? cost->nb_wqes : NAN },
			};

			if (cost->is_valid)
				bench_report_line(bench, columns, cells, TOOL_FORMAT_CSV);
		}
}

static json_t *
row_to_json(const struct bench_pipeline_table *table, const struct bench_pipeline_row *row)
{
	json_t *object = json_pack("{s:i, s:i, s:s}", table->nb_name, (int)row->nb, "bytes",
				   (int)row->bytes, "note", row->note);

	for (uint32_t way = 0; way < table->nb_ways; way++) {
		const struct bench_pipeline_cost *cost = &row->costs[way];
		json_t *value = cost->is_valid ? bench_stat_to_json(&cost->cost) : json_null();

		if (cost->is_valid && table->has_wqes)
			json_object_set_new(value, "work_requests", json_real(cost->nb_wqes));
		json_object_set_new(object, table->ways[way], value);
	}
	return object;
}

static json_t *
table_to_json(const struct bench_pipeline_table *table)
{
	json_t *rows = json_array();

	for (uint32_t i = 0; i < table->nb_rows; i++)
		json_array_append_new(rows, row_to_json(table, &table->rows[i]));
	return json_pack("{s:s, s:o}", "unit", table->unit, "rows", rows);
}

/* Print the tables of some kinds. */
static void
tables_print(const struct bench *bench, const struct bench_conf *conf,
	     const struct bench_pipeline_table *tables)
{
	json_t *report = bench_report_env(bench);

	if (conf->format == TOOL_FORMAT_TEXT)
		bench_report_head(bench);
	bench_report_columns(columns, conf->format);
	for (unsigned int i = 0; i < BENCH_NB_PIPELINES; i++) {
		if (!conf->has_pipeline[i])
			continue;
		if (conf->format == TOOL_FORMAT_CSV)
			print_csv(bench, bench_pipeline_name(i), &tables[i]);
		else if (conf->format == TOOL_FORMAT_TEXT)
			print_text(&tables[i]);
		json_object_set_new(report, bench_pipeline_name(i), table_to_json(&tables[i]));
	}
	tool_report_print(report, conf->format);
}

static const struct {
	const char *name;
	bool (*fill)(struct bench *bench, struct bench_pipeline_table *table);
} kinds[BENCH_NB_PIPELINES] = {
	[BENCH_PIPELINE_MBUF] = { "mbuf", bench_pipeline_mbuf },
	[BENCH_PIPELINE_LOOKUP] = { "lookup", bench_pipeline_lookup },
	[BENCH_PIPELINE_REGISTER] = { "register", bench_pipeline_register },
};

const char *
bench_pipeline_name(enum bench_pipeline kind)
{
	return kinds[kind].name;
}

struct bench_pipeline_row *
bench_pipeline_row_add(struct bench_pipeline_table *table, uint32_t nb, uint32_t bytes,
		       const char *note)
{
	struct bench_pipeline_row *row = &table->rows[table->nb_rows++];

	*row = (struct bench_pipeline_row){ .nb = nb, .bytes = bytes, .note = note };
	for (uint32_t way = 0; way < table->nb_ways; way++)
		row->costs[way].is_valid = true;
	return row;
}

bool
bench_pipeline_measure(struct bench *bench, const struct bench_pipeline_table *table,
		       struct bench_pipeline_row *row, bench_pipeline_round_t round_fn, void *ctx)
{
	const uint32_t nb = bench->nb_rounds;
	double *values = tool_calloc("bench", (size_t)table->nb_ways * nb, sizeof(*values));
	bool is_ok = values != NULL;

	for (uint32_t round = 0; round < nb && is_ok; round++)
		for (uint32_t i = 0; i < table->nb_ways && is_ok; i++) {
			const uint32_t way = (round + i) % table->nb_ways;

			if (row->costs[way].is_valid)
				is_ok = round_fn(ctx, way, &values[(size_t)way * nb + round]);
		}
	for (uint32_t way = 0; way < table->nb_ways && is_ok; way++)
		if (row->costs[way].is_valid)
			row->costs[way].cost = bench_stat_of(&values[(size_t)way * nb], nb);
	free(values);
	return is_ok;
}

bool
bench_pipeline_fits(const struct bench *bench, const char *what, uint32_t nb)
{
	if (nb <= bench->info.max_mkeys / 4)
		return true;
	tool_error("bench: %u %s are not measured: %s has %u keys", nb, what, bench->info.dev_name,
		   bench->info.max_mkeys);
	return false;
}

/* Size the setup for packets of the longest chains with a write per segment. */
static void
setup_fill(struct bench *bench)
{
	struct bench_setup *setup = &bench->setup;

	setup->nb_workers = 1;
	setup->depth = RTE_MIN(2 * BENCH_DEFAULT_DEPTH, bench->info.max_desc);
	setup->max_batch = BENCH_MAX_BATCH;
	setup->max_entries = BENCH_MAX_INLINE;
	setup->max_sges = BENCH_MAX_SGE;
	setup->max_keys = BENCH_MAX_BATCH;
	setup->max_keys_libmlx5 = 1;
}

enum tool_exit
bench_pipeline_run(const struct bench_conf *conf)
{
	static struct bench_pipeline_table tables[BENCH_NB_PIPELINES];
	static struct bench bench;
	enum tool_exit ret = TOOL_SETUP;

	if (!bench_init(&bench, conf))
		return TOOL_SETUP;
	setup_fill(&bench);
	if (bench_open(&bench)) {
		ret = TOOL_OK;
		for (unsigned int i = 0; i < BENCH_NB_PIPELINES && ret == TOOL_OK; i++)
			if (conf->has_pipeline[i] && !kinds[i].fill(&bench, &tables[i]))
				ret = TOOL_FAILED;
		if (ret == TOOL_OK)
			tables_print(&bench, conf, tables);
	}
	bench_close(&bench);
	return ret;
}
