/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SOAK_LOST_H
#define SOAK_LOST_H

/**
 * @file
 * Loss of the device of all lanes: each lane collects outstanding operations, ends its step and
 * waits. When all lanes wait, the device is closed, probed again and set up as before.
 */

#include "soak/lane.h"

/** Whether the device is lost; callable by any lcore. */
bool soak_device_is_lost(const struct soak_device *device);

/**
 * Whether the lane knows that its device is lost. From then on, outstanding operations may be
 * flushed, and flushed operations may have been executed.
 */
bool soak_lane_is_lost(struct soak_lane *lane);

/** Make the simulator enable a closed device again. */
bool soak_device_revive(const struct soak_device *device);

#endif /* SOAK_LOST_H */
