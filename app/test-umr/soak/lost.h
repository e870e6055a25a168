/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SOAK_LOST_H
#define SOAK_LOST_H

/**
 * @file
 * A device that is lost under all lanes: each takes back what it has out, ends its step and waits;
 * when all do, the device is closed, probed again and set up as before.
 */

#include "soak/lane.h"

/** Whether the device is lost; any lcore. */
bool soak_device_is_lost(const struct soak_device *device);

/**
 * Whether the lane knows that its device is lost. From then on what is out may come back as
 * flushed, and what was flushed may have been executed.
 */
bool soak_lane_is_lost(struct soak_lane *lane);

/** Have the software below let the device work again; it is closed. */
bool soak_device_revive(const struct soak_device *device);

#endif /* SOAK_LOST_H */
