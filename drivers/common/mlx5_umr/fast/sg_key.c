/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Writes and reads of lists of any length with a key of the queue. The function checks the room in
 * the ring, then stores the list, which is checked as it is stored, then builds and commits. What
 * it cannot do goes without a key.
 *
 *     UMR: the segments become the bytes of a key
 *     control, remote address, all bytes of the key
 *
 * This file is compiled once for each instruction set (wqe/simd/klm.h); the name of its function
 * ends with the name of the set.
 */

#include "fast/isa.h"
#include "fast/sg.h"
#include "fast/xfer_op.h"
#include "ring/slot.h"
#include "wqe/simd/head.h"
#include "wqe/wqe.h"

/** A list of at least one segment, which is to be the layout of a key. */
struct key_list {
	uint8_t *klms;		/* in the WQE, or in memory */
	uint32_t nb;		/* entries */
	uint32_t klm_end;	/* chunk after them in memory */
	mlx5_umr_len_t len;
};

/** Find room for a list outside of the WQE. */
static bool
klms_find(const struct mlx5_umr_queue *queue, struct key_list *list)
{
	const uint32_t nb_klm = mlx5_umr_klm_align(list->nb);

	list->klms = mlx5_umr_klm_mem_peek(&queue->klm_mem, mlx5_umr_klm_nb_chunks(nb_klm),
					   &list->klm_end);
	return list->klms != NULL;
}

/** Store a list without its empty segments. @return Whether at least min_nb are left. */
static __rte_noinline bool
klms_store_few(struct key_list *list, const struct rte_umr_seg *segs, uint32_t min_nb)
{
	const struct mlx5_umr_segs all = mlx5_umr_segs_of(segs, list->nb);

	if (all.nb_ds < min_nb)
		return false;
	mlx5_umr_segs_store(list->klms, segs, list->nb);
	list->nb = all.nb_ds;
	list->len = mlx5_umr_len_of(all.len);
	memset(list->klms + (size_t)list->nb * PRM_KLM_SIZE, 0,
	       (size_t)(mlx5_umr_klm_align(list->nb) - list->nb) * PRM_KLM_SIZE);
	return true;
}

/** Build the UMR whose list was stored; returns its blocks. */
static __rte_always_inline uint32_t
umr_build(const struct mlx5_umr_queue *queue, const struct mlx5_umr_slot *slot,
	  const struct key_list *list, const uint32_t *key, uint32_t access, const bool is_inline)
{
	const struct mlx5_umr_size *size = mlx5_umr_inline_size(is_inline ? list->nb : 0);
	const uint8_t fm = mlx5_umr_fence_mode_umr(queue, 0);
	const struct mlx5_umr_ctrl ctrl = mlx5_umr_ctrl_of(queue, slot, *key, fm);
	const struct mlx5_umr_head head = {
		.mkey_mask = MLX5_UMR_LAYOUT_MKEY_MASK,
		.mkc_dw0 = access << PRM_MKC_LW.lsb,
		.len = list->len[1],
	};

	if (is_inline) {
		mlx5_umr_layout_head_store(slot->wqe,
					   mlx5_umr_prefix_of(queue->qpn_ds | size->nb_ds, fm,
							      slot->pi),
					   size->umr, key, access, list->len);
		return size->nb_wqebb;
	}
	mlx5_umr_list_ptr_build(slot->wqe, &ctrl, &head, 0, 0, (uintptr_t)list->klms,
				queue->klm_mem.lkey, mlx5_umr_klm_align(list->nb));
	return MLX5_UMR_LIST_WQEBB;
}

/** Build the transfer after the UMR; returns its blocks. */
static __rte_always_inline uint32_t
all_build(const struct mlx5_umr_queue *queue, const struct mlx5_umr_slot *umr,
	  uint32_t umr_nb_wqebb, uint64_t remote_addr, uint32_t rkey, uint64_t how,
	  const struct rte_umr_seg *all)
{
	const uint64_t *av = mlx5_umr_av_of(queue);
	const uint32_t nb_ds = mlx5_umr_xfer_head_ds(av != NULL, true) + 1;
	const struct mlx5_umr_xfer xfer = {
		.local = all, .opcode = MLX5_UMR_SG_OPCODE(how), .has_remote = true,
		.remote_addr = remote_addr, .rkey = rkey,
	};
	const struct mlx5_umr_ctrl ctrl = {
		.pi = umr->pi + umr_nb_wqebb,
		.qpn_ds = queue->qpn_ds,
		.fm_ce_se = mlx5_umr_fence_with(queue->fm_umr, how),
	};

	mlx5_umr_xfer_build(umr->wqe + (size_t)umr_nb_wqebb * PRM_WQE_BB_SIZE, &ctrl, &xfer, av,
			    nb_ds, false);
	return prm_ds_to_wqebb(nb_ds);
}

/** Map the segments to a key and move its bytes, if there is a key and room for it. */
static __rte_always_inline int
by_key(struct mlx5_umr_queue *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
	  uint64_t remote_addr, uint32_t rkey, uint64_t how, const bool is_inline)
{
	const uint8_t opcode = MLX5_UMR_SG_OPCODE(how);
	const struct mlx5_umr_sg_key *key = mlx5_umr_sg_key_peek(&queue->sg, queue->op_ci,
								 queue->op_pi);
	const uint32_t max_wqebb = (is_inline ? mlx5_umr_layout_nb_wqebb(nb_segs) :
						MLX5_UMR_LIST_WQEBB) + 1 + queue->is_dci;
	struct key_list list = { .nb = nb_segs };
	struct mlx5_umr_slot slot;
	struct rte_umr_seg all;
	uint32_t nb_wqebb;

	if (unlikely(key == NULL || !mlx5_umr_slot_get(queue, max_wqebb, &slot) ||
		     (!is_inline && !klms_find(queue, &list))))
		return mlx5_umr_sg_plain(queue, segs, nb_segs, remote_addr, rkey, how);
	if (is_inline)
		list.klms = slot.wqe + MLX5_UMR_HDR_WQEBB * PRM_WQE_BB_SIZE;
	if (unlikely(!mlx5_umr_klms_store(list.klms, segs, nb_segs, 0, &list.len) &&
		     !klms_store_few(&list, segs, mlx5_umr_sg_limits_of(queue, opcode)->min_key)))
		return mlx5_umr_sg_plain(queue, segs, nb_segs, remote_addr, rkey, how);
	/* Reports that the total is too long. */
	if (unlikely(list.len[1] > queue->max_msg_len))
		return mlx5_umr_sg_plain(queue, segs, nb_segs, remote_addr, rkey, how);

	all = (struct rte_umr_seg){ .length = (uint32_t)list.len[1], .lkey = key->key };
	nb_wqebb = umr_build(queue, &slot, &list, &key->key,
			     opcode == MLX5_OPCODE_RDMA_READ ? RTE_UMR_ACCESS_LOCAL_WRITE : 0,
			     is_inline);
	nb_wqebb += all_build(queue, &slot, nb_wqebb, remote_addr, rkey, how, &all);
	if (!is_inline)
		mlx5_umr_klm_mem_take(&queue->klm_mem, queue->op_pi, list.klm_end);
	mlx5_umr_sg_key_take(&queue->sg, queue->op_pi);
	queue->sg.nb_ops[MLX5_UMR_SG_KEY]++;
	/* Submit and the error path use this to find the WQEs after the first one. */
	queue->multi_pi = slot.pi;
	return mlx5_umr_op_commit(queue, &slot, nb_wqebb, mlx5_umr_xfer_type(opcode),
				  all.length, PRM_CTRL_FM_NONE, how);
}

static_assert(MLX5_UMR_OP_MAX_WQEBB >= MLX5_UMR_HDR_WQEBB +
	      PRM_UMR_INLINE_KLM_MAX / PRM_KLM_ALIGN + 2, "an UMR, and a transfer with an address");

int
ISA(mlx5_umr_sg_by_key)(struct mlx5_umr_queue *queue, const struct rte_umr_seg *segs,
			uint32_t nb_segs, uint64_t remote_addr, uint32_t rkey, uint64_t how)
{
	if (unlikely(nb_segs > queue->sg.max_entries))
		return mlx5_umr_sg_plain(queue, segs, nb_segs, remote_addr, rkey, how);
	if (nb_segs > PRM_UMR_INLINE_KLM_MAX)
		return by_key(queue, segs, nb_segs, remote_addr, rkey, how, false);
	return by_key(queue, segs, nb_segs, remote_addr, rkey, how, true);
}
