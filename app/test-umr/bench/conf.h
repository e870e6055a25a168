/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_CONF_H
#define BENCH_CONF_H

/**
 * @file
 * Configuration of the bench command, and its modes.
 */

#include "bench/run.h"

/** Default depth of the send ring: that of libmlx5 for 64 requests of the largest size. */
#define BENCH_DEFAULT_DEPTH	1024u

/** Default number of keys in use. */
#define BENCH_DEFAULT_KEYS	256u

struct bench_job;

/** What to measure. */
enum bench_measure_mode {
	BENCH_COST,	/**< CPU cycles. */
	BENCH_LATENCY,	/**< Doorbell to completion. */
	BENCH_JOBS,	/**< Whole jobs instead of rows. */
	BENCH_FLAT,	/**< One row, and how its cost changes with its ring or key set. */
	BENCH_RECOVER,	/**< Queues that fail and recover, instead of rows. */
	BENCH_LCORES,	/**< One row, and how its cost changes with another lcore. */
	BENCH_SOFTWARE,	/**< Rows beside the cost of computing the same on the CPU. */
};

/** Operations of packet pipelines around keys, selected like layouts. */
enum bench_pipeline {
	BENCH_PIPELINE_MBUF,		/**< Chains of mbufs under keys. */
	BENCH_PIPELINE_LOOKUP,		/**< Keys of addresses. */
	BENCH_PIPELINE_REGISTER,	/**< Registering many regions. */
	BENCH_NB_PIPELINES,
};

struct bench_conf {
	bool has_layout[BENCH_NB_LAYOUTS];
	bool has_pipeline[BENCH_NB_PIPELINES];
	bool is_pipeline;	/**< Pipelines only, no layout. */
	bool is_all;		/**< All layouts that the device supports. */
	bool has_layouts;	/**< Chosen by the user; with --peer: measure keys. */
	bool has_entries;	/**< Chosen by the user; otherwise all supported ones. */
	bool has_batches;	/**< The same for batches. */
	struct tool_numbers entries;
	struct tool_numbers batches;
	uint32_t depth;		/**< The first one; 0: as required by the rows. */
	uint32_t nb_keys;	/**< The first one; 0: default, limited by the device. */
	struct tool_numbers depths;
	struct tool_numbers keys;
	uint32_t nb_lcores;
	uint32_t nb_rounds;
	bool has_rounds;	/**< The user chose the number of rounds. */
	bool is_single;
	bool is_random;
	bool is_poll_warm;
	enum bench_instr_by instr_by;
	enum bench_measure_mode mode;
	const char *plot_dir;	/**< NULL: no plots. */
	const char *compare[2];	/**< Files with results; NULL: measure. */
	const char *peer;	/**< Another process, HOST[:PORT]; NULL: none. */
	bool has_other;		/**< An option that does not combine with --peer was given. */
	struct tool_numbers sizes; /**< Bytes of operations or keys; none: default. */
	bool has_write;		/**< Operations with --peer; none: default. */
	bool has_read;
	uint32_t nb_queues;	/**< Queues with --peer. */
	bool has_transfer;	/**< An option that needs --peer was given. */
	bool has_sizes;		/**< One that needs it or --measure software. */
	uint32_t seconds;	/**< Time of each row; 0: by rounds. */
	enum tool_format format;
	struct tool_devices devices;
};

/** Measure a row for each layout, number of entries and batch: table.c. */
enum tool_exit bench_table_run(const struct bench_conf *conf);
/** Measure the latency of each row instead: latency.c. */
enum tool_exit bench_latency_run(struct bench *bench, const struct bench_conf *conf,
				 struct bench_report_row *rows, uint32_t nb);
/** Measure the cost of each row beside that of OpenSSL and ISA-L: software.c. */
enum tool_exit bench_software_run(struct bench *bench, const struct bench_conf *conf,
				  struct bench_report_row *rows, uint32_t nb);
/** Whether a layout has something to compute, and by which libraries. */
bool bench_software_is_offered(enum bench_layout layout);
const char *bench_software_library(enum bench_layout layout);
/**
 * Measure the cycles to compute on this lcore what a key stands for: the median of rounds, each
 * less an overhead. Print an error and return false on failure.
 */
bool bench_software_measure(enum bench_layout layout, uint32_t len, uint32_t nb_rounds,
			    double overhead, double *cycles);
/** Send scattered pieces to a peer in several ways: jobs.c. */
enum tool_exit bench_jobs_run(const struct bench_conf *conf);
/** Measure a row with several depths or numbers of keys: flat.c. */
enum tool_exit bench_flat_run(const struct bench_conf *conf);
/** Measure a row on one lcore and on two: lcores.c. */
enum tool_exit bench_lcores_run(const struct bench_conf *conf);

/** Default number of recoveries. */
#define BENCH_RECOVERIES	10000u
/** Measure recoveries and their effect on another queue: recover.c. */
enum tool_exit bench_recover_run(const struct bench_conf *conf);

/** Measure and print the thresholds of rte_umr_write_sg() and rte_umr_read_sg(): calibrate.c. */
enum tool_exit bench_calibrate_run(const struct bench_conf *conf);
/** Measure transfers to another process: peer.c. */
enum tool_exit bench_peer_run(const struct bench_conf *conf);
/** Whether it can be through keys of a layout. */
bool bench_peer_is_offered(enum bench_layout layout);
/** Compare two results, without a device: compare.c. */
enum tool_exit bench_compare_run(const struct bench_conf *conf);

/**
 * Check that plots can be drawn and create their folder. Print an error and return false on
 * failure.
 */
bool bench_plot_prepare(const char *dir);
/**
 * Draw a plot for each layout and batch; for jobs, one for each number of pieces, and one for
 * pieces of the first length: plot.c.
 */
enum tool_exit bench_plot_rows(const struct bench *bench, const char *dir,
			       const struct bench_report_row *rows, uint32_t nb);
enum tool_exit bench_plot_jobs(const struct bench *bench, const char *dir,
			       const struct bench_job *jobs, uint32_t nb, uint32_t nb_lens);

/**
 * Get the only selected row and a closed bench that has room for it. Print an error and return
 * false if several rows are selected or the device does not support the row.
 */
bool bench_init_row(struct bench *bench, const struct bench_conf *conf, struct bench_row *row);

/**
 * Initialize a closed bench from the options; *bench is zeroed or was used before. The caller adds
 * rounds and sizes. Print an error and return false if the device has no suitable queue.
 */
bool bench_init(struct bench *bench, const struct bench_conf *conf);

#endif /* BENCH_CONF_H */
