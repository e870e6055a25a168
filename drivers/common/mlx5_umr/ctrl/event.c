/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Completion events: a DevX event channel to which the CQs of a queue are subscribed. A CQ that was
 * armed raises one event, which the kernel adds to the channel
 * (mlx5dv_devx_subscribe_devx_event(3)).
 */

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include <rte_byteorder.h>

#include <mlx5_prm.h>

#include "ctrl/queue.h"
#include "ring/device.h"
#include "ring/log.h"

/* Type of the event (Linux: MLX5_EVENT_TYPE_COMP). */
#define EVENT_COMPLETION	0u

static const struct mlx5_umr_cq *
cq_of(const struct mlx5_umr_queue *queue, unsigned int kind, struct mlx5dv_devx_obj **obj)
{
	const bool is_send = kind == MLX5_UMR_SEND_CQ;

	/* A DC target has only the second one, a queue without receives only the first. */
	*obj = is_send ? queue->cq_obj : queue->rq.cq_obj;
	return is_send ? &queue->cq : &queue->rq.cq;
}

static int
cq_subscribe(struct mlx5_umr_queue *queue, unsigned int kind)
{
	uint16_t event = EVENT_COMPLETION;
	struct mlx5dv_devx_obj *obj;
	int ret;

	cq_of(queue, kind, &obj);
	if (obj == NULL)
		return 0;
	ret = mlx5dv_devx_subscribe_devx_event(queue->events, obj, sizeof(event), &event, kind);
	if (ret == 0)
		return 0;
	MLX5_UMR_QUEUE_LOG(ERR, queue, "cannot subscribe to completion events: %s", strerror(ret));
	return ret > 0 ? -ret : -EIO;
}

static int
channel_create(struct mlx5_umr_queue *queue)
{
	int flags, ret = 0;

	errno = 0;
	/* The kernel keeps one event of each CQ, however many there are. */
	queue->events = mlx5dv_devx_create_event_channel(
		queue->dev->ctx, MLX5DV_DEVX_CREATE_EVENT_CHANNEL_FLAGS_OMIT_EV_DATA);
	if (queue->events == NULL) {
		ret = errno != 0 ? -errno : -EIO;
	} else {
		flags = fcntl(queue->events->fd, F_GETFL);
		if (flags < 0 || fcntl(queue->events->fd, F_SETFL, flags | O_NONBLOCK) < 0)
			ret = -errno;
	}
	if (ret != 0)
		MLX5_UMR_QUEUE_LOG(ERR, queue, "no descriptor for completion events: %s",
				   strerror(-ret));
	return ret;
}

int
mlx5_umr_queue_event_fd(void *q)
{
	struct mlx5_umr_queue *queue = q;
	int ret;

	if (queue->events != NULL)
		return queue->events->fd;
	ret = channel_create(queue);
	for (unsigned int i = 0; ret == 0 && i < MLX5_UMR_NB_CQS; i++)
		ret = cq_subscribe(queue, i);
	if (ret != 0) {
		mlx5_umr_queue_event_fini(queue);
		return ret;
	}
	return queue->events->fd;
}

/** As libmlx5 does (rdma-core, mlx5 cq.c, mlx5_arm_cq()): the record first, then the doorbell. */
static void
cq_arm(const struct mlx5_umr_queue *queue, const struct mlx5_umr_cq *cq, uint8_t nb_events)
{
	const uint32_t arm = (uint32_t)(nb_events & 3) << PRM_CQ_ARM_SN_SHIFT |
			     (cq->ci & PRM_CQ_ARM_CI_MASK);
	volatile uint64_t *doorbell =
		(void *)((uint8_t *)queue->uar->base_addr + PRM_UAR_CQ_DB_OFFSET);

	cq->dbr[PRM_DBR_CQ_ARM] = rte_cpu_to_be_32(arm);
	rte_io_wmb();
	*doorbell = rte_cpu_to_be_64((uint64_t)arm << 32 | cq->cqn);
	/* The page may be write combined. */
	rte_wmb();
}

int
mlx5_umr_queue_event_arm(void *q)
{
	const struct mlx5_umr_queue *queue = q;
	const struct mlx5_umr_cq *cq;
	struct mlx5dv_devx_obj *obj;

	if (queue->events == NULL)
		return -EINVAL;
	for (unsigned int i = 0; i < MLX5_UMR_NB_CQS; i++) {
		cq = cq_of(queue, i, &obj);
		if (obj != NULL)
			cq_arm(queue, cq, queue->nb_events[i]);
	}
	return 0;
}

int
mlx5_umr_queue_event_clear(void *q)
{
	struct mlx5dv_devx_async_event_hdr event;
	struct mlx5_umr_queue *queue = q;
	int nb = 0;

	if (queue->events == NULL)
		return -EINVAL;
	while (mlx5dv_devx_get_event(queue->events, &event, sizeof(event)) >= 0) {
		/* Arming refers to the number of events that were seen. */
		queue->nb_events[event.cookie]++;
		nb++;
	}
	return errno == EAGAIN ? nb : -errno;
}

void
mlx5_umr_queue_event_fini(struct mlx5_umr_queue *queue)
{
	if (queue->events != NULL)
		mlx5dv_devx_destroy_event_channel(queue->events);
	queue->events = NULL;
}
