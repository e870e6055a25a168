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

/* A buffer of the model, which must not be longer than it says. */
static uint8_t *
model_piece(uint64_t addr, uint64_t len)
{
#ifdef HAS_ASAN
	if (__asan_region_is_poisoned((void *)(uintptr_t)addr, len) != NULL)
		__builtin_trap();
#else
	(void)len;
#endif
	return (uint8_t *)(uintptr_t)addr;
}

/* Bytes from addr on that are one piece of memory, at most len; NULL is a fault. */
static uint8_t *
piece(const struct swhca_dma *dma, uint64_t addr, bool writes, uint64_t *len)
{
	struct fuzz_world *w = (struct fuzz_world *)(uintptr_t)dma;
	uint64_t page = addr % FUZZ_ARENA / FUZZ_PAGE;

	if (addr < FUZZ_PAGE || page == FUZZ_PAGE_HOLE || (writes && page == FUZZ_PAGE_RO))
		return NULL;
	if (*len > FUZZ_PAGE - addr % FUZZ_PAGE)
		*len = FUZZ_PAGE - addr % FUZZ_PAGE;
	return fuzz_mem(w, addr);
}

/* Done. */
static void
tell(const struct swhca_dma *dma, uint64_t addr, bool writes, uint64_t len)
{
	struct fuzz_world *w = (struct fuzz_world *)(uintptr_t)dma;

	if (w->on_dma != NULL)
		w->on_dma(w, addr, len, writes);
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
		tell(dma, addr, false, part);
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
		tell(dma, addr, true, part);
	}
	return 0;
}

static uint8_t *
span_piece(const struct swhca_dma *dma, const struct swhca_span *span, bool writes, uint64_t *len)
{
	if (span->where == SWHCA_WHERE_MODEL)
		return model_piece(span->addr, *len);
	return piece(dma, span->addr, writes, len);
}

static uint64_t
spans_len(const struct swhca_span *spans, size_t nb)
{
	uint64_t len = 0;

	for (size_t i = 0; i < nb; i++)
		len = spans[i].len > MAX_LEN ? UINT64_MAX / 2 : len + spans[i].len;
	return len;
}

/* What is left of a span behind some bytes of it. */
static struct swhca_span
span_behind(const struct swhca_span *span, uint64_t done)
{
	return (struct swhca_span){
		.addr = span->addr + done, .len = span->len - done, .where = span->where,
	};
}

static int
arena_copy(const struct swhca_dma *dma, const struct swhca_span *dst, size_t nb_dst,
	   const struct swhca_span *src, size_t nb_src)
{
	uint64_t left = spans_len(src, nb_src), at_dst = 0, at_src = 0, part;
	struct swhca_span from, to;
	uint8_t *in, *out;

	/* What they are of the same length is the contract of the caller. */
	if (left != spans_len(dst, nb_dst))
		__builtin_trap();
	if (left > MAX_LEN)
		return -EFAULT;
	for (; left > 0; left -= part) {
		for (; at_dst == dst->len; dst++)
			at_dst = 0;
		for (; at_src == src->len; src++)
			at_src = 0;
		from = span_behind(src, at_src);
		to = span_behind(dst, at_dst);
		part = from.len < to.len ? from.len : to.len;
		in = span_piece(dma, &from, false, &part);
		if (in == NULL)
			return -EFAULT;
		out = span_piece(dma, &to, true, &part);
		if (out == NULL)
			return -EACCES;
		memmove(out, in, part);
		if (from.where == SWHCA_WHERE_BUS)
			tell(dma, from.addr, false, part);
		if (to.where == SWHCA_WHERE_BUS)
			tell(dma, to.addr, true, part);
		at_dst += part;
		at_src += part;
	}
	return 0;
}

void
fuzz_dma_init(struct swhca_dma *dma)
{
	*dma = (struct swhca_dma){
		.read = arena_read, .write = arena_write, .write_last = arena_write,
		.copy = arena_copy,
	};
}
