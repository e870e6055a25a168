/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Enqueue, submit, doorbell. Every function checks everything first, then builds, then commits.
 */

#include <errno.h>
#include <inttypes.h>

#include <rte_atomic.h>
#include <rte_branch_prediction.h>
#include <rte_io.h>

#include "mlx5_umr_log.h"
#include "mlx5_umr_queue.h"
#include "mlx5_umr_wqe.h"

/* KLM byte counts end at 2 GiB (mlx5dv.h); to the device 0 stands for this value. */
#define MLX5_UMR_KLM_LEN_MAX	(UINT32_C(1) << 31)

/* Blocks of the operations of one size. */
#define MLX5_UMR_XFER_NB_WQEBB	1u

/** Cold: say why and count it. */
#define REFUSE(queue, error, fmt, ...)                                                             \
	((queue)->nb_refused++,                                                                    \
	 MLX5_UMR_LOG(ERR, "queue %u: " fmt, (queue)->queue_id, ##__VA_ARGS__), (error))

/** 1 if len is 0 or more than 2 GiB. */
static inline uint32_t
is_klm_len_bad(uint32_t len)
{
	return (len - 1) >> 31;
}

static __rte_noinline __rte_cold int
refuse_mkey(struct mlx5_umr_queue *queue, const struct rte_umr_mkey *mkey, uint32_t access,
	    uint32_t nb, uint32_t nb_max, uint32_t nb_inline, uint64_t flags)
{
	if (nb == 0)
		return REFUSE(queue, -EINVAL, "key 0x%x: 0 entries, at least 1 is needed",
			      mkey->key);
	if ((access & ~RTE_UMR_ACCESS_ALL) != 0)
		return REFUSE(queue, -EINVAL, "key 0x%x: access 0x%x has bits beyond 0x%x",
			      mkey->key, access, RTE_UMR_ACCESS_ALL);
	if ((flags & ~RTE_UMR_OP_F_ALL) != 0)
		return REFUSE(queue, -EINVAL, "key 0x%x: flags 0x%" PRIx64 " has bits beyond 0x%"
			      PRIx64, mkey->key, flags, RTE_UMR_OP_F_ALL);
	if (mkey->dev_id != queue->dev_id)
		return REFUSE(queue, -EXDEV, "key 0x%x is of device %d, the queue is of device %d",
			      mkey->key, mkey->dev_id, queue->dev_id);
	if (nb > nb_max)
		return REFUSE(queue, -E2BIG, "key 0x%x: %u entries, it was created for %u",
			      mkey->key, nb, nb_max);
	return REFUSE(queue, -E2BIG, "key 0x%x: %u entries, an operation holds at most %u",
		      mkey->key, nb, nb_inline);
}

static __rte_noinline __rte_cold int
refuse_list(struct mlx5_umr_queue *queue, const struct rte_umr_mkey *mkey,
	    const struct rte_umr_seg *segs)
{
	uint32_t i = 0;

	while (!is_klm_len_bad(segs[i].length))
		i++;
	if (segs[i].length == 0)
		return REFUSE(queue, -EINVAL, "key 0x%x: length of segment %u is 0", mkey->key, i);
	return REFUSE(queue, -ERANGE, "key 0x%x: length of segment %u is %u, at most %u",
		      mkey->key, i, segs[i].length, MLX5_UMR_KLM_LEN_MAX);
}

/** Why an interleaved entry is bad: 0 if it is not. */
static inline uint64_t
is_entry_bad(const struct rte_umr_interleaved *entry)
{
	uint64_t stride = (uint64_t)entry->bytes_count + entry->bytes_skip;

	/* The device has 16 bits for each; a count of 0 would move nothing. */
	return (stride > UINT16_MAX) | (entry->bytes_count == 0);
}

static __rte_noinline __rte_cold int
refuse_interleaved(struct mlx5_umr_queue *queue, const struct rte_umr_mkey *mkey, uint32_t repeat,
		   const struct rte_umr_interleaved *entries)
{
	uint32_t i = 0;

	if (repeat == 0)
		return REFUSE(queue, -EINVAL, "key 0x%x: repeat is 0, at least 1 is needed",
			      mkey->key);
	while (!is_entry_bad(&entries[i]))
		i++;
	if (entries[i].bytes_count == 0)
		return REFUSE(queue, -EINVAL, "key 0x%x: bytes_count of entry %u is 0", mkey->key,
			      i);
	return REFUSE(queue, -ERANGE, "key 0x%x: bytes_count + bytes_skip of entry %u is %" PRIu64
		      ", at most %u", mkey->key, i,
		      (uint64_t)entries[i].bytes_count + entries[i].bytes_skip, UINT16_MAX);
}

static __rte_noinline __rte_cold int
refuse_xfer(struct mlx5_umr_queue *queue, const struct rte_umr_seg *local, uint64_t flags)
{
	if ((flags & ~RTE_UMR_OP_F_ALL) != 0)
		return REFUSE(queue, -EINVAL, "flags 0x%" PRIx64 " has bits beyond 0x%" PRIx64,
			      flags, RTE_UMR_OP_F_ALL);
	return REFUSE(queue, -EMSGSIZE, "length %u is more than %u", local->length,
		      queue->max_msg_len);
}

static __rte_noinline __rte_cold int
refuse_recv(struct mlx5_umr_queue *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
	    uint64_t flags)
{
	uint32_t i = 0;

	if (flags != 0)
		return REFUSE(queue, -EINVAL, "receive: flags 0x%" PRIx64 " is not 0", flags);
	if (nb_segs > queue->rq.max_segs)
		return REFUSE(queue, -E2BIG, "receive: %u segments, the queue was set up for %u",
			      nb_segs, queue->rq.max_segs);
	while (segs[i].length - 1 < queue->rq.max_msg_len)
		i++;
	if (segs[i].length == 0)
		return REFUSE(queue, -EINVAL, "receive: length of segment %u is 0", i);
	return REFUSE(queue, -ERANGE, "receive: length of segment %u is %u, at most %u", i,
		      segs[i].length, queue->rq.max_msg_len);
}

/** No place, no connection, or an error: the queue takes no operation of that many WQEBBs. */
static __rte_noinline __rte_cold int
refuse_state(struct mlx5_umr_queue *queue)
{
	if (queue->error != 0)
		return queue->error;
	queue->nb_full++;
	return -ENOSPC;
}

static inline bool
can_enqueue(const struct mlx5_umr_queue *queue, uint32_t nb_wqebb)
{
	return queue->error == 0 && nb_wqebb <= mlx5_umr_sq_wqebb_avail(queue);
}

static inline struct mlx5_umr_cursor
cursor_at_pi(const struct mlx5_umr_queue *queue)
{
	return (struct mlx5_umr_cursor){
		.ring = queue->sq_ring,
		.mask = queue->sq_mask,
		.pi = queue->sq_pi,
	};
}

/**
 * Fence of the next WQE. Behind an UMR it must not start before the UMR has taken effect; the
 * caller may want to wait for reads, too. (Kernel, mlx5_ib get_fence(): both together have a mode
 * of their own.)
 */
static inline uint8_t
fence_mode(const struct mlx5_umr_queue *queue, uint64_t flags)
{
	if (likely((flags & RTE_UMR_OP_F_FENCE) == 0))
		return queue->fm_next;
	if (queue->fm_next == PRM_CTRL_FM_NONE)
		return PRM_CTRL_FM_FENCE;
	if (queue->fm_next == PRM_CTRL_FM_INITIATOR_SMALL)
		return PRM_CTRL_FM_FENCE_AND_SMALL;
	return queue->fm_next;	/* strong ordering includes the fence */
}

static inline struct mlx5_umr_ctrl
ctrl_of(const struct mlx5_umr_queue *queue, uint32_t imm_be, uint64_t flags)
{
	return (struct mlx5_umr_ctrl){
		.qpn = queue->qpn,
		.imm_be = imm_be,
		.fm_ce_se = fence_mode(queue, flags),
	};
}

/** Publish a WQE that was built to the rest of the driver; returns its ring index. */
static inline int
op_commit(struct mlx5_umr_queue *queue, struct mlx5_wqe_ctrl_seg *ctrl, uint32_t next_pi,
	  uint8_t type, uint32_t length, uint8_t fm_next, uint64_t flags)
{
	uint16_t idx = queue->op_pi;

	queue->wqebb_op[queue->sq_pi & queue->sq_mask] = idx;
	queue->ops[idx & queue->sq_mask] = (struct mlx5_umr_op){
		.length = length,
		.next_pi = next_pi,
		.type = type,
		.status = RTE_UMR_STATUS_SUCCESS,
	};
	queue->last_ctrl = ctrl;
	queue->fm_next = fm_next;
	queue->sq_pi = next_pi;
	queue->op_pi = idx + 1;
	if ((flags & RTE_UMR_OP_F_SUBMIT) != 0)
		mlx5_umr_submit(queue);
	return idx;
}

int
mlx5_umr_mkey_list(void *q, struct rte_umr_mkey *mkey, uint32_t access,
		   const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags)
{
	uint32_t nb_max = RTE_MIN(mkey->max_entries, PRM_UMR_INLINE_KLM_MAX);
	struct mlx5_umr_queue *queue = q;
	struct mlx5_umr_cursor cursor;
	struct mlx5_umr_ctrl ctrl;
	uint32_t bad = 0;
	uint64_t len = 0;
	uint32_t i;
	void *seg;

	if (unlikely(nb_segs - 1 >= nb_max || (access & ~RTE_UMR_ACCESS_ALL) != 0 ||
		     (flags & ~RTE_UMR_OP_F_ALL) != 0 || mkey->dev_id != queue->dev_id))
		return refuse_mkey(queue, mkey, access, nb_segs, mkey->max_entries,
				   PRM_UMR_INLINE_KLM_MAX, flags);
	for (i = 0; i < nb_segs; i++) {
		len += segs[i].length;
		bad |= is_klm_len_bad(segs[i].length);
	}
	if (unlikely(bad != 0))
		return refuse_list(queue, mkey, segs);
	if (unlikely(!can_enqueue(queue, mlx5_umr_layout_nb_wqebb(nb_segs))))
		return refuse_state(queue);

	cursor = cursor_at_pi(queue);
	ctrl = ctrl_of(queue, rte_cpu_to_be_32(mkey->key), flags);
	seg = mlx5_umr_list_build(&cursor, &ctrl, mkey->key, access, segs, nb_segs, len);
	return op_commit(queue, seg, cursor.pi, RTE_UMR_OP_MKEY_LIST, 0, queue->fm_umr, flags);
}

int
mlx5_umr_mkey_interleaved(void *q, struct rte_umr_mkey *mkey, uint32_t access, uint32_t repeat,
			  const struct rte_umr_interleaved *entries, uint32_t nb_entries,
			  uint64_t flags)
{
	struct mlx5_umr_queue *queue = q;
	/* The repeat block header takes the place of one entry. */
	uint32_t nb_max = RTE_MIN(mkey->max_entries - 1, queue->max_interleaved);
	struct mlx5_umr_cursor cursor;
	struct mlx5_umr_ctrl ctrl;
	uint64_t bad = repeat == 0;
	uint32_t block_len = 0;
	uint32_t i;
	void *seg;

	if (unlikely(nb_entries - 1 >= nb_max || (access & ~RTE_UMR_ACCESS_ALL) != 0 ||
		     (flags & ~RTE_UMR_OP_F_ALL) != 0 || mkey->dev_id != queue->dev_id))
		return refuse_mkey(queue, mkey, access, nb_entries, mkey->max_entries - 1,
				   queue->max_interleaved, flags);
	for (i = 0; i < nb_entries; i++) {
		block_len += entries[i].bytes_count;
		bad |= is_entry_bad(&entries[i]);
	}
	if (unlikely(bad != 0))
		return refuse_interleaved(queue, mkey, repeat, entries);
	if (unlikely(!can_enqueue(queue, mlx5_umr_layout_nb_wqebb(nb_entries + 1))))
		return refuse_state(queue);

	cursor = cursor_at_pi(queue);
	ctrl = ctrl_of(queue, rte_cpu_to_be_32(mkey->key), flags);
	seg = mlx5_umr_interleaved_build(&cursor, &ctrl, mkey->key, access, repeat, entries,
					 nb_entries, block_len);
	return op_commit(queue, seg, cursor.pi, RTE_UMR_OP_MKEY_INTERLEAVED, 0, queue->fm_umr,
			 flags);
}

int
mlx5_umr_mkey_invalidate(void *q, struct rte_umr_mkey *mkey, uint64_t flags)
{
	struct mlx5_umr_queue *queue = q;
	struct mlx5_umr_cursor cursor;
	struct mlx5_umr_ctrl ctrl;
	void *seg;

	if (unlikely((flags & ~RTE_UMR_OP_F_ALL) != 0 || mkey->dev_id != queue->dev_id))
		return refuse_mkey(queue, mkey, 0, 1, 1, 1, flags);
	if (unlikely(!can_enqueue(queue, MLX5_UMR_HDR_WQEBB)))
		return refuse_state(queue);

	cursor = cursor_at_pi(queue);
	ctrl = ctrl_of(queue, rte_cpu_to_be_32(mkey->key), flags);
	seg = mlx5_umr_invalidate_build(&cursor, &ctrl);
	return op_commit(queue, seg, cursor.pi, RTE_UMR_OP_MKEY_INVALIDATE, 0, queue->fm_umr,
			 flags);
}

static inline bool
is_xfer_bad(const struct mlx5_umr_queue *queue, const struct rte_umr_seg *local, uint64_t flags)
{
	return (flags & ~RTE_UMR_OP_F_ALL) != 0 || local->length > queue->max_msg_len;
}

static inline int
enqueue_rdma(struct mlx5_umr_queue *queue, uint8_t type, uint8_t opcode,
	     const struct rte_umr_seg *local, uint64_t remote_addr, uint32_t rkey, rte_be32_t imm,
	     uint64_t flags)
{
	struct mlx5_umr_cursor cursor;
	struct mlx5_umr_ctrl ctrl;
	void *seg;

	if (unlikely(is_xfer_bad(queue, local, flags)))
		return refuse_xfer(queue, local, flags);
	if (unlikely(!can_enqueue(queue, MLX5_UMR_XFER_NB_WQEBB)))
		return refuse_state(queue);

	cursor = cursor_at_pi(queue);
	ctrl = ctrl_of(queue, imm, flags);
	seg = mlx5_umr_rdma_build(&cursor, &ctrl, opcode, local, remote_addr, rkey);
	return op_commit(queue, seg, cursor.pi, type, local->length, PRM_CTRL_FM_NONE, flags);
}

int
mlx5_umr_write(void *q, const struct rte_umr_seg *local, uint64_t remote_addr, uint32_t rkey,
	       uint64_t flags)
{
	return enqueue_rdma(q, RTE_UMR_OP_WRITE, MLX5_OPCODE_RDMA_WRITE, local, remote_addr, rkey,
			    0, flags);
}

int
mlx5_umr_write_imm(void *q, const struct rte_umr_seg *local, uint64_t remote_addr, uint32_t rkey,
		   rte_be32_t imm, uint64_t flags)
{
	return enqueue_rdma(q, RTE_UMR_OP_WRITE, MLX5_OPCODE_RDMA_WRITE_IMM, local, remote_addr,
			    rkey, imm, flags);
}

int
mlx5_umr_read(void *q, const struct rte_umr_seg *local, uint64_t remote_addr, uint32_t rkey,
	      uint64_t flags)
{
	return enqueue_rdma(q, RTE_UMR_OP_READ, MLX5_OPCODE_RDMA_READ, local, remote_addr, rkey, 0,
			    flags);
}

static inline int
enqueue_send(struct mlx5_umr_queue *queue, uint8_t opcode, const struct rte_umr_seg *local,
	     rte_be32_t imm, uint64_t flags)
{
	struct mlx5_umr_cursor cursor;
	struct mlx5_umr_ctrl ctrl;
	void *seg;

	if (unlikely(is_xfer_bad(queue, local, flags)))
		return refuse_xfer(queue, local, flags);
	if (unlikely(!can_enqueue(queue, MLX5_UMR_XFER_NB_WQEBB)))
		return refuse_state(queue);

	cursor = cursor_at_pi(queue);
	ctrl = ctrl_of(queue, imm, flags);
	seg = mlx5_umr_send_build(&cursor, &ctrl, opcode, local);
	return op_commit(queue, seg, cursor.pi, RTE_UMR_OP_SEND, local->length, PRM_CTRL_FM_NONE,
			 flags);
}

int
mlx5_umr_send(void *q, const struct rte_umr_seg *local, uint64_t flags)
{
	return enqueue_send(q, MLX5_OPCODE_SEND, local, 0, flags);
}

int
mlx5_umr_send_imm(void *q, const struct rte_umr_seg *local, rte_be32_t imm, uint64_t flags)
{
	return enqueue_send(q, MLX5_OPCODE_SEND_IMM, local, imm, flags);
}

int
mlx5_umr_submit(void *q)
{
	struct mlx5_umr_queue *queue = q;
	struct mlx5_wqe_ctrl_seg *ctrl = queue->last_ctrl;

	if (queue->op_submitted == queue->op_pi || unlikely(queue->error != 0))
		return queue->error == -EIO ? -EIO : 0;

	/* One CQE for all: the device has not seen this WQE yet. */
	ctrl->fm_ce_se |= PRM_CTRL_CE_ALWAYS;
	rte_io_wmb();	/* WQEs before the DBR: the HCA may fetch up to any index it sees. */
	*queue->sq_dbr = rte_cpu_to_be_32(queue->sq_pi);
	rte_wmb();	/* DBR before the doorbell, which may be write combined. */
	*queue->doorbell = *(const uint64_t *)ctrl;
	if (!queue->is_db_nc)
		rte_wmb();	/* Out of the write-combining buffer, now. */
	queue->nb_submitted += (uint16_t)(queue->op_pi - queue->op_submitted);
	queue->nb_doorbells++;
	queue->op_submitted = queue->op_pi;
	return 0;
}

int
mlx5_umr_recv(void *q, const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags)
{
	struct mlx5_umr_queue *queue = q;
	struct mlx5_umr_rq *rq = &queue->rq;
	struct mlx5_wqe_data_seg *wqe;
	uint32_t bad = 0;
	uint16_t pi;
	uint32_t i;

	if (unlikely(!queue->has_rq))
		return -ENOTSUP;
	if (unlikely(flags != 0 || nb_segs > rq->max_segs))
		return refuse_recv(queue, segs, nb_segs, flags);
	for (i = 0; i < nb_segs; i++)
		bad |= segs[i].length - 1 >= rq->max_msg_len;
	if (unlikely(bad != 0))
		return refuse_recv(queue, segs, nb_segs, flags);
	if (unlikely(queue->error == -EIO))
		return -EIO;
	pi = rq->pi;
	if (unlikely((uint16_t)(pi - rq->ci) > rq->mask)) {
		queue->nb_full++;
		return -ENOSPC;
	}

	wqe = (struct mlx5_wqe_data_seg *)(rq->ring + ((size_t)(pi & rq->mask) << rq->log_stride));
	mlx5_umr_recv_build(wqe, 1u << rq->log_stride >> MLX5_UMR_LOG_DS_SIZE, segs, nb_segs);
	rq->pi = pi + 1;
	rte_io_wmb();	/* WQE before the DBR: the HCA may take it for any packet from here on. */
	*rq->dbr = rte_cpu_to_be_32(rq->pi);
	rq->nb_posted++;
	return (uint16_t)(rq->idx_base + pi);
}

uint16_t
mlx5_umr_desc_avail(const void *q)
{
	return mlx5_umr_sq_wqebb_avail(q);
}
