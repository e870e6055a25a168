/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef LAYOUT_H
#define LAYOUT_H

/**
 * @file
 * A layout as the oracle and the generator see it: no addresses, no keys, no device.
 */

#include <stdbool.h>
#include <stdint.h>

/** Most pieces of a layout: what one work request can carry. */
#define LAYOUT_MAX_PIECES 52u

/** Bytes of an arena that follow each other under the key. */
struct layout_piece {
	uint32_t offset;	/**< Of the first byte, in the arena. */
	uint32_t len;		/**< Bytes, at least 1. */
	uint32_t skip;		/**< Bytes between one repetition and the next. */
};

/**
 * What a key shows: all pieces in turn; then, if it repeats, all pieces again, each one
 * len + skip bytes further.
 */
struct layout {
	bool is_interleaved;	/**< False: a list; then repeat is 1 and every skip is 0. */
	uint32_t repeat;	/**< Times that the pieces are taken, at least 1. */
	uint32_t nb_pieces;	/**< [1, LAYOUT_MAX_PIECES] */
	struct layout_piece pieces[LAYOUT_MAX_PIECES];
};

#endif /* LAYOUT_H */
