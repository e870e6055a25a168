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

#include "cmd/memic.h"

/** Bytes of its page of the initial segment in the BAR. */
#define SWHCA_TIMER_BAR_SIZE 4096u

/** Where the page that begins with internal_timer lies: behind device memory. */
static inline uint64_t
swhca_timer_bar_offset(const struct swhca_hca *hca)
{
	return swhca_memic_bar_offset(hca) + SWHCA_MEMIC_SIZE;
}

/** A page of another file that shows the register, too. */
struct swhca_timer {
	LIST_ENTRY(swhca_timer) link;
	uint64_t *page;
};

/** Update the register, wherever it is seen. */
void swhca_timer_update(struct swhca_hca *hca);

/**
 * Time stamp of a CQE.
 *
 * @param is_real_time
 *   UTC: seconds in the upper, nanoseconds in the lower half; else the core clock.
 */
uint64_t swhca_timer_stamp(bool is_real_time);

#endif /* SWHCA_TIMER_H */
