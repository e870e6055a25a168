/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef VERIFY_REJECTION_H
#define VERIFY_REJECTION_H

/**
 * @file
 * Layouts that must be rejected, with the correct errno and without a change of the ring.
 */

#include "verify/bed/ops.h"

enum verify_rejection {
	VERIFY_REJECTION_NO_ENTRIES,
	VERIFY_REJECTION_TOO_MANY,	/**< One entry more than the key supports. */
	VERIFY_REJECTION_EMPTY_ENTRY,	/**< The last entry is empty. */
	VERIFY_REJECTION_TOO_MUCH,	/**< An entry or pattern too large for any key. */
	VERIFY_REJECTION_NO_REPEAT,	/**< Interleaved only. */
	VERIFY_REJECTION_ACCESS,	/**< An invalid access bit. */
	VERIFY_REJECTION_FLAG,		/**< An invalid flag. */
	VERIFY_REJECTION_OTHER_DEVICE,	/**< A key of another device. */
	VERIFY_NB_REJECTIONS,
};

/** Name of a rejection. */
const char *verify_rejection_name(enum verify_rejection rejection);

/** Try to configure a key with a bad list, or with a bad interleaved layout. */
bool verify_reject_list(struct verify_ops *ops, struct rte_umr_mkey *mkey, uint32_t lkey,
			enum verify_rejection rejection);
bool verify_reject_interleaved(struct verify_ops *ops, struct rte_umr_mkey *mkey, uint32_t lkey,
			       enum verify_rejection rejection);

#endif /* VERIFY_REJECTION_H */
