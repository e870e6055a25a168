/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_CRYPTO_H
#define BENCH_CRYPTO_H

/**
 * @file
 * Objects for keys that encrypt: a data encryption key and suitable memory keys. The functions that
 * free accept zeroed objects.
 */

#include <infiniband/mlx5dv.h>

#include "bench/path/path.h"

struct bench_crypto_rte {
	struct rte_umr_dek *dek;
	/* Of each operation of a batch; they differ in their tweaks. */
	struct rte_umr_crypto cryptos[BENCH_MAX_BATCH];
	uint64_t tweak;			/* of the next operation */
	struct rte_umr_mkey_pool *pool;
	struct rte_umr_mkey **mkeys;	/* in the order of the pool */
	uint32_t nb_mkeys;
};

/** Print an error and return false on failure; the close function frees what was created. */
bool bench_crypto_rte_open(struct bench_crypto_rte *ctx, const struct bench_setup *setup);
void bench_crypto_rte_close(struct bench_crypto_rte *ctx);

struct bench_crypto_dv {
	struct mlx5dv_dek *dek;
	struct mlx5dv_crypto_attr attr;
	uint64_t tweak;			/* of the next operation */
	struct mlx5dv_mkey **mkeys;	/* in the order of creation */
	uint32_t nb_mkeys;
};

bool bench_crypto_dv_open(struct bench_crypto_dv *ctx, struct ibv_context *ibv, struct ibv_pd *pd,
			  uint32_t nb_mkeys);
void bench_crypto_dv_close(struct bench_crypto_dv *ctx);

#endif /* BENCH_CRYPTO_H */
