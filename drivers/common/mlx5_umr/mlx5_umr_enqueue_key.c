/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Configure keys. Every function checks everything first, then builds, then commits.
 *
 * This file is compiled once for each instruction set (mlx5_umr_klm.h); the names of its
 * functions end with that of the set.
 */

#include <errno.h>

#include "mlx5_umr_configure.h"
#include "mlx5_umr_enqueue.h"
#include "mlx5_umr_isa.h"
#include "mlx5_umr_key_check.h"

/* The KLMs go to memory of their own, the WQE points to them. */
static __rte_noinline int
list_in_memory(struct mlx5_umr_queue *queue, struct rte_umr_mkey *mkey, uint32_t access,
	       const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags)
{
	struct mlx5_umr_klm_mem *mem = &queue->klm_mem;
	uint32_t nb_klm = mlx5_umr_klm_align(nb_segs), end;
	struct mlx5_umr_slot slot;
	struct mlx5_umr_ctrl ctrl;
	struct mlx5_umr_sum sum;
	uint8_t *klms;

	if (unlikely(nb_segs > MLX5_UMR_LIST_MAX ||
		     mlx5_umr_klm_nb_chunks(nb_klm) > mem->nb_chunks))
		return mlx5_umr_mkey_list_general(queue, mkey, access, segs, nb_segs, flags);
	klms = mlx5_umr_klm_mem_peek(mem, mlx5_umr_klm_nb_chunks(nb_klm), &end);
	if (unlikely(!mlx5_umr_slot_get(queue, MLX5_UMR_LIST_WQEBB, &slot) || klms == NULL))
		return mlx5_umr_refuse_state(queue);
	/* Nobody reads it before the WQE is there, so it may be written before it is checked. */
	sum = mlx5_umr_klm_list_store(klms, segs, nb_segs);
	if (unlikely(sum.bad != 0))
		return mlx5_umr_mkey_list_general(queue, mkey, access, segs, nb_segs, flags);

	ctrl = mlx5_umr_ctrl_of(queue, &slot, mkey->key, flags);
	mlx5_umr_list_ptr_build(slot.wqe, &ctrl, access, (uintptr_t)klms, mem->lkey, nb_klm,
				sum.len);
	mlx5_umr_klm_mem_take(mem, queue->op_pi, end);
	return mlx5_umr_op_commit(queue, &slot, MLX5_UMR_LIST_WQEBB, RTE_UMR_OP_MKEY_LIST, 0,
				  queue->fm_umr, flags);
}

/* More than one block of KLMs. The rest of the arguments has been checked. */
static __rte_noinline int
list_long(struct mlx5_umr_queue *queue, struct rte_umr_mkey *mkey, uint32_t access,
	  const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags)
{
	const struct mlx5_umr_shape *shape;
	struct mlx5_umr_long list;
	struct mlx5_umr_slot slot;
	struct mlx5_umr_ctrl ctrl;
	struct mlx5_umr_sum sum;
	uint32_t nb_wqebb;

	if (unlikely(nb_segs > PRM_UMR_INLINE_KLM_MAX))
		return list_in_memory(queue, mkey, access, segs, nb_segs, flags);
	shape = mlx5_umr_inline_shape(nb_segs);
	nb_wqebb = shape->nb_wqebb;
	list = mlx5_umr_long_load(segs, nb_segs);
	sum = mlx5_umr_long_sum(&list, nb_segs);
	if (unlikely(sum.bad != 0))
		return mlx5_umr_mkey_list_general(queue, mkey, access, segs, nb_segs, flags);
	if (unlikely(!mlx5_umr_slot_get(queue, nb_wqebb, &slot)))
		return mlx5_umr_refuse_state(queue);

	ctrl = mlx5_umr_ctrl_of(queue, &slot, mkey->key, flags);
	mlx5_umr_list_build(slot.wqe, &ctrl, access, &list, shape, sum.len);
	return mlx5_umr_op_commit(queue, &slot, nb_wqebb, RTE_UMR_OP_MKEY_LIST, 0, queue->fm_umr,
				  flags);
}

int
ISA(mlx5_umr_mkey_list)(void *q, struct rte_umr_mkey *mkey, uint32_t access,
			const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags)
{
	const uint32_t nb_wqebb = MLX5_UMR_HDR_WQEBB + 1;
	struct mlx5_umr_queue *queue = q;
	struct mlx5_umr_quad quad;
	struct mlx5_umr_slot slot;
	struct mlx5_umr_ctrl ctrl;
	struct mlx5_umr_sum sum;
	uint8_t *klms;

	if (unlikely(nb_segs - 1 >= mkey->max_entries ||
		     mlx5_umr_is_common_bad(queue, mkey, access, flags)))
		return mlx5_umr_mkey_list_general(queue, mkey, access, segs, nb_segs, flags);
	if (nb_segs > PRM_KLM_ALIGN)
		return list_long(queue, mkey, access, segs, nb_segs, flags);
	quad = mlx5_umr_quad_load(segs, nb_segs);
	sum = mlx5_umr_quad_sum(&quad, nb_segs);
	if (unlikely(sum.bad != 0))
		return mlx5_umr_mkey_list_general(queue, mkey, access, segs, nb_segs, flags);
	if (unlikely(!mlx5_umr_slot_get(queue, nb_wqebb, &slot)))
		return mlx5_umr_refuse_state(queue);

	ctrl = mlx5_umr_ctrl_of(queue, &slot, mkey->key, flags);
	klms = mlx5_umr_layout_hdr_build(slot.wqe, &ctrl, access,
					 mlx5_umr_inline_shape(PRM_KLM_ALIGN), sum.len);
	mlx5_umr_quad_store(klms, &quad);
	return mlx5_umr_op_commit(queue, &slot, nb_wqebb, RTE_UMR_OP_MKEY_LIST, 0, queue->fm_umr,
				  flags);
}

/* More than one block of entries. What the entries do not tell has been checked. */
static __rte_noinline int
interleaved_long(struct mlx5_umr_queue *queue, struct rte_umr_mkey *mkey,
		 const struct rte_umr_interleaved_op *op, uint64_t flags)
{
	/* The repeat block header takes the place of one entry. */
	const struct mlx5_umr_shape *shape = mlx5_umr_inline_shape(op->nb_entries + 1);
	const uint32_t nb_wqebb = shape->nb_wqebb;
	struct mlx5_umr_slot slot;
	struct mlx5_umr_ctrl ctrl;
	struct mlx5_umr_sum sum;

	sum = mlx5_umr_entries_sum(op->entries, op->nb_entries);
	if (unlikely(sum.bad != 0))
		return mlx5_umr_mkey_interleaved_general(queue, mkey, op->access, op->repeat,
							 op->entries, op->nb_entries, flags);
	if (unlikely(!mlx5_umr_slot_get(queue, nb_wqebb, &slot)))
		return mlx5_umr_refuse_state(queue);

	ctrl = mlx5_umr_ctrl_of(queue, &slot, mkey->key, flags);
	mlx5_umr_interleaved_build(slot.wqe, &ctrl, op->access, op->repeat, op->entries,
				   shape, op->nb_entries, sum.len);
	return mlx5_umr_op_commit(queue, &slot, nb_wqebb, RTE_UMR_OP_MKEY_INTERLEAVED, 0,
				  queue->fm_umr, flags);
}

int
ISA(mlx5_umr_mkey_interleaved)(void *q, struct rte_umr_mkey *mkey, uint32_t access,
			       uint32_t repeat, const struct rte_umr_interleaved *entries,
			       uint32_t nb_entries, uint64_t flags)
{
	const uint32_t nb_wqebb = MLX5_UMR_HDR_WQEBB + 1;
	struct mlx5_umr_queue *queue = q;
	struct mlx5_umr_short layout;
	struct mlx5_umr_slot slot;
	struct mlx5_umr_ctrl ctrl;
	struct mlx5_umr_sum sum;
	uint8_t *dst;

	if (unlikely(nb_entries - 1 >= queue->max_interleaved || nb_entries >= mkey->max_entries ||
		     repeat == 0 || mlx5_umr_is_common_bad(queue, mkey, access, flags)))
		return mlx5_umr_mkey_interleaved_general(q, mkey, access, repeat, entries,
							 nb_entries, flags);
	if (nb_entries > MLX5_UMR_SHORT_ENTRIES)
		return interleaved_long(queue, mkey, &(const struct rte_umr_interleaved_op){
			.entries = entries,
			.nb_entries = nb_entries,
			.repeat = repeat,
			.access = access,
		}, flags);
	layout = mlx5_umr_short_load(entries, nb_entries);
	sum = mlx5_umr_short_sum(&layout, nb_entries);
	if (unlikely(sum.bad != 0))
		return mlx5_umr_mkey_interleaved_general(q, mkey, access, repeat, entries,
							 nb_entries, flags);
	if (unlikely(!mlx5_umr_slot_get(queue, nb_wqebb, &slot)))
		return mlx5_umr_refuse_state(queue);

	ctrl = mlx5_umr_ctrl_of(queue, &slot, mkey->key, flags);
	dst = mlx5_umr_interleaved_hdr_build(slot.wqe, &ctrl, access, repeat,
					     mlx5_umr_inline_shape(PRM_KLM_ALIGN), nb_entries,
					     sum.len);
	mlx5_umr_short_store(dst, &layout, nb_entries);
	return mlx5_umr_op_commit(queue, &slot, nb_wqebb, RTE_UMR_OP_MKEY_INTERLEAVED, 0,
				  queue->fm_umr, flags);
}

int
ISA(mlx5_umr_mkey_invalidate)(void *q, struct rte_umr_mkey *mkey, uint64_t flags)
{
	struct mlx5_umr_queue *queue = q;
	struct mlx5_umr_slot slot;
	struct mlx5_umr_ctrl ctrl;

	if (unlikely(mlx5_umr_is_common_bad(queue, mkey, 0, flags)))
		return mlx5_umr_mkey_invalidate_general(queue, mkey, flags);
	if (unlikely(!mlx5_umr_slot_get(queue, MLX5_UMR_HDR_WQEBB, &slot)))
		return mlx5_umr_refuse_state(queue);

	ctrl = mlx5_umr_ctrl_of(queue, &slot, mkey->key, flags);
	mlx5_umr_invalidate_build(slot.wqe, &ctrl);
	return mlx5_umr_op_commit(queue, &slot, MLX5_UMR_HDR_WQEBB, RTE_UMR_OP_MKEY_INVALIDATE, 0,
				  queue->fm_umr, flags);
}
