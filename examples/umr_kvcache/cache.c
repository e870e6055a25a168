/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cache.h"

#define CLEARED 0xee

int
cache_create(struct cache *cache, const struct pair *pair, enum pair_side side, uint32_t nb_mkeys,
	     uint32_t max_entries, uint32_t flags)
{
	const size_t len = cache->block_len;
	uint32_t i, j;
	int ret;

	cache->queue = pair_queue(pair, side, 0);
	cache->page_of = calloc(cache->nb_pages, sizeof(*cache->page_of));
	cache->peer_page_of = calloc(cache->nb_blocks, sizeof(*cache->peer_page_of));
	cache->segs = calloc(cache->nb_blocks, sizeof(*cache->segs));
	if (cache->page_of == NULL || cache->peer_page_of == NULL || cache->segs == NULL)
		return -ENOMEM;
	for (i = 0; i < cache->nb_pages; i++) {
		j = (uint32_t)rand() % (i + 1);
		cache->page_of[i] = cache->page_of[j];
		cache->page_of[j] = i;
	}
	ret = pair_mem_alloc(pair, side, cache->nb_pages * len, &cache->pages);
	if (ret == 0)
		ret = pair_mem_alloc(pair, side, cache->nb_blocks * len, &cache->staging);
	if (ret == 0)
		ret = pair_keys_create(pair, side, nb_mkeys, max_entries, flags, &cache->keys);
	return ret;
}

void
cache_destroy(struct cache *cache)
{
	pair_keys_destroy(&cache->keys);
	pair_mem_free(&cache->staging);
	pair_mem_free(&cache->pages);
	free(cache->segs);
	free(cache->peer_page_of);
	free(cache->page_of);
}

void
cache_clear(struct cache *cache)
{
	memset(cache->pages.addr, CLEARED, cache->pages.len);
}

static bool
is_cleared(const uint8_t *page, size_t len)
{
	return page[0] == CLEARED && memcmp(page, page + 1, len - 1) == 0;
}

bool
cache_has_sequence(const struct cache *cache, const struct cache *other)
{
	uint32_t i;

	for (i = 0; i < cache->nb_blocks; i++)
		if (memcmp(cache_page(cache, i), cache_page(other, i), cache->block_len) != 0)
			return false;
	for (; i < cache->nb_pages; i++)
		if (!is_cleared(cache_page(cache, i), cache->block_len))
			return false;
	return true;
}
