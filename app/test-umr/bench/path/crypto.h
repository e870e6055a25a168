/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_CRYPTO_H
#define BENCH_CRYPTO_H

/**
 * @file
 * What the paths of the bench need for keys that encrypt: a data encryption key and memory keys of
 * another kind. Zeroed ones are accepted by the functions that free.
 */

#include <infiniband/mlx5dv.h>

#include "bench/path/path.h"

struct bench_crypto_rte {
	struct rte_umr_dek *dek;
	struct rte_umr_crypto crypto;	/* what all keys are configured with */
	struct rte_umr_mkey_pool *pool;
	struct rte_umr_mkey **mkeys;	/* as they came from the pool */
	uint32_t nb_mkeys;
};

/** Says on stderr why it fails; what there is is freed by the other one. */
bool bench_crypto_rte_open(struct bench_crypto_rte *ctx, const struct bench_setup *setup);
void bench_crypto_rte_close(struct bench_crypto_rte *ctx);

struct bench_crypto_dv {
	struct mlx5dv_dek *dek;
	struct mlx5dv_crypto_attr attr;
	struct mlx5dv_mkey **mkeys;	/* as they were created */
	uint32_t nb_mkeys;
};

bool bench_crypto_dv_open(struct bench_crypto_dv *ctx, struct ibv_context *ibv, struct ibv_pd *pd,
			  uint32_t nb_mkeys);
void bench_crypto_dv_close(struct bench_crypto_dv *ctx);

#endif /* BENCH_CRYPTO_H */
