/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* The calls of each row of the rte path. */

#include <errno.h>

#include <rte_errno.h>

#include "bench/measure/count.h"
#include "bench/path/rte.h"

/* Keys of the next batch. */
static struct rte_umr_mkey *const *
keys_next(struct bench_rte *ctx, const struct bench_row *row)
{
	uint32_t pos = ctx->pos;

	if (pos + row->batch > row->nb_keys)
		pos = 0;
	ctx->pos = pos + row->batch;
	ctx->nb_used += row->batch;
	return &ctx->mkeys[pos];
}

/* Check that a call accepted the whole batch. */
static int
burst_result(int ret, const struct bench_row *row)
{
	if (ret < 0)
		return ret;
	return ret == (int)row->batch ? 0 : -ENOSPC;
}

/* Fill in the common fields of all operations of a row once; an application keeps its array. */
static void
ops_init(struct bench_rte *ctx, const struct bench_row *row, uint32_t layout)
{
	const struct bench_kind_rte *kind = &ctx->kinds[row->layout];
	const uint32_t setters = bench_kinds[row->layout].setters;

	for (uint32_t i = 0; i < BENCH_MAX_BATCH; i++)
		ctx->ops[i] = (struct rte_umr_mkey_op){
			.setters = RTE_UMR_MKEY_SET_ACCESS_LAYOUT | setters,
			.access = BENCH_ACCESS,
			.layout = layout,
			.nb_entries = row->nb_entries,
			.repeat = BENCH_REPEAT,
			.crypto = kind->cryptos != NULL ? &kind->cryptos[i] : NULL,
			.sig = kind->sigs != NULL ? &kind->sigs[i] : NULL,
		};
}

/* Filling in the fields of each operation is timed: an application has to do it, too. */
static __rte_always_inline int
post_burst(struct bench_rte *ctx, const struct bench_row *row, struct rte_umr_mkey *const *mkeys,
	   uint32_t layout, const void *entries, const bool has_tweak, const bool has_tag)
{
	struct bench_kind_rte *kind = &ctx->kinds[row->layout];
	struct rte_umr_mkey_op *op = ctx->ops, *end = op + row->batch;

	if (unlikely(op->layout != layout || op->nb_entries != row->nb_entries ||
		     op->sig != kind->sigs || op->crypto != kind->cryptos || op->setters == 0))
		ops_init(ctx, row, layout);
	for (; op != end; op++, mkeys++) {
		bench_kind_next(kind, (uint32_t)(op - ctx->ops), has_tweak, has_tag);
		op->mkey = *mkeys;
		op->segs = entries;
		op->nb_entries = row->nb_entries;
	}
	return burst_result(rte_umr_mkey_configure_burst(ctx->dev_id, ctx->queue_id, ctx->ops,
							 (uint16_t)row->batch, ctx->submit), row);
}

static int
post_invalidate_burst(struct bench_rte *ctx, const struct bench_row *row,
		      struct rte_umr_mkey *const *mkeys)
{
	return burst_result(rte_umr_mkey_invalidate_burst(ctx->dev_id, ctx->queue_id, mkeys,
							  (uint16_t)row->batch, ctx->submit),
			    row);
}

/* Flags of operation i; the last one submits the batch. */
static inline uint64_t
submit_flag(const struct bench_rte *ctx, const struct bench_row *row, uint32_t i)
{
	return i == row->batch - 1 ? ctx->submit : 0;
}

/* Prefetch the keys of the next calls. */
static inline void
keys_prefetch(const struct bench_rte *ctx, const struct bench_row *row,
	      struct rte_umr_mkey *const *mkeys, uint32_t i)
{
	const uint32_t ahead = ctx->nb_ahead;

	if (ahead == 0)
		return;
	for (uint32_t j = i == 0 ? 1 : i + ahead; j <= i + ahead && j < row->batch; j++)
		rte_umr_mkey_prefetch(mkeys[j]);
}

static int
post_list(struct bench_rte *ctx, const struct bench_row *row, struct rte_umr_mkey *const *mkeys)
{
	const struct rte_umr_seg *segs = ctx->worker->arrays.segs;
	int ret = 0;

	for (uint32_t i = 0; i < row->batch && ret >= 0; i++) {
		keys_prefetch(ctx, row, mkeys, i);
		ret = rte_umr_mkey_list(ctx->dev_id, ctx->queue_id, mkeys[i], BENCH_ACCESS, segs,
					row->nb_entries, submit_flag(ctx, row, i));
	}
	return ret;
}

static int
post_interleaved(struct bench_rte *ctx, const struct bench_row *row,
		 struct rte_umr_mkey *const *mkeys)
{
	const struct rte_umr_interleaved *entries = ctx->worker->arrays.entries;
	int ret = 0;

	for (uint32_t i = 0; i < row->batch && ret >= 0; i++) {
		keys_prefetch(ctx, row, mkeys, i);
		ret = rte_umr_mkey_interleaved(ctx->dev_id, ctx->queue_id, mkeys[i], BENCH_ACCESS,
					       BENCH_REPEAT, entries, row->nb_entries,
					       submit_flag(ctx, row, i));
	}
	return ret;
}

/* Configure keys with a list and more, by one call for each. */
static __rte_always_inline int
post_configure(struct bench_rte *ctx, const struct bench_row *row,
	       struct rte_umr_mkey *const *mkeys, const bool has_tweak, const bool has_tag)
{
	struct bench_kind_rte *kind = &ctx->kinds[row->layout];
	struct rte_umr_mkey_op op = {
		.setters = RTE_UMR_MKEY_SET_ACCESS_LAYOUT | bench_kinds[row->layout].setters,
		.access = BENCH_ACCESS,
		.layout = RTE_UMR_LAYOUT_LIST,
		.nb_entries = row->nb_entries,
		.segs = ctx->worker->arrays.segs,
	};
	int ret = 0;

	for (uint32_t i = 0; i < row->batch && ret >= 0; i++) {
		keys_prefetch(ctx, row, mkeys, i);
		bench_kind_next(kind, i, has_tweak, has_tag);
		op.mkey = mkeys[i];
		op.crypto = kind->cryptos != NULL ? &kind->cryptos[i] : NULL;
		op.sig = kind->sigs != NULL ? &kind->sigs[i] : NULL;
		ret = rte_umr_mkey_configure(ctx->dev_id, ctx->queue_id, &op,
					     submit_flag(ctx, row, i));
	}
	return ret;
}

static __rte_always_inline int
post_kind(struct bench_rte *ctx, const struct bench_row *row, struct rte_umr_mkey *const *mkeys,
	  bool is_burst, const bool has_tweak, const bool has_tag)
{
	return is_burst ? post_burst(ctx, row, mkeys, RTE_UMR_LAYOUT_LIST,
				     ctx->worker->arrays.segs, has_tweak, has_tag) :
			  post_configure(ctx, row, mkeys, has_tweak, has_tag);
}

static int
post_mixed(struct bench_rte *ctx, const struct bench_row *row, struct rte_umr_mkey *const *mkeys)
{
	const struct rte_umr_seg *segs = ctx->worker->arrays.segs;
	uint64_t remote = (uintptr_t)ctx->worker->arrays.memory;
	struct rte_umr_seg local = { .length = BENCH_WRITE_LEN };
	uint32_t rkey = ctx->mr->rkey;
	int ret = 0;

	for (uint32_t i = 0; i < row->batch && ret >= 0; i++) {
		keys_prefetch(ctx, row, mkeys, i);
		ret = rte_umr_mkey_list(ctx->dev_id, ctx->queue_id, mkeys[i], BENCH_ACCESS, segs,
					row->nb_entries, 0);
		if (ret < 0)
			break;
		local.lkey = mkeys[i]->key;
		ret = rte_umr_write(ctx->dev_id, ctx->queue_id, &local, remote, rkey,
				    submit_flag(ctx, row, i));
	}
	return ret;
}

static int
post_update(struct bench_rte *ctx, const struct bench_row *row, struct rte_umr_mkey *const *mkeys)
{
	const uint32_t nb = RTE_MIN(row->nb_entries, BENCH_MAX_UPDATE);
	const struct rte_umr_seg *segs = ctx->worker->arrays.segs;
	int ret = 0;

	for (uint32_t i = 0; i < row->batch && ret >= 0; i++)
		ret = rte_umr_mkey_update(ctx->dev_id, ctx->queue_id, mkeys[i],
					  row->nb_entries - nb, segs, nb, submit_flag(ctx, row, i));
	return ret;
}

static int
post_invalidate(struct bench_rte *ctx, const struct bench_row *row,
		struct rte_umr_mkey *const *mkeys)
{
	int ret = 0;

	for (uint32_t i = 0; i < row->batch && ret >= 0; i++) {
		keys_prefetch(ctx, row, mkeys, i);
		ret = rte_umr_mkey_invalidate(ctx->dev_id, ctx->queue_id, mkeys[i],
					      submit_flag(ctx, row, i));
	}
	return ret;
}

bool
bench_rte_keyget_post(struct bench_rte *ctx, const struct bench_row *row,
		      struct bench_sample *sample)
{
	uint64_t start = bench_section_start();
	int ret;

	ret = rte_umr_mkey_get_bulk(ctx->pool, ctx->burst, row->batch);
	sample->post = bench_section_end() - start;
	if (ret != 0) {
		tool_error("bench: rte: taking %u keys: %s", row->batch, rte_strerror(-ret));
		return false;
	}
	start = bench_section_start();
	rte_umr_mkey_put_bulk(ctx->pool, ctx->burst, row->batch);
	sample->poll = bench_section_end() - start;
	return true;
}

static int
post_row(struct bench_rte *ctx, const struct bench_row *row, struct rte_umr_mkey *const *mkeys)
{
	bool is_burst = row->batch > 1 && !ctx->is_single;

	switch (row->layout) {
	case BENCH_INTERLEAVED:
		return is_burst ? post_burst(ctx, row, mkeys, RTE_UMR_LAYOUT_INTERLEAVED,
					     ctx->worker->arrays.entries, false, false) :
				  post_interleaved(ctx, row, mkeys);
	case BENCH_MIXED:
		return post_mixed(ctx, row, mkeys);
	case BENCH_UPDATE:
		return post_update(ctx, row, mkeys);
	case BENCH_CRYPTO:
	case BENCH_SIGCRYPTO:
		return post_kind(ctx, row, mkeys, is_burst, true, false);
	case BENCH_DIF:
	case BENCH_DIF_BOTH:
		return post_kind(ctx, row, mkeys, is_burst, false, true);
	case BENCH_SIGNATURE:
	case BENCH_TRANS:
		return post_kind(ctx, row, mkeys, is_burst, false, false);
	case BENCH_INVALIDATE:
		return is_burst ? post_invalidate_burst(ctx, row, mkeys) :
				  post_invalidate(ctx, row, mkeys);
	default:
		return is_burst ? post_burst(ctx, row, mkeys, RTE_UMR_LAYOUT_LIST,
					     ctx->worker->arrays.segs, false, false) :
				  post_list(ctx, row, mkeys);
	}
}

bool
bench_rte_post(void *arg, const struct bench_row *row, bool has_doorbell,
	       struct bench_sample *sample)
{
	struct bench_rte *ctx = arg;
	struct rte_umr_mkey *const *mkeys = keys_next(ctx, row);
	uint64_t start;
	bool is_counted;
	int ret = 0;

	ctx->submit = RTE_UMR_OP_F_SUBMIT;
	/* Only a key with a layout can be invalidated. */
	if (row->layout == BENCH_INVALIDATE) {
		is_counted = bench_count_pause();
		ret = post_list(ctx, row, mkeys);
		ctx->nb_prepared++;
		if (ret >= 0 && !bench_rte_collect(ctx, row->batch))
			return false;
		bench_count_resume(is_counted);
	}
	ctx->submit = has_doorbell ? RTE_UMR_OP_F_SUBMIT : 0;
	start = bench_section_start();
	if (ret >= 0)
		ret = post_row(ctx, row, mkeys);
	sample->posted = bench_section_end();
	sample->post = sample->posted - start;
	if (ret < 0)
		tool_error("bench: rte: posting %u %s of %u entries: %s", row->batch,
			   bench_layout_name(row->layout), row->nb_entries, rte_strerror(-ret));
	return ret >= 0;
}
