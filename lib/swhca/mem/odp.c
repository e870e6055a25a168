/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "mlx5_prm_wqe.h"
#include "base/log.h"
#include "mem/odp.h"
#include "object/bus.h"

/* A page has two bits, as in a translation entry. */
#define PAGE_BITS	((uint8_t)(PRM_MTT_RD_EN | PRM_MTT_WR_EN))
#define PAGES_PER_BYTE	4u

/* Pages of an entry of an implicit key. */
struct odp_child {
	uint64_t nb_present;
	uint8_t bits[];
};

struct swhca_odp {
	struct swhca_hca *hca;
	struct swhca_mkey *mkey;
	LIST_ENTRY(swhca_odp) link;
	struct odp_child **children;	/* by entry, or NULL: explicit key */
	struct swhca_hca_odp_stats stats;
	/* pages of an explicit key are contiguous: no search for the page of an address */
	bool is_linear;
};

static bool
is_write(uint8_t need)
{
	return (need & (SWHCA_ACCESS_LOCAL_WRITE | SWHCA_ACCESS_REMOTE_WRITE |
			SWHCA_ACCESS_REMOTE_ATOMIC)) != 0;
}

/*
 * Bits of a page after a fault: the driver maps it writable if the region is, whatever the access
 * was (mlx5_ib: pagefault_real_mr()).
 */
static uint8_t
fault_bits(const struct swhca_mkey *mkey)
{
	return (mkey->access & SWHCA_ACCESS_LOCAL_WRITE) != 0 ? PAGE_BITS : (uint8_t)PRM_MTT_RD_EN;
}

/* Bits of a page after a prefetch. */
static uint8_t
prefetch_bits(const struct swhca_mkey *mkey, bool write)
{
	return write ? fault_bits(mkey) : (uint8_t)PRM_MTT_RD_EN;
}

static bool
has_null_entry(const struct swhca_mkey *mkey)
{
	const struct mlx5_wqe_umr_klm_seg *klm = (const void *)mkey->xlt;

	return mkey->nb_xlt > 0 && be32toh(klm->mkey) == SWHCA_NULL_KEY;
}

static uint64_t
entry_get(const struct swhca_mkey *mkey, uint64_t index)
{
	uint64_t be;

	memcpy(&be, mkey->xlt + index * PRM_MTT_SIZE, sizeof(be));
	return be64toh(be);
}

static uint64_t
nb_entries(const struct swhca_mkey *mkey)
{
	return (uint64_t)mkey->nb_xlt * (PRM_KLM_SIZE / PRM_MTT_SIZE);
}

uint64_t
swhca_odp_first_page(const struct swhca_mkey *mkey)
{
	return entry_get(mkey, 0) & ~(uint64_t)PAGE_BITS;
}

bool
swhca_odp_is_linear(const struct swhca_mkey *mkey)
{
	uint64_t first = swhca_odp_first_page(mkey), i, page;

	for (i = 1; i < nb_entries(mkey); i++) {
		page = entry_get(mkey, i) & ~(uint64_t)PAGE_BITS;
		if (page != 0 && page != first + (i << mkey->log_page))
			return false;
	}
	return true;
}

int
swhca_odp_init(struct swhca_hca *hca, struct swhca_mkey *mkey, bool pg_access)
{
	bool is_implicit = mkey->mode == PRM_MKC_ACCESS_MODE_KSM && has_null_entry(mkey);
	struct swhca_odp *odp;

	mkey->pg_access = pg_access && mkey->mode == PRM_MKC_ACCESS_MODE_MTT;
	if (hca->conf.has_page_fault_events || mkey->obj.uid != 0 ||
	    (!mkey->pg_access && !is_implicit))
		return 0;
	odp = calloc(1, sizeof(*odp));
	if (odp == NULL)
		return -ENOMEM;
	if (is_implicit) {
		odp->children = calloc(mkey->nb_xlt, sizeof(*odp->children));
		if (odp->children == NULL) {
			free(odp);
			return -ENOMEM;
		}
	}
	odp->hca = hca;
	odp->mkey = mkey;
	odp->is_linear = mkey->pg_access && mkey->nb_xlt > 0 &&
			 swhca_odp_is_linear(mkey);
	LIST_INSERT_HEAD(&hca->odps, odp, link);
	mkey->odp = odp;
	return 0;
}

void
swhca_odp_fini(struct swhca_odp *odp)
{
	uint32_t i;

	if (odp == NULL)
		return;
	for (i = 0; odp->children != NULL && i < odp->mkey->nb_xlt; i++) {
		if (odp->children[i] == NULL)
			continue;
		free(odp->children[i]);
		odp->hca->stats.nb_odp_children--;
	}
	free(odp->children);
	LIST_REMOVE(odp, link);
	free(odp);
}

void
swhca_odp_changed(struct swhca_mkey *mkey)
{
	if (mkey->odp != NULL)
		mkey->odp->is_linear = false;
}

/*
 * Check whether a page exists. Whether it is writable is found on a write: this must not change it.
 */
static bool
page_exists(const struct swhca_hca *hca, uint64_t addr)
{
	const struct swhca_dma *dma = hca->fabric->dma;
	uint8_t byte;

	return dma->read(dma, &byte, swhca_bus_addr(hca, addr, 1), 1) == 0;
}

static void
entry_set(const struct swhca_mkey *mkey, uint64_t index, uint64_t entry)
{
	uint64_t be = htobe64(entry);

	memcpy(mkey->xlt + index * PRM_MTT_SIZE, &be, sizeof(be));
}

/* Pages larger than those of the host may be partly present: any part is sufficient. */
static bool
entry_exists(const struct swhca_odp *odp, uint64_t index)
{
	const struct swhca_mkey *mkey = odp->mkey;
	uint64_t page_size = UINT64_C(1) << mkey->log_page;
	uint64_t first = mkey->start_addr & ~(page_size - 1);
	uint64_t addr = entry_get(mkey, index) & ~(uint64_t)PAGE_BITS;

	/* The first page may begin before the memory. */
	if (index == 0)
		addr += mkey->start_addr - first;
	return page_exists(odp->hca, addr);
}

enum swhca_fault
swhca_odp_page_fault(const struct swhca_mkey *mkey, uint64_t index)
{
	struct swhca_odp *odp = mkey->odp;
	uint64_t entry = entry_get(mkey, index);

	if (odp == NULL)
		return SWHCA_FAULT_ACCESS;
	odp->hca->stats.nb_page_faults++;
	odp->stats.nb_faults++;
	if (!entry_exists(odp, index)) {
		SWHCA_LOG(WARNING, "key 0x%x: page fault at 0x%" PRIx64 ": nothing is mapped",
			  mkey->obj.num, entry & ~(uint64_t)PAGE_BITS);
		return SWHCA_FAULT_PAGE;
	}
	entry_set(mkey, index, entry | fault_bits(mkey));
	return SWHCA_FAULT_NONE;
}

static uint64_t
pages_per_entry(const struct swhca_mkey *mkey)
{
	return UINT64_C(1) << (mkey->log_page - PRM_ADAPTER_PAGE_SHIFT);
}

static struct odp_child *
child_get(const struct swhca_odp *odp, uint32_t entry)
{
	struct odp_child *child = odp->children[entry];

	if (child != NULL)
		return child;
	/* An entry may have fewer pages than fit in a byte. */
	child = calloc(1, sizeof(*child) + (pages_per_entry(odp->mkey) + PAGES_PER_BYTE - 1) /
					   PAGES_PER_BYTE);
	if (child != NULL) {
		odp->children[entry] = child;
		odp->hca->stats.nb_odp_children++;
	}
	return child;
}

static uint8_t
child_bits(const struct odp_child *child, uint64_t page)
{
	return child->bits[page / PAGES_PER_BYTE] >> (page % PAGES_PER_BYTE * 2) & PAGE_BITS;
}

static void
child_add(struct odp_child *child, uint64_t page, uint8_t bits)
{
	if (child_bits(child, page) == 0)
		child->nb_present++;
	child->bits[page / PAGES_PER_BYTE] |= (uint8_t)(bits << (page % PAGES_PER_BYTE * 2));
}

/* Address of a page of an implicit key: its translation is the identity. */
static uint64_t
implicit_addr(const struct swhca_mkey *mkey, uint32_t entry, uint64_t page)
{
	return ((uint64_t)entry << mkey->log_page) + (page << PRM_ADAPTER_PAGE_SHIFT);
}

enum swhca_fault
swhca_odp_implicit_access(const struct swhca_mkey *mkey, uint32_t entry, uint64_t page,
			  uint8_t need)
{
	struct swhca_odp *odp = mkey->odp;
	uint8_t bits = is_write(need) ? (uint8_t)PRM_MTT_WR_EN : (uint8_t)PRM_MTT_RD_EN;
	struct odp_child *child;

	if (odp == NULL || odp->children == NULL)
		return SWHCA_FAULT_PAGE;
	child = child_get(odp, entry);
	if (child == NULL)
		return SWHCA_FAULT_NO_MEMORY;
	if ((child_bits(child, page) & bits) != 0)
		return SWHCA_FAULT_NONE;
	odp->hca->stats.nb_page_faults++;
	odp->stats.nb_faults++;
	if (!page_exists(odp->hca, implicit_addr(mkey, entry, page))) {
		SWHCA_LOG(WARNING, "key 0x%x: page fault at 0x%" PRIx64 ": nothing is mapped",
			  mkey->obj.num, implicit_addr(mkey, entry, page));
		return SWHCA_FAULT_PAGE;
	}
	child_add(child, page, fault_bits(mkey));
	return SWHCA_FAULT_NONE;
}

/* Invalidation */

static uint64_t
explicit_invalidate(const struct swhca_odp *odp, uint64_t addr, uint64_t end)
{
	const struct swhca_mkey *mkey = odp->mkey;
	uint64_t page_size = UINT64_C(1) << mkey->log_page;
	uint64_t i = 0, nb = nb_entries(mkey), base, entry, page, nb_gone = 0;

	if (odp->is_linear) {
		base = swhca_odp_first_page(mkey);
		if (end <= base)
			return 0;
		i = addr > base ? (addr - base) >> mkey->log_page : 0;
		if (((end - 1 - base) >> mkey->log_page) + 1 < nb)
			nb = ((end - 1 - base) >> mkey->log_page) + 1;
	}
	for (; i < nb; i++) {
		entry = entry_get(mkey, i);
		page = entry & ~(uint64_t)PAGE_BITS;
		if ((entry & PAGE_BITS) == 0 || page >= end || page + page_size <= addr)
			continue;
		entry_set(mkey, i, page);
		nb_gone++;
	}
	return nb_gone;
}

static uint64_t
child_invalidate(struct odp_child *child, uint64_t first, uint64_t last)
{
	uint64_t page, nb_gone = 0;

	for (page = first; page <= last; page++) {
		if (child_bits(child, page) == 0)
			continue;
		child->bits[page / PAGES_PER_BYTE] &=
			(uint8_t)~(PAGE_BITS << (page % PAGES_PER_BYTE * 2));
		nb_gone++;
	}
	child->nb_present -= nb_gone;
	return nb_gone;
}

/* A child without pages is freed, as the driver does (mlx5_ib: odp.c). */
static uint64_t
implicit_invalidate(const struct swhca_odp *odp, uint64_t addr, uint64_t end)
{
	const struct swhca_mkey *mkey = odp->mkey;
	uint64_t size = UINT64_C(1) << mkey->log_page;
	uint64_t entry = addr >> mkey->log_page;
	uint64_t first, last, nb_gone = 0;
	struct odp_child *child;

	for (; entry < mkey->nb_xlt && entry << mkey->log_page < end; entry++) {
		child = odp->children[entry];
		if (child == NULL)
			continue;
		first = addr > entry << mkey->log_page ? addr - (entry << mkey->log_page) : 0;
		last = end - (entry << mkey->log_page) < size ? end - (entry << mkey->log_page) :
								size;
		nb_gone += child_invalidate(child, first >> PRM_ADAPTER_PAGE_SHIFT,
					    (last - 1) >> PRM_ADAPTER_PAGE_SHIFT);
		if (child->nb_present == 0) {
			free(child);
			odp->children[entry] = NULL;
			odp->hca->stats.nb_odp_children--;
		}
	}
	return nb_gone;
}

void
swhca_hca_pages_invalidate(struct swhca_hca *hca, uint64_t addr, uint64_t len)
{
	uint64_t end = addr + len < addr ? UINT64_MAX : addr + len;
	struct swhca_odp *odp;
	uint64_t nb;

	/*
	 * An allocator may unmap what the HCA itself frees, and its munmap(2) is intercepted. Such
	 * memory is not registered, and the holder of the lock cannot wait for it.
	 */
	if (len == 0 || swhca_lock_is_held_here())
		return;
	swhca_fabric_lock(hca->fabric);
	LIST_FOREACH(odp, &hca->odps, link) {
		nb = odp->children != NULL ? implicit_invalidate(odp, addr, end) :
					     explicit_invalidate(odp, addr, end);
		hca->stats.nb_page_invalidations += nb;
		odp->stats.nb_invalidations += nb;
	}
	swhca_fabric_unlock(hca->fabric);
}

/* Prefetch */

/* Maximum pages that a prefetch maps before it lets the engine run. */
#define PREFETCH_CHUNK 1024u

static int
explicit_prefetch(struct swhca_odp *odp, uint64_t addr, bool write)
{
	const struct swhca_mkey *mkey = odp->mkey;
	uint64_t page_size = UINT64_C(1) << mkey->log_page;
	uint64_t index = (addr - (mkey->start_addr & ~(page_size - 1))) >> mkey->log_page;
	uint64_t entry = entry_get(mkey, index);

	if ((prefetch_bits(mkey, write) & ~entry) == 0)
		return 0;
	if (!entry_exists(odp, index))
		return -EFAULT;
	entry_set(mkey, index, entry | prefetch_bits(mkey, write));
	odp->hca->stats.nb_page_prefetches++;
	odp->stats.nb_prefetches++;
	return 0;
}

static int
implicit_prefetch(struct swhca_odp *odp, uint64_t addr, bool write)
{
	const struct swhca_mkey *mkey = odp->mkey;
	uint64_t offset = addr - mkey->start_addr;
	uint32_t entry = (uint32_t)(offset >> mkey->log_page);
	uint64_t page = (offset - ((uint64_t)entry << mkey->log_page)) >> PRM_ADAPTER_PAGE_SHIFT;
	struct odp_child *child = child_get(odp, entry);

	if (child == NULL)
		return -ENOMEM;
	if ((prefetch_bits(mkey, write) & ~child_bits(child, page)) == 0)
		return 0;
	if (!page_exists(odp->hca, implicit_addr(mkey, entry, page)))
		return -EFAULT;
	child_add(child, page, prefetch_bits(mkey, write));
	odp->hca->stats.nb_page_prefetches++;
	odp->stats.nb_prefetches++;
	return 0;
}

/* Bytes from the first address of a key that its translation can map. */
static uint64_t
translation_len(const struct swhca_mkey *mkey)
{
	bool is_implicit = mkey->odp->children != NULL;
	uint64_t mask = (UINT64_C(1) << mkey->log_page) - 1;
	uint64_t in_first = is_implicit ? 0 : mkey->start_addr & mask;
	uint64_t nb = is_implicit ? mkey->nb_xlt : nb_entries(mkey);

	if (nb > UINT64_MAX >> mkey->log_page)
		return UINT64_MAX - in_first;
	nb <<= mkey->log_page;
	return nb > in_first ? nb - in_first : 0;
}

/* Find a paged key by number, and check that the range is in it and in its translation. */
static int
prefetch_check(const struct swhca_hca *hca, uint32_t key, uint64_t addr, uint64_t len,
	       struct swhca_odp **odp)
{
	enum swhca_fault fault;
	const struct swhca_mkey *mkey = swhca_mkey_find(hca, key, &fault);
	uint64_t max;

	if (mkey == NULL || mkey->odp == NULL)
		return -ENOENT;
	max = translation_len(mkey);
	if (!mkey->length64 && mkey->len < max)
		max = mkey->len;
	if (addr < mkey->start_addr || addr - mkey->start_addr > max ||
	    len > max - (addr - mkey->start_addr))
		return -EFAULT;
	*odp = mkey->odp;
	return 0;
}

int
swhca_hca_pages_prefetch(struct swhca_hca *hca, uint32_t key, uint64_t addr, uint64_t len,
			 enum swhca_prefetch how)
{
	bool write = how == SWHCA_PREFETCH_WRITE;
	uint64_t page_size, end = addr + len;
	struct swhca_odp *odp = NULL;
	unsigned int i;
	int ret = 0;

	/* The key is looked up for each chunk, as it may have been destroyed. */
	do {
		swhca_fabric_lock(hca->fabric);
		ret = prefetch_check(hca, key, addr, end - addr, &odp);
		if (how == SWHCA_PREFETCH_NOTHING)
			addr = end;
		for (i = 0; i < PREFETCH_CHUNK && addr < end && ret == 0; i++) {
			ret = odp->children != NULL ? implicit_prefetch(odp, addr, write) :
						      explicit_prefetch(odp, addr, write);
			page_size = odp->children != NULL ? PRM_ADAPTER_PAGE_SIZE :
							    UINT64_C(1) << odp->mkey->log_page;
			addr = (addr & ~(page_size - 1)) + page_size;
		}
		swhca_fabric_unlock(hca->fabric);
	} while (addr < end && ret == 0);
	return ret;
}

unsigned int
swhca_hca_odp_stats_get(struct swhca_hca *hca, struct swhca_hca_odp_stats *stats,
			unsigned int nb_max)
{
	const struct swhca_odp *odp;
	unsigned int nb = 0;

	swhca_fabric_lock(hca->fabric);
	LIST_FOREACH(odp, &hca->odps, link) {
		if (nb < nb_max) {
			stats[nb] = odp->stats;
			stats[nb].key = odp->mkey->obj.num;
		}
		nb++;
	}
	swhca_fabric_unlock(hca->fabric);
	return nb;
}
