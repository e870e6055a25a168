/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Configure plain keys: a list or a pattern and its access. Every function checks its arguments and
 * the room in the ring, then builds the layout, whose entries are checked as they are stored, then
 * the head, and then commits. It calls other functions only in tail position, so it needs no stack
 * frame.
 *
 * This file is compiled once for each instruction set (wqe/simd/klm.h); the names of its functions
 * end with the name of the set.
 */

#include <errno.h>

#include "fast/isa.h"
#include "fast/key_bsf.h"
#include "fast/key_kind.h"
#include "plan/configure.h"
#include "ring/key_check.h"
#include "ring/slot.h"
#include "wqe/simd/head.h"

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
	mlx5_umr_len_t len;
	uint8_t *klms;

	if (unlikely(nb_segs > MLX5_UMR_LIST_MAX ||
		     mlx5_umr_klm_nb_chunks(nb_klm) > mem->nb_chunks))
		return mlx5_umr_mkey_list_general(queue, mkey, access, segs, nb_segs, how);
	klms = mlx5_umr_klm_mem_peek(mem, mlx5_umr_klm_nb_chunks(nb_klm), &end);
	/* Errors of the list are reported first, regardless of the state of the queue. */
	if (unlikely(!mlx5_umr_slot_get(queue, MLX5_UMR_LIST_WQEBB, &slot) || klms == NULL))
		return mlx5_umr_mkey_list_general(queue, mkey, access, segs, nb_segs, how);
	/* It is not read before the WQE is written, so it may be written before the check. */
	if (unlikely(!mlx5_umr_klms_store(klms, segs, nb_segs, 0, &len)))
		return mlx5_umr_mkey_list_general(queue, mkey, access, segs, nb_segs, how);

	ctrl = mlx5_umr_ctrl_of(queue, &slot, mkey->key, mlx5_umr_fence_mode_umr(queue, how));
	head = (struct mlx5_umr_head){
		.mkey_mask = MLX5_UMR_LAYOUT_MKEY_MASK,
		.mkc_dw0 = access << PRM_MKC_LW.lsb,
		.len = len[1],
	};
	mlx5_umr_list_ptr_build(slot.wqe, &ctrl, &head, 0, 0, (uintptr_t)klms, mem->lkey,
				nb_klm);
	mlx5_umr_klm_mem_take(mem, queue->op_pi, end);
	mkey->is_laid = true;
	return mlx5_umr_op_commit(queue, &slot, MLX5_UMR_LIST_WQEBB, MLX5_UMR_HOW_TYPE(how), 0,
				  queue->fm_umr, how);
}

/* The layout has been stored: build the rest, and commit. */
static __rte_always_inline int
layout_commit(struct mlx5_umr_queue *queue, const struct mlx5_umr_slot *slot,
	      struct rte_umr_mkey *mkey, uint32_t access, const struct mlx5_umr_size *size,
	      mlx5_umr_len_t len, uint64_t how)
{
	const mlx5_umr_prefix_t prefix = mlx5_umr_prefix_of(
		queue->qpn_ds | size->nb_ds, mlx5_umr_fence_mode_umr(queue, how), slot->pi);

	mkey->is_laid = true;
	mlx5_umr_layout_head_store(slot->wqe, prefix, size->umr, &mkey->key, access, len);
	return mlx5_umr_op_commit(queue, slot, size->nb_wqebb, MLX5_UMR_HOW_TYPE(how), 0,
				  queue->fm_umr, how);
}

/* The other arguments have been checked. */
static __rte_always_inline int
list_inline(struct mlx5_umr_queue *queue, struct rte_umr_mkey *mkey, uint32_t access,
	    const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t how, const bool is_short)
{
	const struct mlx5_umr_size *size = mlx5_umr_inline_size(is_short ? 1 : nb_segs);
	struct mlx5_umr_slot slot;
	mlx5_umr_len_t len;

	if (unlikely(!mlx5_umr_slot_get(queue, size->nb_wqebb, &slot) ||
		     !mlx5_umr_klms_store(slot.wqe + MLX5_UMR_HDR_WQEBB * PRM_WQE_BB_SIZE, segs,
					  nb_segs, is_short ? 1 : 0, &len)))
		return mlx5_umr_mkey_list_general(queue, mkey, access, segs, nb_segs, how);
	return layout_commit(queue, &slot, mkey, access, size, len, how);
}

/* More than one block of KLMs. */
static __rte_noinline int
list_long(struct mlx5_umr_queue *queue, struct rte_umr_mkey *mkey, uint32_t access,
	  const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t how)
{
	if (unlikely(nb_segs > PRM_UMR_INLINE_KLM_MAX))
		return list_in_memory(queue, mkey, access, segs, nb_segs, how);
	return list_inline(queue, mkey, access, segs, nb_segs, how, false);
}

static __rte_noinline int
list_any(struct mlx5_umr_queue *queue, struct rte_umr_mkey *mkey, uint32_t access,
	 const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t how)
{
	if (unlikely(nb_segs - 1 >= mkey->max_entries ||
		     mlx5_umr_is_common_bad(queue, mkey, access)))
		return mlx5_umr_mkey_list_general(queue, mkey, access, segs, nb_segs, how);
	if (nb_segs > PRM_KLM_ALIGN)
		return list_long(queue, mkey, access, segs, nb_segs, how);
	return list_inline(queue, mkey, access, segs, nb_segs, how, true);
}

/* The other arguments have been checked. */
static __rte_always_inline int
interleaved_inline(struct mlx5_umr_queue *queue, struct rte_umr_mkey *mkey, uint32_t access,
		   uint32_t repeat, const struct rte_umr_interleaved *entries, uint32_t nb_entries,
		   uint64_t how, const bool is_short)
{
	/* The repeat block header takes one entry. */
	const struct mlx5_umr_size *size = mlx5_umr_inline_size(is_short ? 1 : nb_entries + 1);
	struct mlx5_umr_slot slot;
	mlx5_umr_len_t len;

	if (unlikely(!mlx5_umr_slot_get(queue, size->nb_wqebb, &slot) ||
		     !mlx5_umr_pattern_store(slot.wqe + MLX5_UMR_HDR_WQEBB * PRM_WQE_BB_SIZE,
					     entries, nb_entries, repeat, is_short, &len)))
		return mlx5_umr_mkey_interleaved_general(queue, mkey, access, repeat, entries,
							 nb_entries, how);
	return layout_commit(queue, &slot, mkey, access, size, len, how);
}

static __rte_noinline int
interleaved_any(struct mlx5_umr_queue *queue, struct rte_umr_mkey *mkey, uint32_t access,
		uint32_t repeat, const struct rte_umr_interleaved *entries, uint32_t nb_entries,
		uint64_t how)
{
	if (unlikely(nb_entries - 1 >= queue->max_interleaved || nb_entries >= mkey->max_entries ||
		     repeat == 0 || mlx5_umr_is_common_bad(queue, mkey, access)))
		return mlx5_umr_mkey_interleaved_general(queue, mkey, access, repeat, entries,
							 nb_entries, how);
	if (nb_entries < PRM_KLM_ALIGN)
		return interleaved_inline(queue, mkey, access, repeat, entries, nb_entries, how,
					  true);
	return interleaved_inline(queue, mkey, access, repeat, entries, nb_entries, how, false);
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

	if (unlikely((op->reserved | op->base_addr) != 0 || flags > RTE_UMR_OP_F_ALL))
		return mlx5_umr_mkey_configure_general(queue, op, flags);
	if ((mkey->flags & MLX5_UMR_BSF_FLAGS) != 0)
		return mlx5_umr_mkey_configure_bsf(queue, op, flags);
	if (mlx5_umr_op_is(op, MLX5_UMR_PLAIN_LIST))
		return list_any(queue, mkey, op->access, op->segs, op->nb_entries, how);
	if (mlx5_umr_op_is(op, MLX5_UMR_PLAIN_PATTERN))
		return interleaved_any(queue, mkey, op->access, op->repeat, op->interleaved,
				       op->nb_entries, how);
	return mlx5_umr_mkey_configure_general(queue, op, flags);
}
