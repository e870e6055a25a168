/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SOAK_RECOVER_H
#define SOAK_RECOVER_H

/**
 * @file
 * Recover the queues of a lane after a failure.
 */

#include "soak/lane.h"

/**
 * Recover the queues of a lane and connect them again.
 *
 * @return
 *   Whether recovery is complete; otherwise the caller must collect completions and call again.
 */
bool soak_recover(struct soak_lane *lane);

#endif /* SOAK_RECOVER_H */
