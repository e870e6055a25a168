/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_RUN_H
#define BENCH_RUN_H

/**
 * @file
 * Rounds, workers, and what they come to.
 */

#include "bench/path/path.h"
#include "bench/measure/barrier.h"
#include "bench/measure/stat.h"
#include "bench/measure/threads.h"

/** Operations per path and round, if that is not fewer than BENCH_MIN_BATCHES. */
#define BENCH_OPS_PER_ROUND	1024u
#define BENCH_MIN_BATCHES	16u

/** Who counts instructions. */
enum bench_instr_by {
	BENCH_INSTR_OFF,
	BENCH_INSTR_CPU,	/**< A counter of the CPU. */
	BENCH_INSTR_CALLGRIND,
};

/** Polls for CQEs that nobody has looked at, and for others. */
enum {
	BENCH_POLL_COLD,
	BENCH_POLL_WARM,
	BENCH_NB_POLLS,
};

/** Results of one path for one row: cycles per operation. */
struct bench_result {
	bool is_valid;			/**< False: the path cannot do this row. */
	struct bench_stat post;
	struct bench_stat poll;
	struct bench_stat total;	/**< post + poll of the same round. */
	double doorbells_per_op;
	double cqes_per_op;
	double instructions;		/**< Per operation; NAN: not counted. */
	uint64_t nb_late;		/**< Batches that were not back in time: not counted. */
};

/** A row with its results. */
struct bench_report_row {
	struct bench_row row;
	struct bench_result paths[BENCH_NB_PATHS];
	/** Of the rounds: libmlx5 / rte, above 1 when rte is cheaper. */
	struct bench_stat libmlx5_ratio;
	/** The same, libmlx5 / single. */
	struct bench_stat single_ratio;
	/** Of the rounds: rte / floor. */
	struct bench_stat floor_ratio;
};

/** Results of one round of one path. */
struct bench_round {
	double post;
	double poll;
	double total;
};

/** What a worker fills in. */
struct bench_worker_data {
	struct bench_round *rounds[BENCH_NB_PATHS];
	double *post;		/**< Of one round: values of every batch. */
	double *poll;
	uint64_t nb_doorbells[BENCH_NB_PATHS];
	uint64_t nb_cqes[BENCH_NB_PATHS];
	uint64_t nb_ops[BENCH_NB_PATHS];
	uint64_t nb_late[BENCH_NB_PATHS];
};

/** All that is open. */
struct bench {
	struct bench_setup setup;
	struct rte_umr_dev_info info;
	uint32_t nb_rounds;
	enum bench_instr_by instr_by;
	const char *instr_error; /**< Why nobody counts instructions; NULL: not asked for. */
	double tsc_overhead;	/**< Cycles of a section with nothing in it; subtracted. */
	double poll_cycles[BENCH_NB_POLLS]; /**< What a poll for one operation costs here. */
	struct bench_worker workers[BENCH_MAX_WORKERS];
	struct bench_worker_data data[BENCH_MAX_WORKERS];
	double *values;		/**< Room for a value of every round. */
	struct bench_threads threads; /**< Kept off the CPUs of the workers. */
	/* Between the workers of a row. */
	const struct bench_row *row;
	bool can_run[BENCH_NB_PATHS];
	struct bench_barrier barrier;
};

/** Start the device and open all paths on all workers. False, said on stderr, on failure. */
bool bench_open(struct bench *bench);
/** Close what is open, also after a failed bench_open(). */
void bench_close(struct bench *bench);

/**
 * Measure one round of a path on a worker, after so many batches that are not measured. The path
 * has been told to begin. False, said on stderr, if something failed.
 */
bool bench_round_measure(struct bench *bench, uint32_t index, unsigned int path,
			 const struct bench_row *row, uint32_t nb_warm_up,
			 struct bench_round *result);

/** Batches of a round of a row. */
uint32_t bench_nb_batches(const struct bench_row *row);

/** Batches after which code and arrays have come back to the caches. */
#define BENCH_WARM_UP_BATCHES	4u

/** Run a function with the first nb workers, on their lcores. False if one returned below 0. */
bool bench_workers_run(struct bench *bench, uint32_t nb, int (*worker_fn)(void *worker));

/** Measure a row on all workers. False, said on stderr, if something failed. */
bool bench_measure(struct bench *bench, const struct bench_row *row,
		   struct bench_report_row *report);

/** "executing" or "acknowledge-only". */
const char *bench_execution_name(const struct bench *bench);
/** "cold" or "warm". */
const char *bench_poll_name(const struct bench *bench);

#endif /* BENCH_RUN_H */
