/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_XFER_LIST_H
#define MLX5_UMR_XFER_LIST_H

/**
 * @file
 * Transfers of a list of segments by one work request.
 */

#include "fast/xfer_op.h"
#include "ring/slot.h"

/** Maximum segments of a transfer. */
static inline uint32_t
mlx5_umr_xfer_max_segs(const struct mlx5_umr_queue *queue, uint8_t opcode)
{
	return opcode == MLX5_OPCODE_RDMA_READ ? queue->max_read_segs : queue->max_segs;
}

/** Reject a list: its flags, its segments, its length, or an address is missing. */
int mlx5_umr_list_reject(struct mlx5_umr_queue *queue, uint8_t opcode,
			 const struct mlx5_umr_segs *list, uint32_t max_segs, uint64_t flags,
			 uint64_t accepted) __rte_cold;

/** Build one WQE of a list and commit; everything else was checked. */
static __rte_always_inline int
mlx5_umr_list_enqueue(struct mlx5_umr_queue *queue, const struct mlx5_umr_xfer *xfer,
		      const struct mlx5_umr_segs *list, uint64_t flags, const bool is_dci,
		      const bool is_data_inline)
{
	const uint32_t nb_ds = mlx5_umr_xfer_head_ds(is_dci, xfer->has_remote) + list->nb_ds;
	const uint32_t nb_wqebb = prm_ds_to_wqebb(nb_ds);
	struct mlx5_umr_slot slot;
	struct mlx5_umr_ctrl ctrl;

	if (unlikely(!mlx5_umr_slot_get(queue, nb_wqebb, &slot)))
		return mlx5_umr_reject_state(queue);
	ctrl = mlx5_umr_ctrl_of(queue, &slot, 0, mlx5_umr_fence_mode(queue, flags));
	mlx5_umr_xfer_list_build(slot.wqe, &ctrl, xfer, is_dci ? queue->av : NULL, list, nb_ds,
				 is_data_inline);
	if (is_data_inline) {
		queue->inline_pi = slot.pi;	/* for submit */
		queue->has_inline = true;
	}
	return mlx5_umr_op_commit(queue, &slot, nb_wqebb, xfer->type,
				  (uint32_t)list->len, PRM_CTRL_FM_NONE, flags);
}

#endif /* MLX5_UMR_XFER_LIST_H */
