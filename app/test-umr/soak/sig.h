/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SOAK_SIG_H
#define SOAK_SIG_H

/**
 * @file
 * Transfers through keys with block signatures: initial data, expected results, and the error of
 * the key.
 */

#include "soak/lane.h"

/** Write valid fields, then damage, to the sources of such transfers. */
void soak_sig_prepare(struct soak_lane *lane);

/** Apply a transfer that was executed, or is in doubt, to its destination. */
void soak_sig_apply(struct soak_lane *lane, uint32_t number, bool in_doubt);

/** Destination of a transfer in the memory of the peer. */
struct soak_part soak_sig_target(struct soak_lane *lane, const struct soak_op *op, uint32_t *len);

/** Check that each key reports the error of its transfer once. */
void soak_sig_compare(struct soak_lane *lane);

#endif /* SOAK_SIG_H */
