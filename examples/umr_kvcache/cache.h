/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef CACHE_H
#define CACHE_H

/*
 * A paged KV cache of an inference engine: memory in pages, and a table with the pages of a
 * sequence. The blocks of a sequence are in pages in any order.
 */

#include "pair.h"

struct cache {
	uint16_t queue; /* of its side */
	uint32_t nb_blocks; /* of the sequence */
	uint32_t nb_pages; /* at least nb_blocks; the others belong to other sequences */
	uint32_t block_len; /* bytes of a block, and of a page */
	uint32_t *page_of; /* by block, followed by pages of other sequences */
	uint32_t *peer_page_of; /* received table of the peer */
	struct rte_umr_seg *segs; /* room for a list of the pages of the sequence */
	struct pair_mem pages;
	struct pair_mem staging; /* room for the packed sequence */
	struct pair_keys keys; /* for the pages */
};

static inline uint8_t *
cache_page(const struct cache *cache, uint32_t block)
{
	return cache->pages.addr + (size_t)cache->page_of[block] * cache->block_len;
}

/*
 * Create the cache of a side with random bytes and keys of max_entries entries; flags are those
 * of their pool. Returns 0 or a negative errno; call cache_destroy() in both cases.
 */
int cache_create(struct cache *cache, const struct pair *pair, enum pair_side side,
		 uint32_t nb_mkeys, uint32_t max_entries, uint32_t flags);

/* Accepts a cache that was not created. */
void cache_destroy(struct cache *cache);

/* Overwrite all pages. */
void cache_clear(struct cache *cache);

/* Whether a cache contains the blocks of the other one, and its other pages are still cleared. */
bool cache_has_sequence(const struct cache *cache, const struct cache *other);

#endif /* CACHE_H */
