/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SOAK_REMOTE_H
#define SOAK_REMOTE_H

/**
 * @file
 * Far ends in a serving process: memory and a queue for each lane of SOAK_PEER, under a separate
 * connection. The only keys are those of its registrations.
 *
 * A local copy of its memory has twins, like other memory. The server itself writes the initial
 * data of a step and reads the result, so that the verified data does not depend on the tested
 * transfers. When the server is gone, which is reported once, nothing is verified anymore.
 */

#include "soak/lane.h"

/**
 * Connect to the server of the command line, if any. Prints an error and returns false on failure.
 */
bool soak_remote_open(struct soak_device *device);
void soak_remote_close(struct soak_device *device);

/** Whether the server is gone or failed to execute a request. */
bool soak_remote_is_gone(const struct soak_device *device);
/** The same after a small request to the server. */
bool soak_remote_has_left(struct soak_lane *lane);

/** Create the far end of a lane. */
bool soak_remote_create(struct soak_lane *lane);
void soak_remote_destroy(struct soak_end *end);
/** Connect both queues; the near one is not connected yet. */
bool soak_remote_connect(struct soak_lane *lane);
/** Make the queue of the server leave the near one. */
bool soak_remote_leave(struct soak_lane *lane);

/** Send the initial data of a step, which the CPU wrote to the copy. */
void soak_remote_push(struct soak_lane *lane);
/** Update the copy from the server; returns false on failure. */
bool soak_remote_pull(struct soak_lane *lane);

#endif /* SOAK_REMOTE_H */
