/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Writes and sends whose bytes are in the WQE. Every function checks everything first, then
 * builds, then commits.
 */

#include <errno.h>
#include <inttypes.h>

#include "ring/enqueue.h"
#include "fast/inline.h"

#define INLINE_FLAGS (RTE_UMR_OP_F_ALL | RTE_UMR_OP_F_INLINE)

static __rte_noinline __rte_cold int
refuse_inline(struct mlx5_umr_queue *queue, const struct rte_umr_seg *local, uint64_t flags)
{
	if ((flags & ~INLINE_FLAGS) != 0)
		return REFUSE(queue, -EINVAL, "flags 0x%" PRIx64 " has bits beyond 0x%" PRIx64,
			      flags, INLINE_FLAGS);
	if ((flags & RTE_UMR_OP_F_INLINE) == 0)
		return REFUSE(queue, -EMSGSIZE, "length %u is more than %u", local->length,
			      queue->max_msg_len);
	return REFUSE(queue, -EMSGSIZE, "inline: length %u is more than %u", local->length,
		      queue->max_inline);
}

static inline bool
is_inline_bad(const struct mlx5_umr_queue *queue, const struct rte_umr_seg *local, uint64_t flags)
{
	return (flags & ~INLINE_FLAGS) != 0 || (flags & RTE_UMR_OP_F_INLINE) == 0 ||
	       local->length > queue->max_inline;
}

static inline int
enqueue_write(struct mlx5_umr_queue *queue, uint8_t opcode, const struct rte_umr_seg *local,
	      uint64_t remote_addr, uint32_t rkey, rte_be32_t imm, uint64_t flags)
{
	uint32_t data_ds = mlx5_umr_inline_nb_ds(local->length);
	uint32_t nb_ds = MLX5_UMR_RDMA_DS + data_ds;
	uint32_t nb_wqebb = prm_ds_to_wqebb(nb_ds);
	struct mlx5_umr_slot slot;
	struct mlx5_umr_ctrl ctrl;
	uint64_t *dst;

	if (unlikely(is_inline_bad(queue, local, flags)))
		return refuse_inline(queue, local, flags);
	if (unlikely(!mlx5_umr_slot_get(queue, nb_wqebb, &slot)))
		return mlx5_umr_refuse_state(queue);

	ctrl = mlx5_umr_ctrl_of(queue, &slot, rte_be_to_cpu_32(imm), flags);
	dst = (uint64_t *)slot.wqe;
	mlx5_umr_ctrl_build(dst, opcode, nb_ds, &ctrl);
	/* struct mlx5_wqe_raddr_seg: raddr, rkey. */
	dst[2] = rte_cpu_to_be_64(remote_addr);
	mlx5_umr_store_2dw(&dst[3], rkey, 0);
	mlx5_umr_inline_build(slot.wqe + MLX5_UMR_RDMA_DS * PRM_WQE_DS_SIZE,
			      (const void *)(uintptr_t)local->addr, local->length, data_ds);
	queue->inline_pi = slot.pi;
	queue->has_inline = true;
	return mlx5_umr_op_commit(queue, &slot, nb_wqebb, RTE_UMR_OP_WRITE, local->length,
				  PRM_CTRL_FM_NONE, flags);
}

/* imm is in host byte order: immediate data, or the key to invalidate. */
static inline int
enqueue_send(struct mlx5_umr_queue *queue, uint8_t opcode, const struct rte_umr_seg *local,
	     uint32_t imm, uint64_t flags)
{
	uint32_t data_ds = mlx5_umr_inline_nb_ds(local->length);
	uint32_t nb_ds = MLX5_UMR_CTRL_DS + data_ds;
	uint32_t nb_wqebb = prm_ds_to_wqebb(nb_ds);
	struct mlx5_umr_slot slot;
	struct mlx5_umr_ctrl ctrl;

	if (unlikely(is_inline_bad(queue, local, flags)))
		return refuse_inline(queue, local, flags);
	if (unlikely(!mlx5_umr_slot_get(queue, nb_wqebb, &slot)))
		return mlx5_umr_refuse_state(queue);

	ctrl = mlx5_umr_ctrl_of(queue, &slot, imm, flags);
	mlx5_umr_ctrl_build((uint64_t *)slot.wqe, opcode, nb_ds, &ctrl);
	mlx5_umr_inline_build(slot.wqe + MLX5_UMR_CTRL_DS * PRM_WQE_DS_SIZE,
			      (const void *)(uintptr_t)local->addr, local->length, data_ds);
	queue->inline_pi = slot.pi;
	queue->has_inline = true;
	return mlx5_umr_op_commit(queue, &slot, nb_wqebb, RTE_UMR_OP_SEND, local->length,
				  PRM_CTRL_FM_NONE, flags);
}

int
mlx5_umr_write_other(struct mlx5_umr_queue *queue, const struct rte_umr_seg *local,
		     uint64_t remote_addr, uint32_t rkey, uint64_t flags)
{
	return enqueue_write(queue, MLX5_OPCODE_RDMA_WRITE, local, remote_addr, rkey, 0, flags);
}

int
mlx5_umr_write_imm_other(struct mlx5_umr_queue *queue, const struct rte_umr_seg *local,
			 uint64_t remote_addr, uint32_t rkey, rte_be32_t imm, uint64_t flags)
{
	return enqueue_write(queue, MLX5_OPCODE_RDMA_WRITE_IMM, local, remote_addr, rkey, imm,
			     flags);
}

int
mlx5_umr_send_other(struct mlx5_umr_queue *queue, const struct rte_umr_seg *local, uint64_t flags)
{
	return enqueue_send(queue, MLX5_OPCODE_SEND, local, 0, flags);
}

int
mlx5_umr_send_imm_other(struct mlx5_umr_queue *queue, const struct rte_umr_seg *local,
			rte_be32_t imm, uint64_t flags)
{
	return enqueue_send(queue, MLX5_OPCODE_SEND_IMM, local, rte_be_to_cpu_32(imm), flags);
}

int
mlx5_umr_send_inv_other(struct mlx5_umr_queue *queue, const struct rte_umr_seg *local,
			uint32_t rkey, uint64_t flags)
{
	return enqueue_send(queue, MLX5_OPCODE_SEND_INVAL, local, rkey, flags);
}
