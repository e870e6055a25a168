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

/* Post a batch by a call for each key; the layout is constant. */
static __rte_always_inline int
post_calls(struct bench_rte *ctx, const struct bench_row *row, struct rte_umr_mkey *const *mkeys,
	   const enum bench_layout layout)
{
	const struct bench_arrays *arrays = &ctx->worker->arrays;
	const struct rte_umr_interleaved *entries = arrays->entries;
	const struct rte_umr_seg *segs = arrays->segs;
	const uint64_t remote = (uintptr_t)arrays->memory;
	const uint32_t nb = row->nb_entries, nb_update = RTE_MIN(nb, BENCH_MAX_UPDATE);
	const uint16_t queue_id = ctx->queue_id;
	const int16_t dev_id = ctx->dev_id;
	struct rte_umr_seg local = { .length = BENCH_WRITE_LEN };
	int ret = 0;

	for (uint32_t i = 0; i < row->batch && ret >= 0; i++) {
		const uint64_t flags = submit_flag(ctx, row, i);

		if (layout != BENCH_UPDATE)
			keys_prefetch(ctx, row, mkeys, i);
		switch (layout) {
		case BENCH_INTERLEAVED:
			ret = rte_umr_mkey_interleaved(dev_id, queue_id, mkeys[i], BENCH_ACCESS,
						       BENCH_REPEAT, entries, nb, flags);
			break;
		case BENCH_INVALIDATE:
			ret = rte_umr_mkey_invalidate(dev_id, queue_id, mkeys[i], flags);
			break;
		case BENCH_UPDATE:
			ret = rte_umr_mkey_update(dev_id, queue_id, mkeys[i], nb - nb_update, segs,
						  nb_update, flags);
			break;
		default:
			ret = rte_umr_mkey_list(dev_id, queue_id, mkeys[i], BENCH_ACCESS, segs, nb,
						layout == BENCH_MIXED ? 0 : flags);
			break;
		}
		if (layout == BENCH_MIXED && ret >= 0) {
			local.lkey = mkeys[i]->key;
			ret = rte_umr_write(dev_id, queue_id, &local, remote, ctx->mr->rkey, flags);
		}
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
				  post_calls(ctx, row, mkeys, BENCH_INTERLEAVED);
	case BENCH_MIXED:
		return post_calls(ctx, row, mkeys, BENCH_MIXED);
	case BENCH_UPDATE:
		return post_calls(ctx, row, mkeys, BENCH_UPDATE);
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
		return !is_burst ? post_calls(ctx, row, mkeys, BENCH_INVALIDATE) :
		       burst_result(rte_umr_mkey_invalidate_burst(ctx->dev_id, ctx->queue_id, mkeys,
								  (uint16_t)row->batch,
								  ctx->submit), row);
	default:
		return is_burst ? post_burst(ctx, row, mkeys, RTE_UMR_LAYOUT_LIST,
					     ctx->worker->arrays.segs, false, false) :
				  post_calls(ctx, row, mkeys, BENCH_LIST);
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
		ret = post_calls(ctx, row, mkeys, BENCH_LIST);
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
