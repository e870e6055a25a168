/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef VERIFY_REMOTE_H
#define VERIFY_REMOTE_H

/**
 * @file
 * A side of the bed in a serving process: peer/client.h.
 *
 * The memory of its areas is a local copy of that of the server. bed_remote_push() sends local
 * changes to the server, bed_remote_pull() fetches changes of the server; everything else works on
 * the copies like on local areas. The queue of the server configures its keys.
 *
 * Functions return false on failure; bed_remote_why() returns the reason.
 */

#include "verify/bed/bed.h"

/** Prints an error on failure; call bed_remote_destroy() in both cases. */
bool bed_remote_create(struct bed_side *side, struct peer *peer);
void bed_remote_destroy(struct bed_side *side);

/** Connect a queue to that of the server; prints an error on failure. */
bool bed_remote_connect(const struct bed_end *end, const struct bed_side *side);

bool bed_remote_push(struct bed_side *side);
bool bed_remote_pull(struct bed_side *side);
/** Restore the expected contents of all memory on both sides; prints an error on failure. */
bool bed_remote_heal(struct bed_side *side);

/** Take all keys of a case at once; they are also returned at once. */
bool bed_remote_keys_get(const struct bed_side *side, struct rte_umr_mkey **mkeys, uint32_t nb);
void bed_remote_keys_put(const struct bed_side *side);

bool bed_remote_list(const struct bed_side *side, const struct rte_umr_mkey *mkey,
		     uint32_t access, const struct rte_umr_seg *segs, uint32_t nb);
bool bed_remote_interleaved(const struct bed_side *side, const struct rte_umr_mkey *mkey,
			    uint32_t access, uint32_t repeat,
			    const struct rte_umr_interleaved *entries, uint32_t nb);
bool bed_remote_invalidate(const struct bed_side *side, const struct rte_umr_mkey *mkey);

const char *bed_remote_why(const struct bed_side *side);

#endif /* VERIFY_REMOTE_H */
