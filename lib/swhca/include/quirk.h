/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_QUIRK_H
#define SWHCA_QUIRK_H

/**
 * @file
 * Ways in which an adapter may be other than the model takes it to be.
 *
 * What is modelled without a public source may be wrong. dpdk-test-umr asks an adapter about each
 * such thing (its command check); a quirk has the name of a question, and makes the model answer it
 * in another way, so that both can be tried without an adapter. What a quirk does is one condition
 * where that behavior is: swhca_has_quirk().
 */

#include <stdint.h>

enum swhca_quirk {
	SWHCA_QUIRK_LIST_STALE_TAIL,
	SWHCA_QUIRK_LIST_EMPTY_ENTRY,
	SWHCA_QUIRK_LIST_2G_ENTRY,
	SWHCA_QUIRK_DATA_SEGMENT_ZERO,
	SWHCA_QUIRK_LIST_DEAD_ENTRY,
	SWHCA_QUIRK_LIST_STALE_ENTRY,
	SWHCA_QUIRK_LIST_LEVELS,
	SWHCA_QUIRK_LIST_TOO_SHORT,
	SWHCA_QUIRK_LIST_UNCHECKED,
	SWHCA_QUIRK_KEY_OF_LENGTH_ZERO,
	SWHCA_QUIRK_ENTRY_SIZE_ADDRESS,
	SWHCA_QUIRK_REPEAT_TOO_SHORT,
	SWHCA_QUIRK_REPEAT_STRIDE,
	SWHCA_QUIRK_LIST_POINTER_ALIGN,
	SWHCA_QUIRK_UPDATE_WINDOW,
	SWHCA_QUIRK_LIST_RELAXED,
	SWHCA_QUIRK_LIST_ODP,
	SWHCA_QUIRK_KEY_TAG,
	SWHCA_QUIRK_KEY_NAMED_BY_OLD_TAG,
	SWHCA_QUIRK_KEY_IN_USE,
	SWHCA_QUIRK_KEY_INVALIDATE,
	SWHCA_QUIRK_KEY_INVALIDATE_FREE,
	SWHCA_QUIRK_KEY_UPDATE_FREE,
	SWHCA_QUIRK_KEY_UNCONFIGURED,
	SWHCA_QUIRK_KEY_QUERY,
	SWHCA_QUIRK_KEY_ACCESS_KEPT,
	SWHCA_QUIRK_KEY_FENCE,
	SWHCA_QUIRK_CQE_COUNTER,
	SWHCA_QUIRK_ERROR_UNSIGNALED,
	SWHCA_QUIRK_ERROR_FLUSH,
	SWHCA_QUIRK_ERROR_LATE,
	SWHCA_QUIRK_RESET_COUNTER,
	SWHCA_QUIRK_ATOMIC_ORDER,
	SWHCA_QUIRK_DOORBELL_COPY,
	SWHCA_QUIRK_SEND_INV_IMAICL,
	SWHCA_QUIRK_SEND_INV_UNMARKED,
	SWHCA_QUIRK_WRITE_OF_ZERO,
	SWHCA_QUIRK_REMOTE_VENDOR,
	SWHCA_QUIRK_REMOTE_BOTH_ENDS,
	SWHCA_QUIRK_RECEIVE_FLUSH,
	SWHCA_QUIRK_RECEIVE_MISSING,
	SWHCA_QUIRK_RECEIVE_INLINE,
	SWHCA_QUIRK_DC_WRONG_KEY,
	SWHCA_QUIRK_DC_UMR,
	SWHCA_QUIRK_T10DIF_FIELD,
	SWHCA_QUIRK_T10DIF_SEED,
	SWHCA_QUIRK_T10DIF_CHECKSUM,
	SWHCA_QUIRK_CRC32_FIELD,
	SWHCA_QUIRK_CRC32_SEED_ZERO,
	SWHCA_QUIRK_CRC32C_FIELD,
	SWHCA_QUIRK_CRC64_FIELD,
	SWHCA_QUIRK_BLOCK_4048,
	SWHCA_QUIRK_REFERENCE_NEXT,
	SWHCA_QUIRK_REFERENCE_OFFSET,
	SWHCA_QUIRK_SIGERR_TRANSFER,
	SWHCA_QUIRK_SIGERR_RESPONDER,
	SWHCA_QUIRK_SIGERR_ONCE,
	SWHCA_QUIRK_SIGERR_CONTENTS,
	SWHCA_NB_QUIRKS,
};

_Static_assert(SWHCA_NB_QUIRKS <= 64, "a bit for each");

/** Name of a quirk, below SWHCA_NB_QUIRKS, and how a device with it is other. */
const char *swhca_quirk_name(enum swhca_quirk quirk);
const char *swhca_quirk_text(enum swhca_quirk quirk);

/**
 * Read names with commas between them.
 *
 * @param quirks
 *   Written on success: bit n is quirk n. May be NULL.
 * @return
 *   What is wrong with them, or NULL.
 */
const char *swhca_quirks_parse(const char *names, uint64_t *quirks);

#endif /* SWHCA_QUIRK_H */
