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

static __rte_noinline __rte_cold int
list_reject(struct mlx5_umr_queue *queue, uint8_t opcode, const struct mlx5_umr_segs *list,
	    uint64_t flags)
{
	if ((flags & ~flags_of(opcode)) != 0)
		return REJECT(queue, FLAGS, -EINVAL,
			      "flags 0x%" PRIx64 " has bits beyond 0x%" PRIx64, flags,
			      flags_of(opcode));
	if (list->nb > mlx5_umr_xfer_max_segs(queue, opcode))
		return REJECT(queue, ENTRIES, -E2BIG, "%s: %u segments, at most %u",
			      rte_umr_op_name(mlx5_umr_xfer_type(opcode)), list->nb,
			      mlx5_umr_xfer_max_segs(queue, opcode));
	if (list->len > mlx5_umr_xfer_max_len(queue, flags))
		return REJECT(queue, LENGTH, -EMSGSIZE, "%slength %" PRIu64 " is more than %u",
			      mlx5_umr_is_inline(flags) ? "inline: " : "", list->len,
			      mlx5_umr_xfer_max_len(queue, flags));
	return REJECT(queue, ADDRESS, -EDESTADDRREQ,
		      "no address for qpn 0x%x, rte_umr_dc_addr_set() gives one", queue->qpn);
}

/** All lists; the opcode and the kind of queue are compile-time constants. */
static __rte_always_inline int
xfer_list(struct mlx5_umr_queue *queue, const uint8_t opcode, const struct rte_umr_seg *segs,
	  uint32_t nb_segs, uint64_t remote_addr, uint32_t rkey, uint64_t flags, const bool is_dci)
{
	const struct mlx5_umr_xfer xfer = {
		.opcode = opcode, .has_remote = mlx5_umr_xfer_type(opcode) != RTE_UMR_OP_SEND,
		.remote_addr = remote_addr, .rkey = rkey,
	};
	struct mlx5_umr_segs list = { .segs = segs, .nb = nb_segs };

	/* Before an array of that length is read. */
	if (unlikely((flags & ~flags_of(opcode)) != 0 ||
		     nb_segs > mlx5_umr_xfer_max_segs(queue, opcode)))
		return list_reject(queue, opcode, &list, flags);
	list = mlx5_umr_segs_of(segs, nb_segs);
	if (unlikely(list.len > mlx5_umr_xfer_max_len(queue, flags) ||
		     (is_dci && !queue->has_av)))
		return list_reject(queue, opcode, &list, flags);
	if (!mlx5_umr_is_inline(flags))
		return mlx5_umr_list_enqueue(queue, &xfer, &list, flags, is_dci, false);
	list.nb_ds = mlx5_umr_inline_nb_ds((uint32_t)list.len);
	return mlx5_umr_list_enqueue(queue, &xfer, &list, flags, is_dci, true);
}

#define RDMA_LIST(name, opcode, is_dci)                                                            \
	int                                                                                        \
	name(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t remote_addr,  \
	     uint32_t rkey, uint64_t flags)                                                        \
	{                                                                                          \
		return xfer_list(queue, opcode, segs, nb_segs, remote_addr, rkey, flags, is_dci);  \
	}
#define SEND_LIST(name, is_dci)                                                                    \
	int                                                                                        \
	name(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags)        \
	{                                                                                          \
		return xfer_list(queue, MLX5_OPCODE_SEND, segs, nb_segs, 0, 0, flags, is_dci);     \
	}

RDMA_LIST(mlx5_umr_write_list, MLX5_OPCODE_RDMA_WRITE, false)
RDMA_LIST(mlx5_umr_read_list, MLX5_OPCODE_RDMA_READ, false)
SEND_LIST(mlx5_umr_send_list, false)
RDMA_LIST(mlx5_umr_dci_write_list, MLX5_OPCODE_RDMA_WRITE, true)
RDMA_LIST(mlx5_umr_dci_read_list, MLX5_OPCODE_RDMA_READ, true)
SEND_LIST(mlx5_umr_dci_send_list, true)
