/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_WQE_H
#define MLX5_UMR_WQE_H

/**
 * @file
 * WQE builder: bytes computed from arguments. No I/O, no queue policy, no checks.
 *
 * A WQE is a sequence of 64-byte basic blocks (WQEBB). It is built contiguously, as if the ring
 * continued after its end; the caller moves that part to the beginning. Stores are as wide as
 * possible and in order. The bytes are those that libmlx5 writes for the same request (rdma-core
 * 44, providers/mlx5/qp.c); layouts are in mlx5dv.h.
 *
 *     inline UMR        block 0    control 16, UMR control 48
 *                       block 1    memory key context 64
 *                       block 2..  KLMs, 4 a block, the last block filled up with zeros
 *     UMR with pointer  block 0, 1 the same
 *                       block 2    data 16: where the KLMs are
 */

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include <infiniband/mlx5dv.h>

#include <rte_byteorder.h>
#include <rte_common.h>

#include <mlx5_prm_wqe.h>
#include <rte_umr.h>

#include "wqe/ctrl.h"
#include "wqe/simd/head.h"

/* Applications may pass their verbs arrays: the layout is the same, field for field. */
static_assert(sizeof(struct rte_umr_seg) == sizeof(struct ibv_sge), "seg");
static_assert(offsetof(struct rte_umr_seg, addr) == offsetof(struct ibv_sge, addr), "seg");
static_assert(offsetof(struct rte_umr_seg, length) == offsetof(struct ibv_sge, length), "seg");
static_assert(offsetof(struct rte_umr_seg, lkey) == offsetof(struct ibv_sge, lkey), "seg");
static_assert(sizeof(struct rte_umr_interleaved) == sizeof(struct mlx5dv_mr_interleaved), "entry");
static_assert(offsetof(struct rte_umr_interleaved, addr) ==
	      offsetof(struct mlx5dv_mr_interleaved, addr), "entry");
static_assert(offsetof(struct rte_umr_interleaved, bytes_count) ==
	      offsetof(struct mlx5dv_mr_interleaved, bytes_count), "entry");
static_assert(offsetof(struct rte_umr_interleaved, bytes_skip) ==
	      offsetof(struct mlx5dv_mr_interleaved, bytes_skip), "entry");
static_assert(offsetof(struct rte_umr_interleaved, lkey) ==
	      offsetof(struct mlx5dv_mr_interleaved, lkey), "entry");

/** Octowords and blocks of an UMR that points to its list. */
#define MLX5_UMR_LIST_DS	(MLX5_UMR_HDR_DS + 1u)
#define MLX5_UMR_LIST_WQEBB	(MLX5_UMR_HDR_WQEBB + 1u)

/**
 * UMR that maps nb_klm KLMs in memory, a multiple of PRM_KLM_ALIGN, to the key in ctrl->imm.
 * libmlx5 has no such request; this is the one of the kernel (Linux, mlx5r_umr_update_xlt()).
 */
static inline void
mlx5_umr_list_ptr_build(uint8_t *wqe, const struct mlx5_umr_ctrl *ctrl,
			const struct mlx5_umr_head *head, uint8_t umr_flags, uint32_t klm_offset,
			uint64_t addr, uint32_t lkey, uint32_t nb_klm)
{
	uint64_t *tail = (uint64_t *)mlx5_umr_head_build(wqe, ctrl, head, umr_flags, nb_klm,
							 klm_offset,
							 MLX5_UMR_LIST_DS - MLX5_UMR_HDR_DS);

	mlx5_umr_store_2dw(&tail[0], nb_klm * PRM_KLM_SIZE, lkey);
	tail[1] = mlx5_umr_be64(addr);
}

/** Fixed-size entry: a KLM without a length (PRM, KSM). */
static inline void
mlx5_umr_ksm_store(void *dst, uint64_t addr, uint32_t lkey)
{
	uint64_t *ksm = dst;

	ksm[0] = rte_cpu_to_be_64(lkey);
	ksm[1] = rte_cpu_to_be_64(addr);
}

/** Local invalidate: the key becomes free. */
static inline void
mlx5_umr_invalidate_build(uint8_t *wqe, const struct mlx5_umr_ctrl *ctrl)
{
	const uint32_t qpn_ds = ctrl->qpn_ds | mlx5_umr_free_size.nb_ds;

	mlx5_umr_free_store(wqe, mlx5_umr_prefix_of(qpn_ds, ctrl->fm_ce_se, ctrl->pi), &ctrl->imm);
}

#endif /* MLX5_UMR_WQE_H */
