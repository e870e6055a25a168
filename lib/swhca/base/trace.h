/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_BASE_TRACE_H
#define SWHCA_BASE_TRACE_H

/**
 * @file
 * SWHCA_LOG=wqe: print every WQE and CQE by the decoder.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dump/dump.h"
#include "base/log.h"

static inline bool
swhca_trace_is_on(void)
{
	return swhca_log_level >= SWHCA_LOG_WQE;
}

/** Print a WQE of a queue; its service type defines what follows the control segment. */
void swhca_trace_wqe(unsigned int vhca_id, uint32_t qpn, enum prm_dump_service service,
		     const void *wqe, size_t len);

/** Print a 64-byte CQE in an entry of a CQ. */
void swhca_trace_cqe(uint32_t cqn, uint32_t entry, const void *cqe);

#endif /* SWHCA_BASE_TRACE_H */
