/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_FREE_LIST_H
#define RTE_UMR_FREE_LIST_H

/**
 * @file
 * List of free keys of a pool: a ring that all threads share, and in front of it a cache for each
 * lcore. What is in the cache of an lcore is there for that lcore alone.
 *
 * It works as a mempool does, which is not used because it puts a header of 24 bytes in front of
 * each of its objects: keys would be 64 bytes apart where 16 are enough. Here are pointers only.
 *
 * Keys leave the ring in the order in which they went in; the last ones that an lcore put into its
 * cache are the first that it gets.
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

/** Largest size of a cache: what a mempool has, too. */
#define RTE_UMR_KEY_CACHE_MAX 512u
/** A cache may grow to that before it is flushed. */
#define RTE_UMR_KEY_CACHE_FLUSH_LEN(size) ((size) * 3 / 2)

/** Free keys of an lcore, which alone writes here. */
struct rte_umr_key_cache {
	uint32_t len; /**< Keys that are there. */
	struct rte_umr_mkey *mkeys[RTE_UMR_KEY_CACHE_FLUSH_LEN(RTE_UMR_KEY_CACHE_MAX)]
		__rte_cache_aligned;
} __rte_cache_aligned;

static_assert(sizeof(struct rte_umr_key_cache) % RTE_CACHE_LINE_SIZE == 0,
	      "lcores share no cache line");

/** Free keys; constant once it is there, but for what it points to. */
struct rte_umr_free_list {
	struct rte_umr_key_cache *caches; /**< By lcore identifier; NULL: none. */
	struct rte_ring *ring; /**< Keys in no cache. */
	uint32_t cache_size; /**< Keys that a cache is filled with. */
	uint32_t flush_len; /**< Keys that a cache can hold. */
};

/**
 * Make a list for up to nb_mkeys keys; it begins empty. cache_size is at most
 * RTE_UMR_KEY_CACHE_MAX. @return 0 or -ENOMEM.
 */
int rte_umr_free_list_init(struct rte_umr_free_list *list, uint32_t nb_mkeys,
			   uint32_t cache_size, int socket_id);
/** Free what init made; a zeroed list is accepted. */
void rte_umr_free_list_fini(struct rte_umr_free_list *list);
/** Bring in one more key; goes to the ring. */
void rte_umr_free_list_add(struct rte_umr_free_list *list, struct rte_umr_mkey *mkey);
/** Keys of the ring and of all caches; exact while no other thread gets or puts any. */
uint32_t rte_umr_free_list_count(const struct rte_umr_free_list *list);

/** Get what the cache, NULL if there is none, has not enough of. @return Whether there were nb. */
bool rte_umr_free_list_get_slow(const struct rte_umr_free_list *list,
				struct rte_umr_key_cache *cache, struct rte_umr_mkey **mkeys,
				uint32_t nb);
/** Put what the cache, NULL if there is none, has no room for. */
void rte_umr_free_list_put_slow(const struct rte_umr_free_list *list,
				struct rte_umr_key_cache *cache,
				struct rte_umr_mkey *const *mkeys, uint32_t nb);

/** Cache of the lcore that calls; NULL: it has none, or the thread is not EAL's. */
static inline struct rte_umr_key_cache *
rte_umr_free_list_cache(const struct rte_umr_free_list *list)
{
	uint32_t lcore_id = rte_lcore_id();

	if (unlikely(list->caches == NULL || lcore_id >= RTE_MAX_LCORE))
		return NULL;
	return &list->caches[lcore_id];
}

/** The length that other lcores may read while they count. */
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

/** Get all nb keys or none. @return Whether there were so many; caches of others do not count. */
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
