/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * The fast-path tables, and their functions for devices and queues that do not exist or are not
 * started.
 */

#include <assert.h>
#include <errno.h>
#include <stddef.h>

#include "rte_umr_private.h"

/* Programs and drivers that are already compiled have these sizes and this order. */
static_assert(sizeof(struct rte_umr_fp_ops) == 512, "ABI of drivers and inlines");
static_assert(offsetof(struct rte_umr_fp_ops, mkey_invalidate) == 56, "first line");
static_assert(offsetof(struct rte_umr_fp_ops, recv_next_idx) == 288, "a new operation is last");
static_assert(sizeof(struct rte_umr_fp_queue) == 32, "ABI of drivers");
static_assert(sizeof(struct rte_umr_fp_entry) == 16, "ABI of inlines");
static_assert(sizeof(struct rte_umr_fp_object) == 64, "ABI of inlines");
static_assert(sizeof(struct rte_umr_completion) == 16, "ABI of arrays");
static_assert(sizeof(struct rte_umr_seg) == 16, "ABI of arrays");

static const struct rte_umr_fp_ops idle, stopped;

/* Queues of a device that is not open, and of an open one where no queue is set up. */
static struct rte_umr_fp_queue no_dev = { .dev_id = -1 };
static struct rte_umr_fp_queue no_queue = { .dev_id = -1 };

const struct rte_umr_fp_entry *
rte_umr_fp_no_entry(bool is_open)
{
	static const struct rte_umr_fp_entry none[] = {
		{ .ops = &idle, .queue = &no_dev },
		{ .ops = &idle, .queue = &no_queue },
	};

	return &none[is_open];
}

/* Polling a queue of a closed device still finds an entry. */
static struct rte_umr_fp_entry fp_entries[RTE_UMR_MAX_DEVS * RTE_UMR_MAX_QUEUES];

struct rte_umr_fp_entry *rte_umr_fp_entries = fp_entries;

static struct rte_umr_fp_entry *
entry_of(int16_t dev_id, uint16_t queue_id)
{
	return &fp_entries[dev_id * RTE_UMR_MAX_QUEUES + queue_id];
}

/** Error of an enqueue function. */
static int
rejection(const void *q)
{
	const struct rte_umr_fp_queue *queue = q;
	const struct rte_umr_fp_ops *ops;

	if (queue == &no_dev)
		return -ENODEV;
	if (queue == &no_queue)
		return -ENXIO;
	/* In a table of the driver it replaces a function that the driver does not support. */
	ops = entry_of(queue->dev_id, queue->queue_id)->ops;
	return ops == &idle || ops == &stopped ? -ESHUTDOWN : -ENOTSUP;
}

static int
no_dev_mkey_check(struct rte_umr_mkey *mkey, struct rte_umr_mkey_error *error)
{
	RTE_SET_USED(mkey);
	RTE_SET_USED(error);
	return -ENODEV;
}

static int
idle_mkey_check(struct rte_umr_mkey *mkey, struct rte_umr_mkey_error *error)
{
	RTE_SET_USED(mkey);
	RTE_SET_USED(error);
	return -ESHUTDOWN;
}

/* Nothing can be enqueued: a function for each type of rte_umr_ops.h. */
#define UNUSED_PARAM(type, name, check, trace) RTE_SET_USED(name);
#define DUMMY(type)                                                                                \
	static int                                                                                 \
	dummy_##type(void *queue RTE_UMR_FP_PARAMS_##type(RTE_UMR_FP_PARAM))                       \
	{                                                                                          \
		RTE_UMR_FP_PARAMS_##type(UNUSED_PARAM)                                             \
		return rejection(queue);                                                           \
	}
#define NO_DUMMY(type)

RTE_UMR_FP_TYPES(DUMMY, NO_DUMMY, NO_DUMMY)

static uint16_t
dummy_completed(void *queue, uint16_t nb_max, uint16_t *last_idx, bool *has_error)
{
	RTE_SET_USED(queue);
	RTE_SET_USED(nb_max);
	RTE_SET_USED(last_idx);
	*has_error = false;
	return 0;
}

static uint16_t
dummy_completed_status(void *queue, uint16_t nb_max, struct rte_umr_completion *done)
{
	RTE_SET_USED(queue);
	RTE_SET_USED(nb_max);
	RTE_SET_USED(done);
	return 0;
}

static uint16_t
dummy_desc_avail(const void *queue)
{
	RTE_SET_USED(queue);
	return 0;
}

#define DUMMY_MEMBER(name, type, point) .name = dummy_##type,
#define STOPPED_MEMBER(name, type, point) .name = stopped_##name,

static const struct rte_umr_fp_ops idle = {
	RTE_UMR_FP_OPS(DUMMY_MEMBER, DUMMY_MEMBER, DUMMY_MEMBER)
};

/* Outstanding operations can be collected from a stopped device. */
static uint16_t
stopped_completed(void *q, uint16_t nb_max, uint16_t *last_idx, bool *has_error)
{
	struct rte_umr_fp_queue *queue = q;

	return queue->drv_ops->completed(queue, nb_max, last_idx, has_error);
}

static uint16_t
stopped_completed_status(void *q, uint16_t nb_max, struct rte_umr_completion *done)
{
	struct rte_umr_fp_queue *queue = q;

	return queue->drv_ops->completed_status(queue, nb_max, done);
}

static uint16_t
stopped_recv_completed(void *q, uint16_t nb_max, struct rte_umr_completion *done)
{
	struct rte_umr_fp_queue *queue = q;

	return queue->drv_ops->recv_completed(queue, nb_max, done);
}

static const struct rte_umr_fp_ops stopped = {
	RTE_UMR_FP_OPS(DUMMY_MEMBER, STOPPED_MEMBER, DUMMY_MEMBER)
};

static struct rte_umr_fp_object objs[RTE_UMR_MAX_DEVS];

struct rte_umr_fp_object *rte_umr_fp_objs = objs;

#define COMPLETE_MEMBER(name, type, point) ops->name = ops->name != NULL ? ops->name : idle.name;
#define IS_SET_MEMBER(name, type, point) && ops->name != NULL

void
rte_umr_driver_fp_ops_complete(struct rte_umr_fp_ops *ops)
{
	RTE_UMR_FP_OPS(COMPLETE_MEMBER, COMPLETE_MEMBER, COMPLETE_MEMBER)
}

static bool
is_complete(const struct rte_umr_fp_ops *ops)
{
	return true RTE_UMR_FP_OPS(IS_SET_MEMBER, IS_SET_MEMBER, IS_SET_MEMBER);
}

/** Fill in a device without queues. */
static void
dev_fill(int16_t dev_id, bool is_open)
{
	for (uint16_t i = 0; i < RTE_UMR_MAX_QUEUES; i++)
		*entry_of(dev_id, i) = *rte_umr_fp_no_entry(is_open);
	objs[dev_id].mkey_check = is_open ? idle_mkey_check : no_dev_mkey_check;
}

RTE_INIT(rte_umr_fp_init)
{
	for (int16_t i = 0; i < RTE_UMR_MAX_DEVS; i++)
		dev_fill(i, false);
}

void
rte_umr_fp_dev_open(int16_t dev_id)
{
	dev_fill(dev_id, true);
}

void
rte_umr_fp_dev_close(int16_t dev_id)
{
	dev_fill(dev_id, false);
}

int
rte_umr_fp_queue_init(const struct rte_umr_dev *dev, uint16_t queue_id,
		      struct rte_umr_fp_queue *queue)
{
	if (queue->drv_ops == NULL || !is_complete(queue->drv_ops)) {
		UMR_DEV_LOG(ERR, dev->dev_id,
			    "driver %s leaves out data-path functions of queue %u, see "
			    "rte_umr_driver_fp_ops_complete()",
			    dev->driver->name, queue_id);
		return -EINVAL;
	}
	queue->dev_id = dev->dev_id;
	queue->queue_id = queue_id;
	return 0;
}

void
rte_umr_fp_queue_set(const struct rte_umr_dev *dev, uint16_t queue_id,
		     struct rte_umr_fp_queue *queue)
{
	*entry_of(dev->dev_id, queue_id) = (struct rte_umr_fp_entry){ &idle, queue };
}

void
rte_umr_fp_set_stopped(struct rte_umr_dev *dev)
{
	uint16_t i;

	for (i = 0; i < dev->nb_queues; i++)
		entry_of(dev->dev_id, i)->ops = &stopped;
	objs[dev->dev_id].mkey_check = idle_mkey_check;
}

void
rte_umr_fp_set_started(struct rte_umr_dev *dev)
{
	uint16_t i;

	for (i = 0; i < dev->nb_queues; i++)
		entry_of(dev->dev_id, i)->ops = rte_umr_debug_ops(dev->queues[i]);
	if (dev->ops->mkey_check != NULL)
		objs[dev->dev_id].mkey_check = dev->ops->mkey_check;
}
