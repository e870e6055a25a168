/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_DC_H
#define RTE_UMR_DC_H

/**
 * @file
 *
 * Dynamically connected transport (DC): one queue talks to many peers. Included by rte_umr.h.
 *
 *     initiator (DCI)                           target (DCT)
 *     RTE_UMR_TRANSPORT_DCI                     RTE_UMR_TRANSPORT_DCT
 *     writes, reads, sends, layouts   ------>   receives; serves writes and reads
 *     address given per operation     \------>  another target, another device
 *
 * A target is a queue that only receives: rte_umr_recv() and rte_umr_recv_completed() work on it,
 * nothing else does. It answers whoever knows its number and its access key
 * (rte_umr_queue_conf::dc_key), so that its receives are shared by all initiators.
 *
 * An initiator is a queue that only sends. It is connected to nobody: rte_umr_dev_start() makes it
 * ready. The operations that it takes go to the address that rte_umr_dc_addr_set() named last.
 *
 *   1. The target: rte_umr_dev_start(), then rte_umr_queue_endpoint_get(); the application brings
 *      the endpoint and the access key to its peers.
 *   2. The initiator: rte_umr_dc_addr_fill(), once for each target.
 *   3. The data path: rte_umr_dc_addr_set(), then the operations for that target; and so on.
 *
 * Operations of one initiator execute in order, also across addresses. What fails puts the whole
 * initiator in error, as it does any queue: rte_umr_queue_recover() brings it back, without any
 * exchange with its peers. A target that is not there, that is full or that has another access key
 * is one that does not answer: RTE_UMR_STATUS_RETRY_EXCEEDED after the retries that the driver was
 * told to make (RTE_UMR_STATUS_RNR_RETRY_EXCEEDED for a target without receives).
 *
 * Layouts work on an initiator as on any other queue, and need no address: a key belongs to the
 * device. The older interface to this hardware (mlx5dv) has layouts on RC queues only.
 */

#include "rte_umr.h"
#include "rte_umr_core.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Address of a target, as the device wants it. Made by rte_umr_dc_addr_fill(), the application's
 * to keep, to copy and to forget; valid for all initiators of its device until that is closed.
 */
struct rte_umr_dc_addr {
	uint64_t av[6]; /**< The driver's. */
	int16_t dev_id; /**< Device that it was made for. */
	uint8_t is_filled; /**< 1: rte_umr_dc_addr_fill() was here. */
	uint8_t reserved[5]; /**< Zero. */
};

/**
 * Make the address of a target out of what the target tells about itself. On RoCE this asks the
 * system for the MAC address of the peer, unless the endpoint has it.
 *
 * A control function: not to be called on the data path.
 *
 * @param dev_id
 *   Device identifier, of the initiator.
 * @param remote
 *   Endpoint of the target, from rte_umr_queue_endpoint_get().
 * @param dc_key
 *   Access key of the target, in host byte order. A wrong one shows when it is used:
 *   RTE_UMR_STATUS_RETRY_EXCEEDED.
 * @param addr
 *   Written on success.
 * @return
 *   0, or
 *   - -EINVAL: remote or addr is NULL, or remote is senseless: another link layer, a number of more
 *     than 24 bits, an MTU below that of this device (logged)
 *   - -ENODEV: no such device
 *   - -ENOTSUP: the device has no DC
 *   - another negative errno of the system: the MAC address was not found (logged)
 */
__rte_experimental
int rte_umr_dc_addr_fill(int16_t dev_id, const struct rte_umr_endpoint *remote, uint64_t dc_key,
			 struct rte_umr_dc_addr *addr);

/**
 * Name the target of the operations that are enqueued from here on.
 *
 * Costs a copy of 48 bytes. It counts for writes, reads, sends and atomics; those that were
 * enqueued before keep their address. It stays until another takes its place, also over
 * rte_umr_queue_recover() and a restart of the device.
 * Not thread safe per queue; different queues are independent.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, [0, nb_queues - 1] as given to rte_umr_dev_configure().
 * @param addr
 *   Address from rte_umr_dc_addr_fill() for this device; copied.
 * @return
 *   0, or
 *   - -EINVAL: addr was not filled (logged)
 *   - -ENOTSUP: the queue is no initiator (logged)
 *   - -EXDEV: the address was made for another device (logged)
 *   - -ENODEV: the device is not started
 */
__rte_experimental
static inline int
rte_umr_dc_addr_set(int16_t dev_id, uint16_t queue_id, const struct rte_umr_dc_addr *addr)
{
	const struct rte_umr_fp_object *fp = &rte_umr_fp_objs[dev_id];
	int ret = fp->dc_addr_set(rte_umr_fp_queue(dev_id, queue_id), addr);

	rte_umr_trace_dc_addr_set(dev_id, queue_id, addr, ret);
	return ret;
}

#ifdef __cplusplus
}
#endif

#endif /* RTE_UMR_DC_H */
