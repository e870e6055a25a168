/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_SPAN_H
#define SWHCA_SPAN_H

/**
 * @file
 * Lists of spans, taken piece by piece.
 */

#include <string.h>

#include "include/dma.h"

/** Memory of the model as a span. */
static inline struct swhca_span
swhca_span_of(const void *ptr, size_t len)
{
	return (struct swhca_span){
		.addr = (uintptr_t)ptr,
		.len = len,
		.where = SWHCA_WHERE_MODEL,
	};
}

/** The bytes of a span in this process: of the model, or where a bus address is one of it. */
static inline uint8_t *
swhca_span_ptr(const struct swhca_span *span)
{
	return (uint8_t *)(uintptr_t)span->addr;
}

/** A place in a list of spans. */
struct swhca_span_cursor {
	const struct swhca_span *span;
	size_t nb;		/**< Spans left, the one at hand included. */
	uint64_t done;		/**< Bytes of the one at hand that are behind us. */
};

/** Up to len contiguous bytes at a place, which moves on. @return How many; 0 at the end. */
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
