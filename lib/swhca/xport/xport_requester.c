/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Requests: destination, and handling of the answer by a WQE. */

#include <endian.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "mlx5_prm_cmd.h"
#include "base/clock.h"
#include "base/log.h"
#include "xport/port.h"
#include "xport/xport_requester.h"

/* qpc.rnr_retry: unlimited (IBTA: RNR retry counter). */
#define RNR_RETRY_FOREVER 7u
#define PSN_MASK 0xffffffu

/* IBTA, "Encoding for RNR NAK Timer Field", in units of 10 us; code 0 is the longest. */
static const uint32_t rnr_timer_10us[32] = {
	65536, 1,    2,	   3,	 4,    6,    8,	   12,	 16,   24,    32,    48,    64,
	96,    128,  192,  256,	 384,  512,  768,  1024, 1536, 2048,  3072,  4096,  6144,
	8192,  12288, 16384, 24576, 32768, 49152,
};

/* Packets of a transfer; one without payload also has a number (IBTA 9.7.2). */
static uint32_t
nb_packets(const struct swhca_qp *qp, uint64_t len)
{
	unsigned int log_mtu = 7 + (unsigned int)prm_get(qp->qpc, PRM_QPC_MTU);

	return len == 0 ? 1 : (uint32_t)((len - 1) >> log_mtu) + 1;
}

static uint8_t
req_flags(const struct swhca_wqe *wqe)
{
	uint8_t flags = (wqe->fm_ce_se & PRM_CTRL_SE) != 0 ? SWHCA_WIRE_F_SOLICITED : 0;
	uint8_t fence = wqe->fm_ce_se & PRM_CTRL_FM_MASK;

	if (fence != PRM_CTRL_FM_NONE && fence != PRM_CTRL_FM_INITIATOR_SMALL)
		flags |= SWHCA_WIRE_F_FENCE;
	switch (wqe->opcode) {
	case MLX5_OPCODE_SEND_IMM:
	case MLX5_OPCODE_RDMA_WRITE_IMM:
		return flags | SWHCA_WIRE_F_IMM;
	case MLX5_OPCODE_SEND_INVAL:
		return flags | SWHCA_WIRE_F_INVAL;
	default:
		return flags;
	}
}

/* Set the destination: of datagrams and initiators from the WQE, of all others from the context. */
static void
req_set_path(const struct swhca_qp *qp, const struct swhca_wqe *wqe, struct swhca_wire_req *req)
{
	if (wqe->av != NULL) {
		swhca_addr_from_av(&req->addr, wqe->av, wqe->is_base_av);
		req->dst_qpn = be32toh(wqe->av->dqp_dct) & 0xffffff;
		return;
	}
	swhca_addr_from_ads(&req->addr, qp->qpc + PRM_QPC_PRIMARY_PATH_BYTE);
	req->dst_qpn = (uint32_t)prm_get(qp->qpc, PRM_QPC_REMOTE_QPN);
}

void
swhca_request_init(const struct swhca_qp *qp, const struct swhca_wqe *wqe, enum swhca_wire_op op,
		   struct swhca_wire_req *req)
{
	const struct swhca_spans *local = &qp->hca->fabric->local;
	uint64_t pkey_index = prm_get(qp->qpc, PRM_QPC_PRIMARY_PATH_PKEY_INDEX);

	req->op = op;
	req->st = (uint8_t)prm_get(qp->qpc, PRM_QPC_ST);
	req->flags = req_flags(wqe);
	req->pkey = swhca_port_pkey(qp->hca, (unsigned int)pkey_index);
	req->src_qpn = swhca_qp_num(qp);
	req_set_path(qp, wqe, req);
	req->psn = (uint32_t)prm_get(qp->qpc, PRM_QPC_NEXT_SEND_PSN);
	req->nb_packets = nb_packets(qp, local->len);
	req->msn = qp->msn;
	req->imm = (req->flags & (SWHCA_WIRE_F_IMM | SWHCA_WIRE_F_INVAL)) != 0 ? wqe->imm : 0;
	req->len = local->len;
	req->msg_len = local->len;
	req->payload = local;
	memset(&req->raddr, 0, sizeof(*req) - offsetof(struct swhca_wire_req, raddr));
	req->srqn = wqe->srqn;
	if (req->st == PRM_QP_ST_DCI)
		req->dc_key = be64toh(wqe->av->key.dc_key);
}

static enum swhca_wqe_end
wait_until(struct swhca_qp *qp, uint64_t delay_ns)
{
	qp->not_before_ns = swhca_fabric_now_ns(qp->hca->fabric) + delay_ns;
	return SWHCA_WQE_WAIT;
}

static enum swhca_wqe_end
retries_fail(const struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	return swhca_wqe_fail(wqe, swhca_has_quirk(qp->hca, SWHCA_QUIRK_RETRY_VENDOR) ?
					   SWHCA_CAUSE_RETRY_OTHER : SWHCA_CAUSE_RETRY);
}

/* No acknowledgment: retransmit on time-out while there are retries left (IBTA 9.7.6.1). */
static enum swhca_wqe_end
end_lost(struct swhca_qp *qp, struct swhca_wqe *wqe, const struct swhca_wire_req *req)
{
	uint64_t timeout = prm_get(qp->qpc, PRM_QPC_PRIMARY_PATH_ACK_TIMEOUT);
	uint64_t nb_max = prm_get(qp->qpc, PRM_QPC_RETRY_COUNT);

	if (timeout == 0)
		return wait_until(qp, SWHCA_WAIT_POLL_NS);
	if (qp->nb_retries > nb_max) {
		SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: no answer from 0x%x, %" PRIu64 " retries",
			  qp->obj.num, wqe->index, req->dst_qpn, nb_max);
		return retries_fail(qp, wqe);
	}
	qp->nb_retries++;
	return wait_until(qp, UINT64_C(4096) << timeout);
}

static enum swhca_wqe_end
end_not_ready(struct swhca_qp *qp, struct swhca_wqe *wqe, const struct swhca_wire_req *req,
	      uint8_t rnr_timer)
{
	uint64_t nb_max = prm_get(qp->qpc, PRM_QPC_RNR_RETRY);

	if (nb_max == RNR_RETRY_FOREVER)
		return wait_until(qp, SWHCA_WAIT_POLL_NS);
	if (qp->nb_rnr_retries >= nb_max) {
		SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: 0x%x has no receive WQE, %" PRIu64 " retries",
			  qp->obj.num, wqe->index, req->dst_qpn, nb_max);
		return swhca_wqe_fail(wqe, swhca_has_quirk(qp->hca, SWHCA_QUIRK_RECEIVE_MISSING) ?
					   SWHCA_CAUSE_RNR_OTHER : SWHCA_CAUSE_RNR);
	}
	qp->nb_rnr_retries++;
	return wait_until(qp, (uint64_t)rnr_timer_10us[rnr_timer] * 10000);
}

static enum swhca_wqe_end
end_done(struct swhca_qp *qp, const struct swhca_wire_req *req)
{
	if (req->st == PRM_QP_ST_RC || req->st == PRM_QP_ST_XRC)
		prm_set(qp->qpc, PRM_QPC_NEXT_SEND_PSN, (req->psn + req->nb_packets) & PSN_MASK);
	return SWHCA_WQE_DONE;
}

static enum swhca_wqe_end
end_failed(struct swhca_qp *qp, struct swhca_wqe *wqe, const struct swhca_wire_req *req,
	   const struct swhca_wire_answer *answer)
{
	/* An unreliable requester does not learn the result of its message. */
	if (!swhca_qp_is_reliable(qp))
		return SWHCA_WQE_DROPPED;
	switch (answer->status) {
	case SWHCA_WIRE_LOST:
		return end_lost(qp, wqe, req);
	case SWHCA_WIRE_RNR:
		return end_not_ready(qp, wqe, req, answer->rnr_timer);
	default:
		return swhca_request_end(qp, wqe, answer);
	}
}

enum swhca_wqe_end
swhca_request_end(const struct swhca_qp *qp, struct swhca_wqe *wqe,
		  const struct swhca_wire_answer *answer)
{
	switch (answer->status) {
	case SWHCA_WIRE_ACK:
		return SWHCA_WQE_DONE;
	case SWHCA_WIRE_LOCAL_FAULT:
		SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: local memory is not mapped", qp->obj.num,
			  wqe->index);
		return swhca_wqe_fail(wqe, SWHCA_CAUSE_UNMAPPED);
	default:
		return answer->cause == SWHCA_CAUSE_RETRY ? retries_fail(qp, wqe) :
							    swhca_wqe_fail(wqe, answer->cause);
	}
}

/*
 * A page fault of the responder is an RNR NAK, repeated as needed. Retries are not counted here,
 * but a requester without retries fails as on an adapter.
 */
static enum swhca_wqe_end
end_absent(struct swhca_qp *qp, struct swhca_wqe *wqe, const struct swhca_wire_req *req,
	   uint64_t wait_ns)
{
	if (prm_get(qp->qpc, PRM_QPC_RNR_RETRY) == 0) {
		SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: page fault of 0x%x, and no RNR retries",
			  qp->obj.num, wqe->index, req->dst_qpn);
		return swhca_wqe_fail(wqe, SWHCA_CAUSE_RNR);
	}
	swhca_qp_pace(qp, wait_ns);
	return SWHCA_WQE_WAIT;
}

enum swhca_wqe_end
swhca_request_send(struct swhca_qp *qp, struct swhca_wqe *wqe, const struct swhca_wire_req *req,
		   struct swhca_wire_answer *answer)
{
	qp->hca->fabric->wire->send(qp->hca, req, answer);
	switch (answer->status) {
	case SWHCA_WIRE_ACK:
		return end_done(qp, req);
	case SWHCA_WIRE_TAKEN:
		return SWHCA_WQE_SENT;
	case SWHCA_WIRE_PENDING:
		qp->not_before_ns = 0;
		return SWHCA_WQE_WAIT;
	case SWHCA_WIRE_ABSENT:
		return end_absent(qp, wqe, req, answer->wait_ns);
	case SWHCA_WIRE_BUSY:
		swhca_qp_pace(qp, answer->wait_ns);
		return SWHCA_WQE_WAIT;
	case SWHCA_WIRE_LOCAL_FAULT:
		return swhca_request_end(qp, wqe, answer);
	default:
		return end_failed(qp, wqe, req, answer);
	}
}
