/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Slow path of a list of free keys: memory, and the ring that the caches use. */

#include <errno.h>

#include <rte_debug.h>
#include <rte_malloc.h>

#include "rte_umr_free_list.h"

static bool
ring_get(struct rte_ring *ring, struct rte_umr_mkey **mkeys, uint32_t nb)
{
	return rte_ring_mc_dequeue_bulk(ring, (void **)mkeys, nb, NULL) == nb;
}

/** Add to the ring, which has room for all keys unless one is put twice. */
static void
ring_put(struct rte_ring *ring, struct rte_umr_mkey *const *mkeys, uint32_t nb)
{
	uint32_t nb_put = rte_ring_mp_enqueue_bulk(ring, (void *const *)mkeys, nb, NULL);

	RTE_ASSERT(nb_put == nb);
	RTE_SET_USED(nb_put);
}

int
rte_umr_free_list_init(struct rte_umr_free_list *list, uint32_t nb_mkeys, uint32_t cache_size,
		       int socket_id)
{
	struct rte_umr_key_cache *caches = NULL;
	struct rte_ring *ring;

	/* No memzone, so no name conflicts. One entry of a ring is always empty. */
	ring = rte_zmalloc_socket("umr_mkey_ring",
				  (size_t)rte_ring_get_memsize(rte_align32pow2(nb_mkeys + 1)),
				  RTE_CACHE_LINE_SIZE, socket_id);
	if (ring == NULL)
		return -ENOMEM;
	if (rte_ring_init(ring, "umr_mkey", nb_mkeys, RING_F_EXACT_SZ) != 0)
		goto free_ring;
	if (cache_size != 0) {
		caches = rte_zmalloc_socket("umr_mkey_caches", RTE_MAX_LCORE * sizeof(*caches),
					    RTE_CACHE_LINE_SIZE, socket_id);
		if (caches == NULL)
			goto free_ring;
	}
	*list = (struct rte_umr_free_list){
		.caches = caches,
		.ring = ring,
		.cache_size = cache_size,
		.flush_len = RTE_UMR_KEY_CACHE_FLUSH_LEN(cache_size),
	};
	return 0;

free_ring:
	rte_free(ring);
	return -ENOMEM;
}

void
rte_umr_free_list_fini(struct rte_umr_free_list *list)
{
	rte_free(list->caches);
	rte_free(list->ring);
}

void
rte_umr_free_list_add(struct rte_umr_free_list *list, struct rte_umr_mkey *mkey)
{
	ring_put(list->ring, &mkey, 1);
}

/* Like rte_ring_count(), but with atomic loads (rte_ring.h). */
static uint32_t
ring_count(const struct rte_ring *ring)
{
	const uint32_t end = __atomic_load_n(&ring->prod.tail, __ATOMIC_RELAXED);
	const uint32_t begin = __atomic_load_n(&ring->cons.tail, __ATOMIC_RELAXED);
	const uint32_t nb = (end - begin) & ring->mask;

	return RTE_MIN(nb, ring->capacity);
}

uint32_t
rte_umr_free_list_count(const struct rte_umr_free_list *list)
{
	uint32_t nb = ring_count(list->ring);
	uint32_t i;

	if (list->caches != NULL)
		for (i = 0; i < RTE_MAX_LCORE; i++)
			nb += __atomic_load_n(&list->caches[i].len, __ATOMIC_RELAXED);
	/* Keys that move meanwhile may be counted twice. */
	return RTE_MIN(nb, rte_ring_get_capacity(list->ring));
}

/*
 * Serve the caller before refilling the cache, with a second access to the ring: a get that fails
 * does not change the array and the cache.
 */
bool
rte_umr_free_list_get_slow(const struct rte_umr_free_list *list, struct rte_umr_key_cache *cache,
			   struct rte_umr_mkey **mkeys, uint32_t nb)
{
	uint32_t nb_cached = cache != NULL ? cache->len : 0;
	uint32_t nb_missing = nb - nb_cached;
	uint32_t len = 0;

	if (!ring_get(list->ring, mkeys + nb_cached, nb_missing))
		return false;
	if (cache == NULL)
		return true;
	rte_umr_key_copy(mkeys, cache->mkeys, nb_cached);
	/* A request larger than a cache does not refill it. */
	if (nb <= list->flush_len &&
	    ring_get(list->ring, cache->mkeys, list->cache_size))
		len = list->cache_size;
	rte_umr_key_cache_set_len(cache, len);
	return true;
}

void
rte_umr_free_list_put_slow(const struct rte_umr_free_list *list, struct rte_umr_key_cache *cache,
			   struct rte_umr_mkey *const *mkeys, uint32_t nb)
{
	if (cache == NULL || nb > list->flush_len) {
		ring_put(list->ring, mkeys, nb);
		return;
	}
	ring_put(list->ring, cache->mkeys, cache->len);
	rte_umr_key_copy(cache->mkeys, mkeys, nb);
	rte_umr_key_cache_set_len(cache, nb);
}
