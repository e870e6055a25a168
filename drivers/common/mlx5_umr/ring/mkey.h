/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_MKEY_H
#define MLX5_UMR_MKEY_H

/**
 * @file
 * Memory keys of the device; lib/umr keeps them in pools.
 */

#include <infiniband/mlx5dv.h>

#include <rte_umr_pmd.h>

#include "ring/key_sig.h"

/**
 * Driver data of a key, rte_umr_mkey_priv(). The state of its signature and then of its encryption
 * follow, if its pool supports them: the data path reads those, but not this.
 */
struct mlx5_umr_mkey_priv {
	struct mlx5dv_devx_obj *obj;
	/* RTE_UMR_MKEY_POOL_F_UPDATE: its list, in the format of the device. */
	uint32_t nb_entries;	/* 0: no list */
	uint64_t len;
	uint8_t *klms;
} __rte_cache_aligned;

/** Signature of a key whose pool supports it. */
static inline struct mlx5_umr_key_sig *
mlx5_umr_mkey_sig(const struct rte_umr_mkey *mkey)
{
	struct mlx5_umr_mkey_priv *priv = rte_umr_mkey_priv(mkey);

	return (struct mlx5_umr_key_sig *)(priv + 1);
}

#endif /* MLX5_UMR_MKEY_H */
