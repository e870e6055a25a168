/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_SG_H
#define RTE_UMR_SG_H

/**
 * @file
 *
 * Transfers of scattered local memory in one call. Included by rte_umr.h, which describes the
 * model; the rules and errors that are common to all enqueue functions are in rte_umr_data.h.
 *
 * @par Lists
 * rte_umr_write_list(), rte_umr_read_list() and rte_umr_send_list() move up to max_segs segments by
 * one work request, whose order of bytes is that of the segments. At the peer, they are one message
 * to consecutive addresses. There is no key to configure, and no limit on the keys of the segments.
 *
 * @par Lists of any length
 * rte_umr_write_sg() and rte_umr_read_sg() move lists of any length as one operation: one ring
 * index, one completion, one status. The driver chooses the cheapest way, by thresholds that its
 * guide describes:
 *
 *   - the CPU copies the bytes of a short write to the ring;
 *   - one work request with all segments;
 *   - several work requests with a part of the segments each;
 *   - a key of the queue (rte_umr_queue_conf::nb_sg_mkeys) that is configured with all segments,
 *     and one work request that moves its bytes. If all keys are in use, the segments are moved
 *     without one.
 *
 * Extended statistics of the queue count the operations of each way. The way decides how many
 * messages reach the peer, and how many descriptors the operation takes. The bytes of an operation
 * that fails or is flushed may have been moved partially.
 *
 * A key of the queue refers to the keys of the segments, and adds a level to them: these are keys
 * of memory regions, or configured keys of less than max_nesting levels, without a signature and
 * without an encryption. For others, use lists.
 *
 * @par A key and its transfer
 * rte_umr_mkey_write() and rte_umr_mkey_read() configure a key of the application and move its
 * bytes, or reject both.
 */

#include "rte_umr_data.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Inline functions call each other: what is experimental is marked where a program calls it. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/**
 * Enqueue an RDMA write of a list of segments to consecutive memory of the peer; see
 * rte_umr_write().
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param segs
 *   Memory to read, in order; copied. Segments with a length of 0 move nothing. May be NULL if
 *   nb_segs is 0.
 * @param nb_segs
 *   Number of segments, [0, max_segs], or at most max_dci_segs for a DC initiator.
 * @param remote_addr
 *   Address at the peer; in a configured memory key, base_addr + offset.
 * @param rkey
 *   Key of the peer, in host byte order.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*. With RTE_UMR_OP_F_INLINE, the CPU copies the bytes of all
 *   segments.
 * @return
 *   Ring index of the operation, [0, UINT16_MAX], or
 *   - -EINVAL: a flag is unknown (first logged)
 *   - -E2BIG: nb_segs is more than the limit (first logged)
 *   - -EMSGSIZE: the total length is more than max_msg_len, or more than max_inline with
 *     RTE_UMR_OP_F_INLINE (first logged)
 *   - -EDESTADDRREQ: the queue is a DC initiator without an address (first logged)
 *   - -ENOTSUP: the driver does not support it
 *   - -ENOSPC or -ENOTCONN or -EIO or -ESHUTDOWN or -ENXIO or -ENODEV: common to all enqueue
 *     functions, see the description of rte_umr_data.h
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_write_list(int16_t dev_id, uint16_t queue_id, const struct rte_umr_seg *segs,
		   uint32_t nb_segs, uint64_t remote_addr, uint32_t rkey, uint64_t flags)
{
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);
	int ret = fp->ops->write_list(fp->queue, segs, nb_segs, remote_addr, rkey, flags);

	rte_umr_trace_write_list(dev_id, queue_id, segs, nb_segs, remote_addr, rkey, flags, ret);
	return ret;
}

/**
 * Enqueue an RDMA read from consecutive memory of the peer to a list of segments; see
 * rte_umr_write_list().
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param segs
 *   Memory to write, in order; copied. Segments with a length of 0 move nothing. May be NULL if
 *   nb_segs is 0.
 * @param nb_segs
 *   Number of segments, [0, max_read_segs], or at most max_dci_read_segs for a DC initiator.
 * @param remote_addr
 *   Address at the peer; in a configured memory key, base_addr + offset.
 * @param rkey
 *   Key of the peer, in host byte order.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*, except RTE_UMR_OP_F_INLINE.
 * @return
 *   See rte_umr_write_list().
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_read_list(int16_t dev_id, uint16_t queue_id, const struct rte_umr_seg *segs,
		  uint32_t nb_segs, uint64_t remote_addr, uint32_t rkey, uint64_t flags)
{
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);
	int ret = fp->ops->read_list(fp->queue, segs, nb_segs, remote_addr, rkey, flags);

	rte_umr_trace_read_list(dev_id, queue_id, segs, nb_segs, remote_addr, rkey, flags, ret);
	return ret;
}

/**
 * Enqueue a send of a list of segments to the next receive of the peer; see rte_umr_write_list().
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param segs
 *   Memory to read, in order; copied. Segments with a length of 0 move nothing. May be NULL if
 *   nb_segs is 0, which sends an empty message.
 * @param nb_segs
 *   Number of segments, [0, max_segs], or at most max_dci_segs for a DC initiator.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*.
 * @return
 *   See rte_umr_write_list().
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_send_list(int16_t dev_id, uint16_t queue_id, const struct rte_umr_seg *segs,
		  uint32_t nb_segs, uint64_t flags)
{
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);
	int ret = fp->ops->send_list(fp->queue, segs, nb_segs, flags);

	rte_umr_trace_send_list(dev_id, queue_id, segs, nb_segs, flags, ret);
	return ret;
}

/**
 * Enqueue an RDMA write of a list of any length to consecutive memory of the peer, in the cheapest
 * way; see the description of this file.
 *
 * The operation is accepted completely, or rejected without a trace. The memory of the segments
 * must not change until it has completed, also if the driver copies it.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param segs
 *   Memory to read, in order; copied. Segments with a length of 0 move nothing. May be NULL if
 *   nb_segs is 0.
 * @param nb_segs
 *   Number of segments: what fits the empty ring, by max_segs per work request, or max_sg_entries
 *   if the queue has keys.
 * @param remote_addr
 *   Address at the peer; in a configured memory key, base_addr + offset.
 * @param rkey
 *   Key of the peer, in host byte order.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*, except RTE_UMR_OP_F_INLINE.
 * @return
 *   Ring index of the operation, [0, UINT16_MAX], or
 *   - -EINVAL: a flag is unknown (first logged)
 *   - -E2BIG: nb_segs is more than the queue can hold (first logged)
 *   - -EMSGSIZE: the total length is more than max_msg_len (first logged)
 *   - -EDESTADDRREQ: the queue is a DC initiator without an address (first logged)
 *   - -ENOTSUP: the driver does not support it
 *   - -ENOSPC or -ENOTCONN or -EIO or -ESHUTDOWN or -ENXIO or -ENODEV: common to all enqueue
 *     functions, see the description of rte_umr_data.h
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_write_sg(int16_t dev_id, uint16_t queue_id, const struct rte_umr_seg *segs,
		 uint32_t nb_segs, uint64_t remote_addr, uint32_t rkey, uint64_t flags)
{
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);
	int ret = fp->ops->write_sg(fp->queue, segs, nb_segs, remote_addr, rkey, flags);

	rte_umr_trace_write_sg(dev_id, queue_id, segs, nb_segs, remote_addr, rkey, flags, ret);
	return ret;
}

/**
 * Enqueue an RDMA read from consecutive memory of the peer to a list of any length, in the cheapest
 * way; see rte_umr_write_sg().
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param segs
 *   Memory to write, in order; copied. Segments with a length of 0 move nothing. May be NULL if
 *   nb_segs is 0.
 * @param nb_segs
 *   Number of segments: what fits the empty ring, by max_read_segs per work request, or
 *   max_sg_entries if the queue has keys.
 * @param remote_addr
 *   Address at the peer; in a configured memory key, base_addr + offset.
 * @param rkey
 *   Key of the peer, in host byte order.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*, except RTE_UMR_OP_F_INLINE.
 * @return
 *   See rte_umr_write_sg().
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_read_sg(int16_t dev_id, uint16_t queue_id, const struct rte_umr_seg *segs,
		uint32_t nb_segs, uint64_t remote_addr, uint32_t rkey, uint64_t flags)
{
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);
	int ret = fp->ops->read_sg(fp->queue, segs, nb_segs, remote_addr, rkey, flags);

	rte_umr_trace_read_sg(dev_id, queue_id, segs, nb_segs, remote_addr, rkey, flags, ret);
	return ret;
}

/**
 * Enqueue the configuration of a key and an RDMA write of its bytes: both operations, or none.
 *
 * The same as rte_umr_mkey_configure() followed by rte_umr_write(), but nothing is enqueued if
 * either of them is rejected, for example because the ring only has room for the first one. The two
 * operations have consecutive ring indices, and a completion each.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param op
 *   Key, which does not change on error, and the properties to set; see rte_umr_mkey_configure().
 * @param rdma
 *   Bytes of the key to move (local, whose lkey is the value that the key has now) and memory of
 *   the peer.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*, except RTE_UMR_OP_F_INLINE. RTE_UMR_OP_F_FENCE applies to the
 *   configuration, and thereby to both.
 * @return
 *   Ring index of the write, [0, UINT16_MAX], which follows that of the configuration, or
 *   - -EINVAL: local.lkey is not the value of the key, or reserved of rdma is not 0 (first logged)
 *   - -EMSGSIZE: local.length is more than max_msg_len (first logged)
 *   - -EDESTADDRREQ: the queue is a DC initiator without an address (first logged)
 *   - -ENOSPC: there is no room for both
 *   - any other error of rte_umr_mkey_configure()
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_mkey_write(int16_t dev_id, uint16_t queue_id, const struct rte_umr_mkey_op *op,
		   const struct rte_umr_rdma_op *rdma, uint64_t flags)
{
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);
	int ret = fp->ops->mkey_write(fp->queue, op, rdma, flags);

	rte_umr_trace_mkey_write(dev_id, queue_id, RTE_UMR_TRACE_KEY(op->mkey, ret), rdma, flags,
				 ret);
	return ret;
}

/**
 * Enqueue the configuration of a key and an RDMA read to its bytes: both operations, or none; see
 * rte_umr_mkey_write(). The key needs RTE_UMR_ACCESS_LOCAL_WRITE.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param op
 *   Key and the properties to set.
 * @param rdma
 *   Bytes of the key to write, and memory of the peer to read.
 * @param flags
 *   See rte_umr_mkey_write().
 * @return
 *   See rte_umr_mkey_write().
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_mkey_read(int16_t dev_id, uint16_t queue_id, const struct rte_umr_mkey_op *op,
		  const struct rte_umr_rdma_op *rdma, uint64_t flags)
{
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);
	int ret = fp->ops->mkey_read(fp->queue, op, rdma, flags);

	rte_umr_trace_mkey_read(dev_id, queue_id, RTE_UMR_TRACE_KEY(op->mkey, ret), rdma, flags,
				ret);
	return ret;
}
#pragma GCC diagnostic pop

#ifdef __cplusplus
}
#endif

#endif /* RTE_UMR_SG_H */
