/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_BASE_TIMER_H
#define SWHCA_BASE_TIMER_H

/**
 * @file
 * Clock of an HCA: time stamps of its completions, and the register that software reads.
 *
 * The core clock counts nanoseconds of CLOCK_MONOTONIC. The register is in memory: the engine
 * writes it once per pass, so it may lag by the sleep time of an idle engine.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

/** Page that begins with the register: in the BAR, or in another file. */
struct swhca_timer {
	LIST_ENTRY(swhca_timer) link;
	uint64_t *page;
};

LIST_HEAD(swhca_timers, swhca_timer);

/** Update the register in all its pages. */
void swhca_timers_update(const struct swhca_timers *timers);

/**
 * Time stamp of a CQE.
 *
 * @param is_real_time
 *   UTC: seconds in the upper, nanoseconds in the lower half; else the core clock.
 */
uint64_t swhca_timer_stamp(bool is_real_time);

#endif /* SWHCA_BASE_TIMER_H */
