/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SOAK_RECOVER_H
#define SOAK_RECOVER_H

/**
 * @file
 * Bringing the queues of a lane back to work behind a failure.
 */

#include "soak/lane.h"

/**
 * Recover the queues of a lane and connect them again.
 *
 * @return
 *   Whether it is done; if not, something is to be collected before the next call.
 */
bool soak_recover(struct soak_lane *lane);

#endif /* SOAK_RECOVER_H */
