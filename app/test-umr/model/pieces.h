/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef PIECES_H
#define PIECES_H

/**
 * @file
 * Layouts of tens of thousands of pieces: random ones, and what they show. No addresses, no keys,
 * no device. As layout.h, but for layouts that no work request holds.
 */

#include "model/layout.h"
#include "model/prng.h"

/** Most pieces: those of the key that the project promises to update in part. */
#define PIECES_MAX		60000u
/** Longest stride that a device repeats by itself. */
#define PIECES_MAX_STRIDE	65535u

/** All pieces in turn, and this repeat times; see struct layout. */
struct pieces {
	bool is_pattern;	/**< False: a list; repeat is 1, every skip is 0. */
	uint32_t repeat;
	uint32_t nb;		/**< [1, PIECES_MAX] */
	struct layout_piece pieces[PIECES_MAX];
};

struct pieces_conf {
	uint32_t arena_size;
	uint32_t guard;		/**< Bytes at both ends of the arena without pieces. */
	/** Most bytes under the key when each shows only once; at least max_nb. */
	uint32_t max_total;
	uint32_t min_nb;
	uint32_t max_nb;	/**< At most PIECES_MAX. */
	/**
	 * Whether no byte of the arena may be shown twice. Otherwise pieces overlap, and together
	 * have more bytes than the arena: gigabytes, often.
	 */
	bool is_disjoint;
};

/** A list; few pieces are as common as many. */
void pieces_gen_list(struct prng *prng, const struct pieces_conf *conf, struct pieces *out);

/**
 * A pattern that repeats at least twice.
 *
 * @param is_wide
 *   Whether a stride is beyond PIECES_MAX_STRIDE.
 */
void pieces_gen_pattern(struct prng *prng, const struct pieces_conf *conf, bool is_wide,
			struct pieces *out);

/** Other pieces, anywhere, for a list that is not used as it is. */
void pieces_gen_other(struct prng *prng, const struct pieces_conf *conf,
		      struct layout_piece *pieces, uint32_t nb);

/** Bytes under the key. */
uint64_t pieces_len(const struct pieces *pieces);

/* The oracle, as struct verify_view wants it: byte by byte, but pieces are stepped over. */
void pieces_gather(const void *pieces, const uint8_t *arena, uint64_t from, uint64_t len,
		   uint8_t *out);
void pieces_scatter(const void *pieces, uint8_t *arena, uint64_t from, uint64_t len,
		    const uint8_t *in);
bool pieces_find(const void *pieces, uint64_t arena_offset, uint64_t *position);

#endif /* PIECES_H */
