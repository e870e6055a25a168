/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_ALLOC_H
#define SWHCA_ALLOC_H

/**
 * @file
 * Memory that the engine writes while it works.
 *
 * It comes from the heap of the program that uses the device. Without cache lines of its own it
 * could share one with a queue of libmlx5, which would then lose that line to the engine with every
 * doorbell: depending on the heap layout, posting took three times as long.
 */

#include <stdlib.h>
#include <string.h>

/** Two lines, as adjacent ones may be fetched together. */
#define SWHCA_ALLOC_ALIGN	128u

/** calloc(1, size) in separate cache lines; for free(). NULL: out of memory. */
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
