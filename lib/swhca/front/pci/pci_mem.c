/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bisect.h"
#include "base/dma_direct.h"
#include "base/log.h"
#include "base/span.h"
#include "front/pci/pci_mem.h"
#include "front/pci/vfu.h"

/* struct swhca_hca_conf: bus_space. */
#define LOG_SPACE 56u
#define SPACE_SIZE (UINT64_C(1) << LOG_SPACE)
/* In a space that no function has. */
#define NOWHERE (UINT64_MAX << LOG_SPACE)

/* A piece of a region, in this process. */
struct piece {
	uint8_t *va;
	size_t len;
};

uint64_t
swhca_pci_bus_addr(unsigned int space, uint64_t addr)
{
	if (addr >= SPACE_SIZE)
		return NOWHERE;
	return (uint64_t)swhca_pci_bus_space(space) << LOG_SPACE | addr;
}

/* Index of the first region that ends after an address. */
static unsigned int
region_at(const struct swhca_pci_space *space, uint64_t addr)
{
	return SWHCA_BISECT(i, 0, space->nb, addr >= space->regions[i].addr &&
			    addr - space->regions[i].addr >= space->regions[i].size);
}

/* Get the contiguous memory at a bus address, with the lock. @return false: there is none. */
static bool
piece_at(const struct swhca_pci_mem *mem, uint64_t bus, size_t len, bool is_write,
	 struct piece *piece)
{
	uint64_t tag = bus >> LOG_SPACE, addr = bus & (SPACE_SIZE - 1), offset;
	const struct swhca_pci_region *region;
	const struct swhca_pci_space *space;
	unsigned int index;

	/* An access must not cross spaces. */
	if (tag == 0 || tag > SWHCA_PCI_MAX_FUNCTIONS || len > SPACE_SIZE - addr)
		return false;
	space = &mem->spaces[tag - 1];
	index = region_at(space, addr);
	if (!space->is_master || index == space->nb)
		return false;
	region = &space->regions[index];
	if (addr < region->addr || region->va == NULL ||
	    !(is_write ? region->may_write : region->may_read))
		return false;
	offset = addr - region->addr;
	*piece = (struct piece){ .va = region->va + offset, .len = len };
	if (len > region->size - offset)
		piece->len = region->size - offset;
	return true;
}

static int
access_reject(uint64_t bus, size_t len, bool is_write)
{
	SWHCA_LOG(WARNING, "DMA: function %u cannot %s %zu bytes at 0x%" PRIx64,
		  (unsigned int)(bus >> LOG_SPACE) - 1, is_write ? "write" : "read", len,
		  bus & (SPACE_SIZE - 1));
	return -EFAULT;
}

static struct swhca_pci_mem *
mem_of(const struct swhca_dma *dma)
{
	return (struct swhca_pci_mem *)(uintptr_t)dma;
}

static void
mem_enter(const struct swhca_dma *dma)
{
	const struct swhca_dma *direct = swhca_dma_direct();

	(void)dma;
	if (direct->enter != NULL)
		direct->enter(direct);
}

/* With the lock. */
static int
pieces_read(struct swhca_pci_mem *mem, void *dst, uint64_t addr, size_t len)
{
	const struct swhca_dma *direct = swhca_dma_direct();
	uint8_t *to = dst;
	struct piece piece;

	for (; len > 0; to += piece.len, addr += piece.len, len -= piece.len) {
		if (!piece_at(mem, addr, len, false, &piece) ||
		    direct->read(direct, to, (uintptr_t)piece.va, piece.len) != 0)
			return access_reject(addr, len, false);
	}
	return 0;
}

/* The last byte of the last piece becomes visible last. */
static int
pieces_write(struct swhca_pci_mem *mem, uint64_t addr, const void *src, size_t len)
{
	const struct swhca_dma *direct = swhca_dma_direct();
	const uint8_t *from = src;
	struct piece piece;

	for (; len > 0; from += piece.len, addr += piece.len, len -= piece.len) {
		if (!piece_at(mem, addr, len, true, &piece) ||
		    direct->write_last(direct, (uintptr_t)piece.va, from, piece.len) != 0)
			return access_reject(addr, len, true);
	}
	return 0;
}

static int
mem_read(const struct swhca_dma *dma, void *dst, uint64_t addr, size_t len)
{
	struct swhca_pci_mem *mem = mem_of(dma);
	int ret;

	pthread_rwlock_rdlock(&mem->lock);
	ret = pieces_read(mem, dst, addr, len);
	pthread_rwlock_unlock(&mem->lock);
	return ret;
}

static int
mem_write(const struct swhca_dma *dma, uint64_t addr, const void *src, size_t len)
{
	struct swhca_pci_mem *mem = mem_of(dma);
	int ret;

	pthread_rwlock_rdlock(&mem->lock);
	ret = pieces_write(mem, addr, src, len);
	pthread_rwlock_unlock(&mem->lock);
	return ret;
}

/* Locate a span, or the start of it, in this process. */
static bool
span_locate(const struct swhca_pci_mem *mem, const struct swhca_span *span, bool is_write,
	    struct swhca_span *out)
{
	struct piece piece;

	*out = *span;
	if (span->where == SWHCA_WHERE_MODEL)
		return true;
	if (!piece_at(mem, span->addr, span->len, is_write, &piece))
		return false;
	*out = swhca_span_of(piece.va, piece.len);
	return true;
}

/* Copy what both lists have contiguously, with the lock. */
static int
lists_copy(const struct swhca_pci_mem *mem, struct swhca_span_cursor to,
	   struct swhca_span_cursor from)
{
	const struct swhca_dma *direct = swhca_dma_direct();
	struct swhca_span src = { 0 }, dst = { 0 }, src_here, dst_here;
	int ret;

	while (true) {
		if (src.len == 0 && swhca_span_take(&from, UINT64_MAX, &src) == 0)
			return 0;
		if (dst.len == 0 && swhca_span_take(&to, UINT64_MAX, &dst) == 0)
			return 0;
		if (src.len == 0 || dst.len == 0)
			continue;
		if (!span_locate(mem, &src, false, &src_here))
			return access_reject(src.addr, src.len, false);
		if (!span_locate(mem, &dst, true, &dst_here)) {
			access_reject(dst.addr, dst.len, true);
			return -EACCES;
		}
		if (src_here.len > dst_here.len)
			src_here.len = dst_here.len;
		dst_here.len = src_here.len;
		ret = direct->copy(direct, &dst_here, 1, &src_here, 1);
		if (ret != 0)
			return ret;
		src.addr += src_here.len;
		src.len -= src_here.len;
		dst.addr += src_here.len;
		dst.len -= src_here.len;
	}
}

static int
mem_copy(const struct swhca_dma *dma, const struct swhca_span *dst, size_t nb_dst,
	 const struct swhca_span *src, size_t nb_src)
{
	const struct swhca_span_cursor to = { .span = dst, .nb = nb_dst };
	const struct swhca_span_cursor from = { .span = src, .nb = nb_src };
	struct swhca_pci_mem *mem = mem_of(dma);
	int ret;

	pthread_rwlock_rdlock(&mem->lock);
	ret = lists_copy(mem, to, from);
	pthread_rwlock_unlock(&mem->lock);
	return ret;
}

void
swhca_pci_mem_init(struct swhca_pci_mem *mem)
{
	*mem = (struct swhca_pci_mem){
		.dma = {
			.enter = mem_enter,
			.read = mem_read,
			.write = mem_write,
			.write_last = mem_write,
			.copy = mem_copy,
		},
	};
	pthread_rwlock_init(&mem->lock, NULL);
}

static void
region_release(struct swhca_pci_region *region)
{
	if (region->va != NULL)
		munmap(region->va, region->size);
}

void
swhca_pci_mem_fini(struct swhca_pci_mem *mem)
{
	unsigned int i;

	for (i = 0; i < SWHCA_PCI_MAX_FUNCTIONS; i++) {
		swhca_pci_mem_unmap_all(mem, i);
		free(mem->spaces[i].regions);
		mem->spaces[i].regions = NULL;
	}
	pthread_rwlock_destroy(&mem->lock);
}

static int
region_check(const struct swhca_pci_region *region)
{
	if (region->size != 0 && region->addr < SPACE_SIZE &&
	    region->size <= SPACE_SIZE - region->addr)
		return 0;
	SWHCA_LOG(ERR, "DMA: region of 0x%" PRIx64 " bytes at 0x%" PRIx64 ", not within %u bits",
		  region->size, region->addr, LOG_SPACE);
	return -EINVAL;
}

/* Before it is mapped; there are no concurrent additions to this space. */
static int
room_check(struct swhca_pci_mem *mem, unsigned int space, const struct swhca_pci_region *region)
{
	uint64_t mapped;

	pthread_rwlock_rdlock(&mem->lock);
	mapped = mem->spaces[space].mapped;
	pthread_rwlock_unlock(&mem->lock);
	if (mem->max_mapped == 0 || region->size <= mem->max_mapped - mapped)
		return 0;
	SWHCA_LOG(ERR, "DMA: region of 0x%" PRIx64 " bytes at 0x%" PRIx64 ": function %u has 0x%"
		  PRIx64 " of at most 0x%" PRIx64 " bytes", region->size, region->addr, space,
		  mapped, mem->max_mapped);
	return -ENOSPC;
}

/*
 * Check whether a file is in kernel memory: tmpfs, memfd, hugetlbfs. Any user can have files whose
 * pages come from the user's program, or never (FUSE, also below an overlay), while the copying
 * thread holds locks. A query of the file system could also block, so check for seals instead.
 */
static bool
is_memory(int fd)
{
	return fcntl(fd, F_GET_SEALS) >= 0;
}

static int
region_open(struct swhca_pci_region *region, int fd, uint64_t offset)
{
	int prot = (region->may_read ? PROT_READ : 0) | (region->may_write ? PROT_WRITE : 0);
	struct stat st;
	void *va;

	if (!is_memory(fd)) {
		SWHCA_LOG(ERR, "DMA: region of 0x%" PRIx64 " bytes at 0x%" PRIx64 " of a file that"
			  " is not memory (memfd, tmpfs, hugetlbfs)", region->size, region->addr);
		return -EINVAL;
	}
	if (fstat(fd, &st) != 0)
		return -errno;
	/* Accesses after its end raise SIGBUS. */
	if ((uint64_t)st.st_size < offset || (uint64_t)st.st_size - offset < region->size) {
		SWHCA_LOG(ERR, "DMA: 0x%" PRIx64 " bytes at 0x%" PRIx64 " of a file of 0x%" PRIx64,
			  region->size, offset, (uint64_t)st.st_size);
		return -EINVAL;
	}
	va = mmap(NULL, region->size, prot, MAP_SHARED | MAP_NORESERVE, fd, (off_t)offset);
	if (va == MAP_FAILED) {
		SWHCA_LOG(ERR, "DMA: region of 0x%" PRIx64 " bytes at 0x%" PRIx64 " of a file: %s",
			  region->size, offset, strerror(errno));
		return -errno;
	}
	region->va = va;
	return 0;
}

/* With the lock. */
static int
region_insert(struct swhca_pci_space *space, const struct swhca_pci_region *region)
{
	unsigned int index = region_at(space, region->addr);
	struct swhca_pci_region *regions;

	if (index < space->nb &&
	    space->regions[index].addr < region->addr + region->size) {
		SWHCA_LOG(ERR, "DMA: region of 0x%" PRIx64 " bytes at 0x%" PRIx64 ": overlaps 0x%"
			  PRIx64 " bytes at 0x%" PRIx64, region->size, region->addr,
			  space->regions[index].size, space->regions[index].addr);
		return -EEXIST;
	}
	if (space->nb == SWHCA_VFU_MAX_MAPS) {
		SWHCA_LOG(ERR, "DMA: more than %u regions", SWHCA_VFU_MAX_MAPS);
		return -ENOSPC;
	}
	regions = realloc(space->regions, (space->nb + 1) * sizeof(*regions));
	if (regions == NULL)
		return -ENOMEM;
	space->regions = regions;
	memmove(regions + index + 1, regions + index, (space->nb - index) * sizeof(*regions));
	regions[index] = *region;
	space->nb++;
	space->mapped += region->va != NULL ? region->size : 0;
	return 0;
}

int
swhca_pci_mem_map(struct swhca_pci_mem *mem, unsigned int space,
		  const struct swhca_pci_region *region, int fd, uint64_t offset)
{
	struct swhca_pci_region added = *region;
	int ret = region_check(region);

	added.va = NULL;
	if (ret == 0 && fd >= 0)
		ret = room_check(mem, space, region);
	if (ret == 0 && fd >= 0)
		ret = region_open(&added, fd, offset);
	if (ret != 0)
		return ret;
	pthread_rwlock_wrlock(&mem->lock);
	ret = region_insert(&mem->spaces[space], &added);
	pthread_rwlock_unlock(&mem->lock);
	if (ret != 0) {
		region_release(&added);
		return ret;
	}
	SWHCA_LOG(DEBUG, "DMA: function %u has 0x%" PRIx64 " bytes at 0x%" PRIx64 "%s", space,
		  added.size, added.addr, added.va == NULL ? " without a file" : "");
	return 0;
}

int
swhca_pci_mem_unmap(struct swhca_pci_mem *mem, unsigned int space, uint64_t addr, uint64_t size)
{
	struct swhca_pci_space *from = &mem->spaces[space];
	struct swhca_pci_region removed = { 0 };
	unsigned int index;

	pthread_rwlock_wrlock(&mem->lock);
	index = region_at(from, addr);
	if (index < from->nb && from->regions[index].addr == addr &&
	    from->regions[index].size == size) {
		removed = from->regions[index];
		from->nb--;
		from->mapped -= removed.va != NULL ? removed.size : 0;
		memmove(from->regions + index, from->regions + index + 1,
			(from->nb - index) * sizeof(removed));
	}
	pthread_rwlock_unlock(&mem->lock);
	if (removed.size == 0) {
		SWHCA_LOG(ERR, "DMA: no region of 0x%" PRIx64 " bytes at 0x%" PRIx64, size, addr);
		return -ENOENT;
	}
	region_release(&removed);
	return 0;
}

void
swhca_pci_mem_unmap_all(struct swhca_pci_mem *mem, unsigned int space)
{
	struct swhca_pci_space *from = &mem->spaces[space];

	pthread_rwlock_wrlock(&mem->lock);
	while (from->nb > 0)
		region_release(&from->regions[--from->nb]);
	from->mapped = 0;
	pthread_rwlock_unlock(&mem->lock);
}

void
swhca_pci_mem_set_master(struct swhca_pci_mem *mem, unsigned int space, bool is_master)
{
	pthread_rwlock_wrlock(&mem->lock);
	mem->spaces[space].is_master = is_master;
	pthread_rwlock_unlock(&mem->lock);
}

/* A fault outside of a copy is repeated without a handler. */
static void
fault_handle(int sig)
{
	const struct sigaction action = { .sa_handler = SIG_DFL };

	swhca_dma_direct_recover();
	sigaction(sig, &action, NULL);
}

int
swhca_pci_faults_catch(void)
{
	const struct sigaction action = { .sa_handler = fault_handle };

	if (sigaction(SIGBUS, &action, NULL) != 0 || sigaction(SIGSEGV, &action, NULL) != 0)
		return -errno;
	return 0;
}
