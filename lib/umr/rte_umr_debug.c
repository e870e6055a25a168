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
	UMR_DEV_LOG(ERR, queue->dev_id,
		    "queue %u: %s by lcore %d, thread %d, while lcore %d, thread %d is "
		    "in it",
		    queue->queue_id, name, (int)(self >> 32), (int)self, (int)(other >> 32),
		    (int)other);
	return false;
}

/** Unmark a queue and return the result of the operation. */
static int
leave(struct rte_umr_fp_queue *queue, int ret)
{
	__atomic_store_n(&queue->user, 0, __ATOMIC_RELAXED);
	return ret;
}

/** Functions of the driver. */
static const struct rte_umr_fp_ops *
drv(const void *queue)
{
	return ((const struct rte_umr_fp_queue *)queue)->drv_ops;
}

/** Call a function of the driver, or return busy. */
#define ALONE(queue, name, busy, call) (enter(queue, name) ? leave(queue, call) : (busy))

static bool
is_good(const struct rte_umr_fp_queue *queue, const struct rte_umr_mkey *mkey, const char *name)
{
	const char *fault = rte_umr_mkey_fault(mkey);

	if (fault == NULL)
		return true;
	UMR_DEV_LOG(ERR, queue->dev_id, "queue %u: %s: key at %p %s", queue->queue_id, name, mkey,
		    fault);
	return false;
}

/** Whether a pointer is valid for a number of elements; ignored if the number is 0. */
static bool
has(const struct rte_umr_fp_queue *queue, const void *array, uint32_t nb, const char *name)
{
	if (array != NULL || nb == 0)
		return true;
	UMR_DEV_LOG(ERR, queue->dev_id, "queue %u: %s: an array of %u elements is NULL",
		    queue->queue_id, name, nb);
	return false;
}

/** Whether the region to bind a window to exists. */
static bool
is_range_good(const struct rte_umr_fp_queue *queue, const struct rte_umr_mw_range *range,
	      const char *name)
{
	return has(queue, range, 1, name) &&
	       (range->mr == NULL || rte_umr_object_check(UMR_OBJECT_MR, range->mr) == 0);
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

/* A burst stops before an invalid key, like at an operation that the driver rejects. */
static bool
are_ops_good(const struct rte_umr_fp_queue *queue, const struct rte_umr_mkey_op *ops,
	     uint16_t *nb_ops, const char *name)
{
	const uint16_t nb_max = *nb_ops;
	uint16_t nb = 0;

	if (!has(queue, ops, nb_max, name))
		return false;
	while (nb < nb_max && is_op_good(queue, &ops[nb], name))
		nb++;
	*nb_ops = nb;
	return nb != 0 || nb_max == 0;
}

static bool
are_keys_good(const struct rte_umr_fp_queue *queue, struct rte_umr_mkey *const *mkeys,
	      uint16_t *nb_mkeys, const char *name)
{
	const uint16_t nb_max = *nb_mkeys;
	uint16_t nb = 0;

	if (!has(queue, mkeys, nb_max, name))
		return false;
	while (nb < nb_max && is_good(queue, mkeys[nb], name))
		nb++;
	*nb_mkeys = nb;
	return nb != 0 || nb_max == 0;
}

/* Checks of a parameter, by the column check of rte_umr_ops.h; op_name is the operation. */
#define CHECK_value(name)
#define CHECK_one(name) && has(queue, name, 1, op_name)
#define CHECK_array(name) && has(queue, name, nb_##name, op_name)
#define CHECK_key(name) && is_good(queue, name, op_name)
#define CHECK_key_op(name) && has(queue, name, 1, op_name) && is_op_good(queue, name, op_name)
#define CHECK_keys(name) && are_keys_good(queue, name, &nb_##name, op_name)
#define CHECK_key_ops(name) && are_ops_good(queue, name, &nb_##name, op_name)
#define CHECK_window(name) && rte_umr_object_check(UMR_OBJECT_MW, name) == 0
#define CHECK_range(name) && is_range_good(queue, name, op_name)
#define CHECK(type, name, check, trace) CHECK_##check(name)

/* Functions of operations that can be rejected. */
#define DEBUG_FUNCTION(name, type, point)                                                          \
	static int                                                                                 \
	debug_##name(void *queue RTE_UMR_FP_PARAMS_##type(RTE_UMR_FP_PARAM))                       \
	{                                                                                          \
		const char *const op_name = #name;                                                 \
	                                                                                           \
		if (!(true RTE_UMR_FP_PARAMS_##type(CHECK)))                                       \
			return -EINVAL;                                                            \
		return ALONE(queue, op_name, -EBUSY,                                               \
			     drv(queue)->name(queue RTE_UMR_FP_PARAMS_##type(RTE_UMR_FP_ARG)));    \
	}
#define NO_FUNCTION(name, type, point)

RTE_UMR_FP_OPS(DEBUG_FUNCTION, NO_FUNCTION, NO_FUNCTION)

static uint16_t
debug_completed(void *queue, uint16_t nb_max, uint16_t *last_idx, bool *has_error)
{
	*has_error = false;
	return (uint16_t)ALONE(queue, "completed", 0,
			       drv(queue)->completed(queue, nb_max, last_idx, has_error));
}

static uint16_t
debug_completed_status(void *queue, uint16_t nb_max, struct rte_umr_completion *done)
{
	if (!has(queue, done, nb_max, "completed_status"))
		return 0;
	return (uint16_t)ALONE(queue, "completed_status", 0,
			       drv(queue)->completed_status(queue, nb_max, done));
}

static uint16_t
debug_recv_completed(void *queue, uint16_t nb_max, struct rte_umr_completion *done)
{
	if (!has(queue, done, nb_max, "recv_completed"))
		return 0;
	return (uint16_t)ALONE(queue, "recv_completed", 0,
			       drv(queue)->recv_completed(queue, nb_max, done));
}

/* Only the mark of the queue is written. */
#define DEBUG_QUERY(name)                                                                          \
	static uint16_t                                                                            \
	debug_##name(const void *q)                                                                \
	{                                                                                          \
		struct rte_umr_fp_queue *queue = (struct rte_umr_fp_queue *)(uintptr_t)q;          \
												   \
		return (uint16_t)ALONE(queue, #name, 0, drv(queue)->name(queue));                  \
	}
DEBUG_QUERY(desc_avail)
DEBUG_QUERY(next_idx)
DEBUG_QUERY(recv_next_idx)

#define DEBUG_MEMBER(name, type, point) .name = debug_##name,

static const struct rte_umr_fp_ops debug_ops = {
	RTE_UMR_FP_OPS(DEBUG_MEMBER, DEBUG_MEMBER, DEBUG_MEMBER)
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
		UMR_DEV_LOG(ERR, dev_id, "identifiers are 0 to %d", RTE_UMR_MAX_DEVS - 1);
	else
		UMR_DEV_LOG(ERR, dev_id, "queue %u: identifiers are 0 to %d", queue_id,
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
