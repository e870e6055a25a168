/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Transfers of DC initiators, receives of targets, and the fast-path table that has them. Every
 * function checks everything first, then builds, then commits.
 */

#include <errno.h>
#include <inttypes.h>

#include <rte_io.h>

#include "fast/atomic.h"
#include "fast/dc.h"
#include "wqe/dc_wqe.h"
#include "ring/dct.h"
#include "ring/enqueue.h"

int
mlx5_umr_dc_addr_set(void *q, const struct rte_umr_dc_addr *addr)
{
	struct mlx5_umr_queue *queue = q;

	static_assert(sizeof(addr->av) == sizeof(struct mlx5_wqe_av), "address vector");
	if (unlikely(!queue->is_dci))
		return REFUSE(queue, -ENOTSUP, "an address is for DC initiators, qpn 0x%x is none",
			      queue->qpn);
	if (unlikely(addr->is_filled != 1))
		return REFUSE(queue, -EINVAL, "the address is not from rte_umr_dc_addr_fill(), "
			      "is_filled is %u", addr->is_filled);
	if (unlikely(addr->dev_id != queue->dev_id))
		return REFUSE(queue, -EXDEV, "the address is of device %d, the queue of device %d",
			      addr->dev_id, queue->dev_id);
	memcpy(queue->av, addr->av, sizeof(queue->av));
	queue->has_av = true;
	return 0;
}

/* Flags of operations whose bytes may be in the WQE. */
#define INLINE_FLAGS (RTE_UMR_OP_F_ALL | RTE_UMR_OP_F_INLINE)

static inline bool
is_inline(uint64_t flags)
{
	return (flags & RTE_UMR_OP_F_INLINE) != 0;
}

static inline uint32_t
max_len(const struct mlx5_umr_queue *queue, uint64_t flags)
{
	return is_inline(flags) ? queue->max_inline : queue->max_msg_len;
}

/* all_flags: those that the operation knows. */
static __rte_noinline __rte_cold int
refuse_xfer(struct mlx5_umr_queue *queue, const struct rte_umr_seg *local, uint64_t flags,
	    uint64_t all_flags)
{
	if ((flags & ~all_flags) != 0)
		return REFUSE(queue, -EINVAL, "flags 0x%" PRIx64 " has bits beyond 0x%" PRIx64,
			      flags, all_flags);
	if (local->length > max_len(queue, flags))
		return REFUSE(queue, -EMSGSIZE, "%slength %u is more than %u",
			      is_inline(flags) ? "inline: " : "", local->length,
			      max_len(queue, flags));
	return REFUSE(queue, -EDESTADDRREQ, "no address for qpn 0x%x, rte_umr_dc_addr_set() gives "
		      "one", queue->qpn);
}

static inline bool
is_xfer_bad(const struct mlx5_umr_queue *queue, const struct rte_umr_seg *local, uint64_t flags,
	    uint64_t all_flags)
{
	return (flags & ~all_flags) != 0 || local->length > max_len(queue, flags) ||
	       !queue->has_av;
}

/* The bytes of a transfer, or where they are; submit wants to know of the former. */
static inline void
data_build(struct mlx5_umr_queue *queue, const struct mlx5_umr_slot *slot, uint64_t *dst,
	   const struct rte_umr_seg *local, uint32_t data_ds, uint64_t flags)
{
	mlx5_umr_dci_data_build(dst, local, data_ds, is_inline(flags));
	if (!is_inline(flags))
		return;
	queue->inline_pi = slot->pi;
	queue->has_inline = true;
}

/* imm is in host byte order, as everywhere here. */
static int
dci_rdma(struct mlx5_umr_queue *queue, uint8_t opcode, const struct rte_umr_seg *local,
	 uint64_t remote_addr, uint32_t rkey, uint32_t imm, uint64_t flags)
{
	bool is_read = opcode == MLX5_OPCODE_RDMA_READ;
	uint64_t all_flags = is_read ? RTE_UMR_OP_F_ALL : INLINE_FLAGS;
	uint32_t data_ds = mlx5_umr_dci_data_nb_ds(local, is_inline(flags));
	uint32_t nb_ds = MLX5_UMR_DCI_HDR_DS + MLX5_UMR_RADDR_DS + data_ds;
	struct mlx5_umr_slot slot;
	struct mlx5_umr_ctrl ctrl;
	uint64_t *dst;

	if (unlikely(is_xfer_bad(queue, local, flags, all_flags)))
		return refuse_xfer(queue, local, flags, all_flags);
	if (unlikely(!mlx5_umr_slot_get(queue, prm_ds_to_wqebb(nb_ds), &slot)))
		return mlx5_umr_refuse_state(queue);

	ctrl = mlx5_umr_ctrl_of(queue, &slot, imm, flags);
	mlx5_umr_ctrl_build((uint64_t *)slot.wqe, opcode, nb_ds, &ctrl);
	dst = mlx5_umr_dci_raddr_store(slot.wqe, queue->av, remote_addr, rkey);
	data_build(queue, &slot, dst, local, data_ds, flags);
	return mlx5_umr_op_commit(queue, &slot, prm_ds_to_wqebb(nb_ds),
				  is_read ? RTE_UMR_OP_READ : RTE_UMR_OP_WRITE, local->length,
				  PRM_CTRL_FM_NONE, flags);
}

/* imm: immediate data, or the key to invalidate. */
static int
dci_send(struct mlx5_umr_queue *queue, uint8_t opcode, const struct rte_umr_seg *local,
	 uint32_t imm, uint64_t flags)
{
	uint32_t data_ds = mlx5_umr_dci_data_nb_ds(local, is_inline(flags));
	uint32_t nb_ds = MLX5_UMR_DCI_HDR_DS + data_ds;
	struct mlx5_umr_slot slot;
	struct mlx5_umr_ctrl ctrl;
	uint64_t *dst;

	if (unlikely(is_xfer_bad(queue, local, flags, INLINE_FLAGS)))
		return refuse_xfer(queue, local, flags, INLINE_FLAGS);
	if (unlikely(!mlx5_umr_slot_get(queue, prm_ds_to_wqebb(nb_ds), &slot)))
		return mlx5_umr_refuse_state(queue);

	ctrl = mlx5_umr_ctrl_of(queue, &slot, imm, flags);
	mlx5_umr_ctrl_build((uint64_t *)slot.wqe, opcode, nb_ds, &ctrl);
	dst = mlx5_umr_av_store(slot.wqe, queue->av);
	data_build(queue, &slot, dst, local, data_ds, flags);
	return mlx5_umr_op_commit(queue, &slot, prm_ds_to_wqebb(nb_ds), RTE_UMR_OP_SEND,
				  local->length, PRM_CTRL_FM_NONE, flags);
}

static __rte_noinline __rte_cold int
refuse_atomic(struct mlx5_umr_queue *queue, const struct rte_umr_seg *local, uint64_t flags)
{
	if (!queue->has_atomic)
		return REFUSE(queue, -ENOTSUP, "the device has no atomics");
	if (local->length != RTE_UMR_ATOMIC_LEN && (flags & ~RTE_UMR_OP_F_ALL) == 0)
		return REFUSE(queue, -EINVAL, "atomic: length is %u, not %u", local->length,
			      RTE_UMR_ATOMIC_LEN);
	return refuse_xfer(queue, local, flags, RTE_UMR_OP_F_ALL);
}

static int
dci_atomic(struct mlx5_umr_queue *queue, uint8_t opcode, const struct rte_umr_seg *local,
	   uint64_t remote_addr, uint32_t rkey, const struct rte_umr_swap *operands,
	   uint64_t flags)
{
	uint8_t type = opcode == MLX5_OPCODE_ATOMIC_FA ? RTE_UMR_OP_FETCH_ADD : RTE_UMR_OP_CMP_SWAP;
	uint32_t nb_ds = MLX5_UMR_DCI_HDR_DS +
			 (sizeof(struct mlx5_wqe_raddr_seg) + sizeof(struct mlx5_wqe_atomic_seg) +
			  sizeof(struct mlx5_wqe_data_seg)) / PRM_WQE_DS_SIZE;
	struct mlx5_umr_slot slot;
	struct mlx5_umr_ctrl ctrl;
	uint64_t *dst;

	if (unlikely(!queue->has_atomic || local->length != RTE_UMR_ATOMIC_LEN ||
		     is_xfer_bad(queue, local, flags, RTE_UMR_OP_F_ALL)))
		return refuse_atomic(queue, local, flags);
	if (unlikely(!mlx5_umr_slot_get(queue, prm_ds_to_wqebb(nb_ds), &slot)))
		return mlx5_umr_refuse_state(queue);

	ctrl = mlx5_umr_ctrl_of(queue, &slot, 0, flags);
	mlx5_umr_ctrl_build((uint64_t *)slot.wqe, opcode, nb_ds, &ctrl);
	dst = mlx5_umr_dci_raddr_store(slot.wqe, queue->av, remote_addr, rkey);
	/* struct mlx5_wqe_atomic_seg: swap_add, compare. */
	dst[0] = rte_cpu_to_be_64(operands->swap);
	dst[1] = rte_cpu_to_be_64(operands->compare);
	mlx5_umr_klm_store(&dst[2], local);
	return mlx5_umr_op_commit(queue, &slot, prm_ds_to_wqebb(nb_ds), type, 0,
				  PRM_CTRL_FM_NONE, flags);
}

static inline bool
is_recv_bad(const struct mlx5_umr_queue *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
	    uint64_t flags)
{
	uint32_t bad = 0;
	uint32_t i;

	if (flags != 0 || nb_segs > queue->rq.max_segs)
		return true;
	for (i = 0; i < nb_segs; i++)
		bad |= segs[i].length - 1 >= queue->rq.max_msg_len;
	return bad != 0;
}

/* Post a receive of a target. */
static int
dct_recv(void *q, const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags)
{
	struct mlx5_umr_queue *queue = q;
	struct mlx5_umr_dct *dct = queue->dct;
	struct mlx5_umr_rq *rq = &queue->rq;
	struct mlx5_wqe_srq_next_seg *wqe;
	uint16_t idx, slot = dct->head;

	if (unlikely(is_recv_bad(queue, segs, nb_segs, flags)))
		return mlx5_umr_refuse_recv(queue, segs, nb_segs, flags);
	if (unlikely(queue->error == -EIO))
		return -EIO;
	if (unlikely(slot == dct->tail)) {
		queue->nb_full++;
		return -ENOSPC;
	}

	wqe = mlx5_umr_dct_wqe(queue, slot);
	mlx5_umr_recv_build((struct mlx5_wqe_data_seg *)(wqe + 1),
			    (1u << rq->log_stride >> MLX5_UMR_LOG_DS_SIZE) - 1, segs, nb_segs);
	idx = mlx5_umr_idx_low(rq->idx_base + rq->pi++);
	dct->slots[slot] = (struct mlx5_umr_dct_slot){ .idx = idx, .is_posted = true };
	dct->head = rte_be_to_cpu_16(wqe->next_wqe_index);
	rte_io_wmb();	/* WQE before the DBR: the HCA may take it for any packet from here on. */
	*rq->dbr = rte_cpu_to_be_32(mlx5_umr_idx_low(rq->pi));
	rq->nb_posted++;
	return idx;
}

static inline bool
is_dci(const void *queue)
{
	return ((const struct mlx5_umr_queue *)queue)->is_dci;
}

static inline bool
is_dct(const void *queue)
{
	return ((const struct mlx5_umr_queue *)queue)->dct != NULL;
}

static int
write_any(void *q, const struct rte_umr_seg *local, uint64_t remote_addr, uint32_t rkey,
	  uint64_t flags)
{
	if (!is_dci(q))
		return mlx5_umr_write(q, local, remote_addr, rkey, flags);
	return dci_rdma(q, MLX5_OPCODE_RDMA_WRITE, local, remote_addr, rkey, 0, flags);
}

static int
write_imm_any(void *q, const struct rte_umr_seg *local, uint64_t remote_addr, uint32_t rkey,
	      rte_be32_t imm, uint64_t flags)
{
	if (!is_dci(q))
		return mlx5_umr_write_imm(q, local, remote_addr, rkey, imm, flags);
	return dci_rdma(q, MLX5_OPCODE_RDMA_WRITE_IMM, local, remote_addr, rkey,
			rte_be_to_cpu_32(imm), flags);
}

static int
read_any(void *q, const struct rte_umr_seg *local, uint64_t remote_addr, uint32_t rkey,
	 uint64_t flags)
{
	if (!is_dci(q))
		return mlx5_umr_read(q, local, remote_addr, rkey, flags);
	return dci_rdma(q, MLX5_OPCODE_RDMA_READ, local, remote_addr, rkey, 0, flags);
}

static int
send_any(void *q, const struct rte_umr_seg *local, uint64_t flags)
{
	if (!is_dci(q))
		return mlx5_umr_send(q, local, flags);
	return dci_send(q, MLX5_OPCODE_SEND, local, 0, flags);
}

static int
send_imm_any(void *q, const struct rte_umr_seg *local, rte_be32_t imm, uint64_t flags)
{
	if (!is_dci(q))
		return mlx5_umr_send_imm(q, local, imm, flags);
	return dci_send(q, MLX5_OPCODE_SEND_IMM, local, rte_be_to_cpu_32(imm), flags);
}

static int
send_inv_any(void *q, const struct rte_umr_seg *local, uint32_t rkey, uint64_t flags)
{
	struct mlx5_umr_queue *queue = q;

	/* What the device cannot do is refused there. */
	if (!queue->is_dci || !queue->has_send_inv)
		return mlx5_umr_send_inv(queue, local, rkey, flags);
	return dci_send(queue, MLX5_OPCODE_SEND_INVAL, local, rkey, flags);
}

static int
fetch_add_any(void *q, const struct rte_umr_seg *local, uint64_t remote_addr, uint32_t rkey,
	      uint64_t add, uint64_t flags)
{
	const struct rte_umr_swap operands = { .swap = add };

	if (!is_dci(q))
		return mlx5_umr_fetch_add(q, local, remote_addr, rkey, add, flags);
	return dci_atomic(q, MLX5_OPCODE_ATOMIC_FA, local, remote_addr, rkey, &operands, flags);
}

static int
cmp_swap_any(void *q, const struct rte_umr_seg *local, uint64_t remote_addr, uint32_t rkey,
	     const struct rte_umr_swap *operands, uint64_t flags)
{
	if (!is_dci(q))
		return mlx5_umr_cmp_swap(q, local, remote_addr, rkey, operands, flags);
	return dci_atomic(q, MLX5_OPCODE_ATOMIC_CS, local, remote_addr, rkey, operands, flags);
}

static int
recv_any(void *q, const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags)
{
	if (!is_dct(q))
		return mlx5_umr_recv(q, segs, nb_segs, flags);
	return dct_recv(q, segs, nb_segs, flags);
}

static uint16_t
recv_completed_any(void *q, uint16_t nb_max, struct rte_umr_completion *done)
{
	if (!is_dct(q))
		return mlx5_umr_recv_completed(q, nb_max, done);
	return mlx5_umr_dct_recv_completed(q, nb_max, done);
}

void
mlx5_umr_fp_ops_dc_fill(struct rte_umr_fp_object *fp_ops)
{
	fp_ops->write = write_any;
	fp_ops->write_imm = write_imm_any;
	fp_ops->read = read_any;
	fp_ops->send = send_any;
	fp_ops->send_imm = send_imm_any;
	fp_ops->send_inv = send_inv_any;
	fp_ops->fetch_add = fetch_add_any;
	fp_ops->cmp_swap = cmp_swap_any;
	fp_ops->recv = recv_any;
	fp_ops->recv_completed = recv_completed_any;
}
