/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SOAK_SETTLE_H
#define SOAK_SETTLE_H

/**
 * @file
 * The quiet point behind a step: what memory must hold now, and whether it does.
 */

#include "soak/lane.h"

/** Register the regions of transfers anew; a control function. */
void soak_settle_reregister(struct soak_lane *lane);

/** Give memory new bytes, and the step its keys. */
void soak_settle_before(struct soak_lane *lane);

/** Everything is back: have the oracle do what was executed, and compare. */
void soak_settle(struct soak_lane *lane);

/** Put the keys of the step back. */
void soak_settle_keys(struct soak_lane *lane);

#endif /* SOAK_SETTLE_H */
