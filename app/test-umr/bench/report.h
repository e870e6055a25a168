/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

/**
 * @file
 * Results as text, CSV and JSON.
 */

#include "bench/run.h"
#include "tool/print.h"

/** Text and CSV: print the header. */
void bench_report_start(const struct bench *bench, enum tool_format format);
/** Text and CSV: print a row. */
void bench_report_row(const struct bench *bench, const struct bench_report_row *row,
		      enum tool_format format);
/** JSON: print everything. */
void bench_report_json(const struct bench *bench, const struct bench_report_row *rows,
		       uint32_t nb_rows);

/** Text: print the machine and the mode. */
void bench_report_head(const struct bench *bench);
/** Text and CSV: print the names of columns, or a line; in CSV behind the machine and the mode. */
void bench_report_columns(const struct tool_column *columns, enum tool_format format);
void bench_report_line(const struct bench *bench, const struct tool_column *columns,
		       const union tool_cell *cells, enum tool_format format);
/** JSON: a new object with the machine and the mode. */
json_t *bench_report_env(const struct bench *bench);
/** JSON: print the machine, the mode and a list, which is released in any format. */
void bench_report_list(const struct bench *bench, const char *name, json_t *list,
		       enum tool_format format);
/** JSON: add the members that identify a row. */
void bench_report_add_row(json_t *object, const struct bench_row *row);
/** JSON: a median and its spread. */
json_t *bench_stat_to_json(const struct bench_stat *stat);

/** Show progress: print "3 of 8 rows", but nothing in the first 10 s and after each line. */
void bench_progress(const char *what, uint32_t nb_done, uint32_t nb);

/** The first columns of lines of a row, and their values. */
#define BENCH_ROW_COLUMNS                                                                          \
	{ .name = "layout", "layout", TOOL_TEXT, -11 },                                            \
	{ .name = "entries", "entries", TOOL_COUNT, 7 },                                           \
	{ .name = "batch", "batch", TOOL_COUNT, 5 }
#define BENCH_ROW_CELLS(row)                                                                       \
	{ .text = bench_layout_name((row)->layout) }, { (row)->nb_entries }, { (row)->batch }

/** TSC cycles to nanoseconds. */
double bench_ns(double cycles);

#endif /* BENCH_REPORT_H */
