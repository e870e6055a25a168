/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * User memory: copies that cannot fault, and checks.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/dma.h"
#include "base/dma_direct.h"
#include "base/log.h"
#include "front/uverbs/file/fork.h"
#include "front/uverbs/file/uverbs_mem.h"

/* Entry in the maps of the process: start, end, writable. */
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

/* Without /proc: access each page, as pinning it would. */
static int
pages_touch(uint64_t addr, uint64_t end, bool is_writable)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint8_t byte;
	int ret = 0;

	while (addr < end && ret == 0) {
		ret = is_writable ? swhca_dma_guarded_touch(addr) :
				    swhca_uaddr_read(&byte, addr, 1);
		if ((addr & ~(page - 1)) > UINT64_MAX - page)
			break;
		addr = (addr & ~(page - 1)) + page;
	}
	return ret;
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
		return pages_touch(addr, end, is_writable);
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
