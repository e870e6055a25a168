/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_MW_H
#define RTE_UMR_MW_H

/**
 * @file
 *
 * Memory windows of the UMR device API. Included by rte_umr.h, which describes the model.
 *
 * A window is a key for the peer that shows a part of a memory region. An operation on a queue
 * binds it, another one makes it unusable; no system call is needed for either, so that a peer can
 * be let in for one transfer and no longer.
 *
 *     rte_umr_mw_create()   ->  unbound
 *     rte_umr_mw_bind()         unbound (type 1: or bound)  ->  bound, with a new key
 *     rte_umr_mw_invalidate()   bound  ->  unbound
 *     rte_umr_send_inv() of the peer, type 2B only:  bound  ->  unbound
 *     rte_umr_mw_destroy()  in any state
 *
 * There are two types (IBTA 10.6.7.2). One of type 1 can be used over any queue of its device and
 * bound again while it is bound. One of type 2B belongs to the queue that binds it: the peer must
 * come over that queue, and only that queue can invalidate it; it must be unbound to be bound.
 *
 * The region must be registered with RTE_UMR_ACCESS_MW_BIND. It stays registered while a window is
 * bound to it.
 */

#include <stdint.h>

#include <rte_compat.h>

#include "rte_umr_core.h"
#include "rte_umr_mr.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Most bytes that a window shows: 2 GiB. */
#define RTE_UMR_MAX_MW_LEN (UINT64_C(1) << 31)

/** Type of a memory window. */
enum rte_umr_mw_type {
	RTE_UMR_MW_TYPE_1 = 1, /**< Bound at any time, used over any queue. */
	RTE_UMR_MW_TYPE_2B = 2, /**< Belongs to the queue that binds it. */
};

/** A memory window. Read only for the application. */
struct rte_umr_mw {
	/** Value of the last bind that was accepted, for the peer. Host byte order. */
	uint32_t rkey;
	uint8_t type; /**< enum rte_umr_mw_type. */
	uint8_t reserved; /**< Zero. */
	int16_t dev_id; /**< Device that it belongs to. */
	struct rte_umr_pd *pd; /**< PD that it belongs to; NULL: the default one. */
	void *driver_private; /**< The driver's. */
};

/** Addresses of the window start at 0, not at those of the region. Type 2B only. */
#define RTE_UMR_MW_BIND_F_ZERO_BASED RTE_BIT32(0)

/** What a window is to show. */
struct rte_umr_mw_range {
	const struct rte_umr_mr *mr; /**< Region, with RTE_UMR_ACCESS_MW_BIND. */
	uint64_t addr; /**< First byte, an address as operations use it. */
	uint64_t length; /**< Bytes, [1, RTE_UMR_MAX_MW_LEN]. */
	/** Bitwise OR of RTE_UMR_ACCESS_REMOTE_*. Writes and atomics need a writable region. */
	uint32_t access;
	uint32_t flags; /**< Bitwise OR of RTE_UMR_MW_BIND_F_*. */
};

/**
 * Create a memory window.
 *
 * @param dev_id
 *   Device identifier.
 * @param pd
 *   PD of the device, that of regions and queues that the window is used with; NULL: the default
 *   one.
 * @param type
 *   Type of the window.
 * @return
 *   The window, unbound, freed by rte_umr_mw_destroy(), or NULL with rte_errno:
 *   - EINVAL: the type is unknown, or the PD is one of another device (logged)
 *   - ENODEV: no such device
 *   - ENOTSUP: the device has no windows of this type (logged)
 *   - ENOMEM: out of memory
 *   - another errno of the system (logged)
 */
__rte_experimental
struct rte_umr_mw *rte_umr_mw_create(int16_t dev_id, struct rte_umr_pd *pd,
				     enum rte_umr_mw_type type);

/**
 * Destroy a memory window, bound or not. No operation on it may be outstanding.
 *
 * @param mw
 *   Window; NULL is accepted.
 * @return
 *   0, or a negative errno of the system (logged); the window is then still there.
 */
__rte_experimental
int rte_umr_mw_destroy(struct rte_umr_mw *mw);

/**
 * Enqueue an operation that lets a window show a part of a memory region.
 *
 * When the call returns, rte_umr_mw::rkey is the value that the window has from this operation on:
 * the tag in its low byte advances, so that the value of the bind before does not fit any more. It
 * may be told to the peer with a send behind the bind on the same queue; over another queue, wait
 * for the completion of the bind.
 * If the bind fails or is flushed, the window still shows the peer what it did, under its old
 * value, until it is bound or invalidated.
 *
 * A window of type 2B that is not unbound ends the operation with RTE_UMR_STATUS_MKEY_CONFIG.
 *
 * Nothing reaches the device before rte_umr_submit() or a call with RTE_UMR_OP_F_SUBMIT.
 * Not thread safe per queue; a window belongs to one thread at a time.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, [0, nb_queues - 1] as given to rte_umr_dev_configure().
 * @param mw
 *   Window of this device. It stays as it is on error.
 * @param range
 *   What it is to show; copied, but for the region.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*, but for RTE_UMR_OP_F_INLINE.
 * @return
 *   Ring index of the operation, [0, UINT16_MAX], or
 *   - -EINVAL: a flag or an access right is unknown or not for windows, the length is 0, the range
 *     is not within the region, or a window of type 1 is to be zero based (logged)
 *   - -ERANGE: the length is more than RTE_UMR_MAX_MW_LEN (logged)
 *   - -EACCES: the region was registered without RTE_UMR_ACCESS_MW_BIND, or writes are to be
 *     allowed to one without RTE_UMR_ACCESS_LOCAL_WRITE (logged)
 *   - -EXDEV: window or region belong to another device, or to different PDs (logged)
 *   - -ENOSPC: the ring is full; poll completions and try again
 *   - -ENOTCONN: the queue is not connected
 *   - -EIO: the queue is in error; see rte_umr_queue_recover()
 *   - -ENODEV: the device is not started
 */
__rte_experimental
static inline int
rte_umr_mw_bind(int16_t dev_id, uint16_t queue_id, struct rte_umr_mw *mw,
		const struct rte_umr_mw_range *range, uint64_t flags)
{
	const struct rte_umr_fp_object *fp = &rte_umr_fp_objs[dev_id];
	int ret = fp->mw_bind(rte_umr_fp_queue(dev_id, queue_id), mw, range, flags);

	rte_umr_trace_mw_bind(dev_id, queue_id, mw->rkey, flags, ret);
	return ret;
}

/**
 * Enqueue an operation that makes a window unusable for the peer until it is bound again.
 *
 * One of type 2B must be invalidated over the queue that has bound it; another one ends the
 * operation with RTE_UMR_STATUS_MKEY_CONFIG. One that is unbound stays so, without an error.
 * The region of the window may be deregistered when this operation has completed.
 *
 * Order and threads are those of rte_umr_mw_bind().
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, [0, nb_queues - 1] as given to rte_umr_dev_configure().
 * @param mw
 *   Window of this device.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*, but for RTE_UMR_OP_F_INLINE.
 * @return
 *   Ring index of the operation, [0, UINT16_MAX], or
 *   - -EINVAL: a flag is unknown (logged)
 *   - -EXDEV: the window belongs to another device (logged)
 *   - -ENOSPC: the ring is full; poll completions and try again
 *   - -ENOTCONN: the queue is not connected
 *   - -EIO: the queue is in error; see rte_umr_queue_recover()
 *   - -ENODEV: the device is not started
 */
__rte_experimental
static inline int
rte_umr_mw_invalidate(int16_t dev_id, uint16_t queue_id, struct rte_umr_mw *mw, uint64_t flags)
{
	const struct rte_umr_fp_object *fp = &rte_umr_fp_objs[dev_id];
	int ret = fp->mw_invalidate(rte_umr_fp_queue(dev_id, queue_id), mw, flags);

	rte_umr_trace_mw_invalidate(dev_id, queue_id, mw->rkey, flags, ret);
	return ret;
}

#ifdef __cplusplus
}
#endif

#endif /* RTE_UMR_MW_H */
