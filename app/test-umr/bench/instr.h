/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_INSTR_H
#define BENCH_INSTR_H

/**
 * @file
 * Instructions per operation, counted in passes of their own that nobody times.
 *
 * A counter of the CPU counts in the process that measures. Where there is none, callgrind can:
 * before the EAL starts, the program runs itself below valgrind, with the same arguments. That run
 * only counts the same rows, and what it has found goes into the result of this one.
 */

#include "bench/conf.h"

/** If callgrind is to count, run it; what fails is said by bench_instr_open(). */
void bench_instr_prepare(int argc, char **argv, char **process_argv);

/** Whether this is the run below callgrind, which counts instead of measuring. */
bool bench_instr_is_counting(const struct bench_conf *conf);
/** Count all rows there. */
enum tool_exit bench_instr_rows(struct bench *bench, const struct bench_report_row *rows,
				uint32_t nb);

/**
 * Get ready to tell instructions.
 *
 * @return
 *   False, said on stderr, if callgrind was asked for and has failed. That the CPU has no counter
 *   is not an error: it is in bench->instr_error.
 */
bool bench_instr_open(struct bench *bench, const struct bench_conf *conf);
/** Count a measured row, or look it up; NAN for what is not known. False if something failed. */
bool bench_instr_row(struct bench *bench, struct bench_report_row *row);
void bench_instr_close(void);

/** What counts, as results say it; NULL: nothing. */
const char *bench_instr_by(const struct bench *bench);

#endif /* BENCH_INSTR_H */
