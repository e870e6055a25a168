/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Writes and reads of lists of any length: one operation, by the way that the thresholds of the
 * queue choose. Every function checks its arguments and the room in the ring, then builds, then
 * commits.
 *
 *     inline    control, remote address, bytes
 *     WQE       control, remote address, segments
 *     WQEs      the same, repeated
 *     key       sg_key.c
 */

#include <errno.h>
#include <inttypes.h>

#include <rte_debug.h>

#include "fast/ops.h"
#include "fast/sg.h"
#include "fast/xfer_list.h"

/** An operation. */
struct sg_op {
	struct mlx5_umr_queue *queue;
	struct mlx5_umr_xfer xfer;
	struct mlx5_umr_segs list;	/* nb_ds counts the segments that are not empty */
	uint64_t flags;
	const uint64_t *av;	/* of a DC initiator, else NULL */
};

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
	   const struct mlx5_umr_segs *part)
{
	uint8_t *ring = op->queue->sq_ring;
	const uint32_t nb_ds = mlx5_umr_xfer_head_ds(op->av != NULL, true) + part->nb_ds;
	const uint32_t nb_wqebb = prm_ds_to_wqebb(nb_ds), at = ctrl->pi & slot->mask;

	mlx5_umr_xfer_list_build(ring + (size_t)at * PRM_WQE_BB_SIZE, ctrl, &op->xfer, op->av,
				 part, nb_ds, false);
	if (unlikely(at + nb_wqebb > slot->mask + 1))
		memcpy(ring, ring + (size_t)(slot->mask + 1) * PRM_WQE_BB_SIZE,
		       (size_t)(at + nb_wqebb - slot->mask - 1) * PRM_WQE_BB_SIZE);
	return ctrl->pi + nb_wqebb;
}

/** Blocks of WQEs with at most max segments each. */
static uint32_t
wqes_nb_wqebb(uint32_t nb_segs, uint32_t max, uint32_t head_ds)
{
	uint32_t nb_full;

	RTE_ASSERT(max != 0);
	nb_full = (nb_segs - 1) / max;
	return nb_full * prm_ds_to_wqebb(head_ds + max) +
	       prm_ds_to_wqebb(head_ds + nb_segs - nb_full * max);
}

/** Several WQEs. */
static __rte_noinline int
sg_wqes(struct sg_op *op)
{
	const uint32_t max = mlx5_umr_xfer_max_segs(op->queue, op->xfer.opcode);
	const uint32_t nb_wqebb = wqes_nb_wqebb(op->list.nb_ds, max,
						mlx5_umr_xfer_head_ds(op->av != NULL, true));
	struct mlx5_umr_queue *queue = op->queue;
	struct mlx5_umr_segs rest = op->list, part;
	struct mlx5_umr_slot slot;
	struct mlx5_umr_ctrl ctrl;
	mlx5_umr_idx_t idx;

	if (unlikely(!mlx5_umr_slot_get(queue, nb_wqebb, &slot)))
		return mlx5_umr_reject_state(queue);
	ctrl = mlx5_umr_ctrl_of(queue, &slot, 0, mlx5_umr_fence_mode(queue, op->flags));
	while (rest.len != 0) {
		part = part_next(&rest, max);
		ctrl.pi = part_build(op, &slot, &ctrl, &part);
		ctrl.fm_ce_se = PRM_CTRL_FM_NONE;
		op->xfer.remote_addr += part.len;
		rest.segs += part.nb;
		rest.nb -= part.nb;
		rest.len -= part.len;
	}
	queue->sg.nb_ops[MLX5_UMR_SG_WQES]++;
	/* Submit and the error path use this to find the WQEs after the first one. */
	queue->multi_pi = slot.pi;
	idx = mlx5_umr_op_publish(queue, &slot, nb_wqebb, op->xfer.type,
				  (uint32_t)op->list.len, PRM_CTRL_FM_NONE);
	if ((op->flags & RTE_UMR_OP_F_SUBMIT) != 0)
		return mlx5_umr_op_submit(queue, slot.wqe, slot.pi, idx);
	return mlx5_umr_idx_low(idx);
}

int
mlx5_umr_sg_plain(struct mlx5_umr_queue *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
		  uint64_t remote_addr, uint32_t rkey, uint64_t how)
{
	const uint64_t flags = how & RTE_UMR_OP_F_ALL;
	const uint8_t opcode = MLX5_UMR_SG_OPCODE(how);
	struct sg_op op = {
		.queue = queue,
		.xfer = {
			.opcode = opcode, .has_remote = true, .remote_addr = remote_addr,
			.type = opcode == MLX5_OPCODE_RDMA_READ ? RTE_UMR_OP_READ :
								  RTE_UMR_OP_WRITE,
			.rkey = rkey,
		},
		.list = mlx5_umr_segs_of(segs, nb_segs),
		.flags = flags,
		.av = mlx5_umr_av_of(queue),
	};
	int ret;

	if (unlikely(op.list.len > queue->max_msg_len))
		return mlx5_umr_list_reject(queue, opcode, &op.list, UINT32_MAX, flags,
					    RTE_UMR_OP_F_ALL);
	if (opcode == MLX5_OPCODE_RDMA_WRITE && op.list.len <= queue->sg.max_inline) {
		op.list.nb_ds = mlx5_umr_inline_nb_ds((uint32_t)op.list.len);
		ret = mlx5_umr_list_enqueue(queue, &op.xfer, &op.list, flags, queue->is_dci, true);
		queue->sg.nb_ops[MLX5_UMR_SG_INLINE] += ret >= 0;
		return ret;
	}
	if (unlikely(op.list.nb_ds > mlx5_umr_xfer_max_segs(queue, opcode)))
		return sg_wqes(&op);
	ret = mlx5_umr_list_enqueue(queue, &op.xfer, &op.list, flags, queue->is_dci, false);
	queue->sg.nb_ops[MLX5_UMR_SG_WQE] += ret >= 0;
	return ret;
}

/** Both directions; the opcode is a compile-time constant. */
static __rte_always_inline int
sg_move(struct mlx5_umr_queue *queue, const uint8_t opcode, const struct rte_umr_seg *segs,
	uint32_t nb_segs, uint64_t remote_addr, uint32_t rkey, uint64_t flags)
{
	const struct mlx5_umr_sg_limits *limits = mlx5_umr_sg_limits_of(queue, opcode);
	const struct mlx5_umr_segs list = { .segs = segs, .nb = nb_segs };

	/* Before an array of that length is read. */
	if (unlikely(flags > RTE_UMR_OP_F_ALL || nb_segs > limits->max_segs ||
		     mlx5_umr_is_av_missing(queue)))
		return mlx5_umr_list_reject(queue, opcode, &list, limits->max_segs, flags,
					    RTE_UMR_OP_F_ALL);
	return (nb_segs >= limits->min_key ? queue->sg.by_key : mlx5_umr_sg_plain)(
		queue, segs, nb_segs, remote_addr, rkey, MLX5_UMR_SG_HOW(flags, opcode));
}

static_assert((RTE_UMR_OP_F_ALL & (RTE_UMR_OP_F_ALL + 1)) == 0 && RTE_UMR_OP_F_ALL >> 56 == 0,
	      "no gap in the bits, and room for more");

int
mlx5_umr_write_sg(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
		  uint64_t remote_addr, uint32_t rkey, uint64_t flags)
{
	return sg_move(queue, MLX5_OPCODE_RDMA_WRITE, segs, nb_segs, remote_addr, rkey, flags);
}

int
mlx5_umr_read_sg(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
		 uint64_t remote_addr, uint32_t rkey, uint64_t flags)
{
	return sg_move(queue, MLX5_OPCODE_RDMA_READ, segs, nb_segs, remote_addr, rkey, flags);
}
