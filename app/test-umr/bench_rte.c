/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdlib.h>

#include <rte_cycles.h>
#include <rte_errno.h>
#include <rte_memory.h>
#include <rte_pause.h>

#include "bench.h"

#define QUEUE_ID	0u
#define ACCESS                                                                                     \
	(RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_READ | RTE_UMR_ACCESS_REMOTE_WRITE)

/* rte_umr on a loopback queue. */
struct bench_rte {
	int16_t dev_id;
	struct rte_umr_mr *mr;
	struct rte_umr_mkey_pool *pool;
	uint32_t nb_mkeys;
	struct rte_umr_mkey *mkeys[BENCH_MAX_BATCH];
	struct rte_umr_seg segs[BENCH_MAX_ENTRIES];
	struct rte_umr_interleaved entries[BENCH_MAX_ENTRIES];
};

static bool
queue_start(int16_t dev_id, const struct rte_umr_dev_info *info, uint32_t max_batch)
{
	uint32_t op_desc = info->mkey_hdr_desc +
			   (BENCH_MAX_ENTRIES + info->entries_per_desc - 1u) /
				   info->entries_per_desc;
	uint32_t nb_desc = RTE_MAX(rte_align32pow2(max_batch * op_desc + 1), info->min_desc);
	struct rte_umr_dev_conf dev_conf = { .nb_queues = 1 };
	struct rte_umr_queue_conf conf = {
		.transport = RTE_UMR_TRANSPORT_LOOPBACK,
		.socket_id = SOCKET_ID_ANY,
	};
	int ret;

	if (nb_desc > info->max_desc) {
		tool_error("bench: a batch of %u needs %u descriptors, %s has %u", max_batch,
			   nb_desc, info->dev_name, info->max_desc);
		return false;
	}
	conf.nb_desc = (uint16_t)nb_desc;
	ret = rte_umr_dev_configure(dev_id, &dev_conf);
	if (ret == 0)
		ret = rte_umr_queue_setup(dev_id, QUEUE_ID, &conf);
	if (ret == 0)
		ret = rte_umr_dev_start(dev_id);
	if (ret != 0)
		tool_error("bench: starting %s: %s", info->dev_name, rte_strerror(-ret));
	return ret == 0;
}

static void
rte_close(void *arg)
{
	struct bench_rte *ctx = arg;

	if (ctx == NULL)
		return;
	rte_umr_dev_stop(ctx->dev_id);
	if (ctx->nb_mkeys != 0)
		rte_umr_mkey_put_bulk(ctx->pool, ctx->mkeys, ctx->nb_mkeys);
	rte_umr_mkey_pool_destroy(ctx->pool);
	rte_umr_mr_deregister(ctx->mr);
	free(ctx);
}

static bool
keys_create(struct bench_rte *ctx, const struct rte_umr_dev_info *info, uint32_t max_batch)
{
	struct rte_umr_mkey_pool_conf conf = {
		.nb_mkeys = max_batch,
		.max_entries = RTE_MIN(BENCH_MAX_ENTRIES, info->max_entries),
		.socket_id = SOCKET_ID_ANY,
	};
	int ret;

	ctx->pool = rte_umr_mkey_pool_create(ctx->dev_id, &conf);
	if (ctx->pool == NULL) {
		tool_error("bench: creating %u keys: %s", max_batch, rte_strerror(rte_errno));
		return false;
	}
	ret = rte_umr_mkey_get_bulk(ctx->pool, ctx->mkeys, max_batch);
	if (ret != 0) {
		tool_error("bench: taking %u keys: %s", max_batch, rte_strerror(-ret));
		return false;
	}
	ctx->nb_mkeys = max_batch;
	return true;
}

static void *
rte_open(int16_t dev_id, uint8_t *memory, uint32_t max_batch)
{
	struct bench_rte *ctx = calloc(1, sizeof(*ctx));
	struct rte_umr_dev_info info;

	if (ctx == NULL) {
		tool_error("bench: out of memory");
		return NULL;
	}
	ctx->dev_id = dev_id;
	rte_umr_dev_info_get(dev_id, &info);
	ctx->mr = rte_umr_mr_register(dev_id, memory, BENCH_MEMORY_SIZE, ACCESS, 0);
	if (ctx->mr == NULL) {
		tool_error("bench: registering memory: %s", rte_strerror(rte_errno));
		goto close;
	}
	if (!queue_start(dev_id, &info, max_batch) || !keys_create(ctx, &info, max_batch))
		goto close;
	bench_list_fill(ctx->segs, memory, ctx->mr->lkey);
	bench_interleaved_fill(ctx->entries, memory, ctx->mr->lkey);
	return ctx;

close:
	rte_close(ctx);
	return NULL;
}

static int
post_list(struct bench_rte *ctx, const struct bench_row *row)
{
	uint32_t nb = row->nb_entries;
	int ret = 0;

	for (uint32_t i = 0; i < row->batch && ret >= 0; i++)
		ret = rte_umr_mkey_list(ctx->dev_id, QUEUE_ID, ctx->mkeys[i], ACCESS, ctx->segs,
					nb, 0);
	return ret < 0 ? ret : rte_umr_submit(ctx->dev_id, QUEUE_ID);
}

static int
post_interleaved(struct bench_rte *ctx, const struct bench_row *row)
{
	uint32_t nb = row->nb_entries;
	int ret = 0;

	for (uint32_t i = 0; i < row->batch && ret >= 0; i++)
		ret = rte_umr_mkey_interleaved(ctx->dev_id, QUEUE_ID, ctx->mkeys[i], ACCESS,
					       BENCH_REPEAT, ctx->entries, nb, 0);
	return ret < 0 ? ret : rte_umr_submit(ctx->dev_id, QUEUE_ID);
}

/* Time each call; only the one that gives the batch back counts. */
static bool
poll_batch(struct bench_rte *ctx, const struct bench_row *row, struct bench_sample *sample)
{
	uint64_t deadline = rte_rdtsc() + rte_get_tsc_hz() * BENCH_TIMEOUT_MS / 1000;
	uint16_t batch = (uint16_t)row->batch;
	uint16_t nb_done = 0, nb, last_idx;
	bool has_error = false;
	uint64_t start, end;

	sample->poll = 0;
	do {
		start = rte_rdtsc();
		nb = rte_umr_completed(ctx->dev_id, QUEUE_ID, (uint16_t)(batch - nb_done),
				       &last_idx, &has_error);
		end = rte_rdtsc();
		if (nb != 0) {
			sample->poll += end - start;
			nb_done += nb;
		} else {
			rte_pause();
		}
	} while (nb_done < batch && !has_error && end < deadline);
	if (nb_done == batch)
		return true;
	tool_error("bench: rte: %u of %u operations came back%s", nb_done, batch,
		   has_error ? ", then one failed" : " in time");
	return false;
}

static bool
rte_run(void *arg, const struct bench_row *row, struct bench_sample *sample)
{
	struct bench_rte *ctx = arg;
	uint64_t start, end;
	int ret;

	start = rte_rdtsc();
	ret = row->is_interleaved ? post_interleaved(ctx, row) : post_list(ctx, row);
	end = rte_rdtsc();
	if (ret < 0) {
		tool_error("bench: rte: posting failed: %s", rte_strerror(-ret));
		return false;
	}
	sample->post = end - start;
	return poll_batch(ctx, row, sample);
}

const struct bench_path bench_path_rte = {
	.name = "rte",
	.what = "rte_umr_mkey_list/_interleaved(), rte_umr_submit(), rte_umr_completed()",
	.open = rte_open,
	.run = rte_run,
	.close = rte_close,
};
