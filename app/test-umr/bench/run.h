/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_RUN_H
#define BENCH_RUN_H

/**
 * @file
 * Rounds, workers and their results.
 */

#include "bench/path/path.h"
#include "bench/measure/stat.h"
#include "bench/measure/threads.h"

/** Operations per path and round, but at least BENCH_MIN_BATCHES batches. */
#define BENCH_OPS_PER_ROUND	1024u
#define BENCH_MIN_BATCHES	16u

/** How instructions are counted. */
enum bench_instr_by {
	BENCH_INSTR_OFF,
	BENCH_INSTR_CPU,	/**< A counter of the CPU. */
	BENCH_INSTR_CALLGRIND,
};

/** Polls for cold CQEs and for CQEs that were checked before. */
enum {
	BENCH_POLL_COLD,
	BENCH_POLL_WARM,
	BENCH_NB_POLLS,
};

/** Results of one path for one row: cycles per operation. */
struct bench_result {
	bool is_valid;			/**< False: the path does not support the row. */
	struct bench_stat post;
	struct bench_stat poll;
	struct bench_stat total;	/**< post + poll of the same round. */
	double doorbells_per_op;
	double cqes_per_op;
	double instructions;		/**< Per operation; NAN: not counted. */
	uint64_t nb_late;		/**< Late batches, which do not count. */
};

/** Paths whose costs are compared. */
enum {
	BENCH_LIBMLX5_BY_RTE,
	BENCH_LIBMLX5_BY_SINGLE,
	BENCH_UNLOCKED_BY_RTE,
#ifdef BENCH_HAS_SPDK
	BENCH_SPDK_BY_RTE,
	BENCH_SPDK_BY_SINGLE,
#endif
	BENCH_RTE_BY_FLOOR,
	BENCH_NB_RATIOS,
};

/** A ratio: above / below. */
struct bench_ratio {
	const char *name;	/**< In results. */
	unsigned int above;
	unsigned int below;
};

extern const struct bench_ratio bench_ratios[BENCH_NB_RATIOS];

/** A row and its results. */
struct bench_report_row {
	struct bench_row row;
	struct bench_result paths[BENCH_NB_PATHS];
	/** Ratios of each round; the median is 0 if a path does not support the row. */
	struct bench_stat ratios[BENCH_NB_RATIOS];
};

/** Results of a path in one round. */
struct bench_round {
	double post;
	double poll;
	double total;
};

/** Counts of all rounds of a path. */
struct bench_counts {
	uint64_t nb_doorbells;
	uint64_t nb_cqes;
	uint64_t nb_ops;
	uint64_t nb_late;
};

/** Output of a worker. */
struct bench_worker_data {
	struct bench_round *rounds[BENCH_NB_PATHS];
	double *post;		/**< Values of every batch of a round. */
	double *poll;
	struct bench_counts counts[BENCH_NB_PATHS];
};

/** State of the bench. */
struct bench {
	struct bench_setup setup;
	struct rte_umr_dev_info info;
	uint32_t nb_rounds;
	enum bench_instr_by instr_by;
	const char *instr_error; /**< Why instructions are not counted; NULL: not requested. */
	double tsc_overhead;	/**< Cycles of an empty section; subtracted. */
	double poll_cycles[BENCH_NB_POLLS]; /**< Cycles of a poll for one operation. */
	struct bench_worker workers[BENCH_MAX_WORKERS];
	struct bench_worker_data data[BENCH_MAX_WORKERS];
	double *values;		/**< Room for one value per round. */
	struct bench_threads threads; /**< Threads moved off the CPUs of the workers. */
	/* Shared by the workers of a row. */
	const struct bench_row *row;
	bool can_run[BENCH_NB_PATHS];
	struct bench_barrier barrier;
};

/**
 * Start the device and open all paths on all workers. Print an error and return false on failure.
 */
bool bench_open(struct bench *bench);
/** Close everything, also after bench_open() failed. */
void bench_close(struct bench *bench);

/**
 * Measure one round of a path on a worker after some unmeasured batches; begin() of the path was
 * called. Print an error and return false on failure.
 */
bool bench_round_measure(struct bench *bench, uint32_t index, unsigned int path,
			 const struct bench_row *row, uint32_t nb_warm_up,
			 struct bench_round *result);

/** Batches per round of a row. */
uint32_t bench_nb_batches(const struct bench_row *row);

/** Batches that bring code and arrays back to the caches. */
#define BENCH_WARM_UP_BATCHES	4u
/** Batches before the first round of a row. */
uint32_t bench_row_warm_up(const struct bench_row *row);

/** Run a function on the lcores of the first nb workers. Return false if one returned below 0. */
bool bench_workers_run(struct bench *bench, uint32_t nb, int (*worker_fn)(void *worker));

/** Measure a row on all workers. Print an error and return false on failure. */
bool bench_measure(struct bench *bench, const struct bench_row *row,
		   struct bench_report_row *report);

/** "executing" or "acknowledge-only". */
const char *bench_execution_name(const struct bench *bench);
/** "cold" or "warm". */
const char *bench_poll_name(const struct bench *bench);

#endif /* BENCH_RUN_H */
