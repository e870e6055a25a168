/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef ORACLE_H
#define ORACLE_H

/**
 * @file
 * Scalar reference for the results of devices.
 *
 * It works byte by byte on purpose, to share no idea, shortcut or code with the tested code.
 */

#include "model/layout.h"

/** Size of the key in bytes. In all functions, a layout is a struct layout. */
uint64_t oracle_len(const struct layout *layout);

/** Read bytes [from, from + len) of the key in order. */
void oracle_gather(const void *layout, const uint8_t *arena, uint64_t from, uint64_t len,
		   uint8_t *out);

/** Store len bytes to [from, from + len) of the key. */
void oracle_scatter(const void *layout, uint8_t *arena, uint64_t from, uint64_t len,
		    const uint8_t *in);

/**
 * Find a byte of the arena in the key.
 *
 * @param position
 *   On success, set to the first offset in the key that shows this byte.
 * @return
 *   Whether the key shows it.
 */
bool oracle_find(const void *layout, uint64_t arena_offset, uint64_t *position);

/** The same for any number of pieces. */
bool oracle_find_in(const struct layout_piece *pieces, uint32_t nb, uint32_t repeat,
		    uint64_t arena_offset, uint64_t *position);
uint64_t oracle_len_of(const struct layout_piece *pieces, uint32_t nb, uint32_t repeat);

#endif /* ORACLE_H */
