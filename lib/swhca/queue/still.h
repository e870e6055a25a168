/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_QUEUE_STILL_H
#define SWHCA_QUEUE_STILL_H

/**
 * @file
 * Devices that execute and complete nothing, for good or for a while. The fabric lock is held.
 */

#include "object/hca.h"

/** As swhca_hca_crash(). */
void swhca_still_crash(struct swhca_hca *hca);
/** Pause for so long; one that pauses already goes on later. */
void swhca_still_stall(struct swhca_hca *hca, uint64_t ns);
/** End a pause whose time has come. @return Whether the device is still. */
bool swhca_still_update(struct swhca_hca *hca);
/** Go on where it stopped: it is not halted any more, and pauses no longer. */
void swhca_still_end(struct swhca_hca *hca);

#endif /* SWHCA_QUEUE_STILL_H */
