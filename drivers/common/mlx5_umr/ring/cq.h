/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_CQ_H
#define MLX5_UMR_CQ_H

/**
 * @file
 * Reading CQEs, which the send and the receive side of a queue share.
 */

#include <rte_atomic.h>
#include <rte_branch_prediction.h>
#include <rte_io.h>

#include "ring/device.h"
#include "ring/queue.h"

/* Consumer counter in the doorbell record of a CQ. */
#define MLX5_UMR_CQ_CI_MASK	0xffffffu

/** Get the next CQE if the device has written it; else NULL. */
static inline volatile struct mlx5_cqe64 *
mlx5_umr_cq_next(const struct mlx5_umr_cq *cq)
{
	volatile struct mlx5_cqe64 *cqe = cq->next;
	uint8_t op_own = cqe->op_own;

	if ((op_own & MLX5_CQE_OWNER_MASK) != rte_be_to_cpu_32(cq->own) ||
	    PRM_CQE_OPCODE(op_own) == MLX5_CQE_INVALID)
		return NULL;
	rte_io_rmb();	/* op_own before the rest, which the HCA wrote first. */
	return cqe;
}

/** Return the CQEs that were read to the device. */
static inline void
mlx5_umr_cq_ring(struct mlx5_umr_cq *cq)
{
	rte_io_rmb();	/* CQEs are read before the HCA may write to them again. */
	*cq->dbr = rte_cpu_to_be_32(cq->ci & MLX5_UMR_CQ_CI_MASK);
}

/** Whether it reports a signature error of a key, and completes no operation. */
static inline bool
mlx5_umr_cqe_is_sigerr(const volatile struct mlx5_cqe64 *cqe)
{
	return PRM_CQE_OPCODE(cqe->op_own) == PRM_CQE_OPCODE_SIGERR;
}

static inline const volatile struct mlx5_err_cqe *
mlx5_umr_err_cqe(const volatile struct mlx5_cqe64 *cqe)
{
	return (const volatile struct mlx5_err_cqe *)cqe;
}

/** Convert a CQE syndrome (mlx5dv.h) to a status. */
enum rte_umr_status mlx5_umr_status_of(uint8_t syndrome);

/**
 * A failure may be the first sign of a lost device: update the status of the device before the
 * failure is returned. For the driver's own queue, its user does this.
 */
void mlx5_umr_device_look(const struct mlx5_umr_queue *queue);

/** Whether the device is lost; if so, the queue rejects new operations from now on. */
static inline bool
mlx5_umr_queue_see_lost(struct mlx5_umr_queue *queue)
{
	if (likely(!mlx5_umr_queue_is_lost(queue)))
		return false;
	/* A caller that gets a completion then sees the status of the device. */
	rte_atomic_thread_fence(__ATOMIC_ACQUIRE);
	queue->error = -EIO;
	return true;
}

#endif /* MLX5_UMR_CQ_H */
