/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * All memory of a mempool, with one region for each contiguous range: its own chunks, and the
 * buffers that are pinned to its mbufs.
 */

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <rte_errno.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include "rte_umr_private.h"

/** A range of memory. */
struct range {
	uintptr_t start;
	uintptr_t end;
};

/** Collected ranges. */
struct ranges {
	struct range *at;
	uint32_t nb;
	uint32_t size;
	bool has_failed; /* out of memory */
};

/** A mempool that is registered with a device. */
struct rte_umr_mempool_mrs {
	TAILQ_ENTRY(rte_umr_mempool_mrs) next;
	const struct rte_mempool *mp;
	uint32_t access;
	uint32_t nb_refs;
	uint32_t nb_mrs;
	struct rte_umr_mr *mrs[];
};

static void
ranges_add(struct ranges *ranges, const void *addr, size_t len)
{
	struct range *last = ranges->nb != 0 ? &ranges->at[ranges->nb - 1] : NULL;
	const uintptr_t start = (uintptr_t)addr;
	uint32_t size;
	void *at;

	if (len == 0)
		return;
	/* The usual case: consecutive objects. */
	if (last != NULL && start == last->end) {
		last->end += len;
		return;
	}
	if (ranges->nb == ranges->size) {
		size = RTE_MAX(ranges->size * 2, 16u);
		at = realloc(ranges->at, size * sizeof(*ranges->at));
		if (at == NULL) {
			ranges->has_failed = true;
			return;
		}
		ranges->at = at;
		ranges->size = size;
	}
	ranges->at[ranges->nb++] = (struct range){ start, start + len };
}

static int
range_compare(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/** Sort ranges, and merge those that overlap or are less than a page apart. */
static void
ranges_merge(struct ranges *ranges)
{
	const size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	struct range *to = ranges->at;
	uint32_t i;

	if (ranges->nb == 0)
		return;
	qsort(ranges->at, ranges->nb, sizeof(*ranges->at), range_compare);
	for (i = 1; i < ranges->nb; i++) {
		const struct range *from = &ranges->at[i];

		if (from->start <= to->end || from->start - to->end < page_size)
			to->end = RTE_MAX(to->end, from->end);
		else
			*++to = *from;
	}
	ranges->nb = (uint32_t)(to - ranges->at) + 1;
}

static void
chunk_add(struct rte_mempool *mp, void *arg, struct rte_mempool_memhdr *chunk, unsigned int idx)
{
	RTE_SET_USED(mp);
	RTE_SET_USED(idx);
	ranges_add(arg, chunk->addr, chunk->len);
}

static void
buffer_add(struct rte_mempool *mp, void *arg, void *obj, unsigned int idx)
{
	const struct rte_mbuf *mbuf = obj;

	RTE_SET_USED(mp);
	RTE_SET_USED(idx);
	ranges_add(arg, mbuf->buf_addr, mbuf->buf_len);
}

/**
 * Whether the data of the mbufs are in external buffers. A mempool does not state that its objects
 * are mbufs: it must have the private data of such a pool, and objects that refer to their pool
 * where mbufs do.
 */
static bool
has_pinned_buffers(struct rte_mempool *mp)
{
	const struct rte_pktmbuf_pool_private *priv = rte_mempool_get_priv(mp);
	const struct rte_mempool_objhdr *first = STAILQ_FIRST(&mp->elt_list);

	return mp->private_data_size >= sizeof(*priv) && first != NULL &&
	       mp->elt_size >= sizeof(struct rte_mbuf) + priv->mbuf_priv_size &&
	       (priv->flags & RTE_PKTMBUF_POOL_F_PINNED_EXT_BUF) != 0 &&
	       ((const struct rte_mbuf *)(first + 1))->pool == mp;
}

static int
ranges_of(struct rte_mempool *mp, struct ranges *ranges)
{
	/* Mbufs with pinned buffers are not registered: their headers are never transferred. */
	if (has_pinned_buffers(mp))
		rte_mempool_obj_iter(mp, buffer_add, ranges);
	else
		rte_mempool_mem_iter(mp, chunk_add, ranges);
	if (ranges->has_failed)
		return -ENOMEM;
	if (ranges->nb == 0) {
		UMR_LOG(ERR, "mempool %s has no memory yet", mp->name);
		return -EINVAL;
	}
	ranges_merge(ranges);
	return 0;
}

static int
mrs_free(struct rte_umr_mempool_mrs *mrs)
{
	int ret = 0, err;
	uint32_t i, nb = 0;

	for (i = 0; i < mrs->nb_mrs; i++) {
		err = rte_umr_mr_deregister(mrs->mrs[i]);
		if (err == 0)
			continue;
		mrs->mrs[nb++] = mrs->mrs[i];
		ret = err;
	}
	mrs->nb_mrs = nb;
	if (ret == 0)
		free(mrs);
	return ret;
}

static int
mempool_register(struct rte_umr_dev *dev, struct rte_mempool *mp, uint32_t access)
{
	struct rte_umr_mempool_mrs *mrs;
	struct ranges ranges = { 0 };
	struct rte_umr_mr *mr;
	uint32_t i;
	int ret;

	ret = ranges_of(mp, &ranges);
	mrs = ret == 0 ? calloc(1, sizeof(*mrs) + ranges.nb * sizeof(mrs->mrs[0])) : NULL;
	if (mrs == NULL) {
		free(ranges.at);
		return ret != 0 ? ret : -ENOMEM;
	}
	*mrs = (struct rte_umr_mempool_mrs){ .mp = mp, .access = access, .nb_refs = 1 };
	for (i = 0; i < ranges.nb; i++) {
		const struct rte_umr_mr_conf conf = {
			.addr = (void *)ranges.at[i].start,
			.len = ranges.at[i].end - ranges.at[i].start,
			.access = access,
		};

		mr = rte_umr_mr_register(dev->dev_id, &conf);
		if (mr == NULL) {
			ret = -rte_errno;
			UMR_DEV_LOG(ERR, dev->dev_id,
				    "mempool %s: range %u of %u, %zu bytes at %p: %s", mp->name, i,
				    ranges.nb, conf.len, conf.addr, rte_strerror(-ret));
			break;
		}
		mrs->mrs[mrs->nb_mrs++] = mr;
	}
	free(ranges.at);
	if (ret != 0) {
		mrs_free(mrs);
		return ret;
	}
	TAILQ_INSERT_TAIL(&dev->mempools, mrs, next);
	return 0;
}

static struct rte_umr_mempool_mrs *
mempool_find(const struct rte_umr_dev *dev, const struct rte_mempool *mp)
{
	struct rte_umr_mempool_mrs *mrs;

	TAILQ_FOREACH(mrs, &dev->mempools, next)
		if (mrs->mp == mp)
			break;
	return mrs;
}

int
rte_umr_mempool_register(int16_t dev_id, struct rte_mempool *mp, uint32_t access)
{
	struct rte_umr_dev *dev = rte_umr_dev_get(dev_id);
	struct rte_umr_mempool_mrs *mrs;

	if (dev == NULL)
		return rte_umr_no_dev("mempool");
	if (mp == NULL) {
		UMR_DEV_LOG(ERR, dev_id, "mempool to register is NULL");
		return -EINVAL;
	}
	mrs = mempool_find(dev, mp);
	if (mrs == NULL)
		return mempool_register(dev, mp, access);
	if (mrs->access != access) {
		UMR_DEV_LOG(ERR, dev_id, "mempool %s is registered with access 0x%x, not 0x%x",
			    mp->name, mrs->access, access);
		return -EEXIST;
	}
	mrs->nb_refs++;
	return 0;
}

int
rte_umr_mempool_unregister(int16_t dev_id, struct rte_mempool *mp)
{
	struct rte_umr_dev *dev = rte_umr_dev_get(dev_id);
	struct rte_umr_mempool_mrs *mrs;
	int ret;

	if (dev == NULL)
		return rte_umr_no_dev("mempool");
	mrs = mempool_find(dev, mp);
	if (mrs == NULL) {
		UMR_DEV_LOG(ERR, dev_id, "mempool %p is not registered", (void *)mp);
		return -ENOENT;
	}
	if (mrs->nb_refs > 1) {
		mrs->nb_refs--;
		return 0;
	}
	TAILQ_REMOVE(&dev->mempools, mrs, next);
	ret = mrs_free(mrs);
	if (ret != 0)
		TAILQ_INSERT_TAIL(&dev->mempools, mrs, next);
	return ret;
}
