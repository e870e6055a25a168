/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_TIMER_H
#define SWHCA_TIMER_H

/**
 * @file
 * Clock of an HCA: what its completions are stamped with, and the register that software reads.
 *
 * The core clock counts nanoseconds of CLOCK_MONOTONIC. The register is memory: the engine writes
 * it once a pass, so that it may lag by as long as an idle engine sleeps.
 */

#include "swhca_memic.h"

/** Bytes of its page of the initial segment in the BAR. */
#define SWHCA_TIMER_BAR_SIZE 4096u

/** Where the page that begins with internal_timer lies: behind device memory. */
static inline uint64_t
swhca_timer_bar_offset(const struct swhca_hca *hca)
{
	return swhca_memic_bar_offset(hca) + SWHCA_MEMIC_SIZE;
}

/** Update the register. */
void swhca_timer_update(struct swhca_hca *hca);

/**
 * Time stamp of a CQE.
 *
 * @param is_real_time
 *   UTC: seconds in the upper, nanoseconds in the lower half; else the core clock.
 */
uint64_t swhca_timer_stamp(bool is_real_time);

#endif /* SWHCA_TIMER_H */
