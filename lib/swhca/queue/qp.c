/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "queue/eq.h"
#include "queue/qp.h"

bool
swhca_qp_is_reliable(const struct swhca_qp *qp)
{
	uint64_t st = prm_get(qp->qpc, PRM_QPC_ST);

	return st != PRM_QP_ST_UC && st != PRM_QP_ST_UD;
}

void
swhca_qp_schedule(struct swhca_qp *qp)
{
	if (qp->is_queued)
		return;
	qp->is_queued = true;
	TAILQ_INSERT_TAIL(&qp->hca->fabric->ready, qp, ready);
}

void
swhca_qp_set_drained(struct swhca_qp *qp)
{
	qp->state = PRM_QP_STATE_SQD;
	qp->not_before_ns = 0;
	SWHCA_LOG(DEBUG, "QP 0x%x: drained at send counter %u", qp->obj.num, qp->sq_ci);
	swhca_event_raise(qp->hca, PRM_EVENT_SQ_DRAINED, qp->obj.num);
}

void
swhca_qp_pace(struct swhca_qp *qp, uint64_t wait_ns)
{
	qp->not_before_ns = swhca_fabric_now_ns(qp->hca->fabric) +
			    (wait_ns < SWHCA_PACE_POLL_NS ? wait_ns : SWHCA_PACE_POLL_NS);
}

void
swhca_qp_drain(struct swhca_qp *qp)
{
	uint32_t pi = qp->sq_ci;

	/* An unreadable record is detected when the queue is executed. */
	if (qp->has_sq)
		swhca_dbr_read(qp->hca->fabric, &qp->dbr, PRM_DBR_SQ, &pi);
	qp->state = PRM_QP_STATE_SQDRAINING;
	qp->sq_drain_pi = (uint16_t)pi;
	swhca_qp_schedule(qp);
}

/* An access that reads memory is of a send or write (Linux: enum wqe_page_fault_type). */
enum swhca_fault
swhca_qp_page_fault(struct swhca_qp *qp, const struct swhca_wqe *wqe, uint8_t need)
{
	const struct swhca_page_fault_info info = {
		.sub_type = PRM_PAGE_FAULT_WQE,
		.type = PRM_PAGE_FAULT_TYPE_REQUESTOR |
			(need == SWHCA_ACCESS_LOCAL_READ ? 0 : PRM_PAGE_FAULT_TYPE_WRITE),
		.wq_num = qp->obj.num,
		.wqe_index = wqe->index,
		.qp = qp,
	};

	/* Only the resumption, or an error, reschedules it. */
	qp->not_before_ns = 0;
	return swhca_page_fault(qp->hca, &qp->sq_fault, &info);
}

void
swhca_qp_page_faults_cancel(struct swhca_qp *qp)
{
	swhca_page_fault_cancel(&qp->sq_fault);
	swhca_page_fault_cancel(&qp->rdma_fault);
	swhca_page_fault_cancel(&qp->own_rq.page_fault);
}

void
swhca_qp_fail(struct swhca_qp *qp)
{
	qp->state = PRM_QP_STATE_ERR;
	swhca_qp_page_faults_cancel(qp);
	qp->not_before_ns = 0;
	swhca_qp_schedule(qp);
}

void
swhca_qp_fini(struct swhca_hca *hca, struct swhca_obj *obj)
{
	struct swhca_qp *qp = (struct swhca_qp *)obj;

	swhca_qp_page_faults_cancel(qp);
	hca->fabric->wire->close(qp);
	free(qp->flights);
	if (qp->is_mad)
		hca->mad_qps[qp->mad_num] = NULL;
	if (qp->heard_at_ns != 0)
		LIST_REMOVE(qp, late_link);
	if (qp->is_queued)
		TAILQ_REMOVE(&qp->hca->fabric->ready, qp, ready);
	if (qp->uar != NULL) {
		LIST_REMOVE(qp, uar_link);
		swhca_uar_unref(qp->uar);
	}
	if (qp->send_cq != NULL)
		swhca_obj_unref(&qp->send_cq->obj);
	if (qp->recv_cq != NULL)
		swhca_obj_unref(&qp->recv_cq->obj);
	if (qp->umem != NULL)
		swhca_obj_unref(&qp->umem->obj);
	else
		swhca_buf_fini(&qp->buf);
	if (qp->dbr.umem != NULL)
		swhca_obj_unref(&qp->dbr.umem->obj);
	free(qp->dci);
	if (qp->req_group != NULL)
		swhca_obj_unref(&qp->req_group->obj);
	if (qp->resp_group != NULL)
		swhca_obj_unref(&qp->resp_group->obj);
	swhca_obj_unref(qp->srq);
	swhca_obj_unref(qp->xrcd);
	swhca_obj_unref(qp->pd);
}
