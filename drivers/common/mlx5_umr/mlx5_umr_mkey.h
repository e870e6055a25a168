/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_MKEY_H
#define MLX5_UMR_MKEY_H

/**
 * @file
 * Memory keys and memory regions of the device; lib/umr keeps them in pools and tables.
 */

#include <rte_umr_driver.h>

int mlx5_umr_mkey_create(struct rte_umr_dev *umr_dev, struct rte_umr_mkey *mkey);
int mlx5_umr_mkey_destroy(struct rte_umr_dev *umr_dev, struct rte_umr_mkey *mkey);

int mlx5_umr_mr_register(struct rte_umr_dev *umr_dev, struct rte_umr_mr *mr, uint32_t flags);
int mlx5_umr_mr_deregister(struct rte_umr_dev *umr_dev, struct rte_umr_mr *mr);

#endif /* MLX5_UMR_MKEY_H */
