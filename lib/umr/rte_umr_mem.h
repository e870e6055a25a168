/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_MEM_H
#define RTE_UMR_MEM_H

/**
 * @file
 *
 * Pools of memory keys of the UMR device API. Included by rte_umr.h, which describes the model.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_bitops.h>
#include <rte_common.h>
#include <rte_compat.h>

#include "rte_umr_mr.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @name What the keys of a pool are for
 * Bits of rte_umr_mkey_pool_conf::flags and rte_umr_mkey::flags; each needs a capability.
 * @{
 */
#define RTE_UMR_MKEY_POOL_F_SIG		RTE_BIT32(0) /**< RTE_UMR_MKEY_SET_SIG. */
#define RTE_UMR_MKEY_POOL_F_CRYPTO	RTE_BIT32(1) /**< RTE_UMR_MKEY_SET_CRYPTO. */
/** RTE_UMR_LAYOUT_FIXED, and no other layout. */
#define RTE_UMR_MKEY_POOL_F_FIXED_SIZE	RTE_BIT32(2)
#define RTE_UMR_MKEY_POOL_F_REMOTE_INVALIDATE RTE_BIT32(3) /**< A send of the peer may end them. */
/** rte_umr_mkey_update(); takes 16 bytes of memory for each entry. */
#define RTE_UMR_MKEY_POOL_F_UPDATE	RTE_BIT32(4)
/** All flags that this version knows. */
#define RTE_UMR_MKEY_POOL_F_ALL                                                                    \
	(RTE_UMR_MKEY_POOL_F_SIG | RTE_UMR_MKEY_POOL_F_CRYPTO | RTE_UMR_MKEY_POOL_F_FIXED_SIZE |   \
	 RTE_UMR_MKEY_POOL_F_REMOTE_INVALIDATE | RTE_UMR_MKEY_POOL_F_UPDATE)
/**@}*/

/** Configuration of a pool of memory keys. */
struct rte_umr_mkey_pool_conf {
	uint32_t nb_mkeys; /**< Number of keys, [1, max_mkeys]. */
	/** Entries that each key can hold, [1, max_entries]; interleaved layouts take one more. */
	uint32_t max_entries;
	/** Keys that each lcore may keep for itself, at most 512 and nb_mkeys * 2 / 3; 0: none. */
	uint32_t cache_size;
	int16_t socket_id; /**< NUMA socket of the pool's memory, or SOCKET_ID_ANY. */
	/** F_FIXED_SIZE: binary logarithm of the size of an entry in bytes; else 0. */
	uint8_t log_entry_size;
	uint8_t reserved; /**< Zero. */
	uint32_t flags; /**< Bitwise OR of RTE_UMR_MKEY_POOL_F_*. */
	struct rte_umr_pd *pd; /**< PD that the keys belong to; NULL: the default one. */
};

/** A pool of memory keys; opaque. */
struct rte_umr_mkey_pool;

/**
 * A memory key. Read only for the application, and used where it is: only the pointer that came
 * from its pool is a key, a copy of the struct is none.
 *
 * The address range of a configured key starts at 0. Its value may be told to a peer before it
 * is configured.
 *
 * A value dies lazily. The device knows one tag of each key, that of its last configuration, and
 * only the value with this tag works:
 *
 *   | step                     | device's tag | the old value    | the new value        |
 *   |--------------------------|--------------|------------------|----------------------|
 *   | configured               | t            | works            | -                    |
 *   | invalidated              | none         | fails            | -                    |
 *   | put                      | unchanged    | unchanged        | -                    |
 *   | got again (tag t + 1)    | unchanged    | unchanged        | fails                |
 *   | configured again         | t + 1        | fails            | works                |
 *   | got 256 times after that | any          | is the new value | is the value of then |
 *
 * (Only the value that is configured can be invalidated: before the key is put.)
 *
 * A value that works reaches what it was configured for, with the rights of then, for everybody
 * who knows it: local queues of its PD, and peers. Putting a key back takes nothing from anybody:
 * either the memory below it can bear that, or the key is invalidated first. Deregistering the
 * memory helps, too: its own key below the layout then fails. A layout that names another key names
 * one value of it, and fails with that value.
 *
 * "Configured" and "invalidated" happen when the device executes the operation: what executes
 * earlier still meets the old value. A transfer that runs at that moment may end with either.
 *
 * A peer that uses a dead value gets RTE_UMR_STATUS_REMOTE_ACCESS, and the queue on this side goes
 * to its error state, too, as the transport has it.
 *
 * The tag has 8 bits: with the 256th get behind it, a value comes back, whatever it was in between.
 * Tags catch mistakes and late packets; they do not keep out a peer that means ill. Configuring a
 * key again without putting it back keeps its value. A key that was got and not configured must
 * not be used: if it was got 256 times without, its value is that of the old layout.
 */
struct rte_umr_mkey {
	uint32_t key; /**< Value, as lkey and as rkey: 24-bit index, 8-bit tag. Host byte order. */
	uint32_t max_entries; /**< Entries that it can hold; interleaved headers count. */
	int16_t dev_id; /**< Device that it belongs to. */
	uint16_t flags; /**< RTE_UMR_MKEY_POOL_F_* of its pool; bit 15 is the driver's. */
	uint8_t log_entry_size; /**< As its pool was configured. */
	bool is_out; /**< Taken from its pool and not put back yet; lib/umr's. */
	uint8_t reserved[2]; /**< Zero. */
};

/** What a device knows of a memory key; see rte_umr_mkey_query(). */
struct rte_umr_mkey_attr {
	uint32_t key; /**< Value that works; the tag says nothing if is_free. Host byte order. */
	bool is_free; /**< Not configured yet, or invalidated: no value works. */
	bool is_fixed_size; /**< Its entries have one size: RTE_UMR_LAYOUT_FIXED. */
	/** It has a signature; of a pool with RTE_UMR_MKEY_POOL_F_CRYPTO, too: a place for one. */
	bool has_signature;
	/** What passes is encrypted or decrypted, or fails while no encryption is set. */
	bool has_crypto;
	bool can_remote_invalidate; /**< A send of the peer may invalidate it. */
	uint32_t access; /**< Bitwise OR of RTE_UMR_ACCESS_*. */
	uint64_t addr; /**< Address of the first byte. */
	uint64_t len; /**< Bytes that its layout shows. */
	uint32_t nb_entries; /**< Entries that the device has room for. */
	uint32_t pd; /**< Number of its PD, as the device counts. */
};

/** A piece of memory. Same layout as struct ibv_sge. */
struct rte_umr_seg {
	uint64_t addr; /**< Address; an offset when lkey is a configured memory key. */
	uint32_t length; /**< Bytes. */
	uint32_t lkey; /**< Key of a memory region, or a configured memory key. */
};

/**
 * An entry of an interleaved layout: bytes_count bytes are taken, bytes_skip left out, as often
 * as the layout repeats. Same layout as struct mlx5dv_mr_interleaved.
 */
struct rte_umr_interleaved {
	uint64_t addr; /**< Address of the first byte; an offset for a memory key. */
	uint32_t bytes_count; /**< Bytes taken at a time, [1, max_entry_len]. */
	uint32_t bytes_skip; /**< Bytes left out behind them. */
	uint32_t lkey; /**< Key of a memory region, or a configured memory key. */
};

/**
 * Create memory keys.
 *
 * @param dev_id
 *   Device identifier.
 * @param conf
 *   Configuration; copied.
 * @return
 *   The pool, freed by rte_umr_mkey_pool_destroy(), or NULL with rte_errno:
 *   - EINVAL: conf is NULL, nb_mkeys or max_entries is 0, cache_size is too big, a flag is unknown
 *     (logged), a reserved field is not 0 or the PD is of another device (logged)
 *   - ENODEV: no such device
 *   - ENOTSUP: the device lacks the capability for a flag (logged)
 *   - ERANGE: nb_mkeys or max_entries is more than the device has, or log_entry_size is not what
 *     it has (logged)
 *   - ENOSPC: a queue that is set up has no room for the errors of so many keys with signatures;
 *     see rte_umr_queue_conf::nb_sig_mkeys (logged)
 *   - ENOMEM: out of memory
 *   - EIO or another errno: the device refused a command (logged)
 */
__rte_experimental
struct rte_umr_mkey_pool *rte_umr_mkey_pool_create(int16_t dev_id,
						   const struct rte_umr_mkey_pool_conf *conf);

/**
 * Destroy memory keys. All of them must be back in the pool, and out of use.
 *
 * Not thread safe with other calls for the same pool.
 *
 * @param pool
 *   Pool; NULL is accepted. rte_umr_dev_close() does not do it.
 * @return
 *   0, or
 *   - -EBUSY: keys have not been put back (logged with their number, which is what
 *     rte_umr_mkey_pool_avail() lacks of nb_mkeys); nothing was done
 *   - -EIO or another negative errno: the device refused a command (logged); the pool is gone
 */
__rte_experimental
int rte_umr_mkey_pool_destroy(struct rte_umr_mkey_pool *pool);

/** Number of keys in the pool; those in caches of lcores count. */
__rte_experimental
uint32_t rte_umr_mkey_pool_avail(const struct rte_umr_mkey_pool *pool);

/**
 * Take keys from a pool: all or none. The tag of each one is advanced: rte_umr_mkey::key is the
 * value that the key will have when it is next configured. Until then its previous value keeps
 * its meaning, unless that was invalidated.
 *
 * Thread safe.
 *
 * @param pool
 *   Pool.
 * @param mkeys
 *   Array of nb keys, written on success. Put back by rte_umr_mkey_put_bulk().
 * @param nb
 *   Number of keys.
 * @return
 *   0, or
 *   - -ENOBUFS: fewer than nb keys are there (the caches of other lcores do not count)
 */
__rte_experimental
int rte_umr_mkey_get_bulk(struct rte_umr_mkey_pool *pool, struct rte_umr_mkey **mkeys,
			  uint32_t nb) __rte_warn_unused_result;

/**
 * Put keys back to their pool: all or none. A key keeps its layout, and its value works, until it
 * is configured again: invalidate it first if a peer must not use it any more. See struct
 * rte_umr_mkey.
 *
 * Operations that configure or use a key must have completed, unless its next owner enqueues on
 * the same queue: a pool does not know of queues.
 *
 * Thread safe. Whichever thread took a key may leave it to another one to put. A mistake is found
 * whichever thread, and cache, a key came from, but not if two threads put one key at the same
 * moment.
 *
 * @param pool
 *   Pool that the keys were taken from.
 * @param mkeys
 *   Array of nb keys, each of them once.
 * @param nb
 *   Number of keys.
 * @return
 *   0, or
 *   - -EINVAL: a pointer is NULL or anything else that did not come from this pool, or its key is
 *     in the pool already, or twice in the array (logged); nothing was put
 */
__rte_experimental
int rte_umr_mkey_put_bulk(struct rte_umr_mkey_pool *pool, struct rte_umr_mkey *const *mkeys,
			  uint32_t nb);

/**
 * Ask the device for the state of a key: for debugging and telemetry. It is a command to the
 * firmware, thousands of times slower than configuring the key. Operations that have not been
 * executed do not count.
 *
 * Thread safe for keys of which the pool stays.
 *
 * @param mkey
 *   Key; also one that is in its pool.
 * @param attr
 *   Written on success.
 * @return
 *   0, or
 *   - -EINVAL: a parameter is NULL
 *   - -ENODEV: the device of the key is closed
 *   - -ENOTSUP: the driver cannot
 *   - -EIO or another negative errno: the device refused the command (logged)
 */
__rte_experimental
int rte_umr_mkey_query(const struct rte_umr_mkey *mkey, struct rte_umr_mkey_attr *attr);

/**
 * Take one key from a pool; see rte_umr_mkey_get_bulk().
 *
 * @param pool
 *   Pool.
 * @return
 *   The key, or NULL if the pool is empty (rte_errno is not written).
 */
__rte_experimental
static inline struct rte_umr_mkey *
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
static inline int
rte_umr_mkey_put(struct rte_umr_mkey_pool *pool, struct rte_umr_mkey *mkey)
{
	return rte_umr_mkey_put_bulk(pool, &mkey, 1);
}

#ifdef __cplusplus
}
#endif

#endif /* RTE_UMR_MEM_H */
