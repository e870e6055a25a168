/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Writes and reads of lists of any length: one operation, by the way that the thresholds of the
 * queue choose. Every function checks its arguments and the room in the ring, then builds, then
 * commits. The list of a key is checked as it is stored.
 *
 *     inline    control, remote address, bytes
 *     WQE       control, remote address, segments
 *     WQEs      the same, repeated
 *     key       UMR: the segments become the bytes of a key
 *               control, remote address, all bytes of the key
 *
 * This file is compiled once for each instruction set (wqe/simd/klm.h); the names of its functions
 * end with the name of the set.
 */

#include <errno.h>
#include <inttypes.h>

#include "fast/isa.h"
#include "fast/xfer_list.h"
#include "ring/sg.h"
#include "wqe/simd/head.h"
#include "wqe/wqe.h"

/** An operation. */
struct sg_op {
	struct mlx5_umr_queue *queue;
	struct mlx5_umr_xfer xfer;
	struct mlx5_umr_segs list;	/* nb_ds counts the segments that are not empty */
	uint64_t flags;
	const uint64_t *av;	/* of a DC initiator, else NULL */
};

static __rte_always_inline const struct mlx5_umr_sg_limits *
limits_of(const struct mlx5_umr_queue *queue, const uint8_t opcode)
{
	return opcode == MLX5_OPCODE_RDMA_READ ? &queue->sg.read : &queue->sg.write;
}

static __rte_noinline __rte_cold int
sg_reject(struct mlx5_umr_queue *queue, uint8_t opcode, const struct mlx5_umr_segs *list,
	  uint64_t flags)
{
	const uint32_t max_segs = limits_of(queue, opcode)->max_segs;

	if ((flags & ~RTE_UMR_OP_F_ALL) != 0)
		return REJECT(queue, FLAGS, -EINVAL,
			      "flags 0x%" PRIx64 " has bits beyond 0x%" PRIx64, flags,
			      (uint64_t)RTE_UMR_OP_F_ALL);
	if (list->nb > max_segs)
		return REJECT(queue, ENTRIES, -E2BIG, "%s: %u segments, at most %u",
			      rte_umr_op_name(mlx5_umr_xfer_type(opcode)), list->nb, max_segs);
	if (list->len > queue->max_msg_len)
		return REJECT(queue, LENGTH, -EMSGSIZE, "length %" PRIu64 " is more than %u",
			      list->len, queue->max_msg_len);
	return REJECT(queue, ADDRESS, -EDESTADDRREQ,
		      "no address for qpn 0x%x, rte_umr_dc_addr_set() gives one", queue->qpn);
}

/** The next segments that are not empty, at most max of them; their number is in nb_ds. */
static struct mlx5_umr_segs
part_next(const struct mlx5_umr_segs *rest, uint32_t max)
{
	struct mlx5_umr_segs part = { .segs = rest->segs };

	while (part.nb < rest->nb && part.nb_ds < max) {
		part.len += part.segs[part.nb].length;
		part.nb_ds += part.segs[part.nb].length != 0;
		part.nb++;
	}
	return part;
}

/** Build a WQE at any place of the ring: its end may have to move to the beginning. */
static mlx5_umr_idx_t
part_build(const struct sg_op *op, const struct mlx5_umr_slot *slot, struct mlx5_umr_ctrl *ctrl,
	   const struct mlx5_umr_xfer *xfer, const struct mlx5_umr_segs *part)
{
	uint8_t *ring = op->queue->sq_ring;
	const uint32_t nb_ds = mlx5_umr_xfer_head_ds(op->av != NULL, true) + part->nb_ds;
	const uint32_t nb_wqebb = prm_ds_to_wqebb(nb_ds), at = ctrl->pi & slot->mask;

	mlx5_umr_xfer_list_build(ring + (size_t)at * PRM_WQE_BB_SIZE, ctrl, xfer, op->av, part,
				 nb_ds, false);
	if (unlikely(at + nb_wqebb > slot->mask + 1))
		memcpy(ring, ring + (size_t)(slot->mask + 1) * PRM_WQE_BB_SIZE,
		       (size_t)(at + nb_wqebb - slot->mask - 1) * PRM_WQE_BB_SIZE);
	return ctrl->pi + nb_wqebb;
}

/** Blocks of WQEs with at most max segments each. */
static uint32_t
wqes_nb_wqebb(uint32_t nb_segs, uint32_t max, uint32_t head_ds)
{
	const uint32_t nb_full = (nb_segs - 1) / max;

	return nb_full * prm_ds_to_wqebb(head_ds + max) +
	       prm_ds_to_wqebb(head_ds + nb_segs - nb_full * max);
}

/** Several WQEs. */
static __rte_noinline int
sg_wqes(const struct sg_op *op)
{
	const uint32_t max = mlx5_umr_xfer_max_segs(op->queue, op->xfer.opcode);
	const uint32_t nb_wqebb = wqes_nb_wqebb(op->list.nb_ds, max,
						mlx5_umr_xfer_head_ds(op->av != NULL, true));
	struct mlx5_umr_queue *queue = op->queue;
	struct mlx5_umr_segs rest = op->list, part;
	struct mlx5_umr_xfer xfer = op->xfer;
	struct mlx5_umr_slot slot;
	struct mlx5_umr_ctrl ctrl;
	mlx5_umr_idx_t idx;

	if (unlikely(!mlx5_umr_slot_get(queue, nb_wqebb, &slot)))
		return mlx5_umr_reject_state(queue);
	ctrl = mlx5_umr_ctrl_of(queue, &slot, 0, mlx5_umr_fence_mode(queue, op->flags));
	while (rest.len != 0) {
		part = part_next(&rest, max);
		ctrl.pi = part_build(op, &slot, &ctrl, &xfer, &part);
		ctrl.fm_ce_se = PRM_CTRL_FM_NONE;
		xfer.remote_addr += part.len;
		rest.segs += part.nb;
		rest.nb -= part.nb;
		rest.len -= part.len;
	}
	queue->sg.nb_ops[MLX5_UMR_SG_WQES]++;
	/* Submit and the error path use this to find the WQEs after the first one. */
	queue->multi_pi = slot.pi;
	idx = mlx5_umr_op_publish(queue, &slot, nb_wqebb, mlx5_umr_xfer_type(xfer.opcode),
				  (uint32_t)op->list.len, PRM_CTRL_FM_NONE);
	if ((op->flags & RTE_UMR_OP_F_SUBMIT) != 0)
		return mlx5_umr_op_submit(queue, slot.wqe, slot.pi, idx);
	return mlx5_umr_idx_low(idx);
}

/** In the upper bits of checked flags: one argument for all. */
#define HOW(flags, opcode, is_dci)                                                                 \
	((flags) | (uint64_t)(opcode) << 56 | (uint64_t)(is_dci) << 55)
#define HOW_OPCODE(how)			((uint8_t)((how) >> 56))
#define HOW_IS_DCI(how)			(((how) >> 55 & 1) != 0)

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
	const uint64_t *av = HOW_IS_DCI(how) ? queue->av : NULL;
	const uint32_t nb_ds = mlx5_umr_xfer_head_ds(av != NULL, true) + 1;
	const struct mlx5_umr_xfer xfer = {
		.local = all, .opcode = HOW_OPCODE(how), .has_remote = true,
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

static int sg_other(struct mlx5_umr_queue *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
		    uint64_t remote_addr, uint32_t rkey, uint64_t how);

/** Map the segments to a key and move its bytes, if there is a key and room for it. */
static __rte_always_inline int
sg_by_key(struct mlx5_umr_queue *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
	  uint64_t remote_addr, uint32_t rkey, uint64_t how, const bool is_inline)
{
	const bool is_read = HOW_OPCODE(how) == MLX5_OPCODE_RDMA_READ;
	const struct mlx5_umr_sg_key *key = mlx5_umr_sg_key_peek(&queue->sg, queue->op_ci,
								 queue->op_pi);
	const uint32_t max_wqebb = (is_inline ? mlx5_umr_layout_nb_wqebb(nb_segs) :
						MLX5_UMR_LIST_WQEBB) + 1 + HOW_IS_DCI(how);
	struct key_list list = { .nb = nb_segs };
	struct mlx5_umr_slot slot;
	struct rte_umr_seg all;
	uint32_t nb_wqebb;

	if (unlikely(key == NULL || !mlx5_umr_slot_get(queue, max_wqebb, &slot) ||
		     (!is_inline && !klms_find(queue, &list))))
		return sg_other(queue, segs, nb_segs, remote_addr, rkey, how);
	if (is_inline)
		list.klms = slot.wqe + MLX5_UMR_HDR_WQEBB * PRM_WQE_BB_SIZE;
	if (unlikely(!mlx5_umr_klms_store(list.klms, segs, nb_segs, 0, &list.len) &&
		     !klms_store_few(&list, segs, limits_of(queue, HOW_OPCODE(how))->min_key)))
		return sg_other(queue, segs, nb_segs, remote_addr, rkey, how);
	/* Reports that the total is too long. */
	if (unlikely(list.len[1] > queue->max_msg_len))
		return sg_other(queue, segs, nb_segs, remote_addr, rkey, how);

	all = (struct rte_umr_seg){ .length = (uint32_t)list.len[1], .lkey = key->key };
	nb_wqebb = umr_build(queue, &slot, &list, &key->key,
			     is_read ? RTE_UMR_ACCESS_LOCAL_WRITE : 0, is_inline);
	nb_wqebb += all_build(queue, &slot, nb_wqebb, remote_addr, rkey, how, &all);
	if (!is_inline)
		mlx5_umr_klm_mem_take(&queue->klm_mem, queue->op_pi, list.klm_end);
	mlx5_umr_sg_key_take(&queue->sg, queue->op_pi);
	queue->sg.nb_ops[MLX5_UMR_SG_KEY]++;
	/* Submit and the error path use this to find the WQEs after the first one. */
	queue->multi_pi = slot.pi;
	return mlx5_umr_op_commit(queue, &slot, nb_wqebb, mlx5_umr_xfer_type(HOW_OPCODE(how)),
				  all.length, PRM_CTRL_FM_NONE, how);
}

/** At least as many segments as a key is used for. */
static __rte_noinline int
sg_long(struct mlx5_umr_queue *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
	uint64_t remote_addr, uint32_t rkey, uint64_t how)
{
	if (unlikely(nb_segs > queue->sg.max_entries))
		return sg_other(queue, segs, nb_segs, remote_addr, rkey, how);
	if (nb_segs > PRM_UMR_INLINE_KLM_MAX)
		return sg_by_key(queue, segs, nb_segs, remote_addr, rkey, how, false);
	return sg_by_key(queue, segs, nb_segs, remote_addr, rkey, how, true);
}

/** Without a key; the opcode and the kind of queue may be compile-time constants. */
static __rte_always_inline int
sg_plain(struct mlx5_umr_queue *queue, const uint8_t opcode, const struct rte_umr_seg *segs,
	 uint32_t nb_segs, uint64_t remote_addr, uint32_t rkey, uint64_t flags, const bool is_dci)
{
	struct sg_op op = {
		.queue = queue,
		.xfer = {
			.opcode = opcode, .has_remote = true, .remote_addr = remote_addr,
			.rkey = rkey,
		},
		.list = mlx5_umr_segs_of(segs, nb_segs),
		.flags = flags,
		.av = is_dci ? queue->av : NULL,
	};
	int ret;

	if (unlikely(op.list.len > queue->max_msg_len))
		return sg_reject(queue, opcode, &op.list, flags);
	if (opcode == MLX5_OPCODE_RDMA_WRITE && op.list.len <= queue->sg.max_inline) {
		op.list.nb_ds = mlx5_umr_inline_nb_ds((uint32_t)op.list.len);
		ret = mlx5_umr_list_enqueue(queue, &op.xfer, &op.list, flags, is_dci, true);
		queue->sg.nb_ops[MLX5_UMR_SG_INLINE] += ret >= 0;
		return ret;
	}
	if (unlikely(op.list.nb_ds > mlx5_umr_xfer_max_segs(queue, opcode)))
		return sg_wqes(&op);
	ret = mlx5_umr_list_enqueue(queue, &op.xfer, &op.list, flags, is_dci, false);
	queue->sg.nb_ops[MLX5_UMR_SG_WQE] += ret >= 0;
	return ret;
}

static __rte_noinline int
sg_other(struct mlx5_umr_queue *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
	 uint64_t remote_addr, uint32_t rkey, uint64_t how)
{
	return sg_plain(queue, HOW_OPCODE(how), segs, nb_segs, remote_addr, rkey,
			how & RTE_UMR_OP_F_ALL, HOW_IS_DCI(how));
}

/** All of them; the opcode and the kind of queue are compile-time constants. */
static __rte_always_inline int
sg_move(struct mlx5_umr_queue *queue, const uint8_t opcode, const struct rte_umr_seg *segs,
	uint32_t nb_segs, uint64_t remote_addr, uint32_t rkey, uint64_t flags, const bool is_dci)
{
	const struct mlx5_umr_sg_limits *limits = limits_of(queue, opcode);
	const struct mlx5_umr_segs list = { .segs = segs, .nb = nb_segs };

	/* Before an array of that length is read. */
	if (unlikely(flags > RTE_UMR_OP_F_ALL || nb_segs > limits->max_segs ||
		     (is_dci && !queue->has_av)))
		return sg_reject(queue, opcode, &list, flags);
	if (nb_segs >= limits->min_key)
		return sg_long(queue, segs, nb_segs, remote_addr, rkey,
			       HOW(flags, opcode, is_dci));
	return sg_plain(queue, opcode, segs, nb_segs, remote_addr, rkey, flags, is_dci);
}

static_assert((RTE_UMR_OP_F_ALL & (RTE_UMR_OP_F_ALL + 1)) == 0 && RTE_UMR_OP_F_ALL >> 55 == 0,
	      "no gap in the bits, and room for more");
static_assert(MLX5_UMR_OP_MAX_WQEBB >= MLX5_UMR_HDR_WQEBB +
	      PRM_UMR_INLINE_KLM_MAX / PRM_KLM_ALIGN + 2, "an UMR, and a transfer with an address");

int
ISA(mlx5_umr_write_sg)(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
		       uint64_t remote_addr, uint32_t rkey, uint64_t flags)
{
	return sg_move(queue, MLX5_OPCODE_RDMA_WRITE, segs, nb_segs, remote_addr, rkey, flags,
		       false);
}

int
ISA(mlx5_umr_read_sg)(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
		      uint64_t remote_addr, uint32_t rkey, uint64_t flags)
{
	return sg_move(queue, MLX5_OPCODE_RDMA_READ, segs, nb_segs, remote_addr, rkey, flags,
		       false);
}

int
ISA(mlx5_umr_dci_write_sg)(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
			   uint64_t remote_addr, uint32_t rkey, uint64_t flags)
{
	return sg_move(queue, MLX5_OPCODE_RDMA_WRITE, segs, nb_segs, remote_addr, rkey, flags,
		       true);
}

int
ISA(mlx5_umr_dci_read_sg)(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
			  uint64_t remote_addr, uint32_t rkey, uint64_t flags)
{
	return sg_move(queue, MLX5_OPCODE_RDMA_READ, segs, nb_segs, remote_addr, rkey, flags,
		       true);
}
