/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef VERIFY_REFUSAL_H
#define VERIFY_REFUSAL_H

/**
 * @file
 * Layouts that must be refused, with the right errno and without a trace in the ring.
 */

#include "verify/bed/ops.h"

enum verify_refusal {
	VERIFY_REFUSAL_NO_ENTRIES,
	VERIFY_REFUSAL_TOO_MANY,	/**< One entry more than the key holds. */
	VERIFY_REFUSAL_EMPTY_ENTRY,	/**< The last one. */
	VERIFY_REFUSAL_TOO_MUCH,	/**< An entry, or a pattern, that no key can hold. */
	VERIFY_REFUSAL_NO_REPEAT,	/**< Interleaved only. */
	VERIFY_REFUSAL_ACCESS,		/**< A right that does not exist. */
	VERIFY_REFUSAL_FLAG,		/**< A flag that does not exist. */
	VERIFY_REFUSAL_OTHER_DEVICE,	/**< A key of another device. */
	VERIFY_NB_REFUSALS,
};

/** Name of what is wrong. */
const char *verify_refusal_name(enum verify_refusal refusal);

/** Try to configure a key with a bad list, or with a bad interleaved layout. */
bool verify_refuse_list(struct verify_ops *ops, struct rte_umr_mkey *mkey, uint32_t lkey,
			enum verify_refusal refusal);
bool verify_refuse_interleaved(struct verify_ops *ops, struct rte_umr_mkey *mkey, uint32_t lkey,
			       enum verify_refusal refusal);

#endif /* VERIFY_REFUSAL_H */
