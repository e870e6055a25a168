/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_DEV_H
#define MLX5_UMR_DEV_H

/**
 * @file
 * The device on the control path: its limits, and the operations of the driver that files of this
 * room implement.
 */

#include <rte_umr_pmd.h>

#include "ring/device.h"

/** Maximum bytes of a write or send in a WQE. */
uint16_t mlx5_umr_max_inline(const struct mlx5_umr_device *dev);
/** Maximum segments of a write or send, and of a read. */
uint16_t mlx5_umr_max_segs(const struct mlx5_umr_device *dev, bool is_dci);
uint16_t mlx5_umr_max_read_segs(const struct mlx5_umr_device *dev, bool is_dci);

/** Close the context, even if objects remain. */
void mlx5_umr_context_close(struct mlx5_umr_device *dev);
/** Operations of the driver. */
extern const struct rte_umr_dev_ops mlx5_umr_dev_ops;
/** Select the functions that configure keys, when the first device is found. Control path only. */
void mlx5_umr_fp_ops_init(void);
/** Data-path functions for a kind of queue. */
const struct rte_umr_fp_ops *mlx5_umr_fp_ops_of(enum rte_umr_transport transport);

/* Members of mlx5_umr_dev_ops. Those that return int: 0 or a negative errno (logged). */
uint32_t mlx5_umr_mkey_priv_size(uint32_t flags);
int mlx5_umr_mkey_create(struct rte_umr_dev *umr_dev, const struct rte_umr_pd *pd,
			 struct rte_umr_mkey *mkey);
int mlx5_umr_mkey_destroy(struct rte_umr_dev *umr_dev, struct rte_umr_mkey *mkey);
void mlx5_umr_mkey_recycle(struct rte_umr_dev *umr_dev, struct rte_umr_mkey *mkey);
int mlx5_umr_mkey_query(struct rte_umr_dev *umr_dev, const struct rte_umr_mkey *mkey,
			struct rte_umr_mkey_attr *attr);
/** Fill in addr->av. */
int mlx5_umr_dc_addr_fill(struct rte_umr_dev *dev, const struct rte_umr_endpoint *remote,
			  uint64_t dc_key, struct rte_umr_dc_addr *addr);
int mlx5_umr_op_desc(const void *queue, const struct rte_umr_op_shape *shape,
		     struct rte_umr_op_size *size);

#endif /* MLX5_UMR_DEV_H */
