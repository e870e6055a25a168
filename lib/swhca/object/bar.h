/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_OBJECT_BAR_H
#define SWHCA_OBJECT_BAR_H

/**
 * @file
 * Layout of the BAR: UAR pages with the doorbell area at their end, device memory, the clock.
 */

#include "object/hca_state.h"

/** Size of device memory in bytes. */
#define SWHCA_MEMIC_SIZE	(256u << 10)

/** Size of the initial segment page that begins with the clock. */
#define SWHCA_TIMER_BAR_SIZE 4096u

/** Offset of device memory: after the UAR pages. */
static inline uint64_t
swhca_memic_bar_offset(const struct swhca_hca *hca)
{
	return (uint64_t)SWHCA_UAR_SIZE << hca->conf.log_max_uar;
}

/** Offset of the doorbell area: the last UAR pages. */
static inline uint64_t
swhca_vars_bar_offset(const struct swhca_hca *hca)
{
	return swhca_memic_bar_offset(hca) - ((uint64_t)SWHCA_UAR_SIZE << SWHCA_LOG_NB_VARS);
}

/** Offset of the page that begins with internal_timer: after device memory. */
static inline uint64_t
swhca_timer_bar_offset(const struct swhca_hca *hca)
{
	return swhca_memic_bar_offset(hca) + SWHCA_MEMIC_SIZE;
}

#endif /* SWHCA_OBJECT_BAR_H */
