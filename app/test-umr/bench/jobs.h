/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_JOBS_H
#define BENCH_JOBS_H

/**
 * @file
 * Whole jobs: N scattered pieces go to one place at a peer, in four ways.
 */

#include "bench/report.h"

enum bench_job_way {
	BENCH_JOB_UMR,		/**< One UMR, and one write through its key. */
	BENCH_JOB_WRITES,	/**< N writes. */
	BENCH_JOB_SGES,		/**< One write of N segments, by libmlx5. */
	BENCH_JOB_PACK,		/**< Pack by memcpy(), and one write. */
	BENCH_JOB_NB_WAYS,
};

/** Jobs of N pieces of the same length. */
struct bench_job {
	uint32_t nb_pieces;
	uint32_t len;
	bool is_valid[BENCH_JOB_NB_WAYS];
	struct bench_stat cycles[BENCH_JOB_NB_WAYS];	/**< Per job. */
};

const char *bench_job_name(enum bench_job_way way);
/** Work requests of a job. */
uint32_t bench_job_nb_wqes(const struct bench_job *job, enum bench_job_way way);

/** Where one UMR and one write become cheaper; 0: nowhere in the measured range. */
struct bench_break_even {
	uint32_t nb_pieces;
	double pack_len;	/**< Bytes of a piece, compared with packing. */
};

/**
 * Break-even of jobs with the same number of pieces.
 *
 * @param jobs
 *   nb jobs with growing lengths.
 */
struct bench_break_even bench_jobs_break_even(const struct bench_job *jobs, uint32_t nb);

/** Jobs as text, CSV or JSON; they come in groups of nb_lens with the same number of pieces. */
void bench_jobs_print(const struct bench *bench, const struct bench_job *jobs, uint32_t nb,
		      uint32_t nb_lens, enum tool_format format);

#endif /* BENCH_JOBS_H */
