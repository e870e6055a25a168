/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Execution and completion of send queues. */

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/trace.h"
#include "engine/flight.h"
#include "engine/sq.h"
#include "engine/wqe_exec.h"
#include "queue/qos.h"
#include "queue/halt.h"
#include "xport/dci.h"
#include "xport/xport_requester.h"

/*
 * Update the number of posted WQEBBs. A counter further ahead than the ring allows is invalid, and
 * the queue is failed.
 */
static int
sq_update_pi(struct swhca_qp *qp, uint32_t *nb_bb)
{
	uint32_t pi;

	if (swhca_dbr_read(qp->hca->fabric, &qp->dbr, PRM_DBR_SQ, &pi) != 0)
		return -1;
	if (((pi - qp->sq_ci) & 0xffff) > (UINT32_C(1) << qp->log_sq_size) + SWHCA_MAX_AHEAD_BB ||
	    (uint16_t)(pi - qp->sq_ci) < (uint16_t)(qp->sq_next - qp->sq_ci))
		return -1;
	*nb_bb = (pi - qp->sq_next) & 0xffff;
	qp->sq_pi = (uint16_t)pi;
	return 0;
}

/* Advance past an executed WQE. */
static void
sq_advance(struct swhca_qp *qp, uint32_t nb_bb)
{
	qp->sq_next += (uint16_t)nb_bb;
	qp->nb_retries = 0;
	qp->nb_rnr_retries = 0;
	qp->msn++;
	qp->not_before_ns = 0;
	qp->is_waiting = false;
	qp->hca->fabric->cost += SWHCA_COST_WQE;
}

/* Advance past the oldest incomplete WQE. */
static void
sq_complete(struct swhca_qp *qp, uint32_t nb_bb)
{
	qp->sq_ci += (uint16_t)nb_bb;
	qp->hca->stats.nb_wqes++;
}

/* An error of an unreliable requester does not affect its responder (IBTA 10.3.1, SQE state). */
static void
sq_fail(struct swhca_qp *qp)
{
	if (swhca_qp_is_reliable(qp) || qp->state != PRM_QP_STATE_RTS) {
		swhca_qp_fail(qp);
		return;
	}
	qp->state = PRM_QP_STATE_SQER;
	swhca_page_fault_cancel(&qp->sq_fault);
	swhca_qp_schedule(qp);
}

static void
wqe_end_error(struct swhca_qp *qp, const struct swhca_wqe *wqe, uint32_t nb_bb)
{
	SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: opcode 0x%x, syndrome 0x%x, vendor 0x%x: %s",
		  qp->obj.num, wqe->index, wqe->opcode, wqe->error.syndrome, wqe->error.vendor,
		  wqe->error.text);
	swhca_cq_send_error(qp, wqe);
	sq_complete(qp, nb_bb);
}

/* Flush in error: every posted WQE completes, even without a requested CQE. */
static void
wqe_flush(struct swhca_qp *qp, struct swhca_wqe *wqe, uint32_t nb_bb)
{
	swhca_wqe_fail(wqe, SWHCA_CAUSE_FLUSH);
	swhca_cq_send_error(qp, wqe);
	sq_complete(qp, nb_bb);
}

static bool
sq_flushes(const struct swhca_qp *qp)
{
	return qp->state == PRM_QP_STATE_ERR || qp->state == PRM_QP_STATE_SQER;
}

/*
 * Signature pipelining: a queue with this option stops after the transfer with the wrong signature,
 * and at the latest before the next fenced WQE (mlx5dv_qp_cancel_posted_send_wrs(3)). Here it stops
 * at once.
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

/* Layout after the control segment (DC: of the initiator, too). */
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

/* Complete a successful WQE. */
static void
wqe_done(struct swhca_qp *qp, const struct swhca_wqe *wqe, uint32_t nb_bb)
{
	if ((wqe->fm_ce_se & PRM_CTRL_CE_MASK) >= PRM_CTRL_CE_ALWAYS)
		swhca_cq_send_done(qp, wqe);
	sq_complete(qp, nb_bb);
}

/* Complete a failed WQE: the error is that of its stream, or of the queue. */
static void
wqe_failed(struct swhca_qp *qp, const struct swhca_wqe *wqe, uint32_t nb_bb, bool is_fatal)
{
	wqe_end_error(qp, wqe, nb_bb);
	if (is_fatal || !swhca_dci_take_error(qp, wqe))
		sq_fail(qp);
}

static void
wqe_complete(struct swhca_qp *qp, struct swhca_wqe *wqe, uint32_t nb_bb, enum swhca_wqe_end end)
{
	if (end == SWHCA_WQE_ERROR)
		wqe_failed(qp, wqe, nb_bb, false);
	else
		wqe_done(qp, wqe, nb_bb);
}

/* Add an outstanding WQE, which waits for earlier ones or its answer: it completes in order. */
static void
wqe_remember(struct swhca_qp *qp, const struct swhca_wqe *wqe, uint32_t nb_bb,
	     enum swhca_wqe_end end, bool is_fatal)
{
	swhca_flights_push(qp, wqe, nb_bb, end)->is_fatal = is_fatal;
	/* Nothing is executed after an error. */
	qp->is_held = end == SWHCA_WQE_ERROR;
}

/* Apply an injected fault to a WQE. @return false: none, execute it. */
static bool
wqe_inject(struct swhca_qp *qp, struct swhca_wqe *wqe, enum swhca_wqe_end *end)
{
	const struct swhca_inject *inject;

	/* It starts only once. */
	if (qp->is_waiting || !swhca_inject_is_armed(&qp->hca->injects, SWHCA_INJECT_AT_SEND))
		return false;
	inject = swhca_inject_at(qp->hca, SWHCA_INJECT_AT_SEND, qp->obj.num);
	if (inject == NULL)
		return false;
	*end = SWHCA_WQE_WAIT;
	switch (inject->cls) {
	case SWHCA_INJECT_ERROR_CQE:
		wqe->error = SWHCA_ARMED_ERROR(inject);
		*end = SWHCA_WQE_ERROR;
		break;
	case SWHCA_INJECT_ENGINE_STALL:
		swhca_still_stall(qp->hca, inject->time_us * UINT64_C(1000));
		break;
	case SWHCA_INJECT_FATAL:
		swhca_still_crash(qp->hca);
		break;
	default:
		qp->not_before_ns = swhca_fabric_now_ns(qp->hca->fabric) +
				    inject->time_us * UINT64_C(1000);
		break;
	}
	return true;
}

/* Execute a WQE. Undo event counts of an execution that will be retried. */
static enum swhca_wqe_end
wqe_try(struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	enum swhca_wqe_end end;

	swhca_inject_try_begin(&qp->hca->fabric->inject_try);
	end = swhca_wqe_exec(qp, wqe);
	if (end == SWHCA_WQE_WAIT)
		swhca_inject_try_undo(&qp->hca->fabric->inject_try);
	return end;
}

/* Execute or flush the fetched WQE at sq_next. @return false to end the turn. */
static bool
wqe_run(struct swhca_qp *qp, struct swhca_wqe *wqe, uint32_t nb_bb)
{
	enum swhca_wqe_end end;

	if (!qp->is_waiting && swhca_trace_is_on())
		swhca_trace_wqe(qp->hca->conf.vhca_id, qp->obj.num, qp_service(qp), wqe->data,
				(size_t)wqe->nb_ds * PRM_WQE_DS_SIZE);
	if (sq_flushes(qp) || swhca_dci_is_errored(qp, wqe)) {
		sq_advance(qp, nb_bb);
		wqe_flush(qp, wqe, nb_bb);
		return true;
	}
	if (!wqe_inject(qp, wqe, &end))
		end = qp->hca->conf.is_ack_only ? SWHCA_WQE_DONE : wqe_try(qp, wqe);
	if (qp->has_sigerr && swhca_has_quirk(qp->hca, SWHCA_QUIRK_SIGERR_TRANSFER))
		end = swhca_wqe_fail(wqe, SWHCA_CAUSE_OF(SWHCA_FAULT_BSF));
	if (end == SWHCA_WQE_WAIT) {
		qp->is_waiting = true;
		return false;
	}
	if (end == SWHCA_WQE_SENT || swhca_flights_nb(qp) != 0)
		wqe_remember(qp, wqe, nb_bb, end, false);
	sq_advance(qp, nb_bb);
	if (swhca_flights_nb(qp) == 0)
		wqe_complete(qp, wqe, nb_bb, end);
	return end == SWHCA_WQE_ERROR || !sq_stops_at_sigerr(qp);
}

/* Reconstruct the fields of an outstanding WQE that a CQE needs. */
static struct swhca_wqe
flight_wqe(const struct swhca_flight *flight)
{
	return (struct swhca_wqe){
		.byte_cnt = flight->byte_cnt,
		.index = flight->index,
		.opcode = flight->opcode,
		.fm_ce_se = flight->fm_ce_se,
		.error = flight->error,
	};
}

/* Data wait for the memory of the WQE: execute it again up to that point. */
static enum swhca_wqe_end
flight_land(struct swhca_qp *qp, const struct swhca_flight *flight, struct swhca_wqe *wqe)
{
	uint32_t msn = qp->msn;
	enum swhca_wqe_end end;

	qp->msn = flight->msn;
	end = wqe_try(qp, wqe);
	qp->msn = msn;
	return end;
}

/*
 * Handle the answer to the oldest request, which is not a plain success.
 *
 * @return false: it has data, and their memory is absent.
 */
static bool
flight_end(struct swhca_qp *qp, const struct swhca_flight *flight,
	   const struct swhca_wire_answer *answer)
{
	struct swhca_fetched got = { 0 };
	enum swhca_wqe_end end;
	struct swhca_wqe wqe;

	if (swhca_wqe_fetch(qp, &got, qp->sq_ci, flight->nb_bb, &wqe) != 0) {
		wqe = flight_wqe(flight);
		swhca_wqe_fail(&wqe, SWHCA_CAUSE_RING);
		wqe_failed(qp, &wqe, flight->nb_bb, true);
		return true;
	}
	if (answer->status == SWHCA_WIRE_ACK)
		end = flight_land(qp, flight, &wqe);
	else
		end = swhca_request_end(qp, &wqe, answer);
	if (end == SWHCA_WQE_WAIT) {
		swhca_flights_put_back(qp)->is_landing = true;
		return false;
	}
	wqe_complete(qp, &wqe, flight->nb_bb, end);
	return true;
}

/* Complete a WQE in error in its order. */
static void
flight_failed(struct swhca_qp *qp, const struct swhca_flight *flight)
{
	struct swhca_fetched got = { 0 };
	struct swhca_wqe wqe;

	qp->is_held = false;
	/* Its stream is in the ring. */
	if (swhca_wqe_fetch(qp, &got, qp->sq_ci, flight->nb_bb, &wqe) != 0) {
		wqe = flight_wqe(flight);
		wqe_failed(qp, &wqe, flight->nb_bb, true);
		return;
	}
	wqe.error = flight->error;
	wqe_failed(qp, &wqe, flight->nb_bb, flight->is_fatal);
}

/* Check whether a request is answered. */
static bool
flight_is_answered(struct swhca_qp *qp, const struct swhca_flight *flight,
		   struct swhca_wire_answer *answer)
{
	*answer = (struct swhca_wire_answer){ .status = SWHCA_WIRE_ACK, .must_land = true };
	if (flight->is_landing)
		return !swhca_page_fault_is_pending(&qp->sq_fault);
	return qp->hca->fabric->wire->reap(qp, answer);
}

/* Complete WQEs in order. @return Their number. */
static unsigned int
flights_reap(struct swhca_qp *qp)
{
	struct swhca_wire_answer answer;
	struct swhca_flight flight;
	unsigned int nb_done = 0;
	struct swhca_wqe wqe;

	for (; swhca_flights_nb(qp) != 0 && !sq_flushes(qp); nb_done++) {
		flight = *swhca_flights_head(qp);
		if (flight.end == SWHCA_WQE_SENT && !flight_is_answered(qp, &flight, &answer))
			break;
		swhca_flights_pop(qp);
		if (flight.end == SWHCA_WQE_ERROR) {
			flight_failed(qp, &flight);
		} else if (flight.end == SWHCA_WQE_SENT &&
			   (answer.status != SWHCA_WIRE_ACK || answer.must_land)) {
			if (!flight_end(qp, &flight, &answer))
				break;
		} else {
			wqe = flight_wqe(&flight);
			wqe_done(qp, &wqe, flight.nb_bb);
		}
	}
	return nb_done;
}

/* Flush incomplete WQEs of a queue in error. */
static unsigned int
flights_flush(struct swhca_qp *qp)
{
	struct swhca_flight flight;
	unsigned int nb_done = 0;
	struct swhca_wqe wqe;

	if (swhca_flights_nb(qp) == 0)
		return 0;
	for (; swhca_flights_nb(qp) != 0; nb_done++) {
		flight = *swhca_flights_head(qp);
		wqe = flight_wqe(&flight);
		swhca_flights_pop(qp);
		wqe_flush(qp, &wqe, flight.nb_bb);
	}
	qp->hca->fabric->wire->flush(qp);
	qp->is_held = false;
	return nb_done;
}

/* Check whether a WQE must wait for answers to earlier ones. */
static bool
wqe_must_wait(const struct swhca_qp *qp, const struct swhca_wqe *wqe)
{
	uint8_t fence = wqe->fm_ce_se & PRM_CTRL_FM_MASK;

	if (swhca_flights_nb(qp) == 0)
		return false;
	/* The next action of a stream depends on the result of its previous WQE. */
	if (swhca_flights_nb(qp) == SWHCA_MAX_FLIGHTS || qp->dci != NULL)
		return true;
	/* Requests are fenced by the wire. */
	return fence != PRM_CTRL_FM_NONE && fence != PRM_CTRL_FM_INITIATOR_SMALL &&
	       !swhca_wqe_is_request(wqe);
}

/* The ring or its record is not mapped: fail once, there is nothing left to flush. */
static void
sq_lost(struct swhca_qp *qp, bool has_record)
{
	struct swhca_wqe wqe = { .index = qp->sq_next };

	/* Earlier WQEs complete first. */
	if (sq_flushes(qp) || swhca_flights_nb(qp) != 0)
		return;
	SWHCA_LOG(ERR, "QP 0x%x: %s at send counter %u", qp->obj.num,
		  has_record ? "the ring is not mapped" :
			       "the doorbell record is not mapped, or further ahead than the ring",
		  qp->sq_next);
	swhca_wqe_fail(&wqe, SWHCA_CAUSE_RING);
	swhca_cq_send_error(qp, &wqe);
	if (has_record)
		qp->sq_ci = qp->sq_next = qp->sq_pi;
	sq_fail(qp);
}

/* Reject a WQE of invalid size, or that ends after the posted ones. @return WQEBBs to skip. */
static uint32_t
wqe_reject_size(struct swhca_qp *qp, struct swhca_wqe *wqe, uint32_t nb_bb, uint32_t nb_left)
{
	SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: DS %u, but %u WQEBBs are posted", qp->obj.num,
		  wqe->index, wqe->nb_ds, nb_left);
	swhca_wqe_fail(wqe, SWHCA_CAUSE_FORMAT);
	if (nb_bb > nb_left)
		nb_bb = nb_left;
	sq_advance(qp, nb_bb);
	/* The start of the next WQE is unknown: no stream can continue. */
	if (sq_flushes(qp))
		wqe_flush(qp, wqe, nb_bb);
	else if (swhca_flights_nb(qp) != 0)
		wqe_remember(qp, wqe, nb_bb, SWHCA_WQE_ERROR, true);
	else
		wqe_failed(qp, wqe, nb_bb, true);
	return nb_bb;
}

/* Check whether a QP is still waiting. */
static bool
qp_must_wait(const struct swhca_qp *qp)
{
	return qp->not_before_ns != 0 &&
	       swhca_fabric_now_ns(qp->hca->fabric) < qp->not_before_ns;
}

/* Check whether a QP is ahead of its rate; then it waits. A queue in error flushes at once. */
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
 * Receives posted to a queue in error are flushed, too (IBTA 10.3.1). They have no doorbell, so the
 * queue is polled periodically. The same applies to a record that is updated late.
 */
static void
rq_flush(struct swhca_qp *qp)
{
	swhca_recv_flush(qp);
	if (qp->rq == &qp->own_rq || qp->is_misrung)
		qp->not_before_ns = swhca_fabric_now_ns(qp->hca->fabric) + SWHCA_WAIT_POLL_NS;
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
	uint32_t nb = (uint16_t)(qp->sq_drain_pi - qp->sq_next);

	return nb < nb_posted ? nb : nb_posted;
}

/* Number of posted WQEBBs that may be executed. */
static uint32_t
sq_nb_left(struct swhca_qp *qp)
{
	uint32_t nb_left = 0;

	if (!qp->has_sq)
		return 0;
	/* Everything posted before the error is flushed. */
	if (swhca_has_quirk(qp->hca, SWHCA_QUIRK_ERROR_LATE) && sq_flushes(qp) &&
	    qp->sq_pi == qp->sq_next)
		return 0;
	if (sq_update_pi(qp, &nb_left) != 0) {
		sq_lost(qp, false);
		return 0;
	}
	return qp->state == PRM_QP_STATE_SQDRAINING ? sq_nb_to_drain(qp, nb_left) : nb_left;
}

/* Execute posted WQEs. @return Number of WQEs executed. */
static unsigned int
sq_run(struct swhca_qp *qp, uint32_t nb_left)
{
	const uint64_t end = qp->hca->fabric->cost + SWHCA_COST_TURN;
	struct swhca_fetched got = { 0 };
	unsigned int nb_done = 0;
	struct swhca_wqe wqe;
	uint64_t nb_bytes;
	uint32_t nb_bb;

	while (nb_left > 0 && nb_done < SWHCA_QP_QUANTUM && !qp->is_held &&
	       !qp_must_slow_down(qp)) {
		if (swhca_wqe_fetch(qp, &got, qp->sq_next, nb_left, &wqe) != 0) {
			sq_lost(qp, true);
			break;
		}
		nb_bb = swhca_wqe_nb_bb(&wqe);
		nb_bytes = qp->hca->stats.nb_bytes;
		if (!sq_flushes(qp) && wqe_must_wait(qp, &wqe))
			break;
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
	return nb_done;
}

unsigned int
swhca_qp_run(struct swhca_qp *qp)
{
	unsigned int nb_done = flights_reap(qp);

	if (sq_flushes(qp))
		nb_done += flights_flush(qp);
	if (!sq_may_run(qp) || qp_must_wait(qp) || swhca_page_fault_is_pending(&qp->sq_fault))
		return nb_done;
	/* A device with a link may have outstanding WQEs. */
	if (qp->has_sq && qp->hca->net != NULL && swhca_flights_alloc(qp) != 0) {
		qp->not_before_ns = swhca_fabric_now_ns(qp->hca->fabric) + SWHCA_WAIT_POLL_NS;
		return nb_done;
	}
	nb_done += sq_run(qp, sq_nb_left(qp));
	if (qp->state == PRM_QP_STATE_SQDRAINING && qp->sq_ci == qp->sq_drain_pi)
		swhca_qp_set_drained(qp);
	if (qp->state == PRM_QP_STATE_ERR)
		rq_flush(qp);
	return nb_done;
}
