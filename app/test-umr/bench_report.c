/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <inttypes.h>

#include <jansson.h>

#include "bench.h"

static const char *
layout_name(const struct bench_row *row)
{
	return row->is_interleaved ? "interleaved" : "list";
}

void
bench_report_start(const struct bench_report_head *head, enum tool_format format)
{
	if (format == TOOL_FORMAT_CSV)
		printf("device,tsc_hz,layout,entries,batch,"
		       "rte_post,rte_poll,rte_total,rte_min,rte_max,"
		       "libmlx5_post,libmlx5_poll,libmlx5_total,libmlx5_min,libmlx5_max,ratio\n");
	if (format != TOOL_FORMAT_TEXT)
		return;
	printf("device %s, TSC %.2f GHz, %u rounds, TSC cycles per key (medians)\n"
	       "rte:     %s\n"
	       "libmlx5: %s\n"
	       "post: from the first enqueue to the return of the doorbell; poll: the completion\n"
	       "call that gives the batch back, not the wait for it. This is CPU cost: nothing\n"
	       "here tells how fast a device executes. libmlx5 / rte: median of the rounds'\n"
	       "ratios.\n"
	       "\n"
	       "%-11s %7s %5s | %8s %8s %8s | %8s %8s %8s | %s\n"
	       "%-11s %7s %5s | %8s %8s %8s | %8s %8s %8s | %s\n",
	       head->device, (double)head->tsc_hz / 1e9, head->nb_rounds, bench_path_rte.what,
	       bench_path_libmlx5.what,
	       "", "", "", "rte", "", "", "libmlx5", "", "", "libmlx5",
	       "layout", "entries", "batch", "post", "poll", "total", "post", "poll", "total",
	       "/ rte");
}

void
bench_report_row(const struct bench_report_head *head, const struct bench_report_row *row,
		 enum tool_format format)
{
	const struct bench_result *rte = &row->rte, *dv = &row->libmlx5;

	if (format == TOOL_FORMAT_TEXT)
		printf("%-11s %7u %5u | %8.1f %8.1f %8.1f | %8.1f %8.1f %8.1f | %.2f\n",
		       layout_name(&row->row), row->row.nb_entries, row->row.batch, rte->post,
		       rte->poll, rte->total, dv->post, dv->poll, dv->total, row->ratio);
	else if (format == TOOL_FORMAT_CSV)
		printf("%s,%" PRIu64 ",%s,%u,%u,%.1f,%.1f,%.1f,%.1f,%.1f,"
		       "%.1f,%.1f,%.1f,%.1f,%.1f,%.3f\n",
		       head->device, head->tsc_hz, layout_name(&row->row), row->row.nb_entries,
		       row->row.batch, rte->post, rte->poll, rte->total, rte->total_min,
		       rte->total_max, dv->post, dv->poll, dv->total, dv->total_min,
		       dv->total_max, row->ratio);
	fflush(stdout);
}

static json_t *
result_to_json(const struct bench_result *result)
{
	return json_pack("{s:f, s:f, s:f, s:f, s:f}", "cycles_per_op", result->total,
			 "post_cycles_per_op", result->post, "poll_cycles_per_op", result->poll,
			 "min_cycles_per_op", result->total_min, "max_cycles_per_op",
			 result->total_max);
}

void
bench_report_end(const struct bench_report_head *head, const struct bench_report_row *rows,
		 uint32_t nb_rows, enum tool_format format)
{
	json_t *results, *report;

	if (format != TOOL_FORMAT_JSON)
		return;
	results = json_array();
	for (uint32_t i = 0; i < nb_rows; i++)
		json_array_append_new(results, json_pack("{s:s, s:i, s:i, s:o, s:o, s:f}", "layout",
							 layout_name(&rows[i].row), "entries",
							 rows[i].row.nb_entries, "batch",
							 rows[i].row.batch, "rte",
							 result_to_json(&rows[i].rte), "libmlx5",
							 result_to_json(&rows[i].libmlx5), "ratio",
							 rows[i].ratio));
	report = json_pack("{s:s, s:I, s:f, s:i, s:o}", "device", head->device, "tsc_hz",
			   (json_int_t)head->tsc_hz, "tsc_overhead_cycles",
			   head->tsc_overhead, "rounds", head->nb_rounds, "results",
			   results);
	json_dumpf(report, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
	putchar('\n');
	json_decref(report);
}
