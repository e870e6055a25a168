/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef VERIFY_KEYS_H
#define VERIFY_KEYS_H

/**
 * @file
 * Keys of a mode that needs others than those of the bed, and the arguments of what configures
 * them, as the pieces of a case give them.
 */

#include "model/pieces.h"
#include "verify/bed/move.h"
#include "verify/bed/pools.h"

/** Keys of each pool; few, so that their tags go round. */
#define VERIFY_KEYS_NB	3u

/** Pools of keys, one of each device, and room for the longest layout. */
struct verify_keys {
	struct verify_pools pools;
	union {
		struct rte_umr_seg segs[PIECES_MAX];
		struct rte_umr_interleaved interleaved[PIECES_MAX];
		struct rte_umr_fixed fixed[PIECES_MAX];
	};
};

/**
 * Make pools; complains and returns false. verify_keys_destroy() is to be called in any case.
 *
 * @param max_entries
 *   As many as the device has if it has less.
 */
bool verify_keys_create(struct verify_keys *keys, const struct verify_env *env,
			uint32_t max_entries, uint32_t flags, uint8_t log_entry_size);
void verify_keys_destroy(struct verify_keys *keys);

/** The same for a mode with no other private data, as verify_mode::setup and ::teardown do. */
bool verify_keys_setup(struct verify_env *env, uint32_t max_entries, uint32_t flags);
void verify_keys_teardown(struct verify_env *env);

/** Take a key of a side, or say in result that there is none and return NULL. */
struct rte_umr_mkey *verify_keys_get(const struct verify_keys *keys, const struct verify_env *env,
				     const struct bed_side *side, struct case_result *result);

/* Pieces [first, first + nb) as arguments; the registrations of the layout area take turns. */
void verify_keys_segs(struct verify_keys *keys, const struct bed_side *side,
		      const struct layout_piece *pieces, uint32_t nb);
void verify_keys_interleaved(struct verify_keys *keys, const struct bed_side *side,
			     const struct layout_piece *pieces, uint32_t nb);
void verify_keys_fixed(struct verify_keys *keys, const struct bed_side *side,
		       const struct layout_piece *pieces, uint32_t nb);

/**
 * As verify_move_gen_range(), of keys that may show more than a case moves, anywhere in 64 bits.
 */
void verify_keys_gen_range(struct verify_move *move, struct prng *prng, uint64_t total);

/**
 * As verify_move_run(), of a key with these pieces.
 *
 * @param is_beyond
 *   Whether the first operation ends one byte behind the key, instead of beginning at move->from.
 * @param steps
 *   All of it but from, which is ignored.
 */
void verify_keys_move(const struct verify_move *move, const struct pieces *pieces, bool is_beyond,
		      const struct verify_steps *steps, const uint8_t *noise,
		      struct case_result *result);

/** Print pieces: all of few, the first and the last ones of many. */
void verify_keys_print(FILE *f, const char *prefix, const struct pieces *pieces);

#endif /* VERIFY_KEYS_H */
