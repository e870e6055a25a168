/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Transfers. Every function checks everything first, then builds, then commits. The common case
 * (valid, bytes in memory) is handled directly; xfer_any() handles all cases.
 */

#include <errno.h>

#include "fast/ops.h"
#include "fast/xfer_op.h"
#include "ring/slot.h"
#include "wqe/xfer.h"

/* Flags that the operation supports. */
static inline uint64_t
flags_of(const struct mlx5_umr_xfer *xfer)
{
	if (xfer->swap != NULL || xfer->opcode == MLX5_OPCODE_RDMA_READ)
		return RTE_UMR_OP_F_ALL;
	return MLX5_UMR_INLINE_FLAGS;
}

static __rte_noinline __rte_cold int
xfer_reject(struct mlx5_umr_queue *queue, const struct mlx5_umr_xfer *xfer, uint64_t flags)
{
	const uint32_t length = xfer->local->length;

	if (xfer->swap != NULL && !queue->has_atomic)
		return REJECT(queue, UNSUPPORTED, -ENOTSUP, "the device has no atomics");
	if ((flags & ~flags_of(xfer)) != 0)
		return mlx5_umr_reject_flags(queue, flags, flags_of(xfer));
	if (xfer->swap != NULL && length != RTE_UMR_ATOMIC_LEN)
		return REJECT(queue, LENGTH, -EINVAL, "atomic: length is %u, not %u", length,
			      RTE_UMR_ATOMIC_LEN);
	if (length > mlx5_umr_xfer_max_len(queue, flags))
		return REJECT(queue, LENGTH, -EMSGSIZE, "%slength %u is more than %u",
			      mlx5_umr_is_inline(flags) ? "inline: " : "", length,
			      mlx5_umr_xfer_max_len(queue, flags));
	return mlx5_umr_reject_no_addr(queue);
}

static inline bool
is_atomic_bad(const struct mlx5_umr_queue *queue, const struct mlx5_umr_xfer *xfer)
{
	return xfer->swap != NULL &&
	       (!queue->has_atomic || xfer->local->length != RTE_UMR_ATOMIC_LEN);
}

/** Build and commit; everything was checked. */
static __rte_always_inline int
xfer_enqueue(struct mlx5_umr_queue *queue, const struct mlx5_umr_xfer *xfer, bool is_dci,
	     uint64_t flags, bool is_data_inline)
{
	const uint32_t nb_ds = mlx5_umr_xfer_nb_ds(xfer, is_dci, is_data_inline);
	const uint32_t nb_wqebb = prm_ds_to_wqebb(nb_ds);
	struct mlx5_umr_slot slot;
	struct mlx5_umr_ctrl ctrl;

	if (unlikely(!mlx5_umr_slot_get(queue, nb_wqebb, &slot)))
		return mlx5_umr_reject_state(queue);
	ctrl = mlx5_umr_ctrl_of(queue, &slot, xfer->imm, mlx5_umr_fence_mode(queue, flags));
	mlx5_umr_xfer_build(slot.wqe, &ctrl, xfer, is_dci ? queue->av : NULL, nb_ds,
			    is_data_inline);
	if (is_data_inline) {
		queue->inline_pi = slot.pi;	/* for submit */
		queue->has_inline = true;
	}
	return mlx5_umr_op_commit(queue, &slot, nb_wqebb, xfer->type,
				  xfer->swap != NULL ? 0 : xfer->local->length, PRM_CTRL_FM_NONE,
				  flags);
}

/** Any transfer; rejects invalid ones. */
static __rte_always_inline int
xfer_any(struct mlx5_umr_queue *queue, const struct mlx5_umr_xfer *xfer, uint64_t flags)
{
	if (unlikely((flags & ~flags_of(xfer)) != 0 || is_atomic_bad(queue, xfer) ||
		     xfer->local->length > mlx5_umr_xfer_max_len(queue, flags) ||
		     mlx5_umr_is_av_missing(queue)))
		return xfer_reject(queue, xfer, flags);
	return xfer_enqueue(queue, xfer, queue->is_dci, flags, mlx5_umr_is_inline(flags));
}

/** The same with arguments that fit registers: tail callers need no stack frame. */
static __rte_noinline int
xfer_other(struct mlx5_umr_queue *queue, const struct rte_umr_seg *local, uint64_t remote_addr,
	   uint32_t rkey, uint64_t flags, uint64_t what)
{
	struct mlx5_umr_xfer xfer = mlx5_umr_xfer_init(MLX5_UMR_XFER_WHAT_OPCODE(what),
						       MLX5_UMR_XFER_WHAT_TYPE(what), remote_addr,
						       rkey);

	xfer.local = local;
	xfer.imm = (uint32_t)what;
	return xfer_any(queue, &xfer, flags);
}

/** All transfers except atomics; the opcode is a compile-time constant. */
static __rte_always_inline int
xfer_do(struct mlx5_umr_queue *queue, const uint8_t opcode, const struct rte_umr_seg *local,
	uint64_t remote_addr, uint32_t rkey, uint32_t imm, uint64_t flags)
{
	struct mlx5_umr_xfer xfer = mlx5_umr_xfer_init(opcode, mlx5_umr_xfer_type(opcode),
						       remote_addr, rkey);

	xfer.local = local;
	xfer.imm = imm;
	if (unlikely(flags > RTE_UMR_OP_F_ALL || mlx5_umr_is_av_missing(queue) ||
		     local->length > queue->max_msg_len))
		return xfer_other(queue, local, remote_addr, rkey, flags,
				  MLX5_UMR_XFER_WHAT(opcode, imm));
	/* The sizes are constants in both calls. */
	if (queue->is_dci)
		return xfer_enqueue(queue, &xfer, true, flags, false);
	return xfer_enqueue(queue, &xfer, false, flags, false);
}

static_assert((RTE_UMR_OP_F_ALL & (RTE_UMR_OP_F_ALL + 1)) == 0, "no gap in the bits");

static __rte_always_inline int
atomic(void *queue, const uint8_t opcode, const struct rte_umr_seg *local, uint64_t remote_addr,
	uint32_t rkey, const struct rte_umr_swap *swap, uint64_t flags)
{
	const struct mlx5_umr_xfer xfer = {
		.local = local, .opcode = opcode, .type = mlx5_umr_xfer_type(opcode),
		.has_remote = true, .remote_addr = remote_addr, .rkey = rkey, .swap = swap,
	};

	return xfer_any(queue, &xfer, flags);
}

int
mlx5_umr_write(void *queue, const struct rte_umr_seg *local, uint64_t remote_addr, uint32_t rkey,
		 uint64_t flags)
{
	return xfer_do(queue, MLX5_OPCODE_RDMA_WRITE, local, remote_addr, rkey, 0, flags);
}

int
mlx5_umr_write_imm(void *queue, const struct rte_umr_seg *local, uint64_t remote_addr,
		     uint32_t rkey, rte_be32_t imm, uint64_t flags)
{
	return xfer_do(queue, MLX5_OPCODE_RDMA_WRITE_IMM, local, remote_addr, rkey,
		       rte_be_to_cpu_32(imm), flags);
}

int
mlx5_umr_read(void *queue, const struct rte_umr_seg *local, uint64_t remote_addr, uint32_t rkey,
		uint64_t flags)
{
	return xfer_do(queue, MLX5_OPCODE_RDMA_READ, local, remote_addr, rkey, 0, flags);
}

int
mlx5_umr_send(void *queue, const struct rte_umr_seg *local, uint64_t flags)
{
	return xfer_do(queue, MLX5_OPCODE_SEND, local, 0, 0, 0, flags);
}

int
mlx5_umr_send_imm(void *queue, const struct rte_umr_seg *local, rte_be32_t imm, uint64_t flags)
{
	return xfer_do(queue, MLX5_OPCODE_SEND_IMM, local, 0, 0, rte_be_to_cpu_32(imm), flags);
}

int
mlx5_umr_send_inv(void *q, const struct rte_umr_seg *local, uint32_t rkey, uint64_t flags)
{
	struct mlx5_umr_queue *queue = q;

	if (unlikely(!queue->has_send_inv))
		return REJECT(queue, UNSUPPORTED, -ENOTSUP,
			      "the device cannot invalidate keys of the peer");
	return xfer_do(queue, MLX5_OPCODE_SEND_INVAL, local, 0, 0, rkey, flags);
}

int
mlx5_umr_fetch_add(void *queue, const struct rte_umr_seg *local, uint64_t remote_addr,
		     uint32_t rkey, uint64_t add, uint64_t flags)
{
	const struct rte_umr_swap swap = { .swap = add };

	return atomic(queue, MLX5_OPCODE_ATOMIC_FA, local, remote_addr, rkey, &swap, flags);
}

int
mlx5_umr_cmp_swap(void *queue, const struct rte_umr_seg *local, uint64_t remote_addr,
		    uint32_t rkey, const struct rte_umr_swap *operands, uint64_t flags)
{
	return atomic(queue, MLX5_OPCODE_ATOMIC_CS, local, remote_addr, rkey, operands, flags);
}

static_assert(offsetof(struct rte_umr_rdma_op, local) == 0, "a segment is where an op begins");

/** An operation of a burst; for a send this is its segment. */
static __rte_always_inline struct mlx5_umr_xfer
xfer_of(const uint8_t opcode, const void *op)
{
	const uint8_t type = mlx5_umr_xfer_type(opcode);
	const struct rte_umr_rdma_op *rdma = op;

	if (type == RTE_UMR_OP_SEND)
		return (struct mlx5_umr_xfer){ .local = op, .opcode = opcode, .type = type };
	return (struct mlx5_umr_xfer){
		.local = &rdma->local, .opcode = opcode, .type = type, .has_remote = true,
		.remote_addr = rdma->remote_addr, .rkey = rdma->rkey,
	};
}

static __rte_always_inline const void *
op_at(const uint8_t opcode, const void *ops, uint32_t i)
{
	return RTE_PTR_ADD(ops, (size_t)i * (mlx5_umr_xfer_type(opcode) == RTE_UMR_OP_SEND ?
		sizeof(struct rte_umr_seg) : sizeof(struct rte_umr_rdma_op)));
}

/** Its fields that must be zero. */
static __rte_always_inline uint32_t
reserved_of(const uint8_t opcode, const void *op)
{
	const struct rte_umr_rdma_op *rdma = op;

	return mlx5_umr_xfer_type(opcode) == RTE_UMR_OP_SEND ? 0 : rdma->reserved;
}

static_assert(MLX5_UMR_RDMA_DS + 1 <= PRM_WQE_DS_PER_BB, "a block for each without an address");

/**
 * Build common operations, starting with the first: no address vector, one block each. @return
 * Their number.
 */
static __rte_always_inline uint16_t
xfer_run(struct mlx5_umr_queue *queue, const uint8_t opcode, const void *ops, uint16_t nb_ops,
	 uint64_t flags)
{
	const uint32_t room = queue->error != 0 ? 0 : mlx5_umr_sq_wqebb_avail(queue);
	const uint32_t max = RTE_MIN(room, nb_ops), mask = queue->sq_mask;
	struct mlx5_umr_ctrl ctrl = {
		.pi = queue->sq_pi,
		.qpn_ds = queue->qpn_ds,
		.fm_ce_se = mlx5_umr_fence_mode(queue, flags),
	};
	uint32_t i;

	for (i = 0; i < max; i++, ctrl.pi++) {
		const void *op = op_at(opcode, ops, i);
		const struct mlx5_umr_xfer xfer = xfer_of(opcode, op);
		const uint32_t length = xfer.local->length;

		if (unlikely(length > queue->max_msg_len || reserved_of(opcode, op) != 0))
			break;
		mlx5_umr_xfer_build(queue->sq_ring + (size_t)(ctrl.pi & mask) * PRM_WQE_BB_SIZE,
				    &ctrl, &xfer, NULL, mlx5_umr_xfer_nb_ds(&xfer, false, false),
				    false);
		queue->ops[(queue->op_pi + i) & mask].word =
			mlx5_umr_op_word(ctrl.pi, mlx5_umr_xfer_type(opcode), length);
		ctrl.fm_ce_se = PRM_CTRL_FM_NONE;
	}
	if (i == 0)
		return 0;
	queue->fm_next = PRM_CTRL_FM_NONE;
	queue->sq_pi = ctrl.pi;
	queue->op_pi += i;
	return (uint16_t)i;
}

static __rte_always_inline int
xfer_burst(struct mlx5_umr_queue *queue, const uint8_t opcode, const void *ops, uint16_t nb_ops,
	   uint64_t flags)
{
	uint64_t how = flags & ~RTE_UMR_OP_F_SUBMIT;
	uint16_t nb = 0;
	int ret = 0;

	if (unlikely(nb_ops == 0))
		return mlx5_umr_reject_no_ops(queue);
	if (likely(!queue->is_dci && flags <= RTE_UMR_OP_F_ALL))
		nb = xfer_run(queue, opcode, ops, nb_ops, flags);
	if (nb != 0)
		how &= ~RTE_UMR_OP_F_FENCE;
	for (; nb < nb_ops; nb++) {
		const void *op = op_at(opcode, ops, nb);
		const struct mlx5_umr_xfer xfer = xfer_of(opcode, op);

		if (unlikely(reserved_of(opcode, op) != 0))
			ret = REJECT(queue, RESERVED, -EINVAL,
				     "burst: reserved of an operation is not 0");
		else
			ret = xfer_do(queue, opcode, xfer.local, xfer.remote_addr, xfer.rkey, 0,
				      how);
		if (ret < 0)
			break;
		how &= ~RTE_UMR_OP_F_FENCE;
	}
	if (unlikely(nb == 0))
		return ret;
	if ((flags & RTE_UMR_OP_F_SUBMIT) != 0)
		mlx5_umr_submit(queue);
	return nb;
}

int
mlx5_umr_write_burst(void *queue, const struct rte_umr_rdma_op *ops, uint16_t nb_ops,
		     uint64_t flags)
{
	return xfer_burst(queue, MLX5_OPCODE_RDMA_WRITE, ops, nb_ops, flags);
}

int
mlx5_umr_read_burst(void *queue, const struct rte_umr_rdma_op *ops, uint16_t nb_ops,
		    uint64_t flags)
{
	return xfer_burst(queue, MLX5_OPCODE_RDMA_READ, ops, nb_ops, flags);
}

int
mlx5_umr_send_burst(void *queue, const struct rte_umr_seg *segs, uint16_t nb_segs, uint64_t flags)
{
	return xfer_burst(queue, MLX5_OPCODE_SEND, segs, nb_segs, flags);
}

static __rte_noinline __rte_cold int
key_xfer_reject(struct mlx5_umr_queue *queue, const struct mlx5_umr_xfer *xfer,
		const struct rte_umr_mkey *mkey, uint32_t reserved, uint64_t flags)
{
	if (flags > RTE_UMR_OP_F_ALL)
		return mlx5_umr_reject_flags(queue, flags, RTE_UMR_OP_F_ALL);
	if (reserved != 0)
		return REJECT(queue, RESERVED, -EINVAL, "reserved of the transfer is %u, not 0",
			      reserved);
	if (xfer->local->lkey != mkey->key)
		return REJECT(queue, KEY, -EINVAL,
			      "lkey of the transfer is 0x%x, the value of the key is 0x%x",
			      xfer->local->lkey, mkey->key);
	return xfer_reject(queue, xfer, flags);
}

/**
 * Configure a key and move its bytes, or neither: everything about the transfer is checked first,
 * and its blocks are reserved while the key is configured.
 */
static __rte_always_inline int
key_xfer(struct mlx5_umr_queue *queue, const uint8_t opcode, const struct rte_umr_mkey_op *op,
	 const struct rte_umr_rdma_op *rdma, uint64_t flags)
{
	const struct mlx5_umr_xfer xfer = xfer_of(opcode, rdma);
	const uint32_t nb_wqebb = prm_ds_to_wqebb(
		mlx5_umr_xfer_nb_ds(&xfer, queue->is_dci, false));
	int ret;

	if (unlikely(flags > RTE_UMR_OP_F_ALL || rdma->reserved != 0 ||
		     rdma->local.lkey != op->mkey->key ||
		     rdma->local.length > queue->max_msg_len || mlx5_umr_is_av_missing(queue)))
		return key_xfer_reject(queue, &xfer, op->mkey, rdma->reserved, flags);
	if (unlikely(mlx5_umr_sq_wqebb_avail(queue) < nb_wqebb))
		return mlx5_umr_reject_state(queue);
	queue->sq_end -= nb_wqebb;
	ret = queue->fp.drv_ops->mkey_configure(queue, op, flags & ~RTE_UMR_OP_F_SUBMIT);
	queue->sq_end += nb_wqebb;
	if (unlikely(ret < 0))
		return ret;
	return xfer_enqueue(queue, &xfer, queue->is_dci, flags & RTE_UMR_OP_F_SUBMIT, false);
}

int
mlx5_umr_mkey_write(void *queue, const struct rte_umr_mkey_op *op,
		    const struct rte_umr_rdma_op *rdma, uint64_t flags)
{
	return key_xfer(queue, MLX5_OPCODE_RDMA_WRITE, op, rdma, flags);
}

int
mlx5_umr_mkey_read(void *queue, const struct rte_umr_mkey_op *op,
		   const struct rte_umr_rdma_op *rdma, uint64_t flags)
{
	return key_xfer(queue, MLX5_OPCODE_RDMA_READ, op, rdma, flags);
}
