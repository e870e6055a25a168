/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_MW_H
#define MLX5_UMR_MW_H

/**
 * @file
 * Memory windows: keys that the kernel makes and an UMR binds. The bytes are those that libmlx5
 * writes for the same request (rdma-core 44, providers/mlx5/qp.c, set_bind_wr()).
 *
 *     bind          block 0    control 16, UMR control 48
 *                   block 1    memory key context 64
 *                   block 2    KLM 16, 48 of zeros
 *     invalidation  block 0, 1 the same
 */

#include <rte_umr_driver.h>

#include "ring/queue.h"
#include "wqe/wqe.h"

#define MLX5_UMR_MW_BIND_WQEBB	(MLX5_UMR_HDR_WQEBB + 1u)
#define MLX5_UMR_MW_BIND_DS	(MLX5_UMR_HDR_DS + PRM_KLM_ALIGN)

/* A key value is its index and a tag of 8 bits. */
#define MLX5_UMR_KEY_TAG_MASK	0xffu

/* What a bind changes of a window; its owner, too, for type 2B. */
#define MLX5_UMR_MW_BIND_MASK                                                                      \
	(MLX5_UMR_LAYOUT_MKEY_MASK | (uint64_t)MLX5_WQE_UMR_CTRL_MKEY_MASK_START_ADDR)
/* What an invalidation of type 1 changes. */
#define MLX5_UMR_MW_INVAL_MASK                                                                     \
	((uint64_t)MLX5_WQE_UMR_CTRL_MKEY_MASK_FREE | MLX5_WQE_UMR_CTRL_MKEY_MASK_MKEY)

/** The value of a window with its tag advanced. */
static inline uint32_t
mlx5_umr_mw_next_key(uint32_t key)
{
	return (key & ~MLX5_UMR_KEY_TAG_MASK) | ((key + 1) & MLX5_UMR_KEY_TAG_MASK);
}

/** Blocks 0 and 1: ctrl->imm has the old value of the key, its new tag and owner are in owner. */
static inline void
mlx5_umr_mw_hdr_build(uint8_t *wqe, const struct mlx5_umr_ctrl *ctrl, uint32_t nb_ds,
		      uint8_t flags, uint64_t mask, uint32_t owner)
{
	const uint32_t nb_klm = nb_ds - MLX5_UMR_HDR_DS;
	uint64_t *dst = (uint64_t *)wqe;

	memset(wqe, 0, (size_t)MLX5_UMR_HDR_DS * PRM_WQE_DS_SIZE);
	mlx5_umr_ctrl_build(dst, MLX5_OPCODE_UMR, nb_ds, ctrl);
	/* struct mlx5_wqe_umr_ctrl_seg: flags, klm_octowords, translation_offset, mkey_mask */
	mlx5_umr_store_2dw(&dst[2], (uint32_t)(flags | MLX5_WQE_UMR_CTRL_FLAG_INLINE |
					       MLX5_WQE_UMR_CTRL_FLAG_TRNSLATION_OFFSET) << 24,
			   nb_klm << 16);
	dst[3] = rte_cpu_to_be_64(mask);
	/* struct mlx5_wqe_mkey_context_seg: free, access_flags, qpn_mkey */
	mlx5_umr_store_2dw(&dst[8], nb_klm == 0 ? (uint32_t)MLX5_WQE_MKEY_CONTEXT_FREE << 24 : 0,
			   owner);
}

/** UMR that binds a window to a range; its new value is key. */
static inline void
mlx5_umr_mw_bind_build(uint8_t *wqe, const struct mlx5_umr_ctrl *ctrl, uint8_t type, uint32_t key,
		       const struct rte_umr_mw_range *range)
{
	const bool is_type_2 = type == RTE_UMR_MW_TYPE_2B;
	const bool is_zero_based = (range->flags & RTE_UMR_MW_BIND_F_ZERO_BASED) != 0;
	const uint32_t owner = is_type_2 ? ctrl->qpn_ds : PRM_MKC_QPN_ANY << 8;
	uint64_t *dst = (uint64_t *)wqe;

	mlx5_umr_mw_hdr_build(wqe, ctrl, MLX5_UMR_MW_BIND_DS,
			      is_type_2 ? MLX5_WQE_UMR_CTRL_FLAG_CHECK_FREE : 0,
			      MLX5_UMR_MW_BIND_MASK |
			      (is_type_2 ? (uint64_t)MLX5_WQE_UMR_CTRL_MKEY_MASK_QPN : 0),
			      owner | (key & MLX5_UMR_KEY_TAG_MASK));
	/* struct mlx5_wqe_mkey_context_seg: access_flags is its third byte; start_addr, len */
	wqe[PRM_WQE_BB_SIZE + offsetof(struct mlx5_wqe_mkey_context_seg, access_flags)] =
		(uint8_t)(range->access << MLX5_UMR_ACCESS_SHIFT);
	dst[10] = is_zero_based ? 0 : rte_cpu_to_be_64(range->addr);
	dst[11] = rte_cpu_to_be_64(range->length);
	/* struct mlx5_wqe_umr_klm_seg: byte_count, mkey, address; 2 GiB is the top bit. */
	mlx5_umr_store_2dw(&dst[16], (uint32_t)range->length, range->mr->lkey);
	dst[17] = rte_cpu_to_be_64(range->addr);
	memset(&dst[18], 0, (size_t)(PRM_KLM_ALIGN - 1) * PRM_KLM_SIZE);
}

/** UMR that makes a window of type 1 unusable; its new value is key. Type 2B is as any key. */
static inline void
mlx5_umr_mw_unbind_build(uint8_t *wqe, const struct mlx5_umr_ctrl *ctrl, uint32_t key)
{
	mlx5_umr_mw_hdr_build(wqe, ctrl, MLX5_UMR_HDR_DS, 0, MLX5_UMR_MW_INVAL_MASK,
			      PRM_MKC_QPN_ANY << 8 | (key & MLX5_UMR_KEY_TAG_MASK));
}

/* Control path: mw.c. */
int mlx5_umr_mw_create(struct rte_umr_dev *umr_dev, struct rte_umr_mw *mw);
int mlx5_umr_mw_destroy(struct rte_umr_dev *umr_dev, struct rte_umr_mw *mw);

/* Fast path: fast/enqueue_mw.c. */
int mlx5_umr_mw_bind(void *queue, struct rte_umr_mw *mw, const struct rte_umr_mw_range *range,
		     uint64_t flags);
int mlx5_umr_mw_invalidate(void *queue, struct rte_umr_mw *mw, uint64_t flags);

#endif /* MLX5_UMR_MW_H */
