/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef VERIFY_KEYS_H
#define VERIFY_KEYS_H

/**
 * @file
 * Keys of a mode that cannot use those of the bed, and arguments for their configuration from the
 * pieces of a case.
 */

#include "model/pieces.h"
#include "verify/bed/move.h"
#include "verify/bed/pools.h"

/** Keys of each pool; few, so that their tags wrap around. */
#define VERIFY_KEYS_NB	3u

/** A pool of keys for each device, and room for the longest layout. */
struct verify_keys {
	struct verify_pools pools;
	union {
		struct rte_umr_seg segs[PIECES_MAX];
		struct rte_umr_interleaved interleaved[PIECES_MAX];
		struct rte_umr_fixed fixed[PIECES_MAX];
	};
};

/**
 * Create pools. Prints an error and returns false on failure; call verify_keys_destroy() in both
 * cases.
 *
 * @param max_entries
 *   Limited to the maximum of the device.
 */
bool verify_keys_create(struct verify_keys *keys, const struct verify_env *env,
			uint32_t max_entries, uint32_t flags, uint8_t log_entry_size);
void verify_keys_destroy(struct verify_keys *keys);

/** The same for a mode without other private data, as verify_mode::setup and ::teardown. */
bool verify_keys_setup(struct verify_env *env, uint32_t max_entries, uint32_t flags);
void verify_keys_teardown(struct verify_env *env);

/** Convert pieces to entries of fixed size; the registrations of the layout area alternate. */
void verify_keys_fixed(struct verify_keys *keys, const struct bed_side *side,
		       const struct layout_piece *pieces, uint32_t nb);

/**
 * Like verify_move_gen_range(), for keys of any 64-bit size, which may exceed what a case moves.
 */
void verify_keys_gen_range(struct verify_move *move, struct prng *prng, uint64_t total);

/**
 * Like verify_move_run(), for a key with these pieces.
 *
 * @param is_beyond
 *   Whether the first operation ends one byte after the key instead of starting at move->from.
 * @param steps
 *   All members except from, which is ignored.
 */
void verify_keys_move(const struct verify_move *move, const struct pieces *pieces, bool is_beyond,
		      const struct verify_steps *steps, const uint8_t *noise,
		      struct case_result *result);

/** Take a key of the pool of its side for verify_keys_move(), and return it. */
void verify_keys_run(struct verify_keys *keys, struct rte_umr_mkey **mkey,
		     const struct verify_move *move, const struct pieces *pieces, bool is_beyond,
		     const struct verify_steps *steps, const struct verify_env *env,
		     struct case_result *result);

/** Print pieces: all if they are few, otherwise the first and the last ones. */
void verify_keys_print(FILE *f, const char *prefix, const struct pieces *pieces);

#endif /* VERIFY_KEYS_H */
