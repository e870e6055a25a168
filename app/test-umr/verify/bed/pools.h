/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef VERIFY_POOLS_H
#define VERIFY_POOLS_H

/**
 * @file
 * A pool of keys for each device, for modes that cannot use those of the bed.
 */

#include "verify/bed/mode.h"

struct verify_pools {
	uint16_t nb;
	struct rte_umr_mkey_pool *pools[TOOL_MAX_DEVICES];
};

/**
 * Create a pool for each side of the bed. Prints an error and returns false on failure; call
 * verify_pools_destroy() in both cases.
 *
 * @param conf
 *   max_entries is limited to the maximum of the device.
 */
bool verify_pools_create(struct verify_pools *pools, const struct verify_env *env,
			 const struct rte_umr_mkey_pool_conf *conf);

/** Undo a complete or partial verify_pools_create(). */
void verify_pools_destroy(struct verify_pools *pools);

/** The same for a mode without other private data, as verify_mode::setup and ::teardown. */
bool verify_pools_setup(struct verify_env *env, const struct rte_umr_mkey_pool_conf *conf);
void verify_pools_teardown(struct verify_env *env);

/** Allocate the private data of a mode. @return NULL after an error was printed. */
void *verify_private_alloc(struct verify_env *env, size_t size);

/** Pool of a side of the bed. */
struct rte_umr_mkey_pool *verify_pools_of(const struct verify_pools *pools,
					  const struct verify_env *env,
					  const struct bed_side *side);

/** Take a key of a pool; if there is none, report that in result and return NULL. */
struct rte_umr_mkey *verify_pool_get(struct rte_umr_mkey_pool *pool, const struct bed_side *side,
				     struct case_result *result);

#endif /* VERIFY_POOLS_H */
