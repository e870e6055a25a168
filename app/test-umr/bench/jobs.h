/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_JOBS_H
#define BENCH_JOBS_H

/**
 * @file
 * Whole jobs: N scattered pieces go to one place at a peer, or come from there, in several ways.
 */

#include "bench/report.h"

enum bench_job_way {
	BENCH_JOB_UMR,		/**< One UMR, and one transfer through its key. */
	BENCH_JOB_WRITES,	/**< N transfers. */
	BENCH_JOB_LIST,		/**< Transfers of as many segments as possible. */
	BENCH_JOB_INLINE,	/**< One write with the bytes of all segments. */
	BENCH_JOB_PACK,		/**< Pack by memcpy(), and one write. */
	BENCH_JOB_SG,		/**< rte_umr_write_sg() chooses. */
	BENCH_JOB_LIBMLX5,	/**< One write of N segments, by libmlx5. */
	BENCH_JOB_NB_WAYS,
};

/** Most pieces of a job. */
#define BENCH_JOB_MAX_PIECES	1000u
/** Longest piece of a job. */
#define BENCH_JOB_MAX_LEN	16384u

/** Jobs of N pieces of the same length. */
struct bench_job {
	uint32_t nb_pieces;
	uint32_t len;
	bool is_read;			/**< From the peer; only as UMR and LIST. */
	bool is_valid[BENCH_JOB_NB_WAYS];
	struct bench_stat cycles[BENCH_JOB_NB_WAYS];	/**< Per job. */
	const char *sg_way;		/**< What rte_umr_write_sg() has chosen. */
	uint32_t max_segs;		/**< Segments of a transfer. */
};

const char *bench_job_name(enum bench_job_way way);
/** Work requests of a job. */
uint32_t bench_job_nb_wqes(const struct bench_job *job, enum bench_job_way way);
/** State shared by jobs: jobs_way.c. */
struct bench_jobs;

/**
 * Open a bench that was initialized, with queues and memory for jobs of at most so many pieces.
 *
 * @return
 *   NULL after an error was printed. bench_close() is needed in any case, after
 *   bench_jobs_close().
 */
struct bench_jobs *bench_jobs_open(struct bench *bench, uint32_t max_pieces);
/** Accepts NULL. */
void bench_jobs_close(struct bench_jobs *jobs);
/** Find the valid ways of a job. */
void bench_job_init(const struct bench_jobs *jobs, struct bench_job *job);
/** Measure a job in its valid ways, which take turns in going first. */
bool bench_job_measure(struct bench_jobs *jobs, struct bench_job *job);
/** Most pieces of a job that the rings of a device hold. */
uint32_t bench_jobs_max_pieces(const struct bench *bench);

#endif /* BENCH_JOBS_H */
