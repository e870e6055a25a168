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
 * Identifiers are not checked here: dev_id is in [0, RTE_UMR_MAX_DEVS - 1] and queue_id in
 * [0, RTE_UMR_MAX_QUEUES - 1]. A queue belongs to one lcore at a time.
 *
 * Whatever the state of the device, a call gives an error and no fault: every function that
 * enqueues returns -ENODEV if no device of that identifier is open, -ENXIO if the queue is not set
 * up, and -ESHUTDOWN while the device is not started; the functions that collect return 0 then, but
 * for what was outstanding when the device was stopped.
 *
 * @par RTE_UMR_DEBUG
 * A library that was built with RTE_UMR_DEBUG (meson: -Dumr_debug=true) checks what else is trusted
 * here. Each call then has these errors, too, and each time logs why:
 *   - -EBUSY: another thread is in a function of this queue at the moment; functions that return a
 *     number of completions or descriptors return 0
 *   - -EINVAL: the pointer to a memory key is a copy of one, or the key is in its pool, or the pool
 *     is gone; an array, a descriptor or its entries are NULL; there is no such memory window, or
 *     region that it is to be bound to. The pointer is not followed. A burst stops in front of such
 *     an operation.
 *
 * Inline functions of programs that are built with RTE_UMR_DEBUG, which pkg-config asks for if the
 * library was, look at dev_id and queue_id, too: those out of range give -ENODEV and -ENXIO.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_bitops.h>
#include <rte_byteorder.h>
#include <rte_common.h>
#include <rte_compat.h>
#include <rte_errno.h>
#include <rte_lcore.h>

#include "rte_umr_core.h"
#include "rte_umr_mem.h"
#include "rte_umr_mkey.h"
#include "rte_umr_queue.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @name Operation flags
 * @{
 */
/** Hand this operation and all in front of it to the device, as rte_umr_submit() does. */
#define RTE_UMR_OP_F_SUBMIT	RTE_BIT64(0)
/** Start when the RDMA reads that were enqueued earlier have brought their data. */
#define RTE_UMR_OP_F_FENCE	RTE_BIT64(1)
/**
 * Take the bytes from local->addr now, by the CPU: the memory may be reused at once, local->lkey
 * is not looked at. Writes and sends only, of at most max_inline bytes.
 */
#define RTE_UMR_OP_F_INLINE	RTE_BIT64(2)
/** The flags that every operation takes. */
#define RTE_UMR_OP_F_ALL	(RTE_UMR_OP_F_SUBMIT | RTE_UMR_OP_F_FENCE)
/**@}*/

/** Type of an operation, as its completion tells it. */
enum rte_umr_op_type {
	RTE_UMR_OP_MKEY_LIST = 0, /**< rte_umr_mkey_list() */
	RTE_UMR_OP_MKEY_INTERLEAVED, /**< rte_umr_mkey_interleaved() */
	RTE_UMR_OP_MKEY_INVALIDATE, /**< rte_umr_mkey_invalidate() */
	RTE_UMR_OP_WRITE, /**< rte_umr_write(), rte_umr_write_imm() */
	RTE_UMR_OP_READ, /**< rte_umr_read() */
	RTE_UMR_OP_SEND, /**< rte_umr_send(), rte_umr_send_imm(), rte_umr_send_inv() */
	RTE_UMR_OP_RECV, /**< rte_umr_recv() that took a send of the peer, or was flushed */
	RTE_UMR_OP_RECV_WRITE_IMM, /**< rte_umr_recv() that took a write with immediate */
	RTE_UMR_OP_FETCH_ADD, /**< rte_umr_fetch_add() */
	RTE_UMR_OP_CMP_SWAP, /**< rte_umr_cmp_swap() */
	RTE_UMR_OP_MKEY_CONFIGURE, /**< rte_umr_mkey_configure() */
	RTE_UMR_OP_MKEY_UPDATE, /**< rte_umr_mkey_update() */
	RTE_UMR_OP_MW_BIND, /**< rte_umr_mw_bind() */
	RTE_UMR_OP_MW_INVALIDATE, /**< rte_umr_mw_invalidate() */
};

/** How an operation ended. */
enum rte_umr_status {
	RTE_UMR_STATUS_SUCCESS = 0, /**< Done. */
	RTE_UMR_STATUS_FLUSHED, /**< Given back because the queue is in error or stopped. */
	RTE_UMR_STATUS_LOCAL_LENGTH, /**< Longer than the memory, the receive or the limit. */
	RTE_UMR_STATUS_LOCAL_QP_OP, /**< The queue cannot do this operation. */
	RTE_UMR_STATUS_LOCAL_PROT, /**< Bad local key, bounds, access right or unmapped memory. */
	RTE_UMR_STATUS_MKEY_CONFIG, /**< The key could not be configured or invalidated. */
	RTE_UMR_STATUS_BAD_RESPONSE, /**< The peer answered what was not asked. */
	RTE_UMR_STATUS_LOCAL_ACCESS, /**< The peer's request found no access here. */
	RTE_UMR_STATUS_REMOTE_INVALID, /**< The peer found the request invalid. */
	RTE_UMR_STATUS_REMOTE_ACCESS, /**< Bad remote key, bounds or access right. */
	RTE_UMR_STATUS_REMOTE_OP, /**< The peer could not complete the request. */
	RTE_UMR_STATUS_RETRY_EXCEEDED, /**< The peer did not answer. */
	RTE_UMR_STATUS_RNR_RETRY_EXCEEDED, /**< The peer had no receive posted. */
	RTE_UMR_STATUS_REMOTE_ABORTED, /**< The peer gave up. */
	RTE_UMR_STATUS_UNKNOWN, /**< The device gave a code that is not known; see syndrome. */
};

/** RTE_UMR_COMPLETION_F_*: rte_umr_completion::imm is valid. */
#define RTE_UMR_COMPLETION_F_IMM RTE_BIT32(0)
/** RTE_UMR_COMPLETION_F_*: rte_umr_completion::invalidated is valid. */
#define RTE_UMR_COMPLETION_F_INVALIDATED RTE_BIT32(1)

/**
 * Result of one operation. Four of them in a cache line, and no room: what else a device may tell
 * one day (a time, the sender of a message) few ask for, and gets a function of its own.
 */
struct rte_umr_completion {
	uint16_t idx; /**< Ring index that the enqueue function returned. */
	uint8_t op; /**< enum rte_umr_op_type. */
	uint8_t status; /**< enum rte_umr_status. */
	uint8_t syndrome; /**< Code of the device for an error, 0 if there is none. */
	uint8_t vendor_syndrome; /**< Detail of the vendor for an error, 0 if there is none. */
	uint16_t flags; /**< Bitwise OR of RTE_UMR_COMPLETION_F_*. */
	uint32_t length; /**< Bytes received, or moved by a write, read or send; else 0. */
	union {
		/** Immediate data that came with a receive, as the peer gave it. */
		rte_be32_t imm;
		/** Key that the send of the peer has invalidated, in host byte order. */
		uint32_t invalidated;
	};
};

/**
 * Every function of this header is inline for C and C++, and exported by the library under the
 * same name for everybody else. Generators of bindings that only read the header, and leave out
 * what is inline (bindgen of Rust, say), need -DRTE_UMR_OUT_OF_LINE; who calls by name (ctypes of
 * Python) needs the library only. Calls that are not inlined have no trace points.
 */
#ifndef RTE_UMR_INLINE
#ifdef RTE_UMR_OUT_OF_LINE
#define RTE_UMR_INLINE __attribute__((weak))
#else
#define RTE_UMR_INLINE static inline
#endif
#endif

/** @cond TRACE */
/* Of a key that was rejected nothing is read: it may be gone. */
#ifdef RTE_UMR_DEBUG
#define RTE_UMR_TRACE_KEY(mkey, ret) ((ret) < 0 ? 0 : (mkey)->key)
#else
#define RTE_UMR_TRACE_KEY(mkey, ret) ((mkey)->key)
#endif
/** @endcond */

/** No key of memory: what rte_umr_addr_to_mkey() returns if there is none. */
#define RTE_UMR_LKEY_NONE UINT32_MAX

/**
 * Find the key of a piece of memory, on the data path: that of rte_umr_mr_lookup(), which tells
 * what is found.
 *
 * Each lcore remembers what it found, in 8 KiB for each device: hugepages and what is longer by
 * themselves, so that small regions do not drive them out. A region that is registered or
 * deregistered makes all lcores forget. Threads that are no lcores, and lcores that have not met
 * the memory yet, search the table: a binary search, and a step more for each region that begins
 * around the piece, but is too short for it. No locks are taken; while a region is being registered
 * or deregistered a search begins anew.
 *
 * Thread safe, also with registering and deregistering other regions.
 *
 * @param dev_id
 *   Device identifier, [0, RTE_UMR_MAX_DEVS - 1].
 * @param addr
 *   First byte.
 * @param len
 *   Bytes.
 * @return
 *   Key for local use, in host byte order; never that of a region that does not hold it all.
 *   RTE_UMR_LKEY_NONE if there is no such region, or no such device.
 */
__rte_experimental
RTE_UMR_INLINE uint32_t
rte_umr_addr_to_mkey(int16_t dev_id, const void *addr, size_t len)
{
	const struct rte_umr_fp_object *obj = &rte_umr_fp_objs[dev_id];
	const unsigned int lcore = rte_lcore_id();
	const struct rte_umr_lookup_entry *entry;
	uint64_t gen;

#ifdef RTE_UMR_DEBUG
	if (dev_id < 0 || dev_id >= RTE_UMR_MAX_DEVS)
		return RTE_UMR_LKEY_NONE;
#endif
	if (unlikely(lcore >= obj->lookup_nb_lcores))
		return rte_umr_lookup_miss(dev_id, addr, len);
	gen = __atomic_load_n(&obj->lookup_gen, __ATOMIC_ACQUIRE);
	entry = rte_umr_lookup_long(obj, lcore, (uintptr_t)addr);
	if (likely(rte_umr_lookup_is_hit(entry, gen, (uintptr_t)addr, len)))
		return entry->lkey;
	entry = rte_umr_lookup_short(obj, lcore, (uintptr_t)addr);
	if (likely(rte_umr_lookup_is_hit(entry, gen, (uintptr_t)addr, len)))
		return entry->lkey;
	entry++;
	if (likely(rte_umr_lookup_is_hit(entry, gen, (uintptr_t)addr, len)))
		return entry->lkey;
	return rte_umr_lookup_miss(dev_id, addr, len);
}

/**
 * Find the keys of pieces of memory: as many calls of rte_umr_addr_to_mkey(). The segments are then
 * what rte_umr_mkey_list() and transfers take.
 *
 * @param dev_id
 *   Device identifier, [0, RTE_UMR_MAX_DEVS - 1].
 * @param segs
 *   Array of nb_segs pieces: addr and length are read, lkey is written.
 * @param nb_segs
 *   Number of pieces.
 * @return
 *   Number of keys that were written, [0, nb_segs]: fewer than nb_segs if there is none for the
 *   next one.
 */
__rte_experimental
RTE_UMR_INLINE uint32_t
rte_umr_addr_to_mkey_burst(int16_t dev_id, struct rte_umr_seg *segs, uint32_t nb_segs)
{
	uint32_t i, lkey;

	for (i = 0; i < nb_segs; i++) {
		lkey = rte_umr_addr_to_mkey(dev_id, (const void *)(uintptr_t)segs[i].addr,
					    segs[i].length);
		if (unlikely(lkey == RTE_UMR_LKEY_NONE))
			break;
		segs[i].lkey = lkey;
	}
	return i;
}

/** Bytes that an atomic operation works on. */
#define RTE_UMR_ATOMIC_LEN 8u

/**
 * Take one key from a pool; see rte_umr_mkey_get_bulk().
 *
 * @param pool
 *   Pool.
 * @return
 *   The key, or NULL if the pool is empty (rte_errno is not written).
 */
__rte_experimental
RTE_UMR_INLINE struct rte_umr_mkey *
rte_umr_mkey_get(struct rte_umr_mkey_pool *pool)
{
	struct rte_umr_mkey *mkey;

	if (rte_umr_mkey_get_bulk(pool, &mkey, 1) != 0)
		return NULL;
	return mkey;
}

/**
 * Put one key back to its pool; see rte_umr_mkey_put_bulk().
 *
 * @param pool
 *   Pool that the key was taken from.
 * @param mkey
 *   Key.
 * @return
 *   0, or
 *   - -EINVAL: mkey is NULL or anything else that did not come from this pool, or the key is in
 *     the pool already (logged); nothing was put
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_mkey_put(struct rte_umr_mkey_pool *pool, struct rte_umr_mkey *mkey)
{
	return rte_umr_mkey_put_bulk(pool, &mkey, 1);
}

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
 *   - -ENOTSUP: the device, or the pool of the key, has not the access (logged)
 *   - -EXDEV: the key belongs to another device (logged)
 *   - -ENOSPC: the ring or the memory of lists is full; poll completions and try again
 *   - -ENOTCONN: the queue is not connected
 *   - -EIO: the queue is in error; see rte_umr_queue_recover()
 *   - -ESHUTDOWN: the device is not started
 *   - -ENXIO: the queue is not set up
 *   - -ENODEV: no such device
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_mkey_list(int16_t dev_id, uint16_t queue_id, struct rte_umr_mkey *mkey, uint32_t access,
		  const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags)
{
	struct rte_umr_fp_queue *queue = rte_umr_fp_queue(dev_id, queue_id);
	int ret = queue->ops->mkey_list(queue, mkey, access, segs, nb_segs, flags);

	rte_umr_trace_mkey_list(dev_id, queue_id, RTE_UMR_TRACE_KEY(mkey, ret), access, nb_segs,
				flags, ret);
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
 *   - -ENOTSUP: the device has no interleaved layouts; it, or the pool of the key, has not the
 *     access (logged)
 *   - -EXDEV: the key belongs to another device (logged)
 *   - -ENOSPC: the ring or the memory of lists is full; poll completions and try again
 *   - -ENOTCONN: the queue is not connected
 *   - -EIO: the queue is in error; see rte_umr_queue_recover()
 *   - -ESHUTDOWN: the device is not started
 *   - -ENXIO: the queue is not set up
 *   - -ENODEV: no such device
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_mkey_interleaved(int16_t dev_id, uint16_t queue_id, struct rte_umr_mkey *mkey,
			 uint32_t access, uint32_t repeat,
			 const struct rte_umr_interleaved *entries, uint32_t nb_entries,
			 uint64_t flags)
{
	struct rte_umr_fp_queue *queue = rte_umr_fp_queue(dev_id, queue_id);
	int ret = queue->ops->mkey_interleaved(queue, mkey, access, repeat, entries, nb_entries,
					       flags);

	rte_umr_trace_mkey_interleaved(dev_id, queue_id, RTE_UMR_TRACE_KEY(mkey, ret), access,
				       repeat, nb_entries, flags, ret);
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
 *   - -ESHUTDOWN: the device is not started
 *   - -ENXIO: the queue is not set up
 *   - -ENODEV: no such device
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_mkey_invalidate(int16_t dev_id, uint16_t queue_id, struct rte_umr_mkey *mkey,
			uint64_t flags)
{
	struct rte_umr_fp_queue *queue = rte_umr_fp_queue(dev_id, queue_id);
	int ret = queue->ops->mkey_invalidate(queue, mkey, flags);

	rte_umr_trace_mkey_invalidate(dev_id, queue_id, RTE_UMR_TRACE_KEY(mkey, ret), flags, ret);
	return ret;
}

/**
 * Enqueue an operation that sets some properties of a memory key and keeps the others.
 *
 * What is set overrides what the key had: access is not added to older access, a layout of one
 * type takes the place of one of another. What is not set stays, also over an invalidation and a
 * new tag. Whatever is set, even nothing, the key is usable behind the operation, under the value
 * that rte_umr_mkey::key has now: a key that was invalidated comes back with its old layout.
 * That is why access alone, or nothing, can be set only of a key for which a layout was enqueued
 * since it was taken from its pool; with a signature or an encryption in front of its first layout
 * a key has no byte. If an operation on a key fails or is flushed, the key's layout is unknown, and
 * may be that of the owner before: the next operation on it has to set a layout.
 *
 * Arrays and structs are copied. Order and threads are those of rte_umr_mkey_list().
 *
 * A driver may use several descriptors of the device for it; the operation has one ring index and
 * one completion all the same, and fails if one of them does.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, [0, nb_queues - 1] as given to rte_umr_dev_configure().
 * @param op
 *   The key, which stays as it is on error, and what to set. Limits of a layout:
 *   - a list: as rte_umr_mkey_list();
 *   - interleaved: as rte_umr_mkey_interleaved();
 *   - fixed: [1, max_entries of the key, max_list] entries of 2^log_entry_size bytes.
 *   Signature and encryption take room in the ring: fewer entries fit there than of a list
 *   alone; see rte_umr_op_desc().
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*.
 * @return
 *   Ring index of the operation, [0, UINT16_MAX], or
 *   - -EINVAL: a setter, access right, layout type or flag is unknown, or two setters exclude each
 *     other; nb_entries, repeat, a length or a bytes_count is 0; a reserved field is not; a layout
 *     is not of the type that the pool of the key was made for; access alone, or nothing, is set
 *     of a key that has had no layout since it was taken; setters are without
 *     RTE_UMR_MKEY_SET_LAYOUT and an operation on the key failed or was flushed; sig or crypto is
 *     NULL or has a value that is unknown, or its cipher would be between two signatures (logged)
 *   - -ENOTSUP: the device, or the pool of the key, does not have what is to be set; no device has
 *     a transaction signature beside one of the other domain, or beside another cipher than struct
 *     rte_umr_crypto says (logged)
 *   - -E2BIG: nb_entries is more than the key, the device or nb_list_entries allow (logged)
 *   - -ERANGE: a length is more than max_entry_len, or a pattern that the device cannot repeat
 *     does not fit as a list; or the key would be 4 GiB or more with a signature or an encryption,
 *     or more than one data unit would pass its cipher on a device without
 *     RTE_UMR_CAPA_CRYPTO_MULTI_UNIT, or the field of a transaction would be all there is in
 *     memory (logged)
 *   - -EXDEV: the key, or the DEK of its encryption, belongs to another device (logged)
 *   - -EKEYREJECTED: the DEK is in RTE_UMR_DEK_ERROR (logged)
 *   - -ENOSPC: the ring or the memory of lists is full; poll completions and try again
 *   - -ENOTCONN: the queue is not connected
 *   - -EIO: the queue is in error; see rte_umr_queue_recover()
 *   - -ESHUTDOWN: the device is not started
 *   - -ENXIO: the queue is not set up
 *   - -ENODEV: no such device
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_mkey_configure(int16_t dev_id, uint16_t queue_id, const struct rte_umr_mkey_op *op,
		       uint64_t flags)
{
	struct rte_umr_fp_queue *queue = rte_umr_fp_queue(dev_id, queue_id);
	int ret = queue->ops->mkey_configure(queue, op, flags);

	rte_umr_trace_mkey_configure(dev_id, queue_id, RTE_UMR_TRACE_KEY(op->mkey, ret), flags,
				     ret);
	return ret;
}

/**
 * Enqueue an operation that exchanges some entries of a list, without the others, or makes the list
 * longer.
 *
 * The key is of a pool with RTE_UMR_MKEY_POOL_F_UPDATE and was configured with a list, or with
 * fixed-size entries. Its value, its access and the other entries stay; its length follows that of
 * the new entries, and what is behind them moves with it. The entries of a fixed-size key are as
 * long as its pool says. A key of a pool with F_SIG or F_CRYPTO keeps its length: the new entries
 * are as long together as the old ones.
 *
 * A key grows in place when the new entries go beyond the last one: up to the max_entries of the
 * key, and to any length (each entry has at most max_entry_len). What it had stays at its offsets,
 * so transfers of peers may go on meanwhile; the bytes behind it may be used by those that begin
 * when the operation has completed. The value of the key, which peers have, is the same.
 *
 * Order, ownership and threads are those of rte_umr_mkey_list(). The operation fails with
 * RTE_UMR_STATUS_MKEY_CONFIG if the key is invalidated. If an operation that configures or updates
 * the key fails or is flushed, configure it anew before the next update.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, [0, nb_queues - 1] as given to rte_umr_dev_configure().
 * @param mkey
 *   Key to change.
 * @param first
 *   First entry to exchange, [0, number of entries]; that number: append.
 * @param segs
 *   New entries [first, first + nb_segs); copied, the array may be reused on return.
 * @param nb_segs
 *   Number of entries, at least 1. What rte_umr_op_desc() tells go to memory of the
 *   queue (nb_list_entries), as those of a long list.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*.
 * @return
 *   Ring index of the operation, [0, UINT16_MAX], or
 *   - -EINVAL: nb_segs or a length is 0, a length is not that of a fixed-size key, the key would
 *     change its length but has a signature or an encryption, or a flag is unknown (logged)
 *   - -ENOTSUP: the pool of the key was made without RTE_UMR_MKEY_POOL_F_UPDATE (logged)
 *   - -ENOENT: the key has no list: it was not configured, is interleaved, or a layout or an
 *     update of it has failed since (logged)
 *   - -ERANGE: the list has less than first entries, or a length is more than max_entry_len
 *     (logged)
 *   - -E2BIG: first + nb_segs is more than the key was created for, or nb_list_entries does not
 *     allow that many (logged)
 *   - -EXDEV: the key belongs to another device (logged)
 *   - -ENOSPC: the ring or the memory of lists is full; poll completions and try again
 *   - -ENOTCONN: the queue is not connected
 *   - -EIO: the queue is in error; see rte_umr_queue_recover()
 *   - -ESHUTDOWN: the device is not started
 *   - -ENXIO: the queue is not set up
 *   - -ENODEV: no such device
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_mkey_update(int16_t dev_id, uint16_t queue_id, struct rte_umr_mkey *mkey, uint32_t first,
		    const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags)
{
	struct rte_umr_fp_queue *queue = rte_umr_fp_queue(dev_id, queue_id);
	int ret = queue->ops->mkey_update(queue, mkey, first, segs, nb_segs, flags);

	rte_umr_trace_mkey_update(dev_id, queue_id, RTE_UMR_TRACE_KEY(mkey, ret), flags, ret);
	return ret;
}

/**
 * Enqueue operations that set properties of keys: as many calls of rte_umr_mkey_configure(), for
 * less. Layouts and properties may be different from one operation to the next; what is cheapest
 * are runs of operations with access and a list, or a pattern, of the same length
 * (RTE_UMR_MKEY_SET_ACCESS_LAYOUT).
 *
 * Stops at the first operation that is rejected; those in front of it are enqueued, it and those
 * behind it are not. Ring indices of the operations follow each other. Order, ownership and
 * threads are those of rte_umr_mkey_configure().
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
 *   why. Or, if the first one was rejected:
 *   - -EINVAL: nb_ops is 0 (logged)
 *   - what rte_umr_mkey_configure() returns for it
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_mkey_configure_burst(int16_t dev_id, uint16_t queue_id, const struct rte_umr_mkey_op *ops,
			     uint16_t nb_ops, uint64_t flags)
{
	struct rte_umr_fp_queue *queue = rte_umr_fp_queue(dev_id, queue_id);
	int ret = queue->ops->mkey_configure_burst(queue, ops, nb_ops, flags);

	rte_umr_trace_mkey_configure_burst(dev_id, queue_id, ops, nb_ops, flags, ret);
	return ret;
}

/**
 * Enqueue operations that make keys unusable: as many calls of rte_umr_mkey_invalidate(), for
 * less. See rte_umr_mkey_configure_burst().
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
 *   Bitwise OR of RTE_UMR_OP_F_*, as for rte_umr_mkey_configure_burst().
 * @return
 *   Number of operations enqueued, [1, nb_mkeys]; fewer than nb_mkeys: a call for the rest tells
 *   why. Or, if the first one was rejected:
 *   - -EINVAL: nb_mkeys is 0 (logged)
 *   - what rte_umr_mkey_invalidate() returns for it
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_mkey_invalidate_burst(int16_t dev_id, uint16_t queue_id, struct rte_umr_mkey *const *mkeys,
			      uint16_t nb_mkeys, uint64_t flags)
{
	struct rte_umr_fp_queue *queue = rte_umr_fp_queue(dev_id, queue_id);
	int ret = queue->ops->mkey_invalidate_burst(queue, mkeys, nb_mkeys, flags);

	rte_umr_trace_mkey_invalidate_burst(dev_id, queue_id, mkeys, nb_mkeys, flags, ret);
	return ret;
}

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
 *   - -ESHUTDOWN: the device is not started
 *   - -ENXIO: the queue is not set up
 *   - -ENODEV: no such device
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_mw_bind(int16_t dev_id, uint16_t queue_id, struct rte_umr_mw *mw,
		const struct rte_umr_mw_range *range, uint64_t flags)
{
	struct rte_umr_fp_queue *queue = rte_umr_fp_queue(dev_id, queue_id);
	int ret = queue->ops->mw_bind(queue, mw, range, flags);

	rte_umr_trace_mw_bind(dev_id, queue_id, ret < 0 ? 0 : mw->rkey, flags, ret);
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
 *   - -ESHUTDOWN: the device is not started
 *   - -ENXIO: the queue is not set up
 *   - -ENODEV: no such device
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_mw_invalidate(int16_t dev_id, uint16_t queue_id, struct rte_umr_mw *mw, uint64_t flags)
{
	struct rte_umr_fp_queue *queue = rte_umr_fp_queue(dev_id, queue_id);
	int ret = queue->ops->mw_invalidate(queue, mw, flags);

	rte_umr_trace_mw_invalidate(dev_id, queue_id, ret < 0 ? 0 : mw->rkey, flags, ret);
	return ret;
}

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
 *   - -ESHUTDOWN: the device is not started
 *   - -ENXIO: the queue is not set up
 *   - -ENODEV: no such device
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_dc_addr_set(int16_t dev_id, uint16_t queue_id, const struct rte_umr_dc_addr *addr)
{
	struct rte_umr_fp_queue *queue = rte_umr_fp_queue(dev_id, queue_id);
	int ret = queue->ops->dc_addr_set(queue, addr);

	rte_umr_trace_dc_addr_set(dev_id, queue_id, addr, ret);
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
 *   - -ESHUTDOWN: the device is not started
 *   - -ENXIO: the queue is not set up
 *   - -ENODEV: no such device
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_write(int16_t dev_id, uint16_t queue_id, const struct rte_umr_seg *local,
	      uint64_t remote_addr, uint32_t rkey, uint64_t flags)
{
	struct rte_umr_fp_queue *queue = rte_umr_fp_queue(dev_id, queue_id);
	int ret = queue->ops->write(queue, local, remote_addr, rkey, flags);

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
RTE_UMR_INLINE int
rte_umr_write_imm(int16_t dev_id, uint16_t queue_id, const struct rte_umr_seg *local,
		  uint64_t remote_addr, uint32_t rkey, rte_be32_t imm, uint64_t flags)
{
	struct rte_umr_fp_queue *queue = rte_umr_fp_queue(dev_id, queue_id);
	int ret = queue->ops->write_imm(queue, local, remote_addr, rkey, imm, flags);

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
RTE_UMR_INLINE int
rte_umr_read(int16_t dev_id, uint16_t queue_id, const struct rte_umr_seg *local,
	     uint64_t remote_addr, uint32_t rkey, uint64_t flags)
{
	struct rte_umr_fp_queue *queue = rte_umr_fp_queue(dev_id, queue_id);
	int ret = queue->ops->read(queue, local, remote_addr, rkey, flags);

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
RTE_UMR_INLINE int
rte_umr_send(int16_t dev_id, uint16_t queue_id, const struct rte_umr_seg *local, uint64_t flags)
{
	struct rte_umr_fp_queue *queue = rte_umr_fp_queue(dev_id, queue_id);
	int ret = queue->ops->send(queue, local, flags);

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
RTE_UMR_INLINE int
rte_umr_send_imm(int16_t dev_id, uint16_t queue_id, const struct rte_umr_seg *local,
		 rte_be32_t imm, uint64_t flags)
{
	struct rte_umr_fp_queue *queue = rte_umr_fp_queue(dev_id, queue_id);
	int ret = queue->ops->send_imm(queue, local, imm, flags);

	rte_umr_trace_send_imm(dev_id, queue_id, local, flags, ret);
	return ret;
}

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
RTE_UMR_INLINE int
rte_umr_send_inv(int16_t dev_id, uint16_t queue_id, const struct rte_umr_seg *local, uint32_t rkey,
		 uint64_t flags)
{
	struct rte_umr_fp_queue *queue = rte_umr_fp_queue(dev_id, queue_id);
	int ret = queue->ops->send_inv(queue, local, rkey, flags);

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
 *   - -ESHUTDOWN: the device is not started
 *   - -ENXIO: the queue is not set up
 *   - -ENODEV: no such device
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_fetch_add(int16_t dev_id, uint16_t queue_id, const struct rte_umr_seg *local,
		  uint64_t remote_addr, uint32_t rkey, uint64_t add, uint64_t flags)
{
	struct rte_umr_fp_queue *queue = rte_umr_fp_queue(dev_id, queue_id);
	int ret = queue->ops->fetch_add(queue, local, remote_addr, rkey, add, flags);

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
RTE_UMR_INLINE int
rte_umr_cmp_swap(int16_t dev_id, uint16_t queue_id, const struct rte_umr_seg *local,
		 uint64_t remote_addr, uint32_t rkey, uint64_t compare, uint64_t swap,
		 uint64_t flags)
{
	struct rte_umr_fp_queue *queue = rte_umr_fp_queue(dev_id, queue_id);
	const struct rte_umr_swap operands = { compare, swap };
	int ret;

	ret = queue->ops->cmp_swap(queue, local, remote_addr, rkey, &operands, flags);
	rte_umr_trace_cmp_swap(dev_id, queue_id, local, remote_addr, rkey, flags, ret);
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
 * are rejected on such a queue.
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
 *   - -ESHUTDOWN: the device is not started
 *   - -ENXIO: the queue is not set up
 *   - -ENODEV: no such device
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_recv(int16_t dev_id, uint16_t queue_id, const struct rte_umr_seg *segs, uint32_t nb_segs,
	     uint64_t flags)
{
	struct rte_umr_fp_queue *queue = rte_umr_fp_queue(dev_id, queue_id);
	int ret = queue->ops->recv(queue, segs, nb_segs, flags);

	rte_umr_trace_recv(dev_id, queue_id, segs, nb_segs, flags, ret);
	return ret;
}

/**
 * Enqueue RDMA writes: as many calls of rte_umr_write(), for less.
 *
 * Stops at the first that is rejected; those in front of it are enqueued, it and those behind it
 * are not. Ring indices follow each other. Room is looked for once, and there is one doorbell.
 * Order, ownership and threads are those of rte_umr_write().
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, [0, nb_queues - 1] as given to rte_umr_dev_configure().
 * @param ops
 *   Array of nb_ops; read only, may be reused on return.
 * @param nb_ops
 *   Number of them, [1, UINT16_MAX].
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*. RTE_UMR_OP_F_FENCE is for the first operation;
 *   RTE_UMR_OP_F_SUBMIT hands what is enqueued to the device if that is at least one.
 * @return
 *   Number of operations enqueued, [1, nb_ops]; fewer than nb_ops: a call for the rest tells why.
 *   Or, if the first one was rejected:
 *   - -EINVAL: nb_ops is 0, or a reserved field is not (logged)
 *   - what rte_umr_write() returns for it
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_write_burst(int16_t dev_id, uint16_t queue_id, const struct rte_umr_rdma_op *ops,
			    uint16_t nb_ops, uint64_t flags)
{
	struct rte_umr_fp_queue *queue = rte_umr_fp_queue(dev_id, queue_id);
	int ret = queue->ops->write_burst(queue, ops, nb_ops, flags);

	rte_umr_trace_write_burst(dev_id, queue_id, ops, nb_ops, flags, ret);
	return ret;
}

/**
 * Enqueue RDMA reads: as many calls of rte_umr_read(), for less.
 *
 * Stops at the first that is rejected; those in front of it are enqueued, it and those behind it
 * are not. Ring indices follow each other. Room is looked for once, and there is one doorbell.
 * Order, ownership and threads are those of rte_umr_read().
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, [0, nb_queues - 1] as given to rte_umr_dev_configure().
 * @param ops
 *   Array of nb_ops; read only, may be reused on return.
 * @param nb_ops
 *   Number of them, [1, UINT16_MAX].
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*. RTE_UMR_OP_F_FENCE is for the first operation;
 *   RTE_UMR_OP_F_SUBMIT hands what is enqueued to the device if that is at least one.
 * @return
 *   Number of operations enqueued, [1, nb_ops]; fewer than nb_ops: a call for the rest tells why.
 *   Or, if the first one was rejected:
 *   - -EINVAL: nb_ops is 0, or a reserved field is not (logged)
 *   - what rte_umr_read() returns for it
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_read_burst(int16_t dev_id, uint16_t queue_id, const struct rte_umr_rdma_op *ops,
			    uint16_t nb_ops, uint64_t flags)
{
	struct rte_umr_fp_queue *queue = rte_umr_fp_queue(dev_id, queue_id);
	int ret = queue->ops->read_burst(queue, ops, nb_ops, flags);

	rte_umr_trace_read_burst(dev_id, queue_id, ops, nb_ops, flags, ret);
	return ret;
}

/**
 * Enqueue sends of a segment each: as many calls of rte_umr_send(), for less.
 *
 * Stops at the first that is rejected; those in front of it are enqueued, it and those behind it
 * are not. Ring indices follow each other. Room is looked for once, and there is one doorbell.
 * Order, ownership and threads are those of rte_umr_send().
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, [0, nb_queues - 1] as given to rte_umr_dev_configure().
 * @param segs
 *   Array of nb_segs; read only, may be reused on return.
 * @param nb_segs
 *   Number of them, [1, UINT16_MAX].
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*. RTE_UMR_OP_F_FENCE is for the first operation;
 *   RTE_UMR_OP_F_SUBMIT hands what is enqueued to the device if that is at least one.
 * @return
 *   Number of operations enqueued, [1, nb_segs]; fewer than nb_segs: a call for the rest tells why.
 *   Or, if the first one was rejected:
 *   - -EINVAL: nb_segs is 0 (logged)
 *   - what rte_umr_send() returns for it
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_send_burst(int16_t dev_id, uint16_t queue_id, const struct rte_umr_seg *segs,
			    uint16_t nb_segs, uint64_t flags)
{
	struct rte_umr_fp_queue *queue = rte_umr_fp_queue(dev_id, queue_id);
	int ret = queue->ops->send_burst(queue, segs, nb_segs, flags);

	rte_umr_trace_send_burst(dev_id, queue_id, segs, nb_segs, flags, ret);
	return ret;
}

/**
 * Post receives of a segment each: as many calls of rte_umr_recv(), for less.
 *
 * Stops at the first that is rejected; those in front of it are enqueued, it and those behind it
 * are not. Ring indices follow each other. Room is looked for once, and there is one doorbell.
 * Order, ownership and threads are those of rte_umr_recv().
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, [0, nb_queues - 1] as given to rte_umr_dev_configure().
 * @param segs
 *   Array of nb_segs; read only, may be reused on return.
 * @param nb_segs
 *   Number of them, [1, UINT16_MAX].
 * @param flags
 *   Zero: a receive has none.
 * @return
 *   Number of operations enqueued, [1, nb_segs]; fewer than nb_segs: a call for the rest tells why.
 *   Or, if the first one was rejected:
 *   - -EINVAL: nb_segs is 0 (logged)
 *   - what rte_umr_recv() returns for it
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_recv_burst(int16_t dev_id, uint16_t queue_id, const struct rte_umr_seg *segs,
			    uint16_t nb_segs, uint64_t flags)
{
	struct rte_umr_fp_queue *queue = rte_umr_fp_queue(dev_id, queue_id);
	int ret = queue->ops->recv_burst(queue, segs, nb_segs, flags);

	rte_umr_trace_recv_burst(dev_id, queue_id, segs, nb_segs, flags, ret);
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
 *   - -ESHUTDOWN: the device is not started
 *   - -ENXIO: the queue is not set up
 *   - -ENODEV: no such device
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_submit(int16_t dev_id, uint16_t queue_id)
{
	struct rte_umr_fp_queue *queue = rte_umr_fp_queue(dev_id, queue_id);
	int ret = queue->ops->submit(queue);

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
RTE_UMR_INLINE uint16_t
rte_umr_completed(int16_t dev_id, uint16_t queue_id, uint16_t nb_max, uint16_t *last_idx,
		  bool *has_error)
{
	struct rte_umr_fp_queue *queue = rte_umr_fp_queue(dev_id, queue_id);
	uint16_t idx = 0;
	bool error = false;
	uint16_t nb;

	if (last_idx == NULL)
		last_idx = &idx;
	if (has_error == NULL)
		has_error = &error;
	nb = queue->ops->completed(queue, nb_max, last_idx, has_error);
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
RTE_UMR_INLINE uint16_t
rte_umr_completed_status(int16_t dev_id, uint16_t queue_id, uint16_t nb_max,
			 struct rte_umr_completion *done)
{
	struct rte_umr_fp_queue *queue = rte_umr_fp_queue(dev_id, queue_id);
	uint16_t nb = queue->ops->completed_status(queue, nb_max, done);

	/* Polls that find nothing would fill the trace. */
	if (nb != 0)
		rte_umr_trace_completed_status(dev_id, queue_id, nb_max, done, nb);
	return nb;
}

/**
 * Collect receives with their status, in the order in which they were posted. Those of a DC target
 * come in the order in which messages came to their end, which those of several initiators do in
 * any; those that it gives back come behind them, in the order in which they were posted.
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
RTE_UMR_INLINE uint16_t
rte_umr_recv_completed(int16_t dev_id, uint16_t queue_id, uint16_t nb_max,
		       struct rte_umr_completion *done)
{
	struct rte_umr_fp_queue *queue = rte_umr_fp_queue(dev_id, queue_id);
	uint16_t nb = queue->ops->recv_completed(queue, nb_max, done);

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
RTE_UMR_INLINE uint16_t
rte_umr_desc_avail(int16_t dev_id, uint16_t queue_id)
{
	struct rte_umr_fp_queue *queue = rte_umr_fp_queue(dev_id, queue_id);

	return queue->ops->desc_avail(queue);
}

/** Bytes of the field that a signature of that type has behind its data; 0 for none. */
__rte_experimental
RTE_UMR_INLINE uint32_t
rte_umr_sig_size(enum rte_umr_sig_type type)
{
	switch (type) {
	case RTE_UMR_SIG_CRC32:
	case RTE_UMR_SIG_CRC32C:
		return 4;
	case RTE_UMR_SIG_T10DIF_CRC:
	case RTE_UMR_SIG_T10DIF_CSUM:
	case RTE_UMR_SIG_CRC64_XP10:
		return 8;
	case RTE_UMR_SIG_NONE:
	default:
		return 0;
	}
}

/**
 * Read the error of a memory key with a signature, and forget it.
 *
 * The error of a transfer is there when the operation has been collected, on the side whose key
 * it is: a write or read of this device by rte_umr_completed() or rte_umr_completed_status() of
 * its queue; a transfer of the peer by rte_umr_recv_completed() of the queue that it came to, or,
 * if that one has no receives, by the former. The error is kept until it is read, the key is put
 * back to its pool, or the next one takes its place.
 *
 * An error tells the key, but not which of its configurations, and the device tells the next one
 * only when the key was configured again behind it. So collect what was moved before the key is
 * configured again: on all queues that moved it, also behind operations that were flushed. An error
 * that is collected later counts as one of the key as it is then, is decoded by the types of that
 * signature, and what the new configuration finds is not told.
 *
 * Thread safe, also with operations on the key, and with threads that collect. Of threads that ask
 * at once, one is told; a thread other than the one that has collected may be told later.
 *
 * @param mkey
 *   Key of a pool with RTE_UMR_MKEY_POOL_F_SIG; its device is started.
 * @param error
 *   Written on success; type is RTE_UMR_MKEY_ERROR_NONE if there is no error.
 * @return
 *   0, or
 *   - -ENOTSUP: the pool of the key was made without RTE_UMR_MKEY_POOL_F_SIG (logged)
 *   - -EPROTO: the device told an error that this key cannot have (logged); it is forgotten
 *   - -ESHUTDOWN: the device is not started
 *   - -ENODEV: no such device
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_mkey_check(struct rte_umr_mkey *mkey, struct rte_umr_mkey_error *error)
{
#ifdef RTE_UMR_DEBUG
	return rte_umr_debug_mkey_check(mkey, error);
#else
	return rte_umr_fp_objs[mkey->dev_id].mkey_check(mkey, error);
#endif
}

#ifdef __cplusplus
}
#endif

#endif /* RTE_UMR_DATA_H */
