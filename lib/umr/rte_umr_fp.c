/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * The fast-path tables, and their functions for devices and queues that do not exist or are not
 * started.
 */

#include <errno.h>
#include <string.h>

#include "rte_umr_private.h"

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
dummy_mkey_list(void *queue, struct rte_umr_mkey *mkey, uint32_t access,
		const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags)
{
	RTE_SET_USED(mkey);
	RTE_SET_USED(access);
	RTE_SET_USED(segs);
	RTE_SET_USED(nb_segs);
	RTE_SET_USED(flags);
	return rejection(queue);
}

static int
dummy_mkey_interleaved(void *queue, struct rte_umr_mkey *mkey, uint32_t access, uint32_t repeat,
		       const struct rte_umr_interleaved *entries, uint32_t nb_entries,
		       uint64_t flags)
{
	RTE_SET_USED(mkey);
	RTE_SET_USED(access);
	RTE_SET_USED(repeat);
	RTE_SET_USED(entries);
	RTE_SET_USED(nb_entries);
	RTE_SET_USED(flags);
	return rejection(queue);
}

static int
dummy_mkey_invalidate(void *queue, struct rte_umr_mkey *mkey, uint64_t flags)
{
	RTE_SET_USED(mkey);
	RTE_SET_USED(flags);
	return rejection(queue);
}

static int
dummy_mkey_configure(void *queue, const struct rte_umr_mkey_op *op, uint64_t flags)
{
	RTE_SET_USED(op);
	RTE_SET_USED(flags);
	return rejection(queue);
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

static int
dummy_mkey_update(void *queue, struct rte_umr_mkey *mkey, uint32_t first,
		  const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags)
{
	return dummy_mkey_list(queue, mkey, first, segs, nb_segs, flags);
}

static int
dummy_mkey_configure_burst(void *queue, const struct rte_umr_mkey_op *ops, uint16_t nb_ops,
			   uint64_t flags)
{
	RTE_SET_USED(ops);
	RTE_SET_USED(nb_ops);
	RTE_SET_USED(flags);
	return rejection(queue);
}

static int
dummy_mkey_invalidate_burst(void *queue, struct rte_umr_mkey *const *mkeys, uint16_t nb_mkeys,
			    uint64_t flags)
{
	RTE_SET_USED(mkeys);
	RTE_SET_USED(nb_mkeys);
	RTE_SET_USED(flags);
	return rejection(queue);
}

static int
dummy_rdma(void *queue, const struct rte_umr_seg *local, uint64_t remote_addr, uint32_t rkey,
	   uint64_t flags)
{
	RTE_SET_USED(local);
	RTE_SET_USED(remote_addr);
	RTE_SET_USED(rkey);
	RTE_SET_USED(flags);
	return rejection(queue);
}

static int
dummy_rdma_list(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
		uint64_t remote_addr, uint32_t rkey, uint64_t flags)
{
	RTE_SET_USED(nb_segs);
	return dummy_rdma(queue, segs, remote_addr, rkey, flags);
}

static int
dummy_rdma_burst(void *queue, const struct rte_umr_rdma_op *ops, uint16_t nb_ops, uint64_t flags)
{
	RTE_SET_USED(ops);
	RTE_SET_USED(nb_ops);
	RTE_SET_USED(flags);
	return rejection(queue);
}

static int
dummy_seg_burst(void *queue, const struct rte_umr_seg *segs, uint16_t nb_segs, uint64_t flags)
{
	RTE_SET_USED(segs);
	RTE_SET_USED(nb_segs);
	RTE_SET_USED(flags);
	return rejection(queue);
}

static int
dummy_rdma_imm(void *queue, const struct rte_umr_seg *local, uint64_t remote_addr, uint32_t rkey,
	       rte_be32_t imm, uint64_t flags)
{
	RTE_SET_USED(imm);
	return dummy_rdma(queue, local, remote_addr, rkey, flags);
}

static int
dummy_send(void *queue, const struct rte_umr_seg *local, uint64_t flags)
{
	RTE_SET_USED(local);
	RTE_SET_USED(flags);
	return rejection(queue);
}

static int
dummy_send_imm(void *queue, const struct rte_umr_seg *local, rte_be32_t imm, uint64_t flags)
{
	RTE_SET_USED(imm);
	return dummy_send(queue, local, flags);
}

static int
dummy_send_inv(void *queue, const struct rte_umr_seg *local, uint32_t rkey, uint64_t flags)
{
	RTE_SET_USED(rkey);
	return dummy_send(queue, local, flags);
}

static int
dummy_fetch_add(void *queue, const struct rte_umr_seg *local, uint64_t remote_addr, uint32_t rkey,
		uint64_t add, uint64_t flags)
{
	RTE_SET_USED(add);
	return dummy_rdma(queue, local, remote_addr, rkey, flags);
}

static int
dummy_cmp_swap(void *queue, const struct rte_umr_seg *local, uint64_t remote_addr, uint32_t rkey,
	       const struct rte_umr_swap *operands, uint64_t flags)
{
	RTE_SET_USED(operands);
	return dummy_rdma(queue, local, remote_addr, rkey, flags);
}

static int
dummy_mw_invalidate(void *queue, struct rte_umr_mw *mw, uint64_t flags)
{
	RTE_SET_USED(mw);
	RTE_SET_USED(flags);
	return rejection(queue);
}

static int
dummy_mw_bind(void *queue, struct rte_umr_mw *mw, const struct rte_umr_mw_range *range,
	      uint64_t flags)
{
	RTE_SET_USED(range);
	return dummy_mw_invalidate(queue, mw, flags);
}

/* A receive, or the send of a list. */
static int
dummy_recv(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags)
{
	RTE_SET_USED(nb_segs);
	return dummy_send(queue, segs, flags);
}

static int
dummy_submit(void *queue)
{
	return rejection(queue);
}

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

static int
dummy_dc_addr_set(void *queue, const struct rte_umr_dc_addr *addr)
{
	RTE_SET_USED(addr);
	return rejection(queue);
}

static uint16_t
dummy_desc_avail(const void *queue)
{
	RTE_SET_USED(queue);
	return 0;
}

/* Nothing can be enqueued. */
#define REJECT_ALL                                                                                 \
	.mkey_list = dummy_mkey_list,                                                              \
	.mkey_interleaved = dummy_mkey_interleaved,                                                \
	.mkey_invalidate = dummy_mkey_invalidate,                                                  \
	.mkey_configure = dummy_mkey_configure,                                                    \
	.mkey_update = dummy_mkey_update,                                                          \
	.write = dummy_rdma,                                                                       \
	.write_imm = dummy_rdma_imm,                                                               \
	.read = dummy_rdma,                                                                        \
	.send = dummy_send,                                                                        \
	.send_imm = dummy_send_imm,                                                                \
	.send_inv = dummy_send_inv,                                                                \
	.fetch_add = dummy_fetch_add,                                                              \
	.cmp_swap = dummy_cmp_swap,                                                                \
	.mw_bind = dummy_mw_bind,                                                                  \
	.mw_invalidate = dummy_mw_invalidate,                                                      \
	.recv = dummy_recv,                                                                        \
	.submit = dummy_submit,                                                                    \
	.desc_avail = dummy_desc_avail,                                                            \
	.mkey_configure_burst = dummy_mkey_configure_burst,                                        \
	.mkey_invalidate_burst = dummy_mkey_invalidate_burst,                                      \
	.write_burst = dummy_rdma_burst,                                                           \
	.read_burst = dummy_rdma_burst,                                                            \
	.send_burst = dummy_seg_burst,                                                             \
	.recv_burst = dummy_seg_burst,                                                             \
	.write_list = dummy_rdma_list,                                                             \
	.read_list = dummy_rdma_list,                                                              \
	.send_list = dummy_recv,                                                                   \
	.write_sg = dummy_rdma_list,                                                               \
	.read_sg = dummy_rdma_list,                                                                \
	.dc_addr_set = dummy_dc_addr_set

static const struct rte_umr_fp_ops idle = {
	REJECT_ALL,
	.completed = dummy_completed,
	.completed_status = dummy_completed_status,
	.recv_completed = dummy_completed_status,
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
	REJECT_ALL,
	.completed = stopped_completed,
	.completed_status = stopped_completed_status,
	.recv_completed = stopped_recv_completed,
};

static struct rte_umr_fp_object objs[RTE_UMR_MAX_DEVS];

struct rte_umr_fp_object *rte_umr_fp_objs = objs;

/* Functions of a table; the reserved members follow. */
#define NB_OPS (offsetof(struct rte_umr_fp_ops, reserved) / sizeof(rte_umr_submit_t))

/** Address of a function pointer in a table as bytes, because types differ. */
static void *
op_at(const struct rte_umr_fp_ops *ops, unsigned int i)
{
	return RTE_PTR_ADD(ops, i * sizeof(ops->submit));
}

static bool
has_op(const struct rte_umr_fp_ops *ops, unsigned int i)
{
	static const rte_umr_submit_t none;

	return memcmp(op_at(ops, i), &none, sizeof(none)) != 0;
}

void
rte_umr_driver_fp_ops_complete(struct rte_umr_fp_ops *ops)
{
	unsigned int i;

	for (i = 0; i < NB_OPS; i++)
		if (!has_op(ops, i))
			memcpy(op_at(ops, i), op_at(&idle, i), sizeof(ops->submit));
}

static bool
is_complete(const struct rte_umr_fp_ops *ops)
{
	unsigned int i;

	for (i = 0; i < NB_OPS; i++)
		if (!has_op(ops, i))
			return false;
	return true;
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
		UMR_LOG(ERR, "device %d: driver %s leaves out data-path functions of queue %u, see "
			"rte_umr_driver_fp_ops_complete()", dev->dev_id, dev->driver->name,
			queue_id);
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
