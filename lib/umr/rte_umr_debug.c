/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Checks of RTE_UMR_DEBUG: a function table that wraps the driver's and verifies what the fast path
 * does not check. The mark of a queue and the keys are checked before the driver is called.
 */

#include <errno.h>

#include <rte_eal.h>
#include <rte_lcore.h>

#include "rte_umr_private.h"

#ifdef RTE_UMR_DEBUG
static bool is_on = true;
#else
static bool is_on;
#endif

/** Identifier of the calling lcore, if any, and thread. Never 0: no thread has that number. */
static uint64_t
user_self(void)
{
	return (uint64_t)rte_lcore_id() << 32 | (uint32_t)rte_gettid();
}

/**
 * Mark a queue. Relaxed: the application must synchronize when it passes a queue to another thread,
 * and this check must not hide missing synchronization.
 */
static bool
enter(struct rte_umr_fp_queue *queue, const char *name)
{
	const uint64_t self = user_self();
	uint64_t other = 0;

	if (__atomic_compare_exchange_n(&queue->user, &other, self, false, __ATOMIC_RELAXED,
					__ATOMIC_RELAXED))
		return true;
	UMR_LOG(ERR, "device %d: queue %u: %s by lcore %d, thread %d, while lcore %d, thread %d is "
		"in it", queue->dev_id, queue->queue_id, name, (int)(self >> 32), (int)self,
		(int)(other >> 32), (int)other);
	return false;
}

/** Unmark a queue and return the result of the operation. */
static int
leave(struct rte_umr_fp_queue *queue, int ret)
{
	__atomic_store_n(&queue->user, 0, __ATOMIC_RELAXED);
	return ret;
}

/** Call the operation of the driver, or return busy. */
#define ALONE(queue, busy, op, ...)                                                                \
	(enter(queue, #op) ?                                                                       \
		 leave(queue, ((struct rte_umr_fp_queue *)(queue))->drv_ops->op(queue,             \
										##__VA_ARGS__)) :  \
		 (busy))

static bool
is_good(const struct rte_umr_fp_queue *queue, const struct rte_umr_mkey *mkey, const char *name)
{
	const char *fault = rte_umr_mkey_fault(mkey);

	if (fault == NULL)
		return true;
	UMR_LOG(ERR, "device %d: queue %u: %s: key at %p %s", queue->dev_id, queue->queue_id, name,
		mkey, fault);
	return false;
}

/** Whether a pointer is valid for a number of elements; ignored if the number is 0. */
static bool
has(const struct rte_umr_fp_queue *queue, const void *array, uint32_t nb, const char *name)
{
	if (array != NULL || nb == 0)
		return true;
	UMR_LOG(ERR, "device %d: queue %u: %s: NULL, where %u are to be", queue->dev_id,
		queue->queue_id, name, nb);
	return false;
}

/** Whether a window and the region to bind it to exist. */
static bool
is_window(const struct rte_umr_mw *mw, const struct rte_umr_mr *mr)
{
	return rte_umr_object_check(UMR_OBJECT_MW, mw) == 0 &&
	       (mr == NULL || rte_umr_object_check(UMR_OBJECT_MR, mr) == 0);
}

/** has(), then ALONE. */
#define ALONE_WITH(queue, array, nb, op, ...)                                                      \
	(has(queue, array, nb, #op) ? ALONE(queue, -EBUSY, op, ##__VA_ARGS__) : -EINVAL)

/** is_good() and has(), then ALONE. */
#define ALONE_WITH_KEY(queue, mkey, array, nb, op, ...)                                            \
	(is_good(queue, mkey, #op) ? ALONE_WITH(queue, array, nb, op, ##__VA_ARGS__) : -EINVAL)

static int
debug_mkey_list(void *queue, struct rte_umr_mkey *mkey, uint32_t access,
		const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags)
{
	return ALONE_WITH_KEY(queue, mkey, segs, nb_segs, mkey_list, mkey, access, segs, nb_segs,
			      flags);
}

static int
debug_mkey_interleaved(void *queue, struct rte_umr_mkey *mkey, uint32_t access, uint32_t repeat,
		       const struct rte_umr_interleaved *entries, uint32_t nb_entries,
		       uint64_t flags)
{
	return ALONE_WITH_KEY(queue, mkey, entries, nb_entries, mkey_interleaved, mkey, access,
			      repeat, entries, nb_entries, flags);
}

static int
debug_mkey_invalidate(void *queue, struct rte_umr_mkey *mkey, uint64_t flags)
{
	return ALONE_WITH_KEY(queue, mkey, mkey, 1, mkey_invalidate, mkey, flags);
}

/** Whether the key of an operation is valid and its entries are not NULL. */
static bool
is_op_good(const struct rte_umr_fp_queue *queue, const struct rte_umr_mkey_op *op,
	   const char *name)
{
	const bool has_layout = (op->setters & RTE_UMR_MKEY_SET_LAYOUT) != 0;

	return is_good(queue, op->mkey, name) &&
	       has(queue, op->segs, has_layout ? op->nb_entries : 0, name);
}

static int
debug_mkey_configure(void *queue, const struct rte_umr_mkey_op *op, uint64_t flags)
{
	if (!has(queue, op, 1, "mkey_configure") || !is_op_good(queue, op, "mkey_configure"))
		return -EINVAL;
	return ALONE(queue, -EBUSY, mkey_configure, op, flags);
}

static int
debug_mkey_update(void *queue, struct rte_umr_mkey *mkey, uint32_t first,
		  const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags)
{
	return ALONE_WITH_KEY(queue, mkey, segs, nb_segs, mkey_update, mkey, first, segs, nb_segs,
			      flags);
}

/* A burst stops before an invalid key, like at an operation that the driver rejects. */
static int
debug_mkey_configure_burst(void *queue, const struct rte_umr_mkey_op *ops, uint16_t nb_ops,
			   uint64_t flags)
{
	uint16_t nb = 0;

	if (!has(queue, ops, nb_ops, "mkey_configure_burst"))
		return -EINVAL;
	while (nb < nb_ops && is_op_good(queue, &ops[nb], "mkey_configure_burst"))
		nb++;
	if (nb == 0 && nb_ops != 0)
		return -EINVAL;
	return ALONE(queue, -EBUSY, mkey_configure_burst, ops, nb, flags);
}

static int
debug_mkey_invalidate_burst(void *queue, struct rte_umr_mkey *const *mkeys, uint16_t nb_mkeys,
			    uint64_t flags)
{
	uint16_t nb = 0;

	if (!has(queue, mkeys, nb_mkeys, "mkey_invalidate_burst"))
		return -EINVAL;
	while (nb < nb_mkeys && is_good(queue, mkeys[nb], "mkey_invalidate_burst"))
		nb++;
	if (nb == 0 && nb_mkeys != 0)
		return -EINVAL;
	return ALONE(queue, -EBUSY, mkey_invalidate_burst, mkeys, nb, flags);
}

static int
debug_write(void *queue, const struct rte_umr_seg *local, uint64_t remote_addr, uint32_t rkey,
	    uint64_t flags)
{
	return ALONE_WITH(queue, local, 1, write, local, remote_addr, rkey, flags);
}

static int
debug_write_imm(void *queue, const struct rte_umr_seg *local, uint64_t remote_addr, uint32_t rkey,
		rte_be32_t imm, uint64_t flags)
{
	return ALONE_WITH(queue, local, 1, write_imm, local, remote_addr, rkey, imm, flags);
}

static int
debug_write_burst(void *queue, const struct rte_umr_rdma_op *ops, uint16_t nb_ops, uint64_t flags)
{
	return ALONE_WITH(queue, ops, nb_ops, write_burst, ops, nb_ops, flags);
}

static int
debug_write_list(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
		 uint64_t remote_addr, uint32_t rkey, uint64_t flags)
{
	return ALONE_WITH(queue, segs, nb_segs, write_list, segs, nb_segs, remote_addr, rkey,
			  flags);
}

static int
debug_read(void *queue, const struct rte_umr_seg *local, uint64_t remote_addr, uint32_t rkey,
	   uint64_t flags)
{
	return ALONE_WITH(queue, local, 1, read, local, remote_addr, rkey, flags);
}

static int
debug_read_burst(void *queue, const struct rte_umr_rdma_op *ops, uint16_t nb_ops, uint64_t flags)
{
	return ALONE_WITH(queue, ops, nb_ops, read_burst, ops, nb_ops, flags);
}

static int
debug_read_list(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
		uint64_t remote_addr, uint32_t rkey, uint64_t flags)
{
	return ALONE_WITH(queue, segs, nb_segs, read_list, segs, nb_segs, remote_addr, rkey,
			  flags);
}

static int
debug_write_sg(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
	       uint64_t remote_addr, uint32_t rkey, uint64_t flags)
{
	return ALONE_WITH(queue, segs, nb_segs, write_sg, segs, nb_segs, remote_addr, rkey, flags);
}

static int
debug_read_sg(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t remote_addr,
	      uint32_t rkey, uint64_t flags)
{
	return ALONE_WITH(queue, segs, nb_segs, read_sg, segs, nb_segs, remote_addr, rkey, flags);
}

static int
debug_send(void *queue, const struct rte_umr_seg *local, uint64_t flags)
{
	return ALONE_WITH(queue, local, 1, send, local, flags);
}

static int
debug_send_imm(void *queue, const struct rte_umr_seg *local, rte_be32_t imm, uint64_t flags)
{
	return ALONE_WITH(queue, local, 1, send_imm, local, imm, flags);
}

static int
debug_send_inv(void *queue, const struct rte_umr_seg *local, uint32_t rkey, uint64_t flags)
{
	return ALONE_WITH(queue, local, 1, send_inv, local, rkey, flags);
}

static int
debug_send_burst(void *queue, const struct rte_umr_seg *segs, uint16_t nb_segs, uint64_t flags)
{
	return ALONE_WITH(queue, segs, nb_segs, send_burst, segs, nb_segs, flags);
}

static int
debug_send_list(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags)
{
	return ALONE_WITH(queue, segs, nb_segs, send_list, segs, nb_segs, flags);
}

static int
debug_fetch_add(void *queue, const struct rte_umr_seg *local, uint64_t remote_addr, uint32_t rkey,
		uint64_t add, uint64_t flags)
{
	return ALONE_WITH(queue, local, 1, fetch_add, local, remote_addr, rkey, add, flags);
}

static int
debug_cmp_swap(void *queue, const struct rte_umr_seg *local, uint64_t remote_addr, uint32_t rkey,
	       const struct rte_umr_swap *operands, uint64_t flags)
{
	return ALONE_WITH(queue, local, 1, cmp_swap, local, remote_addr, rkey, operands, flags);
}

static int
debug_mw_bind(void *queue, struct rte_umr_mw *mw, const struct rte_umr_mw_range *range,
	      uint64_t flags)
{
	if (!has(queue, range, 1, "mw_bind") || !is_window(mw, range->mr))
		return -EINVAL;
	return ALONE(queue, -EBUSY, mw_bind, mw, range, flags);
}

static int
debug_mw_invalidate(void *queue, struct rte_umr_mw *mw, uint64_t flags)
{
	return is_window(mw, NULL) ? ALONE(queue, -EBUSY, mw_invalidate, mw, flags) : -EINVAL;
}

static int
debug_recv(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags)
{
	return ALONE_WITH(queue, segs, nb_segs, recv, segs, nb_segs, flags);
}

static int
debug_recv_burst(void *queue, const struct rte_umr_seg *segs, uint16_t nb_segs, uint64_t flags)
{
	return ALONE_WITH(queue, segs, nb_segs, recv_burst, segs, nb_segs, flags);
}

static int
debug_dc_addr_set(void *queue, const struct rte_umr_dc_addr *addr)
{
	return ALONE_WITH(queue, addr, 1, dc_addr_set, addr);
}

static int
debug_submit(void *queue)
{
	return ALONE(queue, -EBUSY, submit);
}

static uint16_t
debug_completed(void *queue, uint16_t nb_max, uint16_t *last_idx, bool *has_error)
{
	*has_error = false;
	return (uint16_t)ALONE(queue, 0, completed, nb_max, last_idx, has_error);
}

static uint16_t
debug_completed_status(void *queue, uint16_t nb_max, struct rte_umr_completion *done)
{
	if (!has(queue, done, nb_max, "completed_status"))
		return 0;
	return (uint16_t)ALONE(queue, 0, completed_status, nb_max, done);
}

static uint16_t
debug_recv_completed(void *queue, uint16_t nb_max, struct rte_umr_completion *done)
{
	if (!has(queue, done, nb_max, "recv_completed"))
		return 0;
	return (uint16_t)ALONE(queue, 0, recv_completed, nb_max, done);
}

static uint16_t
debug_desc_avail(const void *q)
{
	/* Only the mark is written. */
	struct rte_umr_fp_queue *queue = (struct rte_umr_fp_queue *)(uintptr_t)q;

	return (uint16_t)ALONE(queue, 0, desc_avail);
}

static const struct rte_umr_fp_ops debug_ops = {
	.mkey_list = debug_mkey_list,
	.mkey_interleaved = debug_mkey_interleaved,
	.mkey_invalidate = debug_mkey_invalidate,
	.mkey_configure = debug_mkey_configure,
	.mkey_update = debug_mkey_update,
	.mkey_configure_burst = debug_mkey_configure_burst,
	.mkey_invalidate_burst = debug_mkey_invalidate_burst,
	.write = debug_write,
	.write_imm = debug_write_imm,
	.write_burst = debug_write_burst,
	.write_list = debug_write_list,
	.write_sg = debug_write_sg,
	.read = debug_read,
	.read_burst = debug_read_burst,
	.read_list = debug_read_list,
	.read_sg = debug_read_sg,
	.send = debug_send,
	.send_imm = debug_send_imm,
	.send_inv = debug_send_inv,
	.send_burst = debug_send_burst,
	.send_list = debug_send_list,
	.fetch_add = debug_fetch_add,
	.cmp_swap = debug_cmp_swap,
	.mw_bind = debug_mw_bind,
	.mw_invalidate = debug_mw_invalidate,
	.recv = debug_recv,
	.recv_burst = debug_recv_burst,
	.dc_addr_set = debug_dc_addr_set,
	.submit = debug_submit,
	.completed = debug_completed,
	.completed_status = debug_completed_status,
	.recv_completed = debug_recv_completed,
	.desc_avail = debug_desc_avail,
};

void
rte_umr_driver_debug_set(bool on)
{
	is_on = on;
}

const struct rte_umr_fp_ops *
rte_umr_debug_ops(const struct rte_umr_fp_queue *queue)
{
	return is_on ? &debug_ops : queue->drv_ops;
}

const struct rte_umr_fp_entry *
rte_umr_debug_entry(int16_t dev_id, uint16_t queue_id)
{
	if (dev_id < 0 || dev_id >= RTE_UMR_MAX_DEVS)
		UMR_LOG(ERR, "device %d: identifiers are 0 to %d", dev_id, RTE_UMR_MAX_DEVS - 1);
	else
		UMR_LOG(ERR, "device %d: queue %u: identifiers are 0 to %d", dev_id, queue_id,
			RTE_UMR_MAX_QUEUES - 1);
	return rte_umr_fp_no_entry(rte_umr_dev_is_valid(dev_id));
}

int
rte_umr_debug_mkey_check(struct rte_umr_mkey *mkey, struct rte_umr_mkey_error *error)
{
	const char *fault = is_on ? rte_umr_mkey_fault(mkey) : NULL;

	if (fault == NULL)
		return rte_umr_fp_objs[mkey->dev_id].mkey_check(mkey, error);
	UMR_LOG(ERR, "mkey_check: key at %p %s", mkey, fault);
	return -EINVAL;
}
