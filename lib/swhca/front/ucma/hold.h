/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UCMA_HOLD_H
#define SWHCA_UCMA_HOLD_H

/**
 * @file
 * Requests without a listener. They are held for a moment before they are rejected: programs that
 * listen a second time (perftest, for its queues) rely on being faster than a network, but on one
 * machine both ends wait for the same CPUs. The lock is held.
 */

#include <stdbool.h>
#include <stdint.h>

struct swhca_mad;
struct swhca_udev;

/** Hold a REQ or SIDR_REQ. @return false: there are too many, reject it now. */
bool swhca_ucm_hold(struct swhca_udev *dev, const struct swhca_mad *mad, uint64_t now_ns);
/** Retry held requests: there is a new listener. */
void swhca_ucm_hold_retry(void);
/** Handle timers: reject requests that have waited long enough. */
void swhca_ucm_hold_tick(uint64_t now_ns);
/** In the child of fork(2). */
void swhca_ucm_hold_forget(void);

#endif /* SWHCA_UCMA_HOLD_H */
