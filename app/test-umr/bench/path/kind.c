/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_memory.h>

#include "bench/path/kind.h"

/* Keys that are updated. */
#define NB_UPDATE_KEYS 2u

#define SIG	RTE_UMR_MKEY_SET_SIG
#define CRYPTO	RTE_UMR_MKEY_SET_CRYPTO
/* With a signature, encryption or both. */
#define BSF	.op = RTE_UMR_OP_MKEY_CONFIGURE, .max_inline = BENCH_MAX_BSF
#define BSFS	.op = RTE_UMR_OP_MKEY_CONFIGURE, .max_inline = BENCH_MAX_BSFS

const struct bench_kind bench_kinds[BENCH_NB_LAYOUTS] = {
	[BENCH_LIST] = { "list", .op = RTE_UMR_OP_MKEY_LIST },
	[BENCH_NONINLINE] = { "noninline", .op = RTE_UMR_OP_MKEY_LIST,
			      .min_entries = BENCH_MAX_INLINE + 1 },
	[BENCH_INTERLEAVED] = { "interleaved", .op = RTE_UMR_OP_MKEY_INTERLEAVED,
				.max_inline = BENCH_MAX_INTERLEAVED },
	[BENCH_NESTED] = { "nested", .op = RTE_UMR_OP_MKEY_LIST },
	[BENCH_INVALIDATE] = { "invalidate", .op = RTE_UMR_OP_MKEY_INVALIDATE,
			       .has_no_entries = true },
	[BENCH_MIXED] = { "mixed", .op = RTE_UMR_OP_MKEY_LIST, .has_no_bursts = true },
	[BENCH_KEYGET] = { "keyget", .op = RTE_UMR_OP_MKEY_LIST, .has_no_entries = true,
			   .has_no_bursts = true, .is_rte_only = true },
	[BENCH_UPDATE] = { "update", .op = RTE_UMR_OP_MKEY_UPDATE, .has_no_bursts = true,
			   .is_rte_only = true },
	[BENCH_CRYPTO] = { "crypto", BSF, .setters = CRYPTO },
	[BENCH_SIGNATURE] = { "signature", BSF, .setters = SIG, .sig_type = RTE_UMR_SIG_CRC32,
			      .nb_domains = 1 },
	[BENCH_DIF] = { "dif", BSF, .setters = SIG, .sig_type = RTE_UMR_SIG_T10DIF_CRC,
			.nb_domains = 1 },
	[BENCH_DIF_BOTH] = { "dif-both", BSF, .setters = SIG, .sig_type = RTE_UMR_SIG_T10DIF_CRC,
			     .nb_domains = 2 },
	[BENCH_SIGCRYPTO] = { "sigcrypto", BSFS, .setters = SIG | CRYPTO,
			      .sig_type = RTE_UMR_SIG_CRC32, .nb_domains = 1 },
	[BENCH_TRANS] = { "transaction", BSF, .setters = SIG, .sig_type = RTE_UMR_SIG_CRC32C,
			  .nb_domains = 1, .is_trans = true, .is_rte_only = true },
};

uint32_t
bench_kind_entries(enum bench_layout layout, uint32_t nb_entries)
{
	const struct bench_kind *kind = &bench_kinds[layout];

	if (kind->has_no_entries)
		return 1;
	if (kind->max_inline != 0 && nb_entries == BENCH_MAX_INLINE)
		return kind->max_inline;
	return RTE_MAX(nb_entries, kind->min_entries);
}

const uint8_t bench_aes_keys[BENCH_AES_KEYS_LEN] = { 1, 2, 3, 4, 5, 6, 7, 8 };

static bool
has_sig(enum bench_layout layout)
{
	return (bench_kinds[layout].setters & RTE_UMR_MKEY_SET_SIG) != 0;
}

static bool
has_crypto(enum bench_layout layout)
{
	return (bench_kinds[layout].setters & RTE_UMR_MKEY_SET_CRYPTO) != 0;
}

uint16_t
bench_kind_pool_flags(enum bench_layout layout)
{
	return (uint16_t)((has_sig(layout) ? RTE_UMR_MKEY_POOL_F_SIG : 0) |
			  (has_crypto(layout) ? RTE_UMR_MKEY_POOL_F_CRYPTO : 0) |
			  (layout == BENCH_UPDATE ? RTE_UMR_MKEY_POOL_F_UPDATE : 0));
}

uint32_t
bench_kind_nb_keys(enum bench_layout layout, uint32_t max_keys)
{
	return has_sig(layout) ? RTE_MIN(max_keys, BENCH_MAX_SIG_KEYS) : max_keys;
}

uint32_t
bench_kind_pool_keys(enum bench_layout layout, uint32_t max_keys)
{
	if (bench_kind_pool_flags(layout) == 0)
		return 0;
	return layout == BENCH_UPDATE ? RTE_MIN(max_keys, NB_UPDATE_KEYS) :
					bench_kind_nb_keys(layout, max_keys);
}

static struct rte_umr_sig
rte_sig(const struct bench_kind *kind)
{
	const bool is_dif = kind->sig_type == RTE_UMR_SIG_T10DIF_CRC;
	const struct rte_umr_sig_domain domain = {
		.type = kind->sig_type,
		.flags = (is_dif ? RTE_UMR_SIG_DOMAIN_F_REF_INCREMENT :
				   RTE_UMR_SIG_DOMAIN_F_SEED_ONES) |
			 (kind->is_trans ? RTE_UMR_SIG_DOMAIN_F_TRANSACTION : 0),
		.block_size = kind->is_trans ? 0 : BENCH_UNIT,
	};
	struct rte_umr_sig sig = {
		.mem = domain,
		.check_mask = is_dif ? RTE_UMR_SIG_MASK_T10DIF : RTE_UMR_SIG_MASK_CRC32,
	};

	if (kind->nb_domains == 2)
		sig.wire = domain;
	return sig;
}

/* Allocate what the operations of a batch refer to. */
static bool
rte_attrs_alloc(struct bench_kind_rte *ctx, int16_t dev_id, enum bench_layout layout)
{
	const struct rte_umr_dek_conf dek_conf = {
		.key = bench_aes_keys, .key_len = BENCH_AES_KEYS_LEN,
	};

	if (has_sig(layout)) {
		ctx->sigs = calloc(BENCH_MAX_BATCH, sizeof(ctx->sigs[0]));
		for (uint32_t i = 0; ctx->sigs != NULL && i < BENCH_MAX_BATCH; i++)
			ctx->sigs[i] = rte_sig(&bench_kinds[layout]);
		if (ctx->sigs == NULL)
			return false;
	}
	if (!has_crypto(layout))
		return true;
	ctx->dek = rte_umr_dek_create(dev_id, &dek_conf);
	ctx->cryptos = calloc(BENCH_MAX_BATCH, sizeof(ctx->cryptos[0]));
	for (uint32_t i = 0; ctx->cryptos != NULL && i < BENCH_MAX_BATCH; i++)
		ctx->cryptos[i] = (struct rte_umr_crypto){
			.dek = ctx->dek,
			.order = RTE_UMR_CRYPTO_SIG_BEFORE,
			.encrypt_on_tx = true,
			.data_unit_size = BENCH_UNIT,
		};
	return ctx->dek != NULL && ctx->cryptos != NULL;
}

bool
bench_kind_rte_open(struct bench_kind_rte *ctx, int16_t dev_id, enum bench_layout layout,
		    uint32_t nb, uint32_t max_entries)
{
	const struct rte_umr_mkey_pool_conf pool_conf = {
		.nb_mkeys = nb,
		.max_entries = max_entries,
		.socket_id = SOCKET_ID_ANY,
		.flags = bench_kind_pool_flags(layout),
	};

	ctx->mkeys = calloc(nb, sizeof(ctx->mkeys[0]));
	if (ctx->mkeys != NULL && rte_attrs_alloc(ctx, dev_id, layout))
		ctx->pool = rte_umr_mkey_pool_create(dev_id, &pool_conf);
	if (ctx->pool == NULL || rte_umr_mkey_get_bulk(ctx->pool, ctx->mkeys, nb) != 0) {
		tool_error("bench: rte: creating %u keys for %s: %s", nb,
			   bench_layout_name(layout), rte_strerror(rte_errno));
		return false;
	}
	ctx->nb_mkeys = nb;
	return true;
}

void
bench_kind_rte_close(struct bench_kind_rte *ctx)
{
	if (ctx->nb_mkeys != 0)
		rte_umr_mkey_put_bulk(ctx->pool, ctx->mkeys, ctx->nb_mkeys);
	rte_umr_mkey_pool_destroy(ctx->pool);
	rte_umr_dek_destroy(ctx->dek);
	free(ctx->mkeys);
	free(ctx->sigs);
	free(ctx->cryptos);
}

static void
dv_sig_fill(struct bench_kind_dv *ctx, const struct bench_kind *kind)
{
	const bool is_dif = kind->sig_type == RTE_UMR_SIG_T10DIF_CRC;

	ctx->crc = (struct mlx5dv_sig_crc){ MLX5DV_SIG_CRC_TYPE_CRC32, UINT32_MAX };
	ctx->dif = (struct mlx5dv_sig_t10dif){
		.bg_type = MLX5DV_SIG_T10DIF_CRC, .flags = MLX5DV_SIG_T10DIF_FLAG_REF_REMAP,
	};
	ctx->domain = (struct mlx5dv_sig_block_domain){
		.sig_type = is_dif ? MLX5DV_SIG_TYPE_T10DIF : MLX5DV_SIG_TYPE_CRC,
		.block_size = MLX5DV_BLOCK_SIZE_512,
	};
	if (is_dif)
		ctx->domain.sig.dif = &ctx->dif;
	else
		ctx->domain.sig.crc = &ctx->crc;
	ctx->sig = (struct mlx5dv_sig_block_attr){
		.mem = &ctx->domain,
		.wire = kind->nb_domains == 2 ? &ctx->domain : NULL,
		.check_mask = is_dif ? RTE_UMR_SIG_MASK_T10DIF : MLX5DV_SIG_MASK_CRC32,
	};
}

static bool
dv_crypto_fill(struct bench_kind_dv *ctx, struct ibv_context *ibv, struct ibv_pd *pd)
{
	struct mlx5dv_dek_init_attr dek_attr = {
		.key_size = MLX5DV_CRYPTO_KEY_SIZE_128,
		.key_purpose = MLX5DV_CRYPTO_KEY_PURPOSE_AES_XTS,
		.pd = pd,
		.comp_mask = MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN,
	};

	memcpy(dek_attr.key, bench_aes_keys, sizeof(bench_aes_keys));
	ctx->crypto = (struct mlx5dv_crypto_attr){
		.crypto_standard = MLX5DV_CRYPTO_STANDARD_AES_XTS,
		.encrypt_on_tx = true,
		.signature_crypto_order =
			MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_BEFORE_CRYPTO_ON_TX,
		.data_unit_size = MLX5DV_BLOCK_SIZE_512,
		.dek = mlx5dv_dek_create(ibv, &dek_attr),
	};
	return ctx->crypto.dek != NULL;
}

bool
bench_kind_dv_open(struct bench_kind_dv *ctx, struct ibv_context *ibv, struct ibv_pd *pd,
		   const struct bench_setup *setup, enum bench_layout layout)
{
	const uint32_t nb = bench_kind_pool_keys(layout, setup->max_keys_libmlx5);
	struct mlx5dv_mkey_init_attr attr = {
		.pd = pd,
		.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT |
			(has_sig(layout) ? MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE : 0) |
			(has_crypto(layout) ? MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO : 0),
		.max_entries = BENCH_MAX_BSF,
	};
	bool is_ok;

	dv_sig_fill(ctx, &bench_kinds[layout]);
	ctx->mkeys = calloc(nb, sizeof(ctx->mkeys[0]));
	is_ok = ctx->mkeys != NULL && (!has_crypto(layout) || dv_crypto_fill(ctx, ibv, pd));
	while (is_ok && ctx->nb_mkeys < nb) {
		ctx->mkeys[ctx->nb_mkeys] = mlx5dv_create_mkey(&attr);
		is_ok = ctx->mkeys[ctx->nb_mkeys] != NULL;
		ctx->nb_mkeys += is_ok;
	}
	if (!is_ok)
		tool_error("bench: libmlx5: key %u of %u for %s: %s", ctx->nb_mkeys, nb,
			   bench_layout_name(layout), strerror(errno));
	return is_ok;
}

void
bench_kind_dv_close(struct bench_kind_dv *ctx)
{
	while (ctx->nb_mkeys > 0)
		mlx5dv_destroy_mkey(ctx->mkeys[--ctx->nb_mkeys]);
	if (ctx->crypto.dek != NULL)
		mlx5dv_dek_destroy(ctx->crypto.dek);
	free(ctx->mkeys);
}
