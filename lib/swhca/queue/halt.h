/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_HALT_H
#define SWHCA_HALT_H

/**
 * @file
 * Devices that execute and complete nothing, permanently or temporarily. The fabric lock is held.
 */

#include "object/hca_state.h"

/** As swhca_hca_crash(). */
void swhca_still_crash(struct swhca_hca *hca);
/** Pause for a time; a current pause that ends later is kept. */
void swhca_still_stall(struct swhca_hca *hca, uint64_t ns);
/** End a pause that is over. @return Whether the device is still. */
bool swhca_still_update(struct swhca_hca *hca);
/** Resume where it stopped: neither halted nor paused. */
void swhca_still_end(struct swhca_hca *hca);

#endif /* SWHCA_HALT_H */
