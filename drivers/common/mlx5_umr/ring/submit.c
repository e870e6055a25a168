/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Submit: the doorbell of all enqueued operations. */

#include <errno.h>

#include <rte_atomic.h>
#include <rte_io.h>

#include "ring/bf.h"
#include "ring/slot.h"

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

uint16_t
mlx5_umr_desc_avail(const void *q)
{
	/* A ring has fewer than 65536. */
	return (uint16_t)mlx5_umr_sq_wqebb_avail(q);
}

uint16_t
mlx5_umr_next_idx(const void *q)
{
	const struct mlx5_umr_queue *queue = q;

	return mlx5_umr_idx_low(queue->op_pi);
}

uint16_t
mlx5_umr_recv_next_idx(const void *q)
{
	const struct mlx5_umr_queue *queue = q;

	return mlx5_umr_idx_low(queue->rq.idx_base + queue->rq.pi);
}
