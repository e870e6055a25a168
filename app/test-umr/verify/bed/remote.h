/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef VERIFY_REMOTE_H
#define VERIFY_REMOTE_H

/**
 * @file
 * A side of the bed that is in another process, which serves: peer/client.h.
 *
 * The memory of its areas here is a copy of what the server has. bed_remote_push() lets the server
 * have what was changed here, bed_remote_pull() fetches what was changed there; all else works on
 * the copies as on areas of this process. Its keys are configured by the server's own queue.
 *
 * Functions return false on failure; bed_remote_why() tells why.
 */

#include "verify/bed/bed.h"

/** Complains if it fails; bed_remote_destroy() is to be called in any case. */
bool bed_remote_create(struct bed_side *side, struct peer *peer);
void bed_remote_destroy(struct bed_side *side);

/** Connect a queue with the server's; complains if it fails. */
bool bed_remote_connect(const struct bed_end *end, const struct bed_side *side);

bool bed_remote_push(struct bed_side *side);
bool bed_remote_pull(struct bed_side *side);
/** Let all memory, here and there, be what it must be; complains if it fails. */
bool bed_remote_heal(struct bed_side *side);

/** All keys that a case has are taken at once, and put back at once. */
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
