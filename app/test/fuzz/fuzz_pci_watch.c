/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* What a PCI function reads and writes: fuzz_pci_watch.h. */

#include "front/pci/pci_mem.h"
#include "front/pci/vfu.h"
#include "fuzz.h"
#include "fuzz_pci_watch.h"

static struct swhca_dma real;
static struct swhca_vfu_dma_map maps[SWHCA_VFU_MAX_MAPS];
static unsigned int nb_maps;

/* ---- What the VMM has said ---- */

static void
map_remove(uint64_t addr, uint64_t size)
{
	for (unsigned int i = 0; i < nb_maps; i++) {
		if (maps[i].addr == addr && maps[i].size == size) {
			maps[i] = maps[--nb_maps];
			return;
		}
	}
}

void
fuzz_pci_watch_message(uint16_t cmd, const void *data, size_t len, unsigned int nb_fds, int ret)
{
	struct swhca_vfu_dma_unmap unmap;
	struct swhca_vfu_dma_map map;

	if (ret != 0)
		return;
	if (cmd == SWHCA_VFU_DMA_MAP && len >= sizeof(map)) {
		memcpy(&map, data, sizeof(map));
		/* Without a file there is nothing to access. */
		map.flags = nb_fds == 0 ? 0 : map.flags;
		FUZZ_NEED(nb_maps < SWHCA_VFU_MAX_MAPS);
		maps[nb_maps++] = map;
	} else if (cmd == SWHCA_VFU_DMA_UNMAP && len >= sizeof(unmap)) {
		memcpy(&unmap, data, sizeof(unmap));
		if ((unmap.flags & SWHCA_VFU_DMA_UNMAP_ALL) != 0)
			nb_maps = 0;
		else
			map_remove(unmap.addr, unmap.size);
	}
}

void
fuzz_pci_watch_leave(void)
{
	nb_maps = 0;
}

/* ---- What the function does ---- */

/* Bytes from addr on that one region allows. */
static uint64_t
allowed(uint64_t addr, uint32_t flag)
{
	for (unsigned int i = 0; i < nb_maps; i++) {
		if ((maps[i].flags & flag) != 0 && addr >= maps[i].addr &&
		    addr - maps[i].addr < maps[i].size)
			return maps[i].size - (addr - maps[i].addr);
	}
	return 0;
}

/* The function was let; bus addresses begin with the number of the space, 1. */
static void
check(uint64_t bus, uint64_t len, uint32_t flag)
{
	uint64_t addr = bus - swhca_pci_bus_addr(0, 0), part;

	for (; len > 0; addr += part, len -= part) {
		part = allowed(addr, flag);
		if (part == 0) {
			fprintf(stderr, "the function %s 0x%llx (+ 0x%llx): no region allows it\n",
				flag == SWHCA_VFU_DMA_WRITE ? "wrote to" : "read",
				(unsigned long long)addr, (unsigned long long)len);
			abort();
		}
		part = part < len ? part : len;
	}
}

static int
watch_read(const struct swhca_dma *dma, void *dst, uint64_t addr, size_t len)
{
	int ret = real.read(dma, dst, addr, len);

	if (ret == 0)
		check(addr, len, SWHCA_VFU_DMA_READ);
	return ret;
}

static int
watch_write(const struct swhca_dma *dma, uint64_t addr, const void *src, size_t len)
{
	int ret = real.write(dma, addr, src, len);

	if (ret == 0)
		check(addr, len, SWHCA_VFU_DMA_WRITE);
	return ret;
}

static int
watch_write_last(const struct swhca_dma *dma, uint64_t addr, const void *src, size_t len)
{
	int ret = real.write_last(dma, addr, src, len);

	if (ret == 0)
		check(addr, len, SWHCA_VFU_DMA_WRITE);
	return ret;
}

static int
watch_copy(const struct swhca_dma *dma, const struct swhca_span *dst, size_t nb_dst,
	   const struct swhca_span *src, size_t nb_src)
{
	int ret = real.copy(dma, dst, nb_dst, src, nb_src);

	for (size_t i = 0; i < nb_dst && ret == 0; i++) {
		if (dst[i].where == SWHCA_WHERE_BUS)
			check(dst[i].addr, dst[i].len, SWHCA_VFU_DMA_WRITE);
	}
	for (size_t i = 0; i < nb_src && ret == 0; i++) {
		if (src[i].where == SWHCA_WHERE_BUS)
			check(src[i].addr, src[i].len, SWHCA_VFU_DMA_READ);
	}
	return ret;
}

void
fuzz_pci_watch_init(struct swhca_pci_mem *mem)
{
	nb_maps = 0;
	real = mem->dma;
	mem->dma.read = watch_read;
	mem->dma.write = watch_write;
	mem->dma.write_last = watch_write_last;
	mem->dma.copy = watch_copy;
}
