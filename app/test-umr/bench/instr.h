/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_INSTR_H
#define BENCH_INSTR_H

/**
 * @file
 * Count instructions per operation, in passes that are not timed.
 *
 * A CPU counter counts in the measuring process. Without one, callgrind can count: before EAL
 * starts, the program runs itself below valgrind with the same arguments. That run only counts the
 * same rows; its counts become part of the result of this run.
 */

#include "bench/conf.h"

/** If callgrind is selected, run it; bench_instr_open() reports its failure. */
void bench_instr_prepare(const void *conf, char **process_argv);

/** Whether this is the run below callgrind, which counts instead of measuring. */
bool bench_instr_is_counting(const struct bench_conf *conf);
/** Count all rows in that run. */
enum tool_exit bench_instr_rows(struct bench *bench, const struct bench_report_row *rows,
				uint32_t nb);

/**
 * Prepare the counting of instructions.
 *
 * @return
 *   False after an error was printed: callgrind was selected and failed. A CPU without a counter is
 *   not an error; bench->instr_error has the reason.
 */
bool bench_instr_open(struct bench *bench, const struct bench_conf *conf);
/** Count a measured row or look it up; unknown counts are NAN. Return false on failure. */
bool bench_instr_row(struct bench *bench, struct bench_report_row *row);
void bench_instr_close(void);

/** Name of the counter in the results; NULL: none. */
const char *bench_instr_by(const struct bench *bench);

#endif /* BENCH_INSTR_H */
