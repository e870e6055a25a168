/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "verify/bed/odp_mem.h"

/* Start of the region ODP_IOVA: an address range that processes do not use. */
#define OTHER_ADDR UINT64_C(0x4242000000)

static size_t
page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static struct rte_umr_mr *
region_new(const struct odp_mem *mem, enum odp_region region)
{
	struct rte_umr_mr_conf conf = {
		.addr = mem->pages,
		.len = mem->len + ODP_HOLE_SIZE,
		.access = mem->side->info.access_capa,
		.flags = RTE_UMR_MR_F_ON_DEMAND,
	};

	if (region == ODP_IOVA) {
		conf.flags |= RTE_UMR_MR_F_IOVA;
		conf.iova = OTHER_ADDR;
	} else if (region == ODP_IMPLICIT) {
		conf.addr = NULL;
		conf.len = SIZE_MAX;
	}
	return rte_umr_mr_register(mem->side->dev_id, &conf);
}

static bool
regions_new(struct odp_mem *mem)
{
	for (unsigned int i = 0; i < ODP_NB_REGIONS; i++) {
		if (i == ODP_IMPLICIT &&
		    (mem->side->info.dev_capa & RTE_UMR_CAPA_MR_ODP_IMPLICIT) == 0)
			continue;
		mem->mrs[i] = region_new(mem, (enum odp_region)i);
		if (mem->mrs[i] == NULL) {
			tool_error("verify: registering memory on demand with %s: %s",
				   mem->side->info.dev_name, rte_strerror(rte_errno));
			return false;
		}
	}
	return true;
}

bool
odp_mem_init(struct odp_mem *mem, struct bed_side *side)
{
	*mem = (struct odp_mem){ .side = side };
	mem->len = RTE_ALIGN_CEIL(side->layout.size, page_size());
	mem->pages = mmap(NULL, mem->len + ODP_HOLE_SIZE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mem->pages == MAP_FAILED ||
	    mprotect(mem->pages + mem->len, ODP_HOLE_SIZE, PROT_NONE) != 0) {
		tool_error("verify: out of memory");
		return false;
	}
	memcpy(mem->pages, side->layout.memory, side->layout.size);
	mem->bed_memory = side->layout.memory;
	side->layout.memory = mem->pages;
	side->layout.addr = (uintptr_t)mem->pages;
	mem->other_pd = rte_umr_pd_alloc(side->dev_id);
	if (mem->other_pd == NULL) {
		tool_error("verify: no second PD on %s: %s", side->info.dev_name,
			   rte_strerror(rte_errno));
		return false;
	}
	return regions_new(mem);
}

void
odp_mem_fini(struct odp_mem *mem)
{
	for (unsigned int i = 0; i < ODP_NB_REGIONS; i++)
		rte_umr_mr_deregister(mem->mrs[i]);
	rte_umr_pd_free(mem->other_pd);
	if (mem->bed_memory != NULL) {
		memcpy(mem->bed_memory, mem->pages, mem->side->layout.size);
		mem->side->layout.memory = mem->bed_memory;
		mem->side->layout.addr = (uintptr_t)mem->bed_memory;
	}
	if (mem->pages != NULL && mem->pages != MAP_FAILED)
		munmap(mem->pages, mem->len + ODP_HOLE_SIZE);
}

bool
odp_mem_refresh(struct odp_mem *mem)
{
	if (rte_umr_mr_deregister(mem->mrs[ODP_FRESH]) != 0)
		return false;
	mem->mrs[ODP_FRESH] = region_new(mem, ODP_FRESH);
	return mem->mrs[ODP_FRESH] != NULL;
}

bool
odp_mem_exchange(struct odp_mem *mem, uint32_t first, uint32_t nb)
{
	size_t size = page_size(), len = nb * size;
	void *at = mem->pages + first * size;
	void *other;

	other = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (other == MAP_FAILED)
		return false;
	memcpy(other, at, len);
	return mremap(other, len, len, MREMAP_MAYMOVE | MREMAP_FIXED, at) == at;
}

bool
odp_mem_discard(struct odp_mem *mem, uint32_t first, uint32_t nb)
{
	size_t size = page_size(), len = nb * size;
	void *at = mem->pages + first * size;
	void *copy = malloc(len);
	int ret;

	if (copy == NULL)
		return false;
	memcpy(copy, at, len);
	ret = madvise(at, len, MADV_DONTNEED);
	memcpy(at, copy, len);
	free(copy);
	return ret == 0;
}

bool
odp_mem_restore(struct odp_mem *mem)
{
	struct rte_umr_mr *mr = mem->mrs[ODP_EXPLICIT];

	if (mr != NULL && mr->addr == mem->pages && mr->len == mem->len + ODP_HOLE_SIZE &&
	    mr->pd == NULL && mr->access == mem->side->info.access_capa && !mr->is_lost)
		return true;
	if (rte_umr_mr_deregister(mr) != 0)
		return false;
	mem->mrs[ODP_EXPLICIT] = region_new(mem, ODP_EXPLICIT);
	return mem->mrs[ODP_EXPLICIT] != NULL;
}

uint64_t
odp_mem_addr(const struct odp_mem *mem, enum odp_region region, uint64_t offset)
{
	return (region == ODP_IOVA ? OTHER_ADDR : (uintptr_t)mem->pages) + offset;
}
