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

struct mlx5_umr_key_crypto;
struct mlx5_umr_key_sig;

/**
 * Driver data of a key: rte_umr_mkey_priv() points to it. Its signature and then its encryption
 * follow it in the same memory, so that they can be prefetched before it is read.
 */
struct mlx5_umr_mkey_priv {
	struct mlx5dv_devx_obj *obj;
	struct mlx5_umr_key_sig *sig; /* NULL: no signatures */
	/* RTE_UMR_MKEY_POOL_F_UPDATE: its list, in the format of the device. */
	uint32_t nb_entries;	/* 0: no list */
	uint64_t len;
	uint8_t *klms;
	struct mlx5_umr_key_crypto *crypto; /* RTE_UMR_MKEY_POOL_F_CRYPTO, else NULL */
} __rte_cache_aligned;

#endif /* MLX5_UMR_MKEY_H */
