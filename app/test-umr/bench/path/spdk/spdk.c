/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * The builder of SPDK, lib/mlx5, with its own queue pair, pools of keys and PSVs, used as its
 * accel_mlx5 does; only built with -Dspdk. Memory and protection domain are those of the libmlx5
 * path.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure/clock.h"
#include "bench/path/collect.h"
#include "bench/path/mlx5dv.h"

#include <mlx5_priv.h>
#include <mlx5_ifc.h>

#define DEK_SIZE	32u
#define MAX_CQE		1024u
#define MAX_SEND_WR	32768u

/** Keys of a layout, of the pool with these flags. */
struct spdk_keys {
	struct spdk_mlx5_mkey_pool *pool;
	struct spdk_mlx5_mkey_pool_obj **taken;	/* in the order of the pool */
	struct spdk_mlx5_psv **psvs;		/* of the keys with signatures */
	uint32_t nb;
};

struct bench_spdk {
	struct bench_worker *worker;
	struct bench_dv_keys *memory;
	struct spdk_mlx5_cq *cq;
	struct spdk_mlx5_qp *qp;
	struct bench_cq ring;
	uint64_t nb_doorbells;
	uint32_t nb_cqes;
	uint32_t max_entries;
	/* Indexed by the layout: list, crypto, transaction. */
	struct spdk_keys keys[BENCH_NB_LAYOUTS];
	struct mlx5dv_devx_obj *dek;
	uint32_t dek_id;
	uint64_t tweak;			/* of the next operation */
	/* Of the row. */
	struct spdk_mlx5_mkey_pool_obj **objs;	/* in the order of use */
	uint32_t *order;
	uint32_t nb_ordered;
	enum bench_layout ordered;
	uint32_t pos;
	uint32_t len;
};

static bool
spdk_error(const char *what, int ret)
{
	tool_error("bench: spdk: %s: %s", what, strerror(ret < 0 ? -ret : ret));
	return false;
}

static uint32_t
pool_flags(enum bench_layout layout)
{
	switch (layout) {
	case BENCH_CRYPTO:
		return SPDK_MLX5_MKEY_POOL_FLAG_CRYPTO;
	case BENCH_TRANS:
		return SPDK_MLX5_MKEY_POOL_FLAG_SIGNATURE;
	default:
		return 0;
	}
}

static bool
is_offered(enum bench_layout layout)
{
	return layout == BENCH_LIST || layout == BENCH_CRYPTO || layout == BENCH_TRANS;
}

static bool
cq_create(struct bench_spdk *ctx, const struct ibv_device_attr *dev_attr)
{
	struct spdk_mlx5_cq_attr attr = {
		/* libmlx5 creates one more than requested. */
		.cqe_cnt = RTE_MIN(MAX_CQE, (uint32_t)dev_attr->max_cqe - 1), .cqe_size = 64,
	};
	int ret = spdk_mlx5_cq_create(ctx->memory->pd, &attr, &ctx->cq);

	if (ret != 0)
		return spdk_error("spdk_mlx5_cq_create", ret);
	ctx->ring = (struct bench_cq){
		.ring = (volatile struct mlx5_cqe64 *)ctx->cq->hw.cq_addr,
		.mask = ctx->cq->hw.cqe_cnt - 1,
	};
	return true;
}

/* A send ring as deep as that of the driver: requests are counted as in the libmlx5 path. */
static bool
qp_create(struct bench_spdk *ctx, const struct bench_setup *setup,
	  const struct ibv_device_attr *dev_attr)
{
	struct spdk_mlx5_qp_attr attr = {
		.cap = { .max_send_wr = setup->max_batch, .max_recv_sge = 1 },
	};
	int ret;

	attr.cap.max_send_sge = RTE_MIN(RTE_MIN(setup->max_entries, BENCH_MAX_BSF),
					(uint32_t)dev_attr->max_sge);
	for (;;) {
		ret = spdk_mlx5_qp_create(ctx->memory->pd, ctx->cq, &attr, &ctx->qp);
		if (ret != 0)
			return spdk_error("spdk_mlx5_qp_create", ret);
		if (ctx->qp->hw.sq_wqe_cnt >= setup->depth || attr.cap.max_send_wr >= MAX_SEND_WR)
			break;
		spdk_mlx5_qp_destroy(ctx->qp);
		ctx->qp = NULL;
		attr.cap.max_send_wr *= 2;
	}
	ctx->max_entries = ctx->qp->max_send_sge;
	return true;
}

static bool
psvs_create(struct bench_spdk *ctx, struct spdk_keys *keys)
{
	keys->psvs = calloc(keys->nb, sizeof(keys->psvs[0]));
	for (uint32_t i = 0; keys->psvs != NULL && i < keys->nb; i++) {
		keys->psvs[i] = spdk_mlx5_create_psv(ctx->memory->pd);
		if (keys->psvs[i] == NULL)
			return spdk_error("spdk_mlx5_create_psv", errno);
	}
	return keys->psvs != NULL || spdk_error("PSVs", ENOMEM);
}

static bool
keys_open(struct bench_spdk *ctx, const struct bench_setup *setup, enum bench_layout layout)
{
	const uint32_t flags = pool_flags(layout);
	const uint32_t nb = flags == 0 ? setup->max_keys_libmlx5 :
			    bench_kind_pool_keys(layout, setup->max_keys_libmlx5);
	struct spdk_mlx5_mkey_pool_param param = { .mkey_count = nb, .flags = flags };
	struct spdk_keys *keys = &ctx->keys[layout];
	int ret;

	ret = spdk_mlx5_mkey_pool_init(&param, ctx->memory->pd);
	if (ret != 0)
		return spdk_error("spdk_mlx5_mkey_pool_init", ret);
	keys->pool = spdk_mlx5_mkey_pool_get_ref(ctx->memory->pd, flags);
	keys->taken = calloc(nb, sizeof(keys->taken[0]));
	if (keys->taken == NULL)
		return spdk_error("keys", ENOMEM);
	ret = spdk_mlx5_mkey_pool_get_bulk(keys->pool, keys->taken, nb);
	if (ret != 0)
		return spdk_error("spdk_mlx5_mkey_pool_get_bulk", ret);
	keys->nb = nb;
	return layout != BENCH_TRANS || psvs_create(ctx, keys);
}

static void
keys_close(struct bench_spdk *ctx, enum bench_layout layout)
{
	struct spdk_keys *keys = &ctx->keys[layout];

	for (uint32_t i = 0; keys->psvs != NULL && i < keys->nb; i++)
		if (keys->psvs[i] != NULL)
			spdk_mlx5_destroy_psv(keys->psvs[i]);
	if (keys->nb != 0)
		spdk_mlx5_mkey_pool_put_bulk(keys->pool, keys->taken, keys->nb);
	if (keys->pool != NULL) {
		spdk_mlx5_mkey_pool_put_ref(keys->pool);
		spdk_mlx5_mkey_pool_destroy(pool_flags(layout), ctx->memory->pd);
	}
	free(keys->psvs);
	free(keys->taken);
}

/* An encryption key in plaintext, which needs no login: two different AES keys of 128 bits. */
static bool
dek_create(struct bench_spdk *ctx)
{
	uint32_t in[DEVX_ST_SZ_DW(create_encryption_key_obj_in)] = { 0 };
	uint32_t out[DEVX_ST_SZ_DW(general_obj_out_cmd_hdr)] = { 0 };
	void *hdr = DEVX_ADDR_OF(create_encryption_key_obj_in, in, hdr);
	void *key = DEVX_ADDR_OF(create_encryption_key_obj_in, in, key_obj);
	uint32_t pdn;

	if (mlx5_get_pd_id(ctx->memory->pd, &pdn) != 0)
		return spdk_error("protection domain", EINVAL);
	DEVX_SET(general_obj_in_cmd_hdr, hdr, opcode, MLX5_CMD_OP_CREATE_GENERAL_OBJECT);
	DEVX_SET(general_obj_in_cmd_hdr, hdr, obj_type, MLX5_OBJ_TYPE_DEK);
	DEVX_SET(encryption_key_obj, key, key_purpose,
		 MLX5_ENCRYPTION_KEY_OBJ_KEY_PURPOSE_AES_XTS);
	DEVX_SET(encryption_key_obj, key, pd, pdn);
	for (uint32_t i = 0; i < DEK_SIZE; i++)
		((uint8_t *)DEVX_ADDR_OF(encryption_key_obj, key, key))[i] = (uint8_t)i;
	ctx->dek = mlx5dv_devx_obj_create(ctx->memory->ibv, in, sizeof(in), out, sizeof(out));
	if (ctx->dek == NULL)
		return spdk_error("the encryption key", errno);
	ctx->dek_id = DEVX_GET(general_obj_out_cmd_hdr, out, obj_id);
	return true;
}

static void
spdk_close(void *arg)
{
	struct bench_spdk *ctx = arg;

	if (ctx->qp != NULL)
		spdk_mlx5_qp_destroy(ctx->qp);
	if (ctx->cq != NULL)
		spdk_mlx5_cq_destroy(ctx->cq);
	for (unsigned int i = 0; i < BENCH_NB_LAYOUTS; i++)
		keys_close(ctx, i);
	if (ctx->dek != NULL)
		mlx5dv_devx_obj_destroy(ctx->dek);
	free(ctx->objs);
	free(ctx->order);
}

static bool
spdk_open(void *arg, struct bench_worker *worker)
{
	const struct bench_setup *setup = worker->setup;
	struct bench_spdk *ctx = arg;
	struct ibv_device_attr dev_attr;
	int ret;

	ctx->worker = worker;
	ctx->memory = bench_dv_keys_of(worker);
	ret = ibv_query_device(ctx->memory->ibv, &dev_attr);
	if (ret != 0)
		return spdk_error("ibv_query_device", ret);
	ctx->objs = calloc(setup->max_keys_libmlx5, sizeof(ctx->objs[0]));
	ctx->order = calloc(setup->max_keys_libmlx5, sizeof(ctx->order[0]));
	if (ctx->objs == NULL || ctx->order == NULL)
		return spdk_error("keys", ENOMEM);
	if (!cq_create(ctx, &dev_attr) || !qp_create(ctx, setup, &dev_attr))
		return false;
	for (unsigned int i = 0; i < BENCH_NB_LAYOUTS; i++)
		if (setup->has_layout[i] && is_offered(i) && !keys_open(ctx, setup, i))
			return false;
	return !setup->has_layout[BENCH_CRYPTO] || dek_create(ctx);
}

static bool
spdk_can_run(const void *arg, const struct bench_row *row)
{
	const struct bench_spdk *ctx = arg;

	return is_offered(row->layout) && ctx->keys[row->layout].nb != 0 &&
	       row->nb_entries <= ctx->max_entries &&
	       row->nb_keys <= ctx->worker->setup->max_keys_libmlx5;
}

static bool
spdk_begin(void *arg, const struct bench_row *row, uint32_t offset)
{
	struct bench_spdk *ctx = arg;
	const struct spdk_keys *keys = &ctx->keys[row->layout];
	const struct rte_umr_seg *segs = ctx->worker->arrays.segs;

	bench_arrays_fill(&ctx->worker->arrays, row, offset,
			  (uintptr_t)ctx->worker->arrays.memory, ctx->memory->mr->lkey);
	ctx->len = 0;
	for (uint32_t i = 0; i < row->nb_entries; i++)
		ctx->len += segs[i].length;
	if (ctx->nb_ordered == row->nb_keys && ctx->ordered == row->layout)
		return true;
	bench_order_fill(ctx->worker->setup, ctx->order, row->nb_keys);
	for (uint32_t i = 0; i < row->nb_keys; i++)
		ctx->objs[i] = keys->taken[ctx->order[i] % keys->nb];
	ctx->nb_ordered = row->nb_keys;
	ctx->ordered = row->layout;
	ctx->pos = 0;
	return true;
}

static int
post_one(struct bench_spdk *ctx, enum bench_layout layout, struct spdk_mlx5_umr_attr *umr,
	 uint32_t i, uint32_t flags)
{
	const struct spdk_keys *keys = &ctx->keys[layout];
	struct spdk_mlx5_umr_crypto_attr crypto;
	struct spdk_mlx5_umr_sig_attr sig;

	switch (layout) {
	case BENCH_CRYPTO:
		crypto = (struct spdk_mlx5_umr_crypto_attr){
			.enc_order = SPDK_MLX5_ENCRYPTION_ORDER_ENCRYPTED_RAW_WIRE,
			.bs_selector = SPDK_MLX5_BLOCK_SIZE_SELECTOR_512,
			.tweak_mode = SPDK_MLX5_CRYPTO_KEY_TWEAK_MODE_SIMPLE_LBA_LE,
			.dek_obj_id = ctx->dek_id,
			.xts_iv = ctx->tweak++,
		};
		return spdk_mlx5_umr_configure_crypto(ctx->qp, umr, &crypto, i, flags);
	case BENCH_TRANS:
		sig = (struct spdk_mlx5_umr_sig_attr){
			.seed = UINT32_MAX,
			.psv_index = keys->psvs[i % keys->nb]->index,
			.domain = SPDK_MLX5_UMR_SIG_DOMAIN_MEMORY,
			.sigerr_count = ctx->objs[i]->sig.sigerr_count,
			.raw_data_size = umr->umr_len,
			.init = true,
			.check_gen = true,
		};
		return spdk_mlx5_umr_configure_sig(ctx->qp, umr, &sig, i, flags);
	default:
		return spdk_mlx5_umr_configure(ctx->qp, umr, i, flags);
	}
}

static bool
spdk_post(void *arg, const struct bench_row *row, struct bench_sample *sample)
{
	struct bench_spdk *ctx = arg;
	const uint32_t first = ctx->pos + row->batch > row->nb_keys ? 0 : ctx->pos;
	struct spdk_mlx5_umr_attr umr = {
		.sge = (struct ibv_sge *)ctx->worker->arrays.segs,
		.umr_len = ctx->len,
		.sge_count = (uint16_t)row->nb_entries,
	};
	uint64_t start = bench_section_start();
	uint32_t i, flags;
	int ret = 0;

	ctx->pos = first + row->batch;
	for (i = first; i < ctx->pos && ret == 0; i++) {
		flags = i == ctx->pos - 1 ? SPDK_MLX5_WQE_CTRL_CE_CQ_UPDATE : 0;
		umr.mkey = ctx->objs[i]->mkey;
		ret = post_one(ctx, row->layout, &umr, i, flags);
	}
	spdk_mlx5_qp_complete_send(ctx->qp);
	sample->posted = bench_section_end();
	sample->post = sample->posted - start;
	ctx->nb_doorbells++;
	return ret == 0 || spdk_error("posting", ret);
}

static bool
spdk_has_completion(const void *arg)
{
	const struct bench_spdk *ctx = arg;

	return bench_cq_has(&ctx->ring, ctx->cq->hw.ci);
}

/* The completion of the last request covers the whole batch. */
static int
spdk_take(void *arg, uint32_t nb, struct bench_sample *sample)
{
	struct bench_spdk *ctx = arg;
	struct spdk_mlx5_cq_completion done;
	uint64_t start = bench_section_start();
	int ret = spdk_mlx5_cq_poll_completions(ctx->cq, &done, 1);

	sample->done = bench_section_end();
	sample->poll += sample->done - start;
	if (ret == 0)
		return 0;
	ctx->nb_cqes++;
	if (ret == 1 && done.status == IBV_WC_SUCCESS)
		return (int)nb;
	tool_error("bench: spdk: spdk_mlx5_cq_poll_completions: %d, status %d", ret, done.status);
	return -1;
}

static void
spdk_counts(const void *arg, uint64_t *nb_doorbells, uint64_t *nb_cqes)
{
	const struct bench_spdk *ctx = arg;

	*nb_doorbells = ctx->nb_doorbells;
	*nb_cqes = ctx->nb_cqes;
}

const struct bench_path bench_path_spdk = {
	.name = "spdk",
	.what = "spdk_mlx5_umr_configure(), _crypto() or _sig(), spdk_mlx5_qp_complete_send(),\n"
		"          spdk_mlx5_cq_poll_completions()",
	.size = sizeof(struct bench_spdk),
	.open = spdk_open,
	.can_run = spdk_can_run,
	.begin = spdk_begin,
	.post = spdk_post,
	.has_completion = spdk_has_completion,
	.take = spdk_take,
	.counts = spdk_counts,
	.close = spdk_close,
};
