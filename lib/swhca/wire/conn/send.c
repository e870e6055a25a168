/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Conversion of send queue requests to messages of a requester, and their answers. */

#include <errno.h>
#include <string.h>

#include "mem/payload.h"
#include "mlx5_prm_cmd.h"
#include "wire/conn/conn.h"
#include "wire/rc/seq.h"

static enum swhca_rc_op
rc_op(const struct swhca_wire_req *req)
{
	switch (req->op) {
	case SWHCA_WIRE_WRITE:
		return SWHCA_RC_OP_WRITE;
	case SWHCA_WIRE_READ:
		return SWHCA_RC_OP_READ;
	case SWHCA_WIRE_CMP_SWAP:
		return SWHCA_RC_OP_CMP_SWAP;
	case SWHCA_WIRE_FETCH_ADD:
		return SWHCA_RC_OP_FETCH_ADD;
	case SWHCA_WIRE_SEND:
	default:
		return SWHCA_RC_OP_SEND;
	}
}

static uint8_t
rc_flags(const struct swhca_wire_req *req)
{
	uint8_t flags = SWHCA_RC_F_ACK;

	if (req->flags & SWHCA_WIRE_F_IMM)
		flags |= SWHCA_RC_F_IMM;
	if (req->flags & SWHCA_WIRE_F_INVAL)
		flags |= SWHCA_RC_F_INV;
	if (req->flags & SWHCA_WIRE_F_SOLICITED)
		flags |= SWHCA_RC_F_SOLICITED;
	if (req->flags & SWHCA_WIRE_F_FENCE)
		flags |= SWHCA_RC_F_FENCE;
	return flags;
}

static bool
is_atomic(const struct swhca_wire_req *req)
{
	return req->op == SWHCA_WIRE_CMP_SWAP || req->op == SWHCA_WIRE_FETCH_ADD;
}

static void
msg_release(struct swhca_conn_msg *msg)
{
	swhca_store_release(&msg->store);
	if (msg->spans.max > SWHCA_CONN_MSGS)
		swhca_spans_fini(&msg->spans);
}

/* Check whether data of the answer are placed by the WQE, executed again. */
static bool
msg_must_land(const struct swhca_conn_msg *msg)
{
	return is_atomic(&msg->req) || (msg->is_staged && msg->req.op == SWHCA_WIRE_READ);
}

/* Memory of the model is reused after the call; data that a key transforms cannot be split. */
static bool
must_stage(const struct swhca_spans *payload)
{
	size_t i;

	if (payload->nb_xforms != 0)
		return true;
	for (i = 0; i < payload->nb; i++) {
		if (payload->list[i].where == SWHCA_WHERE_MODEL)
			return true;
	}
	return false;
}

/* Copy the payload of a message, or allocate space for a read. @return 0, -ENOMEM, -EFAULT. */
static int
msg_stage(struct swhca_hca *hca, struct swhca_conn_msg *msg, const struct swhca_spans *payload)
{
	struct swhca_span all;
	struct swhca_spans dst = { .list = &all, .nb = 1, .len = payload->len };

	if (swhca_store_grow(&msg->store, payload->len) != 0)
		return -ENOMEM;
	msg->is_staged = true;
	if (msg->req.op == SWHCA_WIRE_READ)
		return 0;
	all = swhca_span_of(msg->store.data, payload->len);
	return swhca_payload_copy(hca, &dst, payload) != 0 ? -EFAULT : 0;
}

/* Set the memory that packets are read from, or written to. @return As above. */
static int
msg_set_payload(struct swhca_hca *hca, struct swhca_conn_msg *msg,
		const struct swhca_spans *payload)
{
	size_t i;

	msg->is_staged = false;
	msg->has_fault = false;
	msg->offset = 0;
	swhca_spans_reset(&msg->spans);
	if (is_atomic(&msg->req) || payload->len == 0)
		return 0;
	if (must_stage(payload))
		return msg_stage(hca, msg, payload);
	for (i = 0; i < payload->nb; i++) {
		if (swhca_spans_add(&msg->spans, payload->list[i].where, payload->list[i].addr,
				    payload->list[i].len) != 0)
			return -ENOMEM;
	}
	msg->at = (struct swhca_span_cursor){ .span = msg->spans.list, .nb = msg->spans.nb };
	hca->stats.nb_bytes += payload->len;
	return 0;
}

/* Move arrived data of the requester to their destination. */
static void
msg_land(struct swhca_conn *conn, const struct swhca_wire_req *req,
	 struct swhca_wire_answer *answer)
{
	struct swhca_conn_msg *msg = conn->landing;
	struct swhca_span all = swhca_span_of(msg->store.data, msg->req.len);
	const struct swhca_spans src = { .list = &all, .nb = 1, .len = msg->req.len };

	conn->landing = NULL;
	answer->status = SWHCA_WIRE_ACK;
	answer->old = msg->old;
	if (msg->is_staged && (req->payload->len != src.len ||
			       swhca_payload_copy(conn->net->hca, req->payload, &src) != 0))
		answer->status = SWHCA_WIRE_LOCAL_FAULT;
	msg_release(msg);
}

/* Prepare a requester to the destination of the request. @return false: answer is the result. */
static bool
conn_prepare(struct swhca_conn *conn, const struct swhca_wire_req *req,
	     struct swhca_wire_answer *answer)
{
	int ret = req->st == PRM_QP_ST_DCI ? swhca_dc_turn(conn, req) : 0;

	if (ret != 0) {
		answer->status = ret == -EAGAIN ? SWHCA_WIRE_PENDING : SWHCA_WIRE_LOST;
		return false;
	}
	if (!conn->has_requester && swhca_conn_init_requester(conn, req->psn) != 0) {
		*answer = swhca_cause_answer(SWHCA_CAUSE_REQUEST_MEMORY);
		return false;
	}
	if (conn->requester.tail - conn->requester.head == SWHCA_CONN_MSGS) {
		answer->status = SWHCA_WIRE_PENDING;
		return false;
	}
	return true;
}

static void
conn_post(struct swhca_conn *conn, const struct swhca_wire_req *req,
	  struct swhca_wire_answer *answer)
{
	struct swhca_conn_msg *msg = swhca_conn_msg(conn, conn->requester.tail);
	uint32_t number;
	int ret;

	msg->req = *req;
	msg->req.payload = NULL;
	msg->req.grh = NULL;
	ret = req->len > SWHCA_RC_MAX_MSG ? -EMSGSIZE :
					    msg_set_payload(conn->net->hca, msg, req->payload);
	if (ret == 0)
		ret = swhca_rc_requester_post(&conn->requester, rc_op(req), rc_flags(req),
					      (uint32_t)req->len, &number);
	if (ret == 0) {
		answer->status = SWHCA_WIRE_TAKEN;
		/* Its memory is not accessed before. */
		if (msg_must_land(msg))
			swhca_inject_try_undo(&conn->net->hca->fabric->inject_try);
		swhca_conn_activate(conn);
		return;
	}
	msg_release(msg);
	*answer = swhca_cause_answer(ret == -ENOMEM ? SWHCA_CAUSE_REQUEST_MEMORY :
						      SWHCA_CAUSE_REMOTE_LENGTH);
	if (ret == -EFAULT)
		answer->status = SWHCA_WIRE_LOCAL_FAULT;
}

void
swhca_conn_send(struct swhca_hca *hca, const struct swhca_wire_req *req,
		struct swhca_wire_answer *answer)
{
	struct swhca_qp *qp = swhca_qp_find(hca, req->src_qpn);
	struct swhca_conn *conn;

	*answer = (struct swhca_wire_answer){ .status = SWHCA_WIRE_LOST };
	if (req->st == PRM_QP_ST_UD) {
		swhca_datagram_send(qp, req, answer);
		return;
	}
	conn = swhca_conn_of(qp);
	if (conn == NULL)
		return;
	if (conn->landing != NULL && conn->landing->req.msn == req->msn)
		msg_land(conn, req, answer);
	else if (conn_prepare(conn, req, answer))
		conn_post(conn, req, answer);
}

static void
answer_set(struct swhca_wire_answer *answer, enum swhca_rc_status status)
{
	static const enum swhca_cause causes[] = {
		[SWHCA_RC_DONE] = SWHCA_CAUSE_NONE,
		[SWHCA_RC_RETRY_EXCEEDED] = SWHCA_CAUSE_RETRY,
		[SWHCA_RC_RNR_RETRY_EXCEEDED] = SWHCA_CAUSE_RNR,
		[SWHCA_RC_REMOTE_INVAL_REQ] = SWHCA_CAUSE_REMOTE_LENGTH,
		[SWHCA_RC_REMOTE_ACCESS] = SWHCA_CAUSE_REMOTE_ACCESS,
		[SWHCA_RC_REMOTE_OP] = SWHCA_CAUSE_REMOTE_OP,
		[SWHCA_RC_BAD_RESPONSE] = SWHCA_CAUSE_RESPONSE,
		[SWHCA_RC_LOCAL] = SWHCA_CAUSE_UNMAPPED,
		[SWHCA_RC_FLUSHED] = SWHCA_CAUSE_REQUEST_FLUSH,
	};

	*answer = swhca_cause_answer(causes[status]);
	if (status == SWHCA_RC_DONE)
		answer->status = SWHCA_WIRE_ACK;
	else if (status == SWHCA_RC_LOCAL)
		answer->status = SWHCA_WIRE_LOCAL_FAULT;
}

bool
swhca_conn_reap(struct swhca_qp *qp, struct swhca_wire_answer *answer)
{
	struct swhca_conn *conn = qp->conn;
	enum swhca_rc_status status;
	struct swhca_conn_msg *msg;
	uint32_t number;

	if (conn == NULL || !conn->has_requester)
		return false;
	conn->landing = NULL;
	if (!swhca_rc_requester_pop(&conn->requester, &number, &status))
		return false;
	msg = swhca_conn_msg(conn, number);
	if (status == SWHCA_RC_DONE && msg->has_fault)
		status = SWHCA_RC_LOCAL;
	answer_set(answer, status);
	prm_set(qp->qpc, PRM_QPC_NEXT_SEND_PSN, swhca_seq_psn(conn->requester.una));
	if (status == SWHCA_RC_DONE && msg_must_land(msg)) {
		answer->must_land = true;
		conn->landing = msg;
	} else {
		msg_release(msg);
	}
	return true;
}

static void
conn_hold(struct swhca_conn *conn)
{
	const struct swhca_dma *dma = conn->net->hca->fabric->dma;
	uint32_t number;

	for (number = conn->requester.head; number != conn->requester.tail; number++) {
		if (swhca_request_hold(dma, swhca_conn_msg(conn, number)) == 0)
			continue;
		swhca_rc_requester_stop(&conn->requester, number);
		swhca_request_wake(conn);
		swhca_conn_activate(conn);
		return;
	}
}

void
swhca_conn_hold_all(struct swhca_net *net)
{
	struct swhca_conn *conn;

	LIST_FOREACH(conn, &net->conns, link) {
		if (conn->has_requester)
			conn_hold(conn);
	}
}

void
swhca_conn_flush(struct swhca_qp *qp)
{
	struct swhca_conn *conn = qp->conn;
	unsigned int i;

	if (conn == NULL || !conn->has_requester)
		return;
	for (i = 0; i < SWHCA_CONN_MSGS; i++)
		msg_release(&conn->msgs[i]);
	conn->landing = NULL;
	prm_set(qp->qpc, PRM_QPC_NEXT_SEND_PSN, swhca_seq_psn(conn->requester.end));
	conn->has_requester = false;
}
