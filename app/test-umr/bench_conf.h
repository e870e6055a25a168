/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_CONF_H
#define BENCH_CONF_H

/**
 * @file
 * What the command line asks for, and who does it.
 */

#include "bench_run.h"

struct bench_conf {
	bool has_layout[BENCH_NB_LAYOUTS];
	struct tool_numbers entries;
	struct tool_numbers batches;
	uint32_t depth;		/**< 0: what the rows need. */
	uint32_t nb_keys;
	uint32_t nb_lcores;
	uint32_t nb_rounds;
	bool is_libmlx5_single;
	bool is_targets;
	enum tool_format format;
	struct tool_devices devices;
};

/** A line for each layout, number of entries and batch: bench_table.c. */
enum tool_exit bench_table_run(const struct bench_conf *conf);
/** Every target with a verdict: bench_targets.c. */
enum tool_exit bench_targets_run(const struct bench_conf *conf);

/**
 * If targets are asked for and the device will be a software ConnectX whose mode nobody has
 * chosen, start this program again with one that acknowledges only.
 */
void bench_targets_prepare(int argc, char **argv, char **process_argv);

/** A closed bench for these options; the caller adds rounds and sizes. */
void bench_init(struct bench *bench, const struct bench_conf *conf);

#endif /* BENCH_CONF_H */
