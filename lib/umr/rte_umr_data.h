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
 * Identifiers are not checked: dev_id must be in [0, RTE_UMR_MAX_DEVS - 1] and queue_id in [0,
 * RTE_UMR_MAX_QUEUES - 1]. The functions of a queue are not thread safe: a queue belongs to one
 * lcore at a time, and different queues are independent.
 *
 * @par Enqueue functions
 * They write operations to the ring of a queue. The device receives them after rte_umr_submit() or
 * a call with RTE_UMR_OP_F_SUBMIT. These errors are common to all enqueue functions:
 *   - -ENOSPC: the ring, or the memory of long lists, is full; poll completions and try again
 *   - -ENOTCONN: the queue is not connected
 *   - -EIO: the queue is in the error state; see rte_umr_queue_recover()
 *   - -ESHUTDOWN: the device is not started
 *   - -ENXIO: the queue is not set up
 *   - -ENODEV: no device with this identifier is open
 *
 * @par
 * Of the errors that are marked "first logged", a queue logs the first for each reason, with value
 * and limit, and counts all of them; see enum rte_umr_reject.
 *
 * @par
 * A call causes no fault in any state of the device. In the cases of the last three errors,
 * functions that collect completions return 0, except for operations that were outstanding when the
 * device was stopped.
 *
 * @par Bursts
 * A burst function does the same as one call per operation, at lower cost; those for transfers and
 * receives check for room once and ring one doorbell. A burst stops at the first operation that is
 * rejected: operations before it are enqueued, it and those after it are not. Ring indices are
 * consecutive, from the one that rte_umr_next_idx() returned before the call. RTE_UMR_OP_F_FENCE
 * applies to the first operation, and thereby to all;
 * RTE_UMR_OP_F_SUBMIT submits the enqueued operations if there is at least one. If fewer operations
 * than given are enqueued, a call for the rest returns the error.
 *
 * @par RTE_UMR_DEBUG
 * A library built with RTE_UMR_DEBUG (meson: -Dumr_debug=true) performs additional checks. Each
 * call can then also return these errors, and logs the reason each time:
 *   - -EBUSY: another thread is in a function of this queue; functions that return a number of
 *     completions or descriptors return 0
 *   - -EINVAL: a pointer is not a memory key but a copy of one, the key is in its pool, or the pool
 *     was destroyed; an array, a descriptor or its entries are NULL; the memory window, or the
 *     region to bind it to, does not exist. The pointer is not dereferenced. A burst stops before
 *     such an operation.
 *
 * In programs that are built with RTE_UMR_DEBUG (pkg-config sets it if the library was), inline
 * functions also check dev_id and queue_id: values out of range return -ENODEV and -ENXIO.
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

/* Inline functions call each other: what is experimental is marked where a program calls it. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/**
 * @name Operation flags
 * @{
 */
/** Submit this operation and all before it to the device, as rte_umr_submit() does. */
#define RTE_UMR_OP_F_SUBMIT	RTE_BIT64(0)
/** Start after earlier RDMA reads have returned their data. */
#define RTE_UMR_OP_F_FENCE	RTE_BIT64(1)
/**
 * The CPU copies the bytes at local->addr during the call: the memory may be reused at once, and
 * local->lkey is ignored. Writes and sends only, of at most max_inline bytes.
 */
#define RTE_UMR_OP_F_INLINE	RTE_BIT64(2)
/** Flags that every operation accepts. */
#define RTE_UMR_OP_F_ALL	(RTE_UMR_OP_F_SUBMIT | RTE_UMR_OP_F_FENCE)
/**@}*/

/** Type of an operation, as its completion reports it. */
enum rte_umr_op_type {
	RTE_UMR_OP_MKEY_LIST = 0, /**< rte_umr_mkey_list() */
	RTE_UMR_OP_MKEY_INTERLEAVED, /**< rte_umr_mkey_interleaved() */
	RTE_UMR_OP_MKEY_INVALIDATE, /**< rte_umr_mkey_invalidate() */
	RTE_UMR_OP_WRITE, /**< rte_umr_write(), rte_umr_write_imm() */
	RTE_UMR_OP_READ, /**< rte_umr_read() */
	RTE_UMR_OP_SEND, /**< rte_umr_send(), rte_umr_send_imm(), rte_umr_send_inv() */
	RTE_UMR_OP_RECV, /**< rte_umr_recv() that received a send, or was flushed */
	RTE_UMR_OP_RECV_WRITE_IMM, /**< rte_umr_recv() that received a write with immediate */
	RTE_UMR_OP_FETCH_ADD, /**< rte_umr_fetch_add() */
	RTE_UMR_OP_CMP_SWAP, /**< rte_umr_cmp_swap() */
	RTE_UMR_OP_MKEY_CONFIGURE, /**< rte_umr_mkey_configure() */
	RTE_UMR_OP_MKEY_UPDATE, /**< rte_umr_mkey_update() */
	RTE_UMR_OP_MW_BIND, /**< rte_umr_mw_bind() */
	RTE_UMR_OP_MW_INVALIDATE, /**< rte_umr_mw_invalidate() */
};

/** Status of a completed operation. */
enum rte_umr_status {
	RTE_UMR_STATUS_SUCCESS = 0, /**< Done. */
	RTE_UMR_STATUS_FLUSHED, /**< Flushed because the queue is in error or stopped. */
	RTE_UMR_STATUS_LOCAL_LENGTH, /**< Longer than the memory, the receive or the limit. */
	RTE_UMR_STATUS_LOCAL_QP_OP, /**< The queue does not support this operation. */
	RTE_UMR_STATUS_LOCAL_PROT, /**< Bad local key, bounds, access right or unmapped memory. */
	RTE_UMR_STATUS_MKEY_CONFIG, /**< The key could not be configured or invalidated. */
	RTE_UMR_STATUS_BAD_RESPONSE, /**< The response of the peer does not match a request. */
	RTE_UMR_STATUS_LOCAL_ACCESS, /**< The peer's request was denied access here. */
	RTE_UMR_STATUS_REMOTE_INVALID, /**< The peer rejected the request as invalid. */
	RTE_UMR_STATUS_REMOTE_ACCESS, /**< Bad remote key, bounds or access right. */
	RTE_UMR_STATUS_REMOTE_OP, /**< The peer could not complete the request. */
	RTE_UMR_STATUS_RETRY_EXCEEDED, /**< The peer did not respond. */
	RTE_UMR_STATUS_RNR_RETRY_EXCEEDED, /**< The peer had no receive posted. */
	RTE_UMR_STATUS_REMOTE_ABORTED, /**< The peer aborted the request. */
	RTE_UMR_STATUS_UNKNOWN, /**< The device reported an unknown code; see syndrome. */
};

/** RTE_UMR_COMPLETION_F_*: rte_umr_completion::imm is valid. */
#define RTE_UMR_COMPLETION_F_IMM RTE_BIT32(0)
/** RTE_UMR_COMPLETION_F_*: rte_umr_completion::invalidated is valid. */
#define RTE_UMR_COMPLETION_F_INVALIDATED RTE_BIT32(1)

/**
 * Result of one operation. Four of them fill a cache line, so there are no reserved members:
 * further results (a timestamp, the sender of a message) would get a function of their own.
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
		/** Immediate data, as the peer sent it. With RTE_UMR_COMPLETION_F_IMM. */
		rte_be32_t imm;
		/**
		 * Key that the send of the peer invalidated, in host byte order. With
		 * RTE_UMR_COMPLETION_F_INVALIDATED.
		 */
		uint32_t invalidated;
	};
};

/**
 * The functions of this header are inline for C and C++. The library also exports them under the
 * same names. Binding generators that only read the header and skip inline functions (Rust's
 * bindgen, for example) need -DRTE_UMR_OUT_OF_LINE; callers by name (Python's ctypes) need only the
 * library. Calls that are not inlined have no trace points.
 */
#ifndef RTE_UMR_INLINE
#ifdef RTE_UMR_OUT_OF_LINE
#define RTE_UMR_INLINE __attribute__((weak))
#else
#define RTE_UMR_INLINE static inline
#endif
#endif

/** @cond TRACE */
/* A rejected key is not read: it may have been freed. */
#ifdef RTE_UMR_DEBUG
#define RTE_UMR_TRACE_KEY(mkey, ret) ((ret) < 0 ? 0 : (mkey)->key)
#else
#define RTE_UMR_TRACE_KEY(mkey, ret) ((mkey)->key)
#endif
/** @endcond */

/** Return value of rte_umr_addr_to_mkey() if memory has no key. */
#define RTE_UMR_LKEY_NONE UINT32_MAX

/**
 * Find the key of a memory range, on the data path: the same key as rte_umr_mr_lookup(), which
 * describes the rules.
 *
 * Each lcore caches results, in 8 KiB for each device. Regions of a hugepage or longer have their
 * own half, so small regions do not evict them. Registering or deregistering a region clears all
 * caches. Threads that are not lcores, and lcores that have no entry for the memory, search the
 * table: a binary search, plus one step for each nested region that is too short for the range.
 * There are no locks; a search restarts while a region is being registered or deregistered.
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
 *   Key for local use, in host byte order, of a region that contains the whole range.
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
 * Find the keys of memory ranges, like one call of rte_umr_addr_to_mkey() for each. The segments
 * can then be passed to rte_umr_mkey_list() and transfers.
 *
 * @param dev_id
 *   Device identifier, [0, RTE_UMR_MAX_DEVS - 1].
 * @param segs
 *   Array of nb_segs ranges: addr and length are read, lkey is written.
 * @param nb_segs
 *   Number of ranges.
 * @return
 *   Number of keys written, [0, nb_segs]. If it is less than nb_segs, the next range has no key.
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

/** Bytes of an atomic operation. */
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
 * Put one key back into its pool; see rte_umr_mkey_put_bulk().
 *
 * @param pool
 *   Pool that the key was taken from.
 * @param mkey
 *   Key.
 * @return
 *   0, or
 *   - -EINVAL: mkey is NULL or not a key of this pool, or the key is already in the pool (logged);
 *     nothing was put
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_mkey_put(struct rte_umr_mkey_pool *pool, struct rte_umr_mkey *mkey)
{
	return rte_umr_mkey_put_bulk(pool, &mkey, 1);
}

/**
 * Enqueue an operation that maps a list of segments to a memory key, consecutively from offset 0.
 *
 * Following operations on the same queue may use the key at once; on another queue they must wait
 * for the completion. The previous layout and the previous tag of the key stop working: transfers
 * that use them must have completed before.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param mkey
 *   Key to configure, from a pool of this device. It keeps its previous layout on error.
 * @param access
 *   Bitwise OR of RTE_UMR_ACCESS_*: access that the key allows, within that of its segments.
 * @param segs
 *   Segments in order; copied, the array may be reused on return. They may overlap.
 * @param nb_segs
 *   Number of segments, [1, max_entries of the key], and at most max_list. More than
 *   max_list_inline use memory of the queue (nb_list_entries) until the operation is collected.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*.
 * @return
 *   Ring index of the operation, [0, UINT16_MAX], or
 *   - -EINVAL: nb_segs is 0, a length is 0, or a flag or access bit is unknown (first logged)
 *   - -E2BIG: nb_segs is more than the key, max_list or nb_list_entries allow (first logged)
 *   - -ERANGE: a length is more than max_entry_len (first logged)
 *   - -ENOTSUP: the device, or the pool of the key, does not support the access (first logged)
 *   - -EXDEV: the key belongs to another device (first logged)
 *   - -ENOSPC or -ENOTCONN or -EIO or -ESHUTDOWN or -ENXIO or -ENODEV: common to all enqueue
 *     functions, see the description of this file
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_mkey_list(int16_t dev_id, uint16_t queue_id, struct rte_umr_mkey *mkey, uint32_t access,
		  const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags)
{
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);
	int ret = fp->ops->mkey_list(fp->queue, mkey, access, segs, nb_segs, flags);

	rte_umr_trace_mkey_list(dev_id, queue_id, RTE_UMR_TRACE_KEY(mkey, ret), access, nb_segs,
				flags, ret);
	return ret;
}

/**
 * Enqueue an operation that maps an interleaved pattern to a memory key: it takes bytes_count bytes
 * of each entry in turn and repeats this repeat times, with each entry advancing by bytes_count +
 * bytes_skip. A pattern of more than max_interleaved_stride, which the device cannot repeat, is
 * converted to the equivalent list.
 *
 * Order and ownership are the same as for rte_umr_mkey_list().
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param mkey
 *   Key to configure, from a pool of this device. It keeps its previous layout on error.
 * @param access
 *   Bitwise OR of RTE_UMR_ACCESS_*: access that the key allows, within that of its entries.
 * @param repeat
 *   Number of repetitions, [1, UINT32_MAX].
 * @param entries
 *   Entries in order; copied, the array may be reused on return.
 * @param nb_entries
 *   Number of entries, [1, max_entries of the key - 1] and at most max_interleaved. More than
 *   max_interleaved_inline use memory of the queue (nb_list_entries), like a long list.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*.
 * @return
 *   Ring index of the operation, [0, UINT16_MAX], or
 *   - -EINVAL: nb_entries, repeat or a bytes_count is 0, or a flag or access bit is unknown
 *     (first logged)
 *   - -E2BIG: nb_entries is more than the key, max_interleaved or nb_list_entries allow
 *     (first logged)
 *   - -ERANGE: bytes_count + bytes_skip is more than max_interleaved_stride, and the key is too
 *     small for a list of nb_entries * repeat entries; or a bytes_count is more than max_entry_len
 *     (first logged)
 *   - -ENOTSUP: the device does not support interleaved layouts; it, or the pool of the key, does
 *     not support the access (first logged)
 *   - -EXDEV: the key belongs to another device (first logged)
 *   - -ENOSPC or -ENOTCONN or -EIO or -ESHUTDOWN or -ENXIO or -ENODEV: common to all enqueue
 *     functions, see the description of this file
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_mkey_interleaved(int16_t dev_id, uint16_t queue_id, struct rte_umr_mkey *mkey,
			 uint32_t access, uint32_t repeat,
			 const struct rte_umr_interleaved *entries, uint32_t nb_entries,
			 uint64_t flags)
{
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);
	int ret = fp->ops->mkey_interleaved(fp->queue, mkey, access, repeat, entries, nb_entries,
					       flags);

	rte_umr_trace_mkey_interleaved(dev_id, queue_id, RTE_UMR_TRACE_KEY(mkey, ret), access,
				       repeat, nb_entries, flags, ret);
	return ret;
}

/**
 * Enqueue an operation that invalidates a memory key: it cannot be used until it is configured
 * again.
 *
 * The value of the key must be the configured one: invalidate a key before putting it back into its
 * pool, where its tag changes. Transfers that use the key must have completed before.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param mkey
 *   Key of a pool of this device.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*.
 * @return
 *   Ring index of the operation, [0, UINT16_MAX], or
 *   - -EINVAL: a flag is unknown (first logged)
 *   - -EXDEV: the key belongs to another device (first logged)
 *   - -ENOSPC or -ENOTCONN or -EIO or -ESHUTDOWN or -ENXIO or -ENODEV: common to all enqueue
 *     functions, see the description of this file
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_mkey_invalidate(int16_t dev_id, uint16_t queue_id, struct rte_umr_mkey *mkey,
			uint64_t flags)
{
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);
	int ret = fp->ops->mkey_invalidate(fp->queue, mkey, flags);

	rte_umr_trace_mkey_invalidate(dev_id, queue_id, RTE_UMR_TRACE_KEY(mkey, ret), flags, ret);
	return ret;
}

/**
 * Enqueue an operation that sets selected properties of a memory key and keeps the others.
 *
 * A new value replaces the previous one: access is not added to older access, and a layout of one
 * type replaces one of another. Other properties stay, also after an invalidation and with a new
 * tag. After the operation the key is usable under the value that rte_umr_mkey::key has now,
 * regardless of what is set (even nothing): an invalidated key gets its old layout back. Therefore
 * access alone, or nothing, can only be set if a layout was enqueued since the key was taken from
 * its pool. A key with a signature or an encryption but without a first layout has no bytes. If an
 * operation on a key fails or is flushed, its layout is unknown and may be that of the previous
 * owner: the next operation on the key must set a layout.
 *
 * Arrays and structs are copied. The order is the same as for rte_umr_mkey_list().
 *
 * A driver may use several descriptors for the operation. It still has one ring index and one
 * completion, and fails if one of the descriptors fails.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param op
 *   Key, which does not change on error, and the properties to set. Limits of a layout:
 *   - a list: as rte_umr_mkey_list();
 *   - interleaved: as rte_umr_mkey_interleaved();
 *   - fixed: [1, max_entries of the key, max_list] entries of 2^log_entry_size bytes.
 *   Signature and encryption take room in the ring, so fewer entries fit; see rte_umr_op_desc().
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*.
 * @return
 *   Ring index of the operation, [0, UINT16_MAX], or
 *   - -EINVAL: a setter, access right, layout type or flag is unknown, or two setters exclude each
 *     other; nb_entries, repeat, a length or a bytes_count is 0; a reserved field is not 0; the
 *     layout does not have the type of the key's pool, or ends beyond 2^64; access alone, or
 *     nothing, is set for a key that has had no layout since it was taken; RTE_UMR_MKEY_SET_LAYOUT
 *     is missing after an operation on the key failed or was flushed; sig or crypto is NULL or has
 *     an unknown value, or the cipher would be between two signatures (first logged)
 *   - -ENOTSUP: the device, or the pool of the key, does not support what is to be set; no device
 *     supports a transaction signature together with one of the other domain, or with a cipher
 *     other than struct rte_umr_crypto describes (first logged)
 *   - -E2BIG: nb_entries is more than the key, the device or nb_list_entries allow (first logged)
 *   - -ERANGE: a length is more than max_entry_len, or a pattern that the device cannot repeat does
 *     not fit as a list; or the key would be 4 GiB or more with a signature or an encryption, or
 *     more than one data unit would pass its cipher on a device without
 *     RTE_UMR_CAPA_CRYPTO_MULTI_UNIT, or memory would contain nothing but the field of a
 *     transaction (first logged)
 *   - -EXDEV: the key, or the DEK of its encryption, belongs to another device (first logged)
 *   - -EKEYREJECTED: the DEK is in RTE_UMR_DEK_ERROR (first logged)
 *   - -ENOSPC or -ENOTCONN or -EIO or -ESHUTDOWN or -ENXIO or -ENODEV: common to all enqueue
 *     functions, see the description of this file
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_mkey_configure(int16_t dev_id, uint16_t queue_id, const struct rte_umr_mkey_op *op,
		       uint64_t flags)
{
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);
	int ret = fp->ops->mkey_configure(fp->queue, op, flags);

	rte_umr_trace_mkey_configure(dev_id, queue_id, RTE_UMR_TRACE_KEY(op->mkey, ret), flags,
				     ret);
	return ret;
}

/**
 * Enqueue an operation that replaces some entries of a list, or appends entries to it.
 *
 * The key belongs to a pool with RTE_UMR_MKEY_POOL_F_UPDATE and was configured with a list, or with
 * fixed-size entries. Its value, its access and the other entries stay. Its length changes with
 * that of the new entries, and the offsets of later bytes move accordingly. The entries of a
 * fixed-size key have the length set by its pool. A key of a pool with F_SIG or F_CRYPTO keeps its
 * length: the new entries have the same total length as the old ones.
 *
 * A key grows in place when the new entries extend beyond the last one: up to the max_entries of
 * the key, and to any length (each entry has at most max_entry_len). Existing bytes keep their
 * offsets, so transfers of peers may continue; the new bytes may be used by transfers that begin
 * after the operation has completed. The value of the key, which peers have, does not change.
 *
 * Order and ownership are the same as for rte_umr_mkey_list(). The operation fails with
 * RTE_UMR_STATUS_MKEY_CONFIG if the key is invalidated. If an operation that configures or updates
 * the key fails or is flushed, configure the key again before the next update.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param mkey
 *   Key to change.
 * @param first
 *   First entry to replace, [0, number of entries]; the number of entries appends.
 * @param segs
 *   New entries [first, first + nb_segs); copied, the array may be reused on return.
 * @param nb_segs
 *   Number of entries, at least 1. Entries that rte_umr_op_desc() reports use memory of the queue
 *   (nb_list_entries), like those of a long list.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*.
 * @return
 *   Ring index of the operation, [0, UINT16_MAX], or
 *   - -EINVAL: nb_segs or a length is 0, a length differs from that of a fixed-size key, the length
 *     of a key with a signature or an encryption would change, or a flag is unknown (first logged)
 *   - -ENOTSUP: the pool of the key was created without RTE_UMR_MKEY_POOL_F_UPDATE (first logged)
 *   - -ENOENT: the key has no list: it was not configured, is interleaved, or configuring its
 *     layout or updating it has failed since (first logged)
 *   - -ERANGE: the list has fewer than first entries, or a length is more than max_entry_len
 *     (first logged)
 *   - -E2BIG: first + nb_segs is more than the key was created for, or nb_list_entries does not
 *     allow that many (first logged)
 *   - -EXDEV: the key belongs to another device (first logged)
 *   - -ENOSPC or -ENOTCONN or -EIO or -ESHUTDOWN or -ENXIO or -ENODEV: common to all enqueue
 *     functions, see the description of this file
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_mkey_update(int16_t dev_id, uint16_t queue_id, struct rte_umr_mkey *mkey, uint32_t first,
		    const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags)
{
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);
	int ret = fp->ops->mkey_update(fp->queue, mkey, first, segs, nb_segs, flags);

	rte_umr_trace_mkey_update(dev_id, queue_id, RTE_UMR_TRACE_KEY(mkey, ret), flags, ret);
	return ret;
}

/**
 * Enqueue a burst of rte_umr_mkey_configure(). Layouts and properties may differ between
 * operations. Sequences of operations that set access and a list, or a pattern, of the same length
 * are the fastest (RTE_UMR_MKEY_SET_ACCESS_LAYOUT).
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param ops
 *   Array of nb_ops operations; read only, may be reused on return.
 * @param nb_ops
 *   Number of operations, [1, UINT16_MAX].
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*.
 * @return
 *   Number of operations enqueued, [1, nb_ops], or, if the first one was rejected:
 *   - -EINVAL: nb_ops is 0 (first logged)
 *   - what rte_umr_mkey_configure() returns for it
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_mkey_configure_burst(int16_t dev_id, uint16_t queue_id, const struct rte_umr_mkey_op *ops,
			     uint16_t nb_ops, uint64_t flags)
{
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);
	int ret = fp->ops->mkey_configure_burst(fp->queue, ops, nb_ops, flags);

	rte_umr_trace_mkey_configure_burst(dev_id, queue_id, ops, nb_ops, flags, ret);
	return ret;
}

/**
 * Enqueue a burst of rte_umr_mkey_invalidate().
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param mkeys
 *   Array of nb_mkeys keys of pools of this device.
 * @param nb_mkeys
 *   Number of keys, [1, UINT16_MAX].
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*.
 * @return
 *   Number of operations enqueued, [1, nb_mkeys], or, if the first one was rejected:
 *   - -EINVAL: nb_mkeys is 0 (first logged)
 *   - what rte_umr_mkey_invalidate() returns for it
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_mkey_invalidate_burst(int16_t dev_id, uint16_t queue_id, struct rte_umr_mkey *const *mkeys,
			      uint16_t nb_mkeys, uint64_t flags)
{
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);
	int ret = fp->ops->mkey_invalidate_burst(fp->queue, mkeys, nb_mkeys, flags);

	rte_umr_trace_mkey_invalidate_burst(dev_id, queue_id, mkeys, nb_mkeys, flags, ret);
	return ret;
}

/**
 * Enqueue an operation that binds a window to a part of a memory region.
 *
 * When the call returns, rte_umr_mw::rkey is the value of the window after this operation: the tag
 * in its low byte advances, so the value of the previous bind stops working. A send that follows
 * the bind on the same queue may pass it to the peer; over another queue, wait for the completion
 * of the bind. If the bind fails or is flushed, the window keeps its previous range and value until
 * it is bound or invalidated.
 *
 * If a window of type 2B is still bound, the operation ends with RTE_UMR_STATUS_MKEY_CONFIG.
 *
 * A window belongs to one thread at a time.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param mw
 *   Window of this device. It does not change on error.
 * @param range
 *   Range to bind; copied, except the region.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*, except RTE_UMR_OP_F_INLINE.
 * @return
 *   Ring index of the operation, [0, UINT16_MAX], or
 *   - -EINVAL: a flag or an access right is unknown or not valid for windows, the length is 0, the
 *     range is not within the region, or a window of type 1 is zero based (first logged)
 *   - -ERANGE: the length is more than RTE_UMR_MAX_MW_LEN (first logged)
 *   - -EACCES: the region was registered without RTE_UMR_ACCESS_MW_BIND, or the access includes
 *     writes but the region lacks RTE_UMR_ACCESS_LOCAL_WRITE (first logged)
 *   - -EXDEV: window or region belong to another device, or to different PDs (first logged)
 *   - -ENOSPC or -ENOTCONN or -EIO or -ESHUTDOWN or -ENXIO or -ENODEV: common to all enqueue
 *     functions, see the description of this file
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_mw_bind(int16_t dev_id, uint16_t queue_id, struct rte_umr_mw *mw,
		const struct rte_umr_mw_range *range, uint64_t flags)
{
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);
	int ret = fp->ops->mw_bind(fp->queue, mw, range, flags);

	rte_umr_trace_mw_bind(dev_id, queue_id, ret < 0 ? 0 : mw->rkey, flags, ret);
	return ret;
}

/**
 * Enqueue an operation that invalidates a window: the peer cannot use it until it is bound again.
 *
 * A window of type 2B must be invalidated on the queue that bound it; on another queue the
 * operation ends with RTE_UMR_STATUS_MKEY_CONFIG. An unbound window stays unbound, without an
 * error. The region of the window may be deregistered when this operation has completed.
 *
 * A window belongs to one thread at a time.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param mw
 *   Window of this device.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*, except RTE_UMR_OP_F_INLINE.
 * @return
 *   Ring index of the operation, [0, UINT16_MAX], or
 *   - -EINVAL: a flag is unknown (first logged)
 *   - -EXDEV: the window belongs to another device (first logged)
 *   - -ENOSPC or -ENOTCONN or -EIO or -ESHUTDOWN or -ENXIO or -ENODEV: common to all enqueue
 *     functions, see the description of this file
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_mw_invalidate(int16_t dev_id, uint16_t queue_id, struct rte_umr_mw *mw, uint64_t flags)
{
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);
	int ret = fp->ops->mw_invalidate(fp->queue, mw, flags);

	rte_umr_trace_mw_invalidate(dev_id, queue_id, ret < 0 ? 0 : mw->rkey, flags, ret);
	return ret;
}

/**
 * Set the target of the operations that are enqueued afterwards.
 *
 * It costs a copy of 48 bytes. It applies to writes, reads, sends and atomics; operations enqueued
 * before keep their address. The address stays set until it is replaced, also across
 * rte_umr_queue_recover() and a restart of the device.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param addr
 *   Address from rte_umr_dc_addr_fill() for this device; copied.
 * @return
 *   0, or
 *   - -EINVAL: addr was not filled in (first logged)
 *   - -ENOTSUP: the queue is not an initiator (first logged)
 *   - -EXDEV: the address belongs to another device (first logged)
 *   - -ESHUTDOWN: the device is not started
 *   - -ENXIO: the queue is not set up
 *   - -ENODEV: no such device
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_dc_addr_set(int16_t dev_id, uint16_t queue_id, const struct rte_umr_dc_addr *addr)
{
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);
	int ret = fp->ops->dc_addr_set(fp->queue, addr);

	rte_umr_trace_dc_addr_set(dev_id, queue_id, addr, ret);
	return ret;
}

/**
 * Enqueue an RDMA write from local memory to memory of the peer.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param local
 *   Memory to read; copied. A length of 0 moves nothing.
 * @param remote_addr
 *   Address at the peer; in a configured memory key, base_addr + offset.
 * @param rkey
 *   Key of the peer, in host byte order.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*.
 * @return
 *   Ring index of the operation, [0, UINT16_MAX], or
 *   - -EINVAL: a flag is unknown (first logged)
 *   - -EMSGSIZE: the length is more than max_msg_len (first logged)
 *   - -EDESTADDRREQ: the queue is a DC initiator without an address (first logged)
 *   - -ENOSPC or -ENOTCONN or -EIO or -ESHUTDOWN or -ENXIO or -ENODEV: common to all enqueue
 *     functions, see the description of this file
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_write(int16_t dev_id, uint16_t queue_id, const struct rte_umr_seg *local,
	      uint64_t remote_addr, uint32_t rkey, uint64_t flags)
{
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);
	int ret = fp->ops->write(fp->queue, local, remote_addr, rkey, flags);

	rte_umr_trace_write(dev_id, queue_id, local, remote_addr, rkey, flags, ret);
	return ret;
}

/**
 * Enqueue an RDMA write that consumes a receive of the peer and delivers immediate data to it; see
 * rte_umr_write().
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param local
 *   Memory to read; copied. A length of 0 moves nothing.
 * @param remote_addr
 *   Address at the peer; in a configured memory key, base_addr + offset.
 * @param rkey
 *   Key of the peer, in host byte order.
 * @param imm
 *   Immediate data; the peer receives these four bytes unchanged.
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
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);
	int ret = fp->ops->write_imm(fp->queue, local, remote_addr, rkey, imm, flags);

	rte_umr_trace_write_imm(dev_id, queue_id, local, remote_addr, rkey, flags, ret);
	return ret;
}

/**
 * Enqueue an RDMA read from memory of the peer to local memory; see rte_umr_write().
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param local
 *   Memory to write; copied. A length of 0 moves nothing.
 * @param remote_addr
 *   Address at the peer; in a configured memory key, base_addr + offset.
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
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);
	int ret = fp->ops->read(fp->queue, local, remote_addr, rkey, flags);

	rte_umr_trace_read(dev_id, queue_id, local, remote_addr, rkey, flags, ret);
	return ret;
}

/**
 * Enqueue a send of local memory to the next receive of the peer.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
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
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);
	int ret = fp->ops->send(fp->queue, local, flags);

	rte_umr_trace_send(dev_id, queue_id, local, flags, ret);
	return ret;
}

/**
 * Enqueue a send with immediate data; see rte_umr_send().
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param local
 *   Memory to read; copied. A length of 0 sends an empty message.
 * @param imm
 *   Immediate data; the peer receives these four bytes unchanged.
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
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);
	int ret = fp->ops->send_imm(fp->queue, local, imm, flags);

	rte_umr_trace_send_imm(dev_id, queue_id, local, flags, ret);
	return ret;
}

/**
 * Enqueue a send that invalidates a memory key of the peer when the message has arrived. The
 * receive that consumes it reports the key: RTE_UMR_COMPLETION_F_INVALIDATED (IBTA 9.4.1.1.3).
 *
 * The key must belong to a pool with RTE_UMR_MKEY_POOL_F_REMOTE_INVALIDATE, must be configured and
 * must belong to the protection domain of the receiving queue. With any other key, or an old value
 * of the key, the operation ends with RTE_UMR_STATUS_REMOTE_INVALID or
 * RTE_UMR_STATUS_REMOTE_ACCESS. The peer can use its key again after configuring it.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param local
 *   Memory to read; copied. A length of 0 sends an empty message.
 * @param rkey
 *   Key of the peer to invalidate, in host byte order.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*.
 * @return
 *   See rte_umr_write(), and
 *   - -ENOTSUP: the device lacks RTE_UMR_CAPA_SEND_INV (first logged)
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_send_inv(int16_t dev_id, uint16_t queue_id, const struct rte_umr_seg *local, uint32_t rkey,
		 uint64_t flags)
{
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);
	int ret = fp->ops->send_inv(fp->queue, local, rkey, flags);

	rte_umr_trace_send_inv(dev_id, queue_id, local, rkey, flags, ret);
	return ret;
}

/**
 * Enqueue a fetch and add: it adds a number to 8 bytes of the peer's memory, modulo 2^64, and
 * writes their old value to local memory (IBTA 9.4.5).
 *
 * Numbers in memory have the byte order of the host, here and at the peer. The operation is atomic
 * with respect to devices that access the peer's memory, not to the peer's CPU.
 *
 * The remote address must be a multiple of 8, and the peer's key must have
 * RTE_UMR_ACCESS_REMOTE_ATOMIC; otherwise the operation ends with RTE_UMR_STATUS_REMOTE_INVALID or
 * RTE_UMR_STATUS_REMOTE_ACCESS. A following operation that needs the old value must use
 * RTE_UMR_OP_F_FENCE.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param local
 *   Memory for the old value, of length RTE_UMR_ATOMIC_LEN; copied.
 * @param remote_addr
 *   Address at the peer, a multiple of 8; in a configured memory key, base_addr + offset.
 * @param rkey
 *   Key of the peer, in host byte order.
 * @param add
 *   Number to add.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*, except RTE_UMR_OP_F_INLINE.
 * @return
 *   Ring index of the operation, [0, UINT16_MAX], or
 *   - -EINVAL: the length is not 8, or a flag is unknown (first logged)
 *   - -ENOTSUP: the device lacks RTE_UMR_CAPA_ATOMIC (first logged)
 *   - -EDESTADDRREQ: the queue is a DC initiator without an address (first logged)
 *   - -ENOSPC or -ENOTCONN or -EIO or -ESHUTDOWN or -ENXIO or -ENODEV: common to all enqueue
 *     functions, see the description of this file
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_fetch_add(int16_t dev_id, uint16_t queue_id, const struct rte_umr_seg *local,
		  uint64_t remote_addr, uint32_t rkey, uint64_t add, uint64_t flags)
{
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);
	int ret = fp->ops->fetch_add(fp->queue, local, remote_addr, rkey, add, flags);

	rte_umr_trace_fetch_add(dev_id, queue_id, local, remote_addr, rkey, flags, ret);
	return ret;
}

/**
 * Enqueue a compare and swap: if 8 bytes of the peer's memory have the expected value, it replaces
 * them; in any case it writes their old value to local memory. See rte_umr_fetch_add().
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param local
 *   Memory for the old value, of length RTE_UMR_ATOMIC_LEN; copied.
 * @param remote_addr
 *   Address at the peer, a multiple of 8; in a configured memory key, base_addr + offset.
 * @param rkey
 *   Key of the peer, in host byte order.
 * @param compare
 *   Expected value.
 * @param swap
 *   New value.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*, except RTE_UMR_OP_F_INLINE.
 * @return
 *   See rte_umr_fetch_add().
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_cmp_swap(int16_t dev_id, uint16_t queue_id, const struct rte_umr_seg *local,
		 uint64_t remote_addr, uint32_t rkey, uint64_t compare, uint64_t swap,
		 uint64_t flags)
{
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);
	const struct rte_umr_swap operands = { compare, swap };
	int ret;

	ret = fp->ops->cmp_swap(fp->queue, local, remote_addr, rkey, &operands, flags);
	rte_umr_trace_cmp_swap(dev_id, queue_id, local, remote_addr, rkey, flags, ret);
	return ret;
}

/**
 * Post a receive. The device may use it at once: no submit is needed.
 *
 * The completion contains messages of at most max_recv_inline bytes, unless the queue was set up
 * with RTE_UMR_QUEUE_F_NO_RECV_INLINE: rte_umr_recv_completed() copies them to the segments, and
 * checks the segments and their keys at that time as the device would. If this check fails
 * (RTE_UMR_STATUS_LOCAL_LENGTH or RTE_UMR_STATUS_LOCAL_PROT, with a syndrome of 0), only the
 * receive fails: the queue stays usable, and the peer's send has succeeded. Because the CPU cannot
 * resolve configured keys, such a queue rejects them.
 *
 * Receives have their own ring indices, which start at 0 in rte_umr_dev_start().
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
 *   Zero: no flags are defined.
 * @return
 *   Ring index of the receive, [0, UINT16_MAX], or
 *   - -EINVAL: a length is 0, or flags is not 0 (first logged)
 *   - -E2BIG: nb_segs is more than the queue was set up for (first logged)
 *   - -ERANGE: a length is more than max_msg_len (first logged)
 *   - -ENOTSUP: the queue has no receives; the queue has inline receives and a key is a configured
 *     one or one of a DMA buffer (first logged)
 *   - -ENOSPC: the receive ring is full; collect receives and try again
 *   - -EIO or -ESHUTDOWN or -ENXIO or -ENODEV: common to all enqueue functions, see the description
 *     of this file
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_recv(int16_t dev_id, uint16_t queue_id, const struct rte_umr_seg *segs, uint32_t nb_segs,
	     uint64_t flags)
{
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);
	int ret = fp->ops->recv(fp->queue, segs, nb_segs, flags);

	rte_umr_trace_recv(dev_id, queue_id, segs, nb_segs, flags, ret);
	return ret;
}

/**
 * Enqueue a burst of rte_umr_write().
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param ops
 *   Array of nb_ops; read only, may be reused on return.
 * @param nb_ops
 *   Number of them, [1, UINT16_MAX].
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*.
 * @return
 *   Number of operations enqueued, [1, nb_ops], or, if the first one was rejected:
 *   - -EINVAL: nb_ops is 0, or a reserved field is not 0 (first logged)
 *   - what rte_umr_write() returns for it
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_write_burst(int16_t dev_id, uint16_t queue_id, const struct rte_umr_rdma_op *ops,
			    uint16_t nb_ops, uint64_t flags)
{
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);
	int ret = fp->ops->write_burst(fp->queue, ops, nb_ops, flags);

	rte_umr_trace_write_burst(dev_id, queue_id, ops, nb_ops, flags, ret);
	return ret;
}

/**
 * Enqueue a burst of rte_umr_read().
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param ops
 *   Array of nb_ops; read only, may be reused on return.
 * @param nb_ops
 *   Number of them, [1, UINT16_MAX].
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*.
 * @return
 *   Number of operations enqueued, [1, nb_ops], or, if the first one was rejected:
 *   - -EINVAL: nb_ops is 0, or a reserved field is not 0 (first logged)
 *   - what rte_umr_read() returns for it
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_read_burst(int16_t dev_id, uint16_t queue_id, const struct rte_umr_rdma_op *ops,
			    uint16_t nb_ops, uint64_t flags)
{
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);
	int ret = fp->ops->read_burst(fp->queue, ops, nb_ops, flags);

	rte_umr_trace_read_burst(dev_id, queue_id, ops, nb_ops, flags, ret);
	return ret;
}

/**
 * Enqueue a burst of rte_umr_send(), one segment each.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param segs
 *   Array of nb_segs; read only, may be reused on return.
 * @param nb_segs
 *   Number of them, [1, UINT16_MAX].
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*.
 * @return
 *   Number of operations enqueued, [1, nb_segs], or, if the first one was rejected:
 *   - -EINVAL: nb_segs is 0 (first logged)
 *   - what rte_umr_send() returns for it
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_send_burst(int16_t dev_id, uint16_t queue_id, const struct rte_umr_seg *segs,
			    uint16_t nb_segs, uint64_t flags)
{
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);
	int ret = fp->ops->send_burst(fp->queue, segs, nb_segs, flags);

	rte_umr_trace_send_burst(dev_id, queue_id, segs, nb_segs, flags, ret);
	return ret;
}

/**
 * Post a burst of rte_umr_recv(), one segment each.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param segs
 *   Array of nb_segs; read only, may be reused on return.
 * @param nb_segs
 *   Number of them, [1, UINT16_MAX].
 * @param flags
 *   Zero: no flags are defined.
 * @return
 *   Number of operations enqueued, [1, nb_segs], or, if the first one was rejected:
 *   - -EINVAL: nb_segs is 0 (first logged)
 *   - what rte_umr_recv() returns for it
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_recv_burst(int16_t dev_id, uint16_t queue_id, const struct rte_umr_seg *segs,
			    uint16_t nb_segs, uint64_t flags)
{
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);
	int ret = fp->ops->recv_burst(fp->queue, segs, nb_segs, flags);

	rte_umr_trace_recv_burst(dev_id, queue_id, segs, nb_segs, flags, ret);
	return ret;
}

/**
 * Submit all enqueued operations to the device, with one doorbell. The device reports one
 * completion for all of them. Does nothing if there are none.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @return
 *   0, or
 *   - -EIO: the queue is in the error state; enqueued operations are flushed
 *   - -ESHUTDOWN: the device is not started
 *   - -ENXIO: the queue is not set up
 *   - -ENODEV: no such device
 */
__rte_experimental
RTE_UMR_INLINE int
rte_umr_submit(int16_t dev_id, uint16_t queue_id)
{
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);
	int ret = fp->ops->submit(fp->queue);

	rte_umr_trace_submit(dev_id, queue_id, ret);
	return ret;
}

/**
 * Collect successful operations, in the order in which they were enqueued.
 *
 * Stops before an operation that was not successful, which must be collected with
 * rte_umr_completed_status().
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
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
RTE_UMR_INLINE uint16_t
rte_umr_completed(int16_t dev_id, uint16_t queue_id, uint16_t nb_max, uint16_t *last_idx,
		  bool *has_error)
{
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);
	uint16_t idx = 0;
	bool error = false;
	uint16_t nb;

	if (last_idx == NULL)
		last_idx = &idx;
	if (has_error == NULL)
		has_error = &error;
	nb = fp->ops->completed(fp->queue, nb_max, last_idx, has_error);
	/* Polls that find nothing would fill the trace. */
	if (nb != 0)
		rte_umr_trace_completed(dev_id, queue_id, nb_max, *last_idx, *has_error, nb);
	return nb;
}

/**
 * Collect operations with their status, in the order in which they were enqueued.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param nb_max
 *   Maximum number of operations to collect.
 * @param done
 *   Array of nb_max results; written for each operation collected.
 * @return
 *   Number of operations collected, [0, nb_max].
 */
__rte_experimental
RTE_UMR_INLINE uint16_t
rte_umr_completed_status(int16_t dev_id, uint16_t queue_id, uint16_t nb_max,
			 struct rte_umr_completion *done)
{
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);
	uint16_t nb = fp->ops->completed_status(fp->queue, nb_max, done);

	/* Polls that find nothing would fill the trace. */
	if (nb != 0)
		rte_umr_trace_completed_status(dev_id, queue_id, nb_max, done, nb);
	return nb;
}

/**
 * Collect receives with their status, in the order in which they were posted. Receives of a DC
 * target complete in the order in which messages end, which is arbitrary for several initiators;
 * flushed receives follow, in the order in which they were posted.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param nb_max
 *   Maximum number of receives to collect.
 * @param done
 *   Array of nb_max results; written for each operation collected.
 * @return
 *   Number of receives collected, [0, nb_max]; 0 for a queue without receives.
 */
__rte_experimental
RTE_UMR_INLINE uint16_t
rte_umr_recv_completed(int16_t dev_id, uint16_t queue_id, uint16_t nb_max,
		       struct rte_umr_completion *done)
{
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);
	uint16_t nb = fp->ops->recv_completed(fp->queue, nb_max, done);

	/* Polls that find nothing would fill the trace. */
	if (nb != 0)
		rte_umr_trace_recv_completed(dev_id, queue_id, nb_max, done, nb);
	return nb;
}

/**
 * Get the number of free descriptors of the send ring. Descriptors become free when their operation
 * is collected.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @return
 *   Number of descriptors; 0 while the device is not started.
 */
__rte_experimental
RTE_UMR_INLINE uint16_t
rte_umr_desc_avail(int16_t dev_id, uint16_t queue_id)
{
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);

	return fp->ops->desc_avail(fp->queue);
}

/**
 * Get the ring index of the next operation that is enqueued, for example of the first one of a
 * burst.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @return
 *   Ring index, [0, UINT16_MAX]; 0 while the device is not started.
 */
__rte_experimental
RTE_UMR_INLINE uint16_t
rte_umr_next_idx(int16_t dev_id, uint16_t queue_id)
{
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);

	return fp->ops->next_idx(fp->queue);
}

/**
 * Get the ring index of the next receive that is enqueued; see rte_umr_next_idx().
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @return
 *   Ring index, [0, UINT16_MAX]; 0 while the device is not started, or for a queue that does not
 *   receive.
 */
__rte_experimental
RTE_UMR_INLINE uint16_t
rte_umr_recv_next_idx(int16_t dev_id, uint16_t queue_id)
{
	const struct rte_umr_fp_entry *fp = rte_umr_fp_entry(dev_id, queue_id);

	return fp->ops->recv_next_idx(fp->queue);
}

/** Get the size of the signature field for a type, in bytes; 0 for none. */
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
 * Read and clear the error of a memory key with a signature.
 *
 * The error of a transfer is available when the operation has been collected, on the side that owns
 * the key. For a write or read of this device, collect it with rte_umr_completed() or
 * rte_umr_completed_status() of its queue. For a transfer of the peer, collect it with
 * rte_umr_recv_completed() of the queue that received it or, if that queue has no receives, with
 * the former. The error is kept until it is read, the key is put back into its pool, or the next
 * error replaces it.
 *
 * An error identifies the key, but not its configuration, and the device reports the next error
 * only after the key was configured again. So collect all transfers before configuring the key
 * again, on all queues that used it, also after flushed operations. An error that is collected
 * later counts for the current configuration of the key and is decoded with the types of its
 * signature; errors found by the new configuration are not reported.
 *
 * Thread safe, also with operations on the key, and with threads that collect. If several threads
 * call at once, one gets the error; threads other than the collecting one may get it with a delay.
 *
 * @param mkey
 *   Key of a pool with RTE_UMR_MKEY_POOL_F_SIG; its device is started.
 * @param error
 *   Written on success; type is RTE_UMR_MKEY_ERROR_NONE if there is no error.
 * @return
 *   0, or
 *   - -ENOTSUP: the pool of the key was created without RTE_UMR_MKEY_POOL_F_SIG (logged)
 *   - -EPROTO: the device reported an error that this key cannot have (logged); it is discarded
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

#pragma GCC diagnostic pop

#ifdef __cplusplus
}
#endif

#endif /* RTE_UMR_DATA_H */
