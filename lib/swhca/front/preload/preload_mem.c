/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * libc calls that change memory mappings of a program: regions with on-demand paging first lose the
 * affected pages, like by an MMU notifier in Linux; pinned ones keep them.
 *
 * Changes that the C library makes to its own memory inside free(3) are not intercepted, nor is
 * free(3) itself: only the allocator knows what it gives back, and it calls the kernel with its
 * locks held, while the device may need to allocate memory. Pinned pages that an access finds
 * unmapped count as unmapped from then on (mem/pin.h).
 */

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/mman.h>

#include "front/preload/preload.h"
#include "host/trap.h"
#include "include/pages.h"
#include "front/uverbs/call/uverbs.h"

/* Linux 5.14: headers may be older. */
#ifndef MADV_DONTNEED_LOCKED
#define MADV_DONTNEED_LOCKED 24
#endif

static struct swhca_pages_change
change_of(enum swhca_pages_event event, const void *addr, size_t len)
{
	return (struct swhca_pages_change){
		.event = event,
		.addr = (uintptr_t)addr,
		.len = len,
	};
}

void
swhca_preload_pages_end(struct swhca_pages_change *changes, unsigned int nb, bool is_done)
{
	int saved = errno;

	swhca_uverbs_pages_end(changes, nb, is_done);
	errno = saved;
}

bool
swhca_preload_replace(struct swhca_pages_change *change, void *addr, size_t len)
{
	swhca_uverbs_invalidate(addr, len);
	*change = change_of(SWHCA_PAGES_REPLACED, addr, len);
	return swhca_uverbs_pages_begin(change, 1);
}

EXPORT int
munmap(void *addr, size_t len)
{
	REAL(int, munmap, void *, size_t);
	struct swhca_pages_change change;
	bool is_told;
	int ret;

	PASS_RUNTIME(addr, len);
	swhca_uverbs_invalidate(addr, len);
	swhca_trap_remove(addr, len);
	change = change_of(SWHCA_PAGES_UNMAPPED, addr, len);
	is_told = swhca_uverbs_pages_begin(&change, 1);
	ret = real(addr, len);
	if (is_told)
		swhca_preload_pages_end(&change, 1, ret == 0);
	return ret;
}

static enum swhca_pages_event
advice_event(int advice)
{
	switch (advice) {
	case MADV_DONTNEED:
	case MADV_DONTNEED_LOCKED:
		return SWHCA_PAGES_DISCARDED;
	case MADV_REMOVE:
		return SWHCA_PAGES_REMOVED;
	default:
		return SWHCA_PAGES_NONE;
	}
}

EXPORT int
madvise(void *addr, size_t len, int advice)
{
	REAL(int, madvise, void *, size_t, int);
	struct swhca_pages_change change;
	int ret;

	change = change_of(advice_event(advice), addr, len);
	if (change.event != SWHCA_PAGES_NONE || advice == MADV_FREE)
		swhca_uverbs_invalidate(addr, len);
	/* Linux never frees a pinned page: this advice is ignored. */
	if (advice == MADV_FREE && swhca_uverbs_pages_are_pinned(addr, len))
		return 0;
	if (change.event == SWHCA_PAGES_NONE || !swhca_uverbs_pages_begin(&change, 1))
		return real(addr, len, advice);
	ret = real(addr, len, advice);
	swhca_preload_pages_end(&change, 1, ret == 0);
	return ret;
}

EXPORT int
mprotect(void *addr, size_t len, int prot)
{
	REAL(int, mprotect, void *, size_t, int);
	struct swhca_pages_change change;
	bool is_told;
	int ret;

	swhca_uverbs_invalidate(addr, len);
	change = change_of(SWHCA_PAGES_PROTECTED, addr, len);
	change.can_read = (prot & PROT_READ) != 0;
	change.can_write = (prot & PROT_WRITE) != 0;
	is_told = swhca_uverbs_pages_begin(&change, 1);
	ret = real(addr, len, prot);
	if (is_told)
		swhca_preload_pages_end(&change, 1, ret == 0);
	return ret;
}

/* mremap(2) removes pages after the new end, removes pages at the new place, and moves pages. */
enum { MREMAP_TAIL, MREMAP_PLACE, MREMAP_PAGES, NB_MREMAP_CHANGES };

static void
mremap_changes(struct swhca_pages_change *changes, uint8_t *addr, size_t len, size_t new_len,
	       const void *place)
{
	size_t kept = len < new_len ? len : new_len;

	changes[MREMAP_TAIL] = change_of(SWHCA_PAGES_UNMAPPED, addr + new_len, len - kept);
	changes[MREMAP_PLACE] = change_of(SWHCA_PAGES_REPLACED, place, place != NULL ? new_len : 0);
	/* A length of 0 creates a duplicate, and nothing is moved. */
	changes[MREMAP_PAGES] = change_of(SWHCA_PAGES_MOVED, addr, kept);
}

EXPORT void *
mremap(void *addr, size_t len, size_t new_len, int flags, ...)
{
	REAL(void *, mremap, void *, size_t, size_t, int, ...);
	struct swhca_pages_change changes[NB_MREMAP_CHANGES];
	void *new_addr, *va;
	bool is_told;
	va_list ap;

	va_start(ap, flags);
	new_addr = (flags & MREMAP_FIXED) != 0 ? va_arg(ap, void *) : NULL;
	va_end(ap);
	swhca_uverbs_invalidate(addr, len);
	if ((flags & MREMAP_FIXED) != 0)
		swhca_uverbs_invalidate(new_addr, new_len);
	mremap_changes(changes, addr, len, new_len, (flags & MREMAP_FIXED) != 0 ? new_addr : NULL);
	is_told = swhca_uverbs_pages_begin(changes, NB_MREMAP_CHANGES);
	va = real(addr, len, new_len, flags, new_addr);
	if (!is_told)
		return va;
	changes[MREMAP_PAGES].to = (uintptr_t)va;
	if (va == addr)
		changes[MREMAP_PAGES].event = SWHCA_PAGES_NONE;
	swhca_preload_pages_end(changes, NB_MREMAP_CHANGES, va != MAP_FAILED);
	return va;
}
