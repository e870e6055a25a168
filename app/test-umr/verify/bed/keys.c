/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "model/layout_gen.h"
#include "verify/bed/keys.h"
#include "verify/bed/remote.h"

#define NB_PRINTED	8u

bool
verify_pools_create(struct verify_env *env, const struct rte_umr_mkey_pool_conf *confs)
{
	for (uint16_t i = 0; i < env->bed->nb_sides; i++) {
		const struct bed_side *side = &env->bed->sides[i];

		/* Another process has its own pools. */
		if (side->remote != NULL)
			continue;
		if (confs[0].nb_mkeys == 0)
			env->pools[0][i] = side->pool;
		for (uint32_t p = 0; p < VERIFY_NB_POOLS && confs[p].nb_mkeys != 0; p++) {
			env->pools[p][i] = bed_pool_create(side, confs[p]);
			if (env->pools[p][i] == NULL)
				return false;
		}
	}
	return true;
}

void
verify_pools_destroy(struct verify_env *env)
{
	for (uint16_t i = 0; i < env->bed->nb_sides; i++)
		for (uint32_t p = 0; p < VERIFY_NB_POOLS; p++)
			if (env->pools[p][i] != env->bed->sides[i].pool)
				rte_umr_mkey_pool_destroy(env->pools[p][i]);
}

struct rte_umr_mkey_pool *
verify_pool_of(const struct verify_env *env, const struct bed_side *side)
{
	return env->pools[0][side - env->bed->sides];
}

bool
verify_keys_get(struct rte_umr_mkey_pool *pool, const struct bed_side *side,
		struct rte_umr_mkey **mkeys, uint32_t nb, struct case_result *result)
{
	if (side->remote != NULL ? bed_remote_keys_get(side, mkeys, nb) :
				   rte_umr_mkey_get_bulk(pool, mkeys, nb) == 0)
		return true;
	verify_result_set(result, CASE_ERROR, "no %s left in the pool of %s",
			  nb == 1 ? "key" : "keys", side->info.dev_name);
	return false;
}

void
verify_keys_put(struct rte_umr_mkey_pool *pool, const struct bed_side *side,
		struct rte_umr_mkey **mkeys, uint32_t nb)
{
	if (side->remote != NULL)
		bed_remote_keys_put(side);
	else
		rte_umr_mkey_put_bulk(pool, mkeys, nb);
}

struct rte_umr_mkey *
verify_key_get(const struct verify_env *env, const struct bed_side *side,
	       struct case_result *result)
{
	struct rte_umr_mkey *mkey;

	return verify_keys_get(verify_pool_of(env, side), side, &mkey, 1, result) ? mkey : NULL;
}

uint32_t
verify_tag_add(uint32_t key, uint32_t n)
{
	return (key & ~UINT32_C(0xff)) | ((key + n) & 0xff);
}

void
verify_move_by_key(const struct verify_move *move, const struct verify_view *view,
		   const struct verify_steps *steps, const struct verify_env *env,
		   const uint8_t *noise, struct rte_umr_mkey **mkey, struct case_result *result)
{
	const struct bed_side *side = verify_move_key_end(move)->side;
	struct rte_umr_mkey_pool *pool = env->pools[steps->pool][side - env->bed->sides];
	struct verify_steps own = *steps;

	if (!verify_keys_get(pool, side, mkey, 1, result))
		return;
	own.key = verify_tag_add((*mkey)->key, steps->key);
	verify_move_run(move, view, &own, noise, result);
	verify_keys_put(pool, side, mkey, 1);
}

struct verify_view
verify_view_of_pieces(const struct pieces *pieces)
{
	return (struct verify_view){
		pieces, pieces_len(pieces), pieces_gather, pieces_scatter, pieces_find, pieces,
	};
}

void
verify_keys_gen_range(struct verify_move *move, struct prng *prng, uint64_t total)
{
	uint64_t window = RTE_MIN(total, (uint64_t)BED_MAX_TOTAL);

	verify_move_gen_range(move, prng, window);
	move->from += prng_between(prng, 0, total - window);
}

void
verify_keys_print(FILE *f, const char *prefix, const struct pieces *pieces)
{
	layout_print_pieces(f, prefix, pieces->is_pattern, pieces->repeat, pieces->pieces,
			    pieces->nb, NB_PRINTED);
}
