/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_vect.h>

#include "bench/instr.h"
#include "bench/report.h"

/* Seconds between lines of progress. */
#define PROGRESS_S	10u

double
bench_ns(double cycles)
{
	return cycles * 1e9 / (double)rte_get_tsc_hz();
}

void
bench_progress(const char *what, uint32_t nb_done, uint32_t nb)
{
	static uint64_t start, next;
	const uint64_t now = rte_get_tsc_cycles(), hz = rte_get_tsc_hz();

	if (start == 0) {
		start = now;
		next = now + PROGRESS_S * hz;
	}
	if (now < next || !tool_has_progress())
		return;
	next = now + PROGRESS_S * hz;
	fprintf(stderr, "%7.0f s: %u of %u %s\n", (double)(now - start) / (double)hz, nb_done, nb,
		what);
	fflush(stderr);
}

/* Half the interquartile range, in percent of the median. */
static double
spread(const struct bench_stat *stat)
{
	return stat->median > 0 ? (stat->q3 - stat->q1) / 2 / stat->median * 100 : 0;
}

static const char *
memory_name(void)
{
	return rte_eal_has_hugepages() ? "hugepages" : "4 KiB pages";
}

void
bench_report_head(const struct bench *bench)
{
	const struct bench_setup *setup = &bench->setup;

	printf("device %s, %s; TSC %.2f GHz; %u rounds; %u lcore%s; send rings of %u x 64 bytes\n"
	       "in %s; keys in %s order;\n"
	       "vectors up to %u bits; polls are %s (for one operation: %.0f cycles cold, %.0f "
	       "warm)\n",
	       setup->dev_name, bench_execution_name(bench), (double)rte_get_tsc_hz() / 1e9,
	       bench->nb_rounds, setup->nb_workers, setup->nb_workers == 1 ? "" : "s",
	       setup->depth, memory_name(), setup->is_random ? "random" : "pool",
	       rte_vect_get_max_simd_bitwidth(), bench_poll_name(bench),
	       bench->poll_cycles[BENCH_POLL_COLD], bench->poll_cycles[BENCH_POLL_WARM]);
}

#define CSV_NAMES	"device,execution,tsc_hz,rounds,lcores,depth,memory,order,poll,"

static void
csv_values(const struct bench *bench)
{
	const struct bench_setup *setup = &bench->setup;

	printf("%s,%s,%" PRIu64 ",%u,%u,%u,%s,%s,%s,", setup->dev_name,
	       bench_execution_name(bench), rte_get_tsc_hz(), bench->nb_rounds, setup->nb_workers,
	       setup->depth, memory_name(), setup->is_random ? "random" : "pool",
	       bench_poll_name(bench));
}

void
bench_report_columns(const struct tool_column *columns, enum tool_format format)
{
	tool_head_print(columns, format, CSV_NAMES);
}

void
bench_report_line(const struct bench *bench, const struct tool_column *columns,
		  const union tool_cell *cells, enum tool_format format)
{
	if (format == TOOL_FORMAT_CSV)
		csv_values(bench);
	tool_line_print(columns, cells, format);
}

void
bench_report_list(const struct bench *bench, const char *name, json_t *list,
		  enum tool_format format)
{
	json_t *report = bench_report_env(bench);

	json_object_set_new(report, name, list);
	tool_report_print(report, format);
}

json_t *
bench_report_env(const struct bench *bench)
{
	const struct bench_setup *setup = &bench->setup;

	return json_pack("{s:s, s:s, s:I, s:f, s:i, s:i, s:i, s:b, s:s, s:i, s:s, s:f, s:f}",
			 "device", setup->dev_name, "execution", bench_execution_name(bench),
			 "tsc_hz", (json_int_t)rte_get_tsc_hz(),
			 "tsc_overhead_cycles", bench->tsc_overhead,
			 "rounds", (int)bench->nb_rounds, "lcores", (int)setup->nb_workers,
			 "depth", (int)setup->depth, "hugepages", rte_eal_has_hugepages() != 0,
			 "order", setup->is_random ? "random" : "pool",
			 "max_simd_bits", (int)rte_vect_get_max_simd_bitwidth(),
			 "poll", bench_poll_name(bench),
			 "cold_poll_cycles", bench->poll_cycles[BENCH_POLL_COLD],
			 "warm_poll_cycles", bench->poll_cycles[BENCH_POLL_WARM]);
}

/* Paths whose results are printed in full; of the others, only the total. */
static bool
is_full(unsigned int path)
{
	return path == BENCH_RTE || path == BENCH_LIBMLX5;
}

/* Width of the columns of a path: text_path(). */
static int
text_width(const struct bench *bench, unsigned int path)
{
	return (is_full(path) ? 28 : 9) + (path == BENCH_RTE ? 17 : 0) +
	       (bench_instr_by(bench) != NULL ? 8 : 0);
}

static void
instr_head(const struct bench *bench)
{
	if (bench->instr_by == BENCH_INSTR_CPU)
		printf("instr: instructions per operation, counted by the CPU in passes of their "
		       "own\n");
	else if (bench->instr_by == BENCH_INSTR_CALLGRIND)
		printf("instr: instructions per operation, counted by callgrind in a run of its "
		       "own\n");
	else if (bench->instr_error != NULL)
		printf("instr: no instructions: %s\n"
		       "(--instructions callgrind counts by valgrind)\n", bench->instr_error);
	else
		printf("instr: no instructions, as was asked for\n");
}

static void
text_columns(const struct bench *bench)
{
	char below[10];
	unsigned int i;

	printf("\n%-32s", "");
	for (i = 0; i < BENCH_NB_PATHS; i++)
		printf(" |%*s", text_width(bench, i), bench_paths[i]->name);
	printf(" |");
	for (i = 0; i < BENCH_NB_RATIOS; i++)
		printf(" %9s", bench_paths[bench_ratios[i].above]->name);
	printf("\n%-11s %7s %5s %6s", "layout", "entries", "batch", "keys");
	for (i = 0; i < BENCH_NB_PATHS; i++) {
		if (is_full(i))
			printf(" | %7s %6s %7s %4s", "post", "poll", "total", "+-%");
		else
			printf(" | %8s", "total");
		if (bench_instr_by(bench) != NULL)
			printf(" %7s", "instr");
		if (i == BENCH_RTE)
			printf(" %8s %7s", "ns/entry", "Mops/s");
	}
	printf(" |");
	for (i = 0; i < BENCH_NB_RATIOS; i++) {
		snprintf(below, sizeof(below), "/ %s", bench_paths[bench_ratios[i].below]->name);
		printf(" %9s", below);
	}
	printf("\n");
}

static void
text_start(const struct bench *bench)
{
	bench_report_head(bench);
	instr_head(bench);
	for (unsigned int i = 0; i < BENCH_NB_PATHS; i++)
		printf("%-9s %s\n", bench_paths[i]->name, bench_paths[i]->what);
	printf("TSC cycles per operation, medians of rounds. post: first enqueue to the return of\n"
	       "the doorbell; poll: collecting what is there, not the wait for it; +-: half the\n"
	       "distance of the quartiles. Ratios are medians of the ratios of rounds. This is\n"
	       "CPU cost.\n");
	text_columns(bench);
}

static void
text_path(const struct bench *bench, const struct bench_report_row *row, unsigned int path)
{
	const struct bench_result *result = &row->paths[path];
	double ns = bench_ns(result->total.median);

	if (!result->is_valid) {
		printf(" |%*s", text_width(bench, path), "-");
		return;
	}
	if (is_full(path))
		printf(" | %7.1f %6.1f %7.1f %4.1f", result->post.median, result->poll.median,
		       result->total.median, spread(&result->total));
	else
		printf(" | %8.1f", result->total.median);
	if (bench_instr_by(bench) != NULL && isnan(result->instructions))
		printf(" %7s", "-");
	else if (bench_instr_by(bench) != NULL)
		printf(" %7.1f", result->instructions);
	if (path == BENCH_RTE)
		printf(" %8.2f %7.1f", ns / row->row.nb_entries,
		       ns > 0 ? bench->setup.nb_workers * 1e3 / ns : 0);
}

/* All zeros: one of the two paths does not support the row. */
static bool
has_ratio(const struct bench_stat *ratio)
{
	return ratio->median != 0;
}

static void
text_row(const struct bench *bench, const struct bench_report_row *row)
{
	unsigned int i;

	printf("%-11s %7u %5u %6u", bench_layout_name(row->row.layout), row->row.nb_entries,
	       row->row.batch, row->row.nb_keys);
	for (i = 0; i < BENCH_NB_PATHS; i++)
		text_path(bench, row, i);
	printf(" |");
	for (i = 0; i < BENCH_NB_RATIOS; i++)
		if (has_ratio(&row->ratios[i]))
			printf(" %9.2f", row->ratios[i].median);
		else
			printf(" %9s", "-");
	printf("\n");
}

/* Columns of a path, after its name, and their decimals. */
static const struct {
	const char *name;
	int decimals;
} csv_columns[] = {
	{ "post", 2 }, { "poll", 2 }, { "total", 2 }, { "q1", 2 }, { "q3", 2 }, { "min", 2 },
	{ "max", 2 }, { "ns", 3 }, { "ns_per_entry", 4 }, { "mops", 3 }, { "doorbells_per_op", 5 },
	{ "cqes_per_op", 5 }, { "instructions", 2 },
};

static void
csv_start(void)
{
	printf(CSV_NAMES "layout,entries,batch,keys");
	for (unsigned int i = 0; i < BENCH_NB_PATHS; i++)
		for (unsigned int c = 0; c < RTE_DIM(csv_columns); c++)
			printf(",%s_%s", bench_paths[i]->name, csv_columns[c].name);
	for (unsigned int i = 0; i < BENCH_NB_RATIOS; i++) {
		const char *name = bench_ratios[i].name;

		printf(",%s,%s_q1,%s_q3", name, name, name);
	}
	result_print_csv_head(",instructions_by");
}

static void
csv_path(const struct bench *bench, const struct bench_report_row *row, unsigned int path)
{
	const struct bench_result *r = &row->paths[path];
	const double ns = bench_ns(r->total.median);
	const double values[RTE_DIM(csv_columns)] = {
		r->post.median, r->poll.median, r->total.median, r->total.q1, r->total.q3,
		r->total.min, r->total.max, ns, ns / row->row.nb_entries,
		bench->setup.nb_workers * 1e3 / ns, r->doorbells_per_op, r->cqes_per_op,
		r->instructions,
	};

	for (unsigned int c = 0; c < RTE_DIM(values); c++) {
		putchar(',');
		if (r->is_valid && !isnan(values[c]))
			printf("%.*f", csv_columns[c].decimals, values[c]);
	}
}

static void
csv_row(const struct bench *bench, const struct bench_report_row *row)
{
	csv_values(bench);
	printf("%s,%u,%u,%u", bench_layout_name(row->row.layout), row->row.nb_entries,
	       row->row.batch, row->row.nb_keys);
	for (unsigned int i = 0; i < BENCH_NB_PATHS; i++)
		csv_path(bench, row, i);
	for (unsigned int i = 0; i < BENCH_NB_RATIOS; i++) {
		const struct bench_stat *ratio = &row->ratios[i];

		if (has_ratio(ratio))
			printf(",%.3f,%.3f,%.3f", ratio->median, ratio->q1, ratio->q3);
		else
			printf(",,,");
	}
	printf(",%s", bench_instr_by(bench) ?: "");
	result_print_csv_end();
}

void
bench_report_start(const struct bench *bench, enum tool_format format)
{
	if (format == TOOL_FORMAT_CSV)
		csv_start();
	else if (format == TOOL_FORMAT_TEXT)
		text_start(bench);
}

void
bench_report_row(const struct bench *bench, const struct bench_report_row *row,
		 enum tool_format format)
{
	if (format == TOOL_FORMAT_CSV)
		csv_row(bench, row);
	else if (format == TOOL_FORMAT_TEXT)
		text_row(bench, row);
	fflush(stdout);
}

json_t *
bench_stat_to_json(const struct bench_stat *stat)
{
	return json_pack("{s:f, s:f, s:f, s:f, s:f}", "median", stat->median, "q1", stat->q1, "q3",
			 stat->q3, "min", stat->min, "max", stat->max);
}

static json_t *
result_to_json(const struct bench *bench, const struct bench_report_row *row, unsigned int path)
{
	const struct bench_result *r = &row->paths[path];
	double ns = bench_ns(r->total.median);

	if (!r->is_valid)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o, s:f, s:f, s:f, s:f, s:f, s:I}",
			 "instructions_per_op",
			 isnan(r->instructions) ? json_null() : json_real(r->instructions),
			 "cycles_per_op", bench_stat_to_json(&r->total),
			 "post_cycles_per_op", bench_stat_to_json(&r->post),
			 "poll_cycles_per_op", bench_stat_to_json(&r->poll), "ns_per_op", ns,
			 "ns_per_entry", ns / row->row.nb_entries,
			 "mops", ns > 0 ? bench->setup.nb_workers * 1e3 / ns : 0,
			 "doorbells_per_op", r->doorbells_per_op, "cqes_per_op", r->cqes_per_op,
			 "late_batches", (json_int_t)r->nb_late);
}

void
bench_report_add_row(json_t *object, const struct bench_row *row)
{
	json_object_update_new(object, json_pack("{s:s, s:i, s:i, s:i}",
						 "layout", bench_layout_name(row->layout),
						 "entries", (int)row->nb_entries,
						 "batch", (int)row->batch,
						 "keys", (int)row->nb_keys));
}

static json_t *
row_to_json(const struct bench *bench, const struct bench_report_row *row)
{
	json_t *object = json_object();

	bench_report_add_row(object, &row->row);
	for (unsigned int i = 0; i < BENCH_NB_PATHS; i++)
		json_object_set_new(object, bench_paths[i]->name, result_to_json(bench, row, i));
	for (unsigned int i = 0; i < BENCH_NB_RATIOS; i++)
		json_object_set_new(object, bench_ratios[i].name, has_ratio(&row->ratios[i]) ?
				    bench_stat_to_json(&row->ratios[i]) : json_null());
	return object;
}

void
bench_report_json(const struct bench *bench, const struct bench_report_row *rows, uint32_t nb_rows)
{
	json_t *report = bench_report_env(bench);
	json_t *results = json_array();

	for (uint32_t i = 0; i < nb_rows; i++)
		json_array_append_new(results, row_to_json(bench, &rows[i]));
	json_object_update_new(report, json_pack("{s:s?, s:s?}", "instructions_by",
						 bench_instr_by(bench), "instructions_error",
						 bench->instr_error));
	json_object_set_new(report, "results", results);
	result_print_json(report);
}
