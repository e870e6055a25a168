/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_BASE_TIMER_H
#define SWHCA_BASE_TIMER_H

/**
 * @file
 * Clock of an HCA: what its completions are stamped with, and the register that software reads.
 *
 * The core clock counts nanoseconds of CLOCK_MONOTONIC. The register is memory: the engine writes
 * it once a pass, so that it may lag by as long as an idle engine sleeps.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

/** A page that begins with the register: in the BAR, or in another file that shows it, too. */
struct swhca_timer {
	LIST_ENTRY(swhca_timer) link;
	uint64_t *page;
};

LIST_HEAD(swhca_timers, swhca_timer);

/** Update the register, wherever it is seen. */
void swhca_timers_update(const struct swhca_timers *timers);

/**
 * Time stamp of a CQE.
 *
 * @param is_real_time
 *   UTC: seconds in the upper, nanoseconds in the lower half; else the core clock.
 */
uint64_t swhca_timer_stamp(bool is_real_time);

#endif /* SWHCA_BASE_TIMER_H */
