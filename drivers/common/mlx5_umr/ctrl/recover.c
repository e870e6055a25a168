/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>

#include <rte_common.h>
#include <rte_cycles.h>
#include <rte_errno.h>

#include "ctrl/conn.h"
#include "ctrl/health.h"
#include "ctrl/recover.h"
#include "ring/log.h"
#include "ctrl/queue.h"

static int
recover(struct mlx5_umr_queue *queue)
{
	int ret;

	queue->error = -EIO;
	ret = mlx5_umr_conn_close(queue);
	if (ret != 0)
		return ret;
	/* In RESET the device accesses nothing: remaining operations are flushed. */
	if (!mlx5_umr_queue_is_empty(queue))
		return -EBUSY;
	mlx5_umr_queue_reset(queue);
	mlx5_umr_queue_psn_draw(queue);
	ret = mlx5_umr_conn_open(queue);
	if (ret != 0)
		queue->error = -EIO;
	return ret;
}

/** Convert TSC cycles to nanoseconds, without overflow. */
static uint64_t
cycles_to_ns(uint64_t cycles)
{
	const uint64_t hz = rte_get_tsc_hz();

	return cycles / hz * NS_PER_S + cycles % hz * NS_PER_S / hz;
}

static int
recover_timed(struct mlx5_umr_queue *queue)
{
	const uint64_t begin = rte_get_tsc_cycles();
	int ret = recover(queue);

	queue->recovery_ns += cycles_to_ns(rte_get_tsc_cycles() - begin);
	if (ret != 0)
		return ret;
	queue->nb_recoveries++;
	queue->last_recovery_ns = queue->recovery_ns;
	queue->max_recovery_ns = RTE_MAX(queue->max_recovery_ns, queue->recovery_ns);
	queue->recovery_ns = 0;
	return 0;
}

int
mlx5_umr_queue_recover(void *q)
{
	struct mlx5_umr_queue *queue = q;

	/* A connected queue is not in error, but its peer may be: disconnect it. */
	if (queue->error == -ENOTCONN ||
	    (queue->error == 0 && queue->conf.transport != RTE_UMR_TRANSPORT_RC))
		return -EALREADY;
	return recover_timed(queue);
}

void
mlx5_umr_self_recover(struct mlx5_umr_queue *queue)
{
	/* It is not retried: conn.c has cleared the flag. */
	const int ret = recover_timed(queue);

	if (ret == 0) {
		queue->nb_auto_recoveries++;
		return;
	}
	queue->nb_auto_recovery_failures++;
	mlx5_umr_health_recovery_failed(queue->dev);
	MLX5_UMR_QUEUE_LOG(ERR, queue, "has not recovered by itself (%s), "
			   "rte_umr_queue_recover() is to be called", rte_strerror(-ret));
}
