/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * User memory: copies that cannot fault, checks, page lists.
 *
 * A bus address is the address of the process, so any region is contiguous on the bus and pages
 * are as large as alignment and the PRM's fields allow (Linux: ib_umem_find_best_pgsz()).
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/uverbs/file/fork.h"
#include "front/uverbs/priv.h"

/* Memory in the maps of the process: start, end, and may it be written? */
struct umap {
	uint64_t start;
	uint64_t end;
	bool is_readable;
	bool is_writable;
};

int
swhca_uaddr_read(void *dst, uint64_t addr, size_t len)
{
	const struct swhca_dma *dma = swhca_ufork_dma();

	return dma->read(dma, dst, addr, len);
}

int
swhca_uaddr_write(uint64_t addr, const void *src, size_t len)
{
	const struct swhca_dma *dma = swhca_ufork_dma();

	return dma->write(dma, addr, src, len);
}

static bool
umap_next(FILE *maps, struct umap *map)
{
	char line[512];
	char perm[8];
	int c;

	do {
		if (fgets(line, sizeof(line), maps) == NULL)
			return false;
		if (strchr(line, '\n') != NULL)
			continue;
		/* A long path: skip the rest of its line. */
		do
			c = fgetc(maps);
		while (c != '\n' && c != EOF);
	} while (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s", &map->start, &map->end, perm) != 3);
	map->is_readable = perm[0] == 'r';
	map->is_writable = perm[1] == 'w';
	return true;
}

/* Linux pins the pages, which fails as an access by the CPU would (ib_umem_get()). */
int
swhca_uaddr_check(uint64_t addr, uint64_t len, bool is_writable)
{
	uint64_t end = addr + len;
	struct umap map;
	FILE *maps;

	if (len == 0 || end < addr)
		return -EINVAL;
	if (swhca_ufork_is_foreign()) {
		SWHCA_LOG(WARNING, "memory of a child of fork: the device cannot reach it");
		return -EOPNOTSUPP;
	}
	maps = fopen("/proc/self/maps", "re");
	if (maps == NULL)
		return -errno;
	while (addr < end && umap_next(maps, &map)) {
		if (map.end <= addr)
			continue;
		if (map.start > addr || !map.is_readable || (is_writable && !map.is_writable))
			break;
		addr = map.end;
	}
	fclose(maps);
	return addr >= end ? 0 : -EFAULT;
}

/* Pages larger than this have no advantage: the region is in one. */
static unsigned int
log_span(uint64_t addr, uint64_t len)
{
	uint64_t diff = addr ^ (addr + len - 1);

	return diff == 0 ? 0 : 64 - __builtin_clzll(diff);
}

int
swhca_upages_region(uint64_t addr, uint64_t len, uint64_t iova, uint8_t log_max,
		    struct swhca_upages *pages)
{
	unsigned int log_page = log_span(iova, len);
	uint64_t diff = addr ^ iova;
	uint64_t nb;

	if (log_page < PRM_ADAPTER_PAGE_SHIFT)
		log_page = PRM_ADAPTER_PAGE_SHIFT;
	if (log_page > log_max)
		log_page = log_max;
	/* Address and device address must have the same offset in a page. */
	if (diff != 0 && (unsigned int)__builtin_ctzll(diff) < log_page)
		log_page = __builtin_ctzll(diff);
	if (log_page < PRM_ADAPTER_PAGE_SHIFT)
		return -EINVAL;
	nb = ((iova + len - 1) >> log_page) - (iova >> log_page) + 1;
	if (nb > UINT32_MAX)
		return -EINVAL;
	pages->log_page = log_page;
	pages->nb = (uint32_t)nb;
	pages->offset = iova & ((UINT64_C(1) << log_page) - 1);
	pages->first = addr - pages->offset;
	pages->offset_64th = 0;
	return 0;
}

/* page_offset has 6 bits in a QP or CQ context, 5 in a work queue. */
#define MAX_64TH_QUEUE 63u
#define MAX_64TH_WQ 31u

static int
upages_queue(uint64_t addr, uint64_t len, unsigned int max_64th, struct swhca_upages *pages)
{
	unsigned int log_max = PRM_ADAPTER_PAGE_SHIFT + 31; /* log_page_size has 5 bits. */
	unsigned int log_unit;
	int ret;

	/* A page of 4 KiB always fits a queue that begins with one. */
	for (; log_max >= PRM_ADAPTER_PAGE_SHIFT; log_max = pages->log_page - 1u) {
		ret = swhca_upages_region(addr, len, addr, log_max, pages);
		if (ret != 0)
			return ret;
		log_unit = pages->log_page - 6u;
		if ((pages->offset & ((UINT64_C(1) << log_unit) - 1)) == 0 &&
		    pages->offset >> log_unit <= max_64th) {
			pages->offset_64th = pages->offset >> log_unit;
			return 0;
		}
	}
	return -EINVAL;
}

int
swhca_upages_queue(uint64_t addr, uint64_t len, struct swhca_upages *pages)
{
	return upages_queue(addr, len, MAX_64TH_QUEUE, pages);
}

int
swhca_upages_wq(uint64_t addr, uint64_t len, struct swhca_upages *pages)
{
	return upages_queue(addr, len, MAX_64TH_WQ, pages);
}

int
swhca_umailbox_alloc(size_t fixed, uint64_t nb, uint8_t **in, size_t *len)
{
	const uint64_t max = (SWHCA_MAX_CMD_IN - fixed) / PRM_MTT_SIZE;

	if (nb > max) {
		SWHCA_LOG(WARNING, "command with %" PRIu64 " pages: at most %" PRIu64, nb, max);
		return -ENOMEM;
	}
	*len = fixed + nb * PRM_MTT_SIZE;
	*in = calloc(1, *len);
	return *in == NULL ? -ENOMEM : 0;
}

void
swhca_upages_write(const struct swhca_upages *pages, void *pas, uint64_t low_bits)
{
	uint64_t be;
	uint32_t i;

	for (i = 0; i < pages->nb; i++) {
		be = htobe64((pages->first + ((uint64_t)i << pages->log_page)) | low_bits);
		memcpy((uint8_t *)pas + (size_t)i * sizeof(be), &be, sizeof(be));
	}
}
