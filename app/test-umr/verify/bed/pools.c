/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdlib.h>

#include <rte_errno.h>

#include "verify/bed/pools.h"

bool
verify_pools_create(struct verify_pools *pools, const struct verify_env *env,
		    const struct rte_umr_mkey_pool_conf *conf)
{
	for (uint16_t i = 0; i < env->bed->nb_sides; i++) {
		const struct bed_side *side = &env->bed->sides[i];
		struct rte_umr_mkey_pool_conf limited = *conf;

		/* Another process has its own pools. */
		if (side->remote != NULL) {
			pools->nb++;
			continue;
		}
		limited.flags |= side->pool_flags;
		limited.max_entries = RTE_MIN(conf->max_entries, side->info.max_entries);
		pools->pools[i] = rte_umr_mkey_pool_create(side->dev_id, &limited);
		if (pools->pools[i] == NULL) {
			tool_error("verify: creating keys of %u entries on %s: %s",
				   limited.max_entries, side->info.dev_name,
				   rte_strerror(rte_errno));
			return false;
		}
		pools->nb++;
	}
	return true;
}

void
verify_pools_destroy(struct verify_pools *pools)
{
	for (uint16_t i = 0; i < pools->nb; i++)
		rte_umr_mkey_pool_destroy(pools->pools[i]);
}

void *
verify_private_alloc(struct verify_env *env, size_t size)
{
	env->mode_private = calloc(1, size);
	if (env->mode_private == NULL)
		tool_error("verify: out of memory");
	return env->mode_private;
}

bool
verify_pools_setup(struct verify_env *env, const struct rte_umr_mkey_pool_conf *conf)
{
	struct verify_pools *pools = verify_private_alloc(env, sizeof(*pools));

	return pools != NULL && verify_pools_create(pools, env, conf);
}

void
verify_pools_teardown(struct verify_env *env)
{
	if (env->mode_private != NULL)
		verify_pools_destroy(env->mode_private);
	free(env->mode_private);
}

struct rte_umr_mkey_pool *
verify_pools_of(const struct verify_pools *pools, const struct verify_env *env,
		const struct bed_side *side)
{
	return pools->pools[side - env->bed->sides];
}

struct rte_umr_mkey *
verify_pool_get(struct rte_umr_mkey_pool *pool, const struct bed_side *side,
		struct case_result *result)
{
	struct rte_umr_mkey *mkey = rte_umr_mkey_get(pool);

	if (mkey == NULL)
		verify_result_set(result, CASE_ERROR, "no key left in the pool of %s",
				  side->info.dev_name);
	return mkey;
}
