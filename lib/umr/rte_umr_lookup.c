/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Lookup of the key of a memory range. The regions of a device are in a table, sorted by first
 * address; if several regions contain a range, the one that starts last is used. Regions may
 * overlap and be nested: each row refers to the nearest earlier row with a later end, so a lookup
 * is one binary search, plus one step for each nested region that is too short.
 *
 * Readers take no lock: rte_umr_fp_object::lookup_gen is odd while rows change, and different after
 * each change. Cache entries of an lcore are valid for one generation. Replaced tables stay
 * allocated until the device is closed, for readers that still use them.
 */

#include <errno.h>
#include <stdlib.h>

#include <rte_atomic.h>
#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_lcore.h>
#include <rte_pause.h>
#include <rte_spinlock.h>

#include "rte_umr_private.h"

/** No row. */
#define NONE UINT32_MAX
/** Pages: shorter regions share cache entries. */
#define MIN_SHORT 12u
/** Initial rows of a table. */
#define MIN_SIZE 16u

/** A region, without its first address. */
struct row {
	uintptr_t end; /* first byte after it */
	const void *owner; /* for comparison only */
	uint32_t lkey;
	uint32_t further; /* last earlier row with a later end, or NONE */
};

/** Rows sorted by first address; both arrays follow the struct. */
struct table {
	struct table *outgrown;
	uint32_t nb;
	uint32_t size;
	uintptr_t *starts; /* separate, since a search reads nothing else */
	struct row *rows;
};

/** Table of a device; writers take the lock. */
static struct {
	rte_spinlock_t lock;
	struct table *table;
} devs[RTE_UMR_MAX_DEVS];

/** Result of a lookup. */
struct found {
	uint32_t lkey;
	/* Ranges within it have the same result. */
	uintptr_t start;
	uintptr_t end;
};

static struct table *
table_alloc(uint32_t size)
{
	struct table *table;

	table = malloc(sizeof(*table) + size * (sizeof(*table->starts) + sizeof(*table->rows)));
	if (table == NULL)
		return NULL;
	*table = (struct table){ .size = size };
	table->rows = (struct row *)(table + 1);
	table->starts = (uintptr_t *)(table->rows + size);
	return table;
}

/*
 * Readers may run concurrently: each value is loaded and stored atomically, and the generation
 * shows changes.
 */

static void
row_set(struct table *table, uint32_t i, uintptr_t start, const struct row *from)
{
	struct row *row = &table->rows[i];

	__atomic_store_n(&table->starts[i], start, __ATOMIC_RELAXED);
	__atomic_store_n(&row->end, from->end, __ATOMIC_RELAXED);
	__atomic_store_n(&row->lkey, from->lkey, __ATOMIC_RELAXED);
	row->owner = from->owner;
}

/** Rows from this one on have changed: recompute further. */
static void
table_link(struct table *table, uint32_t first)
{
	struct row *rows = table->rows;
	uint32_t i, further;

	for (i = first; i < table->nb; i++) {
		further = i - 1; /* of the first row: NONE */
		while (further != NONE && rows[further].end <= rows[i].end)
			further = rows[further].further;
		__atomic_store_n(&rows[i].further, further, __ATOMIC_RELAXED);
	}
}
static_assert(NONE == (uint32_t)(0 - 1), "in front of the first row is none");

/** Last row that starts at or below an address, or NONE. */
static uint32_t
table_last(const struct table *table, uintptr_t addr)
{
	uint32_t nb = __atomic_load_n(&table->nb, __ATOMIC_RELAXED), base = 0, half;

	if (nb == 0)
		return NONE;
	/* No branch depends on data. */
	for (; nb > 1; nb -= half) {
		half = nb / 2;
		base += __atomic_load_n(&table->starts[base + half], __ATOMIC_RELAXED) <= addr ?
			half : 0;
	}
	return __atomic_load_n(&table->starts[base], __ATOMIC_RELAXED) <= addr ? base : NONE;
}

/** Find the region that starts last of those that contain [addr, addr + len). */
static bool
table_find(const struct table *table, uintptr_t addr, size_t len, struct found *found)
{
	const uint32_t last = table_last(table, addr);
	const uint32_t nb = __atomic_load_n(&table->nb, __ATOMIC_RELAXED);
	uintptr_t end, next;
	uint32_t i;

	if (last == NONE || len > UINTPTR_MAX - addr)
		return false;
	found->start = __atomic_load_n(&table->starts[last], __ATOMIC_RELAXED);
	for (i = last; i != NONE;
	     i = __atomic_load_n(&table->rows[i].further, __ATOMIC_RELAXED)) {
		end = __atomic_load_n(&table->rows[i].end, __ATOMIC_RELAXED);
		if (addr + len <= end) {
			found->lkey = __atomic_load_n(&table->rows[i].lkey, __ATOMIC_RELAXED);
			next = last + 1 < nb ? __atomic_load_n(&table->starts[last + 1],
							       __ATOMIC_RELAXED) : end;
			found->end = RTE_MIN(end, next);
			return true;
		}
		/* It may contain a shorter range. */
		found->start = RTE_MAX(found->start, end);
	}
	return false;
}

/** Adapt the cache entries of short regions to regions of that length. */
static void
short_set(int16_t dev_id, size_t len)
{
	uint32_t *shift = &rte_umr_fp_objs[dev_id].lookup_short;
	const uint32_t log = RTE_MAX((uint32_t)rte_fls_u64(len) - 1, MIN_SHORT);

	if (*shift > log)
		__atomic_store_n(shift, log, __ATOMIC_RELAXED);
}

/** Begin to change the rows of a device. The lock is held. */
static void
write_begin(int16_t dev_id)
{
	uint64_t *gen = &rte_umr_fp_objs[dev_id].lookup_gen;

	__atomic_store_n(gen, *gen + 1, __ATOMIC_RELAXED);
	rte_atomic_thread_fence(__ATOMIC_RELEASE);
}

static void
write_end(int16_t dev_id)
{
	uint64_t *gen = &rte_umr_fp_objs[dev_id].lookup_gen;

	__atomic_store_n(gen, *gen + 1, __ATOMIC_RELEASE);
}

/** Replace the table of a device by a larger one. The lock is held. */
static int
table_grow(int16_t dev_id)
{
	struct table *table, *old = devs[dev_id].table;
	const uint32_t size = old != NULL ? old->size * 2 : MIN_SIZE;
	uint32_t i;

	table = table_alloc(size);
	if (table == NULL) {
		UMR_DEV_LOG(ERR, dev_id, "no memory for a table of %u regions", size);
		return -ENOMEM;
	}
	table->outgrown = old;
	table->nb = old != NULL ? old->nb : 0;
	for (i = 0; i < table->nb; i++)
		row_set(table, i, old->starts[i], &old->rows[i]);
	table_link(table, 0);
	__atomic_store_n(&devs[dev_id].table, table, __ATOMIC_RELEASE);
	return 0;
}

/** Make room for one more row. The lock is held. */
static int
table_reserve(int16_t dev_id)
{
	const struct table *table = devs[dev_id].table;

	return table == NULL || table->nb == table->size ? table_grow(dev_id) : 0;
}

int
rte_umr_lookup_add(int16_t dev_id, const void *addr, size_t len, uint32_t lkey, const void *owner)
{
	const uintptr_t start = (uintptr_t)addr;
	const struct row row = { .end = start + len, .owner = owner, .lkey = lkey };
	struct table *table;
	uint32_t i, at;
	int ret;

	rte_spinlock_lock(&devs[dev_id].lock);
	ret = table_reserve(dev_id);
	if (ret != 0) {
		rte_spinlock_unlock(&devs[dev_id].lock);
		return ret;
	}
	table = devs[dev_id].table;
	at = table_last(table, start) + 1; /* NONE + 1 is the first row */
	write_begin(dev_id);
	for (i = table->nb; i > at; i--)
		row_set(table, i, table->starts[i - 1], &table->rows[i - 1]);
	row_set(table, at, start, &row);
	__atomic_store_n(&table->nb, table->nb + 1, __ATOMIC_RELAXED);
	table_link(table, at);
	short_set(dev_id, len);
	write_end(dev_id);
	rte_spinlock_unlock(&devs[dev_id].lock);
	return 0;
}

/** Row of a range, or NONE. The lock is held. */
static uint32_t
table_index(const struct table *table, uintptr_t start, const void *owner)
{
	uint32_t i = table != NULL ? table_last(table, start) : NONE;

	while (i != NONE && table->rows[i].owner != owner)
		i = table->starts[i] == start ? i - 1 : NONE;
	return i;
}

void
rte_umr_lookup_remove(int16_t dev_id, const void *addr, const void *owner)
{
	uint32_t *shift = &rte_umr_fp_objs[dev_id].lookup_short;
	struct table *table;
	uint32_t i, at;

	rte_spinlock_lock(&devs[dev_id].lock);
	table = devs[dev_id].table;
	at = table_index(table, (uintptr_t)addr, owner);
	if (at != NONE) {
		write_begin(dev_id);
		for (i = at; i + 1 < table->nb; i++)
			row_set(table, i, table->starts[i + 1], &table->rows[i + 1]);
		__atomic_store_n(&table->nb, table->nb - 1, __ATOMIC_RELAXED);
		table_link(table, at);
		if (table->nb == 0)
			__atomic_store_n(shift, RTE_UMR_LOOKUP_LONG, __ATOMIC_RELAXED);
		write_end(dev_id);
	}
	rte_spinlock_unlock(&devs[dev_id].lock);
}

int
rte_umr_lookup_open(int16_t dev_id)
{
	struct rte_umr_fp_object *obj = &rte_umr_fp_objs[dev_id];

	/*
	 * Kept for the next device with that identifier: later lookups in it find nothing. Pages of
	 * lcores that never use it stay untouched.
	 */
	if (obj->lookup_cache == NULL)
		obj->lookup_cache = calloc((size_t)RTE_MAX_LCORE * 2 * RTE_UMR_LOOKUP_CACHE,
					   sizeof(*obj->lookup_cache));
	if (obj->lookup_cache == NULL) {
		UMR_DEV_LOG(ERR, dev_id, "no memory for the caches of lookups");
		return -ENOMEM;
	}
	/* No cache entry has the new generation. */
	write_begin(dev_id);
	write_end(dev_id);
	obj->lookup_short = RTE_UMR_LOOKUP_LONG;
	obj->lookup_nb_lcores = RTE_MAX_LCORE;
	return 0;
}

void
rte_umr_lookup_close(int16_t dev_id)
{
	struct table *table = devs[dev_id].table, *outgrown;

	rte_umr_fp_objs[dev_id].lookup_nb_lcores = 0;
	for (; table != NULL; table = outgrown) {
		outgrown = table->outgrown;
		free(table);
	}
	devs[dev_id].table = NULL;
}

static bool
lookup(int16_t dev_id, uintptr_t addr, size_t len, struct found *found, uint64_t *gen)
{
	const uint64_t *dev_gen = &rte_umr_fp_objs[dev_id].lookup_gen;
	const struct table *table;
	bool is_found;

	for (;;) {
		*gen = __atomic_load_n(dev_gen, __ATOMIC_ACQUIRE);
		if (unlikely((*gen & 1) != 0)) {
			rte_pause();
			continue;
		}
		table = __atomic_load_n(&devs[dev_id].table, __ATOMIC_ACQUIRE);
		is_found = table != NULL && table_find(table, addr, len, found);
		rte_atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (likely(__atomic_load_n(dev_gen, __ATOMIC_RELAXED) == *gen))
			return is_found;
	}
}

/** Like lookup(), but registers EAL memory that was added without an event. */
static bool
lookup_or_join(int16_t dev_id, const void *addr, size_t len, struct found *found, uint64_t *gen)
{
	const struct rte_umr_dev *dev;

	if (lookup(dev_id, (uintptr_t)addr, len, found, gen))
		return true;
	dev = rte_umr_dev_get(dev_id);
	return dev != NULL && dev->eal_mem != NULL && rte_umr_eal_mem_join(dev->eal_mem, addr) &&
	       lookup(dev_id, (uintptr_t)addr, len, found, gen);
}

int
rte_umr_mr_lookup(int16_t dev_id, const void *addr, size_t len, uint32_t *lkey)
{
	struct found found;
	uint64_t gen;

	if (rte_umr_dev_get(dev_id) == NULL)
		return -ENODEV;
	if (lkey == NULL)
		return -EINVAL;
	if (!lookup_or_join(dev_id, addr, len, &found, &gen))
		return -ENOENT;
	*lkey = found.lkey;
	return 0;
}

/** Store the region of an address in the cache of an lcore. */
static void
remember(const struct rte_umr_fp_object *obj, unsigned int lcore, uintptr_t addr, uint64_t gen,
	 const struct found *found)
{
	const size_t len = found->end - found->start;
	struct rte_umr_lookup_entry *entry;

	/* A range within a region that was too short has a different result. */
	if (addr < found->start || addr >= found->end)
		return;
	if (len >> RTE_UMR_LOOKUP_LONG != 0) {
		entry = rte_umr_lookup_long(obj, lcore, addr);
	} else {
		entry = rte_umr_lookup_short(obj, lcore, addr);
		entry[1] = entry[0];
	}
	*entry = (struct rte_umr_lookup_entry){
		.start = found->start,
		.len = len,
		.gen = gen,
		.lkey = found->lkey,
	};
}

uint32_t
rte_umr_lookup_miss(int16_t dev_id, const void *addr, size_t len)
{
	const struct rte_umr_fp_object *obj = &rte_umr_fp_objs[dev_id];
	const unsigned int lcore = rte_lcore_id();
	struct found found;
	uint64_t gen;

	if (!lookup_or_join(dev_id, addr, len, &found, &gen))
		return RTE_UMR_LKEY_NONE;
	/* Do not cache ranges of 0 bytes: they would miss again, and evict others. */
	if (lcore < obj->lookup_nb_lcores && len != 0)
		remember(obj, lcore, (uintptr_t)addr, gen, &found);
	return found.lkey;
}
