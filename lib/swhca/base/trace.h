/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_TRACE_H
#define SWHCA_TRACE_H

/**
 * @file
 * SWHCA_LOG=wqe: every WQE and CQE through the decoder.
 */

#include "engine/engine.h"
#include "base/log.h"

/** Print a WQE; use swhca_trace_wqe(). */
void swhca_trace_wqe_write(const struct swhca_qp *qp, const struct swhca_wqe *wqe);

/** Print a CQE; use swhca_trace_cqe(). */
void swhca_trace_cqe_write(const struct swhca_cq *cq, const struct mlx5_cqe64 *cqe);

static inline void
swhca_trace_wqe(const struct swhca_qp *qp, const struct swhca_wqe *wqe)
{
	if (swhca_log_level >= SWHCA_LOG_WQE)
		swhca_trace_wqe_write(qp, wqe);
}

static inline void
swhca_trace_cqe(const struct swhca_cq *cq, const struct mlx5_cqe64 *cqe)
{
	if (swhca_log_level >= SWHCA_LOG_WQE)
		swhca_trace_cqe_write(cq, cqe);
}

#endif /* SWHCA_TRACE_H */
