/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SOAK_SIG_H
#define SOAK_SIG_H

/**
 * @file
 * Transfers through keys with block signatures: what is there before, what they make of memory,
 * and which error the key tells.
 */

#include "soak/lane.h"

/** Enqueue the configuration of a key with its signature; returns as rte_umr_mkey_configure(). */
int soak_sig_post(struct soak_lane *lane, const struct soak_view *view, const struct soak_op *op,
		  uint64_t flags);

/** Sources of such transfers get good fields, and damage. */
void soak_sig_prepare(struct soak_lane *lane);

/** A transfer was executed, or is in doubt: what it makes of its destination. */
void soak_sig_apply(struct soak_lane *lane, uint32_t number, bool in_doubt);

/** Where a transfer writes, in the peer's memory. */
struct soak_part soak_sig_target(struct soak_lane *lane, const struct soak_op *op, uint32_t *len);

/** Each key tells the error that its transfer found, once. */
void soak_sig_compare(struct soak_lane *lane);

#endif /* SOAK_SIG_H */
