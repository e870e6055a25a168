/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SOAK_TWIN_H
#define SOAK_TWIN_H

/**
 * @file
 * Expected contents of memory when it is not always known whether a transfer was executed.
 *
 * Memory that devices access has two unregistered twins: its contents if none of the transfers in
 * doubt was executed, and its contents if all were. A byte is valid if it equals one of them;
 * without transfers in doubt, the twins are equal.
 */

#include <stdbool.h>
#include <stdint.h>

#include "model/layout.h"

struct soak_twin {
	uint8_t *memory;	/**< Memory that devices access; borrowed. */
	uint8_t *none;		/**< Contents without transfers in doubt. */
	uint8_t *all;		/**< Contents with transfers in doubt. */
	uint32_t size;		/**< Bytes of each. */
	bool has_doubt;		/**< Since the last comparison. */
};

/** A range of a layout in an area. */
struct soak_part {
	struct soak_twin *twin;
	uint32_t base;		/**< Base of the offsets of the layout in the area. */
	const struct layout *layout;
	uint64_t from;		/**< First byte of the key. */
};

/** Create twins from the current contents of memory; returns false if out of memory. */
bool soak_twin_create(struct soak_twin *twin, uint8_t *memory, uint32_t size);
void soak_twin_destroy(struct soak_twin *twin);

/** Write to memory and its twins. */
void soak_twin_write(struct soak_twin *twin, uint32_t offset, const void *bytes, uint32_t len);

/** The same for a range of a layout. */
void soak_twin_fill(const struct soak_part *dst, const void *bytes, uint32_t len);

/** Apply a transfer that was executed, or is in doubt, to the destination. */
void soak_twin_move(const struct soak_part *dst, const struct soak_part *src, uint32_t len,
		    bool is_in_doubt);

/** The same with bytes from another source. */
void soak_twin_store(const struct soak_part *dst, const void *none, const void *all, uint32_t len,
		     bool is_in_doubt);

/** Read a range from both twins. */
void soak_twin_load(const struct soak_part *src, uint32_t len, void *none, void *all);

/**
 * Whether a destination shows that a transfer in doubt was executed, partly or completely. Bytes
 * that are equal in both cases show nothing.
 *
 * @param is_touched
 *   Set to whether some byte was certainly written by the transfer.
 * @param is_complete
 *   Set to whether no byte was certainly omitted by the transfer.
 */
void soak_twin_trace(const struct soak_part *dst, uint32_t len, bool *is_touched,
		     bool *is_complete);

/**
 * Compare memory with its twins; then set both to the contents of memory.
 *
 * @param first
 *   Set to the first bad byte, if any.
 * @return
 *   Number of bytes that differ from both twins.
 */
uint32_t soak_twin_settle(struct soak_twin *twin, uint32_t *first);

#endif /* SOAK_TWIN_H */
