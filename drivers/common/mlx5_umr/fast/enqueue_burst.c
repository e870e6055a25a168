/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Configure many keys with one call. Common operations are built in runs: consecutive operations in
 * the ring, with the state of the queue in registers. If a run ends before the burst (a list in
 * memory, no room, an invalid argument; for operations of different sizes the end of the ring), the
 * function for one operation handles the next one: it supports all cases, or rejects it.
 *
 * This file is compiled once for each instruction set, like enqueue_key.c.
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <rte_prefetch.h>

#include "ring/enqueue.h"
#include "wqe/simd/head.h"
#include "fast/isa.h"
#include "fast/mkey_op.h"
#include "wqe/simd/klm_long.h"
#include "ring/key_check.h"

/** Minimum segments of a list that takes more than one block. */
#define MIN_LONG	(PRM_KLM_ALIGN + 1)

/**
 * Location of the operations of a run. Its length is limited by the end of the ring of operations,
 * and by free blocks in the send ring. For operations of one size, the last one may extend beyond
 * the end of the ring.
 */
struct run {
	uint8_t *wqe;		/* of the next operation */
	uint8_t *wqe_end;	/* end of the last block */
	struct mlx5_umr_op *slot;	/* of the next operation */
	struct mlx5_umr_prefix prefix;	/* of the next operation; runs end where its index wraps */
	uint64_t word;		/* of the next operation */
	/* Constants of the run. */
	uint16_t max;		/* maximum operations */
	uint32_t dev_flags;	/* flags of plain keys of this device */
};

/** Start of a run, only needed at its end. */
struct run_start {
	struct mlx5_umr_queue *queue;
	struct mlx5_wqe_ctrl_seg *wqe;
	struct mlx5_umr_op *slot;
	uint8_t fm_ce_se;	/* of the first operation */
};

/** Begin a run of operations of a size, or of a minimum size. */
static __rte_always_inline struct run
run_begin(struct mlx5_umr_queue *queue, uint32_t nb_ops, const struct mlx5_umr_size *size,
	  const bool is_one_size, uint8_t type, uint64_t flags, struct run_start *start)
{
	const uint32_t ring_size = queue->sq_mask + 1;
	const uint32_t at = queue->sq_pi & queue->sq_mask, op_at = queue->op_pi & queue->sq_mask;
	const uint32_t avail = queue->error != 0 ? 0 : mlx5_umr_sq_wqebb_avail(queue);
	const uint32_t room = RTE_MIN(avail, ring_size - at);
	const uint32_t nb_room = is_one_size ?
				 RTE_MIN(avail, ring_size - at + size->nb_wqebb - 1) : room;
	uint8_t *wqe = queue->sq_ring + (size_t)at * PRM_WQE_BB_SIZE;

	*start = (struct run_start){
		.queue = queue,
		.wqe = (struct mlx5_wqe_ctrl_seg *)wqe,
		.slot = &queue->ops[op_at],
		.fm_ce_se = mlx5_umr_fence_mode_umr(queue, flags),
	};
	/* Keep it in memory: operations need the registers. */
	__asm__("" : "+m"(*start));
	return (struct run){
		.wqe = wqe,
		.wqe_end = wqe + (size_t)room * PRM_WQE_BB_SIZE,
		.slot = &queue->ops[op_at],
		.prefix = mlx5_umr_prefix_of(queue->qpn_ds, queue->fm_umr, queue->sq_pi),
		.word = mlx5_umr_op_word(queue->sq_pi, type, 0),
		.max = (uint16_t)RTE_MIN(RTE_MIN(nb_ops, ring_size - op_at),
					 nb_room / size->nb_wqebb),
		.dev_flags = mlx5_umr_queue_dev_flags(queue),
	};
}

/** Whether a WQE of that size fits. */
static __rte_always_inline bool
run_has_room(const struct run *run, const struct mlx5_umr_size *size)
{
	return run->wqe + size->nb_bytes <= run->wqe_end;
}

/** Whether an operation with that many octowords is a valid, plain one of that kind for the run. */
static __rte_always_inline bool
run_takes(const struct run *run, const struct rte_umr_mkey_op *op, uint64_t what, uint32_t nb)
{
	return mlx5_umr_op_what(op) == what && (op->reserved_2 | op->reserved_3) == 0 &&
	       nb <= op->mkey->max_entries &&
	       op->access <= MLX5_UMR_ACCESS_MKC &&
	       mlx5_umr_mkey_dev_flags(op->mkey) == run->dev_flags;
}

/** Advance the run after building an operation of that size. */
static __rte_always_inline void
run_advance(struct run *run, const struct mlx5_umr_size *size)
{
	run->slot->word = run->word;
	run->slot++;
	run->word += (uint64_t)size->nb_wqebb << MLX5_UMR_OP_PI_SHIFT;
	mlx5_umr_prefix_next(&run->prefix, size);
	run->wqe += size->nb_bytes;
}

/** Commit a run to the queue; returns the number of operations. */
static __rte_always_inline uint16_t
run_end(const struct run *run, const struct run_start *start)
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
#define KEYS_AHEAD	12

/* Copy of the entry in mlx5_umr_inline_sizes, whose content the compiler knows here. */
static const struct mlx5_umr_size one_block = MLX5_UMR_SIZE_INLINE(1);

/** Lists of one block of entries. */
static __rte_noinline uint16_t
list_run(struct mlx5_umr_queue *queue, const struct rte_umr_mkey_op *ops, uint16_t nb_ops,
	 uint64_t flags)
{
	struct run_start start;
	struct run run = run_begin(queue, nb_ops, &one_block, true, RTE_UMR_OP_MKEY_CONFIGURE,
				   flags, &start);
	const struct rte_umr_mkey_op *end = ops + run.max, *ahead = ops;
	struct mlx5_umr_quad quad;
	struct mlx5_umr_len len;
	uint8_t *klms;

	for (; ahead != end && ahead - ops != KEYS_AHEAD; ahead++)
		rte_prefetch0(ahead->mkey);
	run.prefix = mlx5_umr_prefix_sized(&run.prefix, &one_block);
	for (; ops != end; ops++) {
		const struct rte_umr_mkey_op op = *ops;

		if (ahead != end)
			rte_prefetch0((ahead++)->mkey);
		if (unlikely(op.nb_entries - 1 >= PRM_KLM_ALIGN ||
			     !run_takes(&run, ops, MLX5_UMR_PLAIN_LIST, op.nb_entries)))
			break;
		quad = mlx5_umr_quad_load(op.segs, op.nb_entries);
		if (unlikely(!mlx5_umr_quad_len(&quad, op.segs, op.nb_entries, &len)))
			break;
		klms = mlx5_umr_layout_head_store(run.wqe, &run.prefix,
						  mlx5_umr_dw_load(&op.mkey->key),
						  mlx5_umr_dw_load(&ops->access), &len);
		mlx5_umr_quad_store(klms, &quad);
		op.mkey->is_laid = true;
		run_advance(&run, &one_block);
	}
	return run_end(&run, &start);
}

/**
 * Lists of several blocks in the WQE. Values that depend on the number of segments are reused while
 * it does not change.
 */
static __rte_noinline uint16_t
long_list_run(struct mlx5_umr_queue *queue, const struct rte_umr_mkey_op *ops, uint16_t nb_ops,
	      uint64_t flags)
{
	struct run_start start;
	struct run run = run_begin(queue, nb_ops, &one_block, false, RTE_UMR_OP_MKEY_CONFIGURE,
				   flags, &start);
	const struct rte_umr_mkey_op *end = ops + run.max;
	const struct mlx5_umr_size *size = NULL;
	struct mlx5_umr_long list = { 0 };
	struct mlx5_umr_prefix prefix;
	struct mlx5_umr_quad last;
	struct mlx5_umr_len len;
	uint8_t *klms;

	for (; ops != end; ops++) {
		const struct rte_umr_mkey_op op = *ops;

		if (unlikely(op.nb_entries != list.nb)) {
			if (op.nb_entries - MIN_LONG > PRM_UMR_INLINE_KLM_MAX - MIN_LONG)
				break;
			list = mlx5_umr_long_of(op.nb_entries);
			size = mlx5_umr_inline_size(op.nb_entries);
		}
		if (unlikely(!run_takes(&run, ops, MLX5_UMR_PLAIN_LIST, op.nb_entries) ||
			     !run_has_room(&run, size)))
			break;
		last = mlx5_umr_long_load(&list, op.segs);
		if (unlikely(!mlx5_umr_long_len(&list, op.segs, &last, &len)))
			break;
		prefix = mlx5_umr_prefix_sized(&run.prefix, size);
		klms = mlx5_umr_layout_head_store(run.wqe, &prefix, mlx5_umr_dw_load(&op.mkey->key),
					   mlx5_umr_dw_load(&ops->access), &len);
		mlx5_umr_long_store(klms, &list, op.segs, &last);
		op.mkey->is_laid = true;
		run_advance(&run, size);
	}
	return run_end(&run, &start);
}

/* The same for lists that are held. */
static const struct mlx5_umr_size held_sizes[] = {
	[1] = MLX5_UMR_SIZE_INLINE(2),
	[2] = MLX5_UMR_SIZE_INLINE(3),
	[3] = MLX5_UMR_SIZE_INLINE(4),
};

/**
 * Lists of that many whole blocks and a last one, all with the number of segments of the first:
 * values that depend on it are constant, and registers hold a list from the length check to the
 * stores.
 */
static __rte_always_inline uint16_t
held_list_run(struct mlx5_umr_queue *queue, const struct rte_umr_mkey_op *ops, uint16_t nb_ops,
	      uint64_t flags, const uint32_t nb_blocks)
{
	const struct mlx5_umr_size *size = &held_sizes[nb_blocks];
	struct mlx5_umr_long list = mlx5_umr_long_of(ops->nb_entries);
	struct run_start start;
	struct run run = run_begin(queue, nb_ops, size, true, RTE_UMR_OP_MKEY_CONFIGURE, flags,
				   &start);
	const struct rte_umr_mkey_op *end = ops + run.max;
	struct mlx5_umr_held held;
	struct mlx5_umr_len len;

	list.whole_len = nb_blocks * PRM_WQE_BB_SIZE;	/* constant for the compiler */
	run.prefix = mlx5_umr_prefix_sized(&run.prefix, size);
	for (; ops != end; ops++) {
		const struct rte_umr_mkey_op op = *ops;

		if (unlikely(op.nb_entries != list.nb ||
			     !run_takes(&run, ops, MLX5_UMR_PLAIN_LIST, op.nb_entries)))
			break;
		held = mlx5_umr_held_load(&list, op.segs);
		if (unlikely(!mlx5_umr_held_len_short(&held, &list, &len)))
			break;
		/* Frees registers for the head. */
		mlx5_umr_held_store(run.wqe + MLX5_UMR_HDR_WQEBB * PRM_WQE_BB_SIZE, &held, &list);
		mlx5_umr_layout_head_store(run.wqe, &run.prefix, mlx5_umr_dw_load(&op.mkey->key),
					   mlx5_umr_dw_load(&ops->access), &len);
		op.mkey->is_laid = true;
		run_advance(&run, size);
	}
	return run_end(&run, &start);
}

/**
 * Lists of several blocks, in or outside the WQE; similar ones are held if that is faster. A
 * separate function, so that other bursts do not need its stack frame.
 */
static __rte_noinline uint16_t
any_long_list_run(struct mlx5_umr_queue *queue, const struct rte_umr_mkey_op *ops, uint16_t nb_ops,
		  uint64_t flags)
{
	const uint32_t nb_blocks = (ops->nb_entries - 1) / PRM_KLM_ALIGN;
	uint16_t nb = 0;

	if (nb_blocks > MLX5_UMR_HELD_BLOCKS || nb_ops == 1 ||
	    ops[1].nb_entries != ops->nb_entries)
		return long_list_run(queue, ops, nb_ops, flags);
	switch (nb_blocks) {
	case 1:
		nb = held_list_run(queue, ops, nb_ops, flags, 1);
		break;
	case 2:
		nb = held_list_run(queue, ops, nb_ops, flags, 2);
		break;
	case 3:
		nb = held_list_run(queue, ops, nb_ops, flags, 3);
		break;
	}
	return likely(nb != 0) ? nb : long_list_run(queue, ops, nb_ops, flags);
}

static_assert(MLX5_UMR_HELD_BLOCKS < RTE_DIM(held_sizes), "one for each");

/** Patterns of one block of entries. */
static __rte_noinline uint16_t
interleaved_run(struct mlx5_umr_queue *queue, const struct rte_umr_mkey_op *ops,
		uint16_t nb_ops, uint64_t flags)
{
	struct run_start start;
	struct run run = run_begin(queue, nb_ops, &one_block, true, RTE_UMR_OP_MKEY_CONFIGURE,
				   flags, &start);
	const struct rte_umr_mkey_op *end = ops + run.max;
	const uint32_t max = RTE_MIN(queue->max_interleaved, MLX5_UMR_SHORT_ENTRIES);
	struct mlx5_umr_block_len block_len;
	struct mlx5_umr_short layout;
	struct mlx5_umr_len len;
	uint8_t *entries;

	run.prefix = mlx5_umr_prefix_sized(&run.prefix, &one_block);
	for (; ops != end; ops++) {
		const struct rte_umr_mkey_op op = *ops;

		if (unlikely(op.nb_entries - 1 >= max || op.repeat == 0 ||
			     !run_takes(&run, ops, MLX5_UMR_PLAIN_PATTERN, op.nb_entries + 1)))
			break;
		layout = mlx5_umr_short_load(op.interleaved, op.nb_entries);
		if (unlikely(!mlx5_umr_short_len(&layout, op.nb_entries, &block_len)))
			break;
		entries = run.wqe + MLX5_UMR_HDR_WQEBB * PRM_WQE_BB_SIZE;
		mlx5_umr_repeat_store(entries, &block_len, op.nb_entries, op.repeat);
		len = mlx5_umr_block_len_mul(&block_len, &ops->repeat);
		mlx5_umr_layout_head_store(run.wqe, &run.prefix, mlx5_umr_dw_load(&op.mkey->key),
					   mlx5_umr_dw_load(&ops->access), &len);
		mlx5_umr_short_store(entries + PRM_KLM_SIZE, &layout, op.nb_entries);
		op.mkey->is_laid = true;
		run_advance(&run, &one_block);
	}
	return run_end(&run, &start);
}

/** Patterns of several blocks. */
static __rte_noinline uint16_t
long_interleaved_run(struct mlx5_umr_queue *queue, const struct rte_umr_mkey_op *ops,
		     uint16_t nb_ops, uint64_t flags)
{
	struct run_start start;
	struct run run = run_begin(queue, nb_ops, &one_block, false, RTE_UMR_OP_MKEY_CONFIGURE,
				   flags, &start);
	const struct rte_umr_mkey_op *end = ops + run.max;
	const uint32_t max = queue->max_interleaved;
	struct mlx5_umr_block_len block_len;
	const struct mlx5_umr_size *size;
	struct mlx5_umr_len len;
	uint8_t *entries;

	for (; ops != end; ops++) {
		const struct rte_umr_mkey_op op = *ops;
		struct mlx5_umr_prefix prefix;

		if (unlikely(op.nb_entries - 1 >= max || op.repeat == 0 ||
			     !run_takes(&run, ops, MLX5_UMR_PLAIN_PATTERN, op.nb_entries + 1)))
			break;
		size = mlx5_umr_inline_size(op.nb_entries + 1);
		prefix = mlx5_umr_prefix_sized(&run.prefix, size);
		if (unlikely(!run_has_room(&run, size) ||
			     !mlx5_umr_entries_len(op.interleaved, op.nb_entries, &block_len)))
			break;
		entries = run.wqe + MLX5_UMR_HDR_WQEBB * PRM_WQE_BB_SIZE;
		mlx5_umr_repeat_store(entries, &block_len, op.nb_entries, op.repeat);
		len = mlx5_umr_block_len_mul(&block_len, &ops->repeat);
		mlx5_umr_layout_head_store(run.wqe, &prefix, mlx5_umr_dw_load(&op.mkey->key),
					   mlx5_umr_dw_load(&ops->access), &len);
		mlx5_umr_entries_store(entries + PRM_KLM_SIZE, op.interleaved, op.nb_entries);
		op.mkey->is_laid = true;
		run_advance(&run, size);
	}
	return run_end(&run, &start);
}

static __rte_noinline uint16_t
invalidate_run(struct mlx5_umr_queue *queue, struct rte_umr_mkey *const *mkeys, uint16_t nb_mkeys,
	       uint64_t flags)
{
	struct run_start start;
	struct run run = run_begin(queue, nb_mkeys, &mlx5_umr_free_size, true,
				   RTE_UMR_OP_MKEY_INVALIDATE, flags, &start);
	struct rte_umr_mkey *const *end = mkeys + run.max;

	run.prefix = mlx5_umr_prefix_sized(&run.prefix, &mlx5_umr_free_size);
	for (; mkeys != end; mkeys++) {
		const struct rte_umr_mkey *mkey = *mkeys;

		if (unlikely(mlx5_umr_mkey_dev_flags(mkey) != run.dev_flags))
			break;
		mlx5_umr_free_store(run.wqe, &run.prefix, mlx5_umr_dw_load(&mkey->key));
		run_advance(&run, &mlx5_umr_free_size);
	}
	return run_end(&run, &start);
}

static __rte_noinline __rte_cold int
reject_burst(struct mlx5_umr_queue *queue, uint64_t flags)
{
	if ((flags & ~RTE_UMR_OP_F_ALL) != 0)
		return REJECT(queue, FLAGS, -EINVAL,
			      "burst: flags 0x%" PRIx64 " has bits beyond 0x%" PRIx64, flags,
			      RTE_UMR_OP_F_ALL);
	return REJECT(queue, BURST, -EINVAL, "burst: 0 operations, at least 1 is needed");
}

/** Build the common ones of nb operations, starting with the first; returns their number. */
typedef uint16_t (*run_t)(struct mlx5_umr_queue *queue, const void *ops, uint16_t first,
			  uint16_t nb, uint64_t flags);
/** Any operation; returns 0 or more, or a negative errno. */
typedef int (*one_t)(struct mlx5_umr_queue *queue, const void *ops, uint16_t i, uint64_t flags);

/** Common code of bursts; inlined to avoid calls through pointers. */
static __rte_always_inline int
burst_enqueue(struct mlx5_umr_queue *queue, const void *ops, uint16_t nb_ops, uint64_t flags,
	      run_t run, one_t one)
{
	uint64_t fence = flags & RTE_UMR_OP_F_FENCE;
	uint16_t nb_done = 0, nb;
	int ret = 0;

	if (unlikely(nb_ops == 0 || flags > RTE_UMR_OP_F_ALL))
		return reject_burst(queue, flags);
	while (nb_done != nb_ops) {
		nb = run(queue, ops, nb_done, nb_ops - nb_done, fence);
		if (unlikely(nb == 0)) {
			ret = one(queue, ops, nb_done, fence);
			if (ret < 0)
				break;
			nb = 1;
		}
		nb_done += nb;
		fence = 0;
	}
	if (unlikely(nb_done == 0))
		return ret;
	if ((flags & RTE_UMR_OP_F_SUBMIT) != 0)
		mlx5_umr_submit(queue);
	return nb_done;
}

static inline uint16_t
any_pattern_run(struct mlx5_umr_queue *queue, const struct rte_umr_mkey_op *ops, uint16_t nb,
		uint64_t flags)
{
	if (ops->nb_entries <= MLX5_UMR_SHORT_ENTRIES)
		return interleaved_run(queue, ops, nb, flags);
	return long_interleaved_run(queue, ops, nb, flags);
}

/** Build consecutive operations of one kind; returns their number. */
static inline uint16_t
any_configure_run(struct mlx5_umr_queue *queue, const void *arg, uint16_t first, uint16_t nb,
		  uint64_t flags)
{
	const struct rte_umr_mkey_op *ops = arg;

	ops += first;
	switch (mlx5_umr_op_what(ops)) {
	case MLX5_UMR_PLAIN_LIST:
		if (ops->nb_entries > PRM_KLM_ALIGN)
			return any_long_list_run(queue, ops, nb, flags);
		return list_run(queue, ops, nb, flags);
	case MLX5_UMR_PLAIN_PATTERN:
		return any_pattern_run(queue, ops, nb, flags);
	default:
		return 0;
	}
}

static inline int
any_configure(struct mlx5_umr_queue *queue, const void *arg, uint16_t i, uint64_t flags)
{
	const struct rte_umr_mkey_op *ops = arg;

	return ISA(mlx5_umr_mkey_configure)(queue, &ops[i], flags);
}

int
ISA(mlx5_umr_mkey_configure_burst)(void *q, const struct rte_umr_mkey_op *ops, uint16_t nb_ops,
				   uint64_t flags)
{
	return burst_enqueue(q, ops, nb_ops, flags, any_configure_run, any_configure);
}

static inline uint16_t
any_invalidate_run(struct mlx5_umr_queue *queue, const void *arg, uint16_t first, uint16_t nb,
		   uint64_t flags)
{
	struct rte_umr_mkey *const *mkeys = arg;

	return invalidate_run(queue, mkeys + first, nb, flags);
}

static inline int
any_invalidate(struct mlx5_umr_queue *queue, const void *arg, uint16_t i, uint64_t flags)
{
	struct rte_umr_mkey *const *mkeys = arg;

	return ISA(mlx5_umr_mkey_invalidate)(queue, mkeys[i], flags);
}

int
ISA(mlx5_umr_mkey_invalidate_burst)(void *q, struct rte_umr_mkey *const *mkeys, uint16_t nb_mkeys,
				    uint64_t flags)
{
	return burst_enqueue(q, mkeys, nb_mkeys, flags, any_invalidate_run, any_invalidate);
}
