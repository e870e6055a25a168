/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_CONF_H
#define BENCH_CONF_H

/**
 * @file
 * What the command line asks for, and who does it.
 */

#include "bench/run.h"

/** Send ring unless it is chosen: what libmlx5's has for 64 requests of the largest size. */
#define BENCH_DEFAULT_DEPTH	1024u

/** Keys in use, the same. */
#define BENCH_DEFAULT_KEYS	256u

struct bench_job;

/** What is measured of each row. */
enum bench_measure_mode {
	BENCH_COST,	/**< CPU cycles. */
	BENCH_LATENCY,	/**< Doorbell to completion. */
	BENCH_JOBS,	/**< No rows: whole jobs. */
	BENCH_FLAT,	/**< One row, and how its cost changes with its ring or its keys. */
	BENCH_RECOVER,	/**< No rows: queues that fail and recover. */
	BENCH_LCORES,	/**< One row, and how its cost changes with another lcore. */
};

/** What packet pipelines do around keys: not layouts, but asked for beside them. */
enum bench_pipeline {
	BENCH_PIPELINE_MBUF,		/**< Chains of mbufs under keys. */
	BENCH_PIPELINE_LOOKUP,		/**< Keys of addresses. */
	BENCH_PIPELINE_REGISTER,	/**< Registering many regions. */
	BENCH_NB_PIPELINES,
};

struct bench_conf {
	bool has_layout[BENCH_NB_LAYOUTS];
	bool has_pipeline[BENCH_NB_PIPELINES];
	bool is_pipeline;	/**< Some of those, and no layout. */
	bool is_all;		/**< Whatever layouts the device offers. */
	bool has_entries;	/**< They were chosen; else those that the device offers. */
	bool has_batches;	/**< The same. */
	struct tool_numbers entries;
	struct tool_numbers batches;
	uint32_t depth;		/**< The first one; 0: what the rows need. */
	uint32_t nb_keys;	/**< The first one; 0: some, as many as the device has. */
	struct tool_numbers depths;
	struct tool_numbers keys;
	uint32_t nb_lcores;
	uint32_t nb_rounds;
	bool has_rounds;	/**< Their number was chosen. */
	bool is_single;
	bool is_libmlx5_single;
	bool is_random;
	bool is_poll_warm;
	enum bench_instr_by instr_by;
	enum bench_measure_mode mode;
	const char *plot_dir;	/**< NULL: no plots. */
	const char *peer;	/**< Another process, HOST[:PORT]; NULL: none. */
	bool has_other;		/**< An option that does not go with a peer was given. */
	enum tool_format format;
	struct tool_devices devices;
};

/** A line for each layout, number of entries and batch: table.c. */
enum tool_exit bench_table_run(const struct bench_conf *conf);
/** Instead of that, the latency of each: latency.c. */
enum tool_exit bench_latency_run(struct bench *bench, const struct bench_conf *conf,
				 struct bench_report_row *rows, uint32_t nb);
/** Scattered pieces to a peer, in four ways: jobs.c. */
enum tool_exit bench_jobs_run(const struct bench_conf *conf);
/** A row with several depths or numbers of keys: flat.c. */
enum tool_exit bench_flat_run(const struct bench_conf *conf);
/** A row on one lcore and on two: lcores.c. */
enum tool_exit bench_lcores_run(const struct bench_conf *conf);

/** Recoveries that are measured unless their number is chosen. */
#define BENCH_RECOVERIES	10000u
/** How long recoveries take, and what another queue feels of them: recover.c. */
enum tool_exit bench_recover_run(const struct bench_conf *conf);

/** Transfers to another process: peer.c. */
enum tool_exit bench_peer_run(const struct bench_conf *conf);

/** Whether plots can be drawn into a folder, which is made; complains if not. */
bool bench_plot_prepare(const char *dir);
/** A plot for each layout and batch, and one for each number of pieces: plot.c. */
enum tool_exit bench_plot_rows(const struct bench *bench, const char *dir,
			       const struct bench_report_row *rows, uint32_t nb);
enum tool_exit bench_plot_jobs(const struct bench *bench, const char *dir,
			       const struct bench_job *jobs, uint32_t nb, uint32_t nb_lens);

/**
 * The only row that is asked for, and a closed bench that has room for it. False, said on stderr,
 * if there are several, or if the device does not offer it.
 */
bool bench_init_row(struct bench *bench, const struct bench_conf *conf, struct bench_row *row);

/**
 * A closed bench for these options, of zeros or as one before; the caller adds rounds and sizes.
 * False, said on stderr, if the device has no queue for it.
 */
bool bench_init(struct bench *bench, const struct bench_conf *conf);

#endif /* BENCH_CONF_H */
