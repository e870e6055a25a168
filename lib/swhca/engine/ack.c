/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Acknowledge-only devices: send WQEs complete with success without execution, to measure the cost
 * of posting and polling without that of cache lines of a ring returning from the engine.
 *
 * The 8 bytes of a doorbell are the start of the control segment of the last WQE: its index, its
 * queue pair, its length. That is enough for its CQE and for the next index, so neither ring nor
 * doorbell record is read. As the CE bits are not visible, every doorbell has one CQE, for its last
 * WQE, which covers all earlier ones; a queue that rings again before that CQE is written may get
 * one for both.
 *
 * A value may have been overwritten by that of another queue of the page. The records of the other
 * queues are therefore checked, and queues that are ahead are executed by swhca_qp_run(), which
 * reads their WQEs only for the CE bits. The same applies to other states and invalid doorbells.
 */

#include <string.h>

#include "base/log.h"
#include "engine/ack.h"
#include "engine/doorbell.h"

/* Distance of a doorbell from the completed WQEs, in WQEBBs. */
static uint16_t
rung_distance(const struct swhca_qp *qp, const struct swhca_rung *rung)
{
	return (uint16_t)(rung->index + rung->nb_bb - qp->sq_ci);
}

/* Complete a WQE. @return false if it must be executed. */
static bool
rung_complete(struct swhca_qp *qp, const struct swhca_rung *rung)
{
	const struct swhca_wqe wqe = { .opcode = rung->opcode, .index = rung->index };

	/* A fault must see each WQE. */
	if (swhca_inject_is_armed(&qp->hca->injects, SWHCA_INJECT_AT_SEND))
		return false;
	if (!qp->has_sq || qp->state != PRM_QP_STATE_RTS || rung->nb_bb == 0 ||
	    rung_distance(qp, rung) > UINT32_C(1) << qp->log_sq_size)
		return false;
	if (rung_distance(qp, rung) == 0)
		return true;
	qp->sq_ci = (uint16_t)(rung->index + rung->nb_bb);
	qp->sq_next = qp->sq_ci;
	qp->sq_pi = qp->sq_ci;
	qp->hca->stats.nb_wqes++;
	swhca_cq_send_done(qp, &wqe);
	return true;
}

/* A queue that rings twice alternates between two registers: use the earlier value. */
static unsigned int
rung_first(const struct swhca_uar *uar, const uint64_t *doorbells, unsigned int nb)
{
	const struct swhca_rung last = swhca_rung_decode(doorbells[nb - 1]);
	const struct swhca_qp *qp = swhca_uar_qp_find(uar, last.qpn);
	unsigned int i, first = nb - 1;
	struct swhca_rung other, best = last;

	for (i = 0; qp != NULL && i < nb - 1; i++) {
		other = swhca_rung_decode(doorbells[i]);
		if (other.qpn == last.qpn && rung_distance(qp, &other) < rung_distance(qp, &best)) {
			best = other;
			first = i;
		}
	}
	return first;
}

/* Check for posted WQEs without a doorbell; true if its record is unreadable. */
static bool
qp_is_ahead(const struct swhca_qp *qp)
{
	uint32_t pi;

	if (!qp->has_sq)
		return false;
	return swhca_dbr_read(qp->hca->fabric, &qp->dbr, PRM_DBR_SQ, &pi) != 0 ||
	       (uint16_t)pi != qp->sq_ci;
}

void
swhca_ack_doorbells(struct swhca_uar *uar, const uint64_t *doorbells, unsigned int nb)
{
	uint64_t values[PRM_UAR_NB_BF * 2];
	struct swhca_qp *qp;
	struct swhca_rung rung;
	unsigned int i;

	memcpy(values, doorbells, nb * sizeof(values[0]));
	for (; nb > 0; nb--) {
		i = rung_first(uar, values, nb);
		rung = swhca_rung_decode(values[i]);
		values[i] = values[nb - 1];
		qp = swhca_uar_qp_find(uar, rung.qpn);
		if (qp == NULL)
			SWHCA_LOG(WARNING, "UAR 0x%x: doorbell for QP 0x%x, which is not here",
				  uar->obj.num, rung.qpn);
		else if (!rung_complete(qp, &rung))
			swhca_qp_schedule(qp);
	}
	if (LIST_NEXT(LIST_FIRST(&uar->qps), uar_link) == NULL)
		return;
	LIST_FOREACH(qp, &uar->qps, uar_link)
		if (!qp->is_unheard && qp_is_ahead(qp))
			swhca_qp_schedule(qp);
}
