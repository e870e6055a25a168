/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench/path/collect.h"
#include "bench/measure/clock.h"
#include "bench/path/mlx5dv.h"

static bool
dv_has_completion(const void *arg)
{
	const struct bench_dv *ctx = arg;

	return bench_cq_has(&ctx->ring, ctx->cq_ci);
}

/* The completion of the last request covers the whole batch. */
static int
dv_take(void *arg, uint32_t nb, struct bench_sample *sample)
{
	struct bench_dv *ctx = arg;
	uint64_t start;
	struct ibv_wc wc;
	int nb_wc;

	start = bench_section_start();
	nb_wc = ibv_poll_cq(ctx->cq, 1, &wc);
	sample->done = bench_section_end();
	sample->poll += sample->done - start;
	if (nb_wc == 0)
		return 0;
	ctx->cq_ci++;
	if (nb_wc == 1 && wc.status == IBV_WC_SUCCESS)
		return (int)nb;
	tool_error("bench: %s: ibv_poll_cq: %s", ctx->path->name,
		   nb_wc == 1 ? ibv_wc_status_str(wc.status) : "the CQ has failed");
	return -1;
}

/* Collect by checking the CQE; not measured. */
static bool
dv_collect(struct bench_dv *ctx)
{
	struct bench_sample sample;

	return bench_collect(ctx->path, ctx, 1, NULL, &sample);
}

/* Only the last request of a batch generates a completion, as in the rte path. */
static void
request_start(struct bench_dv *ctx, uint32_t i, bool is_last)
{
	ctx->qpx->wr_id = i;
	ctx->qpx->wr_flags = is_last ? IBV_SEND_INLINE | IBV_SEND_SIGNALED : IBV_SEND_INLINE;
}

static void
mkey_start(struct bench_dv *ctx, struct mlx5dv_mkey *mkey, uint8_t nb_setters)
{
	struct mlx5dv_mkey_conf_attr attr = { 0 };

	mlx5dv_wr_mkey_configure(ctx->mqpx, mkey, nb_setters, &attr);
	mlx5dv_wr_set_mkey_access_flags(ctx->mqpx, BENCH_DV_ACCESS);
}

/* Post a batch; layout and setters are constant where the cost of a request is small. */
static __rte_always_inline int
post_batch(struct bench_dv *ctx, const struct bench_row *row, struct mlx5dv_mkey *const *mkeys,
	   const enum bench_layout layout, const uint32_t setters)
{
	const bool has_sig = (setters & RTE_UMR_MKEY_SET_SIG) != 0;
	const bool has_crypto = (setters & RTE_UMR_MKEY_SET_CRYPTO) != 0;
	const struct bench_arrays *arrays = &ctx->worker->arrays;
	const struct mlx5dv_mr_interleaved *entries =
		(const struct mlx5dv_mr_interleaved *)arrays->entries;
	const struct ibv_sge *sges = (const struct ibv_sge *)arrays->segs;
	struct bench_kind_dv *kind = &ctx->keys->kinds[row->layout];

	ibv_wr_start(ctx->qpx);
	for (uint32_t i = 0; i < row->batch; i++) {
		const bool is_last = i == row->batch - 1;

		if (layout == BENCH_INVALIDATE) {
			ctx->qpx->wr_id = i;
			ctx->qpx->wr_flags = is_last ? IBV_SEND_SIGNALED : 0;
			ibv_wr_local_inv(ctx->qpx, mkeys[i]->rkey);
			continue;
		}
		request_start(ctx, i, is_last && layout != BENCH_MIXED);
		mkey_start(ctx, mkeys[i], (uint8_t)(2 + has_sig + has_crypto));
		if (layout == BENCH_INTERLEAVED)
			mlx5dv_wr_set_mkey_layout_interleaved(ctx->mqpx, BENCH_REPEAT,
							      (uint16_t)row->nb_entries, entries);
		else
			mlx5dv_wr_set_mkey_layout_list(ctx->mqpx, (uint16_t)row->nb_entries, sges);
		/* Each request has another tweak or reference tag. */
		if (has_sig) {
			kind->dif.ref_tag = (uint32_t)kind->next;
			mlx5dv_wr_set_mkey_sig_block(ctx->mqpx, &kind->sig);
		}
		if (has_crypto) {
			memcpy(kind->crypto.initial_tweak, &kind->next, sizeof(kind->next));
			mlx5dv_wr_set_mkey_crypto(ctx->mqpx, &kind->crypto);
		}
		if (setters != 0)
			kind->next++;
		if (layout == BENCH_MIXED) {
			ctx->qpx->wr_flags = is_last ? IBV_SEND_SIGNALED : 0;
			ibv_wr_rdma_write(ctx->qpx, ctx->keys->mr->rkey,
					  (uintptr_t)arrays->memory);
			ibv_wr_set_sge(ctx->qpx, mkeys[i]->lkey, 0, BENCH_WRITE_LEN);
		}
	}
	return ibv_wr_complete(ctx->qpx);
}

static int
post_row(struct bench_dv *ctx, const struct bench_row *row, struct mlx5dv_mkey *const *mkeys)
{
	const uint32_t setters = bench_kinds[row->layout].setters;

	ctx->nb_doorbells++;
	if (setters != 0)
		return post_batch(ctx, row, mkeys, BENCH_LIST, setters);
	switch (row->layout) {
	case BENCH_INTERLEAVED:
		return post_batch(ctx, row, mkeys, BENCH_INTERLEAVED, 0);
	case BENCH_MIXED:
		return post_batch(ctx, row, mkeys, BENCH_MIXED, 0);
	case BENCH_INVALIDATE:
		return post_batch(ctx, row, mkeys, BENCH_INVALIDATE, 0);
	default:
		return post_batch(ctx, row, mkeys, BENCH_LIST, 0);
	}
}

static bool
dv_failed(int ret)
{
	tool_error("bench: libmlx5: ibv_wr_complete: %s", strerror(ret));
	return false;
}

static bool
dv_post(void *arg, const struct bench_row *row, struct bench_sample *sample)
{
	struct bench_dv *ctx = arg;
	struct mlx5dv_mkey *const *mkeys = bench_dv_keys_next(ctx->keys, row);
	uint64_t start;
	bool is_counted;
	int ret = 0;

	/* Only a key with a layout can be invalidated. */
	if (row->layout == BENCH_INVALIDATE) {
		is_counted = bench_count_pause();
		ret = post_batch(ctx, row, mkeys, BENCH_LIST, 0);
		ctx->nb_prepared++;
		if (ret == 0 && !dv_collect(ctx))
			return false;
		bench_count_resume(is_counted);
	}
	start = bench_section_start();
	if (ret == 0)
		ret = post_row(ctx, row, mkeys);
	sample->posted = bench_section_end();
	sample->post = sample->posted - start;
	return ret == 0 || dv_failed(ret);
}

bool
bench_dv_write(struct bench_dv *ctx, const struct bench_dv_writes *writes,
	       struct bench_sample *sample)
{
	const struct ibv_sge *sges = (const struct ibv_sge *)writes->segs;
	uint64_t start = bench_section_start();
	int ret;

	ibv_wr_start(ctx->qpx);
	for (uint32_t i = 0; i < writes->nb; i++) {
		ctx->qpx->wr_id = i;
		ctx->qpx->wr_flags = i == writes->nb - 1 ? IBV_SEND_SIGNALED : 0;
		ibv_wr_rdma_write(ctx->qpx, writes->rkey, writes->remote[i]);
		ibv_wr_set_sge_list(ctx->qpx, writes->nb_segs, &sges[i * writes->nb_segs]);
	}
	ret = ibv_wr_complete(ctx->qpx);
	sample->posted = bench_section_end();
	sample->post = sample->posted - start;
	ctx->nb_doorbells++;
	return ret == 0 || dv_failed(ret);
}

static bool
inner_configure(struct bench_dv *ctx)
{
	const struct ibv_sge sge = {
		.addr = (uintptr_t)ctx->worker->arrays.memory,
		.length = BENCH_MEMORY_SIZE,
		.lkey = ctx->keys->mr->lkey,
	};
	int ret;

	ibv_wr_start(ctx->qpx);
	request_start(ctx, 0, true);
	mkey_start(ctx, ctx->keys->inner, 2);
	mlx5dv_wr_set_mkey_layout_list(ctx->mqpx, 1, &sge);
	ret = ibv_wr_complete(ctx->qpx);
	ctx->nb_doorbells++;
	if (ret != 0)
		return dv_failed(ret);
	return dv_collect(ctx);
}

static bool
dv_open(void *arg, struct bench_worker *worker)
{
	struct bench_dv *ctx = arg;

	ctx->keys = tool_calloc("bench", 1, sizeof(*ctx->keys));
	return ctx->keys != NULL && bench_dv_keys_open(ctx->keys, worker) &&
	       bench_dv_open(ctx, worker, &bench_path_libmlx5) && inner_configure(ctx);
}

static bool
unlocked_open(void *arg, struct bench_worker *worker)
{
	struct bench_dv *ctx = arg;

	ctx->keys = bench_dv_keys_of(worker);
	return bench_dv_open(ctx, worker, &bench_path_unlocked);
}

/* Only rte_umr has pools of keys, updates and transactions; libmlx5 has entries only in the WQE. */
static bool
dv_can_run(const void *arg, const struct bench_row *row)
{
	const struct bench_dv *ctx = arg;

	return ctx->qp != NULL && !bench_kinds[row->layout].is_rte_only &&
	       row->nb_entries <= BENCH_MAX_INLINE && row->nb_keys <= ctx->keys->nb_mkeys;
}

static bool
dv_begin(void *arg, const struct bench_row *row, uint32_t offset)
{
	struct bench_dv *ctx = arg;

	bench_dv_begin(ctx->keys, ctx->worker, row, offset);
	return true;
}

static void
dv_counts(const void *arg, uint64_t *nb_doorbells, uint64_t *nb_cqes)
{
	const struct bench_dv *ctx = arg;

	*nb_doorbells = ctx->nb_doorbells;
	*nb_cqes = ctx->cq_ci - ctx->nb_prepared;
}

static void
unlocked_close(void *ctx)
{
	bench_dv_close(ctx);
}

static void
dv_close(void *arg)
{
	struct bench_dv *ctx = arg;

	bench_dv_close(ctx);
	if (ctx->keys != NULL)
		bench_dv_keys_close(ctx->keys);
	free(ctx->keys);
}

const struct bench_path bench_path_libmlx5 = {
	.name = "libmlx5",
	.what = "mlx5dv_wr_mkey_configure(), two setters (or ibv_wr_local_inv(),\n"
		"          ibv_wr_rdma_write()), ibv_wr_complete(), ibv_poll_cq()",
	.size = sizeof(struct bench_dv),
	.open = dv_open,
	.can_run = dv_can_run,
	.begin = dv_begin,
	.post = dv_post,
	.has_completion = dv_has_completion,
	.take = dv_take,
	.counts = dv_counts,
	.close = dv_close,
};

const struct bench_path bench_path_unlocked = {
	.name = "unlocked",
	.what = "the same in a thread domain, with a CQ for one thread",
	.size = sizeof(struct bench_dv),
	.open = unlocked_open,
	.can_run = dv_can_run,
	.begin = dv_begin,
	.post = dv_post,
	.has_completion = dv_has_completion,
	.take = dv_take,
	.counts = dv_counts,
	.close = unlocked_close,
};
