/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SOAK_STEP_H
#define SOAK_STEP_H

/**
 * @file
 * A step of a lane, a little at a time, so that lanes of one lcore work beside each other.
 */

#include "soak/lane.h"

/**
 * Go on with the step of a lane, or begin the next one.
 *
 * @return
 *   False: the lane has come to its end: it has done the one step that it was to do, or its queue
 *   does not come back.
 */
bool soak_step_go_on(struct soak_lane *lane);

/** Whether the lane is between two steps. */
bool soak_step_is_quiet(const struct soak_lane *lane);

#endif /* SOAK_STEP_H */
