/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_KEY_BSF_H
#define MLX5_UMR_KEY_BSF_H

/**
 * @file
 * Configure keys that have BSFs. Wider vectors gain less than 10 % here, so there is one variant.
 */

#include <stdint.h>

#include <rte_umr.h>

struct mlx5_umr_queue;

/** Configure one key; flags and reserved fields were checked. */
int mlx5_umr_mkey_configure_bsf(struct mlx5_umr_queue *queue, const struct rte_umr_mkey_op *op,
				uint64_t flags);

/** A run of operations that set all BSFs of keys of one kind; returns their number. */
uint16_t mlx5_umr_mkey_bsf_run(struct mlx5_umr_queue *queue, const struct rte_umr_mkey_op *ops,
			       uint16_t nb_ops, uint64_t flags);

#endif /* MLX5_UMR_KEY_BSF_H */
