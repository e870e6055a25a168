/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_FAST_XFER_H
#define MLX5_UMR_FAST_XFER_H

/**
 * @file
 * Transfers of the fast path: for queues with a peer, and for DC initiators, whose transfers have
 * an address.
 */

#include "ring/queue.h"

int mlx5_umr_write(void *queue, const struct rte_umr_seg *local, uint64_t remote_addr,
		   uint32_t rkey, uint64_t flags);
int mlx5_umr_write_imm(void *queue, const struct rte_umr_seg *local, uint64_t remote_addr,
		       uint32_t rkey, rte_be32_t imm, uint64_t flags);
int mlx5_umr_read(void *queue, const struct rte_umr_seg *local, uint64_t remote_addr,
		  uint32_t rkey, uint64_t flags);
int mlx5_umr_send(void *queue, const struct rte_umr_seg *local, uint64_t flags);
int mlx5_umr_send_imm(void *queue, const struct rte_umr_seg *local, rte_be32_t imm,
		      uint64_t flags);
int mlx5_umr_send_inv(void *queue, const struct rte_umr_seg *local, uint32_t rkey,
		      uint64_t flags);
int mlx5_umr_fetch_add(void *queue, const struct rte_umr_seg *local, uint64_t remote_addr,
		       uint32_t rkey, uint64_t add, uint64_t flags);
int mlx5_umr_cmp_swap(void *queue, const struct rte_umr_seg *local, uint64_t remote_addr,
		      uint32_t rkey, const struct rte_umr_swap *operands, uint64_t flags);
int mlx5_umr_write_burst(void *queue, const struct rte_umr_rdma_op *ops, uint16_t nb_ops,
			 uint64_t flags);
int mlx5_umr_read_burst(void *queue, const struct rte_umr_rdma_op *ops, uint16_t nb_ops,
			uint64_t flags);
int mlx5_umr_send_burst(void *queue, const struct rte_umr_seg *segs, uint16_t nb_segs,
			uint64_t flags);

int mlx5_umr_dci_write(void *queue, const struct rte_umr_seg *local, uint64_t remote_addr,
		       uint32_t rkey, uint64_t flags);
int mlx5_umr_dci_write_imm(void *queue, const struct rte_umr_seg *local, uint64_t remote_addr,
			   uint32_t rkey, rte_be32_t imm, uint64_t flags);
int mlx5_umr_dci_read(void *queue, const struct rte_umr_seg *local, uint64_t remote_addr,
		      uint32_t rkey, uint64_t flags);
int mlx5_umr_dci_send(void *queue, const struct rte_umr_seg *local, uint64_t flags);
int mlx5_umr_dci_send_imm(void *queue, const struct rte_umr_seg *local, rte_be32_t imm,
			  uint64_t flags);
int mlx5_umr_dci_send_inv(void *queue, const struct rte_umr_seg *local, uint32_t rkey,
			  uint64_t flags);
int mlx5_umr_dci_fetch_add(void *queue, const struct rte_umr_seg *local, uint64_t remote_addr,
			   uint32_t rkey, uint64_t add, uint64_t flags);
int mlx5_umr_dci_cmp_swap(void *queue, const struct rte_umr_seg *local, uint64_t remote_addr,
			  uint32_t rkey, const struct rte_umr_swap *operands, uint64_t flags);
int mlx5_umr_dci_write_burst(void *queue, const struct rte_umr_rdma_op *ops, uint16_t nb_ops,
			     uint64_t flags);
int mlx5_umr_dci_read_burst(void *queue, const struct rte_umr_rdma_op *ops, uint16_t nb_ops,
			    uint64_t flags);
int mlx5_umr_dci_send_burst(void *queue, const struct rte_umr_seg *segs, uint16_t nb_segs,
			    uint64_t flags);

/* Lists of segments: xfer_list.c. */
int mlx5_umr_write_list(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
			uint64_t remote_addr, uint32_t rkey, uint64_t flags);
int mlx5_umr_read_list(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
		       uint64_t remote_addr, uint32_t rkey, uint64_t flags);
int mlx5_umr_send_list(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
		       uint64_t flags);
int mlx5_umr_dci_write_list(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
			    uint64_t remote_addr, uint32_t rkey, uint64_t flags);
int mlx5_umr_dci_read_list(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
			   uint64_t remote_addr, uint32_t rkey, uint64_t flags);
int mlx5_umr_dci_send_list(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
			   uint64_t flags);

/* Lists of any length: sg.c. */
int mlx5_umr_write_sg(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
		      uint64_t remote_addr, uint32_t rkey, uint64_t flags);
int mlx5_umr_read_sg(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
		     uint64_t remote_addr, uint32_t rkey, uint64_t flags);
int mlx5_umr_dci_write_sg(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
			  uint64_t remote_addr, uint32_t rkey, uint64_t flags);
int mlx5_umr_dci_read_sg(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
			 uint64_t remote_addr, uint32_t rkey, uint64_t flags);

#endif /* MLX5_UMR_FAST_XFER_H */
