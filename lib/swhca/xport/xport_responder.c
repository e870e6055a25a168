/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Requests at their responder: checks, translation of memory, and answers. */

#include <endian.h>
#include <errno.h>
#include <inttypes.h>

#include "base/log.h"
#include "mem/mkey.h"
#include "queue/eq.h"
#include "queue/q_counter.h"
#include "queue/qos.h"
#include "queue/srq.h"
#include "xport/dct.h"
#include "xport/port.h"
#include "xport/xport_responder.h"

#define PSN_MASK 0xffffffu
#define ATOMIC_LEN sizeof(uint64_t)

/* @return false: this is the answer. */
static bool
give(struct swhca_wire_answer *answer, enum swhca_wire_status status)
{
	*answer = (struct swhca_wire_answer){ .status = status };
	return false;
}

static bool
give_error(struct swhca_wire_answer *answer, enum swhca_cause cause)
{
	*answer = swhca_cause_answer(cause);
	return false;
}

static bool
reject_with(const struct swhca_reception *rx, struct swhca_wire_answer *answer,
	    enum swhca_cause cause)
{
	static const uint8_t events[] = {
		[SWHCA_NAK_INVAL_REQ] = PRM_EVENT_WQ_INVAL_REQ_ERROR,
		[SWHCA_NAK_ACCESS] = PRM_EVENT_WQ_ACCESS_ERROR,
		[SWHCA_NAK_OP] = PRM_EVENT_WQ_CATAS_ERROR,
	};
	enum swhca_nak nak = swhca_cause_row(cause)->nak;

	if (nak == SWHCA_NAK_ACCESS) {
		rx->to.hca->stats.wire.resp_remote_access_errors++;
		swhca_q_stats(rx->to.hca, rx->to.qp)->resp_remote_access_errors++;
	}
	swhca_responder_reject(&rx->to, events[nak]);
	return give_error(answer, cause);
}

/* Check for a state in which a QP accepts packets. */
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

static bool
pkey_matches(const struct swhca_qp *qp, const struct swhca_wire_req *req)
{
	return swhca_reception_pkey_matches(qp, req->pkey);
}

/* A request with an unexpected PSN is neither accepted nor acknowledged (IBTA 9.7.5). */
static bool
psn_matches(struct swhca_qp *qp, const struct swhca_wire_req *req)
{
	uint64_t expected = prm_get(qp->qpc, PRM_QPC_NEXT_RCV_PSN);

	if (req->psn == expected || !swhca_qp_is_reliable(qp))
		return true;
	/* Log once for all retransmissions. */
	if (qp->dropped_psn != req->psn + 1)
		SWHCA_LOG(WARNING, "QP 0x%x: PSN 0x%x, but QP 0x%x expects 0x%" PRIx64,
			  req->src_qpn, req->psn, qp->obj.num, expected);
	qp->dropped_psn = req->psn + 1;
	return false;
}

/* Packets of other QPs than the connected one are dropped. */
static bool
connected_accepts(struct swhca_qp *qp, const struct swhca_wire_req *req)
{
	if (prm_get(qp->qpc, PRM_QPC_REMOTE_QPN) != req->src_qpn || !pkey_matches(qp, req) ||
	    !psn_matches(qp, req))
		return false;
	/* The first packet in RTR shows that the requester is ready (IBTA 12.9.6). */
	if (qp->state == PRM_QP_STATE_RTR && !qp->has_comm_est) {
		qp->has_comm_est = true;
		swhca_event_raise(qp->hca, PRM_EVENT_COMM_EST, qp->obj.num);
	}
	return true;
}

/* IBTA 9.8.3: a packet with another Q_Key, or of another partition, is dropped. */
static bool
datagram_accepts(const struct swhca_qp *qp, const struct swhca_wire_req *req)
{
	if (prm_get(qp->qpc, PRM_QPC_Q_KEY) != req->qkey) {
		SWHCA_LOG(DEBUG, "QP 0x%x: datagram dropped, Q_Key 0x%x", qp->obj.num, req->qkey);
		return false;
	}
	return pkey_matches(qp, req);
}

bool
swhca_reception_pkey_matches(const struct swhca_qp *qp, uint16_t pkey)
{
	uint64_t index = prm_get(qp->qpc, PRM_QPC_PRIMARY_PATH_PKEY_INDEX);

	return swhca_pkey_matches(swhca_port_pkey(qp->hca, (unsigned int)index), pkey);
}

bool
swhca_reception_takes(const struct swhca_qp *qp, uint8_t st)
{
	return qp_receives(qp) && prm_get(qp->qpc, PRM_QPC_ST) == st;
}

static bool
qp_accepts(struct swhca_qp *qp, const struct swhca_wire_req *req)
{
	if (!swhca_reception_takes(qp, req->st))
		return false;
	return req->st == PRM_QP_ST_UD ? datagram_accepts(qp, req) : connected_accepts(qp, req);
}

/* A message of XRC names the shared queue, whose PD also applies to its one-sided requests. */
static bool
xrc_find(struct swhca_reception *rx, struct swhca_wire_answer *answer)
{
	const struct swhca_table *srqs = &rx->to.hca->tables[SWHCA_OBJ_SRQ];
	const struct swhca_wire_req *req = rx->req;
	struct swhca_responder *to = &rx->to;
	struct swhca_srq *srq;

	srq = (struct swhca_srq *)swhca_table_get(srqs, req->srqn);
	if (to->qp->xrcd == NULL || srq == NULL || srq->kind != SWHCA_SRQ_XRC ||
	    srq->xrcd != to->qp->xrcd) {
		SWHCA_LOG(WARNING, "QP 0x%x: no XRC SRQ 0x%x in the domain of QP 0x%x",
			  req->src_qpn, req->srqn, to->num);
		return reject_with(rx, answer, SWHCA_CAUSE_REMOTE_SRQ);
	}
	to->pd = srq->rq.pd;
	to->rq = &srq->rq;
	to->cq = srq->cq;
	to->srqn_uidx = srq->user_index == PRM_USER_INDEX_NONE ? srq->obj.num : srq->user_index;
	return true;
}

/* A page fault: the message is resent, or dropped if its sender gets no answer (IBTA 9.8). */
static bool
give_absent(const struct swhca_reception *rx, const struct swhca_page_fault *fault,
	    struct swhca_wire_answer *answer)
{
	if (rx->req->st == PRM_QP_ST_UC || rx->req->st == PRM_QP_ST_UD)
		return give(answer, SWHCA_WIRE_LOST);
	*answer = (struct swhca_wire_answer){
		.status = SWHCA_WIRE_ABSENT,
		.rnr_timer = swhca_page_fault_rnr_timer(fault, rx->to.min_rnr_nak),
		.wait_ns = SWHCA_PAGE_FAULT_POLL_NS,
	};
	return false;
}

/*
 * The device maps pages itself, but too late for the message that needs them: a reliable requester
 * gets an RNR NAK, and finds them when it retries.
 */
static bool
give_late(const struct swhca_reception *rx, struct swhca_wire_answer *answer)
{
	*answer = (struct swhca_wire_answer){
		.status = SWHCA_WIRE_ABSENT,
		.rnr_timer = rx->to.min_rnr_nak,
	};
	return false;
}

/* Check whether the counter has increased. */
static bool
is_late(const struct swhca_reception *rx, uint64_t nb_page_faults)
{
	const struct swhca_hca *hca = rx->to.hca;

	return !hca->conf.has_page_fault_events && hca->stats.nb_page_faults != nb_page_faults &&
	       rx->req->st != PRM_QP_ST_UC && rx->req->st != PRM_QP_ST_UD;
}

/* Memory of a request is absent: report all of it to software. */
static enum swhca_fault
remote_page_fault(const struct swhca_reception *rx, uint64_t len, uint8_t need)
{
	const struct swhca_page_fault_info info = {
		.sub_type = PRM_PAGE_FAULT_RDMA,
		.type = PRM_PAGE_FAULT_TYPE_RDMA |
			(need == SWHCA_ACCESS_REMOTE_READ ? 0 : PRM_PAGE_FAULT_TYPE_WRITE),
		.rkey = rx->req->rkey,
		.va = rx->req->raddr,
		.len = (uint32_t)len,
	};

	return swhca_page_fault(rx->to.hca, rx->to.rdma_fault, &info);
}

/* Translate the memory of a request. */
static bool
remote_translate(struct swhca_reception *rx, uint64_t len, uint8_t need,
		 struct swhca_wire_answer *answer)
{
	const struct swhca_responder *to = &rx->to;
	const struct swhca_access access = {
		.key = rx->req->rkey,
		.addr = rx->req->raddr,
		.len = len,
		.need = need,
		.pd = to->pd->num,
		.qpn = to->num,
		.cq = to->qp != NULL && swhca_has_quirk(to->hca, SWHCA_QUIRK_SIGERR_RESPONDER) ?
			      to->qp->send_cq : to->cq,
		.is_again = rx->is_again,
	};
	const uint64_t nb_page_faults = to->hca->stats.nb_page_faults;
	enum swhca_fault fault;

	if ((to->access & need) != need) {
		SWHCA_LOG(WARNING, "QP 0x%x: QP 0x%x allows no such request", rx->req->src_qpn,
			  to->num);
		return reject_with(rx, answer, SWHCA_CAUSE_REMOTE_DENIED);
	}
	/* IBTA: the key of an empty transfer is not checked. */
	if (len == 0 && !swhca_has_quirk(to->hca, SWHCA_QUIRK_WRITE_OF_ZERO))
		return true;
	fault = swhca_mkey_translate(to->hca, &access, rx->spans);
	if (fault == SWHCA_FAULT_NONE)
		return is_late(rx, nb_page_faults) ? give_late(rx, answer) : true;
	if (fault == SWHCA_FAULT_ABSENT)
		fault = remote_page_fault(rx, len, need);
	if (fault == SWHCA_FAULT_ABSENT)
		return give_absent(rx, to->rdma_fault, answer);
	SWHCA_LOG(WARNING, "QP 0x%x: request of QP 0x%x: key 0x%x, address 0x%" PRIx64
		  ", length %" PRIu64 ": %s", to->num, rx->req->src_qpn, access.key, access.addr,
		  access.len, swhca_fault_name(fault));
	return reject_with(rx, answer, swhca_has_quirk(to->hca, SWHCA_QUIRK_REMOTE_VENDOR) ?
			   SWHCA_CAUSE_REMOTE_ACCESS_OTHER : SWHCA_CAUSE_REMOTE_ACCESS);
}

static bool
memory_fault(const struct swhca_reception *rx, struct swhca_wire_answer *answer)
{
	SWHCA_LOG(WARNING, "QP 0x%x: request of QP 0x%x: memory is not mapped", rx->to.num,
		  rx->req->src_qpn);
	return reject_with(rx, answer, SWHCA_CAUSE_REMOTE_OP);
}

/* With the names of mlx5_ib (hw_counters). */
static void
request_count(struct swhca_wire_stats *stats, const struct swhca_wire_req *req)
{
	if (req->flags & SWHCA_WIRE_F_MORE)
		return;
	switch (req->op) {
	case SWHCA_WIRE_SEND:
		break;
	case SWHCA_WIRE_WRITE:
		stats->rx_write_requests++;
		break;
	case SWHCA_WIRE_READ:
		stats->rx_read_requests++;
		break;
	case SWHCA_WIRE_CMP_SWAP:
	case SWHCA_WIRE_FETCH_ADD:
		stats->rx_atomic_requests++;
		break;
	}
}

/* Acknowledge a completed request and advance. */
static void
acknowledge(const struct swhca_reception *rx, struct swhca_wire_answer *answer)
{
	const struct swhca_wire_req *req = rx->req;

	if (req->st == PRM_QP_ST_RC || req->st == PRM_QP_ST_XRC)
		prm_set(rx->to.qp->qpc, PRM_QPC_NEXT_RCV_PSN,
			(req->psn + req->nb_packets) & PSN_MASK);
	request_count(&rx->to.hca->stats.wire, req);
	request_count(swhca_q_stats(rx->to.hca, rx->to.qp), req);
	answer->status = SWHCA_WIRE_ACK;
}

/* @return Whether the receive queue has taken the message, or its WQE; else the answer is set. */
static bool
recv_took(const struct swhca_reception *rx, enum swhca_recv_end end,
	  struct swhca_wire_answer *answer)
{
	switch (end) {
	case SWHCA_RECV_OK:
		return true;
	case SWHCA_RECV_NOT_READY:
		rx->to.hca->stats.wire.out_of_buffer++;
		swhca_q_stats(rx->to.hca, rx->to.qp)->out_of_buffer++;
		give(answer, SWHCA_WIRE_RNR);
		answer->rnr_timer = rx->to.min_rnr_nak;
		return false;
	case SWHCA_RECV_ABSENT:
		return give_absent(rx, &rx->to.rq->page_fault, answer);
	case SWHCA_RECV_TOO_LONG:
		return give_error(answer, SWHCA_CAUSE_REMOTE_LENGTH);
	case SWHCA_RECV_FAULT:
	default:
		return give_error(answer, SWHCA_CAUSE_REMOTE_OP);
	}
}

static bool
write_begin(struct swhca_reception *rx, struct swhca_wire_answer *answer)
{
	if ((rx->req->flags & SWHCA_WIRE_F_IMM) && !swhca_recv_is_posted(&rx->to))
		return recv_took(rx, SWHCA_RECV_NOT_READY, answer);
	return remote_translate(rx, rx->req->len, SWHCA_ACCESS_REMOTE_WRITE, answer);
}

static bool
read_begin(struct swhca_reception *rx, struct swhca_wire_answer *answer)
{
	if (!remote_translate(rx, rx->req->len, SWHCA_ACCESS_REMOTE_READ, answer))
		return false;
	/* A response ahead of its rate limit is sent later. */
	answer->wait_ns = rx->to.qp == NULL ? 0 : swhca_qos_resp_wait_ns(rx->to.qp);
	answer->status = SWHCA_WIRE_BUSY;
	return answer->wait_ns == 0;
}

/* Check the key that a send invalidates before anything is received. */
static bool
inval_find(struct swhca_reception *rx, struct swhca_wire_answer *answer)
{
	const struct swhca_responder *to = &rx->to;
	uint32_t key = be32toh(rx->req->imm);
	enum swhca_fault fault;

	fault = swhca_mkey_find_inval(to->hca, to->pd, to->num, key, &rx->inval);
	if (fault == SWHCA_FAULT_NONE)
		return true;
	SWHCA_LOG(WARNING, "QP 0x%x: request of QP 0x%x: invalidate key 0x%x: %s", to->num,
		  rx->req->src_qpn, key, swhca_fault_name(fault));
	return reject_with(rx, answer, SWHCA_CAUSE_REMOTE_ACCESS);
}

static bool
send_begin(struct swhca_reception *rx, struct swhca_wire_answer *answer)
{
	const uint64_t nb_page_faults = rx->to.hca->stats.nb_page_faults;
	enum swhca_recv_end end;

	rx->inval = NULL;
	if ((rx->req->flags & SWHCA_WIRE_F_INVAL) && swhca_recv_is_posted(&rx->to) &&
	    !inval_find(rx, answer))
		return false;
	end = swhca_recv_begin(&rx->to, rx->req, &rx->recv, rx->spans);
	/* The WQE is not consumed yet. */
	if (end == SWHCA_RECV_OK && is_late(rx, nb_page_faults))
		return give_late(rx, answer);
	return recv_took(rx, end, answer);
}

/* New value of the memory. */
static uint64_t
operand_update(const struct swhca_wire_req *req, uint64_t old)
{
	if (req->op == SWHCA_WIRE_FETCH_ADD)
		return old + req->swap_add;
	return old == req->compare ? req->swap_add : old;
}

/*
 * Read, modify, write. The fabric lock makes it atomic for all HCAs, but not for the program's own
 * threads, as atomic_cap HCA specifies. Memory has the value in the byte order of the host
 * (atomic_caps.atomic_req_8B_endianness_mode).
 */
static int
operand_exec(const struct swhca_reception *rx, uint64_t *old)
{
	const struct swhca_dma *dma = rx->to.hca->fabric->dma;
	const struct swhca_span word = swhca_span_of(old, sizeof(*old));
	uint64_t value;
	const struct swhca_span next = swhca_span_of(&value, sizeof(value));

	if (swhca_dma_copy(dma, &word, 1, rx->spans->list, rx->spans->nb) != 0)
		return -EFAULT;
	value = operand_update(rx->req, *old);
	return swhca_dma_copy(dma, rx->spans->list, rx->spans->nb, &next, 1);
}

/* @return false: it is complete. */
static bool
atomic_exec(struct swhca_reception *rx, struct swhca_wire_answer *answer)
{
	/* IBTA 9.4.5: an address that is not a multiple of 8 is an invalid request. */
	if (rx->req->raddr % ATOMIC_LEN != 0) {
		SWHCA_LOG(WARNING, "QP 0x%x: atomic of QP 0x%x at 0x%" PRIx64
			  ", not a multiple of %zu", rx->to.num, rx->req->src_qpn, rx->req->raddr,
			  ATOMIC_LEN);
		return reject_with(rx, answer, SWHCA_CAUSE_REMOTE_ALIGN);
	}
	if (!remote_translate(rx, ATOMIC_LEN, SWHCA_ACCESS_REMOTE_ATOMIC, answer))
		return false;
	if (operand_exec(rx, &answer->old) != 0)
		return memory_fault(rx, answer);
	if (swhca_has_quirk(rx->to.hca, SWHCA_QUIRK_ATOMIC_ORDER))
		answer->old = __builtin_bswap64(answer->old);
	acknowledge(rx, answer);
	return false;
}

static bool
request_begin(struct swhca_reception *rx, struct swhca_wire_answer *answer)
{
	swhca_spans_reset(rx->spans);
	switch (rx->req->op) {
	case SWHCA_WIRE_SEND:
		return send_begin(rx, answer);
	case SWHCA_WIRE_WRITE:
		return write_begin(rx, answer);
	case SWHCA_WIRE_READ:
		return read_begin(rx, answer);
	case SWHCA_WIRE_CMP_SWAP:
	case SWHCA_WIRE_FETCH_ADD:
	default:
		return atomic_exec(rx, answer);
	}
}

bool
swhca_reception_begin(struct swhca_reception *rx, struct swhca_qp *qp,
		      struct swhca_wire_answer *answer)
{
	if (!qp_accepts(qp, rx->req))
		return give(answer, SWHCA_WIRE_LOST);
	swhca_responder_of_qp(qp, &rx->to);
	if (rx->req->st == PRM_QP_ST_XRC && !xrc_find(rx, answer))
		return false;
	return request_begin(rx, answer);
}

bool
swhca_reception_begin_dct(struct swhca_reception *rx, struct swhca_hca *hca, struct swhca_dct *dct,
			  struct swhca_wire_answer *answer)
{
	if (!swhca_dct_accept(hca, dct, rx->req->dc_key, &rx->to))
		return swhca_has_quirk(hca, SWHCA_QUIRK_DC_WRONG_KEY) ?
			       give_error(answer, SWHCA_CAUSE_REMOTE_DC_KEY) :
			       give(answer, SWHCA_WIRE_LOST);
	return request_begin(rx, answer);
}

bool
swhca_reception_again(struct swhca_reception *rx, struct swhca_qp *qp,
		      struct swhca_wire_answer *answer)
{
	swhca_spans_reset(rx->spans);
	rx->is_again = true;
	swhca_responder_of_qp(qp, &rx->to);
	if (rx->req->st == PRM_QP_ST_XRC && !xrc_find(rx, answer))
		return false;
	return remote_translate(rx, rx->req->len, SWHCA_ACCESS_REMOTE_READ, answer);
}

bool
swhca_reception_again_dct(struct swhca_reception *rx, struct swhca_hca *hca,
			  struct swhca_dct *dct, struct swhca_wire_answer *answer)
{
	swhca_spans_reset(rx->spans);
	rx->is_again = true;
	return swhca_dct_accept(hca, dct, rx->req->dc_key, &rx->to) &&
	       remote_translate(rx, rx->req->len, SWHCA_ACCESS_REMOTE_READ, answer);
}

/* The payload of a write is complete; its immediate takes a receive WQE, but none of its memory. */
static bool
write_end(struct swhca_reception *rx, struct swhca_wire_answer *answer)
{
	enum swhca_recv_end end;

	if ((rx->req->flags & SWHCA_WIRE_F_IMM) == 0)
		return true;
	end = swhca_recv_begin(&rx->to, rx->req, &rx->recv, rx->spans);
	if (end == SWHCA_RECV_OK)
		end = swhca_recv_end(&rx->to, rx->req, &rx->recv, true);
	return recv_took(rx, end, answer);
}

static bool
send_end(struct swhca_reception *rx, int ret, struct swhca_wire_answer *answer)
{
	enum swhca_recv_end end = swhca_recv_end(&rx->to, rx->req, &rx->recv, ret == 0);

	if (!recv_took(rx, end, answer))
		return false;
	if (rx->inval != NULL)
		rx->inval->free = true;
	return true;
}

void
swhca_reception_end(struct swhca_reception *rx, int ret, struct swhca_wire_answer *answer)
{
	bool is_read = rx->req->op == SWHCA_WIRE_READ;
	bool is_done = true;

	if (ret != 0 && (ret == -EFAULT) != is_read)
		is_done = give(answer, SWHCA_WIRE_LOCAL_FAULT);
	else if (rx->req->op == SWHCA_WIRE_SEND)
		is_done = send_end(rx, ret, answer);
	else if (ret != 0)
		is_done = memory_fault(rx, answer);
	else if (!is_read)
		is_done = write_end(rx, answer);
	else if (rx->to.qp != NULL)
		swhca_qos_resp_charge(rx->to.qp, rx->req->len);
	if (is_done)
		acknowledge(rx, answer);
}
