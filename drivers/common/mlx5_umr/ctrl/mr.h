/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_MR_H
#define MLX5_UMR_MR_H

/**
 * @file
 * Protection domains and memory regions of the device; lib/umr keeps them in tables.
 */

#include "ring/device.h"

/** Allocate the default PD, or import that of the application. @return 0 or -errno (logged). */
int mlx5_umr_pd_open(struct mlx5_umr_device *dev);
/** Free the default PD, or leave an imported one to the application. */
void mlx5_umr_pd_close(struct mlx5_umr_device *dev);
/** PD for a PD of lib/umr, or the default one for NULL. */
struct ibv_pd *mlx5_umr_pd_ibv(const struct mlx5_umr_device *dev, const struct rte_umr_pd *pd);
/** Number of this PD. */
uint32_t mlx5_umr_pd_num(const struct mlx5_umr_device *dev, const struct rte_umr_pd *pd);

/* Operations of struct rte_umr_dev_ops. */
int mlx5_umr_pd_alloc(struct rte_umr_dev *umr_dev, struct rte_umr_pd *pd);
int mlx5_umr_pd_free(struct rte_umr_dev *umr_dev, struct rte_umr_pd *pd);
int mlx5_umr_mr_register(struct rte_umr_dev *umr_dev, struct rte_umr_mr *mr,
			 const struct rte_umr_mr_conf *conf);
int mlx5_umr_mr_reregister(struct rte_umr_dev *umr_dev, struct rte_umr_mr *mr, uint32_t changes,
			   struct rte_umr_mr *new_mr);
int mlx5_umr_mr_deregister(struct rte_umr_dev *umr_dev, struct rte_umr_mr *mr);
int mlx5_umr_mr_advise(struct rte_umr_dev *umr_dev, const struct rte_umr_pd *pd,
		       enum rte_umr_mr_advice advice, const struct rte_umr_seg *segs,
		       uint32_t nb_segs, uint32_t flags);

/** Read the counters of on-demand paging. @return 0 or a negative errno (not logged). */
int mlx5_umr_odp_stats_read(const char *name, struct rte_umr_odp_stats *stats);
int mlx5_umr_odp_stats_get(struct rte_umr_dev *umr_dev, struct rte_umr_odp_stats *stats);

/** Capabilities of regions: bits of rte_umr_dev_info::dev_capa. */
uint64_t mlx5_umr_mr_capa(const struct mlx5_umr_device *dev);
/** RTE_UMR_ODP_CAPA_* of RC queue pairs. */
uint32_t mlx5_umr_odp_capa(const struct mlx5_umr_device *dev);
/** RTE_UMR_ACCESS_* of regions. */
uint32_t mlx5_umr_mr_access_capa(const struct mlx5_umr_device *dev);
/** Query the support of the device and the kernel for regions. */
int mlx5_umr_mr_query(struct mlx5_umr_device *dev);

#endif /* MLX5_UMR_MR_H */
