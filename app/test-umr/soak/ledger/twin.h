/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SOAK_TWIN_H
#define SOAK_TWIN_H

/**
 * @file
 * What memory must hold, when it is not always known whether a transfer was executed.
 *
 * Memory that devices see has two twins that no device knows: what it holds if of the transfers in
 * doubt none was executed, and what it holds if all were. A byte is good if it is as in one of
 * them; where nothing is in doubt they are the same.
 */

#include <stdbool.h>
#include <stdint.h>

#include "model/layout.h"

struct soak_twin {
	uint8_t *memory;	/**< What devices see; the owner's. */
	uint8_t *none;		/**< What it holds if nothing in doubt was executed, */
	uint8_t *all;		/**< and if all of it was. */
	uint32_t size;		/**< Bytes of each. */
	bool has_doubt;		/**< Since they were compared last. */
};

/** A range of a layout that lies in an area. */
struct soak_part {
	struct soak_twin *twin;
	uint32_t base;		/**< Where the layout's offsets count from, in the area. */
	const struct layout *layout;
	uint64_t from;		/**< First byte of the key. */
};

/** Make twins of memory as it is now; false if there is no memory for them. */
bool soak_twin_create(struct soak_twin *twin, uint8_t *memory, uint32_t size);
void soak_twin_destroy(struct soak_twin *twin);

/** The CPU writes: to memory and its twins. */
void soak_twin_write(struct soak_twin *twin, uint32_t offset, const void *bytes, uint32_t len);

/** The same, of a range of a layout. */
void soak_twin_fill(const struct soak_part *dst, const void *bytes, uint32_t len);

/** What a transfer that was executed, or is in doubt, makes of the destination. */
void soak_twin_move(const struct soak_part *dst, const struct soak_part *src, uint32_t len,
		    bool is_in_doubt);

/** Bytes that come from elsewhere, likewise. */
void soak_twin_store(const struct soak_part *dst, const void *none, const void *all, uint32_t len,
		     bool is_in_doubt);

/** The bytes of a range in one of the twins. */
void soak_twin_load(const struct soak_part *src, uint32_t len, void *none, void *all);

/**
 * Whether a destination shows that a transfer in doubt was executed, in part or completely. Bytes
 * that would be the same either way show nothing.
 *
 * @param is_touched
 *   Written: there is a byte that it alone can have written.
 * @param is_complete
 *   Written: there is no byte that it has left out.
 */
void soak_twin_trace(const struct soak_part *dst, uint32_t len, bool *is_touched,
		     bool *is_complete);

/**
 * Compare memory with its twins; from then on both are as the memory is.
 *
 * @param first
 *   Written with the first bad byte if there is one.
 * @return
 *   Number of bytes that are as in neither.
 */
uint32_t soak_twin_settle(struct soak_twin *twin, uint32_t *first);

#endif /* SOAK_TWIN_H */
