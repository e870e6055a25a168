/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Receive queues, private or shared: take a WQE, scatter a message, complete it. */

#include <endian.h>
#include <errno.h>

#include "base/log.h"
#include "mem/mkey.h"
#include "mem/payload.h"
#include "queue/eq.h"
#include "queue/recv.h"
#include "queue/scatter.h"

/* Number of posted WQEs, 0 if the record is not mapped; a value beyond its size is invalid. */
static uint32_t
rq_nb_posted(const struct swhca_rq *rq)
{
	uint32_t pi;

	if (swhca_dbr_read(rq->hca->fabric, &rq->dbr, PRM_DBR_RQ, &pi) != 0)
		return 0;
	return (pi - rq->ci) & 0xffff;
}

/* Check for a queue in error, or with an invalid counter. */
static bool
rq_is_broken(const struct swhca_rq *rq, uint32_t nb_posted)
{
	return rq->failed || nb_posted > UINT32_C(1) << rq->log_size;
}

/* Fail an unusable queue, and its responder. */
static void
rq_fail(const struct swhca_responder *to)
{
	struct swhca_rq *rq = to->rq;

	SWHCA_LOG(ERR, "QP 0x%x: receive queue of 0x%x is in error at %u: %u WQEs posted, 2^%u are"
		  " the most", to->num, rq->owner->num, rq->ci, rq_nb_posted(rq), rq->log_size);
	if (rq->owner->type == SWHCA_OBJ_SRQ && !rq->failed) {
		rq->failed = true;
		swhca_event_raise(rq->hca, PRM_EVENT_SRQ_CATAS_ERROR, rq->owner->num);
	}
	if (to->qp != NULL && to->qp->state != PRM_QP_STATE_ERR)
		swhca_event_raise(to->hca, PRM_EVENT_WQ_CATAS_ERROR, to->qp->obj.num);
	swhca_responder_fail(to);
}

void
swhca_rq_check_limit(struct swhca_rq *rq)
{
	if (rq->limit == 0 || rq_nb_posted(rq) >= rq->limit)
		return;
	rq->limit = 0;
	swhca_event_raise(rq->hca, PRM_EVENT_SRQ_RQ_LIMIT, rq->owner->num);
}

bool
swhca_recv_is_posted(const struct swhca_responder *to)
{
	return to->rq != NULL && (to->rq->failed || rq_nb_posted(to->rq) > 0);
}

/* Copy the next WQE. @return 0, or -EFAULT: it is unreadable, or has no valid next WQE. */
static int
rq_fetch(const struct swhca_rq *rq, struct swhca_recv *wqe)
{
	uint32_t mask = (UINT32_C(1) << rq->log_size) - 1;
	uint32_t slot = rq->is_list ? rq->head : rq->ci & mask;
	size_t bytes = (size_t)1 << rq->log_stride;

	wqe->index = rq->is_list ? rq->head : rq->ci;
	wqe->next = rq->head;
	wqe->scatter.len = 0;
	wqe->nb = (uint32_t)(bytes / sizeof(wqe->segs[0]));
	wqe->first = rq->has_next ? sizeof(struct mlx5_wqe_srq_next_seg) / PRM_WQE_DS_SIZE : 0;
	if (swhca_buf_read(rq->hca->fabric, &rq->buf, (uint64_t)slot << rq->log_stride, wqe->segs,
			   bytes) != 0)
		return -EFAULT;
	if (rq->is_list) {
		const struct mlx5_wqe_srq_next_seg *next = (const void *)wqe->segs;

		if (be16toh(next->next_wqe_index) > mask)
			return -EFAULT;
		wqe->next = be16toh(next->next_wqe_index);
	}
	return 0;
}

static void
rq_consume(struct swhca_rq *rq, const struct swhca_recv *wqe)
{
	rq->ci++;
	rq->head = wqe->next;
}

/*
 * Translate [skip, skip + *left) of the data segments of a receive WQE. Segments that the message
 * does not need are ignored. *left is set to the bytes without space in the WQE.
 */
static enum swhca_fault
recv_translate(const struct swhca_responder *to, const struct swhca_recv *wqe,
	       struct swhca_spans *spans, uint64_t skip, uint64_t *left)
{
	const struct swhca_rq *rq = to->rq;
	enum swhca_fault fault;
	uint64_t len, from;
	uint32_t i;

	for (i = wqe->first; i < wqe->nb && *left > 0; i++) {
		if (be32toh(wqe->segs[i].lkey) == SWHCA_TERMINATE_SCATTER_LIST_KEY)
			break;
		len = swhca_data_seg_len(&wqe->segs[i]);
		from = skip < len ? skip : len;
		skip -= from;
		if (from == len)
			continue;
		len -= from;
		const struct swhca_access access = {
			.key = be32toh(wqe->segs[i].lkey),
			.addr = be64toh(wqe->segs[i].addr) + from,
			.len = len < *left ? len : *left,
			.need = SWHCA_ACCESS_LOCAL_WRITE,
			.pd = rq->pd->num,
			.qpn = to->num,
			.cq = to->cq,
		};

		fault = swhca_mkey_translate(rq->hca, &access, spans);
		if (fault != SWHCA_FAULT_NONE)
			return fault;
		*left -= access.len;
	}
	return SWHCA_FAULT_NONE;
}

/* Consume a WQE that does not fit a message, or has invalid memory. */
static enum swhca_recv_end
recv_end_with(const struct swhca_responder *to, const struct swhca_recv *wqe,
	      struct swhca_wqe_error error)
{
	rq_consume(to->rq, wqe);
	SWHCA_LOG(WARNING, "QP 0x%x receive WQE 0x%x: syndrome 0x%x, vendor 0x%x: %s",
		  to->num, wqe->index, error.syndrome, error.vendor, error.text);
	swhca_cq_recv_error(to, wqe->index, error);
	swhca_responder_fail(to);
	swhca_rq_check_limit(to->rq);
	return error.syndrome == MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR ? SWHCA_RECV_TOO_LONG :
								      SWHCA_RECV_FAULT;
}

static enum swhca_recv_end
recv_reject(const struct swhca_responder *to, const struct swhca_recv *wqe, enum swhca_cause cause)
{
	return recv_end_with(to, wqe, swhca_cause_error(cause));
}

/* Memory of the WQE is absent. A shared queue has its own event type (RMP). */
static enum swhca_fault
recv_page_fault(const struct swhca_responder *to, const struct swhca_recv *wqe, uint64_t len)
{
	const struct swhca_page_fault_info info = {
		.sub_type = PRM_PAGE_FAULT_WQE,
		.type = to->rq->owner->type == SWHCA_OBJ_QP ? PRM_PAGE_FAULT_TYPE_WRITE : 0,
		.wq_num = to->rq->owner->num,
		.wqe_index = wqe->index,
		.len = (uint32_t)len,
	};

	return swhca_page_fault(to->hca, &to->rq->page_fault, &info);
}

/* Append the destination of len bytes at an offset in the WQE. */
static enum swhca_recv_end
recv_place(const struct swhca_responder *to, const struct swhca_recv *wqe, uint64_t offset,
	   uint64_t len, struct swhca_spans *spans)
{
	enum swhca_fault fault = recv_translate(to, wqe, spans, offset, &len);

	if (fault == SWHCA_FAULT_ABSENT)
		fault = recv_page_fault(to, wqe, len);
	if (fault == SWHCA_FAULT_ABSENT)
		return SWHCA_RECV_ABSENT;
	if (fault != SWHCA_FAULT_NONE)
		return recv_reject(to, wqe, SWHCA_CAUSE_OF(fault));
	if (len > 0)
		return recv_reject(to, wqe, SWHCA_CAUSE_LENGTH);
	return SWHCA_RECV_OK;
}

/* Space for a GRH precedes the payload of every datagram. */
static uint32_t
req_head_len(const struct swhca_wire_req *req)
{
	return req->st == PRM_QP_ST_UD ? SWHCA_GRH_LEN : 0;
}

/* Bytes to be scattered: the payload of a write is not. */
static uint64_t
req_scatter_len(const struct swhca_wire_req *req)
{
	return req->op == SWHCA_WIRE_SEND ? req->len : 0;
}

enum swhca_recv_end
swhca_recv_begin(const struct swhca_responder *to, const struct swhca_wire_req *req,
		 struct swhca_recv *wqe, struct swhca_spans *spans)
{
	uint64_t len = req_scatter_len(req);
	const struct swhca_inject *inject;
	uint32_t nb_posted;

	if (to->rq == NULL)
		return SWHCA_RECV_NOT_READY;
	nb_posted = rq_nb_posted(to->rq);
	if (nb_posted == 0 && !to->rq->failed)
		return SWHCA_RECV_NOT_READY;
	if (rq_is_broken(to->rq, nb_posted) || rq_fetch(to->rq, wqe) != 0) {
		rq_fail(to);
		return SWHCA_RECV_FAULT;
	}
	if (swhca_inject_is_armed(&to->hca->injects, SWHCA_INJECT_AT_RECV)) {
		inject = swhca_inject_at(to->hca, SWHCA_INJECT_AT_RECV, to->num);
		if (inject != NULL)
			return recv_end_with(to, wqe, SWHCA_ARMED_ERROR(inject));
	}
	if (req_head_len(req) != 0 || len > to->scatter_room ||
	    swhca_has_quirk(to->hca, SWHCA_QUIRK_RECEIVE_INLINE))
		return recv_place(to, wqe, req_head_len(req), len, spans);
	/* Deliver in the CQE what fits there. */
	if (swhca_scatter_divert(&wqe->scatter, spans, (uint32_t)len, to->scatter_room) != 0)
		return recv_reject(to, wqe, SWHCA_CAUSE_PIECES);
	return SWHCA_RECV_OK;
}

/* Write the GRH of a datagram before its payload; without a GRH its space is unchanged. */
static enum swhca_recv_end
recv_put_grh(const struct swhca_responder *to, const struct swhca_recv *wqe, const uint8_t *grh)
{
	struct swhca_span head = swhca_span_of(grh, SWHCA_GRH_LEN);
	const struct swhca_spans src = { .list = &head, .nb = 1, .len = head.len };
	struct swhca_spans *spans = &to->hca->fabric->remote;
	enum swhca_recv_end end;

	swhca_spans_reset(spans);
	end = recv_place(to, wqe, 0, SWHCA_GRH_LEN, spans);
	if (end != SWHCA_RECV_OK)
		return end;
	if (swhca_payload_copy(to->hca, spans, &src) != 0)
		return recv_reject(to, wqe, SWHCA_CAUSE_UNMAPPED);
	return SWHCA_RECV_OK;
}

enum swhca_recv_end
swhca_recv_end(const struct swhca_responder *to, const struct swhca_wire_req *req,
	       struct swhca_recv *wqe, bool is_written)
{
	enum swhca_recv_end end = SWHCA_RECV_OK;

	if (!is_written)
		return recv_reject(to, wqe, SWHCA_CAUSE_UNMAPPED);
	if (req->grh != NULL)
		end = recv_put_grh(to, wqe, req->grh);
	if (end != SWHCA_RECV_OK)
		return end;
	rq_consume(to->rq, wqe);
	swhca_cq_recv_done(to, wqe->index, req, &wqe->scatter);
	swhca_rq_check_limit(to->rq);
	return SWHCA_RECV_OK;
}

/* The shared queue has no more WQE of this QP: software may reclaim its resources (IBTA 11.6.3). */
static void
recv_last_wqe(struct swhca_qp *qp)
{
	if (qp->has_last_wqe)
		return;
	qp->has_last_wqe = true;
	swhca_event_raise(qp->hca, PRM_EVENT_SRQ_LAST_WQE, qp->obj.num);
}

void
swhca_recv_flush(struct swhca_qp *qp)
{
	const struct swhca_wqe_error error = swhca_cause_error(SWHCA_CAUSE_FLUSH);
	struct swhca_responder to;
	uint32_t nb;

	if (qp->srq != NULL || qp->xrcd != NULL)
		recv_last_wqe(qp);
	if (qp->rq != &qp->own_rq || swhca_has_quirk(qp->hca, SWHCA_QUIRK_RECEIVE_FLUSH))
		return;
	nb = rq_nb_posted(qp->rq);
	if (rq_is_broken(qp->rq, nb))
		return;
	swhca_responder_of_qp(qp, &to);
	qp->hca->fabric->cost += (uint64_t)nb * SWHCA_COST_WQE;
	for (; nb > 0; nb--)
		swhca_cq_recv_error(&to, to.rq->ci++, error);
}
