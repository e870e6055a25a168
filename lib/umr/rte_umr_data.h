/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_DATA_H
#define RTE_UMR_DATA_H

/**
 * @file
 *
 * Data path of the UMR device API. Included by rte_umr.h, which describes the model.
 *
 * Identifiers are not checked here: dev_id is an open device and queue_id, below the number
 * of its queues, is set up. A queue belongs to one lcore at a time.
 *
 * While the device is not started, every enqueue function returns -ENODEV and the functions
 * that collect return 0, but for what was outstanding when it was stopped.
 */

#include "rte_umr.h"
#include "rte_umr_core.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Enqueue an operation that lays a list of segments under a memory key, one behind the other
 * from offset 0.
 *
 * Operations behind it on the same queue may use the key at once; on another queue they must
 * wait for its completion. The previous layout and the previous tag of the key stop working:
 * transfers that use them must have completed before.
 * Nothing reaches the device before rte_umr_submit() or a call with RTE_UMR_OP_F_SUBMIT.
 * Not thread safe per queue; different queues are independent.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, [0, nb_queues - 1] as given to rte_umr_dev_configure().
 * @param mkey
 *   Key to configure, from a pool of this device. It keeps its previous layout on error.
 * @param access
 *   Bitwise OR of RTE_UMR_ACCESS_*: what the key allows, and no more than its segments do.
 * @param segs
 *   Segments in order; copied, the array may be reused on return. They may overlap.
 * @param nb_segs
 *   Number of segments, [1, max_entries of the key], and at most max_list. More than
 *   max_list_inline go to memory of the queue (nb_list_entries) until the operation is collected.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*.
 * @return
 *   Ring index of the operation, [0, UINT16_MAX], or
 *   - -EINVAL: nb_segs is 0, a length is 0, or a flag or access bit is unknown (logged)
 *   - -E2BIG: nb_segs is more than the key, max_list or nb_list_entries allow (logged)
 *   - -ERANGE: a length is more than max_entry_len (logged)
 *   - -ENOTSUP: the device has not the access (logged)
 *   - -EXDEV: the key belongs to another device (logged)
 *   - -ENOSPC: the ring or the memory of lists is full; poll completions and try again
 *   - -ENOTCONN: the queue is not connected
 *   - -EIO: the queue is in error; see rte_umr_queue_recover()
 *   - -ENODEV: the device is not started
 */
__rte_experimental
static inline int
rte_umr_mkey_list(int16_t dev_id, uint16_t queue_id, struct rte_umr_mkey *mkey, uint32_t access,
		  const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags)
{
	const struct rte_umr_fp_object *fp = &rte_umr_fp_objs[dev_id];
	int ret = fp->mkey_list(rte_umr_fp_queue(dev_id, queue_id), mkey, access, segs, nb_segs,
				flags);

	rte_umr_trace_mkey_list(dev_id, queue_id, mkey->key, access, nb_segs, flags, ret);
	return ret;
}

/**
 * Enqueue an operation that lays an interleaved pattern under a memory key: bytes_count bytes
 * of each entry in turn, and this repeat times, each entry advancing by bytes_count + bytes_skip.
 * A pattern of more than max_interleaved_stride, which the device cannot repeat by itself, is laid
 * out as the list that it stands for.
 *
 * Order, ownership and threads are those of rte_umr_mkey_list().
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, [0, nb_queues - 1] as given to rte_umr_dev_configure().
 * @param mkey
 *   Key to configure, from a pool of this device. It keeps its previous layout on error.
 * @param access
 *   Bitwise OR of RTE_UMR_ACCESS_*: what the key allows, and no more than its entries do.
 * @param repeat
 *   How often the pattern repeats, [1, UINT32_MAX].
 * @param entries
 *   Entries in order; copied, the array may be reused on return.
 * @param nb_entries
 *   Number of entries, [1, max_entries of the key - 1] and at most max_interleaved. More than
 *   max_interleaved_inline go to memory of the queue (nb_list_entries), as those of a long list.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*.
 * @return
 *   Ring index of the operation, [0, UINT16_MAX], or
 *   - -EINVAL: nb_entries, repeat or a bytes_count is 0, or a flag or access bit is unknown
 *     (logged)
 *   - -E2BIG: nb_entries is more than the key, max_interleaved or nb_list_entries allow (logged)
 *   - -ERANGE: bytes_count + bytes_skip is more than max_interleaved_stride, and the key does not
 *     hold nb_entries * repeat entries of a list; or a bytes_count is more than max_entry_len
 *     (logged)
 *   - -ENOTSUP: the device has no interleaved layouts, or not the access (logged)
 *   - -EXDEV: the key belongs to another device (logged)
 *   - -ENOSPC: the ring or the memory of lists is full; poll completions and try again
 *   - -ENOTCONN: the queue is not connected
 *   - -EIO: the queue is in error; see rte_umr_queue_recover()
 *   - -ENODEV: the device is not started
 */
__rte_experimental
static inline int
rte_umr_mkey_interleaved(int16_t dev_id, uint16_t queue_id, struct rte_umr_mkey *mkey,
			 uint32_t access, uint32_t repeat,
			 const struct rte_umr_interleaved *entries, uint32_t nb_entries,
			 uint64_t flags)
{
	const struct rte_umr_fp_object *fp = &rte_umr_fp_objs[dev_id];
	int ret = fp->mkey_interleaved(rte_umr_fp_queue(dev_id, queue_id), mkey, access, repeat,
				       entries, nb_entries, flags);

	rte_umr_trace_mkey_interleaved(dev_id, queue_id, mkey->key, access, repeat, nb_entries,
				       flags, ret);
	return ret;
}

/**
 * Enqueue an operation that makes a memory key unusable until it is configured again.
 *
 * The value of the key must be the one that is configured: invalidate a key before it goes back
 * to its pool, where its tag changes. Transfers that use the key must have completed before.
 * Not thread safe per queue; different queues are independent.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, [0, nb_queues - 1] as given to rte_umr_dev_configure().
 * @param mkey
 *   Key of a pool of this device.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*.
 * @return
 *   Ring index of the operation, [0, UINT16_MAX], or
 *   - -EINVAL: a flag is unknown (logged)
 *   - -EXDEV: the key belongs to another device (logged)
 *   - -ENOSPC: the ring is full; poll completions and try again
 *   - -ENOTCONN: the queue is not connected
 *   - -EIO: the queue is in error; see rte_umr_queue_recover()
 *   - -ENODEV: the device is not started
 */
__rte_experimental
static inline int
rte_umr_mkey_invalidate(int16_t dev_id, uint16_t queue_id, struct rte_umr_mkey *mkey,
			uint64_t flags)
{
	const struct rte_umr_fp_object *fp = &rte_umr_fp_objs[dev_id];
	int ret = fp->mkey_invalidate(rte_umr_fp_queue(dev_id, queue_id), mkey, flags);

	rte_umr_trace_mkey_invalidate(dev_id, queue_id, mkey->key, flags, ret);
	return ret;
}

/** A list to be laid under a key, for rte_umr_mkey_list_burst(). */
struct rte_umr_list_op {
	struct rte_umr_mkey *mkey; /**< Key to configure, from a pool of this device. */
	const struct rte_umr_seg *segs; /**< Segments in order; copied. */
	uint32_t nb_segs; /**< Number of segments, as for rte_umr_mkey_list(). */
	uint32_t access; /**< Bitwise OR of RTE_UMR_ACCESS_*. */
};

/** A pattern to be laid under a key, for rte_umr_mkey_interleaved_burst(). */
struct rte_umr_interleaved_op {
	struct rte_umr_mkey *mkey; /**< Key to configure, from a pool of this device. */
	const struct rte_umr_interleaved *entries; /**< Entries in order; copied. */
	uint32_t nb_entries; /**< Number of entries, as for rte_umr_mkey_interleaved(). */
	uint32_t repeat; /**< How often the pattern repeats, [1, UINT32_MAX]. */
	uint32_t access; /**< Bitwise OR of RTE_UMR_ACCESS_*. */
	uint32_t reserved; /**< Not read. */
};

/**
 * Enqueue operations that lay lists under keys: as many calls of rte_umr_mkey_list(), for less.
 *
 * Stops at the first operation that is refused; those in front of it are enqueued, it and those
 * behind it are not. Ring indices of the operations follow each other. Order, ownership and
 * threads are those of rte_umr_mkey_list().
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, [0, nb_queues - 1] as given to rte_umr_dev_configure().
 * @param ops
 *   Array of nb_ops operations; read only, may be reused on return.
 * @param nb_ops
 *   Number of operations, [1, UINT16_MAX].
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*. RTE_UMR_OP_F_FENCE is for the first operation, and so for all
 *   of them; RTE_UMR_OP_F_SUBMIT hands what is enqueued to the device if that is at least one.
 * @return
 *   Number of operations enqueued, [1, nb_ops]; fewer than nb_ops: a call for the rest tells
 *   why. Or, if the first one was refused:
 *   - -EINVAL: nb_ops is 0 (logged)
 *   - what rte_umr_mkey_list() returns for it
 */
__rte_experimental
static inline int
rte_umr_mkey_list_burst(int16_t dev_id, uint16_t queue_id, const struct rte_umr_list_op *ops,
			uint16_t nb_ops, uint64_t flags)
{
	const struct rte_umr_fp_object *fp = &rte_umr_fp_objs[dev_id];
	int ret = fp->mkey_list_burst(rte_umr_fp_queue(dev_id, queue_id), ops, nb_ops, flags);

	rte_umr_trace_mkey_list_burst(dev_id, queue_id, ops, nb_ops, flags, ret);
	return ret;
}

/**
 * Enqueue operations that lay interleaved patterns under keys: as many calls of
 * rte_umr_mkey_interleaved(), for less. See rte_umr_mkey_list_burst().
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, [0, nb_queues - 1] as given to rte_umr_dev_configure().
 * @param ops
 *   Array of nb_ops operations; read only, may be reused on return.
 * @param nb_ops
 *   Number of operations, [1, UINT16_MAX].
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*, as for rte_umr_mkey_list_burst().
 * @return
 *   Number of operations enqueued, [1, nb_ops]; fewer than nb_ops: a call for the rest tells
 *   why. Or, if the first one was refused:
 *   - -EINVAL: nb_ops is 0 (logged)
 *   - what rte_umr_mkey_interleaved() returns for it
 */
__rte_experimental
static inline int
rte_umr_mkey_interleaved_burst(int16_t dev_id, uint16_t queue_id,
			       const struct rte_umr_interleaved_op *ops, uint16_t nb_ops,
			       uint64_t flags)
{
	const struct rte_umr_fp_object *fp = &rte_umr_fp_objs[dev_id];
	int ret = fp->mkey_interleaved_burst(rte_umr_fp_queue(dev_id, queue_id), ops, nb_ops,
					     flags);

	rte_umr_trace_mkey_interleaved_burst(dev_id, queue_id, ops, nb_ops, flags, ret);
	return ret;
}

/**
 * Enqueue operations that make keys unusable: as many calls of rte_umr_mkey_invalidate(), for
 * less. See rte_umr_mkey_list_burst().
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, [0, nb_queues - 1] as given to rte_umr_dev_configure().
 * @param mkeys
 *   Array of nb_mkeys keys of pools of this device.
 * @param nb_mkeys
 *   Number of keys, [1, UINT16_MAX].
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*, as for rte_umr_mkey_list_burst().
 * @return
 *   Number of operations enqueued, [1, nb_mkeys]; fewer than nb_mkeys: a call for the rest tells
 *   why. Or, if the first one was refused:
 *   - -EINVAL: nb_mkeys is 0 (logged)
 *   - what rte_umr_mkey_invalidate() returns for it
 */
__rte_experimental
static inline int
rte_umr_mkey_invalidate_burst(int16_t dev_id, uint16_t queue_id, struct rte_umr_mkey *const *mkeys,
			      uint16_t nb_mkeys, uint64_t flags)
{
	const struct rte_umr_fp_object *fp = &rte_umr_fp_objs[dev_id];
	int ret = fp->mkey_invalidate_burst(rte_umr_fp_queue(dev_id, queue_id), mkeys, nb_mkeys,
					    flags);

	rte_umr_trace_mkey_invalidate_burst(dev_id, queue_id, mkeys, nb_mkeys, flags, ret);
	return ret;
}

/**
 * Enqueue an RDMA write: local memory goes to the peer's.
 *
 * Nothing reaches the device before rte_umr_submit() or a call with RTE_UMR_OP_F_SUBMIT.
 * Not thread safe per queue; different queues are independent.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, [0, nb_queues - 1] as given to rte_umr_dev_configure().
 * @param local
 *   Memory to read; copied. A length of 0 moves nothing.
 * @param remote_addr
 *   Address at the peer; an offset when rkey is a configured memory key.
 * @param rkey
 *   Key of the peer, in host byte order.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*.
 * @return
 *   Ring index of the operation, [0, UINT16_MAX], or
 *   - -EINVAL: a flag is unknown (logged)
 *   - -EMSGSIZE: the length is more than max_msg_len (logged)
 *   - -ENOSPC: the ring is full; poll completions and try again
 *   - -ENOTCONN: the queue is not connected
 *   - -EIO: the queue is in error; see rte_umr_queue_recover()
 *   - -ENODEV: the device is not started
 */
__rte_experimental
static inline int
rte_umr_write(int16_t dev_id, uint16_t queue_id, const struct rte_umr_seg *local,
	      uint64_t remote_addr, uint32_t rkey, uint64_t flags)
{
	const struct rte_umr_fp_object *fp = &rte_umr_fp_objs[dev_id];
	int ret = fp->write(rte_umr_fp_queue(dev_id, queue_id), local, remote_addr, rkey, flags);

	rte_umr_trace_write(dev_id, queue_id, local, remote_addr, rkey, flags, ret);
	return ret;
}

/**
 * Enqueue an RDMA write that takes a receive of the peer and gives it immediate data.
 *
 * As rte_umr_write(), but for:
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, [0, nb_queues - 1] as given to rte_umr_dev_configure().
 * @param local
 *   Memory to read; copied. A length of 0 moves nothing.
 * @param remote_addr
 *   Address at the peer; an offset when rkey is a configured memory key.
 * @param rkey
 *   Key of the peer, in host byte order.
 * @param imm
 *   Immediate data; the peer sees these four bytes as they are.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*.
 * @return
 *   See rte_umr_write().
 */
__rte_experimental
static inline int
rte_umr_write_imm(int16_t dev_id, uint16_t queue_id, const struct rte_umr_seg *local,
		  uint64_t remote_addr, uint32_t rkey, rte_be32_t imm, uint64_t flags)
{
	const struct rte_umr_fp_object *fp = &rte_umr_fp_objs[dev_id];
	int ret = fp->write_imm(rte_umr_fp_queue(dev_id, queue_id), local, remote_addr, rkey, imm,
				flags);

	rte_umr_trace_write_imm(dev_id, queue_id, local, remote_addr, rkey, flags, ret);
	return ret;
}

/**
 * Enqueue an RDMA read: the peer's memory comes to the local one.
 *
 * As rte_umr_write(), but for:
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, [0, nb_queues - 1] as given to rte_umr_dev_configure().
 * @param local
 *   Memory to write; copied. A length of 0 moves nothing.
 * @param remote_addr
 *   Address at the peer; an offset when rkey is a configured memory key.
 * @param rkey
 *   Key of the peer, in host byte order.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*.
 * @return
 *   See rte_umr_write().
 */
__rte_experimental
static inline int
rte_umr_read(int16_t dev_id, uint16_t queue_id, const struct rte_umr_seg *local,
	     uint64_t remote_addr, uint32_t rkey, uint64_t flags)
{
	const struct rte_umr_fp_object *fp = &rte_umr_fp_objs[dev_id];
	int ret = fp->read(rte_umr_fp_queue(dev_id, queue_id), local, remote_addr, rkey, flags);

	rte_umr_trace_read(dev_id, queue_id, local, remote_addr, rkey, flags, ret);
	return ret;
}

/**
 * Enqueue a send: local memory goes to the next receive of the peer.
 *
 * Nothing reaches the device before rte_umr_submit() or a call with RTE_UMR_OP_F_SUBMIT.
 * Not thread safe per queue; different queues are independent.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, [0, nb_queues - 1] as given to rte_umr_dev_configure().
 * @param local
 *   Memory to read; copied. A length of 0 sends an empty message.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*.
 * @return
 *   See rte_umr_write().
 */
__rte_experimental
static inline int
rte_umr_send(int16_t dev_id, uint16_t queue_id, const struct rte_umr_seg *local, uint64_t flags)
{
	const struct rte_umr_fp_object *fp = &rte_umr_fp_objs[dev_id];
	int ret = fp->send(rte_umr_fp_queue(dev_id, queue_id), local, flags);

	rte_umr_trace_send(dev_id, queue_id, local, flags, ret);
	return ret;
}

/**
 * Enqueue a send with immediate data; see rte_umr_send().
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, [0, nb_queues - 1] as given to rte_umr_dev_configure().
 * @param local
 *   Memory to read; copied. A length of 0 sends an empty message.
 * @param imm
 *   Immediate data; the peer sees these four bytes as they are.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*.
 * @return
 *   See rte_umr_write().
 */
__rte_experimental
static inline int
rte_umr_send_imm(int16_t dev_id, uint16_t queue_id, const struct rte_umr_seg *local,
		 rte_be32_t imm, uint64_t flags)
{
	const struct rte_umr_fp_object *fp = &rte_umr_fp_objs[dev_id];
	int ret = fp->send_imm(rte_umr_fp_queue(dev_id, queue_id), local, imm, flags);

	rte_umr_trace_send_imm(dev_id, queue_id, local, flags, ret);
	return ret;
}

/**
 * Post a receive. The device may use it at once: no submit is needed.
 *
 * A message of at most max_recv_inline bytes comes in the completion, unless the queue was set up
 * with RTE_UMR_QUEUE_F_NO_RECV_INLINE: rte_umr_recv_completed() copies it to the segments. It
 * looks at them and their keys then, as the device would; but a receive that fails there, with
 * RTE_UMR_STATUS_LOCAL_LENGTH or RTE_UMR_STATUS_LOCAL_PROT and a syndrome of 0, is no error of the
 * queue, and the peer's send has succeeded. Configured keys cannot be followed by the CPU: they
 * are refused on such a queue.
 *
 * Receives have ring indices of their own, which start at 0 with rte_umr_dev_start().
 * Not thread safe per queue, also not with the enqueue functions; different queues are
 * independent.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index; the queue was set up with receives.
 * @param segs
 *   Memory to write, in order; copied. May be NULL if nb_segs is 0.
 * @param nb_segs
 *   Number of segments, [0, max_recv_segs of the queue].
 * @param flags
 *   Zero: no flags are known.
 * @return
 *   Ring index of the receive, [0, UINT16_MAX], or
 *   - -EINVAL: a length is 0, or flags is not (logged)
 *   - -E2BIG: nb_segs is more than the queue was set up for (logged)
 *   - -ERANGE: a length is more than max_msg_len (logged)
 *   - -ENOTSUP: the queue has no receives; a key is a configured one, or one of a DMA buffer, and
 *     the queue has inline receives (logged)
 *   - -ENOSPC: the receive ring is full; collect receives and try again
 *   - -EIO: the queue is in error; see rte_umr_queue_recover()
 *   - -ENODEV: the device is not started
 */
__rte_experimental
static inline int
rte_umr_recv(int16_t dev_id, uint16_t queue_id, const struct rte_umr_seg *segs, uint32_t nb_segs,
	     uint64_t flags)
{
	const struct rte_umr_fp_object *fp = &rte_umr_fp_objs[dev_id];
	int ret = fp->recv(rte_umr_fp_queue(dev_id, queue_id), segs, nb_segs, flags);

	rte_umr_trace_recv(dev_id, queue_id, segs, nb_segs, flags, ret);
	return ret;
}

/**
 * Hand all enqueued operations to the device: one doorbell. They get one completion of the
 * device together. Does nothing if there is nothing to hand over.
 * Not thread safe per queue; different queues are independent.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, [0, nb_queues - 1] as given to rte_umr_dev_configure().
 * @return
 *   0, or
 *   - -EIO: the queue is in error; what was enqueued comes back as flushed
 *   - -ENODEV: the device is not started
 */
__rte_experimental
static inline int
rte_umr_submit(int16_t dev_id, uint16_t queue_id)
{
	const struct rte_umr_fp_object *fp = &rte_umr_fp_objs[dev_id];
	int ret = fp->submit(rte_umr_fp_queue(dev_id, queue_id));

	rte_umr_trace_submit(dev_id, queue_id, ret);
	return ret;
}

/**
 * Collect successful operations, in the order in which they were enqueued.
 *
 * Stops in front of one that was not successful: that one must be collected with
 * rte_umr_completed_status().
 * Not thread safe per queue; different queues are independent.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, [0, nb_queues - 1] as given to rte_umr_dev_configure().
 * @param nb_max
 *   Most operations to collect.
 * @param last_idx
 *   Written with the ring index of the last operation collected if there is one; may be NULL.
 * @param has_error
 *   Written: whether the next operation is known not to be successful; may be NULL.
 * @return
 *   Number of operations collected, [0, nb_max].
 */
__rte_experimental
static inline uint16_t
rte_umr_completed(int16_t dev_id, uint16_t queue_id, uint16_t nb_max, uint16_t *last_idx,
		  bool *has_error)
{
	const struct rte_umr_fp_object *fp = &rte_umr_fp_objs[dev_id];
	uint16_t idx = 0;
	bool error = false;
	uint16_t nb;

	if (last_idx == NULL)
		last_idx = &idx;
	if (has_error == NULL)
		has_error = &error;
	nb = fp->completed(rte_umr_fp_queue(dev_id, queue_id), nb_max, last_idx, has_error);
	/* Polls that find nothing would fill the trace. */
	if (nb != 0)
		rte_umr_trace_completed(dev_id, queue_id, nb_max, *last_idx, *has_error, nb);
	return nb;
}

/**
 * Collect operations with their status, in the order in which they were enqueued.
 * Not thread safe per queue; different queues are independent.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, [0, nb_queues - 1] as given to rte_umr_dev_configure().
 * @param nb_max
 *   Most operations to collect.
 * @param done
 *   Array of nb_max results; the first ones are written.
 * @return
 *   Number of operations collected, [0, nb_max].
 */
__rte_experimental
static inline uint16_t
rte_umr_completed_status(int16_t dev_id, uint16_t queue_id, uint16_t nb_max,
			 struct rte_umr_completion *done)
{
	const struct rte_umr_fp_object *fp = &rte_umr_fp_objs[dev_id];
	uint16_t nb = fp->completed_status(rte_umr_fp_queue(dev_id, queue_id), nb_max, done);

	/* Polls that find nothing would fill the trace. */
	if (nb != 0)
		rte_umr_trace_completed_status(dev_id, queue_id, nb_max, done, nb);
	return nb;
}

/**
 * Collect receives with their status, in the order in which they were posted.
 * Not thread safe per queue; different queues are independent.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, [0, nb_queues - 1] as given to rte_umr_dev_configure().
 * @param nb_max
 *   Most receives to collect.
 * @param done
 *   Array of nb_max results; the first ones are written.
 * @return
 *   Number of receives collected, [0, nb_max]; 0 for a queue without receives.
 */
__rte_experimental
static inline uint16_t
rte_umr_recv_completed(int16_t dev_id, uint16_t queue_id, uint16_t nb_max,
		       struct rte_umr_completion *done)
{
	const struct rte_umr_fp_object *fp = &rte_umr_fp_objs[dev_id];
	uint16_t nb = fp->recv_completed(rte_umr_fp_queue(dev_id, queue_id), nb_max, done);

	/* Polls that find nothing would fill the trace. */
	if (nb != 0)
		rte_umr_trace_recv_completed(dev_id, queue_id, nb_max, done, nb);
	return nb;
}

/**
 * Tell how many descriptors of the send ring are free. Collected operations are, others are not.
 * Not thread safe per queue; different queues are independent.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, [0, nb_queues - 1] as given to rte_umr_dev_configure().
 * @return
 *   Number of descriptors; 0 while the device is not started.
 */
__rte_experimental
static inline uint16_t
rte_umr_desc_avail(int16_t dev_id, uint16_t queue_id)
{
	const struct rte_umr_fp_object *fp = &rte_umr_fp_objs[dev_id];

	return fp->desc_avail(rte_umr_fp_queue(dev_id, queue_id));
}

#ifdef __cplusplus
}
#endif

#endif /* RTE_UMR_DATA_H */
