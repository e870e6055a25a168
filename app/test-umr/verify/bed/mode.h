/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef VERIFY_MODE_H
#define VERIFY_MODE_H

/**
 * @file
 * A mode of the verify command: one feature of the API, checked by random cases.
 *
 * The command owns the loop, the bed and the report. A mode decides what a case does (gen), does
 * it and compares (run), and tells it in words (print). A case follows from the seed, the name of
 * the mode and the number of the case, so that each can be repeated alone. What becomes of one
 * case must not depend on the cases before it: a case leaves the bed as it found it, or says
 * CASE_ERROR, and the bed is made new.
 *
 * A mode lives in <name>.c and stands in the table of modes.c.
 */

#include "model/prng.h"
#include "verify/bed/bed.h"

/** Bytes of verify_env::noise: any range of them that is as long as the longest case. */
#define VERIFY_NOISE_SIZE	(BED_MAX_TOTAL * 2)
#define VERIFY_WHY_SIZE		512u
#define VERIFY_LACK_SIZE	256u

/** What a mode works with. */
struct verify_env {
	struct bed *bed;	/**< Started; as the mode's bed_conf asked for. */
	const uint8_t *noise;	/**< Random bytes that sources are filled with. */
	uint64_t seed;
	void *mode_private;	/**< Written by the mode's setup(). */
};

enum case_outcome {
	CASE_PASSED,
	CASE_MISMATCH,	/**< Bytes differ; the queues are as they should be. */
	CASE_ERROR,	/**< An operation was rejected or failed; restart the bed. */
	CASE_TIMEOUT,	/**< Operations did not come back; restart the bed. */
};

struct case_result {
	enum case_outcome outcome;
	char why[VERIFY_WHY_SIZE];	/**< One line for a failure. */
};

struct verify_mode {
	const char *name;	/**< As --layout takes it. */
	const char *summary;	/**< What a case does; one line of the help. */
	uint64_t capa;		/**< RTE_UMR_CAPA_* that each device must have. */
	unsigned int transports; /**< BED_* that are needed, all of them; 0: any will do. */
	/** Queues beside or instead of those of the common bed; NULL: the common bed. */
	const struct bed_conf *bed_conf;
	bool has_peer;		/**< It can have its second side in another process. */
	size_t case_size;	/**< Bytes of what gen() writes. */

	/**
	 * Whether a device can do it, beyond the bits of capa; may be NULL.
	 *
	 * @param why
	 *   VERIFY_LACK_SIZE bytes for what is missing, as in "mlx5_0 lacks <why>".
	 */
	bool (*is_supported)(const struct rte_umr_dev_info *info, char *why);
	/**
	 * Make regions, pools and what else the cases need, once; may be NULL. Complains and
	 * returns false on failure; teardown() is called in any case.
	 */
	bool (*setup)(struct verify_env *env);
	/** Undo setup(), whole or in part; may be NULL. */
	void (*teardown)(struct verify_env *env);
	/** Decide what a case does. vc has case_size bytes of zero. */
	void (*gen)(void *vc, const struct verify_env *env, struct prng *prng);
	/** Do it. The result is CASE_PASSED unless the mode says otherwise. */
	void (*run)(const void *vc, const struct verify_env *env, struct case_result *result);
	/** Describe it in several lines, each starting with a prefix. */
	void (*print)(FILE *f, const char *prefix, const void *vc);
};

/** Describe a failure. */
void verify_result_set(struct case_result *result, enum case_outcome outcome, const char *format,
		       ...) __attribute__((format(printf, 3, 4)));

#endif /* VERIFY_MODE_H */
