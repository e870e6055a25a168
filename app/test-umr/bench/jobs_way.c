/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Jobs are posted one at a time, each with its own doorbell and completion. Each begins at a random
 * place of an area that is larger than the caches, like payload that the CPU did not just write.
 * The result is the cost on the posting CPU: building, ringing, collecting, copying and packing.
 */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_errno.h>

#include "bench/path/collect.h"
#include "bench/measure/clock.h"
#include "bench/conf.h"
#include "bench/jobs.h"
#include "bench/path/mlx5dv.h"

#define MAX_JOBS	64u		/* per way and round */
#define MIN_JOBS	4u
#define NB_WARM_UP	4u
#define ROUND_SIZE	(16u << 20)	/* bytes of the jobs of a round, if they are long */
#define PACK_SIZE	((size_t)BENCH_JOB_MAX_PIECES * BENCH_JOB_MAX_LEN)
#define MIN_AREA_SIZE	(4 * PACK_SIZE)
#define PAGE_SIZE	4096u
#define NB_SG_MKEYS	4u

struct bench_jobs {
	struct bench *bench;
	int16_t dev_id;
	uint32_t max_segs;		/* of a transfer */
	uint32_t max_read_segs;
	size_t area_size;
	uint8_t *area;
	uint8_t *packed;
	uint8_t *peer;
	struct rte_umr_mr *mrs[3];	/* in that order */
	struct ibv_mr *ibv_area;
	struct ibv_mr *ibv_peer;
	struct bench_rte_info rte;
	uint64_t state;			/* of the generator of places */
	double *values;			/* rounds of each way */
	struct rte_umr_seg segs[BENCH_JOB_MAX_PIECES];
};

/* Distance of pieces: no two in one cache line. */
static size_t
distance_of(const struct bench_job *job)
{
	return 2 * (size_t)RTE_MAX(job->len, (uint32_t)RTE_CACHE_LINE_SIZE);
}

/* Choose the pieces of the next job, at a place that was not used lately. */
static void
pieces_next(struct bench_jobs *jobs, const struct bench_job *job, uint32_t lkey)
{
	const size_t distance = distance_of(job);
	const size_t room = jobs->area_size - job->nb_pieces * distance;
	size_t first;

	/* Knuth's MMIX, so that runs are repeatable. */
	jobs->state = jobs->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	first = (jobs->state >> 16) % (room / RTE_CACHE_LINE_SIZE + 1) * RTE_CACHE_LINE_SIZE;
	for (uint32_t i = 0; i < job->nb_pieces; i++)
		jobs->segs[i] = (struct rte_umr_seg){
			.addr = (uintptr_t)jobs->area + first + i * distance,
			.length = job->len,
			.lkey = lkey,
		};
}

static int
post_umr(struct bench_jobs *jobs, const struct bench_job *job)
{
	struct rte_umr_mkey *mkey = jobs->rte.mkeys[0];
	struct rte_umr_seg local = { .length = job->nb_pieces * job->len, .lkey = mkey->key };
	const uint64_t peer = (uintptr_t)jobs->peer;
	const uint32_t rkey = jobs->mrs[2]->rkey;
	int ret;

	ret = rte_umr_mkey_list(jobs->dev_id, jobs->rte.queue_id, mkey, BENCH_ACCESS, jobs->segs,
				job->nb_pieces, 0);
	if (ret < 0)
		return ret;
	return job->is_read ?
	       rte_umr_read(jobs->dev_id, jobs->rte.queue_id, &local, peer, rkey, 0) :
	       rte_umr_write(jobs->dev_id, jobs->rte.queue_id, &local, peer, rkey, 0);
}

static int
post_writes(struct bench_jobs *jobs, const struct bench_job *job)
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
post_list(struct bench_jobs *jobs, const struct bench_job *job)
{
	const struct rte_umr_seg *segs = jobs->segs;
	const uint32_t rkey = jobs->mrs[2]->rkey;
	uint64_t remote = (uintptr_t)jobs->peer;
	uint32_t nb, left;
	int ret = 0;

	for (left = job->nb_pieces; left != 0 && ret >= 0; left -= nb) {
		nb = RTE_MIN(left, job->max_segs);
		ret = job->is_read ?
		      rte_umr_read_list(jobs->dev_id, jobs->rte.queue_id, segs, nb, remote, rkey,
					0) :
		      rte_umr_write_list(jobs->dev_id, jobs->rte.queue_id, segs, nb, remote, rkey,
					 0);
		segs += nb;
		remote += (uint64_t)nb * job->len;
	}
	return ret;
}

static int
post_inline(struct bench_jobs *jobs, const struct bench_job *job)
{
	return rte_umr_write_list(jobs->dev_id, jobs->rte.queue_id, jobs->segs, job->nb_pieces,
				  (uintptr_t)jobs->peer, jobs->mrs[2]->rkey, RTE_UMR_OP_F_INLINE);
}

static int
post_pack(struct bench_jobs *jobs, const struct bench_job *job)
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

static int
post_sg(struct bench_jobs *jobs, const struct bench_job *job)
{
	return rte_umr_write_sg(jobs->dev_id, jobs->rte.queue_id, jobs->segs, job->nb_pieces,
				(uintptr_t)jobs->peer, jobs->mrs[2]->rkey, 0);
}

static bool
post_rte(struct bench_jobs *jobs, const struct bench_job *job, enum bench_job_way way,
	 struct bench_sample *sample)
{
	static int (*const posts[BENCH_JOB_NB_WAYS])(struct bench_jobs *,
						     const struct bench_job *) = {
		[BENCH_JOB_UMR] = post_umr,
		[BENCH_JOB_WRITES] = post_writes,
		[BENCH_JOB_LIST] = post_list,
		[BENCH_JOB_INLINE] = post_inline,
		[BENCH_JOB_PACK] = post_pack,
		[BENCH_JOB_SG] = post_sg,
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
post_libmlx5(struct bench_jobs *jobs, const struct bench_job *job, struct bench_sample *sample)
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

/* Operations of a job, which rte_umr counts. */
static uint32_t
nb_ops_of(const struct bench_job *job, enum bench_job_way way)
{
	return way == BENCH_JOB_SG ? 1 : bench_job_nb_wqes(job, way);
}

static bool
run_job(struct bench_jobs *jobs, const struct bench_job *job, enum bench_job_way way,
	struct bench_wait *wait, struct bench_sample *sample)
{
	unsigned int path = way == BENCH_JOB_LIBMLX5 ? BENCH_LIBMLX5 : BENCH_RTE;
	bool is_ok = way == BENCH_JOB_LIBMLX5 ? post_libmlx5(jobs, job, sample) :
						post_rte(jobs, job, way, sample);

	return is_ok && bench_collect(bench_paths[path], jobs->bench->workers[0].ctx[path],
				      nb_ops_of(job, way), wait, sample);
}

/* Whether the peer and the pieces have the same content. */
static bool
check_peer(const struct bench_jobs *jobs, const struct bench_job *job, enum bench_job_way way)
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

/* Long jobs are fewer, so that a round does not take longer. */
static uint32_t
nb_jobs_of(const struct bench_job *job)
{
	const uint64_t nb = ROUND_SIZE / ((uint64_t)job->nb_pieces * job->len);

	return (uint32_t)RTE_MIN(RTE_MAX(nb, MIN_JOBS), MAX_JOBS);
}

static bool
round_run(struct bench_jobs *jobs, const struct bench_job *job, enum bench_job_way way,
	  double *cycles)
{
	double values[MAX_JOBS], overhead = 2 * jobs->bench->tsc_overhead;
	bool is_warm = jobs->bench->setup.is_poll_warm;
	const uint32_t nb_jobs = nb_jobs_of(job);
	struct bench_wait wait = { 0 };
	struct bench_sample sample;

	for (uint32_t i = 0; i < NB_WARM_UP; i++) {
		if (!run_job(jobs, job, way, NULL, &sample))
			return false;
		bench_wait_learn(&wait, sample.done - sample.posted);
	}
	for (uint32_t i = 0; i < nb_jobs;) {
		if (!run_job(jobs, job, way, is_warm ? NULL : &wait, &sample))
			return false;
		if (!sample.is_late)
			values[i++] = (double)(sample.post + sample.poll) - overhead;
	}
	*cycles = bench_mean(values, nb_jobs);
	return !jobs->bench->setup.is_executing || check_peer(jobs, job, way);
}

/* Names of the counters of rte_umr_write_sg(). */
static const struct {
	const char *counter;
	const char *name;
} sg_ways[] = {
	{ "sg_inline", "inline" },
	{ "sg_wqe", "wqe" },
	{ "sg_wqes", "wqes" },
	{ "sg_key", "key" },
};

/* The counter that has grown most since the counters were reset. */
static const char *
sg_way_name(const struct bench_jobs *jobs)
{
	const char *name = "-";
	uint64_t value, max = 0;

	for (unsigned int i = 0; i < RTE_DIM(sg_ways); i++)
		if (rte_umr_xstats_by_name_get(jobs->dev_id, jobs->rte.queue_id,
					       sg_ways[i].counter, &value) == 0 && value > max) {
			max = value;
			name = sg_ways[i].name;
		}
	return name;
}

void
bench_job_init(const struct bench_jobs *jobs, struct bench_job *job)
{
	const struct bench_setup *setup = &jobs->bench->setup;

	job->max_segs = job->is_read ? jobs->max_read_segs : jobs->max_segs;
	for (unsigned int way = 0; way < BENCH_JOB_NB_WAYS; way++)
		job->is_valid[way] = way == BENCH_JOB_UMR || way == BENCH_JOB_LIST || !job->is_read;
	if (job->nb_pieces > job->max_segs ||
	    (uint64_t)job->nb_pieces * job->len > jobs->bench->info.max_inline)
		job->is_valid[BENCH_JOB_INLINE] = false;
	if (setup->paths != 0 || job->nb_pieces > BENCH_MAX_SGE)
		job->is_valid[BENCH_JOB_LIBMLX5] = false;
}

bool
bench_job_measure(struct bench_jobs *jobs, struct bench_job *job)
{
	uint32_t nb = jobs->bench->nb_rounds;

	rte_umr_xstats_reset(jobs->dev_id, jobs->rte.queue_id);
	for (uint32_t round = 0; round < nb; round++)
		for (unsigned int i = 0; i < BENCH_JOB_NB_WAYS; i++) {
			unsigned int way = (round + i) % BENCH_JOB_NB_WAYS;

			if (job->is_valid[way] &&
			    !round_run(jobs, job, way, &jobs->values[way * nb + round]))
				return false;
		}
	job->sg_way = sg_way_name(jobs);
	for (unsigned int way = 0; way < BENCH_JOB_NB_WAYS; way++)
		if (job->is_valid[way])
			job->cycles[way] = bench_stat_of(&jobs->values[way * nb], nb);
	return true;
}

/* Twice the last-level cache, if that is known, and room for the largest job. */
static size_t
area_size(void)
{
	const long llc = sysconf(_SC_LEVEL3_CACHE_SIZE);
	const size_t size = llc > 0 ? RTE_MIN(2 * (size_t)llc, (size_t)1 << 30) : 0;

	return RTE_MAX(RTE_ALIGN_CEIL(size, (size_t)PAGE_SIZE), MIN_AREA_SIZE);
}

static bool
memory_open(struct bench_jobs *jobs)
{
	struct bench_dv *dv = jobs->bench->workers[0].ctx[BENCH_LIBMLX5];
	uint8_t **const buffers[] = { &jobs->area, &jobs->packed, &jobs->peer };
	const size_t sizes[] = { jobs->area_size, PACK_SIZE, PACK_SIZE };

	for (unsigned int i = 0; i < RTE_DIM(sizes); i++) {
		*buffers[i] = aligned_alloc(PAGE_SIZE, sizes[i]);
		if (*buffers[i] != NULL) {
			/* Pages must exist before the first job. */
			memset(*buffers[i], (int)i, sizes[i]);
			jobs->mrs[i] = rte_umr_mr_register(jobs->dev_id, &(struct rte_umr_mr_conf){
				.addr = *buffers[i], .len = sizes[i], .access = BENCH_ACCESS });
		}
		if (jobs->mrs[i] == NULL) {
			tool_error("bench: %zu bytes for jobs: %s", sizes[i],
				   rte_strerror(*buffers[i] == NULL ? ENOMEM : rte_errno));
			return false;
		}
	}
	for (size_t i = 0; i < jobs->area_size; i++)
		jobs->area[i] = (uint8_t)(i * 7 + i / 251);
	if (jobs->bench->setup.paths != 0)
		return true;
	jobs->ibv_area = ibv_reg_mr(dv->keys->pd, jobs->area, jobs->area_size, BENCH_DV_ACCESS);
	if (jobs->ibv_area == NULL)
		return bench_dv_error("ibv_reg_mr");
	jobs->ibv_peer = ibv_reg_mr(dv->keys->pd, jobs->peer, PACK_SIZE, BENCH_DV_ACCESS);
	return jobs->ibv_peer != NULL || bench_dv_error("ibv_reg_mr");
}

void
bench_jobs_close(struct bench_jobs *jobs)
{
	if (jobs == NULL)
		return;
	/* All jobs have completed, so nothing uses the memory anymore. */
	if (jobs->ibv_peer != NULL)
		ibv_dereg_mr(jobs->ibv_peer);
	if (jobs->ibv_area != NULL)
		ibv_dereg_mr(jobs->ibv_area);
	for (unsigned int i = 0; i < RTE_DIM(jobs->mrs); i++)
		rte_umr_mr_deregister(jobs->mrs[i]);
	free(jobs->peer);
	free(jobs->packed);
	free(jobs->area);
	free(jobs->values);
	free(jobs);
}

uint32_t
bench_jobs_max_pieces(const struct bench *bench)
{
	return RTE_MIN(bench->info.max_desc, BENCH_JOB_MAX_PIECES);
}

static void
setup_fill(struct bench *bench, uint32_t max_pieces)
{
	bench->setup.nb_workers = 1;
	/* A batch consists of one write per piece. */
	bench->setup.depth = RTE_MAX(RTE_MIN(BENCH_DEFAULT_DEPTH, bench->info.max_desc),
				     rte_align32pow2(bench_writes_desc(bench->setup.dev_id,
								       max_pieces)));
	bench->setup.max_batch = 1;
	bench->setup.max_entries = max_pieces;
	bench->setup.max_sges = BENCH_MAX_SGE;
	bench->setup.max_keys = 1;
	bench->setup.max_keys_libmlx5 = 1;
	bench->setup.nb_sg_mkeys = NB_SG_MKEYS;
}

struct bench_jobs *
bench_jobs_open(struct bench *bench, uint32_t max_pieces)
{
	const struct bench_row row = { .layout = BENCH_LIST, .nb_keys = 1 };
	struct bench_jobs *jobs = tool_calloc("bench", 1, sizeof(*jobs));

	if (jobs == NULL)
		return NULL;
	setup_fill(bench, max_pieces);
	jobs->bench = bench;
	jobs->dev_id = bench->setup.dev_id;
	jobs->max_segs = bench->info.max_segs;
	jobs->max_read_segs = bench->info.max_read_segs;
	jobs->area_size = area_size();
	jobs->values = tool_calloc("bench", (size_t)BENCH_JOB_NB_WAYS * bench->nb_rounds,
				   sizeof(*jobs->values));
	if (jobs->values != NULL && bench_open(bench)) {
		bench_rte_info_get(bench->workers[0].ctx[BENCH_RTE], &jobs->rte);
		if (bench_path_rte.begin(bench->workers[0].ctx[BENCH_RTE], &row, 0) &&
		    memory_open(jobs))
			return jobs;
	}
	bench_jobs_close(jobs);
	return NULL;
}
