/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SOAK_SETTLE_H
#define SOAK_SETTLE_H

/**
 * @file
 * Idle point after a step: compare memory with its expected contents.
 *
 * Recover the queues of a lane after a failure, and from the loss of the device of all lanes: each
 * lane then collects outstanding operations, ends its step and waits. When all lanes wait, the
 * device is closed, probed again and set up as before.
 *
 * Run the steps of lanes in small parts, so that lanes of one lcore run concurrently.
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

/**
 * Continue the step of a lane, or start the next one.
 *
 * @return
 *   False at the end of the lane: after its only step, or if its queue does not recover.
 */
bool soak_step_go_on(struct soak_lane *lane);

/** Whether the lane is between two steps. */
bool soak_step_is_quiet(const struct soak_lane *lane);

#endif /* SOAK_SETTLE_H */
