/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Receives, submit and doorbell. Every function checks everything first, then builds,
 * then commits.
 */

#include <errno.h>
#include <inttypes.h>

#include <rte_atomic.h>
#include <rte_io.h>

#include "ring/bf.h"
#include "ring/enqueue.h"
#include "ring/recv_inline.h"
#include "wqe/xfer.h"

/* Bytes received in a CQE could not be copied to memory of this key. */
static inline bool
is_recv_key_bad(const struct mlx5_umr_rq *rq, const struct rte_umr_seg *seg)
{
	return rq->keys != NULL && mlx5_umr_recv_is_opaque(rq, seg);
}

__rte_noinline __rte_cold int
mlx5_umr_reject_recv(struct mlx5_umr_queue *queue, const struct rte_umr_seg *segs,
		     uint32_t nb_segs, uint64_t flags)
{
	uint32_t i = 0;

	if (flags != 0)
		return REJECT(queue, FLAGS, -EINVAL, "receive: flags 0x%" PRIx64 " is not 0",
			      flags);
	if (nb_segs > queue->rq.max_segs)
		return REJECT(queue, ENTRIES, -E2BIG,
			      "receive: %u segments, the queue was set up for %u", nb_segs,
			      queue->rq.max_segs);
	while (segs[i].length - 1 < queue->rq.max_msg_len && !is_recv_key_bad(&queue->rq, &segs[i]))
		i++;
	if (segs[i].length == 0)
		return REJECT(queue, LENGTH, -EINVAL, "receive: length of segment %u is 0", i);
	if (segs[i].length <= queue->rq.max_msg_len)
		return REJECT(queue, KEY, -ENOTSUP,
			      "receive: key 0x%x of segment %u is not one of "
			      "mapped memory, and the queue has inline receives",
			      segs[i].lkey, i);
	return REJECT(queue, LENGTH, -ERANGE, "receive: length of segment %u is %u, at most %u", i,
		      segs[i].length, queue->rq.max_msg_len);
}

/** Cold: find the last WQE of the operation that begins there and ends before sq_pi. */
static __rte_noinline __rte_cold mlx5_umr_idx_t
last_wqe_of(const struct mlx5_umr_queue *queue, mlx5_umr_idx_t pi)
{
	const struct mlx5_wqe_ctrl_seg *ctrl;
	mlx5_umr_idx_t next = pi;

	do {
		pi = next;
		ctrl = (const void *)(queue->sq_ring +
				      (size_t)(pi & queue->sq_mask) * PRM_WQE_BB_SIZE);
		next += prm_ds_to_wqebb(rte_be_to_cpu_32(ctrl->qpn_ds) & PRM_WQE_MAX_DS);
	} while (!mlx5_umr_idx_is(next, queue->sq_pi));
	return pi;
}

/**
 * Submit all enqueued operations; the last WQE begins there.
 *
 * The DBR is written before the doorbell. Stores to non-cached memory stay in order, so the method
 * for any other register works (rte_write64()); a write-combining buffer does not keep the order.
 */
static __rte_always_inline void
submit_until(struct mlx5_umr_queue *queue, struct mlx5_wqe_ctrl_seg *ctrl, mlx5_umr_idx_t last,
	     bool is_db_nc)
{
	const mlx5_umr_idx_t op_pi = queue->op_pi;

	/* One CQE for all; the device has not seen this WQE yet. */
	ctrl->fm_ce_se |= PRM_CTRL_CE_ALWAYS;
	rte_io_wmb();	/* WQEs before the DBR: the HCA may fetch up to any index it sees. */
	*queue->sq_dbr = mlx5_umr_be32(mlx5_umr_idx_low(queue->sq_pi));
	if (is_db_nc) {
		rte_io_wmb();
		/* Atomic, because the queues of a device share the page. */
		__atomic_store_n(queue->doorbell, *(const uint64_t *)ctrl, __ATOMIC_RELAXED);
	} else {
		mlx5_umr_bf_ring(queue, ctrl, last);
	}
	queue->submits[queue->submit_pi++ & queue->sq_mask] = (struct mlx5_umr_submit){
		.op_end = op_pi,
		.wqe_counter = mlx5_umr_idx_low(last),
	};
	queue->submit_last = mlx5_umr_be32(last << MLX5_UMR_CQE_LAST_COUNTER_SHIFT);
	queue->nb_submitted += mlx5_umr_idx_dist(queue->op_submitted, op_pi);
	queue->nb_doorbells++;
	queue->op_submitted = op_pi;
}

static inline struct mlx5_wqe_ctrl_seg *
wqe_at(const struct mlx5_umr_queue *queue, mlx5_umr_idx_t pi)
{
	return (struct mlx5_wqe_ctrl_seg *)(queue->sq_ring +
					    (size_t)(pi & queue->sq_mask) * PRM_WQE_BB_SIZE);
}

/* Two functions in tail position, so that submit needs no stack frame. */

/** The doorbell is write combined. */
static __rte_noinline int
submit_wc(struct mlx5_umr_queue *queue, mlx5_umr_idx_t last, int ret)
{
	submit_until(queue, wqe_at(queue, last), last, false);
	return ret;
}

/** Cold: the last operation has several WQEs. */
static __rte_noinline __rte_cold int
submit_multi(struct mlx5_umr_queue *queue, mlx5_umr_idx_t pi, int ret)
{
	const mlx5_umr_idx_t last = last_wqe_of(queue, pi);

	if (!queue->is_db_nc)
		return submit_wc(queue, last, ret);
	submit_until(queue, wqe_at(queue, last), last, true);
	return ret;
}

/** Nothing to submit, or the queue accepts nothing. */
static __rte_noinline __rte_cold int
submit_none(struct mlx5_umr_queue *queue)
{
	if (queue->error == -EIO)
		mlx5_umr_queue_self_recover(queue);
	return queue->error == -EIO ? -EIO : 0;
}

int
mlx5_umr_submit(void *q)
{
	struct mlx5_umr_queue *queue = q;
	mlx5_umr_idx_t last;

	if (mlx5_umr_idx_is(queue->op_submitted, queue->op_pi) || unlikely(queue->error != 0))
		return submit_none(queue);

	last = mlx5_umr_idx_widen(queue->sq_pi, queue->ops[(queue->op_pi - 1) & queue->sq_mask].pi);
	if (unlikely(mlx5_umr_idx_is(last, queue->multi_pi)))
		return submit_multi(queue, last, 0);
	if (unlikely(!queue->is_db_nc))
		return submit_wc(queue, last, 0);
	submit_until(queue, wqe_at(queue, last), last, true);
	return 0;
}

int
mlx5_umr_op_submit(struct mlx5_umr_queue *queue, uint8_t *wqe, mlx5_umr_idx_t pi,
		   mlx5_umr_idx_t idx)
{
	if (unlikely(mlx5_umr_idx_is(pi, queue->multi_pi)))
		return submit_multi(queue, pi, mlx5_umr_idx_low(idx));
	if (unlikely(!queue->is_db_nc))
		return submit_wc(queue, pi, mlx5_umr_idx_low(idx));
	submit_until(queue, (struct mlx5_wqe_ctrl_seg *)wqe, pi, true);
	return mlx5_umr_idx_low(idx);
}

int
mlx5_umr_op_wrap(struct mlx5_umr_queue *queue, uint8_t *wqe, mlx5_umr_idx_t pi, mlx5_umr_idx_t idx,
		 uint32_t nb_over, uint64_t flags)
{
	memcpy(queue->sq_ring, queue->sq_ring + (size_t)(queue->sq_mask + 1) * PRM_WQE_BB_SIZE,
	       (size_t)nb_over * PRM_WQE_BB_SIZE);
	if ((flags & RTE_UMR_OP_F_SUBMIT) != 0)
		return mlx5_umr_op_submit(queue, wqe, pi, idx);
	return mlx5_umr_idx_low(idx);
}

/** Check whether a receive can be posted; 0 or a negative errno. */
static __rte_always_inline int
recv_check(struct mlx5_umr_queue *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
	   uint64_t flags)
{
	const struct mlx5_umr_rq *rq = &queue->rq;
	uint32_t bad = 0;
	uint32_t i;

	if (unlikely(!queue->has_rq))
		return REJECT(queue, UNSUPPORTED, -ENOTSUP, "set up without receives");
	if (unlikely(flags != 0 || nb_segs > rq->max_segs))
		return mlx5_umr_reject_recv(queue, segs, nb_segs, flags);
	for (i = 0; i < nb_segs; i++)
		bad |= segs[i].length - 1 >= rq->max_msg_len || is_recv_key_bad(rq, &segs[i]);
	if (unlikely(bad != 0))
		return mlx5_umr_reject_recv(queue, segs, nb_segs, flags);
	if (unlikely(queue->error == -EIO || mlx5_umr_idx_dist(rq->ci, rq->pi) > rq->mask))
		return mlx5_umr_reject_recv_state(queue);
	return 0;
}

static __rte_always_inline void
recv_put(struct mlx5_umr_rq *rq, const struct rte_umr_seg *segs, uint32_t nb_segs)
{
	uint8_t *wqe = rq->ring + ((size_t)(rq->pi & rq->mask) << rq->log_stride);

	mlx5_umr_recv_build((struct mlx5_wqe_data_seg *)wqe,
			    1u << rq->log_stride >> MLX5_UMR_LOG_DS_SIZE, segs, nb_segs);
	rq->pi++;
	rq->nb_posted++;
}

static __rte_always_inline void
recv_ring(struct mlx5_umr_rq *rq)
{
	rte_io_wmb();	/* WQE before the DBR: the HCA may take it for any packet from here on. */
	*rq->dbr = rte_cpu_to_be_32(mlx5_umr_idx_low(rq->pi));
}

int
mlx5_umr_recv(void *q, const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags)
{
	struct mlx5_umr_queue *queue = q;
	struct mlx5_umr_rq *rq = &queue->rq;
	int ret;

	ret = recv_check(queue, segs, nb_segs, flags);
	if (unlikely(ret != 0))
		return ret;
	recv_put(rq, segs, nb_segs);
	recv_ring(rq);
	return mlx5_umr_idx_low(rq->idx_base + rq->pi - 1);
}

int
mlx5_umr_recv_burst(void *q, const struct rte_umr_seg *segs, uint16_t nb_segs, uint64_t flags)
{
	struct mlx5_umr_queue *queue = q;
	uint16_t nb;
	int ret = 0;

	if (unlikely(nb_segs == 0))
		return REJECT(queue, BURST, -EINVAL,
			      "receives: 0 operations, at least 1 is needed");
	for (nb = 0; nb < nb_segs; nb++) {
		ret = recv_check(queue, &segs[nb], 1, flags);
		if (unlikely(ret != 0))
			break;
		recv_put(&queue->rq, &segs[nb], 1);
	}
	if (unlikely(nb == 0))
		return ret;
	recv_ring(&queue->rq);
	return nb;
}

uint16_t
mlx5_umr_desc_avail(const void *q)
{
	/* A ring has fewer than 65536. */
	return (uint16_t)mlx5_umr_sq_wqebb_avail(q);
}
