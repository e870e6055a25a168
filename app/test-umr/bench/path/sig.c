/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_memory.h>

#include "bench/path/sig.h"

uint32_t
bench_sig_nb_keys(const struct bench_setup *setup)
{
	return RTE_MIN(setup->max_keys, 2 * setup->max_batch);
}

bool
bench_sig_rte_open(struct bench_sig_rte *ctx, const struct bench_setup *setup)
{
	const struct rte_umr_mkey_pool_conf pool_conf = {
		.nb_mkeys = bench_sig_nb_keys(setup),
		.max_entries = BENCH_MAX_SIGNED,
		.socket_id = SOCKET_ID_ANY,
		.flags = RTE_UMR_MKEY_POOL_F_SIG,
	};

	ctx->sig = (struct rte_umr_sig){
		.mem = { .type = RTE_UMR_SIG_CRC32, .flags = RTE_UMR_SIG_DOMAIN_F_SEED_ONES,
			 .block_size = BENCH_UNIT },
		.check_mask = RTE_UMR_SIG_MASK_CRC32,
	};
	ctx->pool = rte_umr_mkey_pool_create(setup->dev_id, &pool_conf);
	if (ctx->pool == NULL) {
		tool_error("bench: rte: creating %u keys with signatures: %s", pool_conf.nb_mkeys,
			   rte_strerror(rte_errno));
		return false;
	}
	ctx->mkeys = calloc(pool_conf.nb_mkeys, sizeof(ctx->mkeys[0]));
	if (ctx->mkeys == NULL ||
	    rte_umr_mkey_get_bulk(ctx->pool, ctx->mkeys, pool_conf.nb_mkeys) != 0) {
		tool_error("bench: rte: taking %u keys with signatures", pool_conf.nb_mkeys);
		return false;
	}
	ctx->nb_mkeys = pool_conf.nb_mkeys;
	return true;
}

void
bench_sig_rte_close(struct bench_sig_rte *ctx)
{
	if (ctx->nb_mkeys != 0)
		rte_umr_mkey_put_bulk(ctx->pool, ctx->mkeys, ctx->nb_mkeys);
	rte_umr_mkey_pool_destroy(ctx->pool);
	free(ctx->mkeys);
}

bool
bench_sig_dv_open(struct bench_sig_dv *ctx, struct ibv_pd *pd, uint32_t nb_mkeys)
{
	struct mlx5dv_mkey_init_attr mkey_attr = {
		.pd = pd,
		.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT |
				MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE,
		.max_entries = BENCH_MAX_SIGNED,
	};

	ctx->crc = (struct mlx5dv_sig_crc){ MLX5DV_SIG_CRC_TYPE_CRC32, UINT32_MAX };
	ctx->domain = (struct mlx5dv_sig_block_domain){
		.sig_type = MLX5DV_SIG_TYPE_CRC,
		.sig.crc = &ctx->crc,
		.block_size = MLX5DV_BLOCK_SIZE_512,
	};
	ctx->attr = (struct mlx5dv_sig_block_attr){
		.mem = &ctx->domain,
		.check_mask = MLX5DV_SIG_MASK_CRC32,
	};
	ctx->mkeys = calloc(nb_mkeys, sizeof(ctx->mkeys[0]));
	for (; ctx->mkeys != NULL && ctx->nb_mkeys < nb_mkeys; ctx->nb_mkeys++) {
		ctx->mkeys[ctx->nb_mkeys] = mlx5dv_create_mkey(&mkey_attr);
		if (ctx->mkeys[ctx->nb_mkeys] == NULL)
			break;
	}
	if (ctx->nb_mkeys == nb_mkeys)
		return true;
	tool_error("bench: libmlx5: key %u of %u with signatures: %s", ctx->nb_mkeys, nb_mkeys,
		   strerror(errno));
	return false;
}

void
bench_sig_dv_close(struct bench_sig_dv *ctx)
{
	while (ctx->nb_mkeys > 0)
		mlx5dv_destroy_mkey(ctx->mkeys[--ctx->nb_mkeys]);
	free(ctx->mkeys);
}
