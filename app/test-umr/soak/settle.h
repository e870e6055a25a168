/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SOAK_SETTLE_H
#define SOAK_SETTLE_H

/**
 * @file
 * Idle point after a step: compare memory with its expected contents.
 */

#include "soak/lane.h"

/** Register the regions of transfers again, by a control function. */
void soak_settle_reregister(struct soak_lane *lane);

/** Fill memory with new bytes and take the keys of the step. */
void soak_settle_before(struct soak_lane *lane);

/** Apply the executed operations with the oracle after all completions arrived, and compare. */
void soak_settle(struct soak_lane *lane);

/** Return the keys of the step. */
void soak_settle_keys(struct soak_lane *lane);

#endif /* SOAK_SETTLE_H */
