/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_XFER_OP_H
#define MLX5_UMR_XFER_OP_H

/**
 * @file
 * Properties of transfers that follow from their opcode and flags.
 */

#include "ring/queue.h"
#include "wqe/xfer.h"

/* Flags of operations that support inline data. */
#define MLX5_UMR_INLINE_FLAGS	(RTE_UMR_OP_F_ALL | RTE_UMR_OP_F_INLINE)

static inline bool
mlx5_umr_is_inline(uint64_t flags)
{
	return (flags & RTE_UMR_OP_F_INLINE) != 0;
}

/** Address of the next transfers of a DC initiator; NULL for other queues. */
static __rte_always_inline const uint64_t *
mlx5_umr_av_of(const struct mlx5_umr_queue *queue)
{
	return queue->is_dci ? queue->av : NULL;
}

/** Whether the queue is a DC initiator that has no address yet. */
static __rte_always_inline bool
mlx5_umr_is_av_missing(const struct mlx5_umr_queue *queue)
{
	return queue->is_dci && !queue->has_av;
}

/** Maximum bytes of a transfer with these flags. */
static inline uint32_t
mlx5_umr_xfer_max_len(const struct mlx5_umr_queue *queue, uint64_t flags)
{
	return mlx5_umr_is_inline(flags) ? queue->max_inline : queue->max_msg_len;
}

/** Enum rte_umr_op_type of an opcode. */
static __rte_always_inline uint8_t
mlx5_umr_xfer_type(uint8_t opcode)
{
	switch (opcode) {
	case MLX5_OPCODE_RDMA_WRITE:
	case MLX5_OPCODE_RDMA_WRITE_IMM:
		return RTE_UMR_OP_WRITE;
	case MLX5_OPCODE_RDMA_READ:
		return RTE_UMR_OP_READ;
	case MLX5_OPCODE_ATOMIC_FA:
		return RTE_UMR_OP_FETCH_ADD;
	case MLX5_OPCODE_ATOMIC_CS:
		return RTE_UMR_OP_CMP_SWAP;
	default:
		return RTE_UMR_OP_SEND;
	}
}

/** A transfer without local bytes; its type is that of the opcode. */
static __rte_always_inline struct mlx5_umr_xfer
mlx5_umr_xfer_init(uint8_t opcode, uint8_t type, uint64_t remote_addr, uint32_t rkey)
{
	return (struct mlx5_umr_xfer){
		.opcode = opcode, .type = type, .has_remote = type != RTE_UMR_OP_SEND,
		.remote_addr = remote_addr, .rkey = rkey,
	};
}

/** Type and opcode of a transfer, and 32 bits more: one argument, so that all fit registers. */
#define MLX5_UMR_XFER_WHAT(opcode, low)                                                            \
	((uint64_t)mlx5_umr_xfer_type(opcode) << 40 | (uint64_t)(opcode) << 32 | (low))
#define MLX5_UMR_XFER_WHAT_TYPE(what)	((uint8_t)((what) >> 40))
#define MLX5_UMR_XFER_WHAT_OPCODE(what)	((uint8_t)((what) >> 32))

#endif /* MLX5_UMR_XFER_OP_H */
