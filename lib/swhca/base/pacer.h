/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_BASE_PACER_H
#define SWHCA_BASE_PACER_H

/**
 * @file
 * A pacer is a clock that runs ahead by the time that each payload takes at its rate; who is ahead
 * of real time waits.
 */

#include <stdint.h>

struct swhca_pacer {
	uint64_t kbps;		/**< 0: no limit. */
	uint64_t burst_ns;	/**< How far ahead of real time it may run. */
	uint64_t ahead_ns;	/**< Until when what was sent takes at the rate. */
};

/** Nanoseconds that so many bytes take at a rate that is not 0. */
uint64_t swhca_pacer_bytes_to_ns(uint64_t bytes, uint64_t kbps);
/** @return Nanoseconds until the pacer's time has come, 0: now. */
uint64_t swhca_pacer_wait_ns(const struct swhca_pacer *pacer, uint64_t now);
void swhca_pacer_charge(struct swhca_pacer *pacer, uint64_t now, uint64_t bytes);

#endif /* SWHCA_BASE_PACER_H */
