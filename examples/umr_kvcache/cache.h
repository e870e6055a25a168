/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef CACHE_H
#define CACHE_H

/*
 * A paged KV cache, as an inference engine has it: memory in pages, and a table that tells which of
 * them a sequence has. Its blocks, one behind the other, are in pages in any order.
 */

#include "pair.h"

struct cache {
	uint16_t queue; /* of its side */
	uint32_t nb_blocks; /* of the sequence */
	uint32_t nb_pages; /* at least as many; the others belong to somebody else */
	uint32_t block_len; /* bytes of a block, and of a page */
	uint32_t *page_of; /* by block; those that are not of the sequence are behind it */
	uint32_t *peer_page_of; /* what it was told of the table of its peer */
	struct rte_umr_seg *segs; /* room for a list of the pages of the sequence */
	struct pair_mem pages;
	struct pair_mem staging; /* room for the sequence, packed */
	struct pair_keys keys; /* to lay over the pages */
};

static inline uint8_t *
cache_page(const struct cache *cache, uint32_t block)
{
	return cache->pages.addr + (size_t)cache->page_of[block] * cache->block_len;
}

/*
 * Make the cache of a side, of random bytes, with keys of max_entries entries. Returns 0 or a
 * negative errno; cache_destroy() is needed in any case.
 */
int cache_create(struct cache *cache, const struct pair *pair, enum pair_side side,
		 uint32_t nb_mkeys, uint32_t max_entries);

/* One that was not created is accepted. */
void cache_destroy(struct cache *cache);

/* Overwrite all pages. */
void cache_clear(struct cache *cache);

/* Whether one cache has the blocks of the other, and its other pages are as they were cleared. */
bool cache_has_sequence(const struct cache *cache, const struct cache *other);

#endif /* CACHE_H */
