/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

/**
 * @file
 * Results as text, CSV and JSON.
 */

#include <jansson.h>

#include "bench/run.h"

/** Text and CSV: what stands above the rows. */
void bench_report_start(const struct bench *bench, enum tool_format format);
/** Text and CSV: a row. */
void bench_report_row(const struct bench *bench, const struct bench_report_row *row,
		      enum tool_format format);
/** JSON: all of it. */
void bench_report_json(const struct bench *bench, const struct bench_report_row *rows,
		       uint32_t nb_rows);

/** Text: where it was measured, in what mode. */
void bench_report_head(const struct bench *bench);
/** CSV: the columns that every line begins with: names, and values. */
void bench_report_csv_names(void);
void bench_report_csv_values(const struct bench *bench);
/** JSON: where it was measured, in what mode; a new object. */
json_t *bench_report_env(const struct bench *bench);
/** Print an object and release it. */
void bench_report_print(json_t *report);
/** JSON: what identifies a row. */
void bench_report_add_row(json_t *object, const struct bench_row *row);
/** JSON: a median and its spread. */
json_t *bench_stat_to_json(const struct bench_stat *stat);

/** TSC cycles to nanoseconds. */
double bench_ns(double cycles);

#endif /* BENCH_REPORT_H */
