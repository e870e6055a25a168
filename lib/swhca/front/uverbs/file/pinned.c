/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/memlock.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/file/pinned.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/uverbs_mem.h"
#include "host/conf.h"

#define PAGE_MASK ((uint64_t)PRM_ADAPTER_PAGE_SIZE - 1)

/* mm->pinned_vm: pages of all files of the process. */
static _Atomic uint64_t nb_pinned;

/* @return 0: the memory is empty or wraps. */
static uint64_t
nb_pages_of(uint64_t addr, uint64_t len)
{
	uint64_t last = addr + len - 1;

	if (len == 0 || last < addr)
		return 0;
	return (last >> PRM_ADAPTER_PAGE_SHIFT) - (addr >> PRM_ADAPTER_PAGE_SHIFT) + 1;
}

static void
uncharge(uint64_t nb_pages)
{
	atomic_fetch_sub(&nb_pinned, nb_pages);
}

static int
charge(uint64_t addr, uint64_t len, uint64_t nb_pages)
{
	uint64_t nb = atomic_fetch_add(&nb_pinned, nb_pages) + nb_pages;
	uint64_t limit;

	if (!swhca_conf_get()->has_memlock)
		return 0;
	limit = swhca_memlock_limit();
	/* can_do_mlock() */
	if (limit != 0 && nb <= limit >> PRM_ADAPTER_PAGE_SHIFT)
		return 0;
	uncharge(nb_pages);
	SWHCA_LOG(WARNING, "0x%" PRIx64 ", length %" PRIu64 ": %" PRIu64 " pages beside %" PRIu64
		  " pinned ones; the limit of locked memory is %" PRIu64 " bytes (ulimit -l)",
		  addr, len, nb_pages, nb - nb_pages, limit);
	return limit == 0 ? -EPERM : -ENOMEM;
}

int
swhca_upin(struct swhca_uobj *obj, uint64_t addr, uint64_t len, bool is_writable)
{
	uint64_t nb_pages = nb_pages_of(addr, len);
	int ret;

	if (nb_pages == 0)
		return -EINVAL;
	ret = charge(addr, len, nb_pages);
	if (ret != 0)
		return ret;
	ret = swhca_uaddr_check(addr, len, is_writable);
	if (ret != 0) {
		uncharge(nb_pages);
		return ret;
	}
	obj->nb_pinned += nb_pages;
	return 0;
}

static struct swhca_udbr_page *
dbr_page_find(const struct swhca_ufile *file, uint64_t addr)
{
	struct swhca_udbr_page *page;

	SLIST_FOREACH(page, &file->dbr_pages, link) {
		if (page->addr == addr)
			break;
	}
	return page;
}

int
swhca_upin_dbr(struct swhca_ufile *file, struct swhca_uobj *obj, uint64_t addr)
{
	uint64_t start = addr & ~PAGE_MASK;
	struct swhca_udbr_page *page;
	int ret;

	ret = swhca_uaddr_check(addr, 8, true);
	if (ret != 0)
		return ret;
	page = dbr_page_find(file, start);
	if (page == NULL) {
		page = calloc(1, sizeof(*page));
		if (page == NULL)
			return -ENOMEM;
		ret = charge(start, PRM_ADAPTER_PAGE_SIZE, 1);
		if (ret != 0) {
			free(page);
			return ret;
		}
		page->addr = start;
		SLIST_INSERT_HEAD(&file->dbr_pages, page, link);
	}
	page->nb_refs++;
	obj->dbr_page = page;
	return 0;
}

void
swhca_uunpin(struct swhca_uobj *obj, uint64_t nb_pages)
{
	obj->nb_pinned -= nb_pages;
	uncharge(nb_pages);
}

void
swhca_uunpin_all(struct swhca_ufile *file, struct swhca_uobj *obj)
{
	struct swhca_udbr_page *page = obj->dbr_page;

	swhca_uunpin(obj, obj->nb_pinned);
	obj->dbr_page = NULL;
	if (page == NULL || --page->nb_refs != 0)
		return;
	SLIST_REMOVE(&file->dbr_pages, page, swhca_udbr_page, link);
	free(page);
	uncharge(1);
}

void
swhca_upinned_forget(void)
{
	atomic_store(&nb_pinned, 0);
}
