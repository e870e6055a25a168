/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_MW_H
#define MLX5_UMR_MW_H

/**
 * @file
 * Memory windows: keys that the kernel creates and an UMR binds. The bytes are those that libmlx5
 * writes for the same request (rdma-core 44, providers/mlx5/qp.c, set_bind_wr()).
 *
 *     bind          block 0    control 16, UMR control 48
 *                   block 1    memory key context 64
 *                   block 2    KLM 16, 48 of zeros
 *     invalidation  block 0, 1 the same
 */

#include <string.h>

#include <rte_umr.h>

#include "wqe/wqe.h"

#define MLX5_UMR_MW_BIND_WQEBB	(MLX5_UMR_HDR_WQEBB + 1u)

/* A key value is its index and a tag of 8 bits. */
#define MLX5_UMR_KEY_TAG_MASK	0xffu

/* Fields of a window that a bind changes; for type 2B also its owner. */
#define MLX5_UMR_MW_BIND_MASK                                                                      \
	(MLX5_UMR_LAYOUT_MKEY_MASK | (uint64_t)MLX5_WQE_UMR_CTRL_MKEY_MASK_START_ADDR)
/* Fields that an invalidation of type 1 changes. */
#define MLX5_UMR_MW_INVAL_MASK                                                                     \
	((uint64_t)MLX5_WQE_UMR_CTRL_MKEY_MASK_FREE | MLX5_WQE_UMR_CTRL_MKEY_MASK_MKEY)

#define MLX5_UMR_MW_FLAGS                                                                          \
	(MLX5_WQE_UMR_CTRL_FLAG_INLINE | MLX5_WQE_UMR_CTRL_FLAG_TRNSLATION_OFFSET)

/** The value of a window with its tag advanced. */
static inline uint32_t
mlx5_umr_mw_next_key(uint32_t key)
{
	return (key & ~MLX5_UMR_KEY_TAG_MASK) | ((key + 1) & MLX5_UMR_KEY_TAG_MASK);
}

/** UMR that binds a window to a range; its new value is key. */
static inline void
mlx5_umr_mw_bind_build(uint8_t *wqe, const struct mlx5_umr_ctrl *ctrl, uint8_t type, uint32_t key,
		       const struct rte_umr_mw_range *range)
{
	const bool is_type_2 = type == RTE_UMR_MW_TYPE_2B;
	const bool is_zero_based = (range->flags & RTE_UMR_MW_BIND_F_ZERO_BASED) != 0;
	const uint32_t owner = is_type_2 ? ctrl->qpn_ds : PRM_MKC_QPN_ANY << 8;
	const struct mlx5_umr_head head = {
		.mkey_mask = MLX5_UMR_MW_BIND_MASK |
			     (is_type_2 ? (uint64_t)MLX5_WQE_UMR_CTRL_MKEY_MASK_QPN : 0),
		.mkc_dw0 = range->access << MLX5_UMR_MKC_ACCESS_SHIFT,
		.len = range->length,
	};
	uint64_t *dst = (uint64_t *)wqe;

	mlx5_umr_head_build(wqe, ctrl, &head, MLX5_UMR_MW_FLAGS |
			    (is_type_2 ? MLX5_WQE_UMR_CTRL_FLAG_CHECK_FREE : 0),
			    PRM_KLM_ALIGN, 0, PRM_KLM_ALIGN);
	mlx5_umr_head_set_owner(wqe, owner | (key & MLX5_UMR_KEY_TAG_MASK));
	if (!is_zero_based)
		mlx5_umr_head_set_start(wqe, range->addr);
	/* struct mlx5_wqe_umr_klm_seg: byte_count, mkey, address; 2 GiB is the top bit. */
	mlx5_umr_store_2dw(&dst[16], (uint32_t)range->length, range->mr->lkey);
	dst[17] = rte_cpu_to_be_64(range->addr);
	memset(&dst[18], 0, (size_t)(PRM_KLM_ALIGN - 1) * PRM_KLM_SIZE);
}

/** UMR that invalidates a window of type 1; its new value is key. Type 2B is like any key. */
static inline void
mlx5_umr_mw_unbind_build(uint8_t *wqe, const struct mlx5_umr_ctrl *ctrl, uint32_t key)
{
	const struct mlx5_umr_head head = {
		.mkey_mask = MLX5_UMR_MW_INVAL_MASK,
		.mkc_dw0 = MLX5_UMR_MKC_FREE,
	};

	mlx5_umr_head_build(wqe, ctrl, &head, MLX5_UMR_MW_FLAGS, 0, 0, 0);
	mlx5_umr_head_set_owner(wqe, PRM_MKC_QPN_ANY << 8 | (key & MLX5_UMR_KEY_TAG_MASK));
}

#endif /* MLX5_UMR_MW_H */
