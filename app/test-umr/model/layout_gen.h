/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef LAYOUT_GEN_H
#define LAYOUT_GEN_H

/**
 * @file
 * Random layouts within an arena.
 */

#include <stdio.h>

#include "model/layout.h"
#include "model/prng.h"

/** Longest piece in bytes; interleaved layouts have 16-bit lengths. */
#define LAYOUT_GEN_MAX_PIECE		65536u
#define LAYOUT_GEN_MAX_STRIDE		65535u
#define LAYOUT_GEN_MAX_REPEAT		1024u

struct layout_gen_conf {
	uint32_t arena_size;	/**< Bytes; at least 2 * guard + 2 * max_total. */
	uint32_t guard;		/**< Bytes at both ends of the arena without pieces. */
	uint32_t max_total;	/**< Maximum number of bytes of the key. */
	/**
	 * Maximum number of pieces of a list, at most LAYOUT_MAX_PIECES; 0: only interleaved
	 * layouts.
	 */
	uint32_t max_list;
	/** The same for interleaved layouts; 0: only lists. */
	uint32_t max_interleaved;
};

/**
 * Generate a layout.
 *
 * Sizes are log-uniform, so that small pieces are as common as large ones; the number of pieces is
 * often 1 or the maximum. Places are arbitrary bytes.
 *
 * @param is_disjoint
 *   Whether each byte of the arena may appear only once: for destinations, where the order of
 *   writes within one operation is undefined. Otherwise pieces often overlap.
 */
void layout_gen(struct prng *prng, const struct layout_gen_conf *conf, bool is_disjoint,
		struct layout *layout);

/** Print a layout, one line per piece, each line starting with a prefix. */
void layout_print(FILE *f, const char *prefix, const struct layout *layout);
/** The same for any number of pieces; of many, only nb_ends at either end. */
void layout_print_pieces(FILE *f, const char *prefix, bool is_interleaved, uint32_t repeat,
			 const struct layout_piece *pieces, uint32_t nb, uint32_t nb_ends);

#endif /* LAYOUT_GEN_H */
