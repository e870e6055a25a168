/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_SLOT_H
#define MLX5_UMR_SLOT_H

/**
 * @file
 * Common parts of enqueue functions: check for room, get the address of the WQE, publish it.
 */

#include <errno.h>
#include <string.h>

#include <rte_branch_prediction.h>

#include "ring/queue.h"
#include "ring/reject.h"
#include "wqe/wqe.h"

/** Location of the next operation; read once, so that the stores of a WQE cannot change it. */
struct mlx5_umr_slot {
	uint8_t *wqe;	/* its first block */
	mlx5_umr_idx_t pi;
	uint32_t mask;
};

/** Get the next slot, if the queue has room for an operation of that many blocks. */
static inline bool
mlx5_umr_slot_get(const struct mlx5_umr_queue *queue, uint32_t nb_wqebb, struct mlx5_umr_slot *slot)
{
	slot->pi = queue->sq_pi;
	slot->mask = queue->sq_mask;
	slot->wqe = queue->sq_ring + (size_t)(slot->pi & slot->mask) * PRM_WQE_BB_SIZE;
	return nb_wqebb <= mlx5_umr_idx_dist(slot->pi, queue->sq_end) && queue->error == 0;
}

/**
 * Combine a fence with the one that a caller may request, to wait for reads. (Kernel,
 * mlx5_ib_post_send(): there is a separate mode for it together with the small fence.)
 */
static inline uint8_t
mlx5_umr_fence_with(uint8_t fm, uint64_t flags)
{
	if (likely((flags & RTE_UMR_OP_F_FENCE) == 0))
		return fm;
	if (fm == PRM_CTRL_FM_NONE)
		return PRM_CTRL_FM_FENCE;
	if (fm == PRM_CTRL_FM_INITIATOR_SMALL)
		return PRM_CTRL_FM_FENCE_AND_SMALL;
	return fm;	/* strong ordering includes the fence */
}

/**
 * Fence of the next WQE if it is a transfer: after an UMR it must not start before the UMR has
 * taken effect.
 */
static inline uint8_t
mlx5_umr_fence_mode(const struct mlx5_umr_queue *queue, uint64_t flags)
{
	return mlx5_umr_fence_with(queue->fm_next, flags);
}

/** Fence of the next WQE if it is an UMR: earlier operations may still use the key. */
static inline uint8_t
mlx5_umr_fence_mode_umr(const struct mlx5_umr_queue *queue, uint64_t flags)
{
	return mlx5_umr_fence_with(queue->fm_next | queue->fm_own, flags);
}

static inline struct mlx5_umr_ctrl
mlx5_umr_ctrl_of(const struct mlx5_umr_queue *queue, const struct mlx5_umr_slot *slot,
		 uint32_t imm, uint8_t fm)
{
	return (struct mlx5_umr_ctrl){
		.pi = slot->pi,
		.qpn_ds = queue->qpn_ds,
		.imm = imm,
		.fm_ce_se = fm,
	};
}

/**
 * Submit a committed operation and all before it. The caller passes its first WQE, which avoids a
 * lookup. @return idx, for a tail call in an enqueue function.
 */
int mlx5_umr_op_submit(struct mlx5_umr_queue *queue, uint8_t *wqe, mlx5_umr_idx_t pi,
		       mlx5_umr_idx_t idx);

/**
 * Finish an operation that extends beyond the end of the ring: move that many WQEBBs to its
 * beginning, and submit if the flags request it. @return idx
 */
int mlx5_umr_op_wrap(struct mlx5_umr_queue *queue, uint8_t *wqe, mlx5_umr_idx_t pi,
		     mlx5_umr_idx_t idx, uint32_t nb_over, uint64_t flags);

/** Publish a built operation to the rest of the driver; returns its index. */
static __rte_always_inline mlx5_umr_idx_t
mlx5_umr_op_publish(struct mlx5_umr_queue *queue, const struct mlx5_umr_slot *slot,
		    uint32_t nb_wqebb, uint8_t type, uint32_t length, uint8_t fm_next)
{
	const mlx5_umr_idx_t idx = queue->op_pi;

	queue->ops[idx & slot->mask].word = mlx5_umr_op_word(slot->pi, type, length);
	/* Rarely changes: this saves a store. */
	if (unlikely(queue->fm_next != fm_next))
		queue->fm_next = fm_next;
	queue->sq_pi = slot->pi + nb_wqebb;
	queue->op_pi = idx + 1;
	return idx;
}

/** Publish WQEs that were built contiguously, and submit if requested; returns the ring index. */
static __rte_always_inline int
mlx5_umr_op_commit(struct mlx5_umr_queue *queue, const struct mlx5_umr_slot *slot,
		   uint32_t nb_wqebb, uint8_t type, uint32_t length, uint8_t fm_next,
		   uint64_t flags)
{
	const uint32_t end = (slot->pi & slot->mask) + nb_wqebb;
	const mlx5_umr_idx_t idx = mlx5_umr_op_publish(queue, slot, nb_wqebb, type, length,
						       fm_next);

	if (unlikely(end > slot->mask + 1))
		return mlx5_umr_op_wrap(queue, slot->wqe, slot->pi, idx, end - slot->mask - 1,
					flags);
	if ((flags & RTE_UMR_OP_F_SUBMIT) != 0)
		return mlx5_umr_op_submit(queue, slot->wqe, slot->pi, idx);
	return mlx5_umr_idx_low(idx);
}

#endif /* MLX5_UMR_SLOT_H */
