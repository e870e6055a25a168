/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_TOP_MW_H
#define MLX5_UMR_TOP_MW_H

/**
 * @file
 * Memory windows: created and destroyed by the kernel.
 */

#include <rte_umr_pmd.h>

int mlx5_umr_mw_create(struct rte_umr_dev *umr_dev, struct rte_umr_mw *mw);
int mlx5_umr_mw_destroy(struct rte_umr_dev *umr_dev, struct rte_umr_mw *mw);

#endif /* MLX5_UMR_TOP_MW_H */
