/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * The libc calls by which a program changes its memory: regions with on-demand paging lose the
 * pages in question first, as Linux makes sure by an MMU notifier.
 *
 * What the C library does to its own memory inside of free(3) does not come by here.
 */

#include <stdarg.h>
#include <sys/mman.h>

#include "front/preload/preload.h"
#include "host/trap.h"
#include "front/uverbs/call/uverbs.h"

EXPORT int
munmap(void *addr, size_t len)
{
	REAL(int, munmap, void *, size_t);

	PASS_RUNTIME(addr, len);
	swhca_uverbs_invalidate(addr, len);
	swhca_trap_remove(addr, len);
	return real(addr, len);
}

EXPORT int
madvise(void *addr, size_t len, int advice)
{
	REAL(int, madvise, void *, size_t, int);

	if (advice == MADV_DONTNEED || advice == MADV_FREE || advice == MADV_REMOVE)
		swhca_uverbs_invalidate(addr, len);
	return real(addr, len, advice);
}

EXPORT int
mprotect(void *addr, size_t len, int prot)
{
	REAL(int, mprotect, void *, size_t, int);

	swhca_uverbs_invalidate(addr, len);
	return real(addr, len, prot);
}

EXPORT void *
mremap(void *addr, size_t len, size_t new_len, int flags, ...)
{
	REAL(void *, mremap, void *, size_t, size_t, int, ...);
	void *new_addr;
	va_list ap;

	va_start(ap, flags);
	new_addr = (flags & MREMAP_FIXED) != 0 ? va_arg(ap, void *) : NULL;
	va_end(ap);
	swhca_uverbs_invalidate(addr, len);
	if ((flags & MREMAP_FIXED) != 0)
		swhca_uverbs_invalidate(new_addr, new_len);
	return real(addr, len, new_len, flags, new_addr);
}
