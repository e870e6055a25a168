/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Receive queues, of a QP or shared: take a WQE, scatter a message, complete it.
 */

#include <endian.h>
#include <errno.h>

#include "base/log.h"
#include "mem/mkey.h"
#include "mem/payload.h"
#include "object/limits.h"
#include "queue/eq.h"
#include "queue/recv.h"
#include "queue/scatter.h"

/* One receive WQE, copied. */
struct recv_wqe {
	struct mlx5_wqe_data_seg segs[SWHCA_MAX_WQE_SZ_RQ / sizeof(struct mlx5_wqe_data_seg)];
	uint32_t first;		/* data segments are [first, nb) */
	uint32_t nb;
	uint16_t index;		/* as the CQE names it */
	uint16_t next;		/* list: entry behind it */
	struct swhca_scatter scatter;	/* what came in the CQE instead */
};

/* WQEs posted, 0 if the record is not mapped; what a queue has beyond its size is garbage. */
static uint32_t
rq_nb_posted(const struct swhca_rq *rq)
{
	uint32_t pi;

	if (swhca_dbr_read(rq->hca->fabric, &rq->dbr, PRM_DBR_RQ, &pi) != 0)
		return 0;
	return (pi - rq->ci) & 0xffff;
}

/* A queue in error, or whose counter cannot be. */
static bool
rq_is_broken(const struct swhca_rq *rq, uint32_t nb_posted)
{
	return rq->failed || nb_posted > UINT32_C(1) << rq->log_size;
}

/* A queue that cannot be followed is the end of it, and of whoever receives through it. */
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

/* Copy the WQE that is next. @return 0, or -EFAULT: it cannot be read, or names no other. */
static int
rq_fetch(const struct swhca_rq *rq, struct recv_wqe *wqe)
{
	uint32_t mask = (UINT32_C(1) << rq->log_size) - 1;
	uint32_t slot = rq->is_list ? rq->head : rq->ci & mask;
	size_t bytes = (size_t)1 << rq->log_stride;

	wqe->index = rq->is_list ? rq->head : rq->ci;
	wqe->next = rq->head;
	wqe->scatter = (struct swhca_scatter){ 0 };
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
rq_consume(struct swhca_rq *rq, const struct recv_wqe *wqe)
{
	rq->ci++;
	rq->head = wqe->next;
}

/*
 * Translate [skip, skip + *left) of what the data segments of a receive WQE cover. What the
 * message does not need is not looked at. *left is the rest that the WQE has no place for.
 */
static enum swhca_fault
recv_translate(const struct swhca_responder *to, const struct recv_wqe *wqe,
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
			.rights = SWHCA_ACCESS_LOCAL_WRITE,
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

static enum swhca_recv_end
recv_refuse(struct swhca_wqe_error *error, uint8_t syndrome, unsigned int vendor)
{
	*error = (struct swhca_wqe_error){ .syndrome = syndrome, .vendor = (uint8_t)vendor };
	return syndrome == MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR ? SWHCA_RECV_TOO_LONG :
								SWHCA_RECV_FAULT;
}

/* Scatter one list of spans to where the WQE has room from an offset on. */
static enum swhca_recv_end
recv_scatter_at(const struct swhca_responder *to, const struct recv_wqe *wqe, uint64_t offset,
		const struct swhca_spans *src, struct swhca_wqe_error *error)
{
	struct swhca_spans *spans = &to->hca->fabric->remote;
	uint64_t left = src->len;
	enum swhca_fault fault;
	int ret;

	if (left == 0)
		return SWHCA_RECV_OK;
	swhca_spans_reset(spans);
	fault = recv_translate(to, wqe, spans, offset, &left);
	if (fault != SWHCA_FAULT_NONE)
		return recv_refuse(error, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR,
				   SWHCA_VENDOR_FAULT(fault));
	if (left > 0)
		return recv_refuse(error, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR, SWHCA_VENDOR_LENGTH);
	ret = swhca_payload_copy(to->hca, spans, src);
	if (ret == -EFAULT)
		return SWHCA_RECV_SOURCE_FAULT;
	if (ret != 0)
		return recv_refuse(error, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR, SWHCA_VENDOR_UNMAPPED);
	return SWHCA_RECV_OK;
}

/* Payload that the CQE has room for goes there. */
static enum swhca_recv_end
recv_scatter_cqe(const struct swhca_responder *to, struct recv_wqe *wqe,
		 const struct swhca_spans *src, struct swhca_wqe_error *error)
{
	struct swhca_fabric *fabric = to->hca->fabric;

	if (swhca_scatter_divert(fabric, &fabric->remote, (uint32_t)src->len) != 0)
		return recv_refuse(error, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR, SWHCA_VENDOR_LENGTH);
	if (swhca_payload_copy(to->hca, &fabric->remote, src) != 0)
		return SWHCA_RECV_SOURCE_FAULT;
	wqe->scatter = (struct swhca_scatter){ (uint32_t)src->len, to->scatter_room };
	return SWHCA_RECV_OK;
}

/* The GRH of a datagram goes in front of its payload; without one its place is left alone. */
static enum swhca_recv_end
recv_scatter(const struct swhca_responder *to, struct recv_wqe *wqe,
	     const struct swhca_message *msg, struct swhca_wqe_error *error)
{
	struct swhca_span span = swhca_span_of(msg->head, msg->head_len);
	const struct swhca_spans head = { .list = &span, .nb = 1, .len = span.len };
	enum swhca_recv_end end;

	if (msg->head_len == 0 && msg->payload->len <= to->scatter_room)
		return recv_scatter_cqe(to, wqe, msg->payload, error);
	end = recv_scatter_at(to, wqe, msg->head_len, msg->payload, error);
	if (end == SWHCA_RECV_OK && msg->head != NULL)
		end = recv_scatter_at(to, wqe, 0, &head, error);
	return end;
}

enum swhca_recv_end
swhca_recv_deliver(const struct swhca_responder *to, const struct swhca_message *msg)
{
	struct swhca_wqe_error error = { 0 };
	enum swhca_recv_end end;
	struct recv_wqe wqe;
	uint32_t nb_posted;

	if (to->rq == NULL)
		return SWHCA_RECV_NOT_READY;
	nb_posted = rq_nb_posted(to->rq);
	if (nb_posted == 0 && !to->rq->failed)
		return SWHCA_RECV_NOT_READY;
	if (rq_is_broken(to->rq, nb_posted) || rq_fetch(to->rq, &wqe) != 0) {
		rq_fail(to);
		return SWHCA_RECV_FAULT;
	}
	end = recv_scatter(to, &wqe, msg, &error);
	if (end == SWHCA_RECV_SOURCE_FAULT)
		return end;
	rq_consume(to->rq, &wqe);
	if (end == SWHCA_RECV_OK) {
		swhca_cq_recv_done(to, wqe.index, msg, &wqe.scatter);
	} else {
		SWHCA_LOG(WARNING, "QP 0x%x receive WQE 0x%x: syndrome 0x%x, vendor 0x%x", to->num,
			  wqe.index, error.syndrome, error.vendor);
		swhca_cq_recv_error(to, wqe.index, error);
		swhca_responder_fail(to);
	}
	swhca_rq_check_limit(to->rq);
	return end;
}

/* A shared queue has no WQE of this QP any more: software may reclaim what it has (IBTA 11.6.3). */
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
	const struct swhca_wqe_error error = {
		.syndrome = MLX5_CQE_SYNDROME_WR_FLUSH_ERR,
		.vendor = SWHCA_VENDOR_FLUSH,
	};
	struct swhca_responder to;
	uint32_t nb;

	if (qp->srq != NULL || qp->xrcd != NULL)
		recv_last_wqe(qp);
	if (qp->rq != &qp->own_rq)
		return;
	nb = rq_nb_posted(qp->rq);
	if (rq_is_broken(qp->rq, nb))
		return;
	swhca_responder_of_qp(qp, &to);
	qp->hca->fabric->cost += (uint64_t)nb * SWHCA_COST_WQE;
	for (; nb > 0; nb--)
		swhca_cq_recv_error(&to, to.rq->ci++, error);
}
