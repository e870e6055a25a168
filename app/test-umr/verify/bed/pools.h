/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef VERIFY_POOLS_H
#define VERIFY_POOLS_H

/**
 * @file
 * A pool of keys of each device, for modes that need others than those of the bed.
 */

#include "verify/bed/mode.h"

struct verify_pools {
	uint16_t nb;
	struct rte_umr_mkey_pool *pools[TOOL_MAX_DEVICES];
};

/**
 * Make a pool of each side of the bed; complains and returns false. verify_pools_destroy() is to
 * be called in any case.
 *
 * @param conf
 *   Of max_entries as many as the device has if it has less.
 */
bool verify_pools_create(struct verify_pools *pools, const struct verify_env *env,
			 const struct rte_umr_mkey_pool_conf *conf);

/** Undo it, whole or in part. */
void verify_pools_destroy(struct verify_pools *pools);

/** The same for a mode with no other private data, as verify_mode::setup and ::teardown do. */
bool verify_pools_setup(struct verify_env *env, const struct rte_umr_mkey_pool_conf *conf);
void verify_pools_teardown(struct verify_env *env);

/** Pool of a side of the bed. */
struct rte_umr_mkey_pool *verify_pools_of(const struct verify_pools *pools,
					  const struct verify_env *env,
					  const struct bed_side *side);

/** Take a key of a pool, or say in result that there is none and return NULL. */
struct rte_umr_mkey *verify_pool_get(struct rte_umr_mkey_pool *pool, const struct bed_side *side,
				     struct case_result *result);

#endif /* VERIFY_POOLS_H */
