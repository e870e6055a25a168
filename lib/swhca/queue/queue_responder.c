/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "queue/eq.h"
#include "queue/queue_responder.h"
#include "queue/scatter.h"

/* CQEs contain the shared queue if software does not use user indexes. */
static uint32_t
qp_srqn_uidx(const struct swhca_qp *qp)
{
	uint32_t user_index = (uint32_t)prm_get(qp->qpc, PRM_QPC_USER_INDEX);

	return user_index == PRM_USER_INDEX_NONE && qp->srq != NULL ? qp->srq->num : user_index;
}

void
swhca_responder_of_qp(struct swhca_qp *qp, struct swhca_responder *to)
{
	bool has_atomics = prm_get(qp->qpc, PRM_QPC_RAE) != 0 &&
			   prm_get(qp->qpc, PRM_QPC_ATOMIC_MODE) != PRM_QPC_ATOMIC_MODE_NONE;

	*to = (struct swhca_responder){
		.hca = qp->hca,
		.qp = qp,
		.num = qp->obj.num,
		.pd = qp->pd,
		.access = (prm_get(qp->qpc, PRM_QPC_RRE) ? SWHCA_ACCESS_REMOTE_READ : 0) |
			  (prm_get(qp->qpc, PRM_QPC_RWE) ? SWHCA_ACCESS_REMOTE_WRITE : 0) |
			  (has_atomics ? SWHCA_ACCESS_REMOTE_ATOMIC : 0),
		.min_rnr_nak = (uint8_t)prm_get(qp->qpc, PRM_QPC_MIN_RNR_NAK),
		.rdma_fault = &qp->rdma_fault,
		.rq = qp->rq,
		.cq = qp->recv_cq,
		.srqn_uidx = qp_srqn_uidx(qp),
		.scatter_room = swhca_scatter_room(prm_get(qp->qpc, PRM_QPC_CS_RES)),
	};
}

void
swhca_responder_fail(const struct swhca_responder *to)
{
	if (to->qp != NULL && to->qp->state != PRM_QP_STATE_ERR)
		swhca_qp_fail(to->qp);
}

/* IBTA 9.9.3.1: a class C error moves the responder to error; UC and UD only drop. */
void
swhca_responder_reject(const struct swhca_responder *to, uint8_t event)
{
	/* A DCT only raises the event, as it has many requesters. */
	if (to->qp == NULL)
		swhca_event_raise(to->hca, event, to->num);
	if (to->qp == NULL || !swhca_qp_is_reliable(to->qp))
		return;
	if (to->qp->state != PRM_QP_STATE_ERR)
		swhca_event_raise(to->hca, event, to->qp->obj.num);
	if (!swhca_has_quirk(to->hca, SWHCA_QUIRK_REMOTE_BOTH_ENDS))
		swhca_responder_fail(to);
}
