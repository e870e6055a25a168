/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_DEVX_DC_H
#define MLX5_UMR_DEVX_DC_H

/**
 * @file
 * PRM commands of DC targets, like those of devx.h.
 */

#include "ctrl/devx.h"

/** Attributes of a list of receives. Offsets are in its umem. */
struct mlx5_umr_rmp_attr {
	uint32_t pdn;
	uint32_t umem_id;
	uint64_t ring_offset;
	uint64_t dbr_offset;
	uint8_t log_size;	/* WQEs */
	uint8_t log_stride;	/* bytes */
};

struct mlx5_umr_dct_attr {
	uint64_t dc_key;
	uint32_t pdn;
	uint32_t srqn;		/* RMP with its receives */
	uint32_t cqn;
	uint32_t user_index;
	uint8_t mtu;
	uint8_t port;
	uint8_t gid_index;
	bool has_atomic;
};

/** Create a receive memory pool: a list of WQEs that begin with the index of the next one. */
int mlx5_umr_devx_rmp_create(const struct mlx5_umr_device *dev,
			     const struct mlx5_umr_rmp_attr *attr, struct mlx5dv_devx_obj **obj,
			     uint32_t *rmpn);
/** Create a target; it is active when the command returns. */
int mlx5_umr_devx_dct_create(const struct mlx5_umr_device *dev,
			     const struct mlx5_umr_dct_attr *attr, struct mlx5dv_devx_obj **obj,
			     uint32_t *dctn);

#endif /* MLX5_UMR_DEVX_DC_H */
