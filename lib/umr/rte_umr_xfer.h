/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_XFER_H
#define RTE_UMR_XFER_H

/**
 * @file
 *
 * Atomics, and sends that invalidate, of the UMR device API. Included by rte_umr.h, which
 * describes the model; what rte_umr_data.h says of identifiers and of devices that are not
 * started holds here, too.
 */

#include "rte_umr.h"
#include "rte_umr_core.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes that an atomic operation works on. */
#define RTE_UMR_ATOMIC_LEN 8u

/**
 * Enqueue a send that makes a memory key of the peer unusable, once the message has arrived. The
 * receive that takes it tells the key: RTE_UMR_COMPLETION_F_INVALIDATED.
 *
 * The peer's key must be one that allows it: of a pool with RTE_UMR_MKEY_POOL_F_REMOTE_INVALIDATE,
 * configured, and of the protection domain of the queue that receives. Any other key, an old value
 * of the key included, ends the operation with RTE_UMR_STATUS_REMOTE_INVALID or
 * RTE_UMR_STATUS_REMOTE_ACCESS. The peer gets its key back by configuring it again.
 *
 * Nothing reaches the device before rte_umr_submit() or a call with RTE_UMR_OP_F_SUBMIT.
 * Not thread safe per queue; different queues are independent. (IBTA 9.4.1.1.3)
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, [0, nb_queues - 1] as given to rte_umr_dev_configure().
 * @param local
 *   Memory to read; copied. A length of 0 sends an empty message.
 * @param rkey
 *   Key of the peer to invalidate, in host byte order.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*.
 * @return
 *   See rte_umr_write(), and
 *   - -ENOTSUP: the device lacks RTE_UMR_CAPA_SEND_INV (logged)
 */
__rte_experimental
static inline int
rte_umr_send_inv(int16_t dev_id, uint16_t queue_id, const struct rte_umr_seg *local, uint32_t rkey,
		 uint64_t flags)
{
	const struct rte_umr_fp_object *fp = &rte_umr_fp_objs[dev_id];
	int ret = fp->send_inv(rte_umr_fp_queue(dev_id, queue_id), local, rkey, flags);

	rte_umr_trace_send_inv(dev_id, queue_id, local, rkey, flags, ret);
	return ret;
}

/**
 * Enqueue a fetch and add: 8 bytes of the peer's memory grow by a number, modulo 2^64; what they
 * were before comes to local memory.
 *
 * Numbers in memory have the byte order of the host, here and at the peer. The operation is atomic
 * for what devices do to the peer's memory, not for the peer's CPU.
 *
 * The remote address must be a multiple of 8, and the peer's key must have
 * RTE_UMR_ACCESS_REMOTE_ATOMIC; otherwise the operation ends with RTE_UMR_STATUS_REMOTE_INVALID or
 * RTE_UMR_STATUS_REMOTE_ACCESS. What follows and needs the old value must wait for it:
 * RTE_UMR_OP_F_FENCE.
 *
 * Nothing reaches the device before rte_umr_submit() or a call with RTE_UMR_OP_F_SUBMIT.
 * Not thread safe per queue; different queues are independent. (IBTA 9.4.5)
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, [0, nb_queues - 1] as given to rte_umr_dev_configure().
 * @param local
 *   Memory for the old value, of length RTE_UMR_ATOMIC_LEN; copied.
 * @param remote_addr
 *   Address at the peer, a multiple of 8; an offset when rkey is a configured memory key.
 * @param rkey
 *   Key of the peer, in host byte order.
 * @param add
 *   Number to add.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*, but for RTE_UMR_OP_F_INLINE.
 * @return
 *   Ring index of the operation, [0, UINT16_MAX], or
 *   - -EINVAL: the length is not 8, or a flag is unknown (logged)
 *   - -ENOTSUP: the device lacks RTE_UMR_CAPA_ATOMIC (logged)
 *   - -ENOSPC: the ring is full; poll completions and try again
 *   - -ENOTCONN: the queue is not connected
 *   - -EIO: the queue is in error; see rte_umr_queue_recover()
 *   - -ENODEV: the device is not started
 */
__rte_experimental
static inline int
rte_umr_fetch_add(int16_t dev_id, uint16_t queue_id, const struct rte_umr_seg *local,
		  uint64_t remote_addr, uint32_t rkey, uint64_t add, uint64_t flags)
{
	const struct rte_umr_fp_object *fp = &rte_umr_fp_objs[dev_id];
	int ret = fp->fetch_add(rte_umr_fp_queue(dev_id, queue_id), local, remote_addr, rkey, add,
				flags);

	rte_umr_trace_fetch_add(dev_id, queue_id, local, remote_addr, rkey, flags, ret);
	return ret;
}

/**
 * Enqueue a compare and swap: if 8 bytes of the peer's memory hold a number, they get another one;
 * what they were before comes to local memory in any case.
 *
 * As rte_umr_fetch_add(), but for:
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, [0, nb_queues - 1] as given to rte_umr_dev_configure().
 * @param local
 *   Memory for the old value, of length RTE_UMR_ATOMIC_LEN; copied.
 * @param remote_addr
 *   Address at the peer, a multiple of 8; an offset when rkey is a configured memory key.
 * @param rkey
 *   Key of the peer, in host byte order.
 * @param compare
 *   Number that is expected there.
 * @param swap
 *   Number to put there if it is.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*, but for RTE_UMR_OP_F_INLINE.
 * @return
 *   See rte_umr_fetch_add().
 */
__rte_experimental
static inline int
rte_umr_cmp_swap(int16_t dev_id, uint16_t queue_id, const struct rte_umr_seg *local,
		 uint64_t remote_addr, uint32_t rkey, uint64_t compare, uint64_t swap,
		 uint64_t flags)
{
	const struct rte_umr_fp_object *fp = &rte_umr_fp_objs[dev_id];
	const struct rte_umr_swap operands = { compare, swap };
	int ret;

	ret = fp->cmp_swap(rte_umr_fp_queue(dev_id, queue_id), local, remote_addr, rkey, &operands,
			   flags);
	rte_umr_trace_cmp_swap(dev_id, queue_id, local, remote_addr, rkey, flags, ret);
	return ret;
}

#ifdef __cplusplus
}
#endif

#endif /* RTE_UMR_XFER_H */
