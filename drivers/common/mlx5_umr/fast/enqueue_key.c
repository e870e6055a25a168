/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Configure plain keys: a list or a pattern and its access, or nothing. Every function checks
 * everything first, then builds, then commits. It calls other functions only in tail position, so
 * it needs no stack frame.
 *
 * This file is compiled once for each instruction set (wqe/simd/klm.h); the names of its functions
 * end with the name of the set.
 */

#include <errno.h>

#include "plan/configure.h"
#include "ring/enqueue.h"
#include "wqe/simd/head.h"
#include "fast/isa.h"
#include "fast/mkey_op.h"
#include "ring/key_check.h"
#include "wqe/simd/klm_long.h"

/* The KLMs are in separate memory, and the WQE points to them. */
static __rte_noinline int
list_in_memory(struct mlx5_umr_queue *queue, struct rte_umr_mkey *mkey, uint32_t access,
	       const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t how)
{
	struct mlx5_umr_klm_mem *mem = &queue->klm_mem;
	uint32_t nb_klm = mlx5_umr_klm_align(nb_segs), end;
	struct mlx5_umr_slot slot;
	struct mlx5_umr_head head;
	struct mlx5_umr_ctrl ctrl;
	struct mlx5_umr_sum sum;
	uint8_t *klms;

	if (unlikely(nb_segs > MLX5_UMR_LIST_MAX ||
		     mlx5_umr_klm_nb_chunks(nb_klm) > mem->nb_chunks))
		return mlx5_umr_mkey_list_general(queue, mkey, access, segs, nb_segs, how);
	klms = mlx5_umr_klm_mem_peek(mem, mlx5_umr_klm_nb_chunks(nb_klm), &end);
	/* Errors of the list are reported first, regardless of the state of the queue. */
	if (unlikely(!mlx5_umr_slot_get(queue, MLX5_UMR_LIST_WQEBB, &slot) || klms == NULL))
		return mlx5_umr_mkey_list_general(queue, mkey, access, segs, nb_segs, how);
	/* It is not read before the WQE is written, so it may be written before the check. */
	sum = mlx5_umr_klm_list_store(klms, segs, nb_segs);
	if (unlikely(sum.bad != 0))
		return mlx5_umr_mkey_list_general(queue, mkey, access, segs, nb_segs, how);

	ctrl = mlx5_umr_ctrl_of(queue, &slot, mkey->key, mlx5_umr_fence_mode_umr(queue, how));
	head = (struct mlx5_umr_head){
		.mkey_mask = MLX5_UMR_LAYOUT_MKEY_MASK,
		.mkc_dw0 = access << PRM_MKC_LW.lsb,
		.len = sum.len,
	};
	mlx5_umr_list_ptr_build(slot.wqe, &ctrl, &head, 0, 0, (uintptr_t)klms, mem->lkey,
				nb_klm);
	mlx5_umr_klm_mem_take(mem, queue->op_pi, end);
	mkey->is_laid = true;
	return mlx5_umr_op_commit(queue, &slot, MLX5_UMR_LIST_WQEBB, MLX5_UMR_HOW_TYPE(how), 0,
				  queue->fm_umr, how);
}

/* Write the part before the entries; returns their address. */
static inline uint8_t *
prefix_store(const struct mlx5_umr_queue *queue, const struct mlx5_umr_slot *slot,
	   struct rte_umr_mkey *mkey, uint32_t access, const struct mlx5_umr_size *size,
	   const struct mlx5_umr_len *len, uint64_t how)
{
	struct mlx5_umr_prefix prefix = mlx5_umr_prefix_of(
		queue->qpn_ds, mlx5_umr_fence_mode_umr(queue, how), slot->pi);

	mkey->is_laid = true;
	prefix = mlx5_umr_prefix_sized(&prefix, size);
	return mlx5_umr_layout_head_store(slot->wqe, &prefix, mlx5_umr_dw_load(&mkey->key),
				   mlx5_umr_dw_of(access), len);
}

/* More than one block of KLMs. The other arguments have been checked. */
static __rte_noinline int
list_long(struct mlx5_umr_queue *queue, struct rte_umr_mkey *mkey, uint32_t access,
	  const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t how)
{
	const struct mlx5_umr_size *size;
	struct mlx5_umr_long list;
	struct mlx5_umr_quad last;
	struct mlx5_umr_slot slot;
	struct mlx5_umr_len len;
	uint32_t nb_wqebb;
	uint8_t *klms;

	if (unlikely(nb_segs > PRM_UMR_INLINE_KLM_MAX))
		return list_in_memory(queue, mkey, access, segs, nb_segs, how);
	size = mlx5_umr_inline_size(nb_segs);
	nb_wqebb = size->nb_wqebb;
	list = mlx5_umr_long_of(nb_segs);
	last = mlx5_umr_long_load(&list, segs);
	if (unlikely(!mlx5_umr_long_len_short(&list, segs, &last, &len)))
		return mlx5_umr_mkey_list_general(queue, mkey, access, segs, nb_segs, how);
	if (unlikely(!mlx5_umr_slot_get(queue, nb_wqebb, &slot)))
		return mlx5_umr_reject_state(queue);

	klms = prefix_store(queue, &slot, mkey, access, size, &len, how);
	mlx5_umr_long_store(klms, &list, segs, &last);
	return mlx5_umr_op_commit(queue, &slot, nb_wqebb, MLX5_UMR_HOW_TYPE(how), 0, queue->fm_umr,
				  how);
}

static __rte_noinline int
list_any(struct mlx5_umr_queue *queue, struct rte_umr_mkey *mkey, uint32_t access,
	 const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t how)
{
	const uint32_t nb_wqebb = MLX5_UMR_HDR_WQEBB + 1;
	struct mlx5_umr_quad quad;
	struct mlx5_umr_slot slot;
	struct mlx5_umr_len len;
	uint8_t *klms;

	if (unlikely(nb_segs - 1 >= mkey->max_entries ||
		     mlx5_umr_is_common_bad(queue, mkey, access)))
		return mlx5_umr_mkey_list_general(queue, mkey, access, segs, nb_segs, how);
	if (nb_segs > PRM_KLM_ALIGN)
		return list_long(queue, mkey, access, segs, nb_segs, how);
	quad = mlx5_umr_quad_load(segs, nb_segs);
	if (unlikely(!mlx5_umr_quad_len_short(&quad, nb_segs, &len)))
		return mlx5_umr_mkey_list_general(queue, mkey, access, segs, nb_segs, how);
	if (unlikely(!mlx5_umr_slot_get(queue, nb_wqebb, &slot)))
		return mlx5_umr_reject_state(queue);

	klms = prefix_store(queue, &slot, mkey, access, mlx5_umr_inline_size(PRM_KLM_ALIGN), &len,
			    how);
	mlx5_umr_quad_store(klms, &quad);
	return mlx5_umr_op_commit(queue, &slot, nb_wqebb, MLX5_UMR_HOW_TYPE(how), 0, queue->fm_umr,
				  how);
}

/* More than one block of entries. Everything except the entries has been checked. */
static __rte_noinline int
interleaved_long(struct mlx5_umr_queue *queue, struct rte_umr_mkey *mkey, uint32_t access,
		 uint32_t repeat, const struct rte_umr_interleaved *entries, uint32_t nb_entries,
		 uint64_t how)
{
	/* The repeat block header takes one entry. */
	const struct mlx5_umr_size *size = mlx5_umr_inline_size(nb_entries + 1);
	const uint32_t nb_wqebb = size->nb_wqebb;
	struct mlx5_umr_block_len block_len;
	struct mlx5_umr_slot slot;
	struct mlx5_umr_len len;
	uint8_t *dst;

	if (unlikely(!mlx5_umr_entries_len(entries, nb_entries, &block_len)))
		return mlx5_umr_mkey_interleaved_general(queue, mkey, access, repeat, entries,
							 nb_entries, how);
	if (unlikely(!mlx5_umr_slot_get(queue, nb_wqebb, &slot)))
		return mlx5_umr_reject_state(queue);

	dst = slot.wqe + MLX5_UMR_HDR_WQEBB * PRM_WQE_BB_SIZE;
	mlx5_umr_repeat_store(dst, &block_len, nb_entries, repeat);
	len = mlx5_umr_block_len_mul(&block_len, &repeat);
	prefix_store(queue, &slot, mkey, access, size, &len, how);
	mlx5_umr_entries_store(dst + PRM_KLM_SIZE, entries, nb_entries);
	return mlx5_umr_op_commit(queue, &slot, nb_wqebb, MLX5_UMR_HOW_TYPE(how), 0,
				  queue->fm_umr, how);
}

static __rte_always_inline int
interleaved_any(struct mlx5_umr_queue *queue, struct rte_umr_mkey *mkey, uint32_t access,
		uint32_t repeat, const struct rte_umr_interleaved *entries, uint32_t nb_entries,
		uint64_t how)
{
	const uint32_t nb_wqebb = MLX5_UMR_HDR_WQEBB + 1;
	struct mlx5_umr_block_len block_len;
	struct mlx5_umr_short layout;
	struct mlx5_umr_slot slot;
	struct mlx5_umr_len len;
	uint8_t *dst;

	if (unlikely(nb_entries - 1 >= queue->max_interleaved || nb_entries >= mkey->max_entries ||
		     repeat == 0 || mlx5_umr_is_common_bad(queue, mkey, access)))
		return mlx5_umr_mkey_interleaved_general(queue, mkey, access, repeat, entries,
							 nb_entries, how);
	if (nb_entries > MLX5_UMR_SHORT_ENTRIES)
		return interleaved_long(queue, mkey, access, repeat, entries, nb_entries, how);
	layout = mlx5_umr_short_load(entries, nb_entries);
	if (unlikely(!mlx5_umr_short_len(&layout, nb_entries, &block_len)))
		return mlx5_umr_mkey_interleaved_general(queue, mkey, access, repeat, entries,
							 nb_entries, how);
	if (unlikely(!mlx5_umr_slot_get(queue, nb_wqebb, &slot)))
		return mlx5_umr_reject_state(queue);

	dst = slot.wqe + MLX5_UMR_HDR_WQEBB * PRM_WQE_BB_SIZE;
	mlx5_umr_repeat_store(dst, &block_len, nb_entries, repeat);
	len = mlx5_umr_block_len_mul(&block_len, &repeat);
	prefix_store(queue, &slot, mkey, access, mlx5_umr_inline_size(PRM_KLM_ALIGN), &len, how);
	mlx5_umr_short_store(dst + PRM_KLM_SIZE, &layout, nb_entries);
	return mlx5_umr_op_commit(queue, &slot, nb_wqebb, MLX5_UMR_HOW_TYPE(how), 0,
				  queue->fm_umr, how);
}

int
ISA(mlx5_umr_mkey_list)(void *queue, struct rte_umr_mkey *mkey, uint32_t access,
			const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags)
{
	if (unlikely(flags > RTE_UMR_OP_F_ALL))
		return mlx5_umr_mkey_common_check(queue, mkey, flags);
	return list_any(queue, mkey, access, segs, nb_segs,
			MLX5_UMR_HOW(flags, RTE_UMR_OP_MKEY_LIST));
}

int
ISA(mlx5_umr_mkey_interleaved)(void *queue, struct rte_umr_mkey *mkey, uint32_t access,
			       uint32_t repeat, const struct rte_umr_interleaved *entries,
			       uint32_t nb_entries, uint64_t flags)
{
	if (unlikely(flags > RTE_UMR_OP_F_ALL))
		return mlx5_umr_mkey_common_check(queue, mkey, flags);
	return interleaved_any(queue, mkey, access, repeat, entries, nb_entries,
			       MLX5_UMR_HOW(flags, RTE_UMR_OP_MKEY_INTERLEAVED));
}

/* Property by property; the common operations on plain keys are the same as above. */
int
ISA(mlx5_umr_mkey_configure)(void *queue, const struct rte_umr_mkey_op *op, uint64_t flags)
{
	const uint64_t how = MLX5_UMR_HOW(flags, RTE_UMR_OP_MKEY_CONFIGURE);
	struct rte_umr_mkey *mkey = op->mkey;

	if (unlikely((op->reserved_2 | op->reserved_3) != 0 || flags > RTE_UMR_OP_F_ALL))
		return mlx5_umr_mkey_configure_general(queue, op, flags);
	if ((mkey->flags & MLX5_UMR_BSF_FLAGS) != 0)
		return ISA(mlx5_umr_mkey_configure_bsf)(queue, op, flags);
	switch (mlx5_umr_op_what(op)) {
	case MLX5_UMR_PLAIN_LIST:
		return list_any(queue, mkey, op->access, op->segs, op->nb_entries, how);
	case MLX5_UMR_PLAIN_PATTERN:
		return interleaved_any(queue, mkey, op->access, op->repeat, op->interleaved,
				       op->nb_entries, how);
	default:
		return mlx5_umr_mkey_configure_general(queue, op, flags);
	}
}

int
ISA(mlx5_umr_mkey_invalidate)(void *q, struct rte_umr_mkey *mkey, uint64_t flags)
{
	struct mlx5_umr_queue *queue = q;
	struct mlx5_umr_slot slot;
	struct mlx5_umr_ctrl ctrl;

	if (unlikely(flags > RTE_UMR_OP_F_ALL || mlx5_umr_is_common_bad(queue, mkey, 0)))
		return mlx5_umr_mkey_invalidate_general(queue, mkey, flags);
	if (unlikely(!mlx5_umr_slot_get(queue, MLX5_UMR_HDR_WQEBB, &slot)))
		return mlx5_umr_reject_state(queue);

	ctrl = mlx5_umr_ctrl_of(queue, &slot, mkey->key, mlx5_umr_fence_mode_umr(queue, flags));
	mlx5_umr_invalidate_build(slot.wqe, &ctrl);
	return mlx5_umr_op_commit(queue, &slot, MLX5_UMR_HDR_WQEBB, RTE_UMR_OP_MKEY_INVALIDATE, 0,
				  queue->fm_umr, flags);
}
