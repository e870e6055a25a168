/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef PIECES_H
#define PIECES_H

/**
 * @file
 * Random layouts with tens of thousands of pieces, and their contents, without addresses, keys or
 * devices. Like layout.h, for layouts that exceed a work request.
 */

#include "model/layout.h"
#include "model/prng.h"

/**
 * Maximum number of pieces: size of the largest key that the project guarantees to update in part.
 */
#define PIECES_MAX		60000u
/** Longest stride that a device can repeat. */
#define PIECES_MAX_STRIDE	65535u

/** All pieces in order, repeat times; see struct layout. */
struct pieces {
	bool is_pattern;	/**< False: a list; repeat is 1, every skip is 0. */
	uint32_t repeat;
	uint32_t nb;		/**< [1, PIECES_MAX] */
	struct layout_piece pieces[PIECES_MAX];
};

struct pieces_conf {
	uint32_t arena_size;
	uint32_t guard;		/**< Bytes at both ends of the arena without pieces. */
	/** Maximum number of bytes of a disjoint key; at least max_nb. */
	uint32_t max_total;
	uint32_t min_nb;
	uint32_t max_nb;	/**< At most PIECES_MAX. */
	/**
	 * Whether each byte of the arena may appear only once. Otherwise pieces overlap, and their
	 * total size exceeds the arena, often by gigabytes.
	 */
	bool is_disjoint;
};

/** Generate a list; small and large numbers of pieces are equally likely. */
void pieces_gen_list(struct prng *prng, const struct pieces_conf *conf, struct pieces *out);

/**
 * Generate a pattern that repeats at least twice.
 *
 * @param is_wide
 *   Whether a stride exceeds PIECES_MAX_STRIDE.
 */
void pieces_gen_pattern(struct prng *prng, const struct pieces_conf *conf, bool is_wide,
			struct pieces *out);

/** Generate other pieces, anywhere, for a list that is not used itself. */
void pieces_gen_other(struct prng *prng, const struct pieces_conf *conf,
		      struct layout_piece *pieces, uint32_t nb);

/** Size of the key in bytes. */
uint64_t pieces_len(const struct pieces *pieces);

/* Oracle for struct verify_view: byte by byte, but skipping over whole pieces. */
void pieces_gather(const void *pieces, const uint8_t *arena, uint64_t from, uint64_t len,
		   uint8_t *out);
void pieces_scatter(const void *pieces, uint8_t *arena, uint64_t from, uint64_t len,
		    const uint8_t *in);
bool pieces_find(const void *pieces, uint64_t arena_offset, uint64_t *position);

#endif /* PIECES_H */
