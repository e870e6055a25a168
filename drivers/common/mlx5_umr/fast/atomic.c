/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Atomics. Every function checks everything first, then builds, then commits.
 */

#include <errno.h>
#include <inttypes.h>

#include "fast/atomic.h"
#include "ring/enqueue.h"

static __rte_noinline __rte_cold int
refuse_atomic(struct mlx5_umr_queue *queue, const struct rte_umr_seg *local, uint64_t flags)
{
	if (!queue->has_atomic)
		return REFUSE(queue, -ENOTSUP, "the device has no atomics");
	if ((flags & ~RTE_UMR_OP_F_ALL) != 0)
		return REFUSE(queue, -EINVAL, "atomic: flags 0x%" PRIx64
			      " has bits beyond 0x%" PRIx64, flags, RTE_UMR_OP_F_ALL);
	return REFUSE(queue, -EINVAL, "atomic: length is %u, not %u", local->length,
		      RTE_UMR_ATOMIC_LEN);
}

static inline int
enqueue_atomic(struct mlx5_umr_queue *queue, uint8_t type, uint8_t opcode,
	       const struct rte_umr_seg *local, uint64_t remote_addr, uint32_t rkey,
	       uint64_t swap_add, uint64_t compare, uint64_t flags)
{
	struct mlx5_umr_slot slot;
	struct mlx5_umr_ctrl ctrl;

	if (unlikely(!queue->has_atomic || (flags & ~RTE_UMR_OP_F_ALL) != 0 ||
		     local->length != RTE_UMR_ATOMIC_LEN))
		return refuse_atomic(queue, local, flags);
	if (unlikely(!mlx5_umr_slot_get(queue, MLX5_UMR_ATOMIC_NB_WQEBB, &slot)))
		return mlx5_umr_refuse_state(queue);

	ctrl = mlx5_umr_ctrl_of(queue, &slot, 0, flags);
	mlx5_umr_atomic_build(slot.wqe, &ctrl, opcode, local, remote_addr, rkey, swap_add,
			      compare);
	return mlx5_umr_op_commit(queue, &slot, MLX5_UMR_ATOMIC_NB_WQEBB, type, 0,
				  PRM_CTRL_FM_NONE, flags);
}

int
mlx5_umr_fetch_add(void *q, const struct rte_umr_seg *local, uint64_t remote_addr, uint32_t rkey,
		   uint64_t add, uint64_t flags)
{
	return enqueue_atomic(q, RTE_UMR_OP_FETCH_ADD, MLX5_OPCODE_ATOMIC_FA, local, remote_addr,
			      rkey, add, 0, flags);
}

int
mlx5_umr_cmp_swap(void *q, const struct rte_umr_seg *local, uint64_t remote_addr, uint32_t rkey,
		  const struct rte_umr_swap *operands, uint64_t flags)
{
	return enqueue_atomic(q, RTE_UMR_OP_CMP_SWAP, MLX5_OPCODE_ATOMIC_CS, local, remote_addr,
			      rkey, operands->swap, operands->compare, flags);
}
