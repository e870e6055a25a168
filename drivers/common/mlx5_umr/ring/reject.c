/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "ring/device.h"
#include "ring/log.h"
#include "ring/queue.h"
#include "ring/reject.h"

#define MAX_TEXT 256u

int
mlx5_umr_reject(struct mlx5_umr_queue *queue, enum rte_umr_reject reason, int error,
		const char *fmt, ...)
{
	char text[MAX_TEXT];
	va_list args;

	if (queue->nb_rejects[reason]++ != 0)
		return error;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	MLX5_UMR_QUEUE_LOG(ERR, queue, "%s", text);
	return error;
}

/** Error of a queue that accepts nothing. */
static int
reject_error(struct mlx5_umr_queue *queue)
{
	switch (queue->error) {
	case -ENOTCONN:
		return REJECT(queue, NOT_CONNECTED, -ENOTCONN, "not connected, "
			      "rte_umr_queue_connect() does it");
	case -ENOTSUP:
		return REJECT(queue, UNSUPPORTED, -ENOTSUP, "a DC target only receives");
	default:
		return REJECT(queue, QUEUE_ERROR, queue->error, "in error, "
			      "rte_umr_queue_recover() ends it");
	}
}

/** A full ring is a normal condition: do not log it. */
static int
reject_full(struct mlx5_umr_queue *queue, enum rte_umr_reject reason)
{
	queue->nb_rejects[reason]++;
	return -ENOSPC;
}

int
mlx5_umr_reject_state(struct mlx5_umr_queue *queue)
{
	if (queue->error != 0)
		return reject_error(queue);
	return reject_full(queue, RTE_UMR_REJECT_RING_FULL);
}

int
mlx5_umr_reject_list(struct mlx5_umr_queue *queue)
{
	if (queue->error != 0)
		return reject_error(queue);
	return reject_full(queue, RTE_UMR_REJECT_LIST_FULL);
}

int
mlx5_umr_reject_recv_state(struct mlx5_umr_queue *queue)
{
	if (queue->error == -EIO)
		return reject_error(queue);
	return reject_full(queue, RTE_UMR_REJECT_RING_FULL);
}

int
mlx5_umr_reject_flags(struct mlx5_umr_queue *queue, uint64_t flags, uint64_t accepted)
{
	return REJECT(queue, FLAGS, -EINVAL, "flags 0x%" PRIx64 " has bits beyond 0x%" PRIx64,
		      flags, accepted);
}

int
mlx5_umr_reject_no_ops(struct mlx5_umr_queue *queue)
{
	return REJECT(queue, BURST, -EINVAL, "burst: 0 operations, at least 1 is needed");
}

int
mlx5_umr_reject_no_addr(struct mlx5_umr_queue *queue)
{
	return REJECT(queue, ADDRESS, -EDESTADDRREQ,
		      "no address for qpn 0x%x, rte_umr_dc_addr_set() gives one", queue->qpn);
}
