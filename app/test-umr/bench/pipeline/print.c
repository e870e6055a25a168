/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <math.h>
#include <stdio.h>

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

void
bench_pipeline_print(const struct bench *bench, const struct bench_conf *conf,
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
