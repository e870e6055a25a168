/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_MBUF_H
#define RTE_UMR_MBUF_H

/**
 * @file
 *
 * Packets under memory keys: chains of mbufs as lists of segments, and who holds the mbufs until
 * the device is done with them. Included by rte_umr.h, which describes the model; a program without
 * mbufs needs no header of theirs.
 *
 * @par What is read of a chain
 *     buf_addr, data_off, data_len and next of each mbuf: data count from behind the headroom, as
 *     for rte_pktmbuf_mtod(), in indirect mbufs and those with external buffers, too. Mbufs without
 *     data are left out. pkt_len and nb_segs are not looked at. A key has the addresses that the
 *     data have when it is configured: rte_pktmbuf_adj() and its like change nothing under it.
 *
 * @par Keys of memory
 *     are found by rte_umr_addr_to_mkey(): register the mempools (rte_umr_mempool_register()) or
 *     all memory of EAL (rte_umr_eal_memory_register()) before.
 *
 * @par Who owns a mbuf
 *     That is: a reference to each mbuf of a chain, as rte_pktmbuf_free() gives back.
 *     - The functions that tell segments and configure keys read: it is the caller's before and
 *       behind them, whatever they return.
 *     - rte_umr_mbuf_fifo_hold() takes the caller's references if it returns 0. On an error it has
 *       taken none.
 *     - What a FIFO holds it frees, with rte_pktmbuf_free_bulk(), when the operation that the mbufs
 *       were held for was collected, whether that was successful or not.
 *     - Who wants to go on with a chain, to look at what a read has brought, say, takes references
 *       before, of all of its mbufs (rte_pktmbuf_refcnt_update(); with one of the first mbuf alone
 *       the others would be freed), or does not hold it. A chain that several operations use is
 *       held for the last one of them, or once for each with references each.
 *     - An indirect mbuf has a reference to the mbuf that it is attached to, one with an external
 *       buffer to that buffer: holding it is enough.
 *
 * @par
 *     Hold a mbuf for the last operation that moves its data, not for the one that configures the
 *     key. Operations of a queue are collected in order, so a burst of packets may be held for its
 *     last operation as a whole. No operation of this queue tells when a peer has used a key: what
 *     peers read and write by it is held until they have said so. Memory that was freed is still
 *     under the key: configure or invalidate it before anybody may use it again.
 *
 * @par A burst of packets, each in one write (without its errors)
 * @code
 * if (rte_umr_mbuf_fifo_avail(fifo) < nb || rte_umr_desc_avail(dev_id, queue_id) < nb_desc)
 *	rte_umr_mbuf_fifo_completed(fifo, nb_max, NULL, &has_error);
 * nb = rte_umr_mbuf_mkey_list_burst(dev_id, queue_id, access, ops, nb, 0);
 * for (i = 0; i < nb; i++)
 *	idx = rte_umr_write(dev_id, queue_id, &local_of_key[i], ...);
 * rte_umr_submit(dev_id, queue_id);
 * rte_umr_mbuf_fifo_hold(fifo, idx, mbufs, nb);
 * @endcode
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_common.h>
#include <rte_compat.h>

#include "rte_umr_data.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rte_mbuf;

/** Length of what is behind the offset, up to the end of the chain. */
#define RTE_UMR_MBUF_REST UINT32_MAX

/** Most segments of a chain that goes under a key in one call. */
#define RTE_UMR_MBUF_MAX_SEGS 512u

/**
 * Tell the pieces of memory, with their keys, that the data of a chain are in.
 *
 * Pieces that follow each other in memory under one key are one segment (fragments of one buffer,
 * say), of at most 1 GiB. So there are as many segments as mbufs with data, or fewer.
 *
 * Nothing is logged. Thread safe, if nobody changes the chain meanwhile.
 *
 * @param dev_id
 *   Device identifier, [0, RTE_UMR_MAX_DEVS - 1].
 * @param mbuf
 *   First mbuf of the chain; NULL has no data.
 * @param offset
 *   Bytes of data that are left out in front.
 * @param len
 *   Bytes behind them, or RTE_UMR_MBUF_REST.
 * @param segs
 *   Array of nb_max segments; written. As the lists of rte_umr_mkey_list() and rte_umr_recv() take
 *   them.
 * @param nb_max
 *   Number of segments that there is room for, [0, INT32_MAX].
 * @return
 *   Number of segments, [0, nb_max]; 0 if there are no bytes. Or
 *   - -ERANGE: the chain has fewer than offset bytes, or fewer than offset + len
 *   - -E2BIG: there are more than nb_max segments; the first nb_max are written
 *   - -ENOENT: a piece has no key. The segments in front of it are written, and the piece, with
 *     RTE_UMR_LKEY_NONE for its lkey: the first one that has this
 *   - -ENODEV: no such device
 */
__rte_experimental
int rte_umr_mbuf_to_segs(int16_t dev_id, const struct rte_mbuf *mbuf, uint32_t offset, uint32_t len,
			 struct rte_umr_seg *segs, uint32_t nb_max);

/** A part of a chain. */
struct rte_umr_mbuf_part {
	const struct rte_mbuf *mbuf; /**< First mbuf of the chain; NULL has no data. */
	uint32_t offset; /**< Bytes of data that are left out in front. */
	uint32_t len; /**< Bytes behind them, or RTE_UMR_MBUF_REST. */
};

/**
 * Tell the pieces of memory, with their keys, that parts of chains are in, one part behind the
 * other: the payloads of a burst of packets, or of the fragments of a message.
 *
 * As rte_umr_mbuf_to_segs(), part by part; pieces become one segment over parts, too.
 *
 * @param dev_id
 *   Device identifier, [0, RTE_UMR_MAX_DEVS - 1].
 * @param parts
 *   Array of nb_parts parts; read only. A chain may be in several of them.
 * @param nb_parts
 *   Number of parts.
 * @param segs
 *   Array of nb_max segments; written.
 * @param nb_max
 *   Number of segments that there is room for, [0, INT32_MAX].
 * @return
 *   Number of segments, [0, nb_max]; 0 if there are no bytes. Or what rte_umr_mbuf_to_segs()
 *   returns for the first part that has an error.
 */
__rte_experimental
int rte_umr_mbuf_parts_to_segs(int16_t dev_id, const struct rte_umr_mbuf_part *parts,
			       uint32_t nb_parts, struct rte_umr_seg *segs, uint32_t nb_max);

/**
 * Enqueue an operation that lays parts of chains under one memory key, one behind the other from
 * offset 0: rte_umr_mbuf_parts_to_segs() and rte_umr_mkey_list(), whose order and threads it has.
 *
 * One transfer then moves what is in many packets, to or from one range of the peer. Where data
 * are to go, parts of mbufs that are still empty split them: headers to buffers of one pool,
 * payload to those of another.
 *
 * Needs 8 KiB of stack. More segments than RTE_UMR_MBUF_MAX_SEGS go the way of these two.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, [0, nb_queues - 1] as given to rte_umr_dev_configure().
 * @param mkey
 *   Key to configure, from a pool of this device. It keeps its previous layout on error.
 * @param access
 *   Bitwise OR of RTE_UMR_ACCESS_*: what the key allows, and no more than the regions do.
 * @param parts
 *   Array of nb_parts parts; copied, the array may be reused on return. The mbufs stay the
 *   caller's; their memory must stay until the operations that use the key have completed.
 * @param nb_parts
 *   Number of parts, at least 1.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*.
 * @return
 *   Ring index of the operation, [0, UINT16_MAX], or
 *   - -ERANGE: a chain has fewer than offset bytes, or fewer than offset + len
 *   - -E2BIG: more segments than RTE_UMR_MBUF_MAX_SEGS, or than rte_umr_mkey_list() takes (logged
 *     then)
 *   - -ENOENT: a piece has no key; rte_umr_mbuf_parts_to_segs() tells which
 *   - -EINVAL: there are no bytes (logged)
 *   - what else rte_umr_mkey_list() returns
 */
__rte_experimental
int rte_umr_mbuf_mkey_parts(int16_t dev_id, uint16_t queue_id, struct rte_umr_mkey *mkey,
			    uint32_t access, const struct rte_umr_mbuf_part *parts,
			    uint32_t nb_parts, uint64_t flags);

/** A chain that goes under a key, for rte_umr_mbuf_mkey_list_burst(). */
struct rte_umr_mbuf_op {
	struct rte_umr_mkey *mkey; /**< Key to configure, from a pool of the device. */
	const struct rte_mbuf *mbuf; /**< First mbuf of the chain. */
	uint32_t offset; /**< Bytes of data that are left out in front. */
	uint32_t len; /**< Bytes behind them, or RTE_UMR_MBUF_REST; at least 1. */
};

/**
 * Enqueue an operation that lays the data of a chain under a memory key, from offset 0:
 * rte_umr_mbuf_to_segs() and rte_umr_mkey_list(), whose order and threads it has.
 *
 * Needs 8 KiB of stack. A chain of more than RTE_UMR_MBUF_MAX_SEGS goes the way of these two.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, [0, nb_queues - 1] as given to rte_umr_dev_configure().
 * @param access
 *   Bitwise OR of RTE_UMR_ACCESS_*: what the key allows, and no more than the regions do.
 * @param op
 *   Chain and key; read only. The key keeps its previous layout on error. The mbufs stay the
 *   caller's; their memory must stay until the operations that use the key have completed.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*.
 * @return
 *   Ring index of the operation, [0, UINT16_MAX], or
 *   - -ERANGE: the chain has fewer than offset bytes, or fewer than offset + len
 *   - -E2BIG: more segments than RTE_UMR_MBUF_MAX_SEGS, or than rte_umr_mkey_list() takes (logged
 *     then)
 *   - -ENOENT: a piece has no key; rte_umr_mbuf_to_segs() tells which
 *   - -EINVAL: there are no bytes (logged)
 *   - what else rte_umr_mkey_list() returns
 */
__rte_experimental
int rte_umr_mbuf_mkey_list(int16_t dev_id, uint16_t queue_id, uint32_t access,
			   const struct rte_umr_mbuf_op *op, uint64_t flags);

/**
 * Enqueue operations that lay chains under keys: as many calls of rte_umr_mbuf_mkey_list(), for
 * less. See rte_umr_mkey_configure_burst().
 *
 * Stops at the first chain that is rejected; those in front of it are enqueued, it and those behind
 * it are not. Ring indices of the operations follow each other. Needs 11 KiB of stack.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, [0, nb_queues - 1] as given to rte_umr_dev_configure().
 * @param access
 *   Bitwise OR of RTE_UMR_ACCESS_*, of all keys.
 * @param ops
 *   Array of nb_ops chains and keys; read only, may be reused on return.
 * @param nb_ops
 *   Number of chains, [1, UINT16_MAX].
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*. RTE_UMR_OP_F_FENCE is for the first operation, and so for all
 *   of them; RTE_UMR_OP_F_SUBMIT hands what is enqueued to the device if that is at least one.
 * @return
 *   Number of operations enqueued, [1, nb_ops]; fewer than nb_ops: a call for the rest tells
 *   why. Or, if the first one was rejected:
 *   - -EINVAL: nb_ops is 0 (logged)
 *   - what rte_umr_mbuf_mkey_list() returns for it
 */
__rte_experimental
int rte_umr_mbuf_mkey_list_burst(int16_t dev_id, uint16_t queue_id, uint32_t access,
				 const struct rte_umr_mbuf_op *ops, uint16_t nb_ops,
				 uint64_t flags);

/** What chains are made of that packets are to be written to, headers and data apart. */
struct rte_umr_mbuf_split {
	struct rte_mempool *header_pool; /**< Of the mbuf for the header; NULL if there is none. */
	struct rte_mempool *data_pool; /**< Of the mbufs behind it; NULL if there are none. */
	uint32_t data_len; /**< Bytes behind the header, in as many mbufs as it takes. */
	uint16_t header_len; /**< Bytes of the header, which fit one mbuf; 0: none. */
	/**
	 * Data begin at multiples of this in each mbuf, and those that are full have a multiple of
	 * it: a power of two; 0: 1.
	 */
	uint16_t data_align;
	uint32_t reserved[4]; /**< Zero. */
};

/**
 * Allocate chains that have data already, whatever is in it: under a key
 * (rte_umr_mbuf_mkey_list()), a read, a receive or what the peer writes is split by them.
 *
 * A receive by such a key needs a queue with RTE_UMR_QUEUE_F_NO_RECV_INLINE; one by segments
 * (rte_umr_mbuf_to_segs()) does not.
 *
 * A shorter packet is cut behind that, by rte_pktmbuf_trim(), say. Headers, and data if data_align
 * is 0, have the headroom of their pool; aligned data have at least that.
 *
 * Thread safe.
 *
 * @param split
 *   What they are made of; read only.
 * @param mbufs
 *   Array of nb_mbufs; written with the first mbuf of each chain, which are the caller's.
 * @param nb_mbufs
 *   Number of chains.
 * @return
 *   0, or, and nothing was allocated (the array may have been written),
 *   - -ENOMEM: a pool is empty
 *   - -EINVAL: a pool that is needed is NULL, there are no bytes, data_align is no power of two, a
 *     header or the alignment does not fit a mbuf, a chain would have more than
 *     RTE_MBUF_MAX_NB_SEGS, or reserved is not 0 (logged)
 */
__rte_experimental
int rte_umr_mbuf_split_alloc_bulk(const struct rte_umr_mbuf_split *split, struct rte_mbuf **mbufs,
				  uint16_t nb_mbufs);

/**
 * Mbufs that operations of a queue use, in the order in which these come back.
 *
 * Used by whoever has the queue: not thread safe, also not with the functions of that queue.
 */
struct rte_umr_mbuf_fifo;

/**
 * Create a FIFO for the mbufs of a queue.
 *
 * It knows the queue by its identifiers. All operations of the queue are collected through it from
 * then on, or it is told of them (rte_umr_mbuf_fifo_release()). A queue has one FIFO at a time.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index; the queue is set up.
 * @param nb_mbufs
 *   Mbufs that it holds at most, rounded up to a power of two, up to 2^30; 0: as many as the send
 *   ring has descriptors, which is enough if no operation has more than one.
 * @return
 *   The FIFO, freed by rte_umr_mbuf_fifo_destroy(), or NULL with rte_errno:
 *   - ENODEV: no such device
 *   - EPERM: this is a secondary process (logged)
 *   - EINVAL: the queue index is wrong, the queue is not set up, or nb_mbufs is more than 2^30
 *     (logged)
 *   - ENOTSUP: the queue only receives: it is a DC target (logged)
 *   - ENOMEM: out of memory
 */
__rte_experimental
struct rte_umr_mbuf_fifo *rte_umr_mbuf_fifo_create(int16_t dev_id, uint16_t queue_id,
						   uint32_t nb_mbufs);

/**
 * Free all mbufs that a FIFO holds, and begin anew: before the device is started again, since ring
 * indices begin at 0 then.
 *
 * The device must not access them any more: everything was collected while the device was not
 * lost, rte_umr_dev_stop() has returned 0, or the device was closed.
 *
 * @param fifo
 *   FIFO.
 * @return
 *   Number of mbufs, those that are the first of a chain, that were freed.
 */
__rte_experimental
uint32_t rte_umr_mbuf_fifo_reset(struct rte_umr_mbuf_fifo *fifo);

/**
 * Destroy a FIFO, with the mbufs that it holds: see rte_umr_mbuf_fifo_reset(). The device may have
 * been closed before.
 *
 * @param fifo
 *   FIFO; NULL is accepted.
 */
__rte_experimental
void rte_umr_mbuf_fifo_destroy(struct rte_umr_mbuf_fifo *fifo);

/**
 * Tell how many more mbufs a FIFO can hold. Ask before operations are enqueued: they cannot be
 * taken back when there is no room for their mbufs.
 *
 * @param fifo
 *   FIFO.
 * @return
 *   Number of mbufs.
 */
__rte_experimental
uint32_t rte_umr_mbuf_fifo_avail(const struct rte_umr_mbuf_fifo *fifo);

/**
 * Hold mbufs until an operation is collected: their references are the FIFO's then.
 *
 * To be called before anything else is collected of the queue. Several calls may name the same
 * operation. That of a call is the one of the call before, or was enqueued behind it.
 *
 * @param fifo
 *   FIFO.
 * @param idx
 *   Ring index of the operation, as its enqueue function has returned it.
 * @param mbufs
 *   Array of nb_mbufs mbufs, each the first of a chain; copied. NULL among them is accepted, and
 *   takes a place.
 * @param nb_mbufs
 *   Number of them.
 * @return
 *   0, or, and nothing was taken,
 *   - -ENOSPC: no room for nb_mbufs more; the caller keeps them until it has collected the
 *     operation
 *   - -EINVAL: mbufs are held for an operation behind this one (logged)
 */
__rte_experimental
int rte_umr_mbuf_fifo_hold(struct rte_umr_mbuf_fifo *fifo, uint16_t idx,
			   struct rte_mbuf *const *mbufs, uint16_t nb_mbufs);

/**
 * Collect successful operations of the queue, as rte_umr_completed(), and free the mbufs that are
 * held for them, and for what was enqueued in front of them.
 *
 * @param fifo
 *   FIFO.
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
uint16_t rte_umr_mbuf_fifo_completed(struct rte_umr_mbuf_fifo *fifo, uint16_t nb_max,
				     uint16_t *last_idx, bool *has_error);

/**
 * Collect operations of the queue with their status, as rte_umr_completed_status(), and free the
 * mbufs that are held for them, and for what was enqueued in front of them: also of those that
 * failed, or were flushed.
 *
 * But a device that is lost may still access the memory of what it gives back without success: the
 * FIFO frees nothing of that, nor of what comes behind, before rte_umr_mbuf_fifo_reset() or
 * rte_umr_mbuf_fifo_destroy(), for which the device is stopped or closed.
 *
 * @param fifo
 *   FIFO.
 * @param nb_max
 *   Most operations to collect.
 * @param done
 *   Array of nb_max results; the first ones are written.
 * @return
 *   Number of operations collected, [0, nb_max].
 */
__rte_experimental
uint16_t rte_umr_mbuf_fifo_completed_status(struct rte_umr_mbuf_fifo *fifo, uint16_t nb_max,
					    struct rte_umr_completion *done);

/**
 * Free the mbufs that are held for operations that the caller has collected itself: each time that
 * it collects some. Of a lost device only for those that were successful.
 *
 * @param fifo
 *   FIFO.
 * @param last_idx
 *   Ring index of the last operation that was collected.
 * @return
 *   Number of mbufs, those that are the first of a chain, that were freed.
 */
__rte_experimental
uint32_t rte_umr_mbuf_fifo_release(struct rte_umr_mbuf_fifo *fifo, uint16_t last_idx);

#ifdef __cplusplus
}
#endif

#endif /* RTE_UMR_MBUF_H */
