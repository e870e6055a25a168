/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef NESTED_H
#define NESTED_H

/**
 * @file
 * Random keys below keys, and the byte of memory of each byte of the topmost key.
 *
 * The reference is a table with an entry for each byte. It is built from the innermost keys
 * outwards, one byte at a time, without splitting ranges or dividing offsets.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "model/layout.h"
#include "model/prng.h"

#define NESTED_MAX_KEYS		10u
/** Maximum number of levels; one more than devices support, to test the limit. */
#define NESTED_MAX_LEVELS	9u
/** Maximum number of bytes of a key. */
#define NESTED_MAX_LEN		8192u
/** Value of inner for a piece of memory. */
#define NESTED_MEMORY		UINT32_MAX

struct nested_piece {
	uint32_t inner;		/**< Index of a preceding key, or NESTED_MEMORY. */
	uint32_t offset;	/**< Offset of its first byte in that key or the arena. */
	uint32_t len;		/**< Bytes, at least 1. */
	uint32_t skip;		/**< Bytes between one repetition and the next. */
};

struct nested_key {
	uint32_t level;		/**< 1: memory only; otherwise the maximum number of levels
				  *   including this one. */
	uint32_t len;		/**< Size in bytes. */
	bool is_interleaved;	/**< False: a list; then repeat is 1 and every skip is 0. */
	uint32_t repeat;
	uint32_t nb_pieces;
	struct nested_piece pieces[LAYOUT_MAX_PIECES];
};

/** Source of a byte of the topmost key. */
struct nested_byte {
	uint32_t arena_offset;
	uint16_t nb_levels;	/**< Number of keys on its path. */
	bool is_marked;		/**< See nested_mark(). */
};

struct nested {
	uint32_t nb_keys;	/**< The last one is the topmost. */
	struct nested_key keys[NESTED_MAX_KEYS];
	struct nested_byte bytes[NESTED_MAX_LEN]; /**< Of the topmost key. */
};

struct nested_gen_conf {
	uint32_t arena_size;	/**< Bytes. */
	uint32_t guard;		/**< Bytes at both ends of the arena without pieces. */
	uint32_t max_list;	/**< Maximum number of pieces of a list, at most
				  *   LAYOUT_MAX_PIECES. */
	uint32_t max_interleaved; /**< The same for interleaved layouts; 0: only lists. */
};

/**
 * Generate keys with a number of levels: lists of parts of strided keys, patterns over lists, and
 * so on. Parts of inner keys start anywhere and often overlap.
 *
 * @param is_disjoint
 *   Whether each byte of the arena may appear only once in the topmost key.
 */
void nested_gen(struct prng *prng, const struct nested_gen_conf *conf, uint32_t nb_levels,
		bool is_disjoint, struct nested *nested);

/** Locate each byte of the topmost key; nested_gen() does this, too. */
void nested_resolve(struct nested *nested);

/** Mark the bytes whose path uses a key at or after an offset, and unmark all others. */
void nested_mark(struct nested *nested, uint32_t key, uint32_t offset);

/** Number of bytes of the topmost key. */
uint32_t nested_len(const struct nested *nested);

/* As in struct verify_view. */
void nested_gather(const void *nested, const uint8_t *arena, uint64_t from, uint64_t len,
		   uint8_t *out);
void nested_scatter(const void *nested, uint8_t *arena, uint64_t from, uint64_t len,
		    const uint8_t *in);
bool nested_find(const void *nested, uint64_t arena_offset, uint64_t *position);

/** Print all keys, one line per piece, each line starting with a prefix. */
void nested_print(FILE *f, const char *prefix, const struct nested *nested);

#endif /* NESTED_H */
