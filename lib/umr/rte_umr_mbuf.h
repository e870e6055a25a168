/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_MBUF_H
#define RTE_UMR_MBUF_H

/**
 * @file
 *
 * Packets and memory keys: mbuf chains as lists of segments, and FIFOs that hold the mbufs until
 * the device has finished with them. Included by rte_umr.h, which describes the model; a program
 * without mbufs does not need the mbuf headers.
 *
 * @par Fields of a chain that are used
 *     buf_addr, data_off, data_len and next of each mbuf: data start after the headroom, as with
 *     rte_pktmbuf_mtod(), also in indirect mbufs and those with external buffers. Mbufs without
 *     data are skipped. pkt_len and nb_segs are ignored. A key uses the addresses of the data at
 *     the time of its configuration: rte_pktmbuf_adj() and similar functions do not change it
 *     later.
 *
 * @par Memory keys
 *     rte_umr_addr_to_mkey() finds them: register the mempools (rte_umr_mempool_register()) or all
 *     memory of EAL (rte_umr_eal_memory_register()) before.
 *
 * @par Ownership of mbufs
 *     The owner holds one reference to each mbuf of a chain, which rte_pktmbuf_free() releases.
 *     - The functions that return segments and configure keys only read: the caller owns the chain
 *       before and after them, whatever they return.
 *     - rte_umr_mbuf_fifo_hold() takes the caller's references if it returns 0, and none on an
 *       error.
 *     - A FIFO frees its mbufs with rte_pktmbuf_free_bulk() when their operation was collected,
 *       whether that was successful or not; or rte_umr_mbuf_fifo_take() returns them, to be sent
 *       again.
 *     - An application that continues to use a chain, for example to inspect the data of a read,
 *       must first take references to all of its mbufs (rte_pktmbuf_refcnt_update(); with a
 *       reference to the first mbuf only, the others would be freed), or not hold the chain in the
 *       FIFO. A chain that several operations use is held for the last one of them, or once for
 *       each with separate references.
 *     - An indirect mbuf has a reference to the mbuf that it is attached to, and an mbuf with an
 *       external buffer has one to that buffer: holding the mbuf is sufficient.
 *
 * @par
 *     Hold an mbuf for the last operation that moves its data, not for the one that configures the
 *     key. Operations of a queue are collected in order, so a whole burst of packets may be held
 *     for its last operation. Operations of this queue do not show when a peer has used a key: hold
 *     mbufs that peers access until the peers report that they have finished. A key still refers to
 *     memory that was freed: configure or invalidate the key before it is used again.
 *
 * @par A burst of packets, each in one write (without error handling)
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
struct rte_umr_mkey;
struct rte_umr_mkey_pool;

/** Length from the offset to the end of the chain. */
#define RTE_UMR_MBUF_REST UINT32_MAX

/** Maximum segments of a chain that is mapped to a key in one call. */
#define RTE_UMR_MBUF_MAX_SEGS 512u

/**
 * Get the segments, with their keys, that contain the data of a chain.
 *
 * Pieces that are adjacent in memory and have the same key (for example fragments of one buffer)
 * are merged into one segment of at most 1 GiB. There are at most as many segments as mbufs with
 * data.
 *
 * Nothing is logged. Thread safe if the chain does not change during the call.
 *
 * @param dev_id
 *   Device identifier, [0, RTE_UMR_MAX_DEVS - 1].
 * @param mbuf
 *   First mbuf of the chain; NULL has no data.
 * @param offset
 *   Bytes of data to skip at the start.
 * @param len
 *   Bytes after them, or RTE_UMR_MBUF_REST.
 * @param segs
 *   Array of nb_max segments; written, in the form that rte_umr_mkey_list() and rte_umr_recv()
 *   accept.
 * @param nb_max
 *   Size of segs, [0, INT32_MAX].
 * @return
 *   Number of segments, [0, nb_max]; 0 if there are no bytes. Or
 *   - -ERANGE: the chain has fewer than offset bytes, or fewer than offset + len
 *   - -E2BIG: there are more than nb_max segments; the first nb_max are written
 *   - -ENOENT: a piece has no key. The segments before it are written, followed by the piece: the
 *     first entry with an lkey of RTE_UMR_LKEY_NONE
 *   - -ENODEV: no such device
 */
__rte_experimental
int rte_umr_mbuf_to_segs(int16_t dev_id, const struct rte_mbuf *mbuf, uint32_t offset, uint32_t len,
			 struct rte_umr_seg *segs, uint32_t nb_max);

/** A part of a chain. */
struct rte_umr_mbuf_part {
	const struct rte_mbuf *mbuf; /**< First mbuf of the chain; NULL has no data. */
	uint32_t offset; /**< Bytes of data to skip at the start. */
	uint32_t len; /**< Bytes after them, or RTE_UMR_MBUF_REST. */
};

/**
 * Get the segments, with their keys, that contain consecutive parts of chains: the payloads of a
 * burst of packets, or of the fragments of a message.
 *
 * Like rte_umr_mbuf_to_segs() for each part; pieces are also merged across parts.
 *
 * @param dev_id
 *   Device identifier, [0, RTE_UMR_MAX_DEVS - 1].
 * @param parts
 *   Array of nb_parts parts; read only. Parts may belong to the same chain.
 * @param nb_parts
 *   Number of parts.
 * @param segs
 *   Array of nb_max segments; written.
 * @param nb_max
 *   Size of segs, [0, INT32_MAX].
 * @return
 *   Number of segments, [0, nb_max]; 0 if there are no bytes. Or what rte_umr_mbuf_to_segs()
 *   returns for the first part that has an error.
 */
__rte_experimental
int rte_umr_mbuf_parts_to_segs(int16_t dev_id, const struct rte_umr_mbuf_part *parts,
			       uint32_t nb_parts, struct rte_umr_seg *segs, uint32_t nb_max);

/**
 * Enqueue an operation that maps parts of chains to one memory key, consecutively from offset 0. It
 * combines rte_umr_mbuf_parts_to_segs() and rte_umr_mkey_list(), with the order and threads of the
 * latter.
 *
 * One transfer then moves the data of many packets to or from one range of the peer. Parts of empty
 * mbufs split incoming data: headers into buffers of one pool, payload into those of another.
 *
 * Needs 8 KiB of stack. For more segments than RTE_UMR_MBUF_MAX_SEGS, call these two functions.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param mkey
 *   Key to configure, from a pool of this device. It keeps its previous layout on error.
 * @param access
 *   Bitwise OR of RTE_UMR_ACCESS_*: access that the key allows, within that of the regions.
 * @param parts
 *   Array of nb_parts parts; copied, the array may be reused on return. The caller keeps the mbufs;
 *   their memory must exist until the operations that use the key have completed.
 * @param nb_parts
 *   Number of parts, at least 1.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*.
 * @return
 *   Ring index of the operation, [0, UINT16_MAX], or
 *   - -ERANGE: a chain has fewer than offset bytes, or fewer than offset + len
 *   - -E2BIG: more segments than RTE_UMR_MBUF_MAX_SEGS, or than rte_umr_mkey_list() takes (logged
 *     then)
 *   - -ENOENT: a piece has no key; rte_umr_mbuf_parts_to_segs() shows which
 *   - -EINVAL: there are no bytes (first logged)
 *   - what else rte_umr_mkey_list() returns
 */
__rte_experimental
int rte_umr_mbuf_mkey_parts(int16_t dev_id, uint16_t queue_id, struct rte_umr_mkey *mkey,
			    uint32_t access, const struct rte_umr_mbuf_part *parts,
			    uint32_t nb_parts, uint64_t flags);

/**
 * Enqueue an RDMA write of parts of chains to consecutive memory of the peer. It combines
 * rte_umr_mbuf_parts_to_segs() and rte_umr_write_sg(), with the order and threads of the latter.
 *
 * Needs 8 KiB of stack. For more segments than RTE_UMR_MBUF_MAX_SEGS, call these two functions.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param parts
 *   Array of nb_parts parts to read, in order; copied, the array may be reused on return. The
 *   caller keeps the mbufs; their memory must exist until the operation has completed.
 * @param nb_parts
 *   Number of parts.
 * @param remote_addr
 *   Address at the peer; in a configured memory key, base_addr + offset.
 * @param rkey
 *   Key of the peer, in host byte order.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*, except RTE_UMR_OP_F_INLINE.
 * @return
 *   Ring index of the operation, [0, UINT16_MAX], or
 *   - -ERANGE: a chain has fewer than offset bytes, or fewer than offset + len
 *   - -E2BIG: more segments than RTE_UMR_MBUF_MAX_SEGS, or than rte_umr_write_sg() takes (logged
 *     then)
 *   - -ENOENT: a piece has no key; rte_umr_mbuf_parts_to_segs() shows which
 *   - what else rte_umr_write_sg() returns
 */
__rte_experimental
int rte_umr_mbuf_write_sg(int16_t dev_id, uint16_t queue_id, const struct rte_umr_mbuf_part *parts,
			  uint32_t nb_parts, uint64_t remote_addr, uint32_t rkey, uint64_t flags);

/**
 * Enqueue an RDMA read from consecutive memory of the peer to parts of chains; see
 * rte_umr_mbuf_write_sg() and rte_umr_read_sg().
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param parts
 *   Array of nb_parts parts to write, in order; copied, the array may be reused on return. The
 *   caller keeps the mbufs; their memory must exist until the operation has completed.
 * @param nb_parts
 *   Number of parts.
 * @param remote_addr
 *   Address at the peer; in a configured memory key, base_addr + offset.
 * @param rkey
 *   Key of the peer, in host byte order.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*, except RTE_UMR_OP_F_INLINE.
 * @return
 *   See rte_umr_mbuf_write_sg().
 */
__rte_experimental
int rte_umr_mbuf_read_sg(int16_t dev_id, uint16_t queue_id, const struct rte_umr_mbuf_part *parts,
			 uint32_t nb_parts, uint64_t remote_addr, uint32_t rkey, uint64_t flags);

/** A chain and its key, for rte_umr_mbuf_mkey_list_burst(). */
struct rte_umr_mbuf_op {
	struct rte_umr_mkey *mkey; /**< Key to configure, from a pool of the device. */
	const struct rte_mbuf *mbuf; /**< First mbuf of the chain. */
	uint32_t offset; /**< Bytes of data to skip at the start. */
	uint32_t len; /**< Bytes after them, or RTE_UMR_MBUF_REST; at least 1. */
};

/**
 * Enqueue an operation that maps the data of a chain to a memory key, from offset 0. It combines
 * rte_umr_mbuf_to_segs() and rte_umr_mkey_list(), with the order and threads of the latter.
 *
 * Needs 8 KiB of stack. For a chain of more than RTE_UMR_MBUF_MAX_SEGS, call these two functions.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param access
 *   Bitwise OR of RTE_UMR_ACCESS_*: access that the key allows, within that of the regions.
 * @param op
 *   Chain and key; read only. The key keeps its previous layout on error. The caller keeps the
 *   mbufs; their memory must exist until the operations that use the key have completed.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*.
 * @return
 *   Ring index of the operation, [0, UINT16_MAX], or
 *   - -ERANGE: the chain has fewer than offset bytes, or fewer than offset + len
 *   - -E2BIG: more segments than RTE_UMR_MBUF_MAX_SEGS, or than rte_umr_mkey_list() takes (logged
 *     then)
 *   - -ENOENT: a piece has no key; rte_umr_mbuf_to_segs() shows which
 *   - -EINVAL: there are no bytes (first logged)
 *   - what else rte_umr_mkey_list() returns
 */
__rte_experimental
int rte_umr_mbuf_mkey_list(int16_t dev_id, uint16_t queue_id, uint32_t access,
			   const struct rte_umr_mbuf_op *op, uint64_t flags);

/**
 * Enqueue a burst of rte_umr_mbuf_mkey_list(): it stops at the first chain that is rejected, like
 * all bursts (rte_umr_data.h). Needs 11 KiB of stack.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param access
 *   Bitwise OR of RTE_UMR_ACCESS_* for all keys.
 * @param ops
 *   Array of nb_ops chains and keys; read only, may be reused on return.
 * @param nb_ops
 *   Number of chains, [1, UINT16_MAX].
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*.
 * @return
 *   Number of operations enqueued, [1, nb_ops], or, if the first one was rejected:
 *   - -EINVAL: nb_ops is 0 (first logged)
 *   - what rte_umr_mbuf_mkey_list() returns for it
 */
__rte_experimental
int rte_umr_mbuf_mkey_list_burst(int16_t dev_id, uint16_t queue_id, uint32_t access,
				 const struct rte_umr_mbuf_op *ops, uint16_t nb_ops,
				 uint64_t flags);

/** Structure of chains that receive packets with separate headers and data. */
struct rte_umr_mbuf_split {
	struct rte_mempool *header_pool; /**< Pool of the header mbuf; NULL if there is none. */
	struct rte_mempool *data_pool; /**< Pool of the data mbufs; NULL if there are none. */
	uint32_t data_len; /**< Bytes after the header, in as many mbufs as needed. */
	uint16_t header_len; /**< Bytes of the header, which must fit one mbuf; 0: none. */
	/**
	 * Alignment of the data in each mbuf; full mbufs contain a multiple of it. A power of two;
	 * 0: 1.
	 */
	uint16_t data_align;
	uint32_t reserved[4]; /**< Zero. */
};

/**
 * Allocate chains whose lengths already cover their (undefined) data: with a key
 * (rte_umr_mbuf_mkey_list()), they split a read, a receive or a write of the peer.
 *
 * A receive with such a key requires a queue with RTE_UMR_QUEUE_F_NO_RECV_INLINE; one with segments
 * (rte_umr_mbuf_to_segs()) does not.
 *
 * Truncate shorter packets afterwards, for example with rte_pktmbuf_trim(). Headers, and data if
 * data_align is 0, have the headroom of their pool; aligned data have at least that.
 *
 * Thread safe.
 *
 * @param split
 *   Structure of the chains; read only.
 * @param mbufs
 *   Array of nb_mbufs; written with the first mbuf of each chain, owned by the caller.
 * @param nb_mbufs
 *   Number of chains.
 * @return
 *   0, or, with nothing allocated (the array may have been written),
 *   - -ENOMEM: a pool is empty
 *   - -EINVAL: a required pool is NULL, there are no bytes, data_align is not a power of two, a
 *     header or the alignment does not fit an mbuf, a chain would have more than
 *     RTE_MBUF_MAX_NB_SEGS, or reserved is not 0 (logged)
 */
__rte_experimental
int rte_umr_mbuf_split_alloc_bulk(const struct rte_umr_mbuf_split *split, struct rte_mbuf **mbufs,
				  uint16_t nb_mbufs);

/**
 * Mbufs, and memory keys, that operations of a queue use, in the order of completion.
 *
 * Belongs to the thread that uses the queue: not thread safe, also not with the functions of that
 * queue.
 */
struct rte_umr_mbuf_fifo;

/**
 * Create a FIFO for the mbufs of a queue.
 *
 * It refers to the queue by its identifiers. From then on all operations of the queue must be
 * collected through the FIFO, or reported to it (rte_umr_mbuf_fifo_release()). A queue has one FIFO
 * at a time.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index; the queue is set up.
 * @param nb_mbufs
 *   Maximum number of mbufs, rounded up to a power of two, up to 2^30; 0: the number of descriptors
 *   of the send ring, which is sufficient if no operation has more than one mbuf.
 * @return
 *   The FIFO, freed by rte_umr_mbuf_fifo_destroy(), or NULL with rte_errno:
 *   - ENODEV: no such device
 *   - EPERM: this is a secondary process (logged)
 *   - EINVAL: the queue index is wrong, the queue is not set up, or nb_mbufs is more than 2^30
 *     (logged)
 *   - ENOTSUP: the queue is a DC target, which only receives (logged)
 *   - ENOMEM: out of memory
 */
__rte_experimental
struct rte_umr_mbuf_fifo *rte_umr_mbuf_fifo_create(int16_t dev_id, uint16_t queue_id,
						   uint32_t nb_mbufs);

/**
 * Free all mbufs of a FIFO and reset it. Call it before the device is started again, because ring
 * indices then start at 0.
 *
 * The device must no longer access them: everything was collected while the device was not lost,
 * rte_umr_dev_stop() has returned 0, or the device was closed.
 *
 * @param fifo
 *   FIFO.
 * @return
 *   Number of freed mbufs, counting only the first of each chain.
 */
__rte_experimental
uint32_t rte_umr_mbuf_fifo_reset(struct rte_umr_mbuf_fifo *fifo);

/**
 * Destroy a FIFO and free its mbufs; see rte_umr_mbuf_fifo_reset(). The device may already be
 * closed.
 *
 * @param fifo
 *   FIFO; NULL is accepted.
 */
__rte_experimental
void rte_umr_mbuf_fifo_destroy(struct rte_umr_mbuf_fifo *fifo);

/**
 * Get the number of mbufs that a FIFO still has room for. Check this before enqueueing operations:
 * they cannot be revoked if there is no room for their mbufs.
 *
 * @param fifo
 *   FIFO.
 * @return
 *   Number of mbufs.
 */
__rte_experimental
uint32_t rte_umr_mbuf_fifo_avail(const struct rte_umr_mbuf_fifo *fifo);

/**
 * Hold mbufs until an operation is collected: the FIFO takes their references.
 *
 * Call it before collecting anything else from the queue. Several calls may name the same
 * operation. Each call must name the operation of the previous call or one that was enqueued after
 * it.
 *
 * @param fifo
 *   FIFO.
 * @param idx
 *   Ring index of the operation that its enqueue function returned.
 * @param mbufs
 *   Array of nb_mbufs mbufs, each the first of a chain; copied. NULL entries are accepted and take
 *   room.
 * @param nb_mbufs
 *   Number of mbufs.
 * @return
 *   0, or, with no mbuf taken,
 *   - -ENOSPC: no room for nb_mbufs; the caller keeps them until it has collected the operation
 *   - -EINVAL: mbufs are held for an operation after this one (logged)
 */
__rte_experimental
int rte_umr_mbuf_fifo_hold(struct rte_umr_mbuf_fifo *fifo, uint16_t idx,
			   struct rte_mbuf *const *mbufs, uint16_t nb_mbufs);

/**
 * Hold packets with their memory keys until an operation is collected, like
 * rte_umr_mbuf_fifo_hold(): when the FIFO frees the mbufs, it puts the keys back into their pool,
 * like rte_umr_mkey_put_bulk(). Hold a packet for an operation that invalidates its key if a peer
 * must not use the key afterwards.
 *
 * @param fifo
 *   FIFO. Reset or destroy it before the pool is destroyed.
 * @param idx
 *   Ring index of the operation that its enqueue function returned.
 * @param pool
 *   Pool of the keys, the same for all keys that the FIFO holds at a time.
 * @param mbufs
 *   Array of nb mbufs, as for rte_umr_mbuf_fifo_hold().
 * @param mkeys
 *   Array of nb keys of the pool; copied. NULL entries are accepted: if packets share a key, only
 *   the last one has it.
 * @param nb
 *   Number of packets.
 * @return
 *   0, or, with no mbuf and no key taken,
 *   - -ENOSPC: no room for nb packets; the caller keeps them until it has collected the operation
 *   - -EINVAL: keys of another pool, or mbufs for an operation after this one, are held (logged)
 */
__rte_experimental
int rte_umr_mbuf_fifo_hold_mkeys(struct rte_umr_mbuf_fifo *fifo, uint16_t idx,
				 struct rte_umr_mkey_pool *pool, struct rte_mbuf *const *mbufs,
				 struct rte_umr_mkey *const *mkeys, uint16_t nb);

/**
 * Collect successful operations of the queue, like rte_umr_completed(), and free the mbufs held for
 * them and for earlier operations.
 *
 * @param fifo
 *   FIFO.
 * @param nb_max
 *   Maximum number of operations to collect.
 * @param last_idx
 *   Written if an operation was collected: ring index of the last one; may be NULL.
 * @param has_error
 *   Written: whether the next operation is known to be unsuccessful; may be NULL.
 * @return
 *   Number of operations collected, [0, nb_max].
 */
__rte_experimental
uint16_t rte_umr_mbuf_fifo_completed(struct rte_umr_mbuf_fifo *fifo, uint16_t nb_max,
				     uint16_t *last_idx, bool *has_error);

/**
 * Collect operations of the queue with their status, like rte_umr_completed_status(), and free the
 * mbufs held for them and for earlier operations, also of operations that failed or were flushed:
 * see rte_umr_mbuf_fifo_take() to send these again.
 *
 * A lost device may still access the memory of unsuccessful operations: the FIFO does not free the
 * mbufs of these and of later operations before rte_umr_mbuf_fifo_reset() or
 * rte_umr_mbuf_fifo_destroy(), which require that the device is stopped or closed.
 *
 * @param fifo
 *   FIFO.
 * @param nb_max
 *   Maximum number of operations to collect.
 * @param done
 *   Array of nb_max results; written for each operation collected.
 * @return
 *   Number of operations collected, [0, nb_max].
 */
__rte_experimental
uint16_t rte_umr_mbuf_fifo_completed_status(struct rte_umr_mbuf_fifo *fifo, uint16_t nb_max,
					    struct rte_umr_completion *done);

/**
 * Free the mbufs held for operations that the caller has collected itself. Call it after each
 * collection; for a lost device, only for successful operations.
 *
 * @param fifo
 *   FIFO.
 * @param last_idx
 *   Ring index of the last operation that was collected.
 * @return
 *   Number of freed mbufs, counting only the first of each chain.
 */
__rte_experimental
uint32_t rte_umr_mbuf_fifo_release(struct rte_umr_mbuf_fifo *fifo, uint16_t last_idx);

/**
 * Take back the packets held for operations that the caller has collected itself, instead of
 * freeing them: those of operations that failed or were flushed, for another try.
 *
 * Packets are returned in the order in which they were held, so what is enqueued again in this
 * order, before anything else, keeps the order of the queue. A packet held for the last operation
 * of a burst is returned if that operation failed, although its own may have succeeded; and a
 * flushed operation may have been executed (rte_umr.h). If the peer must not get a packet twice,
 * hold it for its own operation, and let the peer recognize it.
 *
 * A lost device may still access the memory: nothing is returned before rte_umr_dev_stop(). If that
 * returns an error, the mbufs must not be used before rte_umr_dev_close().
 *
 * @code
 * nb = rte_umr_completed_status(dev_id, queue_id, RTE_DIM(done), done);
 * for (i = 0; i < nb; i++)
 *	if (done[i].status == RTE_UMR_STATUS_SUCCESS)
 *		rte_umr_mbuf_fifo_release(fifo, done[i].idx);
 *	else
 *		nb_again += rte_umr_mbuf_fifo_take(fifo, done[i].idx, &mbufs[nb_again], NULL,
 *						   nb_max - nb_again);
 * @endcode
 *
 * @param fifo
 *   FIFO.
 * @param last_idx
 *   Ring index of the last operation whose packets are returned; earlier ones are included.
 * @param mbufs
 *   Array of nb_max; written with mbufs as they were held, which the caller owns then.
 * @param mkeys
 *   Array of nb_max; written with the key held with each mbuf, or NULL. The caller owns the keys,
 *   whose state is undefined: configure a key completely, or invalidate it, before anything else.
 *   The array may be NULL: keys are put back into their pool, and may keep a valid value.
 * @param nb_max
 *   Maximum number of packets; if so many are returned, there may be more.
 * @return
 *   Number of packets, [0, nb_max], counting NULL entries.
 */
__rte_experimental
uint32_t rte_umr_mbuf_fifo_take(struct rte_umr_mbuf_fifo *fifo, uint16_t last_idx,
				struct rte_mbuf **mbufs, struct rte_umr_mkey **mkeys,
				uint32_t nb_max);

#ifdef __cplusplus
}
#endif

#endif /* RTE_UMR_MBUF_H */
