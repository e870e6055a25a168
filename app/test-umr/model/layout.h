/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef LAYOUT_H
#define LAYOUT_H

/**
 * @file
 * A layout without addresses, keys or devices, for the oracle and the generator.
 */

#include <stdbool.h>
#include <stdint.h>

/** Maximum number of pieces of a layout, given by one work request. */
#define LAYOUT_MAX_PIECES 52u

/** Contiguous bytes of an arena. */
struct layout_piece {
	uint32_t offset;	/**< Offset of the first byte in the arena. */
	uint32_t len;		/**< Bytes, at least 1. */
	uint32_t skip;		/**< Bytes between one repetition and the next. */
};

/**
 * Contents of a key: all pieces in order. Each repetition adds all pieces again, each one len +
 * skip bytes further.
 */
struct layout {
	bool is_interleaved;	/**< False: a list; then repeat is 1 and every skip is 0. */
	uint32_t repeat;	/**< Number of repetitions, at least 1. */
	uint32_t nb_pieces;	/**< [1, LAYOUT_MAX_PIECES] */
	struct layout_piece pieces[LAYOUT_MAX_PIECES];
};

static inline uint32_t
min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

#endif /* LAYOUT_H */
