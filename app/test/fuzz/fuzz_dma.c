/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Host memory of the fuzz targets, and their clock. */

#include <errno.h>

#include "fuzz.h"
#include "fuzz_dma.h"
#include "engine/engine.h"

/* Longer than any of it, and a hint that the model did not bound a length. */
#define MAX_LEN (64u << 20)

static uint64_t now_ns;

/* The linker has every call of swhca_now_ns() come here. */
uint64_t __wrap_swhca_now_ns(void);

uint64_t
__wrap_swhca_now_ns(void)
{
	return now_ns;
}

void
fuzz_world_wait(uint64_t ns)
{
	now_ns += ns;
}

void
fuzz_clock_reset(void)
{
	now_ns = 1000000000;
}

uint8_t *
fuzz_mem(struct fuzz_world *w, uint64_t addr)
{
	return &w->arena[addr % FUZZ_ARENA];
}

/*
 * Lists of spans also have buffers of the model itself, and device memory: a host address is a bus
 * address in the process that the model was made for. Processes have theirs above the arena's.
 */
#define HOST_BEGIN UINT64_C(0x500000000000)
#define HOST_END   UINT64_C(0x800000000000)

#if defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ASAN 1
#endif
#endif

#ifdef HAS_ASAN
#include <sanitizer/asan_interface.h>
#endif

/* An address of an input that looks like one of the host, as good as any, is a fault. */
static bool
host_is_mapped(uint64_t addr, uint64_t len)
{
	const struct swhca_dma *process = swhca_dma_process();
	uint8_t byte;

	return process->read(process, &byte, addr, 1) == 0 &&
	       process->read(process, &byte, addr + len - 1, 1) == 0;
}

static uint8_t *
host_piece(uint64_t addr, uint64_t len)
{
	if (len == 0 || len > HOST_END - addr || !host_is_mapped(addr, len))
		return NULL;
#ifdef HAS_ASAN
	/* Longer than its buffer is. */
	if (__asan_region_is_poisoned((void *)(uintptr_t)addr, len) != NULL)
		__builtin_trap();
#endif
	return (uint8_t *)(uintptr_t)addr;
}

/* Bytes from addr on that are one piece of memory, at most len; NULL is a fault. */
static uint8_t *
piece(const struct swhca_dma *dma, uint64_t addr, bool writes, uint64_t *len)
{
	struct fuzz_world *w = (struct fuzz_world *)(uintptr_t)dma;
	uint64_t page = addr % FUZZ_ARENA / FUZZ_PAGE;

	if (addr >= HOST_BEGIN && addr < HOST_END)
		return host_piece(addr, *len);
	if (addr < FUZZ_PAGE || page == FUZZ_PAGE_HOLE || (writes && page == FUZZ_PAGE_RO))
		return NULL;
	if (*len > FUZZ_PAGE - addr % FUZZ_PAGE)
		*len = FUZZ_PAGE - addr % FUZZ_PAGE;
	return fuzz_mem(w, addr);
}

static int
arena_read(const struct swhca_dma *dma, void *dst, uint64_t addr, size_t len)
{
	const uint8_t *from;
	uint8_t *to = dst;
	uint64_t part;

	if (len > MAX_LEN)
		return -EFAULT;
	for (; len > 0; to += part, addr += part, len -= part) {
		part = len;
		from = piece(dma, addr, false, &part);
		if (from == NULL)
			return -EFAULT;
		memcpy(to, from, part);
	}
	return 0;
}

static int
arena_write(const struct swhca_dma *dma, uint64_t addr, const void *src, size_t len)
{
	const uint8_t *from = src;
	uint64_t part;
	uint8_t *to;

	if (len > MAX_LEN)
		return -EFAULT;
	for (; len > 0; from += part, addr += part, len -= part) {
		part = len;
		to = piece(dma, addr, true, &part);
		if (to == NULL)
			return -EFAULT;
		memcpy(to, from, part);
	}
	return 0;
}

static uint64_t
spans_len(const struct iovec *iov, size_t nb)
{
	uint64_t len = 0;
	size_t i;

	for (i = 0; i < nb; i++)
		len = iov[i].iov_len > MAX_LEN ? UINT64_MAX / 2 : len + iov[i].iov_len;
	return len;
}

static int
arena_copy(const struct swhca_dma *dma, const struct iovec *dst, size_t nb_dst,
	   const struct iovec *src, size_t nb_src)
{
	uint64_t left = spans_len(src, nb_src), at_dst = 0, at_src = 0, part;
	uint8_t *to, *from;

	/* What they are of the same length is the contract of the caller. */
	if (left != spans_len(dst, nb_dst))
		__builtin_trap();
	if (left > MAX_LEN)
		return -EFAULT;
	for (; left > 0; left -= part) {
		for (; at_dst == dst->iov_len; dst++)
			at_dst = 0;
		for (; at_src == src->iov_len; src++)
			at_src = 0;
		part = src->iov_len - at_src;
		if (part > dst->iov_len - at_dst)
			part = dst->iov_len - at_dst;
		from = piece(dma, (uintptr_t)src->iov_base + at_src, false, &part);
		if (from == NULL)
			return -EFAULT;
		to = piece(dma, (uintptr_t)dst->iov_base + at_dst, true, &part);
		if (to == NULL)
			return -EACCES;
		memmove(to, from, part);
		at_dst += part;
		at_src += part;
	}
	return 0;
}

void
fuzz_dma_init(struct swhca_dma *dma)
{
	*dma = (struct swhca_dma){
		.read = arena_read,
		.write = arena_write,
		.write_last = arena_write,
		.copy = arena_copy,
	};
}
