/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SOAK_RECOVER_H
#define SOAK_RECOVER_H

/**
 * @file
 * Recover the queues of a lane after a failure, and from the loss of the device of all lanes: each
 * lane then collects outstanding operations, ends its step and waits. When all lanes wait, the
 * device is closed, probed again and set up as before.
 */

#include "soak/lane.h"

/**
 * Recover the queues of a lane and connect them again.
 *
 * @return
 *   Whether recovery is complete; otherwise the caller must collect completions and call again.
 */
bool soak_recover(struct soak_lane *lane);

/** Whether the device is lost; callable by any lcore. */
bool soak_device_is_lost(const struct soak_device *device);

/**
 * Whether the lane knows that its device is lost. From then on, outstanding operations may be
 * flushed, and flushed operations may have been executed.
 */
bool soak_lane_is_lost(struct soak_lane *lane);

/** Make the simulator enable a closed device again. */
bool soak_device_revive(const struct soak_device *device);

#endif /* SOAK_RECOVER_H */
