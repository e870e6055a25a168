/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Service types: what stands in their WQEs, who answers a request, what happens if nobody does.
 */

#include <endian.h>
#include <inttypes.h>

#include "base/clock.h"
#include "base/log.h"
#include "queue/eq.h"
#include "queue/srq.h"
#include "xport/dct.h"
#include "xport/port.h"
#include "xport/xport.h"

/* qpc.rnr_retry: for ever (IBTA: RNR retry counter). */
#define RNR_RETRY_FOREVER 7u
#define PSN_MASK 0xffffffu

/* IBTA, "Encoding for RNR NAK Timer Field", in units of 10 us; code 0 is the longest. */
static const uint32_t rnr_timer_10us[32] = {
	65536, 1,    2,	   3,	 4,    6,    8,	   12,	 16,   24,    32,    48,    64,
	96,    128,  192,  256,	 384,  512,  768,  1024, 1536, 2048,  3072,  4096,  6144,
	8192,  12288, 16384, 24576, 32768, 49152,
};

static enum swhca_wqe_end
wait_until(struct swhca_qp *qp, uint64_t delay_ns)
{
	qp->not_before_ns = swhca_now_ns() + delay_ns;
	return SWHCA_WQE_WAIT;
}

enum swhca_wqe_end
swhca_xport_no_answer(struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	uint64_t timeout = prm_get(qp->qpc, PRM_QPC_PRIMARY_PATH_ACK_TIMEOUT);
	uint64_t nb_max = prm_get(qp->qpc, PRM_QPC_RETRY_COUNT);
	uint32_t num = wqe->av != NULL ? be32toh(wqe->av->dqp_dct) & 0xffffff :
					 (uint32_t)prm_get(qp->qpc, PRM_QPC_REMOTE_QPN);

	if (timeout == 0) {
		qp->nb_retries = 1;	/* never the last, but not the first any more */
		return wait_until(qp, SWHCA_WAIT_POLL_NS);
	}
	if (qp->nb_retries > nb_max) {
		SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: no answer from 0x%x, %" PRIu64 " retries",
			  qp->obj.num, wqe->index, num, nb_max);
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

	if (!swhca_qp_is_reliable(qp))
		return SWHCA_WQE_DROPPED;
	if (nb_max == RNR_RETRY_FOREVER)
		return wait_until(qp, SWHCA_WAIT_POLL_NS);
	if (qp->nb_rnr_retries >= nb_max) {
		SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: 0x%x has no receive WQE, %" PRIu64 " retries",
			  qp->obj.num, wqe->index, to->num, nb_max);
		return swhca_wqe_fail(wqe, MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR, SWHCA_VENDOR_RETRY);
	}
	qp->nb_rnr_retries++;
	return wait_until(qp, (uint64_t)rnr_timer_10us[to->min_rnr_nak] * 10000);
}

enum swhca_wqe_end
swhca_xport_nak(struct swhca_qp *qp, struct swhca_wqe *wqe, uint8_t syndrome, unsigned int vendor)
{
	if (!swhca_qp_is_reliable(qp))
		return SWHCA_WQE_DROPPED;
	return swhca_wqe_fail(wqe, syndrome, vendor);
}

enum swhca_wqe_end
swhca_send_end(struct swhca_qp *qp, struct swhca_wqe *wqe, const struct swhca_responder *to,
	       enum swhca_recv_end end)
{
	switch (end) {
	case SWHCA_RECV_OK:
		return SWHCA_WQE_DONE;
	case SWHCA_RECV_NOT_READY:
		return swhca_xport_not_ready(qp, wqe, to);
	case SWHCA_RECV_TOO_LONG:
		return swhca_xport_nak(qp, wqe, MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR,
				       SWHCA_VENDOR_LENGTH);
	case SWHCA_RECV_SOURCE_FAULT:
		SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: local memory is not mapped", qp->obj.num,
			  wqe->index);
		return swhca_wqe_fail(wqe, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR, SWHCA_VENDOR_UNMAPPED);
	case SWHCA_RECV_FAULT:
	default:
		return swhca_xport_nak(qp, wqe, MLX5_CQE_SYNDROME_REMOTE_OP_ERR,
				       SWHCA_VENDOR_UNMAPPED);
	}
}

/* Whether a QP is in a state in which it looks at packets. */
static bool
qp_receives(const struct swhca_qp *qp)
{
	switch (qp->state) {
	case PRM_QP_STATE_RTR:
	case PRM_QP_STATE_RTS:
	case PRM_QP_STATE_SQER:
	case PRM_QP_STATE_SQD:
	case PRM_QP_STATE_SQDRAINING:
		return true;
	default:
		return false;
	}
}

struct swhca_qp *
swhca_xport_find_qp(const struct swhca_hca *hca, uint32_t num, uint8_t st)
{
	struct swhca_qp *qp = (struct swhca_qp *)swhca_table_get(&hca->tables[SWHCA_OBJ_QP], num);

	return qp != NULL && qp_receives(qp) && prm_get(qp->qpc, PRM_QPC_ST) == st ? qp : NULL;
}

static bool
pkeys_match(const struct swhca_qp *qp, const struct swhca_qp *peer)
{
	uint16_t own = swhca_port_pkey(qp->hca, (uint16_t)prm_get(qp->qpc,
								  PRM_QPC_PRIMARY_PATH_PKEY_INDEX));
	uint16_t theirs = swhca_port_pkey(peer->hca,
					  (uint16_t)prm_get(peer->qpc,
							    PRM_QPC_PRIMARY_PATH_PKEY_INDEX));

	return swhca_pkey_matches(theirs, own);
}

/* Packets of a transfer; the first takes a number even if it has no payload (IBTA 9.7.2). */
static uint32_t
nb_packets(const struct swhca_qp *qp, uint64_t len)
{
	uint64_t mtu = UINT64_C(128) << prm_get(qp->qpc, PRM_QPC_MTU);

	return len == 0 ? 1 : (uint32_t)((len + mtu - 1) / mtu);
}

/* A peer that expects another packet neither takes nor acknowledges this one (IBTA 9.7.5). */
static bool
psn_matches(const struct swhca_qp *qp, const struct swhca_qp *peer)
{
	uint64_t psn = prm_get(qp->qpc, PRM_QPC_NEXT_SEND_PSN);
	uint64_t expected = prm_get(peer->qpc, PRM_QPC_NEXT_RCV_PSN);

	if (psn == expected || !swhca_qp_is_reliable(qp))
		return true;
	if (qp->nb_retries == 0)
		SWHCA_LOG(WARNING, "QP 0x%x: PSN 0x%" PRIx64 ", but QP 0x%x expects 0x%" PRIx64,
			  qp->obj.num, psn, peer->obj.num, expected);
	return false;
}

void
swhca_xport_advance(struct swhca_qp *qp, const struct swhca_responder *to, uint64_t len)
{
	uint64_t st = prm_get(qp->qpc, PRM_QPC_ST);
	uint64_t psn;

	if (to->qp == NULL || (st != PRM_QP_ST_RC && st != PRM_QP_ST_XRC))
		return;
	psn = (prm_get(qp->qpc, PRM_QPC_NEXT_SEND_PSN) + nb_packets(qp, len)) & PSN_MASK;
	prm_set(qp->qpc, PRM_QPC_NEXT_SEND_PSN, psn);
	prm_set(to->qp->qpc, PRM_QPC_NEXT_RCV_PSN, psn);
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
	peer = swhca_xport_find_qp(hca, (uint32_t)prm_get(qp->qpc, PRM_QPC_REMOTE_QPN),
				   (uint8_t)prm_get(qp->qpc, PRM_QPC_ST));
	if (peer == NULL)
		return NULL;
	/* A packet of anybody but the QP that it is connected to is dropped. */
	ads = peer->qpc + PRM_QPC_PRIMARY_PATH_BYTE;
	if (prm_get(peer->qpc, PRM_QPC_REMOTE_QPN) != qp->obj.num ||
	    swhca_port_find(peer->hca, ads) != qp->hca || !pkeys_match(qp, peer) ||
	    !psn_matches(qp, peer))
		return NULL;
	/* The first packet in RTR tells that the requester is there (IBTA 12.9.6). */
	if (peer->state == PRM_QP_STATE_RTR && !peer->has_comm_est) {
		peer->has_comm_est = true;
		swhca_event_raise(peer->hca, PRM_EVENT_COMM_EST, peer->obj.num);
	}
	return peer;
}

/* A message of XRC names the shared queue, whose PD also guards its one-sided requests. */
static enum swhca_wqe_end
xrc_find(struct swhca_qp *qp, struct swhca_wqe *wqe, struct swhca_qp *peer,
	 struct swhca_responder *to)
{
	struct swhca_srq *srq;

	srq = (struct swhca_srq *)swhca_table_get(&peer->hca->tables[SWHCA_OBJ_SRQ], wqe->srqn);
	if (peer->xrcd == NULL || srq == NULL || srq->kind != SWHCA_SRQ_XRC ||
	    srq->xrcd != peer->xrcd) {
		SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: no XRC SRQ 0x%x in the domain of QP 0x%x",
			  qp->obj.num, wqe->index, wqe->srqn, peer->obj.num);
		swhca_responder_refuse(to, PRM_EVENT_WQ_INVAL_REQ_ERROR);
		return swhca_xport_nak(qp, wqe, MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR,
				       SWHCA_VENDOR_SRQ);
	}
	to->pd = srq->rq.pd;
	to->rq = &srq->rq;
	to->cq = srq->cq;
	to->srqn_uidx = srq->user_index == PRM_USER_INDEX_NONE ? srq->obj.num : srq->user_index;
	return SWHCA_WQE_DONE;
}

bool
swhca_xport_has_opcode(const struct swhca_qp *qp, uint8_t opcode)
{
	switch (prm_get(qp->qpc, PRM_QPC_ST)) {
	case PRM_QP_ST_UC:
		return opcode != MLX5_OPCODE_RDMA_READ && opcode != MLX5_OPCODE_ATOMIC_CS &&
		       opcode != MLX5_OPCODE_ATOMIC_FA && opcode != MLX5_OPCODE_SEND_INVAL;
	case PRM_QP_ST_UD:
		return opcode == MLX5_OPCODE_SEND || opcode == MLX5_OPCODE_SEND_IMM ||
		       opcode == MLX5_OPCODE_NOP;
	case PRM_QP_ST_REG_UMR:
		return opcode == MLX5_OPCODE_UMR || opcode == MLX5_OPCODE_NOP;
	default:
		return true;
	}
}

enum swhca_wqe_end
swhca_xport_take(struct swhca_wqe *wqe, size_t len, const void **seg)
{
	uint32_t nb_ds = (uint32_t)(len / PRM_WQE_DS_SIZE);

	if (wqe->nb_ds - wqe->ds < nb_ds)
		return swhca_wqe_fail(wqe, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR, SWHCA_VENDOR_FORMAT);
	*seg = wqe->data + (size_t)wqe->ds * PRM_WQE_DS_SIZE;
	wqe->ds += nb_ds;
	return SWHCA_WQE_DONE;
}

enum swhca_wqe_end
swhca_xport_take_av(struct swhca_wqe *wqe)
{
	const struct mlx5_wqe_av *av;
	enum swhca_wqe_end end;
	const void *seg;

	/* The base part alone unless it tells of the rest (cap. compact_address_vector). */
	end = swhca_xport_take(wqe, PRM_WQE_DS_SIZE, &seg);
	if (end != SWHCA_WQE_DONE)
		return end;
	av = seg;
	wqe->av = av;
	wqe->is_base_av = (be32toh(av->dqp_dct) & PRM_AV_EXT) == 0;
	if (!wqe->is_base_av)
		end = swhca_xport_take(wqe, sizeof(*av) - PRM_WQE_DS_SIZE, &seg);
	return end;
}

enum swhca_wqe_end
swhca_xport_begin(struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	enum swhca_wqe_end end;
	const void *seg;

	switch (prm_get(qp->qpc, PRM_QPC_ST)) {
	case PRM_QP_ST_UD:
	case PRM_QP_ST_DCI:
		return swhca_xport_take_av(wqe);
	case PRM_QP_ST_XRC:
		end = swhca_xport_take(wqe, sizeof(struct prm_wqe_xrc_seg), &seg);
		if (end == SWHCA_WQE_DONE)
			wqe->srqn = be32toh(((const struct prm_wqe_xrc_seg *)seg)->xrc_srqn_be) &
				    0xffffff;
		return end;
	default:
		return SWHCA_WQE_DONE;
	}
}

enum swhca_wqe_end
swhca_xport_find(struct swhca_qp *qp, struct swhca_wqe *wqe, struct swhca_responder *to)
{
	struct swhca_qp *peer;

	if (prm_get(qp->qpc, PRM_QPC_ST) == PRM_QP_ST_DCI)
		return swhca_dct_find(qp, wqe, to);
	peer = peer_find(qp);
	if (peer == NULL)
		return swhca_qp_is_reliable(qp) ? swhca_xport_no_answer(qp, wqe) :
						  SWHCA_WQE_DROPPED;
	swhca_responder_of_qp(peer, to);
	if (prm_get(qp->qpc, PRM_QPC_ST) == PRM_QP_ST_XRC)
		return xrc_find(qp, wqe, peer, to);
	return SWHCA_WQE_DONE;
}
