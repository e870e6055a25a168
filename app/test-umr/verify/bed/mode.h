/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef VERIFY_MODE_H
#define VERIFY_MODE_H

/**
 * @file
 * A mode of the verify command: one feature of the API, checked by random cases.
 *
 * The command provides the loop, the bed and the report. A mode generates a case (gen), runs it and
 * compares the result (run), and describes it (print). A case is derived from the seed, the name of
 * the mode and the number of the case, so that each case can be repeated alone. The result of a
 * case must not depend on previous cases: a case restores the state of the bed or returns
 * CASE_ERROR, and then the bed is recreated.
 *
 * A mode is implemented in <name>.c and listed in modes.c.
 */

#include "model/prng.h"
#include "verify/bed/bed.h"

/** Size of verify_env::noise: a case of maximum length may start anywhere in its first half. */
#define VERIFY_NOISE_SIZE	(BED_MAX_TOTAL * 2)
#define VERIFY_WHY_SIZE		512u
#define VERIFY_LACK_SIZE	256u
/** Maximum number of pools of a mode on each device. */
#define VERIFY_NB_POOLS		2u

/** Environment of a mode. */
struct verify_env {
	struct bed *bed;	/**< Started with the bed_conf of the mode. */
	const uint8_t *noise;	/**< Random bytes to fill sources with. */
	uint64_t seed;
	/** Of each side: the pools of the mode; without any, the first is that of the bed. */
	struct rte_umr_mkey_pool *pools[VERIFY_NB_POOLS][TOOL_MAX_DEVICES];
	void *mode_private;	/**< verify_mode::private_size bytes, zero at first. */
};

enum case_outcome {
	CASE_PASSED,
	CASE_MISMATCH,	/**< Bytes differ; the queues are in the expected state. */
	CASE_ERROR,	/**< An operation was rejected or failed; restart the bed. */
	CASE_TIMEOUT,	/**< Operations did not complete; restart the bed. */
};

struct case_result {
	enum case_outcome outcome;
	char why[VERIFY_WHY_SIZE];	/**< One line that describes a failure. */
};

struct verify_mode {
	const char *name;	/**< Name in --layout. */
	const char *summary;	/**< One line of the help. */
	uint64_t capa;		/**< RTE_UMR_CAPA_* bits that each device must have. */
	/** Queues in addition to or instead of those of the common bed; NULL: the common bed. */
	const struct bed_conf *bed_conf;
	bool has_peer;		/**< The second side may be in another process. */
	size_t case_size;	/**< Bytes written by gen(). */
	size_t private_size;	/**< Bytes of verify_env::mode_private. */
	/**
	 * Pools of keys for each device, for modes that cannot use those of the bed: nb_mkeys is 0
	 * behind the last one. max_entries is limited to the maximum of the device, and flags to
	 * what it supports.
	 */
	struct rte_umr_mkey_pool_conf pools[VERIFY_NB_POOLS];

	/**
	 * Whether a device supports the mode, beyond the bits of capa; may be NULL.
	 *
	 * @param why
	 *   VERIFY_LACK_SIZE bytes for the missing feature, as in "mlx5_0 lacks <why>".
	 */
	bool (*is_supported)(const struct rte_umr_dev_info *info, char *why);
	/**
	 * Create regions and other objects once; may be NULL. Prints an error and returns false on
	 * failure; teardown() is called in both cases.
	 */
	bool (*setup)(struct verify_env *env);
	/** Undo a complete or partial setup(); may be NULL. */
	void (*teardown)(struct verify_env *env);
	/** Generate a case. vc has case_size bytes of zero. */
	void (*gen)(void *vc, const struct verify_env *env, struct prng *prng);
	/** Run a case. The result is CASE_PASSED unless the mode changes it. */
	void (*run)(const void *vc, const struct verify_env *env, struct case_result *result);
	/** Describe a case in several lines, each starting with a prefix. */
	void (*print)(FILE *f, const char *prefix, const void *vc);
};

/** Describe a failure. */
void verify_result_set(struct case_result *result, enum case_outcome outcome, const char *format,
		       ...) __attribute__((format(printf, 3, 4)));

#endif /* VERIFY_MODE_H */
