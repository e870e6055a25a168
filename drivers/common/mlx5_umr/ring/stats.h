/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_STATS_H
#define MLX5_UMR_STATS_H

/**
 * @file
 * Counters of a queue, readable by any thread.
 */

#include <rte_umr_pmd.h>

struct mlx5_umr_queue;

void mlx5_umr_queue_stats_get(const struct mlx5_umr_queue *queue,
			      struct rte_umr_queue_stats *stats);
/** queue_xstats_get() of the driver. */
uint32_t mlx5_umr_queue_xstats_get(const void *queue, struct rte_umr_drv_xstat *xstats,
				   uint32_t nb_max);

#endif /* MLX5_UMR_STATS_H */
