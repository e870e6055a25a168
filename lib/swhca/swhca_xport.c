/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Service types: who answers a request, and what happens if nobody does.
 */

#include <inttypes.h>

#include "swhca_log.h"
#include "swhca_xport.h"

/* qpc.rnr_retry: for ever (IBTA: RNR retry counter). */
#define RNR_RETRY_FOREVER 7u

/* IBTA, "Encoding for RNR NAK Timer Field", in units of 10 us; code 0 is the longest. */
static const uint32_t rnr_timer_10us[32] = {
	65536, 1,    2,	   3,	 4,    6,    8,	   12,	 16,   24,    32,    48,    64,
	96,    128,  192,  256,	 384,  512,  768,  1024, 1536, 2048,  3072,  4096,  6144,
	8192,  12288, 16384, 24576, 32768, 49152,
};

void
swhca_responder_of_qp(struct swhca_qp *qp, struct swhca_responder *to)
{
	*to = (struct swhca_responder){
		.hca = qp->hca,
		.qp = qp,
		.num = qp->obj.num,
		.pd = qp->pd,
		.rights = (prm_get(qp->qpc, PRM_QPC_RRE) ? SWHCA_ACCESS_REMOTE_READ : 0) |
			  (prm_get(qp->qpc, PRM_QPC_RWE) ? SWHCA_ACCESS_REMOTE_WRITE : 0) |
			  (prm_get(qp->qpc, PRM_QPC_RAE) ? SWHCA_ACCESS_REMOTE_ATOMIC : 0),
		.min_rnr_nak = (uint8_t)prm_get(qp->qpc, PRM_QPC_MIN_RNR_NAK),
		.rq = qp->rq,
		.cq = qp->recv_cq,
		.srqn_uidx = (uint32_t)prm_get(qp->qpc, PRM_QPC_USER_INDEX),
	};
}

void
swhca_responder_fail(const struct swhca_responder *to)
{
	if (to->qp != NULL && to->qp->state != PRM_QP_STATE_ERR)
		swhca_qp_fail(to->qp);
}

static enum swhca_wqe_end
wait_until(struct swhca_qp *qp, uint64_t delay_ns)
{
	qp->not_before_ns = swhca_now_ns() + delay_ns;
	return SWHCA_WQE_WAIT;
}

/* Nobody acknowledges: retransmit on time-out until the retries are used up (IBTA 9.7.6.1). */
static enum swhca_wqe_end
wait_for_ack(struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	uint64_t timeout = prm_get(qp->qpc, PRM_QPC_PRIMARY_PATH_ACK_TIMEOUT);
	uint64_t nb_max = prm_get(qp->qpc, PRM_QPC_RETRY_COUNT);

	if (timeout == 0)
		return wait_until(qp, SWHCA_WAIT_POLL_NS);
	if (qp->nb_retries > nb_max) {
		SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: no answer from QP 0x%x, %" PRIu64 " retries",
			  qp->obj.num, wqe->index,
			  (unsigned int)prm_get(qp->qpc, PRM_QPC_REMOTE_QPN), nb_max);
		return swhca_wqe_fail(wqe, MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR,
				      SWHCA_VENDOR_RETRY);
	}
	qp->nb_retries++;
	return wait_until(qp, UINT64_C(4096) << timeout);
}

enum swhca_wqe_end
swhca_xport_not_ready(struct swhca_qp *qp, struct swhca_wqe *wqe, const struct swhca_responder *to)
{
	uint64_t nb_max = prm_get(qp->qpc, PRM_QPC_RNR_RETRY);

	if (nb_max == RNR_RETRY_FOREVER)
		return wait_until(qp, SWHCA_WAIT_POLL_NS);
	if (qp->nb_rnr_retries >= nb_max)
		return swhca_wqe_fail(wqe, MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR, SWHCA_VENDOR_RETRY);
	qp->nb_rnr_retries++;
	return wait_until(qp, (uint64_t)rnr_timer_10us[to->min_rnr_nak] * 10000);
}

enum swhca_wqe_end
swhca_xport_nak(struct swhca_qp *qp, struct swhca_wqe *wqe, uint8_t syndrome, unsigned int vendor)
{
	(void)qp;
	return swhca_wqe_fail(wqe, syndrome, vendor);
}

/* Whether a QP is in a state in which it looks at packets. */
static bool
qp_receives(const struct swhca_qp *qp)
{
	return qp->state == PRM_QP_STATE_RTR || qp->state == PRM_QP_STATE_RTS ||
	       qp->state == PRM_QP_STATE_SQDRAINING || qp->state == PRM_QP_STATE_SQD;
}

/* The QP at the other end of a connection, if it would answer a packet of this one. */
static struct swhca_qp *
peer_find(const struct swhca_qp *qp)
{
	const uint8_t *ads = qp->qpc + PRM_QPC_PRIMARY_PATH_BYTE;
	const struct swhca_hca *hca = swhca_port_find(qp->hca, ads);
	struct swhca_qp *peer;

	if (hca == NULL)
		return NULL;
	peer = (struct swhca_qp *)swhca_table_get(&hca->tables[SWHCA_OBJ_QP],
						  (uint32_t)prm_get(qp->qpc, PRM_QPC_REMOTE_QPN));
	if (peer == NULL || !qp_receives(peer))
		return NULL;
	/* A packet of anybody but the QP that it is connected to is dropped. */
	ads = peer->qpc + PRM_QPC_PRIMARY_PATH_BYTE;
	if (prm_get(peer->qpc, PRM_QPC_REMOTE_QPN) != qp->obj.num ||
	    swhca_port_find(peer->hca, ads) != qp->hca)
		return NULL;
	return peer;
}

enum swhca_wqe_end
swhca_xport_begin(struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	(void)qp;
	(void)wqe;
	return SWHCA_WQE_DONE;
}

enum swhca_wqe_end
swhca_xport_find(struct swhca_qp *qp, struct swhca_wqe *wqe, struct swhca_responder *to)
{
	struct swhca_qp *peer = peer_find(qp);

	if (peer == NULL)
		return wait_for_ack(qp, wqe);
	swhca_responder_of_qp(peer, to);
	return SWHCA_WQE_DONE;
}
