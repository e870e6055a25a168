/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SOAK_STEP_H
#define SOAK_STEP_H

/**
 * @file
 * Run the steps of lanes in small parts, so that lanes of one lcore run concurrently.
 */

#include "soak/lane.h"

/**
 * Continue the step of a lane, or start the next one.
 *
 * @return
 *   False at the end of the lane: after its only step, or if its queue does not recover.
 */
bool soak_step_go_on(struct soak_lane *lane);

/** Whether the lane is between two steps. */
bool soak_step_is_quiet(const struct soak_lane *lane);

#endif /* SOAK_STEP_H */
