/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Jobs are posted one at a time, each with its own doorbell and completion. Pieces come from an
 * area larger than L1 and L2, like payload that the CPU did not just write. The result is the cost
 * on the posting CPU: building, ringing, collecting and packing.
 */

#include <stdlib.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_malloc.h>

#include "bench/path/collect.h"
#include "bench/measure/clock.h"
#include "bench/conf.h"
#include "bench/jobs.h"
#include "bench/path/mlx5dv.h"

#define NB_JOBS		64u		/* per way and round */
#define NB_WARM_UP	4u
#define AREA_SIZE	(8u << 20)	/* pieces come from here */
#define PACK_SIZE	(1u << 20)	/* destination of pieces, packed or at the peer */
#define MAX_PIECES	BENCH_MAX_INLINE
#define PAGE_SIZE	4096u

static const uint32_t piece_counts[] = { 2, 4, 8, 16, 30, 52 };
static const uint32_t piece_lens[] = { 16, 64, 256, 1024, 4096, 16384 };

/* State shared by the ways. */
struct jobs {
	struct bench *bench;
	int16_t dev_id;
	uint8_t *area;
	uint8_t *packed;
	uint8_t *peer;
	struct rte_umr_mr *mrs[3];	/* in that order */
	struct ibv_mr *ibv_area;
	struct ibv_mr *ibv_peer;
	struct bench_rte_info rte;
	uint32_t next;			/* where the next job takes its pieces */
	struct rte_umr_seg segs[MAX_PIECES];
};

/*
 * Choose the pieces of the next job, twice their length apart; consecutive jobs use different
 * pieces.
 */
static void
pieces_next(struct jobs *jobs, const struct bench_job *job, uint32_t lkey)
{
	uint32_t distance = 2 * RTE_MAX(job->len, RTE_CACHE_LINE_SIZE);

	if (jobs->next + job->nb_pieces * distance > AREA_SIZE)
		jobs->next = 0;
	for (uint32_t i = 0; i < job->nb_pieces; i++)
		jobs->segs[i] = (struct rte_umr_seg){
			.addr = (uintptr_t)jobs->area + jobs->next + i * distance,
			.length = job->len,
			.lkey = lkey,
		};
	jobs->next += job->nb_pieces * distance;
}

static int
post_umr(struct jobs *jobs, const struct bench_job *job)
{
	struct rte_umr_mkey *mkey = jobs->rte.mkeys[0];
	struct rte_umr_seg local = { .length = job->nb_pieces * job->len, .lkey = mkey->key };
	int ret;

	ret = rte_umr_mkey_list(jobs->dev_id, jobs->rte.queue_id, mkey, BENCH_ACCESS, jobs->segs,
				job->nb_pieces, 0);
	if (ret >= 0)
		ret = rte_umr_write(jobs->dev_id, jobs->rte.queue_id, &local,
				    (uintptr_t)jobs->peer, jobs->mrs[2]->rkey, 0);
	return ret;
}

static int
post_writes(struct jobs *jobs, const struct bench_job *job)
{
	uint64_t remote = (uintptr_t)jobs->peer;
	int ret = 0;

	for (uint32_t i = 0; i < job->nb_pieces && ret >= 0; i++) {
		ret = rte_umr_write(jobs->dev_id, jobs->rte.queue_id, &jobs->segs[i], remote,
				    jobs->mrs[2]->rkey, 0);
		remote += job->len;
	}
	return ret;
}

static int
post_pack(struct jobs *jobs, const struct bench_job *job)
{
	const struct rte_umr_seg local = {
		.addr = (uintptr_t)jobs->packed,
		.length = job->nb_pieces * job->len,
		.lkey = jobs->mrs[1]->lkey,
	};

	for (uint32_t i = 0; i < job->nb_pieces; i++)
		memcpy(jobs->packed + (size_t)i * job->len,
		       (const void *)(uintptr_t)jobs->segs[i].addr, job->len);
	return rte_umr_write(jobs->dev_id, jobs->rte.queue_id, &local, (uintptr_t)jobs->peer,
			     jobs->mrs[2]->rkey, 0);
}

static bool
post_rte(struct jobs *jobs, const struct bench_job *job, enum bench_job_way way,
	 struct bench_sample *sample)
{
	static int (*const posts[BENCH_JOB_NB_WAYS])(struct jobs *, const struct bench_job *) = {
		[BENCH_JOB_UMR] = post_umr,
		[BENCH_JOB_WRITES] = post_writes,
		[BENCH_JOB_PACK] = post_pack,
	};
	uint64_t start;
	int ret;

	pieces_next(jobs, job, jobs->mrs[0]->lkey);
	start = bench_section_start();
	ret = posts[way](jobs, job);
	if (ret >= 0)
		ret = rte_umr_submit(jobs->dev_id, jobs->rte.queue_id);
	sample->posted = bench_section_end();
	sample->post = sample->posted - start;
	if (ret < 0)
		tool_error("bench: %s of %u pieces of %u bytes: %s", bench_job_name(way),
			   job->nb_pieces, job->len, rte_strerror(-ret));
	return ret >= 0;
}

static bool
post_sges(struct jobs *jobs, const struct bench_job *job, struct bench_sample *sample)
{
	const uint64_t remote = (uintptr_t)jobs->peer;
	struct bench_dv_writes writes = {
		.segs = jobs->segs,
		.nb_segs = job->nb_pieces,
		.nb = 1,
		.remote = &remote,
		.rkey = jobs->ibv_peer->rkey,
	};

	pieces_next(jobs, job, jobs->ibv_area->lkey);
	return bench_dv_write(jobs->bench->workers[0].ctx[BENCH_LIBMLX5], &writes, sample);
}

static bool
run_job(struct jobs *jobs, const struct bench_job *job, enum bench_job_way way,
	struct bench_wait *wait, struct bench_sample *sample)
{
	unsigned int path = way == BENCH_JOB_SGES ? BENCH_LIBMLX5 : BENCH_RTE;
	bool is_ok = way == BENCH_JOB_SGES ? post_sges(jobs, job, sample) :
					     post_rte(jobs, job, way, sample);

	return is_ok && bench_collect(bench_paths[path], jobs->bench->workers[0].ctx[path],
				      bench_job_nb_wqes(job, way), wait, sample);
}

/* Whether the destination of a way has the contents of the pieces. */
static bool
check_peer(const struct jobs *jobs, const struct bench_job *job, enum bench_job_way way)
{
	for (uint32_t i = 0; i < job->nb_pieces; i++)
		if (memcmp(jobs->peer + (size_t)i * job->len,
			   (const void *)(uintptr_t)jobs->segs[i].addr, job->len) != 0) {
			tool_error("bench: %s of %u pieces of %u bytes: piece %u arrived wrong",
				   bench_job_name(way), job->nb_pieces, job->len, i);
			return false;
		}
	return true;
}

static bool
round_run(struct jobs *jobs, const struct bench_job *job, enum bench_job_way way, double *cycles)
{
	double values[NB_JOBS], overhead = 2 * jobs->bench->tsc_overhead;
	bool is_warm = jobs->bench->setup.is_poll_warm;
	struct bench_wait wait = { 0 };
	struct bench_sample sample;

	for (uint32_t i = 0; i < NB_WARM_UP; i++) {
		if (!run_job(jobs, job, way, NULL, &sample))
			return false;
		bench_wait_learn(&wait, sample.done - sample.posted);
	}
	for (uint32_t i = 0; i < NB_JOBS;) {
		if (!run_job(jobs, job, way, is_warm ? NULL : &wait, &sample))
			return false;
		if (!sample.is_late)
			values[i++] = (double)(sample.post + sample.poll) - overhead;
	}
	*cycles = bench_mean(values, NB_JOBS);
	return !jobs->bench->setup.is_executing || check_peer(jobs, job, way);
}

/* Measure a job; the ways take turns in going first. */
static bool
job_measure(struct jobs *jobs, struct bench_job *job, double *values)
{
	uint32_t nb = jobs->bench->nb_rounds;

	for (unsigned int way = 0; way < BENCH_JOB_NB_WAYS; way++)
		job->is_valid[way] = way != BENCH_JOB_SGES || job->nb_pieces <= BENCH_MAX_SGE;
	for (uint32_t round = 0; round < nb; round++)
		for (unsigned int i = 0; i < BENCH_JOB_NB_WAYS; i++) {
			unsigned int way = (round + i) % BENCH_JOB_NB_WAYS;

			if (job->is_valid[way] &&
			    !round_run(jobs, job, way, &values[way * nb + round]))
				return false;
		}
	for (unsigned int way = 0; way < BENCH_JOB_NB_WAYS; way++)
		if (job->is_valid[way])
			job->cycles[way] = bench_stat_of(&values[way * nb], nb);
	return true;
}

static enum tool_exit
jobs_measure(struct jobs *jobs, const struct bench_conf *conf)
{
	struct bench_job all[RTE_DIM(piece_counts) * RTE_DIM(piece_lens)] = { 0 };
	double *values = calloc((size_t)BENCH_JOB_NB_WAYS * conf->nb_rounds, sizeof(*values));
	enum tool_exit ret = TOOL_OK;
	uint32_t nb = 0;

	if (values == NULL) {
		tool_error("bench: out of memory");
		return TOOL_SETUP;
	}
	for (uint32_t n = 0; n < RTE_DIM(piece_counts) && ret == TOOL_OK; n++)
		for (uint32_t l = 0; l < RTE_DIM(piece_lens) && ret == TOOL_OK; l++) {
			all[nb].nb_pieces = piece_counts[n];
			all[nb].len = piece_lens[l];
			if (!job_measure(jobs, &all[nb++], values))
				ret = TOOL_FAILED;
		}
	free(values);
	if (ret == TOOL_OK)
		bench_jobs_print(jobs->bench, all, nb, RTE_DIM(piece_lens), conf->format);
	if (ret == TOOL_OK && conf->plot_dir != NULL)
		ret = bench_plot_jobs(jobs->bench, conf->plot_dir, all, nb, RTE_DIM(piece_lens));
	return ret;
}

static bool
memory_open(struct jobs *jobs)
{
	struct bench_dv *dv = jobs->bench->workers[0].ctx[BENCH_LIBMLX5];
	uint8_t **const buffers[] = { &jobs->area, &jobs->packed, &jobs->peer };
	const size_t sizes[] = { AREA_SIZE, PACK_SIZE, PACK_SIZE };

	for (unsigned int i = 0; i < RTE_DIM(sizes); i++) {
		*buffers[i] = rte_malloc("bench jobs", sizes[i], PAGE_SIZE);
		if (*buffers[i] != NULL)
			jobs->mrs[i] = rte_umr_mr_register(jobs->dev_id, &(struct rte_umr_mr_conf){
				.addr = *buffers[i], .len = sizes[i], .access = BENCH_ACCESS });
		if (jobs->mrs[i] == NULL) {
			tool_error("bench: %zu bytes for jobs: %s", sizes[i],
				   rte_strerror(*buffers[i] == NULL ? ENOMEM : rte_errno));
			return false;
		}
	}
	for (uint32_t i = 0; i < AREA_SIZE; i++)
		jobs->area[i] = (uint8_t)(i * 7 + i / 251);
	jobs->ibv_area = ibv_reg_mr(dv->pd, jobs->area, AREA_SIZE, BENCH_DV_ACCESS);
	if (jobs->ibv_area == NULL)
		return bench_dv_error("ibv_reg_mr");
	jobs->ibv_peer = ibv_reg_mr(dv->pd, jobs->peer, PACK_SIZE, BENCH_DV_ACCESS);
	return jobs->ibv_peer != NULL || bench_dv_error("ibv_reg_mr");
}

static void
memory_close(struct jobs *jobs)
{
	uint8_t *const buffers[] = { jobs->area, jobs->packed, jobs->peer };

	if (jobs->ibv_peer != NULL)
		ibv_dereg_mr(jobs->ibv_peer);
	if (jobs->ibv_area != NULL)
		ibv_dereg_mr(jobs->ibv_area);
	for (unsigned int i = 0; i < RTE_DIM(buffers); i++) {
		rte_umr_mr_deregister(jobs->mrs[i]);
		rte_free(buffers[i]);
	}
}

enum tool_exit
bench_jobs_run(const struct bench_conf *conf)
{
	enum tool_exit ret = TOOL_SETUP;
	static struct bench bench;
	const struct bench_row row = { .layout = BENCH_LIST, .nb_keys = 1 };
	struct jobs jobs = { .bench = &bench };

	static_assert(MAX_PIECES * 16384u <= PACK_SIZE, "the largest job fits");
	static_assert(2 * MAX_PIECES * 16384u <= AREA_SIZE, "and its pieces");
	if (!bench_init(&bench, conf))
		return TOOL_SETUP;
	bench.setup.nb_workers = 1;
	/* A batch consists of one write per piece. */
	bench.setup.depth = RTE_MAX(RTE_MIN(BENCH_DEFAULT_DEPTH, bench.info.max_desc),
				    rte_align32pow2(bench_writes_desc(bench.setup.dev_id,
								      MAX_PIECES)));
	bench.setup.max_batch = 1;
	bench.setup.max_entries = MAX_PIECES;
	bench.setup.max_sges = BENCH_MAX_SGE;
	bench.setup.max_keys = 1;
	bench.setup.max_keys_libmlx5 = 1;
	if (bench_open(&bench)) {
		jobs.dev_id = bench.setup.dev_id;
		bench_rte_info_get(bench.workers[0].ctx[BENCH_RTE], &jobs.rte);
		if (bench_path_rte.begin(bench.workers[0].ctx[BENCH_RTE], &row, 0) &&
		    memory_open(&jobs))
			ret = jobs_measure(&jobs, conf);
		/* All jobs have completed, so nothing uses the memory anymore. */
		memory_close(&jobs);
	}
	bench_close(&bench);
	return ret;
}
