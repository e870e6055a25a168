/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_MKEY_H
#define MLX5_UMR_MKEY_H

/**
 * @file
 * Memory keys of the device; lib/umr keeps them in pools.
 */

#include <rte_umr_driver.h>

int mlx5_umr_mkey_create(struct rte_umr_dev *umr_dev, const struct rte_umr_pd *pd,
			 struct rte_umr_mkey *mkey);
int mlx5_umr_mkey_destroy(struct rte_umr_dev *umr_dev, struct rte_umr_mkey *mkey);

#endif /* MLX5_UMR_MKEY_H */
