/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <endian.h>
#include <string.h>

#include "mlx5_prm_cmd.h"
#include "mlx5_prm_sig.h"
#include "base/timer.h"
#include "queue/cq.h"
#include "queue/cq_event.h"
#include "queue/cq_ring.h"
#include "queue/eq.h"
#include "queue/q_counter.h"
#include "queue/queue_responder.h"
#include "queue/scatter.h"

/* Write a CQE, with small payload in it if any. */
static bool
cq_write(struct swhca_hca *hca, struct swhca_cq *cq, struct mlx5_cqe64 *cqe,
	 const struct swhca_scatter *scatter)
{
	uint8_t head[sizeof(*cqe)];
	bool has_head = false;

	if (scatter != NULL && scatter->len != 0) {
		swhca_scatter_fill(scatter, cqe, head);
		has_head = scatter->room == sizeof(head);
	}
	return swhca_cq_write(hca, cq, cqe, has_head ? head : NULL);
}

/* @param qp Selects the clock; NULL: the free-running one. */
static void
cqe_init(struct mlx5_cqe64 *cqe, const struct swhca_qp *qp, uint32_t srqn_uidx, uint8_t cqe_opcode,
	 uint16_t index)
{
	bool is_real_time = qp != NULL && prm_get(qp->qpc, PRM_QPC_TS_FORMAT) ==
						  PRM_TS_FORMAT_REAL_TIME;

	memset(cqe, 0, sizeof(*cqe));
	cqe->srqn_uidx = htobe32(srqn_uidx);
	cqe->timestamp = htobe64(swhca_timer_stamp(is_real_time));
	cqe->wqe_counter = htobe16(index);
	cqe->op_own = (uint8_t)(cqe_opcode << 4);
}

static void
cqe_set_error(struct mlx5_cqe64 *cqe, struct swhca_wqe_error error)
{
	struct mlx5_err_cqe *err = (struct mlx5_err_cqe *)cqe;

	/* These two replace the timestamp in an error CQE. */
	cqe->timestamp = 0;
	err->vendor_err_synd = error.vendor;
	err->syndrome = error.syndrome;
}

static void
send_cqe_init(const struct swhca_qp *qp, const struct swhca_wqe *wqe, struct mlx5_cqe64 *cqe,
	      uint8_t cqe_opcode)
{
	cqe_init(cqe, qp, (uint32_t)prm_get(qp->qpc, PRM_QPC_USER_INDEX), cqe_opcode, wqe->index);
	cqe->sop_drop_qpn = htobe32((uint32_t)wqe->opcode << 24 | qp->obj.num);
}

/* A queue pair whose completion is lost enters the error state (IBTA 10.2.5, CQ overrun). */
static void
send_cq_write(struct swhca_qp *qp, struct mlx5_cqe64 *cqe, const struct swhca_scatter *scatter)
{
	if (cq_write(qp->hca, qp->send_cq, cqe, scatter) ||
	    qp->state == PRM_QP_STATE_ERR)
		return;
	swhca_event_raise(qp->hca, PRM_EVENT_WQ_CATAS_ERROR, qp->obj.num);
	swhca_qp_fail(qp);
}

void
swhca_cq_send_done(struct swhca_qp *qp, const struct swhca_wqe *wqe)
{
	struct mlx5_cqe64 cqe;

	send_cqe_init(qp, wqe, &cqe, MLX5_CQE_REQ);
	if (swhca_has_quirk(qp->hca, SWHCA_QUIRK_CQE_COUNTER) && wqe->nb_ds > 0)
		cqe.wqe_counter = htobe16((uint16_t)(wqe->index + prm_ds_to_wqebb(wqe->nb_ds) - 1));
	cqe.byte_cnt = htobe32(wqe->byte_cnt);
	/* "Completion and event": raises an event even if only solicited ones are requested. */
	if ((wqe->fm_ce_se & PRM_CTRL_CE_MASK) == PRM_CTRL_CE_ALWAYS_EQE)
		cqe.op_own |= PRM_CQE_SE;
	send_cq_write(qp, &cqe, &wqe->scatter);
}

/* With the names of mlx5_ib (hw_counters). */
static void
send_error_count(struct swhca_wire_stats *stats, uint8_t syndrome)
{
	stats->req_cqe_error++;
	stats->req_cqe_flush_error += syndrome == MLX5_CQE_SYNDROME_WR_FLUSH_ERR;
	stats->req_remote_invalid_request += syndrome == MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR;
	stats->req_remote_access_errors += syndrome == MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR;
	stats->req_transport_retries_exceeded +=
		syndrome == MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR;
	stats->req_rnr_retries_exceeded += syndrome == MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR;
}

static void
recv_error_count(struct swhca_wire_stats *stats, uint8_t syndrome)
{
	stats->resp_cqe_error++;
	stats->resp_cqe_flush_error += syndrome == MLX5_CQE_SYNDROME_WR_FLUSH_ERR;
	stats->resp_local_length_error += syndrome == MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR;
}

/* Check for errors without CQE, on a device that only writes requested CQEs. */
static bool
send_error_is_silent(const struct swhca_qp *qp, const struct swhca_wqe *wqe)
{
	bool is_flush = wqe->error.syndrome == MLX5_CQE_SYNDROME_WR_FLUSH_ERR;

	return (wqe->fm_ce_se & PRM_CTRL_CE_MASK) < PRM_CTRL_CE_ALWAYS &&
	       swhca_has_quirk(qp->hca, is_flush ? SWHCA_QUIRK_ERROR_FLUSH :
						   SWHCA_QUIRK_ERROR_UNSIGNALED);
}

void
swhca_cq_send_error(struct swhca_qp *qp, const struct swhca_wqe *wqe)
{
	struct mlx5_cqe64 cqe;

	if (send_error_is_silent(qp, wqe))
		return;

	send_cqe_init(qp, wqe, &cqe, MLX5_CQE_REQ_ERR);
	cqe_set_error(&cqe, wqe->error);
	qp->hca->stats.nb_cqe_errors++;
	send_error_count(&qp->hca->stats.wire, wqe->error.syndrome);
	send_error_count(swhca_q_stats(qp->hca, qp), wqe->error.syndrome);
	send_cq_write(qp, &cqe, NULL);
}

/* Initialize the common part of responder completions. */
static void
recv_cqe_init(const struct swhca_responder *to, struct mlx5_cqe64 *cqe, uint8_t cqe_opcode,
	      uint16_t index)
{
	cqe_init(cqe, to->qp, to->srqn_uidx, cqe_opcode, index);
	cqe->sop_drop_qpn = htobe32(to->num);
}

static void
recv_cq_write(const struct swhca_responder *to, struct mlx5_cqe64 *cqe,
	      const struct swhca_scatter *scatter)
{
	if (cq_write(to->hca, to->cq, cqe, scatter))
		return;
	if (to->qp != NULL && to->qp->state != PRM_QP_STATE_ERR)
		swhca_event_raise(to->hca, PRM_EVENT_WQ_CATAS_ERROR, to->qp->obj.num);
	swhca_responder_fail(to);
}

static uint8_t
recv_cqe_opcode(const struct swhca_wire_req *req)
{
	if (req->op == SWHCA_WIRE_WRITE)
		return MLX5_CQE_RESP_WR_IMM;
	if (req->flags & SWHCA_WIRE_F_INVAL)
		return MLX5_CQE_RESP_SEND_INV;
	return req->flags & SWHCA_WIRE_F_IMM ? MLX5_CQE_RESP_SEND_IMM : MLX5_CQE_RESP_SEND;
}

void
swhca_cq_recv_done(const struct swhca_responder *to, uint16_t index,
		   const struct swhca_wire_req *req, const struct swhca_scatter *scatter)
{
	uint32_t head_len = req->st == PRM_QP_ST_UD ? SWHCA_GRH_LEN : 0;
	struct mlx5_cqe64 cqe;

	recv_cqe_init(to, &cqe, recv_cqe_opcode(req), index);
	cqe.flags_rqpn = htobe32(PRM_CQE_FLAGS_RQPN_SL(req->sl) | req->src_qpn |
				 (req->grh != NULL ? PRM_CQE_FLAGS_RQPN_GRH : 0) |
				 PRM_CQE_FLAGS_RQPN_L3(req->l3));
	cqe.slid = htobe16(req->slid);
	cqe.byte_cnt = htobe32((uint32_t)req->msg_len + head_len);
	cqe.imm_inval_pkey = req->imm;
	/* Queue pair 1 belongs to all partitions (Linux: handle_responder(), is_qp1()). */
	if (to->qp != NULL && to->qp->is_mad)
		cqe.imm_inval_pkey = htobe32(req->pkey);
	if (req->flags & SWHCA_WIRE_F_SOLICITED)
		cqe.op_own |= PRM_CQE_SE;
	recv_cq_write(to, &cqe, scatter);
}

void
swhca_cq_recv_error(const struct swhca_responder *to, uint16_t index, struct swhca_wqe_error error)
{
	struct mlx5_cqe64 cqe;

	recv_cqe_init(to, &cqe, MLX5_CQE_RESP_ERR, index);
	cqe_set_error(&cqe, error);
	to->hca->stats.nb_cqe_errors++;
	recv_error_count(&to->hca->stats.wire, error.syndrome);
	recv_error_count(swhca_q_stats(to->hca, to->qp), error.syndrome);
	recv_cq_write(to, &cqe, NULL);
}

void
swhca_cq_sig_error(const struct swhca_xform *xform, const struct swhca_sig_error *error)
{
	uint64_t expected, actual;
	struct mlx5_cqe64 cqe;

	if (xform->qp != NULL)
		xform->qp->has_sigerr = true;
	if (xform->cq == NULL)
		return;
	memset(&cqe, 0, sizeof(cqe));
	expected = error->expected;
	actual = error->actual;
	if (swhca_has_quirk(xform->hca, SWHCA_QUIRK_SIGERR_CONTENTS)) {
		expected = error->actual;
		actual = error->expected;
	}
	prm_set(&cqe, PRM_SIGERR_EXPECTED, expected >> 32);
	prm_set(&cqe, PRM_SIGERR_ACTUAL, actual >> 32);
	prm_set(&cqe, PRM_SIGERR_EXPECTED_LOW, (uint32_t)expected);
	prm_set(&cqe, PRM_SIGERR_ACTUAL_LOW, (uint32_t)actual);
	prm_set(&cqe, PRM_SIGERR_SYNDROME, error->syndrome);
	prm_set(&cqe, PRM_SIGERR_SIG_TYPE,
		error->is_trans ? PRM_SIGERR_TYPE_TRANSACTION : PRM_SIGERR_TYPE_BLOCK);
	prm_set(&cqe, PRM_SIGERR_DOMAIN,
		error->is_memory ? PRM_SIGERR_DOMAIN_MEMORY : PRM_SIGERR_DOMAIN_WIRE);
	prm_set(&cqe, PRM_SIGERR_MKEY, error->key);
	prm_set(&cqe, PRM_SIGERR_OFFSET, error->offset);
	prm_set(&cqe, PRM_SIGERR_QPN, error->qpn);
	cqe.op_own = PRM_CQE_OPCODE_SIGERR << 4;
	xform->hca->stats.nb_cqe_errors++;
	cq_write(xform->hca, xform->cq, &cqe, NULL);
}

void
swhca_cq_fini(struct swhca_hca *hca, struct swhca_obj *obj)
{
	struct swhca_cq *cq = (struct swhca_cq *)obj;

	(void)hca;
	if (cq->eq != NULL)
		swhca_obj_unref(&cq->eq->obj);
	if (cq->uar != NULL)
		swhca_cq_event_fini(cq);
	if (cq->session.nb != 0)
		LIST_REMOVE(cq, open_link);
	swhca_cq_ring_fini(cq);
	if (cq->dbr.umem != NULL)
		swhca_obj_unref(&cq->dbr.umem->obj);
}
