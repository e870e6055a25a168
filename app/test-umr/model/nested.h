/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef NESTED_H
#define NESTED_H

/**
 * @file
 * Keys under keys: random ones, and which byte of memory each byte of the topmost one is.
 *
 * The truth is a table with an entry for each byte. It is made from the innermost keys outwards,
 * one byte at a time, without ranges to cut or offsets to divide.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "model/layout.h"
#include "model/prng.h"

#define NESTED_MAX_KEYS		10u
/** Most levels; one more than any device has, so that too many can be tried. */
#define NESTED_MAX_LEVELS	9u
/** Most bytes of a key. */
#define NESTED_MAX_LEN		8192u
/** A piece of memory, not of a key. */
#define NESTED_MEMORY		UINT32_MAX

struct nested_piece {
	uint32_t inner;		/**< Index of a key in front of this one, or NESTED_MEMORY. */
	uint32_t offset;	/**< Of its first byte, in that key or in the arena. */
	uint32_t len;		/**< Bytes, at least 1. */
	uint32_t skip;		/**< Bytes between one repetition and the next. */
};

struct nested_key {
	uint32_t level;		/**< 1: over memory only; else most levels of keys with this one. */
	uint32_t len;		/**< Bytes that it shows. */
	bool is_interleaved;	/**< False: a list; then repeat is 1 and every skip is 0. */
	uint32_t repeat;
	uint32_t nb_pieces;
	struct nested_piece pieces[LAYOUT_MAX_PIECES];
};

/** Where a byte of the topmost key comes from. */
struct nested_byte {
	uint32_t arena_offset;
	uint16_t nb_levels;	/**< Keys that it passes. */
	bool is_marked;		/**< See nested_mark(). */
};

struct nested {
	uint32_t nb_keys;	/**< The last one is the topmost. */
	struct nested_key keys[NESTED_MAX_KEYS];
	struct nested_byte bytes[NESTED_MAX_LEN]; /**< Of the topmost. */
};

struct nested_gen_conf {
	uint32_t arena_size;	/**< Bytes. */
	uint32_t guard;		/**< Bytes at both ends of the arena without pieces. */
	uint32_t max_list;	/**< Most pieces of a list, at most LAYOUT_MAX_PIECES. */
	uint32_t max_interleaved; /**< Most pieces of an interleaved layout; 0: only lists. */
};

/**
 * Make keys with a number of levels: lists of parts of strided keys, patterns over lists, and so
 * on. Parts of inner keys begin anywhere and often overlap.
 *
 * @param is_disjoint
 *   Whether no byte of the arena may be shown twice by the topmost key.
 */
void nested_gen(struct prng *prng, const struct nested_gen_conf *conf, uint32_t nb_levels,
		bool is_disjoint, struct nested *nested);

/** Find out where each byte of the topmost key is; nested_gen() does it, too. */
void nested_resolve(struct nested *nested);

/** Mark the bytes that pass a key at or behind an offset of it; all others are unmarked. */
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
