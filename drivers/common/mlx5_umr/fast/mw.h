/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_FAST_MW_H
#define MLX5_UMR_FAST_MW_H

/**
 * @file
 * Memory windows on the fast path.
 */

#include <rte_umr.h>

int mlx5_umr_mw_bind(void *queue, struct rte_umr_mw *mw, const struct rte_umr_mw_range *range,
		     uint64_t flags);
int mlx5_umr_mw_invalidate(void *queue, struct rte_umr_mw *mw, uint64_t flags);

#endif /* MLX5_UMR_FAST_MW_H */
