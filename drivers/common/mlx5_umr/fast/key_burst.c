/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Configure many keys with one call. Common operations are built in runs: consecutive operations in
 * the ring, with the state of the queue in registers. If a run ends before the burst (a list in
 * memory, no room, an invalid argument; for operations of different sizes the end of the ring), the
 * function for one operation handles the next one: it supports all cases, or rejects it.
 *
 * This file is compiled once for each instruction set, like key_one.c.
 */

#include <errno.h>

#include "fast/isa.h"
#include "fast/key_bsf.h"
#include "fast/key_kind.h"
#include "fast/run.h"

/**
 * Layouts of a kind in the WQE. The kind is constant, and so are the blocks of each, or 0 for any
 * number.
 */
static __rte_always_inline uint16_t
layout_run(struct mlx5_umr_queue *queue, const struct rte_umr_mkey_op *ops, uint16_t nb_ops,
	   uint64_t flags, const uint64_t what, const uint32_t nb_blocks)
{
	/* The repeat block header takes one entry. */
	const uint32_t nb_header = what == MLX5_UMR_PLAIN_PATTERN;
	const uint32_t max = nb_header ? queue->max_interleaved : PRM_UMR_INLINE_KLM_MAX;
	const struct mlx5_umr_size *size = &mlx5_umr_inline_sizes[nb_blocks != 0 ? nb_blocks : 1];
	struct mlx5_umr_run_start start;
	struct mlx5_umr_run run = mlx5_umr_run_begin(queue, nb_ops, size, nb_blocks != 0,
						     RTE_UMR_OP_MKEY_CONFIGURE, 0, flags, &start);
	const struct rte_umr_mkey_op *end = ops + run.max;
	mlx5_umr_prefix_t prefix;
	mlx5_umr_len_t len;
	uint8_t *dst;
	bool is_good;

	mlx5_umr_keys_prefetch(ops, end);
	for (; ops != end; ops++) {
		const struct rte_umr_mkey_op op = *ops;
		const uint32_t nb = op.nb_entries + nb_header;

		if (ops + MLX5_UMR_KEYS_AHEAD < end)
			rte_prefetch0(ops[MLX5_UMR_KEYS_AHEAD].mkey);
		if (unlikely(!mlx5_umr_run_takes(&run, ops, what) || nb > op.mkey->max_entries))
			break;
		if (nb_header && unlikely(op.nb_entries - 1 >= max || op.repeat == 0))
			break;
		if (nb_blocks != 0 &&
		    unlikely(nb - 1 - (nb_blocks - 1) * PRM_KLM_ALIGN >= PRM_KLM_ALIGN))
			break;
		if (nb_blocks == 0) {
			if (unlikely(op.nb_entries - 1 >= max))
				break;
			size = mlx5_umr_inline_size(nb);
			if (unlikely(!mlx5_umr_run_has_room(&run, size)))
				break;
		}
		dst = run.wqe + MLX5_UMR_HDR_WQEBB * PRM_WQE_BB_SIZE;
		is_good = nb_header ? mlx5_umr_pattern_store(dst, op.interleaved, op.nb_entries,
							     op.repeat, nb_blocks == 1,
							     &len) :
				      mlx5_umr_klms_store(dst, op.segs, op.nb_entries, nb_blocks,
							  &len);
		if (unlikely(!is_good))
			break;
		prefix = nb_blocks != 0 ? run.prefix : mlx5_umr_prefix_sized(run.prefix,
									    size->nb_ds);
		mlx5_umr_layout_head_store(run.wqe, prefix, size->umr, &op.mkey->key, op.access,
					   len);
		op.mkey->is_laid = true;
		mlx5_umr_run_advance(&run, size->nb_wqebb);
	}
	return mlx5_umr_run_end(&run, &start);
}

/* A known number of blocks gains 10 % and more. */
MLX5_UMR_RUN(list_run_1, layout_run, MLX5_UMR_PLAIN_LIST, 1)
MLX5_UMR_RUN(list_run_2, layout_run, MLX5_UMR_PLAIN_LIST, 2)
MLX5_UMR_RUN(list_run_3, layout_run, MLX5_UMR_PLAIN_LIST, 3)
MLX5_UMR_RUN(list_run_4, layout_run, MLX5_UMR_PLAIN_LIST, 4)
MLX5_UMR_RUN(list_run_any, layout_run, MLX5_UMR_PLAIN_LIST, 0)
MLX5_UMR_RUN(pattern_run_1, layout_run, MLX5_UMR_PLAIN_PATTERN, 1)
MLX5_UMR_RUN(pattern_run_any, layout_run, MLX5_UMR_PLAIN_PATTERN, 0)

/** A run of lists, of which at least two have the same number of blocks if it is known. */
static inline uint16_t
list_run(struct mlx5_umr_queue *queue, const struct rte_umr_mkey_op *ops, uint16_t nb_ops,
	 uint64_t flags)
{
	const uint32_t at = (ops->nb_entries - 1) / PRM_KLM_ALIGN;

	if (at != 0 && (nb_ops == 1 || (ops[1].nb_entries - 1) / PRM_KLM_ALIGN != at))
		return list_run_any(queue, ops, nb_ops, flags);
	switch (at) {
	case 0:
		return list_run_1(queue, ops, nb_ops, flags);
	case 1:
		return list_run_2(queue, ops, nb_ops, flags);
	case 2:
		return list_run_3(queue, ops, nb_ops, flags);
	case 3:
		return list_run_4(queue, ops, nb_ops, flags);
	default:
		return list_run_any(queue, ops, nb_ops, flags);
	}
}

static __rte_noinline uint16_t
invalidate_run(struct mlx5_umr_queue *queue, struct rte_umr_mkey *const *mkeys, uint16_t nb_mkeys,
	       uint64_t flags)
{
	struct mlx5_umr_run_start start;
	struct mlx5_umr_run run = mlx5_umr_run_begin(queue, nb_mkeys, &mlx5_umr_free_size, true,
						     RTE_UMR_OP_MKEY_INVALIDATE, 0, flags,
						     &start);
	struct rte_umr_mkey *const *end = mkeys + run.max;

	for (uint32_t i = 0; i < MLX5_UMR_KEYS_AHEAD && mkeys + i < end; i++)
		rte_prefetch0(mkeys[i]);
	for (; mkeys != end; mkeys++) {
		const struct rte_umr_mkey *mkey = *mkeys;

		if (mkeys + MLX5_UMR_KEYS_AHEAD < end)
			rte_prefetch0(mkeys[MLX5_UMR_KEYS_AHEAD]);
		if (unlikely(mlx5_umr_mkey_dev_flags(mkey) != run.dev_flags))
			break;
		mlx5_umr_free_store(run.wqe, run.prefix, &mkey->key);
		mlx5_umr_run_advance(&run, mlx5_umr_free_size.nb_wqebb);
	}
	return mlx5_umr_run_end(&run, &start);
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

	if (unlikely(flags > RTE_UMR_OP_F_ALL))
		return mlx5_umr_reject_flags(queue, flags, RTE_UMR_OP_F_ALL);
	if (unlikely(nb_ops == 0))
		return mlx5_umr_reject_no_ops(queue);
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

/** Build consecutive operations of one kind; returns their number. */
static inline uint16_t
any_configure_run(struct mlx5_umr_queue *queue, const void *arg, uint16_t first, uint16_t nb,
		  uint64_t flags)
{
	const struct rte_umr_mkey_op *ops = arg;

	ops += first;
	if (mlx5_umr_op_is(ops, MLX5_UMR_PLAIN_LIST))
		return list_run(queue, ops, nb, flags);
	if (!mlx5_umr_op_is(ops, MLX5_UMR_PLAIN_PATTERN))
		return mlx5_umr_mkey_bsf_run(queue, ops, nb, flags);
	if (ops->nb_entries < PRM_KLM_ALIGN)
		return pattern_run_1(queue, ops, nb, flags);
	return pattern_run_any(queue, ops, nb, flags);
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

	return mlx5_umr_mkey_invalidate(queue, mkeys[i], flags);
}

int
ISA(mlx5_umr_mkey_invalidate_burst)(void *q, struct rte_umr_mkey *const *mkeys, uint16_t nb_mkeys,
				    uint64_t flags)
{
	return burst_enqueue(q, mkeys, nb_mkeys, flags, any_invalidate_run, any_invalidate);
}
