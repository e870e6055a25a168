/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "keys.h"

#define FIRST_KEY 0x100u

struct keys keys;

static struct rte_umr_fp_entry lib_entry;

static struct keys_key *
key_begin(struct rte_umr_mkey *mkey, uint32_t access, uint32_t repeat, uint32_t nb, uint64_t flags)
{
	struct keys_key *key = &keys.keys[mkey - keys.mkeys];

	free(key->entries);
	*key = (struct keys_key){ .access = access, .repeat = repeat, .nb = nb, .flags = flags };
	key->entries = calloc(nb, sizeof(*key->entries));
	return key;
}

static int
keys_list(void *queue __rte_unused, struct rte_umr_mkey *mkey, uint32_t access,
	  const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags)
{
	struct keys_key *key;

	if (keys.nb_ops == keys.max_ops)
		return -ENOSPC;
	key = key_begin(mkey, access, 1, nb_segs, flags);
	for (uint32_t i = 0; i < nb_segs; i++) {
		key->entries[i] = (struct rte_umr_interleaved){
			.addr = segs[i].addr, .bytes_count = segs[i].length, .lkey = segs[i].lkey,
		};
		key->len += segs[i].length;
	}
	return (int)keys.nb_ops++;
}

static int
keys_pattern(void *queue __rte_unused, struct rte_umr_mkey *mkey, uint32_t access, uint32_t repeat,
	     const struct rte_umr_interleaved *entries, uint32_t nb_entries, uint64_t flags)
{
	struct keys_key *key;

	if (keys.nb_ops == keys.max_ops)
		return -ENOSPC;
	key = key_begin(mkey, access, repeat, nb_entries, flags);
	key->is_pattern = true;
	for (uint32_t i = 0; i < nb_entries; i++) {
		key->entries[i] = entries[i];
		key->len += (uint64_t)entries[i].bytes_count * repeat;
	}
	return (int)keys.nb_ops++;
}

static int
keys_submit(void *queue __rte_unused)
{
	keys.nb_submits++;
	return 0;
}

static const struct rte_umr_fp_ops ops = {
	.mkey_list = keys_list, .mkey_interleaved = keys_pattern, .submit = keys_submit,
};
static struct rte_umr_fp_queue the_queue;

static struct rte_umr_fp_entry *
the_entry(void)
{
	return &rte_umr_fp_entries[KEYS_DEV_ID * RTE_UMR_MAX_QUEUES];
}

void
keys_fini(void)
{
	for (uint32_t i = 0; i < KEYS_MAX; i++) {
		free(keys.keys[i].entries);
		keys.keys[i].entries = NULL;
	}
	if (lib_entry.ops != NULL)
		*the_entry() = lib_entry;
}

void
keys_reset(uint32_t max_entries)
{
	if (lib_entry.ops == NULL)
		lib_entry = *the_entry();
	keys_fini();
	memset(&keys, 0, sizeof(keys));
	for (uint32_t i = 0; i < KEYS_MAX; i++) {
		keys.mkeys[i] = (struct rte_umr_mkey){
			.key = (FIRST_KEY + i) << 8 | 7, .max_entries = max_entries,
			.dev_id = KEYS_DEV_ID,
		};
		keys.ptrs[i] = &keys.mkeys[i];
	}
	keys.max_ops = UINT32_MAX;
	*the_entry() = (struct rte_umr_fp_entry){ &ops, &the_queue };
}

/** A walk over some bytes of a key. */
struct walk {
	uint64_t *next;
	uint32_t levels;
};

static bool piece_walk(struct walk *walk, uint32_t lkey, uint64_t addr, uint64_t len,
		       uint32_t level);

/** Bytes [from, from + len) of a key. */
static bool
key_walk(struct walk *walk, const struct keys_key *key, uint64_t from, uint64_t len, uint32_t level)
{
	uint64_t round, round_len = key->len / key->repeat, part;
	const struct rte_umr_interleaved *entry;

	walk->levels = RTE_MAX(walk->levels, level);
	round = from / round_len;
	from -= round * round_len;
	for (; len != 0 && round < key->repeat; round++) {
		for (uint32_t i = 0; i < key->nb && len != 0; i++) {
			entry = &key->entries[i];
			if (from >= entry->bytes_count) {
				from -= entry->bytes_count;
				continue;
			}
			part = RTE_MIN(len, entry->bytes_count - from);
			if (!piece_walk(walk, entry->lkey, entry->addr + from + round *
					((uint64_t)entry->bytes_count + entry->bytes_skip),
					part, level))
				return false;
			from = 0;
			len -= part;
		}
	}
	return len == 0;
}

static bool
piece_walk(struct walk *walk, uint32_t lkey, uint64_t addr, uint64_t len, uint32_t level)
{
	const uint32_t n = (lkey >> 8) - FIRST_KEY;

	if (lkey == KEYS_LKEY) {
		for (; len != 0; len--)
			*walk->next++ = addr++;
		return true;
	}
	if (n >= KEYS_MAX || keys.keys[n].entries == NULL || lkey != keys.mkeys[n].key) {
		printf("no key 0x%x\n", lkey);
		return false;
	}
	return key_walk(walk, &keys.keys[n], addr, len, level + 1);
}

uint32_t
keys_walk(uint32_t n, uint64_t *addrs)
{
	struct walk walk = { .next = addrs };

	if (key_walk(&walk, &keys.keys[n], 0, keys.keys[n].len, 1))
		return walk.levels;
	return 0;
}

bool
keys_are_within(uint64_t from, uint64_t to)
{
	const struct rte_umr_interleaved *entry;
	uint64_t last;

	for (uint32_t i = 0; i < KEYS_MAX; i++) {
		for (uint32_t k = 0; k < keys.keys[i].nb; k++) {
			entry = &keys.keys[i].entries[k];
			last = entry->addr + (keys.keys[i].repeat - 1) *
			       ((uint64_t)entry->bytes_count + entry->bytes_skip);
			if (entry->lkey == KEYS_LKEY &&
			    (entry->addr < from || last + entry->bytes_count > to)) {
				printf("key %u: from %" PRIu64 " to %" PRIu64 "\n", i, entry->addr,
				       last + entry->bytes_count);
				return false;
			}
		}
	}
	return true;
}
