/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_BASE_PACER_H
#define SWHCA_BASE_PACER_H

/**
 * @file
 * Rate limiter: a clock that each payload advances by its time at the rate. A sender waits while
 * the clock is ahead of real time.
 */

#include <stdint.h>

struct swhca_pacer {
	uint64_t kbps;		/**< 0: no limit. */
	uint64_t burst_ns;	/**< Allowed lead over real time. */
	uint64_t ahead_ns;	/**< Time at which all sent payload ends at the rate. */
};

/** Nanoseconds for a number of bytes at a nonzero rate. */
uint64_t swhca_pacer_bytes_to_ns(uint64_t bytes, uint64_t kbps);
/** @return Nanoseconds until the next payload may be sent, 0: now. */
uint64_t swhca_pacer_wait_ns(const struct swhca_pacer *pacer, uint64_t now);
void swhca_pacer_charge(struct swhca_pacer *pacer, uint64_t now, uint64_t bytes);

#endif /* SWHCA_BASE_PACER_H */
