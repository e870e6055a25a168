/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_ALLOC_H
#define SWHCA_ALLOC_H

/**
 * @file
 * Memory for what the engine writes to while it works.
 *
 * It comes from the heap of the program whose device this is. Without lines of its own it could be
 * a neighbour of a queue of libmlx5, which then loses its line to the engine with every doorbell:
 * by chance of the heap, posting took three times as long.
 */

#include <stdlib.h>
#include <string.h>

/** Two lines: adjacent ones may be fetched together. */
#define SWHCA_ALLOC_ALIGN	128u

/** calloc(1, size) in cache lines of its own; for free(). NULL: out of memory. */
static inline void *
swhca_alloc(size_t size)
{
	size_t nb = (size + SWHCA_ALLOC_ALIGN - 1) / SWHCA_ALLOC_ALIGN * SWHCA_ALLOC_ALIGN;
	void *memory = aligned_alloc(SWHCA_ALLOC_ALIGN, nb);

	if (memory != NULL)
		memset(memory, 0, nb);
	return memory;
}

#endif /* SWHCA_ALLOC_H */
