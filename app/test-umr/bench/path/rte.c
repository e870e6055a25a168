/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdlib.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_malloc.h>
#include <rte_memory.h>

#include <mlx5_prm_wqe.h>

#include "bench/path/collect.h"
#include "bench/path/rte.h"

/* Keys in the cache of an lcore, as in an application. */
#define KEY_CACHE	256u

static void
rte_close(void *arg)
{
	struct bench_rte *ctx = arg;

	for (unsigned int i = 0; i < BENCH_NB_LAYOUTS; i++)
		bench_kind_rte_close(&ctx->kinds[i]);
	if (ctx->inner != NULL)
		rte_umr_mkey_put(ctx->pool, ctx->inner);
	if (ctx->nb_mkeys != 0)
		rte_umr_mkey_put_bulk(ctx->pool, ctx->taken, ctx->nb_mkeys);
	rte_umr_mkey_pool_destroy(ctx->pool);
	rte_umr_mr_deregister(ctx->mr);
	rte_free(ctx->mkeys);
	free(ctx->taken);
	free(ctx->order);
}

/* Take all keys of the rows and leave some in the pool. */
static bool
keys_take(struct bench_rte *ctx, uint32_t nb)
{
	int ret = -ENOMEM;

	ctx->order = calloc(nb, sizeof(*ctx->order));
	ctx->taken = calloc(nb, sizeof(ctx->taken[0]));
	ctx->mkeys = rte_calloc("bench keys", nb, sizeof(ctx->mkeys[0]), RTE_CACHE_LINE_SIZE);
	if (ctx->order != NULL && ctx->taken != NULL && ctx->mkeys != NULL)
		ret = rte_umr_mkey_get_bulk(ctx->pool, ctx->taken, nb);
	if (ret != 0) {
		tool_error("bench: rte: taking %u keys: %s", nb, rte_strerror(-ret));
		return false;
	}
	ctx->nb_mkeys = nb;
	return true;
}

/* Arrange the first nb keys in the common order. */
static void
keys_order(struct bench_rte *ctx, uint32_t nb, enum bench_layout layout)
{
	struct rte_umr_mkey *const *taken = ctx->taken;
	uint32_t nb_taken = ctx->nb_mkeys;

	if (ctx->kinds[layout].nb_mkeys != 0) {
		taken = ctx->kinds[layout].mkeys;
		nb_taken = ctx->kinds[layout].nb_mkeys;
	}
	if (ctx->nb_ordered == nb && ctx->ordered == taken)
		return;
	bench_order_fill(ctx->worker->setup, ctx->order, nb);
	for (uint32_t i = 0; i < nb; i++)
		ctx->mkeys[i] = taken[ctx->order[i] % nb_taken];
	ctx->nb_ordered = nb;
	ctx->ordered = taken;
	/* Do not always start with the same keys: rows may take turns. */
	ctx->pos = ctx->nb_used % nb;
}

static bool
keys_create(struct bench_rte *ctx, const struct bench_setup *setup)
{
	struct rte_umr_mkey_pool_conf conf = {
		.nb_mkeys = setup->max_keys + setup->nb_spare_keys + 1,
		.max_entries = setup->max_entries,
		.cache_size = RTE_MIN(KEY_CACHE, setup->nb_spare_keys / 2),
		.socket_id = SOCKET_ID_ANY,
	};

	ctx->pool = rte_umr_mkey_pool_create(ctx->dev_id, &conf);
	if (ctx->pool == NULL) {
		tool_error("bench: rte: creating %u keys of %u entries: %s", conf.nb_mkeys,
			   conf.max_entries, rte_strerror(rte_errno));
		return false;
	}
	if (!keys_take(ctx, setup->max_keys))
		return false;
	for (unsigned int i = 0; i < BENCH_NB_LAYOUTS; i++)
		if (setup->has_layout[i] && bench_kind_pool_flags(i) != 0 &&
		    !bench_kind_rte_open(&ctx->kinds[i], ctx->dev_id, i,
					 bench_kind_pool_keys(i, setup->max_keys),
					 i == BENCH_UPDATE ? setup->max_entries : BENCH_MAX_BSF))
			return false;
	ctx->inner = rte_umr_mkey_get(ctx->pool);
	return ctx->inner != NULL;
}

static bool
rte_has_completion(const void *arg)
{
	const struct bench_rte *ctx = arg;

	return bench_cq_has(&ctx->cq, *ctx->ring.cq_ci);
}

static int
rte_take(void *arg, uint32_t nb, struct bench_sample *sample)
{
	struct bench_rte *ctx = arg;
	uint16_t nb_done, last_idx;
	bool has_error = false;
	uint64_t start;

	start = bench_section_start();
	nb_done = rte_umr_completed(ctx->dev_id, ctx->queue_id, (uint16_t)nb, &last_idx,
				    &has_error);
	sample->done = bench_section_end();
	sample->poll += sample->done - start;
	if (!has_error)
		return nb_done;
	tool_error("bench: rte: %u of %u operations came back, then one failed", nb_done, nb);
	return -1;
}

bool
bench_rte_collect(struct bench_rte *ctx, uint32_t nb)
{
	struct bench_sample sample;

	return bench_collect(&bench_path_rte, ctx, nb, NULL, &sample);
}

void
bench_rte_warm(const void *arg)
{
	const struct bench_rte *ctx = arg;
	volatile uint8_t *sq = ctx->ring.sq;

	/*
	 * Write, so that no other CPU holds the lines. Queues of one doorbell page overwrite each
	 * other's doorbells before the engine of an acknowledge-only device checks them. The engine
	 * then reads the WQEs of all queues but the last one, on whatever CPU it runs.
	 */
	for (size_t i = 0; i <= ctx->ring.sq_mask; i++)
		sq[i * PRM_WQE_BB_SIZE] = sq[i * PRM_WQE_BB_SIZE];
	for (uint32_t i = 0; i < ctx->nb_ordered; i++)
		(void)*(volatile const uint32_t *)&ctx->mkeys[i]->key;
}

static bool
inner_configure(struct bench_rte *ctx)
{
	const struct rte_umr_seg seg = {
		.addr = (uintptr_t)ctx->worker->arrays.memory,
		.length = BENCH_MEMORY_SIZE,
		.lkey = ctx->mr->lkey,
	};
	int ret;

	ret = rte_umr_mkey_list(ctx->dev_id, ctx->queue_id, ctx->inner, BENCH_ACCESS, &seg, 1,
				RTE_UMR_OP_F_SUBMIT);
	if (ret < 0)
		tool_error("bench: rte: configuring a key: %s", rte_strerror(-ret));
	return ret >= 0 && bench_rte_collect(ctx, 1);
}

static bool
rte_open(void *arg, struct bench_worker *worker)
{
	const struct bench_setup *setup = worker->setup;
	struct bench_rte *ctx = arg;

	ctx->worker = worker;
	ctx->is_single = setup->is_single;
	/* Keys in order of their pool are in the cache. */
	ctx->nb_ahead = setup->is_random ? BENCH_RTE_AHEAD : 0;
	ctx->dev_id = setup->dev_id;
	ctx->queue_id = (uint16_t)(2 * worker->index);
	rte_umr_dev_info_get(ctx->dev_id, &ctx->info);
	if (!mlx5_umr_rings_get(ctx->dev_id, ctx->queue_id, &ctx->ring)) {
		tool_error("bench: %s has a driver whose rings are not known here",
			   setup->dev_name);
		return false;
	}
	ctx->cq = (struct bench_cq){ ctx->ring.cq, ctx->ring.cq_mask };
	ctx->mr = rte_umr_mr_register(ctx->dev_id, &(struct rte_umr_mr_conf){
		.addr = worker->arrays.memory,
		.len = BENCH_MEMORY_SIZE,
		.access = BENCH_ACCESS,
	});
	if (ctx->mr == NULL)
		tool_error("bench: rte: registering memory: %s", rte_strerror(rte_errno));
	return ctx->mr != NULL && keys_create(ctx, setup) && inner_configure(ctx);
}

static bool
rte_can_run(const void *arg, const struct bench_row *row)
{
	(void)arg;
	(void)row;
	return true;
}

/* Lay the whole list under the keys that are updated; not measured. */
static bool
lists_lay(struct bench_rte *ctx, const struct bench_row *row)
{
	const struct bench_kind_rte *kind = &ctx->kinds[row->layout];
	int ret;

	for (uint32_t i = 0; i < kind->nb_mkeys; i++) {
		ret = rte_umr_mkey_list(ctx->dev_id, ctx->queue_id, kind->mkeys[i], BENCH_ACCESS,
					ctx->worker->arrays.segs, row->nb_entries,
					RTE_UMR_OP_F_SUBMIT);
		if (ret < 0)
			tool_error("bench: rte: a list of %u entries: %s", row->nb_entries,
				   rte_strerror(-ret));
		if (ret < 0 || !bench_rte_collect(ctx, 1))
			return false;
		ctx->nb_prepared++;
	}
	ctx->nb_laid = row->nb_entries;
	return true;
}

static bool
rte_begin(void *arg, const struct bench_row *row, uint32_t offset)
{
	struct bench_rte *ctx = arg;
	bool is_nested = row->layout == BENCH_NESTED;

	keys_order(ctx, row->nb_keys, row->layout);
	bench_arrays_fill(&ctx->worker->arrays, row, offset,
			  is_nested ? 0 : (uintptr_t)ctx->worker->arrays.memory,
			  is_nested ? ctx->inner->key : ctx->mr->lkey);
	return row->layout != BENCH_UPDATE || ctx->nb_laid == row->nb_entries ||
	       lists_lay(ctx, row);
}

static bool
rte_post(void *arg, const struct bench_row *row, struct bench_sample *sample)
{
	if (row->layout == BENCH_KEYGET)
		return bench_rte_keyget_post(arg, row, sample);
	return bench_rte_post(arg, row, true, sample);
}

static void
rte_counts(const void *arg, uint64_t *nb_doorbells, uint64_t *nb_cqes)
{
	const struct bench_rte *ctx = arg;
	struct rte_umr_queue_stats stats;

	rte_umr_queue_stats_get(ctx->dev_id, ctx->queue_id, &stats);
	*nb_doorbells = stats.nb_doorbells - ctx->nb_prepared;
	*nb_cqes = *ctx->ring.cq_ci - ctx->nb_prepared;
}

void
bench_rte_info_get(const void *arg, struct bench_rte_info *info)
{
	const struct bench_rte *ctx = arg;

	*info = (struct bench_rte_info){
		.queue_id = ctx->queue_id,
		.mr = ctx->mr,
		.mkeys = ctx->mkeys,
	};
}

int
bench_probe_execution(struct bench_worker *worker, bool *is_executing)
{
	struct bench_rte *ctx = worker->ctx[BENCH_RTE];
	volatile uint8_t *memory = worker->arrays.memory;
	const struct rte_umr_seg local = {
		.addr = (uintptr_t)memory,
		.length = 1,
		.lkey = ctx->mr->lkey,
	};
	int ret;

	memory[0] = 1;
	memory[1] = 0;
	ret = rte_umr_write(ctx->dev_id, ctx->queue_id, &local, (uintptr_t)&memory[1],
			    ctx->mr->rkey, RTE_UMR_OP_F_SUBMIT);
	if (ret < 0)
		tool_error("bench: rte: posting a write: %s", rte_strerror(-ret));
	if (ret < 0 || !bench_rte_collect(ctx, 1))
		return -1;
	*is_executing = memory[1] == 1;
	return 0;
}

const struct bench_path bench_path_rte = {
	.name = "rte",
	.what = "rte_umr_mkey_list/_interleaved/_invalidate(), in bursts where there is a batch\n"
		"          (unless --calls single), rte_umr_write(), rte_umr_completed()",
	.size = sizeof(struct bench_rte),
	.open = rte_open,
	.can_run = rte_can_run,
	.begin = rte_begin,
	.post = rte_post,
	.has_completion = rte_has_completion,
	.take = rte_take,
	.counts = rte_counts,
	.close = rte_close,
};

/* Only layouts that have burst calls, unless the rte path already uses single calls. */
static bool
single_can_run(const void *arg, const struct bench_row *row)
{
	const struct bench_rte *ctx = arg;

	return row->batch != 1 && !ctx->worker->setup->is_single &&
	       !bench_kinds[row->layout].has_no_bursts;
}

static bool
single_post(void *arg, const struct bench_row *row, struct bench_sample *sample)
{
	struct bench_rte *ctx = arg;
	bool is_ok;

	ctx->is_single = true;
	is_ok = rte_post(ctx, row, sample);
	ctx->is_single = false;
	return is_ok;
}

/* It has the context of the rte path, so that its queue is as warm and its keys are the same. */
const struct bench_path bench_path_single = {
	.name = "single",
	.what = "the same with a call for each operation, where the other has bursts",
	.can_run = single_can_run,
	.begin = rte_begin,
	.post = single_post,
	.has_completion = rte_has_completion,
	.take = rte_take,
	.counts = rte_counts,
};
