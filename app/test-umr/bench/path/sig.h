/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_SIG_H
#define BENCH_SIG_H

/**
 * @file
 * Objects for keys with signatures. The functions that free accept zeroed objects.
 *
 * The keys are few, because completion rings have an entry for each of them, and larger rings would
 * change the cost of other rows. Both paths use them in the same order.
 */

#include <infiniband/mlx5dv.h>

#include "bench/path/path.h"

struct bench_sig_rte {
	struct rte_umr_sig sig;		/* configuration of all keys */
	struct rte_umr_mkey_pool *pool;
	struct rte_umr_mkey **mkeys;	/* in the order of the pool */
	uint32_t nb_mkeys;
};

/** Number of keys of a worker. */
uint32_t bench_sig_nb_keys(const struct bench_setup *setup);

/** Print an error and return false on failure; the close function frees what was created. */
bool bench_sig_rte_open(struct bench_sig_rte *ctx, const struct bench_setup *setup);
void bench_sig_rte_close(struct bench_sig_rte *ctx);

struct bench_sig_dv {
	struct mlx5dv_sig_crc crc;
	struct mlx5dv_sig_block_domain domain;
	struct mlx5dv_sig_block_attr attr;
	struct mlx5dv_mkey **mkeys;	/* in the order of creation */
	uint32_t nb_mkeys;
};

bool bench_sig_dv_open(struct bench_sig_dv *ctx, struct ibv_pd *pd, uint32_t nb_mkeys);
void bench_sig_dv_close(struct bench_sig_dv *ctx);

#endif /* BENCH_SIG_H */
