/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_RUN_H
#define MLX5_UMR_RUN_H

/**
 * @file
 * Runs: consecutive operations of a burst that are built in the ring while the state of the queue
 * is in registers.
 */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <rte_prefetch.h>

#include "fast/key_kind.h"
#include "ring/slot.h"
#include "ring/key_check.h"
#include "wqe/simd/head.h"

/**
 * Location of the operations of a run. Its length is limited by the end of the ring of operations,
 * and by free blocks in the send ring. For operations of one size, the last one may extend beyond
 * the end of the ring.
 */
struct mlx5_umr_run {
	uint8_t *wqe;		/* of the next operation */
	uint8_t *wqe_end;	/* end of the last block */
	struct mlx5_umr_op *slot;	/* of the next operation */
	mlx5_umr_prefix_t prefix;	/* of the next operation; runs end where its index wraps */
	uint64_t word;		/* of the next operation */
	/* Constants of the run. */
	uint16_t max;		/* maximum operations */
	uint32_t dev_flags;	/* device and flags of keys */
};

/** Start of a run, only needed at its end. */
struct mlx5_umr_run_start {
	struct mlx5_umr_queue *queue;
	struct mlx5_wqe_ctrl_seg *wqe;
	struct mlx5_umr_op *slot;
	uint8_t fm_ce_se;	/* of the first operation */
};

/**
 * Begin a run of operations of a size, or of a minimum size: then its prefix has no size. Keys have
 * these flags.
 */
static __rte_always_inline struct mlx5_umr_run
mlx5_umr_run_begin(struct mlx5_umr_queue *queue, uint32_t nb_ops, const struct mlx5_umr_size *size,
		   const bool is_one_size, uint8_t type, uint32_t key_flags, uint64_t flags,
		   struct mlx5_umr_run_start *start)
{
	const uint32_t ring_size = queue->sq_mask + 1;
	const uint32_t at = queue->sq_pi & queue->sq_mask, op_at = queue->op_pi & queue->sq_mask;
	const uint32_t avail = queue->error != 0 ? 0 : mlx5_umr_sq_wqebb_avail(queue);
	const uint32_t room = RTE_MIN(avail, ring_size - at);
	const uint32_t nb_room = is_one_size ?
				 RTE_MIN(avail, ring_size - at + size->nb_wqebb - 1) : room;
	uint8_t *wqe = queue->sq_ring + (size_t)at * PRM_WQE_BB_SIZE;

	*start = (struct mlx5_umr_run_start){
		.queue = queue,
		.wqe = (struct mlx5_wqe_ctrl_seg *)wqe,
		.slot = &queue->ops[op_at],
		.fm_ce_se = mlx5_umr_fence_mode_umr(queue, flags),
	};
	/* Keep it in memory: operations need the registers. */
	__asm__("" : "+m"(*start));
	return (struct mlx5_umr_run){
		.wqe = wqe,
		.wqe_end = wqe + (size_t)room * PRM_WQE_BB_SIZE,
		.slot = &queue->ops[op_at],
		.prefix = mlx5_umr_prefix_of(queue->qpn_ds | (is_one_size ? size->nb_ds : 0),
					     queue->fm_umr, queue->sq_pi),
		.word = mlx5_umr_op_word(queue->sq_pi, type, 0),
		.max = (uint16_t)RTE_MIN(RTE_MIN(nb_ops, ring_size - op_at),
					 nb_room / size->nb_wqebb),
		.dev_flags = mlx5_umr_queue_dev_flags(queue) | MLX5_UMR_DEV_FLAG(key_flags),
	};
}

/** Whether an operation is a valid one of that kind on a key of the run, except for its layout. */
static __rte_always_inline bool
mlx5_umr_run_takes(const struct mlx5_umr_run *run, const struct rte_umr_mkey_op *op, uint64_t what)
{
	return mlx5_umr_op_is(op, what) && (op->reserved | op->base_addr) == 0 &&
	       op->access <= MLX5_UMR_ACCESS_MKC &&
	       mlx5_umr_mkey_dev_flags(op->mkey) == run->dev_flags;
}

/** Whether a WQE of that size fits. */
static __rte_always_inline bool
mlx5_umr_run_has_room(const struct mlx5_umr_run *run, const struct mlx5_umr_size *size)
{
	return run->wqe + size->nb_bytes <= run->wqe_end;
}

/** Advance the run after building an operation of that many blocks. */
static __rte_always_inline void
mlx5_umr_run_advance(struct mlx5_umr_run *run, uint32_t nb_wqebb)
{
	run->slot->word = run->word;
	run->slot++;
	run->word += (uint64_t)nb_wqebb << MLX5_UMR_OP_PI_SHIFT;
	run->prefix = mlx5_umr_prefix_next(run->prefix, nb_wqebb);
	run->wqe += (size_t)nb_wqebb * PRM_WQE_BB_SIZE;
}

/** Commit a run to the queue; returns the number of operations. */
static __rte_always_inline uint16_t
mlx5_umr_run_end(const struct mlx5_umr_run *run, const struct mlx5_umr_run_start *start)
{
	const uint16_t nb = (uint16_t)(run->slot - start->slot);
	struct mlx5_umr_queue *queue = start->queue;
	uint8_t *end = queue->sq_ring + (size_t)(queue->sq_mask + 1) * PRM_WQE_BB_SIZE;

	if (nb == 0)
		return 0;
	if (unlikely(run->wqe > end))
		memcpy(queue->sq_ring, end, (size_t)(run->wqe - end));
	/*
	 * All operations were built with the fence for use after an UMR, which is wrong for the
	 * first one.
	 */
	start->wqe->fm_ce_se = start->fm_ce_se;
	queue->sq_pi += (uint32_t)(run->wqe - (uint8_t *)start->wqe) / PRM_WQE_BB_SIZE;
	queue->op_pi += nb;
	queue->fm_next = queue->fm_umr;
	return nb;
}

/* Prefetch distance of keys: the work in between takes longer than an access to a shared cache. */
#define MLX5_UMR_KEYS_AHEAD	12

/** Prefetch the keys of the first operations of a run; the others follow one by one. */
static __rte_always_inline void
mlx5_umr_keys_prefetch(const struct rte_umr_mkey_op *ops, const struct rte_umr_mkey_op *end)
{
	for (uint32_t i = 0; i < MLX5_UMR_KEYS_AHEAD && ops + i < end; i++)
		rte_prefetch0(ops[i].mkey);
}

/** Define a run of operations on keys: run() with these constants as its last arguments. */
#define MLX5_UMR_RUN(name, run, ...)                                                               \
	static __rte_noinline uint16_t                                                             \
	name(struct mlx5_umr_queue *queue, const struct rte_umr_mkey_op *ops, uint16_t nb_ops,     \
	     uint64_t flags)                                                                       \
	{                                                                                          \
		return run(queue, ops, nb_ops, flags, __VA_ARGS__);                                \
	}

#endif /* MLX5_UMR_RUN_H */
