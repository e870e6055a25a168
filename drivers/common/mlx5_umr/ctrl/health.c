/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include <rte_alarm.h>
#include <rte_common.h>
#include <rte_cycles.h>
#include <rte_interrupts.h>
#include <rte_memory.h>

#include "ring/device.h"
#include "ctrl/conn.h"
#include "ring/slot.h"
#include "ctrl/health.h"
#include "ring/log.h"
#include "ring/peek.h"
#include "ctrl/queue.h"
#include "ring/queue.h"

/* Beats in silence_ms; the device is lost after that many in a row without a response. */
#define NB_BEATS	4u
/* Ring size and log name of the heart queue. */
#define HEART_DESC	32u
#define HEART_ID	UINT16_MAX

/** Mark a queue as lost. The lock is held. Release: readers of the flag see earlier writes. */
static void
queue_tell(struct mlx5_umr_queue *queue)
{
	__atomic_store_n(&queue->is_lost, true, __ATOMIC_RELEASE);
}

/**
 * Mark the device as lost; the lock is held. Sets its status, then marks the queues, which flush
 * outstanding operations from then on.
 *
 * @return
 *   Whether it is the first time: then the application must be notified.
 */
static bool
lose(struct mlx5_umr_device *dev, enum rte_umr_dev_status status, const char *why)
{
	struct mlx5_umr_health *health = &dev->health;
	struct mlx5_umr_queue *queue;
	bool is_first;

	is_first = rte_umr_driver_dev_lost_set(dev->umr_dev, status);
	__atomic_store_n(&health->is_lost, true, __ATOMIC_RELAXED);
	LIST_FOREACH(queue, &health->queues, link)
		queue_tell(queue);
	if (is_first)
		MLX5_UMR_DEV_LOG(ERR, dev->umr_dev->name, "%s: the device is lost, its outstanding "
				 "operations are flushed", why);
	return is_first;
}

/** Events that the kernel reported for the device. */
enum tidings {
	TIDINGS_NONE,	/* no loss reported */
	TIDINGS_FATAL,	/* a fatal event */
	TIDINGS_CLOSED,	/* the event file is closed: no more events */
};

/**
 * Read the asynchronous events of the context. The lock is held, so that all threads see the
 * result. Reading fails after the kernel has removed the device (Linux, ib_uverbs_event_read()).
 */
static enum tidings
events_take(struct mlx5_umr_device *dev)
{
	enum tidings tidings = TIDINGS_NONE;
	struct ibv_async_event event;

	errno = 0;
	while (ibv_get_async_event(dev->ctx, &event) == 0) {
		if (event.event_type == IBV_EVENT_DEVICE_FATAL)
			tidings = TIDINGS_FATAL;
		ibv_ack_async_event(&event);
	}
	return errno == EAGAIN || errno == EINTR ? tidings : TIDINGS_CLOSED;
}

/**
 * Read and process events. @return Whether the application must be notified that the device is
 * lost.
 */
static bool
events_heed(struct mlx5_umr_device *dev, enum tidings *tidings)
{
	bool is_first;

	pthread_mutex_lock(&dev->health.lock);
	*tidings = events_take(dev);
	is_first = *tidings != TIDINGS_NONE &&
		   lose(dev, RTE_UMR_DEV_STATUS_FAILED, "fatal error, or taken away");
	pthread_mutex_unlock(&dev->health.lock);
	return is_first;
}

/** Events are available: called by EAL's interrupt thread. */
static void
events_read(void *arg)
{
	struct mlx5_umr_device *dev = arg;
	enum tidings tidings;
	bool is_first = events_heed(dev, &tidings);

	/* The file stays readable: stop polling it. */
	if (tidings == TIDINGS_CLOSED)
		rte_intr_callback_unregister_pending(dev->health.intr, events_read, dev, NULL);
	if (is_first)
		rte_umr_driver_dev_lost_tell(dev->umr_dev);
}

static void
lost_tell(void *arg)
{
	struct mlx5_umr_device *dev = arg;

	rte_umr_driver_dev_lost_tell(dev->umr_dev);
}

/**
 * Called by the data path before it returns a failed operation. The interrupt thread, which
 * notifies the application, may not have read the reason yet.
 */
static void
look(struct mlx5_umr_device *dev)
{
	enum tidings tidings;

	if (!events_heed(dev, &tidings))
		return;
	if (rte_eal_alarm_set(1, lost_tell, dev) != 0)
		MLX5_UMR_DEV_LOG(WARNING, dev->umr_dev->name,
				 "no alarm: the loss of the device is not reported");
}

static void
recovery_failed_tell(void *arg)
{
	struct mlx5_umr_device *dev = arg;

	rte_umr_driver_recovery_failed_tell(dev->umr_dev);
}

void
mlx5_umr_health_recovery_failed(struct mlx5_umr_device *dev)
{
	if (rte_eal_alarm_set(1, recovery_failed_tell, dev) != 0)
		MLX5_UMR_DEV_LOG(WARNING, dev->umr_dev->name,
				 "no alarm: a failed recovery is not reported");
}

static int
events_listen(struct mlx5_umr_device *dev)
{
	struct mlx5_umr_health *health = &dev->health;
	int fd = dev->ctx->async_fd, flags = fcntl(fd, F_GETFL), ret;

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) {
		ret = -errno;
		goto log;
	}
	ret = -ENOMEM;
	health->intr = rte_intr_instance_alloc(RTE_INTR_INSTANCE_F_PRIVATE);
	if (health->intr == NULL || rte_intr_fd_set(health->intr, fd) != 0 ||
	    rte_intr_type_set(health->intr, RTE_INTR_HANDLE_EXT) != 0)
		goto free_intr;
	ret = rte_intr_callback_register(health->intr, events_read, dev);
	if (ret == 0)
		return 0;

free_intr:
	rte_intr_instance_free(health->intr);
log:
	MLX5_UMR_DEV_LOG(ERR, dev->umr_dev->name, "no asynchronous events: %s", strerror(-ret));
	return ret;
}

/** Create the queue that only checks whether the device responds. */
static int
heart_create(struct mlx5_umr_device *dev)
{
	const struct rte_umr_queue_conf conf = {
		.transport = RTE_UMR_TRANSPORT_LOOPBACK,
		.nb_desc = HEART_DESC,
		.nb_list_entries = MLX5_UMR_NO_LISTS,
		.socket_id = SOCKET_ID_ANY,
	};

	if (dev->args.silence_ms == 0)
		return 0;
	return mlx5_umr_queue_create(dev, HEART_ID, &conf, &dev->health.heart);
}

int
mlx5_umr_health_init(struct mlx5_umr_device *dev)
{
	int ret;

	pthread_mutex_init(&dev->health.lock, NULL);
	LIST_INIT(&dev->health.queues);
	ret = heart_create(dev);
	if (ret != 0)
		goto destroy_lock;
	ret = events_listen(dev);
	if (ret == 0) {
		dev->look = look;
		return 0;
	}

	mlx5_umr_queue_destroy(dev->health.heart);
destroy_lock:
	pthread_mutex_destroy(&dev->health.lock);
	return ret;
}

void
mlx5_umr_health_fini(struct mlx5_umr_device *dev)
{
	/* -ENOENT: the callback has unregistered itself. */
	rte_intr_callback_unregister_sync(dev->health.intr, events_read, dev);
	rte_eal_alarm_cancel(lost_tell, dev);
	rte_eal_alarm_cancel(recovery_failed_tell, dev);
	rte_intr_instance_free(dev->health.intr);
	mlx5_umr_queue_destroy(dev->health.heart);
	pthread_mutex_destroy(&dev->health.lock);
}

void
mlx5_umr_health_add(struct mlx5_umr_device *dev, struct mlx5_umr_queue *queue)
{
	pthread_mutex_lock(&dev->health.lock);
	LIST_INSERT_HEAD(&dev->health.queues, queue, link);
	if (dev->health.is_lost)
		queue_tell(queue);
	pthread_mutex_unlock(&dev->health.lock);
}

void
mlx5_umr_health_remove(struct mlx5_umr_device *dev, struct mlx5_umr_queue *queue)
{
	pthread_mutex_lock(&dev->health.lock);
	LIST_REMOVE(queue, link);
	pthread_mutex_unlock(&dev->health.lock);
}

/** Post a NOP. The operation type is arbitrary. */
static void
nop_submit(struct mlx5_umr_queue *heart)
{
	struct mlx5_umr_slot slot;

	if (!mlx5_umr_slot_get(heart, 1, &slot))
		return;
	memset(slot.wqe, 0, PRM_WQE_BB_SIZE);
	mlx5dv_set_ctrl_seg((struct mlx5_wqe_ctrl_seg *)slot.wqe, mlx5_umr_idx_low(slot.pi),
			    MLX5_OPCODE_NOP, 0, heart->qpn, 0, MLX5_UMR_CTRL_DS, 0, 0);
	mlx5_umr_op_commit(heart, &slot, 1, RTE_UMR_OP_WRITE, 0, PRM_CTRL_FM_NONE,
			   RTE_UMR_OP_F_SUBMIT);
}

/** Whether a queue has got a completion since the last beat: the device is working. */
static bool
is_at_work(struct mlx5_umr_health *health)
{
	const uint64_t before = health->nb_completed;
	const struct mlx5_umr_queue *queue;

	health->nb_completed = 0;
	LIST_FOREACH(queue, &health->queues, link)
		health->nb_completed += MLX5_UMR_PEEK(queue->nb_completed) +
					MLX5_UMR_PEEK(queue->rq.nb_completed);
	return health->nb_completed != before;
}

/**
 * Check for the response to the last NOP, and post another one.
 *
 * @param is_late
 *   This thread runs late: a device model on the same CPUs may be late, too.
 * @return
 *   Why the device is lost, or NULL.
 */
static const char *
beat(struct mlx5_umr_health *health, bool is_late, enum rte_umr_dev_status *status)
{
	const bool at_work = is_at_work(health);
	struct mlx5_umr_queue *heart = health->heart;
	struct rte_umr_completion done;

	if (mlx5_umr_completed_status(heart, 1, &done) != 0 &&
	    done.status != RTE_UMR_STATUS_SUCCESS) {
		*status = RTE_UMR_DEV_STATUS_FAILED;
		return "a queue pair that does nothing is in error";
	}
	if (!mlx5_umr_queue_is_empty(heart)) {
		*status = RTE_UMR_DEV_STATUS_SILENT;
		health->nb_missed = at_work ? 0 : health->nb_missed + !is_late;
		return health->nb_missed < NB_BEATS ? NULL : "it does not answer any more";
	}
	health->nb_missed = 0;
	nop_submit(heart);
	return NULL;
}

static uint64_t
beat_us(const struct mlx5_umr_device *dev)
{
	return (uint64_t)dev->args.silence_ms * 1000 / NB_BEATS;
}

static void heart_beat(void *arg);

static int
beat_plan(struct mlx5_umr_device *dev)
{
	dev->health.due = rte_get_tsc_cycles() + beat_us(dev) * (rte_get_tsc_hz() / US_PER_S);
	return rte_eal_alarm_set(beat_us(dev), heart_beat, dev);
}

/** Whether a beat is late by half of the beat interval or more. */
static bool
is_beat_late(const struct mlx5_umr_device *dev)
{
	const uint64_t half = beat_us(dev) / 2 * (rte_get_tsc_hz() / US_PER_S);

	return rte_get_tsc_cycles() > dev->health.due + half;
}

static void
heart_beat(void *arg)
{
	struct mlx5_umr_device *dev = arg;
	enum rte_umr_dev_status status = RTE_UMR_DEV_STATUS_OK;
	bool is_first;
	const char *why;

	pthread_mutex_lock(&dev->health.lock);
	why = beat(&dev->health, is_beat_late(dev), &status);
	is_first = why != NULL && lose(dev, status, why);
	pthread_mutex_unlock(&dev->health.lock);
	if (is_first)
		rte_umr_driver_dev_lost_tell(dev->umr_dev);
	if (why != NULL)
		return;
	if (beat_plan(dev) != 0)
		MLX5_UMR_DEV_LOG(WARNING, dev->umr_dev->name,
				 "no alarm, silence is not noticed any more");
}

int
mlx5_umr_health_start(struct mlx5_umr_device *dev)
{
	struct mlx5_umr_queue *heart = dev->health.heart;
	int ret;

	if (heart == NULL)
		return 0;
	/* The last stop may have failed. */
	ret = mlx5_umr_conn_close(heart);
	if (ret != 0)
		return ret;
	pthread_mutex_lock(&dev->health.lock);
	mlx5_umr_queue_restart(heart);
	dev->health.nb_missed = 0;
	ret = mlx5_umr_conn_open(heart);
	pthread_mutex_unlock(&dev->health.lock);
	if (ret != 0)
		return ret;
	ret = beat_plan(dev);
	if (ret != 0)
		MLX5_UMR_DEV_LOG(ERR, dev->umr_dev->name, "no alarm: %s", strerror(-ret));
	return ret;
}

int
mlx5_umr_health_stop(struct mlx5_umr_device *dev)
{
	if (dev->health.heart == NULL)
		return 0;
	/* Waits for a running beat, unless called by it. */
	rte_eal_alarm_cancel(heart_beat, dev);
	return mlx5_umr_conn_close(dev->health.heart);
}
