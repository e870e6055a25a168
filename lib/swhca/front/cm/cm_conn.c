/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <string.h>

#include "front/cm/cm_conn.h"

#define NS_PER_MS UINT64_C(1000000)
/* Maximum time code in the tables: a field of 5 bits. */
#define MAX_TIME 31u
/* Time that a consumer may take for a request: 69 s (Linux, cma.c: CMA_CM_MRA_SETTING). */
#define SERVICE_TIMEOUT 24u
/* Number of times that a leaving end sends the end of a connection. */
#define NB_LAST_WORDS 3u

/* 4.096 us * 2^8 is about a millisecond. */
uint32_t
swhca_cm_time_ms(uint8_t exponent)
{
	return exponent <= 8 ? 1u : 1u << ((exponent > MAX_TIME ? MAX_TIME : exponent) - 8);
}

/* cm.c: cm_ack_timeout(). Twice the life time, and the delay: sums of powers of two, rounded up. */
uint8_t
swhca_cm_ack_timeout(uint8_t ca_ack_delay, uint8_t packet_life_time)
{
	unsigned int timeout = packet_life_time + 1u;

	if (timeout >= ca_ack_delay)
		timeout += ca_ack_delay >= timeout - 1;
	else
		timeout = ca_ack_delay + (timeout >= ca_ack_delay - 1u);
	return (uint8_t)(timeout > MAX_TIME ? MAX_TIME : timeout);
}

void
swhca_cm_conn_init(struct swhca_cm_conn *conn, const struct swhca_cm_ops *ops, void *arg,
		   uint32_t local_id, uint64_t ca_guid, uint8_t ca_ack_delay)
{
	memset(conn, 0, sizeof(*conn));
	conn->ops = ops;
	conn->arg = arg;
	conn->local_id = local_id;
	conn->ca_guid = ca_guid;
	conn->ca_ack_delay = ca_ack_delay;
	conn->tid = local_id;
}

/* Send a message of the transaction, with the IDs of the connection. */
static void
msg_send(struct swhca_cm_conn *conn, struct swhca_cm_msg *msg, uint16_t attr)
{
	msg->attr = attr;
	msg->tid = conn->tid;
	msg->local_id = conn->local_id;
	msg->remote_id = conn->remote_id;
	swhca_cm_build(msg, conn->sent);
	conn->ops->send(conn->arg, conn->sent);
}

/* Send a message without further content. */
static void
plain_send(struct swhca_cm_conn *conn, uint16_t attr)
{
	struct swhca_cm_msg msg = { 0 };

	msg_send(conn, &msg, attr);
}

static void
timer_start(struct swhca_cm_conn *conn, uint32_t ms, uint64_t now_ns)
{
	conn->deadline_ns = now_ns + ms * NS_PER_MS;
}

static void
repeat_start(struct swhca_cm_conn *conn, enum swhca_cm_state state, uint64_t now_ns)
{
	conn->state = state;
	conn->nb_retries = conn->max_retries;
	timer_start(conn, conn->timeout_ms, now_ns);
}

static void
state_set(struct swhca_cm_conn *conn, enum swhca_cm_state state)
{
	conn->state = state;
	conn->deadline_ns = 0;
}

/* Packets still on their way must not reach a new connection of the same queues. */
static void
timewait_enter(struct swhca_cm_conn *conn, uint64_t now_ns)
{
	conn->state = SWHCA_CM_TIMEWAIT;
	timer_start(conn, swhca_cm_time_ms(conn->ack_timeout), now_ns);
}

int
swhca_cm_connect(struct swhca_cm_conn *conn, struct swhca_cm_msg *msg, uint8_t packet_life_time,
		 uint64_t now_ns)
{
	struct swhca_cm_req *req = &msg->req;

	if (conn->state != SWHCA_CM_IDLE)
		return -EINVAL;
	conn->local_qpn = req->qpn;
	conn->rq_psn = req->starting_psn;
	conn->path_mtu = req->path_mtu;
	conn->responder_resources = req->responder_resources;
	conn->initiator_depth = req->initiator_depth;
	conn->retry_count = req->retry_count;
	conn->rnr_retry_count = req->rnr_retry_count;
	conn->is_xrc = req->service_type == SWHCA_CM_SERVICE_EXT;
	conn->max_retries = req->max_cm_retries;
	conn->ack_timeout = swhca_cm_ack_timeout(conn->ca_ack_delay, packet_life_time);
	req->primary.ack_timeout = conn->ack_timeout;
	req->ca_guid = conn->ca_guid;
	conn->timeout_ms = 2 * swhca_cm_time_ms(packet_life_time) +
			   swhca_cm_time_ms(req->remote_response_timeout);
	repeat_start(conn, SWHCA_CM_REQ_SENT, now_ns);
	msg_send(conn, msg, SWHCA_CM_REQ);
	return 0;
}

void
swhca_cm_request(struct swhca_cm_conn *conn, const struct swhca_cm_msg *msg)
{
	const struct swhca_cm_req *req = &msg->req;

	conn->remote_id = msg->local_id;
	conn->tid = msg->tid;
	conn->remote_qpn = req->qpn;
	conn->sq_psn = req->starting_psn;
	conn->path_mtu = req->path_mtu;
	/* Initiator depth of one end is the responder resources of the other. */
	conn->responder_resources = req->initiator_depth;
	conn->initiator_depth = req->responder_resources;
	conn->retry_count = req->retry_count;
	conn->rnr_retry_count = req->rnr_retry_count;
	conn->ack_timeout = req->primary.ack_timeout;
	conn->max_retries = req->max_cm_retries;
	conn->timeout_ms = swhca_cm_time_ms(req->local_response_timeout);
	state_set(conn, SWHCA_CM_REQ_RCVD);
}

int
swhca_cm_accept(struct swhca_cm_conn *conn, struct swhca_cm_msg *msg, uint64_t now_ns)
{
	struct swhca_cm_rep *rep = &msg->rep;

	if (conn->state != SWHCA_CM_REQ_RCVD)
		return -EINVAL;
	conn->local_qpn = rep->ee_context != 0 ? rep->ee_context : rep->qpn;
	conn->rq_psn = rep->starting_psn;
	conn->responder_resources = rep->responder_resources;
	conn->initiator_depth = rep->initiator_depth;
	rep->target_ack_delay = conn->ca_ack_delay;
	rep->ca_guid = conn->ca_guid;
	repeat_start(conn, SWHCA_CM_REP_SENT, now_ns);
	msg_send(conn, msg, SWHCA_CM_REP);
	return 0;
}

int
swhca_cm_ready(struct swhca_cm_conn *conn)
{
	if (conn->state != SWHCA_CM_REP_RCVD)
		return -EINVAL;
	state_set(conn, SWHCA_CM_ESTABLISHED);
	plain_send(conn, SWHCA_CM_RTU);
	return 0;
}

int
swhca_cm_establish(struct swhca_cm_conn *conn)
{
	if (conn->state == SWHCA_CM_ESTABLISHED)
		return -EISCONN;
	if (conn->state != SWHCA_CM_REP_SENT)
		return -EINVAL;
	state_set(conn, SWHCA_CM_ESTABLISHED);
	conn->ops->event(conn->arg, SWHCA_CM_EVENT_RTU, NULL);
	return 0;
}

static void
rej_send(struct swhca_cm_conn *conn, enum swhca_cm_reason reason, const void *private_data,
	 size_t len)
{
	struct swhca_cm_msg msg = { .rej = { .reason = (uint16_t)reason } };

	if (conn->state == SWHCA_CM_REQ_RCVD)
		msg.rej.answered = SWHCA_CM_ANSWERED_REQ;
	else if (conn->state == SWHCA_CM_REP_RCVD)
		msg.rej.answered = SWHCA_CM_ANSWERED_REP;
	else
		msg.rej.answered = SWHCA_CM_ANSWERED_OTHER;
	/*
	 * The peer may not know the ID of this end yet, and identifies it by its GUID (12.6.7.2,
	 * reason 4).
	 */
	if (reason == SWHCA_CM_REASON_TIMEOUT) {
		msg.rej.info_len = sizeof(conn->ca_guid);
		msg.rej.info_guid = conn->ca_guid;
	}
	if (len != 0)
		memcpy(msg.private_data, private_data, len);
	msg_send(conn, &msg, SWHCA_CM_REJ);
}

int
swhca_cm_reject(struct swhca_cm_conn *conn, enum swhca_cm_reason reason,
		const void *private_data, size_t len, uint64_t now_ns)
{
	bool is_idle;

	if (len > SWHCA_CM_REJ_PRIVATE_LEN)
		return -EINVAL;
	switch (conn->state) {
	case SWHCA_CM_REQ_SENT:
	case SWHCA_CM_REQ_RCVD:
	case SWHCA_CM_REP_RCVD:
		is_idle = true;
		break;
	case SWHCA_CM_REP_SENT:
		is_idle = false;
		break;
	default:
		return -EINVAL;
	}
	rej_send(conn, reason, private_data, len);
	if (is_idle)
		state_set(conn, SWHCA_CM_IDLE);
	else
		timewait_enter(conn, now_ns);
	return 0;
}

int
swhca_cm_disconnect(struct swhca_cm_conn *conn, uint64_t now_ns)
{
	struct swhca_cm_msg msg = { .dreq_qpn = conn->remote_qpn };

	switch (conn->state) {
	case SWHCA_CM_ESTABLISHED:
		conn->tid = conn->local_id;
		repeat_start(conn, SWHCA_CM_DREQ_SENT, now_ns);
		msg_send(conn, &msg, SWHCA_CM_DREQ);
		return 0;
	case SWHCA_CM_DREQ_RCVD:
		timewait_enter(conn, now_ns);
		plain_send(conn, SWHCA_CM_DREP);
		return 0;
	default:
		return -EINVAL;
	}
}

/*
 * A lost message is not retransmitted, and a peer that does not receive it waits forever;
 * duplicates are harmless.
 */
static void
last_word_repeat(struct swhca_cm_conn *conn)
{
	unsigned int i;

	for (i = 1; i < NB_LAST_WORDS; i++)
		conn->ops->send(conn->arg, conn->sent);
}

void
swhca_cm_conn_fini(struct swhca_cm_conn *conn)
{
	struct swhca_cm_msg msg = { 0 };

	switch (conn->state) {
	case SWHCA_CM_REQ_SENT:
		rej_send(conn, SWHCA_CM_REASON_TIMEOUT, NULL, 0);
		break;
	case SWHCA_CM_REP_SENT:
	case SWHCA_CM_REQ_RCVD:
	case SWHCA_CM_REP_RCVD:
		rej_send(conn, SWHCA_CM_REASON_CONSUMER, NULL, 0);
		break;
	case SWHCA_CM_ESTABLISHED:
	case SWHCA_CM_DREQ_RCVD:
		swhca_cm_disconnect(conn, 0);
		last_word_repeat(conn);
		break;
	case SWHCA_CM_DREQ_SENT:
		last_word_repeat(conn);
		break;
	case SWHCA_CM_SIDR_REQ_RCVD:
		msg.sidr_rep.status = SWHCA_CM_SIDR_REJECTED;
		swhca_cm_sidr_answer(conn, &msg);
		break;
	default:
		break;
	}
	state_set(conn, SWHCA_CM_IDLE);
}

int
swhca_cm_sidr_ask(struct swhca_cm_conn *conn, struct swhca_cm_msg *msg, uint8_t response_timeout,
		  uint8_t max_retries, uint64_t now_ns)
{
	if (conn->state != SWHCA_CM_IDLE)
		return -EINVAL;
	msg->sidr_req.request_id = conn->local_id;
	conn->max_retries = max_retries;
	conn->timeout_ms = swhca_cm_time_ms(response_timeout);
	repeat_start(conn, SWHCA_CM_SIDR_REQ_SENT, now_ns);
	msg_send(conn, msg, SWHCA_CM_SIDR_REQ);
	return 0;
}

void
swhca_cm_sidr_request(struct swhca_cm_conn *conn, const struct swhca_cm_msg *req)
{
	conn->remote_id = req->sidr_req.request_id;
	conn->tid = req->tid;
	state_set(conn, SWHCA_CM_SIDR_REQ_RCVD);
}

int
swhca_cm_sidr_answer(struct swhca_cm_conn *conn, struct swhca_cm_msg *msg)
{
	if (conn->state != SWHCA_CM_SIDR_REQ_RCVD)
		return -EINVAL;
	msg->sidr_rep.request_id = conn->remote_id;
	state_set(conn, SWHCA_CM_SIDR_REP_SENT);
	msg_send(conn, msg, SWHCA_CM_SIDR_REP);
	return 0;
}

bool
swhca_cm_conn_is_of(const struct swhca_cm_conn *conn, const struct swhca_cm_msg *msg)
{
	switch (msg->attr) {
	case SWHCA_CM_REQ:
		/* Repeated REQ: only the end that has received it has the QPN in it as remote. */
		return conn->remote_id == msg->local_id && conn->state != SWHCA_CM_IDLE &&
		       conn->remote_qpn == msg->req.qpn;
	case SWHCA_CM_SIDR_REQ:
		return conn->remote_id == msg->sidr_req.request_id &&
		       (conn->state == SWHCA_CM_SIDR_REQ_RCVD ||
			conn->state == SWHCA_CM_SIDR_REP_SENT);
	case SWHCA_CM_SIDR_REP:
		return conn->local_id == msg->sidr_rep.request_id &&
		       conn->state == SWHCA_CM_SIDR_REQ_SENT;
	case SWHCA_CM_REJ:
		/* For an unanswered REQ: the peer does not know the ID of this end. */
		if (msg->rej.reason == SWHCA_CM_REASON_TIMEOUT && msg->remote_id == 0)
			return conn->remote_id == msg->local_id;
		/* fallthrough */
	case SWHCA_CM_REP:
	case SWHCA_CM_MRA:
		return conn->local_id == msg->remote_id &&
		       (conn->remote_id == 0 || msg->local_id == 0 ||
			conn->remote_id == msg->local_id);
	default:
		return conn->local_id == msg->remote_id && conn->remote_id == msg->local_id;
	}
}

static void
mra_send(struct swhca_cm_conn *conn, enum swhca_cm_answered answered)
{
	struct swhca_cm_msg msg = {
		.mra = { .answered = (uint8_t)answered, .service_timeout = SERVICE_TIMEOUT },
	};

	msg_send(conn, &msg, SWHCA_CM_MRA);
}

/* Handle a repeated REQ. */
static void
req_receive(struct swhca_cm_conn *conn)
{
	if (conn->state == SWHCA_CM_REQ_RCVD)
		mra_send(conn, SWHCA_CM_ANSWERED_REQ);
	else if (conn->state == SWHCA_CM_TIMEWAIT)
		rej_send(conn, SWHCA_CM_REASON_STALE, NULL, 0);
}

static void
rep_receive(struct swhca_cm_conn *conn, const struct swhca_cm_msg *msg)
{
	const struct swhca_cm_rep *rep = &msg->rep;

	/* Repeated: the answer was lost. */
	if (conn->state == SWHCA_CM_ESTABLISHED && conn->remote_id == msg->local_id)
		plain_send(conn, SWHCA_CM_RTU);
	else if (conn->state == SWHCA_CM_REP_RCVD)
		mra_send(conn, SWHCA_CM_ANSWERED_REP);
	if (conn->state != SWHCA_CM_REQ_SENT)
		return;
	conn->remote_id = msg->local_id;
	conn->remote_qpn = conn->is_xrc ? rep->ee_context : rep->qpn;
	conn->sq_psn = rep->starting_psn;
	conn->responder_resources = rep->initiator_depth;
	conn->initiator_depth = rep->responder_resources;
	conn->rnr_retry_count = rep->rnr_retry_count;
	conn->ack_timeout = swhca_cm_ack_timeout(rep->target_ack_delay,
						 (uint8_t)(conn->ack_timeout - 1u));
	state_set(conn, SWHCA_CM_REP_RCVD);
	conn->ops->event(conn->arg, SWHCA_CM_EVENT_REP, msg);
}

static void
mra_receive(struct swhca_cm_conn *conn, const struct swhca_cm_msg *msg, uint64_t now_ns)
{
	if ((conn->state == SWHCA_CM_REQ_SENT && msg->mra.answered == SWHCA_CM_ANSWERED_REQ) ||
	    (conn->state == SWHCA_CM_REP_SENT && msg->mra.answered == SWHCA_CM_ANSWERED_REP))
		timer_start(conn, swhca_cm_time_ms(msg->mra.service_timeout) +
				  swhca_cm_time_ms(conn->ack_timeout), now_ns);
}

static void
rej_receive(struct swhca_cm_conn *conn, const struct swhca_cm_msg *msg, uint64_t now_ns)
{
	switch (conn->state) {
	case SWHCA_CM_REQ_SENT:
	case SWHCA_CM_REP_SENT:
	case SWHCA_CM_REQ_RCVD:
		if (msg->rej.reason == SWHCA_CM_REASON_STALE)
			timewait_enter(conn, now_ns);
		else
			state_set(conn, SWHCA_CM_IDLE);
		break;
	case SWHCA_CM_REP_RCVD:
	case SWHCA_CM_ESTABLISHED:
	case SWHCA_CM_DREQ_SENT:
		timewait_enter(conn, now_ns);
		break;
	default:
		return;
	}
	conn->ops->event(conn->arg, SWHCA_CM_EVENT_REJ, msg);
}

static void
dreq_receive(struct swhca_cm_conn *conn, const struct swhca_cm_msg *msg)
{
	if (msg->dreq_qpn != conn->local_qpn)
		return;
	switch (conn->state) {
	case SWHCA_CM_TIMEWAIT:
		conn->tid = msg->tid;
		plain_send(conn, SWHCA_CM_DREP);
		return;
	case SWHCA_CM_REP_SENT:
	case SWHCA_CM_ESTABLISHED:
	case SWHCA_CM_DREQ_SENT:
		break;
	default:
		return;
	}
	conn->tid = msg->tid;
	state_set(conn, SWHCA_CM_DREQ_RCVD);
	conn->ops->event(conn->arg, SWHCA_CM_EVENT_DREQ, msg);
}

void
swhca_cm_conn_receive(struct swhca_cm_conn *conn, const struct swhca_cm_msg *msg, uint64_t now_ns)
{
	switch (msg->attr) {
	case SWHCA_CM_REQ:
		req_receive(conn);
		break;
	case SWHCA_CM_REP:
		rep_receive(conn, msg);
		break;
	case SWHCA_CM_MRA:
		mra_receive(conn, msg, now_ns);
		break;
	case SWHCA_CM_REJ:
		rej_receive(conn, msg, now_ns);
		break;
	case SWHCA_CM_RTU:
		if (conn->state != SWHCA_CM_REP_SENT)
			break;
		state_set(conn, SWHCA_CM_ESTABLISHED);
		conn->ops->event(conn->arg, SWHCA_CM_EVENT_RTU, msg);
		break;
	case SWHCA_CM_DREQ:
		dreq_receive(conn, msg);
		break;
	case SWHCA_CM_DREP:
		if (conn->state != SWHCA_CM_DREQ_SENT && conn->state != SWHCA_CM_DREQ_RCVD)
			break;
		timewait_enter(conn, now_ns);
		conn->ops->event(conn->arg, SWHCA_CM_EVENT_DREP, msg);
		break;
	case SWHCA_CM_SIDR_REQ:
		if (conn->state == SWHCA_CM_SIDR_REP_SENT)
			conn->ops->send(conn->arg, conn->sent);
		break;
	case SWHCA_CM_SIDR_REP:
		if (conn->state != SWHCA_CM_SIDR_REQ_SENT)
			break;
		state_set(conn, SWHCA_CM_IDLE);
		conn->ops->event(conn->arg, SWHCA_CM_EVENT_SIDR_REP, msg);
		break;
	default:
		break;
	}
}

/* All retries have timed out. */
static void
give_up(struct swhca_cm_conn *conn, uint64_t now_ns)
{
	enum swhca_cm_event event;

	switch (conn->state) {
	case SWHCA_CM_REQ_SENT:
		/* Reject a peer whose answer was not received (12.9.8.4). */
		rej_send(conn, SWHCA_CM_REASON_TIMEOUT, NULL, 0);
		event = SWHCA_CM_EVENT_NO_REP;
		state_set(conn, SWHCA_CM_IDLE);
		break;
	case SWHCA_CM_REP_SENT:
		rej_send(conn, SWHCA_CM_REASON_TIMEOUT, NULL, 0);
		event = SWHCA_CM_EVENT_NO_RTU;
		state_set(conn, SWHCA_CM_IDLE);
		break;
	case SWHCA_CM_DREQ_SENT:
		event = SWHCA_CM_EVENT_NO_DREP;
		timewait_enter(conn, now_ns);
		break;
	case SWHCA_CM_SIDR_REQ_SENT:
		event = SWHCA_CM_EVENT_NO_SIDR_REP;
		state_set(conn, SWHCA_CM_IDLE);
		break;
	default:
		event = SWHCA_CM_EVENT_TIMEWAIT_END;
		state_set(conn, SWHCA_CM_IDLE);
		break;
	}
	conn->ops->event(conn->arg, event, NULL);
}

bool
swhca_cm_conn_needs_peer(const struct swhca_cm_conn *conn)
{
	return conn->state == SWHCA_CM_ESTABLISHED || conn->state == SWHCA_CM_DREQ_SENT;
}

void
swhca_cm_last_word(const struct swhca_cm_conn *conn, uint8_t mad[SWHCA_MAD_LEN])
{
	const struct swhca_cm_msg msg = {
		.attr = SWHCA_CM_DREQ,
		.tid = conn->local_id,
		.local_id = conn->local_id,
		.remote_id = conn->remote_id,
		.dreq_qpn = conn->remote_qpn,
	};

	swhca_cm_build(&msg, mad);
}

void
swhca_cm_peer_lost(struct swhca_cm_conn *conn, uint64_t now_ns)
{
	if (conn->state == SWHCA_CM_ESTABLISHED) {
		state_set(conn, SWHCA_CM_DREQ_RCVD);
		conn->ops->event(conn->arg, SWHCA_CM_EVENT_DREQ, NULL);
	} else if (conn->state == SWHCA_CM_DREQ_SENT) {
		timewait_enter(conn, now_ns);
		conn->ops->event(conn->arg, SWHCA_CM_EVENT_DREP, NULL);
	}
}

void
swhca_cm_conn_tick(struct swhca_cm_conn *conn, uint64_t now_ns)
{
	if (conn->deadline_ns == 0 || now_ns < conn->deadline_ns)
		return;
	if (conn->state == SWHCA_CM_TIMEWAIT || conn->nb_retries == 0) {
		give_up(conn, now_ns);
		return;
	}
	conn->nb_retries--;
	timer_start(conn, conn->timeout_ms, now_ns);
	conn->ops->send(conn->arg, conn->sent);
}

bool
swhca_cm_stray_answer(const struct swhca_cm_msg *msg, struct swhca_cm_msg *answer)
{
	memset(answer, 0, sizeof(*answer));
	answer->tid = msg->tid;
	answer->local_id = msg->remote_id;
	answer->remote_id = msg->local_id;
	switch (msg->attr) {
	case SWHCA_CM_REQ:
		answer->attr = SWHCA_CM_REJ;
		answer->rej.answered = SWHCA_CM_ANSWERED_REQ;
		answer->rej.reason = SWHCA_CM_REASON_SERVICE_ID;
		return true;
	case SWHCA_CM_DREQ:
		/* Of a connection unknown to this end. */
		answer->attr = SWHCA_CM_DREP;
		return true;
	case SWHCA_CM_SIDR_REQ:
		answer->attr = SWHCA_CM_SIDR_REP;
		answer->sidr_rep.request_id = msg->sidr_req.request_id;
		answer->sidr_rep.service_id = msg->sidr_req.service_id;
		answer->sidr_rep.status = SWHCA_CM_SIDR_NO_SERVICE;
		return true;
	default:
		return false;
	}
}
