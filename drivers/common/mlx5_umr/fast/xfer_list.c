/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Transfers of lists of segments, one work request each. Every function checks everything first,
 * then builds, then commits. Empty segments take no room in the WQE.
 */

#include <errno.h>
#include <inttypes.h>

#include "fast/ops.h"
#include "fast/xfer_list.h"

static inline uint64_t
flags_of(uint8_t opcode)
{
	return opcode == MLX5_OPCODE_RDMA_READ ? RTE_UMR_OP_F_ALL : MLX5_UMR_INLINE_FLAGS;
}

int
mlx5_umr_list_reject(struct mlx5_umr_queue *queue, uint8_t opcode, const struct mlx5_umr_segs *list,
		     uint32_t max_segs, uint64_t flags, uint64_t accepted)
{
	if ((flags & ~accepted) != 0)
		return mlx5_umr_reject_flags(queue, flags, accepted);
	if (list->nb > max_segs)
		return REJECT(queue, ENTRIES, -E2BIG, "%s: %u segments, at most %u",
			      rte_umr_op_name(mlx5_umr_xfer_type(opcode)), list->nb, max_segs);
	if (list->len > mlx5_umr_xfer_max_len(queue, flags))
		return REJECT(queue, LENGTH, -EMSGSIZE, "%slength %" PRIu64 " is more than %u",
			      mlx5_umr_is_inline(flags) ? "inline: " : "", list->len,
			      mlx5_umr_xfer_max_len(queue, flags));
	return mlx5_umr_reject_no_addr(queue);
}

/** Any list; rejects invalid ones. The number of segments is in the lower bits of what. */
static __rte_noinline int
list_any(struct mlx5_umr_queue *queue, const struct rte_umr_seg *segs, uint64_t remote_addr,
	 uint32_t rkey, uint64_t flags, uint64_t what)
{
	const uint8_t opcode = MLX5_UMR_XFER_WHAT_OPCODE(what);
	const struct mlx5_umr_xfer xfer = mlx5_umr_xfer_init(opcode, MLX5_UMR_XFER_WHAT_TYPE(what),
							     remote_addr, rkey);
	const uint32_t max_segs = mlx5_umr_xfer_max_segs(queue, opcode);
	struct mlx5_umr_segs list = { .segs = segs, .nb = (uint32_t)what };

	/* Before an array of that length is read. */
	if (unlikely((flags & ~flags_of(opcode)) != 0 || list.nb > max_segs))
		return mlx5_umr_list_reject(queue, opcode, &list, max_segs, flags,
					    flags_of(opcode));
	list = mlx5_umr_segs_of(segs, list.nb);
	if (unlikely(!mlx5_umr_is_inline(flags) || list.len > queue->max_inline ||
		     mlx5_umr_is_av_missing(queue)))
		return mlx5_umr_list_reject(queue, opcode, &list, max_segs, flags,
					    flags_of(opcode));
	list.nb_ds = mlx5_umr_inline_nb_ds((uint32_t)list.len);
	return mlx5_umr_list_enqueue(queue, &xfer, &list, flags, queue->is_dci, true);
}

/** The common case, bytes in memory, without a stack frame. The opcode is a constant. */
static __rte_always_inline int
xfer_list(struct mlx5_umr_queue *queue, const uint8_t opcode, const struct rte_umr_seg *segs,
	  uint32_t nb_segs, uint64_t remote_addr, uint32_t rkey, uint64_t flags)
{
	const struct mlx5_umr_xfer xfer = mlx5_umr_xfer_init(opcode, mlx5_umr_xfer_type(opcode),
							     remote_addr, rkey);
	const uint64_t what = MLX5_UMR_XFER_WHAT(opcode, nb_segs);
	struct mlx5_umr_segs list;

	if (unlikely(flags > RTE_UMR_OP_F_ALL || mlx5_umr_is_av_missing(queue) ||
		     nb_segs > mlx5_umr_xfer_max_segs(queue, opcode)))
		return list_any(queue, segs, remote_addr, rkey, flags, what);
	list = mlx5_umr_segs_of(segs, nb_segs);
	if (unlikely(list.len > queue->max_msg_len))
		return list_any(queue, segs, remote_addr, rkey, flags, what);
	if (queue->is_dci)
		return mlx5_umr_list_enqueue(queue, &xfer, &list, flags, true, false);
	return mlx5_umr_list_enqueue(queue, &xfer, &list, flags, false, false);
}

int
mlx5_umr_write_list(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
		    uint64_t remote_addr, uint32_t rkey, uint64_t flags)
{
	return xfer_list(queue, MLX5_OPCODE_RDMA_WRITE, segs, nb_segs, remote_addr, rkey, flags);
}

int
mlx5_umr_read_list(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
		   uint64_t remote_addr, uint32_t rkey, uint64_t flags)
{
	return xfer_list(queue, MLX5_OPCODE_RDMA_READ, segs, nb_segs, remote_addr, rkey, flags);
}

int
mlx5_umr_send_list(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags)
{
	return xfer_list(queue, MLX5_OPCODE_SEND, segs, nb_segs, 0, 0, flags);
}
