/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <endian.h>
#include <stddef.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/trace.h"
#include "engine/wqe.h"
#include "op/atomic.h"
#include "op/mmo.h"
#include "op/psv.h"
#include "op/rdma.h"
#include "op/umr.h"
#include "queue/qos.h"
#include "xport/dci.h"
#include "xport/xport.h"

/* What the engine holds of a send queue: nb_bb basic blocks from index first on, linear. */
struct fetched {
	const uint8_t *data;
	uint32_t nb_bb;
	uint16_t first;
};

/*
 * What is left to do. A counter that is further ahead than the ring is long, and that, cannot be
 * told from garbage; the queue is failed.
 */
static int
sq_update_pi(struct swhca_qp *qp, uint32_t *nb_bb)
{
	uint32_t pi;

	if (swhca_dbr_read(qp->hca->fabric, &qp->dbr, PRM_DBR_SQ, &pi) != 0)
		return -1;
	*nb_bb = (pi - qp->sq_ci) & 0xffff;
	if (*nb_bb > (UINT32_C(1) << qp->log_sq_size) + SWHCA_MAX_AHEAD_BB)
		return -1;
	qp->sq_pi = (uint16_t)pi;
	return 0;
}

/* Copy up to SWHCA_FETCH_BYTES from index sq_ci on, in one or two parts. */
static int
sq_fetch(struct swhca_qp *qp, uint32_t nb_bb, struct fetched *out)
{
	struct swhca_fabric *fabric = qp->hca->fabric;
	uint32_t size = UINT32_C(1) << qp->log_sq_size;
	uint32_t slot = qp->sq_ci & (size - 1);
	uint32_t nb_first;
	int ret;

	if (nb_bb > SWHCA_FETCH_BYTES / PRM_WQE_BB_SIZE)
		nb_bb = SWHCA_FETCH_BYTES / PRM_WQE_BB_SIZE;
	if (nb_bb > size)
		nb_bb = size;
	nb_first = nb_bb < size - slot ? nb_bb : size - slot;
	ret = swhca_buf_read(fabric, &qp->buf, qp->sq_offset + (uint64_t)slot * PRM_WQE_BB_SIZE,
			     fabric->wqe_buf, (size_t)nb_first * PRM_WQE_BB_SIZE);
	if (ret == 0 && nb_bb > nb_first)
		ret = swhca_buf_read(fabric, &qp->buf, qp->sq_offset,
				     fabric->wqe_buf + (size_t)nb_first * PRM_WQE_BB_SIZE,
				     (size_t)(nb_bb - nb_first) * PRM_WQE_BB_SIZE);
	*out = (struct fetched){
		.data = fabric->wqe_buf,
		.nb_bb = nb_bb,
		.first = qp->sq_ci,
	};
	return ret;
}

static void
wqe_decode(struct swhca_wqe *wqe, const uint8_t *data, uint16_t index)
{
	const struct mlx5_wqe_ctrl_seg *ctrl = (const void *)data;
	uint32_t word = be32toh(ctrl->opmod_idx_opcode);

	memset(wqe, 0, offsetof(struct swhca_wqe, scatter.data));
	wqe->data = data;
	wqe->nb_ds = be32toh(ctrl->qpn_ds) & PRM_WQE_MAX_DS;
	wqe->ds = sizeof(*ctrl) / PRM_WQE_DS_SIZE;
	wqe->opcode = word & 0xff;
	wqe->opmod = (uint8_t)(word >> 24);
	wqe->fm_ce_se = ctrl->fm_ce_se;
	wqe->index = index;
	wqe->imm = ctrl->imm;
}

/*
 * The model executes in order, so a fence has nothing to wait for; but a queue whose driver
 * forgot the one that hardware needs behind a UMR is worth a word.
 */
static void
wqe_check_fence(struct swhca_qp *qp, const struct swhca_wqe *wqe)
{
	if (!qp->unfenced_umr || wqe->opcode == MLX5_OPCODE_UMR)
		return;
	if ((wqe->fm_ce_se & PRM_CTRL_FM_MASK) == PRM_CTRL_FM_NONE)
		SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: no fence behind a UMR", qp->obj.num,
			  wqe->index);
	qp->unfenced_umr = false;
}

static enum swhca_wqe_end
wqe_exec(struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	const struct mlx5_wqe_ctrl_seg *ctrl = (const void *)wqe->data;
	uint32_t qpn = be32toh(ctrl->qpn_ds) >> 8;

	if (qpn != qp->obj.num) {
		SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: is for QP 0x%x", qp->obj.num, wqe->index,
			  qpn);
		return swhca_wqe_fail(wqe, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR, SWHCA_VENDOR_FORMAT);
	}
	wqe_check_fence(qp, wqe);
	if (!swhca_xport_has_opcode(qp, wqe->opcode)) {
		SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: opcode 0x%x is not for service type %u",
			  qp->obj.num, wqe->index, wqe->opcode,
			  (unsigned int)prm_get(qp->qpc, PRM_QPC_ST));
		return swhca_wqe_fail(wqe, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR, SWHCA_VENDOR_OPCODE);
	}
	switch (wqe->opcode) {
	case MLX5_OPCODE_NOP:
		return SWHCA_WQE_DONE;
	case MLX5_OPCODE_RDMA_WRITE:
	case MLX5_OPCODE_RDMA_WRITE_IMM:
		return swhca_rdma_write_exec(qp, wqe);
	case MLX5_OPCODE_RDMA_READ:
		return swhca_rdma_read_exec(qp, wqe);
	case MLX5_OPCODE_SEND:
	case MLX5_OPCODE_SEND_IMM:
	case MLX5_OPCODE_SEND_INVAL:
		return swhca_send_exec(qp, wqe);
	case MLX5_OPCODE_ATOMIC_CS:
	case MLX5_OPCODE_ATOMIC_FA:
		return swhca_atomic_exec(qp, wqe);
	case MLX5_OPCODE_UMR:
		return swhca_umr_exec(qp, wqe);
	case MLX5_OPCODE_MMO:
		return swhca_mmo_exec(qp, wqe);
	case MLX5_OPCODE_LOCAL_INVAL:
		return swhca_local_inv_exec(qp, wqe);
	case MLX5_OPCODE_SET_PSV:
		return swhca_set_psv_exec(qp, wqe);
	default:
		SWHCA_LOG(ERR, "QP 0x%x WQE 0x%x: opcode 0x%x is not modelled", qp->obj.num,
			  wqe->index, wqe->opcode);
		return swhca_wqe_fail(wqe, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR, SWHCA_VENDOR_OPCODE);
	}
}

static void
sq_advance(struct swhca_qp *qp, uint32_t nb_bb)
{
	qp->sq_ci += (uint16_t)nb_bb;
	qp->nb_retries = 0;
	qp->nb_rnr_retries = 0;
	qp->msn++;
	qp->not_before_ns = 0;
	qp->is_waiting = false;
	qp->hca->stats.nb_wqes++;
	qp->hca->fabric->cost += SWHCA_COST_WQE;
}

/* A WQE that cannot be followed: its size is unknown, so it takes one basic block. */
static uint32_t
wqe_nb_bb(const struct swhca_wqe *wqe)
{
	return wqe->nb_ds == 0 ? 1 : prm_ds_to_wqebb(wqe->nb_ds);
}

/* An error of an unreliable requester is none of its responder (IBTA 10.3.1, SQE state). */
static void
sq_fail(struct swhca_qp *qp)
{
	if (swhca_qp_is_reliable(qp) || qp->state != PRM_QP_STATE_RTS) {
		swhca_qp_fail(qp);
		return;
	}
	qp->state = PRM_QP_STATE_SQER;
	swhca_qp_schedule(qp);
}

static void
wqe_end_error(struct swhca_qp *qp, const struct swhca_wqe *wqe, uint32_t nb_bb)
{
	SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: opcode 0x%x, syndrome 0x%x, vendor 0x%x", qp->obj.num,
		  wqe->index, wqe->opcode, wqe->error.syndrome, wqe->error.vendor);
	swhca_cq_send_error(qp, wqe);
	sq_advance(qp, nb_bb);
}

/* Flush in error: every WQE that is posted completes, whether it asked for a CQE or not. */
static void
wqe_flush(struct swhca_qp *qp, struct swhca_wqe *wqe, uint32_t nb_bb)
{
	swhca_wqe_fail(wqe, MLX5_CQE_SYNDROME_WR_FLUSH_ERR, SWHCA_VENDOR_FLUSH);
	swhca_cq_send_error(qp, wqe);
	sq_advance(qp, nb_bb);
}

static bool
sq_flushes(const struct swhca_qp *qp)
{
	return qp->state == PRM_QP_STATE_ERR || qp->state == PRM_QP_STATE_SQER;
}

/*
 * Signature pipelining: a queue that asked for it stops behind the transfer whose signature is
 * wrong, and at the latest in front of the next fenced WQE
 * (mlx5dv_qp_cancel_posted_send_wrs(3)). Here it stops at once.
 */
static bool
sq_stops_at_sigerr(struct swhca_qp *qp)
{
	bool has_sigerr = qp->has_sigerr;

	qp->has_sigerr = false;
	if (!has_sigerr || !prm_get(qp->qpc, PRM_QPC_DRAIN_SIGERR) ||
	    (qp->state != PRM_QP_STATE_RTS && qp->state != PRM_QP_STATE_SQDRAINING))
		return false;
	swhca_qp_set_drained(qp);
	return true;
}

/* What stands behind the control segment (DC: also the initiator's). */
static enum prm_dump_service
qp_service(const struct swhca_qp *qp)
{
	switch (prm_get(qp->qpc, PRM_QPC_ST)) {
	case PRM_QP_ST_UD:
		return PRM_DUMP_DATAGRAM;
	case PRM_QP_ST_XRC:
		return PRM_DUMP_XRC;
	case PRM_QP_ST_DCI:
		return PRM_DUMP_DC;
	default:
		return PRM_DUMP_CONNECTED;
	}
}

/* Execute or flush the WQE at sq_ci, which is fetched. @return false to stop the turn. */
static bool
wqe_run(struct swhca_qp *qp, struct swhca_wqe *wqe, uint32_t nb_bb)
{
	if (!qp->is_waiting && swhca_trace_is_on())
		swhca_trace_wqe(qp->hca->conf.vhca_id, qp->obj.num, qp_service(qp), wqe->data,
				(size_t)wqe->nb_ds * PRM_WQE_DS_SIZE);
	if (sq_flushes(qp) || swhca_dci_is_errored(qp, wqe)) {
		wqe_flush(qp, wqe, nb_bb);
		return true;
	}
	switch (qp->hca->conf.is_ack_only ? SWHCA_WQE_DONE : wqe_exec(qp, wqe)) {
	case SWHCA_WQE_WAIT:
		qp->is_waiting = true;
		return false;
	case SWHCA_WQE_ERROR:
		wqe_end_error(qp, wqe, nb_bb);
		if (!swhca_dci_take_error(qp, wqe))
			sq_fail(qp);
		return true;
	case SWHCA_WQE_DONE:
	case SWHCA_WQE_DROPPED:
	default:
		break;
	}
	if ((wqe->fm_ce_se & PRM_CTRL_CE_MASK) >= PRM_CTRL_CE_ALWAYS)
		swhca_cq_send_done(qp, wqe);
	sq_advance(qp, nb_bb);
	return !sq_stops_at_sigerr(qp);
}

/* The ring or its record is gone: fail once, there is nothing left to flush. */
static void
sq_lost(struct swhca_qp *qp, bool has_record)
{
	struct swhca_wqe wqe = { .index = qp->sq_ci };

	if (sq_flushes(qp))
		return;
	SWHCA_LOG(ERR, "QP 0x%x: %s at send counter %u", qp->obj.num,
		  has_record ? "the ring is not mapped" :
			       "the doorbell record is not mapped, or further ahead than the ring",
		  qp->sq_ci);
	swhca_wqe_fail(&wqe, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR, SWHCA_VENDOR_RING);
	swhca_cq_send_error(qp, &wqe);
	if (has_record)
		qp->sq_ci = qp->sq_pi;
	sq_fail(qp);
}

/* A WQE whose size cannot be, or that ends beyond what is posted. @return WQEBBs to skip. */
static uint32_t
wqe_reject_size(struct swhca_qp *qp, struct swhca_wqe *wqe, uint32_t nb_bb, uint32_t nb_left)
{
	SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: DS %u, but %u WQEBBs are posted", qp->obj.num,
		  wqe->index, wqe->nb_ds, nb_left);
	swhca_wqe_fail(wqe, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR, SWHCA_VENDOR_FORMAT);
	if (nb_bb > nb_left)
		nb_bb = nb_left;
	if (sq_flushes(qp)) {
		wqe_flush(qp, wqe, nb_bb);
		return nb_bb;
	}
	/* Where the next one begins is a guess: no stream can go on. */
	wqe_end_error(qp, wqe, nb_bb);
	sq_fail(qp);
	return nb_bb;
}

/* Have the WQE at sq_ci in the buffer as a whole. @return 0, or -1 if the ring is gone. */
static int
wqe_fetch(struct swhca_qp *qp, struct fetched *got, uint32_t nb_left, struct swhca_wqe *wqe)
{
	uint32_t at = (uint16_t)(qp->sq_ci - got->first);

	if (at < got->nb_bb) {
		wqe_decode(wqe, got->data + (size_t)at * PRM_WQE_BB_SIZE, qp->sq_ci);
		if (wqe_nb_bb(wqe) <= got->nb_bb - at || got->nb_bb - at == nb_left)
			return 0;
	}
	if (sq_fetch(qp, nb_left, got) != 0)
		return -1;
	wqe_decode(wqe, got->data, qp->sq_ci);
	return 0;
}

/* Whether the time of a QP that waits has not come. */
static bool
qp_must_wait(const struct swhca_qp *qp)
{
	return qp->not_before_ns != 0 && swhca_now_ns() < qp->not_before_ns;
}

/* Whether a QP is ahead of its rate; then it waits. A queue in error flushes at once. */
static bool
qp_must_slow_down(struct swhca_qp *qp)
{
	uint64_t wait_ns = sq_flushes(qp) ? 0 : swhca_qos_wait_ns(qp);

	if (wait_ns == 0)
		return false;
	swhca_qp_pace(qp, wait_ns);
	return true;
}

/*
 * Receives that are posted to a queue in error are flushed too (IBTA 10.3.1). No doorbell tells of
 * them, so the queue looks again from time to time. So does one whose record comes late.
 */
static void
rq_flush(struct swhca_qp *qp)
{
	swhca_recv_flush(qp);
	if (qp->rq == &qp->own_rq || qp->is_misrung)
		qp->not_before_ns = swhca_now_ns() + SWHCA_WAIT_POLL_NS;
}

static bool
sq_may_run(const struct swhca_qp *qp)
{
	return qp->state == PRM_QP_STATE_RTS || qp->state == PRM_QP_STATE_SQDRAINING ||
	       sq_flushes(qp);
}

static uint32_t
sq_nb_to_drain(const struct swhca_qp *qp, uint32_t nb_posted)
{
	uint32_t nb = (uint16_t)(qp->sq_drain_pi - qp->sq_ci);

	return nb < nb_posted ? nb : nb_posted;
}

unsigned int
swhca_qp_run(struct swhca_qp *qp)
{
	const uint64_t end = qp->hca->fabric->cost + SWHCA_COST_TURN;
	struct fetched got = { 0 };
	unsigned int nb_done = 0;
	uint64_t nb_bytes;
	uint32_t nb_left, nb_bb;
	struct swhca_wqe wqe;

	if (!sq_may_run(qp) || qp_must_wait(qp))
		return 0;
	if (!qp->has_sq) {
		nb_left = 0;
	} else if (sq_update_pi(qp, &nb_left) != 0) {
		sq_lost(qp, false);
		nb_left = 0;
	}
	if (qp->state == PRM_QP_STATE_SQDRAINING)
		nb_left = sq_nb_to_drain(qp, nb_left);
	while (nb_left > 0 && nb_done < SWHCA_QP_QUANTUM && !qp_must_slow_down(qp)) {
		if (wqe_fetch(qp, &got, nb_left, &wqe) != 0) {
			sq_lost(qp, true);
			break;
		}
		nb_bb = wqe_nb_bb(&wqe);
		nb_bytes = qp->hca->stats.nb_bytes;
		if (wqe.nb_ds == 0 || nb_bb > nb_left || nb_bb > UINT32_C(1) << qp->log_sq_size)
			nb_bb = wqe_reject_size(qp, &wqe, nb_bb, nb_left);
		else if (!wqe_run(qp, &wqe, nb_bb))
			break;
		swhca_qos_charge(qp, qp->hca->stats.nb_bytes - nb_bytes);
		nb_left -= nb_bb;
		nb_done++;
		if (qp->hca->fabric->cost >= end) {
			swhca_qp_schedule(qp);
			break;
		}
	}
	if (qp->state == PRM_QP_STATE_SQDRAINING && qp->sq_ci == qp->sq_drain_pi)
		swhca_qp_set_drained(qp);
	if (qp->state == PRM_QP_STATE_ERR)
		rq_flush(qp);
	return nb_done;
}
