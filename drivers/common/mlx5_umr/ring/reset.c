/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Empty rings, for a queue pair that was moved to RESET. */

#include <errno.h>
#include <string.h>

#include "ring/device.h"
#include "ring/queue.h"

void
mlx5_umr_queue_reset(struct mlx5_umr_queue *queue)
{
	/*
	 * RESET to INIT sets the device's counters to 0 (PRM, QP states); the driver must do the
	 * same.
	 */
	queue->sq_pi = 0;
	queue->sq_end = queue->sq_mask + 1u;
	queue->sq_dbr[0] = 0;
	queue->multi_pi = 0;
	queue->bf_pi = 0;
	queue->inline_pi = 0;
	queue->has_inline = false;
	queue->fm_next = PRM_CTRL_FM_NONE;
	queue->submit_ci = queue->submit_pi;
	queue->op_submitted = queue->op_pi;
	queue->op_done = queue->op_pi;
	queue->op_ci = queue->op_pi;
	queue->op_first = queue->op_pi;
	queue->nb_failed = 0;
	queue->is_failed = false;
	queue->is_sq_failed = false;
	queue->is_drained = false;
	queue->error = -ENOTCONN;
	queue->failure = (struct mlx5_umr_failure){ 0 };
	mlx5_umr_klm_mem_reset(&queue->klm_mem);
	mlx5_umr_sg_reset(&queue->sg);
	mlx5_umr_sig_keys_flushed(&queue->dev->sig_keys);
	mlx5_umr_cq_drain(queue, &queue->cq);
	if (!queue->has_rq)
		return;
	queue->rq.idx_base += queue->rq.pi;
	queue->rq.pi = 0;
	queue->rq.ci = 0;
	queue->rq.dbr[0] = 0;
	mlx5_umr_cq_drain(queue, &queue->rq.cq);
}

void
mlx5_umr_queue_stats_reset(struct mlx5_umr_queue *queue)
{
	queue->nb_submitted = 0;
	queue->nb_completed = 0;
	queue->nb_errors = 0;
	queue->nb_doorbells = 0;
	queue->nb_bf = 0;
	queue->nb_empty_polls = 0;
	queue->klm_mem.nb_lists = 0;
	memset(queue->sg.nb_ops, 0, sizeof(queue->sg.nb_ops));
	memset(queue->nb_rejects, 0, sizeof(queue->nb_rejects));
	queue->nb_recoveries = 0;
	queue->nb_auto_recoveries = 0;
	queue->nb_auto_recovery_failures = 0;
	queue->last_recovery_ns = 0;
	queue->max_recovery_ns = 0;
	memset(queue->nb_statuses, 0, sizeof(queue->nb_statuses));
	queue->rq.nb_posted = 0;
	queue->rq.nb_completed = 0;
	queue->rq.nb_errors = 0;
	queue->rq.nb_empty_polls = 0;
	memset(queue->rq.nb_statuses, 0, sizeof(queue->rq.nb_statuses));
}

void
mlx5_umr_queue_self_recover(struct mlx5_umr_queue *queue)
{
	if (queue->can_self_recover && mlx5_umr_queue_is_empty(queue) &&
	    !mlx5_umr_queue_is_lost(queue))
		queue->dev->self_recover(queue);
}

void
mlx5_umr_queue_restart(struct mlx5_umr_queue *queue)
{
	/*
	 * Flush operations that were built and never submitted: they have recorded lists of keys.
	 */
	mlx5_umr_queue_flush(queue);
	queue->op_pi = 0;
	queue->recovery_ns = 0;
	mlx5_umr_queue_reset(queue);
	queue->rq.idx_base = 0;
	mlx5_umr_queue_stats_reset(queue);
}
