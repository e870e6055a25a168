/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * All memory of EAL: a region for each contiguous range, and one for each range that is added
 * later. Memory is not removed in the same ranges in which it was added: lookups use pieces, and a
 * region is deregistered with its last piece. EAL has no event for memory that a program adds to a
 * heap: a lookup that does not find it registers it.
 *
 * Lock order: EAL's memory lock, which EAL holds during events and walks; the lock of the pieces;
 * the lock of the device's regions.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <rte_eal_memconfig.h>
#include <rte_errno.h>
#include <rte_memory.h>

#include "rte_umr_private.h"

/** Memory of one registration. */
struct region {
	TAILQ_ENTRY(region) next;
	struct rte_umr_mr *mr;
	size_t len_left; /* bytes that still exist */
};

/** Contiguous rest of a region. */
struct piece {
	TAILQ_ENTRY(piece) next;
	struct region *region;
	uintptr_t start;
	uintptr_t end;
};

struct rte_umr_eal_mem {
	pthread_mutex_t lock;
	TAILQ_HEAD(, region) regions;
	TAILQ_HEAD(, piece) pieces;
	int16_t dev_id;
	uint32_t access;
	uint32_t nb_refs;
	const struct rte_memseg_list *failed; /* registration failed, and is not retried */
	char name[RTE_MEM_EVENT_CALLBACK_NAME_LEN];
};

/** Add a piece of a region to lookups. */
static int
piece_add(struct rte_umr_eal_mem *mem, struct region *region, uintptr_t start, uintptr_t end)
{
	struct piece *piece = calloc(1, sizeof(*piece));
	int ret = -ENOMEM;

	if (piece != NULL)
		ret = rte_umr_lookup_add(mem->dev_id, (void *)start, end - start, region->mr->lkey,
					 piece);
	if (ret != 0) {
		UMR_DEV_LOG(ERR, mem->dev_id,
			    "%zu bytes of EAL at 0x%" PRIxPTR " are not found by "
			    "lookups: out of memory",
			    end - start, start);
		free(piece);
		return ret;
	}
	piece->region = region;
	piece->start = start;
	piece->end = end;
	TAILQ_INSERT_TAIL(&mem->pieces, piece, next);
	return 0;
}

/** Remove a piece from lookups. */
static void
piece_remove(struct rte_umr_eal_mem *mem, struct piece *piece)
{
	rte_umr_lookup_remove(mem->dev_id, (void *)piece->start, piece);
	TAILQ_REMOVE(&mem->pieces, piece, next);
	free(piece);
}

static int
region_release(struct rte_umr_eal_mem *mem, struct region *region)
{
	int ret = rte_umr_mr_deregister(region->mr);

	if (ret != 0)
		return ret;
	TAILQ_REMOVE(&mem->regions, region, next);
	free(region);
	return 0;
}

static int
range_register(struct rte_umr_eal_mem *mem, const void *addr, size_t len)
{
	const struct rte_umr_mr_conf conf = {
		.addr = (void *)(uintptr_t)addr, .len = len, .access = mem->access,
	};
	struct region *region = calloc(1, sizeof(*region));
	int ret;

	if (region == NULL)
		return -ENOMEM;
	region->len_left = len;
	region->mr = rte_umr_mr_register_unfound(mem->dev_id, &conf);
	if (region->mr == NULL) {
		ret = -rte_errno;
		UMR_DEV_LOG(ERR, mem->dev_id, "%zu bytes of EAL at %p: %s", len, addr,
			    rte_strerror(-ret));
		free(region);
		return ret;
	}
	TAILQ_INSERT_TAIL(&mem->regions, region, next);
	ret = piece_add(mem, region, (uintptr_t)addr, (uintptr_t)addr + len);
	if (ret != 0)
		region_release(mem, region);
	return ret;
}

/** Remove memory: the rest of each affected piece becomes new pieces. */
static void
range_forget(struct rte_umr_eal_mem *mem, uintptr_t start, uintptr_t end)
{
	struct piece *piece, *following;
	struct region *region;

	for (piece = TAILQ_FIRST(&mem->pieces); piece != NULL; piece = following) {
		const uintptr_t piece_start = piece->start, piece_end = piece->end;

		following = TAILQ_NEXT(piece, next);
		if (piece_end <= start || piece_start >= end)
			continue;
		region = piece->region;
		piece_remove(mem, piece);
		region->len_left -= RTE_MIN(piece_end, end) - RTE_MAX(piece_start, start);
		if (piece_start < start)
			piece_add(mem, region, piece_start, start);
		if (piece_end > end)
			piece_add(mem, region, end, piece_end);
		if (region->len_left == 0)
			region_release(mem, region);
	}
}

static void
on_event(enum rte_mem_event event, const void *addr, size_t len, void *arg)
{
	struct rte_umr_eal_mem *mem = arg;

	pthread_mutex_lock(&mem->lock);
	if (event == RTE_MEM_EVENT_ALLOC)
		range_register(mem, addr, len);
	else
		range_forget(mem, (uintptr_t)addr, (uintptr_t)addr + len);
	pthread_mutex_unlock(&mem->lock);
}

static int
on_range(const struct rte_memseg_list *msl, const struct rte_memseg *ms, size_t len, void *arg)
{
	struct rte_umr_eal_mem *mem = arg;
	int ret;

	RTE_SET_USED(msl);
	pthread_mutex_lock(&mem->lock);
	ret = range_register(mem, ms->addr, len);
	pthread_mutex_unlock(&mem->lock);
	if (ret != 0)
		rte_errno = -ret;
	return ret != 0 ? -1 : 0;
}

static bool
is_known(struct rte_umr_eal_mem *mem, uintptr_t addr)
{
	const struct piece *piece;

	TAILQ_FOREACH(piece, &mem->pieces, next)
		if (addr >= piece->start && addr < piece->end)
			return true;
	return false;
}

/** Register existing memory that is not known. */
static int
on_unknown_range(const struct rte_memseg_list *msl, const struct rte_memseg *ms, size_t len,
		 void *arg)
{
	struct rte_umr_eal_mem *mem = arg;

	if (!is_known(mem, (uintptr_t)ms->addr) && range_register(mem, ms->addr, len) != 0)
		mem->failed = msl;
	return 0;
}

bool
rte_umr_eal_mem_join(struct rte_umr_eal_mem *mem, const void *addr)
{
	const struct rte_memseg_list *msl;
	bool is_there = false;

	rte_mcfg_mem_read_lock();
	msl = rte_mem_virt2memseg_list(addr);
	if (msl != NULL && msl->external) {
		pthread_mutex_lock(&mem->lock);
		if (msl != mem->failed && !is_known(mem, (uintptr_t)addr))
			rte_memseg_contig_walk_thread_unsafe(on_unknown_range, mem);
		is_there = is_known(mem, (uintptr_t)addr);
		pthread_mutex_unlock(&mem->lock);
	}
	rte_mcfg_mem_read_unlock();
	return is_there;
}

/** @return 0, or a negative errno; regions that could not be deregistered remain. */
static int
mem_free(struct rte_umr_eal_mem *mem)
{
	struct region *region, *following;
	struct piece *piece;
	int ret = 0, err;

	/* Not under the lock, which callbacks take. */
	rte_mem_event_callback_unregister(mem->name, mem);
	while ((piece = TAILQ_FIRST(&mem->pieces)) != NULL)
		piece_remove(mem, piece);
	for (region = TAILQ_FIRST(&mem->regions); region != NULL; region = following) {
		following = TAILQ_NEXT(region, next);
		err = region_release(mem, region);
		if (err != 0)
			ret = err;
	}
	if (ret != 0)
		return ret;
	pthread_mutex_destroy(&mem->lock);
	free(mem);
	return 0;
}

static int
eal_mem_register(struct rte_umr_dev *dev, uint32_t access)
{
	struct rte_umr_eal_mem *mem = calloc(1, sizeof(*mem));
	int ret;

	if (mem == NULL)
		return -ENOMEM;
	mem->dev_id = dev->dev_id;
	mem->access = access;
	mem->nb_refs = 1;
	TAILQ_INIT(&mem->regions);
	TAILQ_INIT(&mem->pieces);
	pthread_mutex_init(&mem->lock, NULL);
	snprintf(mem->name, sizeof(mem->name), "umr%d", dev->dev_id);
	/*
	 * Before the walk, so that no memory is missed; memory added in between is registered
	 * twice. EAL has no events if memory is static (--legacy-mem, --no-huge).
	 */
	if (rte_mem_event_callback_register(mem->name, on_event, mem) != 0 &&
	    rte_errno != ENOTSUP) {
		ret = -rte_errno;
		UMR_DEV_LOG(ERR, dev->dev_id, "cannot subscribe to memory events of EAL: %s",
			    rte_strerror(-ret));
		mem_free(mem);
		return ret;
	}
	if (rte_memseg_contig_walk(on_range, mem) != 0) {
		ret = -rte_errno;
		mem_free(mem);
		return ret;
	}
	dev->eal_mem = mem;
	return 0;
}

int
rte_umr_eal_memory_register(int16_t dev_id, uint32_t access)
{
	struct rte_umr_dev *dev = rte_umr_dev_get(dev_id);

	if (dev == NULL)
		return rte_umr_no_dev("EAL's memory");
	if (dev->eal_mem == NULL)
		return eal_mem_register(dev, access);
	if (dev->eal_mem->access != access) {
		UMR_DEV_LOG(ERR, dev_id, "EAL's memory is registered with access 0x%x, not 0x%x",
			    dev->eal_mem->access, access);
		return -EEXIST;
	}
	dev->eal_mem->nb_refs++;
	return 0;
}

int
rte_umr_eal_memory_unregister(int16_t dev_id)
{
	struct rte_umr_dev *dev = rte_umr_dev_get(dev_id);
	struct rte_umr_eal_mem *mem;
	int ret;

	if (dev == NULL)
		return rte_umr_no_dev("EAL's memory");
	mem = dev->eal_mem;
	if (mem == NULL) {
		UMR_DEV_LOG(ERR, dev_id, "EAL's memory is not registered");
		return -ENOENT;
	}
	if (mem->nb_refs > 1) {
		mem->nb_refs--;
		return 0;
	}
	ret = mem_free(mem);
	if (ret == 0)
		dev->eal_mem = NULL;
	return ret;
}
