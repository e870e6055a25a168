/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_memory.h>

#include "bench/path/crypto.h"

#define KEY_LEN 32u

/* Two different AES keys; their values do not affect the cost on the CPU. */
static const uint8_t key[KEY_LEN] = { 1, 2, 3, 4, 5, 6, 7, 8 };

bool
bench_crypto_rte_open(struct bench_crypto_rte *ctx, const struct bench_setup *setup)
{
	const struct rte_umr_dek_conf dek_conf = { .key = key, .key_len = KEY_LEN };
	const struct rte_umr_mkey_pool_conf pool_conf = {
		.nb_mkeys = setup->max_keys,
		.max_entries = BENCH_MAX_CRYPTO,
		.socket_id = SOCKET_ID_ANY,
		.flags = RTE_UMR_MKEY_POOL_F_CRYPTO,
	};

	ctx->dek = rte_umr_dek_create(setup->dev_id, &dek_conf);
	if (ctx->dek == NULL) {
		tool_error("bench: rte: creating a DEK: %s", rte_strerror(rte_errno));
		return false;
	}
	for (uint32_t i = 0; i < BENCH_MAX_BATCH; i++)
		ctx->cryptos[i] = (struct rte_umr_crypto){
			.dek = ctx->dek,
			.encrypt_on_tx = true,
			.data_unit_size = BENCH_UNIT,
		};
	ctx->pool = rte_umr_mkey_pool_create(setup->dev_id, &pool_conf);
	if (ctx->pool == NULL) {
		tool_error("bench: rte: creating %u keys that encrypt: %s", pool_conf.nb_mkeys,
			   rte_strerror(rte_errno));
		return false;
	}
	ctx->mkeys = calloc(setup->max_keys, sizeof(ctx->mkeys[0]));
	if (ctx->mkeys == NULL ||
	    rte_umr_mkey_get_bulk(ctx->pool, ctx->mkeys, setup->max_keys) != 0) {
		tool_error("bench: rte: taking %u keys that encrypt", setup->max_keys);
		return false;
	}
	ctx->nb_mkeys = setup->max_keys;
	return true;
}

void
bench_crypto_rte_close(struct bench_crypto_rte *ctx)
{
	if (ctx->nb_mkeys != 0)
		rte_umr_mkey_put_bulk(ctx->pool, ctx->mkeys, ctx->nb_mkeys);
	rte_umr_mkey_pool_destroy(ctx->pool);
	rte_umr_dek_destroy(ctx->dek);
	free(ctx->mkeys);
}

static bool
dv_error(const char *what)
{
	tool_error("bench: libmlx5: %s: %s", what, strerror(errno));
	return false;
}

bool
bench_crypto_dv_open(struct bench_crypto_dv *ctx, struct ibv_context *ibv, struct ibv_pd *pd,
		     uint32_t nb_mkeys)
{
	struct mlx5dv_dek_init_attr dek_attr = {
		.key_size = MLX5DV_CRYPTO_KEY_SIZE_128,
		.key_purpose = MLX5DV_CRYPTO_KEY_PURPOSE_AES_XTS,
		.pd = pd,
		.comp_mask = MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN,
	};
	struct mlx5dv_mkey_init_attr mkey_attr = {
		.pd = pd,
		.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT |
				MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO,
		.max_entries = BENCH_MAX_CRYPTO,
	};

	memcpy(dek_attr.key, key, sizeof(key));
	ctx->dek = mlx5dv_dek_create(ibv, &dek_attr);
	if (ctx->dek == NULL)
		return dv_error("mlx5dv_dek_create");
	ctx->attr = (struct mlx5dv_crypto_attr){
		.crypto_standard = MLX5DV_CRYPTO_STANDARD_AES_XTS,
		.encrypt_on_tx = true,
		.signature_crypto_order =
			MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_AFTER_CRYPTO_ON_TX,
		.data_unit_size = MLX5DV_BLOCK_SIZE_512,
		.dek = ctx->dek,
	};
	ctx->mkeys = calloc(nb_mkeys, sizeof(ctx->mkeys[0]));
	if (ctx->mkeys == NULL)
		return dv_error("keys that encrypt");
	for (; ctx->nb_mkeys < nb_mkeys; ctx->nb_mkeys++) {
		ctx->mkeys[ctx->nb_mkeys] = mlx5dv_create_mkey(&mkey_attr);
		if (ctx->mkeys[ctx->nb_mkeys] == NULL)
			return dv_error("mlx5dv_create_mkey");
	}
	return true;
}

void
bench_crypto_dv_close(struct bench_crypto_dv *ctx)
{
	while (ctx->nb_mkeys > 0)
		mlx5dv_destroy_mkey(ctx->mkeys[--ctx->nb_mkeys]);
	if (ctx->dek != NULL)
		mlx5dv_dek_destroy(ctx->dek);
	free(ctx->mkeys);
}
