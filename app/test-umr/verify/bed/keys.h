/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef VERIFY_KEYS_H
#define VERIFY_KEYS_H

/**
 * @file
 * Keys of a case: from the pools of the mode or of the bed, with layouts of any length.
 */

#include "model/pieces.h"
#include "verify/bed/move.h"

/** Keys of a pool of long layouts; few, so that their tags wrap around. */
#define VERIFY_KEYS_NB	3u

/** Entries of the longest layout; mode_private of the modes that have such. */
union verify_long {
	struct rte_umr_seg segs[PIECES_MAX];
	struct rte_umr_interleaved interleaved[PIECES_MAX];
};

/**
 * Create the pools of a mode. Prints an error and returns false on failure; call
 * verify_pools_destroy() in both cases.
 */
bool verify_pools_create(struct verify_env *env, const struct rte_umr_mkey_pool_conf *confs);
void verify_pools_destroy(struct verify_env *env);

/** Pool of a side of the bed. */
struct rte_umr_mkey_pool *verify_pool_of(const struct verify_env *env, const struct bed_side *side);

/** Take keys of a side; if they are not available, make that the result and take none. */
bool verify_keys_get(struct rte_umr_mkey_pool *pool, const struct bed_side *side,
		     struct rte_umr_mkey **mkeys, uint32_t nb, struct case_result *result);
/** Return them; those of another process all at once. */
void verify_keys_put(struct rte_umr_mkey_pool *pool, const struct bed_side *side,
		     struct rte_umr_mkey **mkeys, uint32_t nb);
/** Take one key of verify_pool_of(); NULL: none is available. */
struct rte_umr_mkey *verify_key_get(const struct verify_env *env, const struct bed_side *side,
				    struct case_result *result);

/** Add to the tag of a key value, which is its lowest byte. */
uint32_t verify_tag_add(uint32_t key, uint32_t n);

/**
 * Like verify_move_run(), with a key that is taken for the case.
 *
 * @param steps
 *   key is added to the tag of the value of the key.
 * @param mkey
 *   Set to the key before the steps, which may replace it.
 */
void verify_move_by_key(const struct verify_move *move, const struct verify_view *view,
			const struct verify_steps *steps, const struct verify_env *env,
			const uint8_t *noise, struct rte_umr_mkey **mkey,
			struct case_result *result);

/** View of a key with these pieces, which are borrowed. */
struct verify_view verify_view_of_pieces(const struct pieces *pieces);

/**
 * Like verify_move_gen_range(), for keys of any 64-bit size, which may exceed what a case moves.
 */
void verify_keys_gen_range(struct verify_move *move, struct prng *prng, uint64_t total);

/** Print pieces: all if they are few, otherwise the first and the last ones. */
void verify_keys_print(FILE *f, const char *prefix, const struct pieces *pieces);

#endif /* VERIFY_KEYS_H */
