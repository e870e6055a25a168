/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_INLINE_H
#define MLX5_UMR_INLINE_H

/**
 * @file
 * Writes and sends whose bytes are in the WQE. The bytes of a WQE are those of libmlx5 (rdma-core
 * 44, providers/mlx5/qp.c), but for what follows the data in its last octoword: that is zero here.
 *
 *     write   control 16, remote address 16, { byte count 4, data }
 *     send    control 16, { byte count 4, data }
 */

#include <string.h>

#include "ring/queue.h"
#include "wqe/wqe.h"

/* Octowords in front of the data. */
#define MLX5_UMR_RDMA_DS                                                                           \
	(MLX5_UMR_CTRL_DS + MLX5_UMR_SIZE_DS(sizeof(struct mlx5_wqe_raddr_seg)))
/* What is in front of the data in its own segment. */
#define MLX5_UMR_INLINE_HDR	((uint32_t)sizeof(struct mlx5_wqe_inl_data_seg))

/** Most bytes that fit a WQE of that many octowords behind a remote address. */
static inline uint32_t
mlx5_umr_inline_max(uint32_t nb_ds)
{
	return (nb_ds - MLX5_UMR_RDMA_DS) * PRM_WQE_DS_SIZE - MLX5_UMR_INLINE_HDR;
}

/** Octowords that so many bytes take; no bytes, no segment. */
static inline uint32_t
mlx5_umr_inline_nb_ds(uint32_t len)
{
	if (len == 0)
		return 0;
	return (len + MLX5_UMR_INLINE_HDR + PRM_WQE_DS_SIZE - 1) / PRM_WQE_DS_SIZE;
}

/** Copy len bytes into a WQE; nb_ds is what mlx5_umr_inline_nb_ds() says of them. */
static inline void
mlx5_umr_inline_build(uint8_t *dst, const void *src, uint32_t len, uint32_t nb_ds)
{
	struct mlx5_wqe_inl_data_seg *seg = (struct mlx5_wqe_inl_data_seg *)dst;

	if (nb_ds == 0)
		return;
	memset(dst + (size_t)(nb_ds - 1) * PRM_WQE_DS_SIZE, 0, PRM_WQE_DS_SIZE);
	seg->byte_count = rte_cpu_to_be_32(MLX5_INLINE_SEG | len);
	memcpy(seg + 1, src, len);
}

/*
 * What write and send do with flags or lengths that are not the usual ones: the bytes go inline if
 * RTE_UMR_OP_F_INLINE says so, else the operation is refused.
 */
int mlx5_umr_write_other(struct mlx5_umr_queue *queue, const struct rte_umr_seg *local,
			 uint64_t remote_addr, uint32_t rkey, uint64_t flags);
int mlx5_umr_write_imm_other(struct mlx5_umr_queue *queue, const struct rte_umr_seg *local,
			     uint64_t remote_addr, uint32_t rkey, rte_be32_t imm, uint64_t flags);
int mlx5_umr_send_other(struct mlx5_umr_queue *queue, const struct rte_umr_seg *local,
			uint64_t flags);
int mlx5_umr_send_imm_other(struct mlx5_umr_queue *queue, const struct rte_umr_seg *local,
			    rte_be32_t imm, uint64_t flags);
int mlx5_umr_send_inv_other(struct mlx5_umr_queue *queue, const struct rte_umr_seg *local,
			    uint32_t rkey, uint64_t flags);

#endif /* MLX5_UMR_INLINE_H */
