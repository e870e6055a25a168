/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SOAK_REMOTE_H
#define SOAK_REMOTE_H

/**
 * @file
 * Far ends in another process, which serves: memory and a queue for each lane of SOAK_PEER, under a
 * connection of their own. It has no keys but those of its registrations.
 *
 * Of its memory there is a copy here, with twins, as of other memory. The other process itself
 * writes what a step begins with, and reads what it has left, so that nothing of what is examined
 * is trusted on the way. Once the server is gone, which is told once, nothing is judged any more.
 */

#include "soak/lane.h"

/** Find the server that the command line tells, if it does; complains and returns false. */
bool soak_remote_open(struct soak_device *device);
void soak_remote_close(struct soak_device *device);

/** Whether the server has gone, or did not do what it was asked for. */
bool soak_remote_is_gone(const struct soak_device *device);
/** The same, of one that is asked for something small. */
bool soak_remote_has_left(struct soak_lane *lane);

/** The far end of a lane. */
bool soak_remote_create(struct soak_lane *lane);
void soak_remote_destroy(struct soak_end *end);
/** Connect both queues; the near one is not connected. */
bool soak_remote_connect(struct soak_lane *lane);
/** The server's queue leaves the near one. */
bool soak_remote_leave(struct soak_lane *lane);

/** Give the server what the step begins with, that is what the CPU wrote to the copy. */
void soak_remote_push(struct soak_lane *lane);
/** The copy becomes what the server has; false if that is not known. */
bool soak_remote_pull(struct soak_lane *lane);

#endif /* SOAK_REMOTE_H */
