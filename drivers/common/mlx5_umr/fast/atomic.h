/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_ATOMIC_H
#define MLX5_UMR_ATOMIC_H

/**
 * @file
 * Atomic operations of 8 bytes: control 16, remote address 16, operands 16, data 16.
 */

#include "ring/queue.h"
#include "wqe/wqe.h"

#define MLX5_UMR_ATOMIC_NB_WQEBB	1u

/**
 * Build an atomic; local has RTE_UMR_ATOMIC_LEN bytes. Operands are big endian in the WQE, also
 * where memory is little endian (rdma-core 44, providers/mlx5/qp.c, set_atomic_seg()). compare is
 * 0 for a fetch and add, which does not look at it.
 */
static inline void
mlx5_umr_atomic_build(uint8_t *wqe, const struct mlx5_umr_ctrl *ctrl, uint8_t opcode,
		      const struct rte_umr_seg *local, uint64_t remote_addr, uint32_t rkey,
		      uint64_t swap_add, uint64_t compare)
{
	uint64_t *dst = (uint64_t *)wqe;

	mlx5_umr_ctrl_build(&dst[0], opcode, PRM_WQE_DS_PER_BB, ctrl);
	/* struct mlx5_wqe_raddr_seg: raddr, rkey. */
	dst[2] = rte_cpu_to_be_64(remote_addr);
	mlx5_umr_store_2dw(&dst[3], rkey, 0);
	/* struct mlx5_wqe_atomic_seg: swap_add, compare. */
	dst[4] = rte_cpu_to_be_64(swap_add);
	dst[5] = rte_cpu_to_be_64(compare);
	mlx5_umr_klm_store(&dst[6], local);
}

int mlx5_umr_fetch_add(void *queue, const struct rte_umr_seg *local, uint64_t remote_addr,
		       uint32_t rkey, uint64_t add, uint64_t flags);
int mlx5_umr_cmp_swap(void *queue, const struct rte_umr_seg *local, uint64_t remote_addr,
		      uint32_t rkey, const struct rte_umr_swap *operands, uint64_t flags);

#endif /* MLX5_UMR_ATOMIC_H */
