/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_ENGINE_SQ_H
#define SWHCA_ENGINE_SQ_H

/**
 * @file
 * Execution of send queues.
 *
 *   complete     executed             posted
 *            |   (flights)        |            |
 *   ---------+--------------------+------------+-->  WQEBBs
 *          sq_ci               sq_next       sq_pi
 *
 * A WQE without a request, or whose request is answered at once, completes when it is executed;
 * then sq_ci equals sq_next. If answers come late, WQEs are stored until they complete in order.
 */

#include "object/limits.h"
#include "queue/qp.h"

/** Send WQEs that a QP executes before the next QP is scheduled. */
#define SWHCA_QP_QUANTUM 64u
/**
 * Maximum overrun of the ring by software, in WQEBBs: it may reuse the space of a WQE without CQE
 * as soon as the CQE before it is written, as the adapter has fetched it by then. DPDK's crypto
 * driver pads its ring with such NOPs.
 */
#define SWHCA_MAX_AHEAD_BB (SWHCA_MAX_WQE_SZ_SQ / PRM_WQE_BB_SIZE)

/** Execute up to SWHCA_QP_QUANTUM WQEs of a QP. @return Their number; more may be left. */
unsigned int swhca_qp_run(struct swhca_qp *qp);

#endif /* SWHCA_ENGINE_SQ_H */
