/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_SPAN_H
#define SWHCA_SPAN_H

/**
 * @file
 * Iteration over lists of spans.
 */

#include <string.h>

#include "include/dma.h"

/** Make a span of memory of the model. */
static inline struct swhca_span
swhca_span_of(const void *ptr, size_t len)
{
	return (struct swhca_span){
		.addr = (uintptr_t)ptr,
		.len = len,
		.where = SWHCA_WHERE_MODEL,
	};
}

/**
 * Pointer to the bytes of a span in this process: memory of the model, or a bus address that is an
 * address of the process.
 */
static inline uint8_t *
swhca_span_ptr(const struct swhca_span *span)
{
	return (uint8_t *)(uintptr_t)span->addr;
}

/** Position in a list of spans. */
struct swhca_span_cursor {
	const struct swhca_span *span;
	size_t nb;		/**< Spans left, including the current one. */
	uint64_t done;		/**< Bytes of the current span already consumed. */
};

/** Take up to len contiguous bytes and advance. @return Number of bytes; 0 at the end. */
static inline uint64_t
swhca_span_take(struct swhca_span_cursor *at, uint64_t len, struct swhca_span *piece)
{
	uint64_t room;

	if (at->nb == 0)
		return 0;
	room = at->span->len - at->done;
	*piece = *at->span;
	piece->addr += at->done;
	if (len < room) {
		at->done += len;
		piece->len = len;
		return len;
	}
	at->span++;
	at->nb--;
	at->done = 0;
	piece->len = room;
	return room;
}

/** Read all bytes of a span. @return 0 or -EFAULT. */
static inline int
swhca_span_read(const struct swhca_dma *dma, void *dst, const struct swhca_span *span)
{
	if (span->where == SWHCA_WHERE_BUS)
		return dma->read(dma, dst, span->addr, span->len);
	memcpy(dst, swhca_span_ptr(span), span->len);
	return 0;
}

/** Write all bytes of a span. @return 0 or -EFAULT. */
static inline int
swhca_span_write(const struct swhca_dma *dma, const struct swhca_span *span, const void *src)
{
	if (span->where == SWHCA_WHERE_BUS)
		return dma->write(dma, span->addr, src, span->len);
	memcpy(swhca_span_ptr(span), src, span->len);
	return 0;
}

#endif /* SWHCA_SPAN_H */
