/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_OBJECT_BAR_H
#define SWHCA_OBJECT_BAR_H

/**
 * @file
 * What is where in the BAR: UAR pages with the doorbell area behind them, device memory, the clock.
 */

#include "object/hca.h"

/** Bytes of device memory. */
#define SWHCA_MEMIC_SIZE	(256u << 10)

/** Bytes of the page of the initial segment that begins with the clock. */
#define SWHCA_TIMER_BAR_SIZE 4096u

/** Where device memory begins: behind the UAR pages. */
static inline uint64_t
swhca_memic_bar_offset(const struct swhca_hca *hca)
{
	return (uint64_t)SWHCA_UAR_SIZE << hca->conf.log_max_uar;
}

/** Where the doorbell area begins, which is the last of the UAR pages. */
static inline uint64_t
swhca_vars_bar_offset(const struct swhca_hca *hca)
{
	return swhca_memic_bar_offset(hca) - ((uint64_t)SWHCA_UAR_SIZE << SWHCA_LOG_NB_VARS);
}

/** Where the page that begins with internal_timer lies: behind device memory. */
static inline uint64_t
swhca_timer_bar_offset(const struct swhca_hca *hca)
{
	return swhca_memic_bar_offset(hca) + SWHCA_MEMIC_SIZE;
}

#endif /* SWHCA_OBJECT_BAR_H */
