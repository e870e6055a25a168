/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_ENGINE_SQ_H
#define SWHCA_ENGINE_SQ_H

/**
 * @file
 * Send queues and their turns.
 *
 *   complete     had their turn      posted
 *            |   (flights)        |            |
 *   ---------+--------------------+------------+-->  WQEBBs
 *          sq_ci               sq_next       sq_pi
 *
 * A WQE whose request is answered at once is complete at the end of its turn, as are those without
 * one; nothing is between sq_ci and sq_next then. If answers come late, WQEs are remembered until
 * they complete, in their order.
 */

#include "object/limits.h"
#include "queue/qp.h"

/** Send WQEs that a QP executes before the next has its turn. */
#define SWHCA_QP_QUANTUM 64u
/**
 * How far software may be ahead of the ring, in WQEBBs: it may use the room of a WQE that gives no
 * CQE as soon as the CQE before that one is there, for the adapter has fetched it by then. DPDK's
 * crypto driver pads its ring with such NOPs.
 */
#define SWHCA_MAX_AHEAD_BB (SWHCA_MAX_WQE_SZ_SQ / PRM_WQE_BB_SIZE)

/** Execute up to SWHCA_QP_QUANTUM WQEs of a QP. @return How many; more may be left. */
unsigned int swhca_qp_run(struct swhca_qp *qp);

#endif /* SWHCA_ENGINE_SQ_H */
