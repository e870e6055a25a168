/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_CONF_H
#define RTE_UMR_CONF_H

/**
 * @file
 *
 * Configuration of memory keys, property by property. Included by rte_umr.h, which describes the
 * model.
 *
 * rte_umr_mkey_list() and rte_umr_mkey_interleaved() give a key its rights and its layout. Here
 * is what else there is: rte_umr_mkey_configure() sets any combination of rights, layout,
 * signature and encryption and keeps what is not set, and rte_umr_mkey_update() exchanges some
 * entries of a long list.
 *
 * The rules of what is overridden and what is kept are those of mlx5dv_wr_mkey_configure(3).
 */

#include "rte_umr.h"
#include "rte_umr_core.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @name What a configuration sets
 * Bits of rte_umr_mkey_conf::setters.
 * @{
 */
/** The rights; those that the key had are overridden, relaxed ordering too. */
#define RTE_UMR_MKEY_SET_ACCESS		RTE_BIT32(0)
/** The layout; the one that the key had is overridden, whatever its type. */
#define RTE_UMR_MKEY_SET_LAYOUT		RTE_BIT32(1)
/** The signature: rte_umr_mkey_conf::sig. For keys of RTE_UMR_MKEY_POOL_F_SIG. */
#define RTE_UMR_MKEY_SET_SIG		RTE_BIT32(2)
/** The encryption: rte_umr_mkey_conf::crypto. For keys of RTE_UMR_MKEY_POOL_F_CRYPTO. */
#define RTE_UMR_MKEY_SET_CRYPTO		RTE_BIT32(3)
/** The key is to have no signature any more; not with RTE_UMR_MKEY_SET_SIG. */
#define RTE_UMR_MKEY_RESET_SIG		RTE_BIT32(4)
/** All that this version knows. */
#define RTE_UMR_MKEY_SET_ALL                                                                       \
	(RTE_UMR_MKEY_SET_ACCESS | RTE_UMR_MKEY_SET_LAYOUT | RTE_UMR_MKEY_SET_SIG |                \
	 RTE_UMR_MKEY_SET_CRYPTO | RTE_UMR_MKEY_RESET_SIG)
/**@}*/

/** All access bits that keys of this version can have; those of a device are in access_capa. */
#define RTE_UMR_MKEY_ACCESS_ALL	(RTE_UMR_ACCESS_ALL | RTE_UMR_ACCESS_RELAXED_ORDERING)

/** How entries make the address range of a key. */
enum rte_umr_layout_type {
	RTE_UMR_LAYOUT_LIST = 0, /**< Segments, one behind the other; see rte_umr_mkey_list(). */
	/** A pattern that repeats; see rte_umr_mkey_interleaved(). */
	RTE_UMR_LAYOUT_INTERLEAVED,
	/** Pieces of one size, that of the pool (RTE_UMR_MKEY_POOL_F_FIXED_SIZE). */
	RTE_UMR_LAYOUT_FIXED,
};

/** An entry of a layout of fixed-size pieces. */
struct rte_umr_fixed {
	uint64_t addr; /**< Address of the first byte; an offset for a memory key. */
	uint32_t lkey; /**< Key of a memory region, or a configured memory key. */
	uint32_t reserved; /**< Zero. */
};

struct rte_umr_sig;
struct rte_umr_crypto;

/** What a memory key is to be. Fields that setters does not name are ignored. */
struct rte_umr_mkey_conf {
	uint32_t setters; /**< Bitwise OR of RTE_UMR_MKEY_SET_* and RTE_UMR_MKEY_RESET_SIG, or 0. */
	uint32_t access; /**< SET_ACCESS: bitwise OR of RTE_UMR_ACCESS_* of access_capa. */
	enum rte_umr_layout_type layout; /**< SET_LAYOUT: its type. */
	uint32_t nb_entries; /**< SET_LAYOUT: number of entries. */
	uint32_t repeat; /**< Of an interleaved layout: how often, [1, UINT32_MAX]; else ignored. */
	uint32_t reserved; /**< Zero. */
	union {
		const struct rte_umr_seg *segs; /**< Entries of a list. */
		const struct rte_umr_interleaved *interleaved; /**< Entries of a pattern. */
		const struct rte_umr_fixed *fixed; /**< Entries of one size. */
	};
	const struct rte_umr_sig *sig; /**< SET_SIG. */
	const struct rte_umr_crypto *crypto; /**< SET_CRYPTO. */
};

/**
 * Enqueue an operation that sets some properties of a memory key and keeps the others.
 *
 * What is set overrides what the key had: rights are not added to older ones, a layout of one
 * type takes the place of one of another. What is not set stays, also over an invalidation and a
 * new tag. Whatever is set, even nothing, the key is usable behind the operation, under the value
 * that rte_umr_mkey::key has now: a key that was invalidated comes back with its old layout.
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
 * @param mkey
 *   Key to configure, from a pool of this device. It stays as it is on error.
 * @param conf
 *   What to set. Limits of a layout:
 *   - a list: as rte_umr_mkey_list();
 *   - interleaved: as rte_umr_mkey_interleaved();
 *   - fixed: [1, max_entries of the key, max_list] entries of 2^log_entry_size bytes.
 *   Signature and encryption take room in the ring: of the entries that fit there
 *   (max_list_inline), four less each.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*.
 * @return
 *   Ring index of the operation, [0, UINT16_MAX], or
 *   - -EINVAL: a setter, access right, layout type or flag is unknown, or two setters exclude each
 *     other; nb_entries, repeat, a length or a bytes_count is 0; a reserved field is not; a layout
 *     is not of the type that the pool of the key was made for; sig or crypto is NULL or has a
 *     value that is unknown, or its cipher would be between two signatures (logged)
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
 *   - -ENODEV: the device is not started
 */
__rte_experimental
static inline int
rte_umr_mkey_configure(int16_t dev_id, uint16_t queue_id, struct rte_umr_mkey *mkey,
		       const struct rte_umr_mkey_conf *conf, uint64_t flags)
{
	const struct rte_umr_fp_object *fp = &rte_umr_fp_objs[dev_id];
	int ret = fp->mkey_configure(rte_umr_fp_queue(dev_id, queue_id), mkey, conf, flags);

	rte_umr_trace_mkey_configure(dev_id, queue_id, mkey->key, flags, ret);
	return ret;
}

/**
 * Enqueue an operation that exchanges some entries of a list, without the others.
 *
 * The key is of a pool with RTE_UMR_MKEY_POOL_F_UPDATE and was configured with a list, or with
 * fixed-size entries. Its value, its rights and the other entries stay; its length follows that of
 * the new entries, and what is behind them moves with it. The entries of a fixed-size key are as
 * long as its pool says. A key of a pool with F_SIG or F_CRYPTO keeps its length: the new entries
 * are as long together as the old ones.
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
 *   First entry to exchange.
 * @param segs
 *   New entries [first, first + nb_segs); copied, the array may be reused on return.
 * @param nb_segs
 *   Number of entries, at least 1. More than max_list_inline, rounded out to groups of
 *   entries_per_desc, go to memory of the queue (nb_list_entries).
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*.
 * @return
 *   Ring index of the operation, [0, UINT16_MAX], or
 *   - -EINVAL: nb_segs or a length is 0, a length is not that of a fixed-size key, the key would
 *     change its length but has a signature or an encryption, or a flag is unknown (logged)
 *   - -ENOTSUP: the pool of the key was made without RTE_UMR_MKEY_POOL_F_UPDATE (logged)
 *   - -ENOENT: the key has no list: it was not configured, or is interleaved (logged)
 *   - -ERANGE: the list has less than first + nb_segs entries, or a length is more than
 *     max_entry_len (logged)
 *   - -E2BIG: nb_list_entries does not allow that many (logged)
 *   - -EXDEV: the key belongs to another device (logged)
 *   - -ENOSPC: the ring or the memory of lists is full; poll completions and try again
 *   - -ENOTCONN: the queue is not connected
 *   - -EIO: the queue is in error; see rte_umr_queue_recover()
 *   - -ENODEV: the device is not started
 */
__rte_experimental
static inline int
rte_umr_mkey_update(int16_t dev_id, uint16_t queue_id, struct rte_umr_mkey *mkey, uint32_t first,
		    const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags)
{
	const struct rte_umr_fp_object *fp = &rte_umr_fp_objs[dev_id];
	int ret = fp->mkey_update(rte_umr_fp_queue(dev_id, queue_id), mkey, first, segs, nb_segs,
				  flags);

	rte_umr_trace_mkey_update(dev_id, queue_id, mkey->key, flags, ret);
	return ret;
}

#ifdef __cplusplus
}
#endif

#endif /* RTE_UMR_CONF_H */
