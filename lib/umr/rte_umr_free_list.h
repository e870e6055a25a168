/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_FREE_LIST_H
#define RTE_UMR_FREE_LIST_H

/**
 * @file
 * List of free keys of a pool: a ring that all threads share, and a cache for each lcore. Keys in
 * the cache of an lcore are only available to that lcore.
 *
 * It works like a mempool. A mempool is not used because it adds a header of 24 bytes to each
 * object: keys would be 64 bytes apart instead of 16. This list contains only pointers.
 *
 * The ring is first in, first out; the cache of an lcore is last in, first out.
 */

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_lcore.h>
#include <rte_memcpy.h>
#include <rte_ring.h>

#include "rte_umr_mkey.h"

/** Largest size of a cache, the same as for a mempool. */
#define RTE_UMR_KEY_CACHE_MAX 512u
/** Maximum size of a cache before it is flushed. */
#define RTE_UMR_KEY_CACHE_FLUSH_LEN(size) ((size) * 3 / 2)

/** Free keys of an lcore; only that lcore writes here. */
struct rte_umr_key_cache {
	uint32_t len; /**< Number of keys. */
	struct rte_umr_mkey *mkeys[RTE_UMR_KEY_CACHE_FLUSH_LEN(RTE_UMR_KEY_CACHE_MAX)]
		__rte_cache_aligned;
} __rte_cache_aligned;

static_assert(sizeof(struct rte_umr_key_cache) % RTE_CACHE_LINE_SIZE == 0,
	      "lcores share no cache line");

/** Free keys; constant after initialization, except the memory that it points to. */
struct rte_umr_free_list {
	struct rte_umr_key_cache *caches; /**< By lcore identifier; NULL: none. */
	struct rte_ring *ring; /**< Keys in no cache. */
	uint32_t cache_size; /**< Keys that a refill puts into a cache. */
	uint32_t flush_len; /**< Keys that a cache can hold. */
};

/**
 * Create an empty list for up to nb_mkeys keys. cache_size is at most RTE_UMR_KEY_CACHE_MAX.
 * @return 0 or -ENOMEM.
 */
int rte_umr_free_list_init(struct rte_umr_free_list *list, uint32_t nb_mkeys,
			   uint32_t cache_size, int socket_id);
/** Free the memory of a list; a zeroed list is accepted. */
void rte_umr_free_list_fini(struct rte_umr_free_list *list);
/** Add a key to the ring. */
void rte_umr_free_list_add(struct rte_umr_free_list *list, struct rte_umr_mkey *mkey);
/** Keys of the ring and of all caches; exact if no other thread gets or puts keys. */
uint32_t rte_umr_free_list_count(const struct rte_umr_free_list *list);

/**
 * Get keys when the cache (NULL if there is none) has too few. @return Whether nb keys were
 * available.
 */
bool rte_umr_free_list_get_slow(const struct rte_umr_free_list *list,
				struct rte_umr_key_cache *cache, struct rte_umr_mkey **mkeys,
				uint32_t nb);
/** Put keys when the cache (NULL if there is none) has no room. */
void rte_umr_free_list_put_slow(const struct rte_umr_free_list *list,
				struct rte_umr_key_cache *cache,
				struct rte_umr_mkey *const *mkeys, uint32_t nb);

/** Cache of the calling lcore; NULL: it has none, or the thread is not EAL's. */
static inline struct rte_umr_key_cache *
rte_umr_free_list_cache(const struct rte_umr_free_list *list)
{
	uint32_t lcore_id = rte_lcore_id();

	if (unlikely(list->caches == NULL || lcore_id >= RTE_MAX_LCORE))
		return NULL;
	return &list->caches[lcore_id];
}

/** Set the length, which other lcores may read while counting. */
static inline void
rte_umr_key_cache_set_len(struct rte_umr_key_cache *cache, uint32_t len)
{
	__atomic_store_n(&cache->len, len, __ATOMIC_RELAXED);
}

static inline void
rte_umr_key_copy(struct rte_umr_mkey **dst, struct rte_umr_mkey *const *src, uint32_t nb)
{
	rte_memcpy(dst, src, nb * sizeof(*dst));
}

/**
 * Get all nb keys or none. @return Whether they were available, not counting caches of other
 * lcores.
 */
static inline bool
rte_umr_free_list_get_bulk(const struct rte_umr_free_list *list, struct rte_umr_mkey **mkeys,
			   uint32_t nb)
{
	struct rte_umr_key_cache *cache = rte_umr_free_list_cache(list);
	uint32_t len;

	if (unlikely(cache == NULL || cache->len < nb))
		return rte_umr_free_list_get_slow(list, cache, mkeys, nb);
	len = cache->len - nb;
	rte_umr_key_copy(mkeys, &cache->mkeys[len], nb);
	rte_umr_key_cache_set_len(cache, len);
	return true;
}

/** Put keys that are in use. */
static inline void
rte_umr_free_list_put_bulk(const struct rte_umr_free_list *list,
			   struct rte_umr_mkey *const *mkeys, uint32_t nb)
{
	struct rte_umr_key_cache *cache = rte_umr_free_list_cache(list);

	if (unlikely(cache == NULL || nb > list->flush_len - cache->len)) {
		rte_umr_free_list_put_slow(list, cache, mkeys, nb);
		return;
	}
	rte_umr_key_copy(&cache->mkeys[cache->len], mkeys, nb);
	rte_umr_key_cache_set_len(cache, cache->len + nb);
}

#endif /* RTE_UMR_FREE_LIST_H */
