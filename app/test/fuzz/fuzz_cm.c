/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Messages of connection management: an input is a sequence of steps of one end, among them
 * messages with any bytes. What can be read is built and read again, and is the same.
 */

#include "front/cm/cm_conn.h"
#include "fuzz.h"

#define NS_PER_MS UINT64_C(1000000)
/* Steps of an input: a user's, a message, and time. */
enum step {
	STEP_CONNECT, STEP_REQUEST, STEP_ACCEPT, STEP_READY, STEP_ESTABLISH, STEP_REJECT,
	STEP_DISCONNECT, STEP_SIDR_ASK, STEP_SIDR_REQUEST, STEP_SIDR_ANSWER, STEP_RECEIVE,
	STEP_TIME, NB_STEPS,
};

struct end {
	struct swhca_cm_conn conn;
	uint64_t now_ns;
	unsigned int depth;	/* Of calls: nothing may come out of an event but once. */
};

static void
end_send(void *arg, const uint8_t mad[SWHCA_MAD_LEN])
{
	struct swhca_cm_msg msg;

	(void)arg;
	FUZZ_NEED(swhca_cm_parse(mad, &msg) == 0);
}

static void
end_event(void *arg, enum swhca_cm_event event, const struct swhca_cm_msg *msg)
{
	struct end *end = arg;

	(void)msg;
	FUZZ_NEED(event <= SWHCA_CM_EVENT_SIDR_REP);
	FUZZ_NEED(end->depth++ == 0);
}

/* A message with any bytes but those that make it one. */
static void
msg_read(struct fuzz_input *in, uint16_t attr, struct swhca_cm_msg *msg)
{
	uint8_t mad[SWHCA_MAD_LEN], again[SWHCA_MAD_LEN];
	struct swhca_cm_msg other;

	fuzz_bytes(in, mad, sizeof(mad) - 100);
	memset(mad + sizeof(mad) - 100, mad[0], 100);
	if (swhca_cm_parse(mad, msg) != 0) {
		memcpy(mad, (const uint8_t[]){ 1, 7, 2, 3 }, 4);
		mad[16] = 0;
		mad[17] = (uint8_t)(SWHCA_CM_REQ + attr % 9);
	}
	FUZZ_NEED(swhca_cm_parse(mad, msg) == 0);
	swhca_cm_build(msg, mad);
	FUZZ_NEED(swhca_cm_parse(mad, &other) == 0);
	swhca_cm_build(&other, again);
	FUZZ_NEED(memcmp(mad, again, sizeof(mad)) == 0);
}

/* Most messages are of the connection: names that fit are rare. */
static void
names_fit(struct fuzz_input *in, const struct swhca_cm_conn *conn, struct swhca_cm_msg *msg)
{
	if (fuzz_u8(in) % 4 == 0)
		return;
	msg->local_id = conn->remote_id;
	msg->remote_id = conn->local_id;
	if (msg->attr == SWHCA_CM_DREQ)
		msg->dreq_qpn = conn->local_qpn;
	else if (msg->attr == SWHCA_CM_SIDR_REP)
		msg->sidr_rep.request_id = conn->local_id;
}

static void
user_step(struct fuzz_input *in, struct end *end, enum step step)
{
	struct swhca_cm_conn *conn = &end->conn;
	struct swhca_cm_msg msg;

	msg_read(in, 0, &msg);
	switch (step) {
	case STEP_CONNECT:
		swhca_cm_connect(conn, &msg, fuzz_u8(in), end->now_ns);
		break;
	case STEP_REQUEST:
		if (conn->state == SWHCA_CM_IDLE)
			swhca_cm_request(conn, &msg);
		break;
	case STEP_ACCEPT:
		swhca_cm_accept(conn, &msg, end->now_ns);
		break;
	case STEP_READY:
		swhca_cm_ready(conn);
		break;
	case STEP_ESTABLISH:
		swhca_cm_establish(conn);
		break;
	case STEP_REJECT:
		swhca_cm_reject(conn, fuzz_u8(in), msg.private_data, fuzz_u8(in), end->now_ns);
		break;
	case STEP_DISCONNECT:
		swhca_cm_disconnect(conn, end->now_ns);
		break;
	case STEP_SIDR_ASK:
		swhca_cm_sidr_ask(conn, &msg, fuzz_u8(in), fuzz_u8(in) % 16, end->now_ns);
		break;
	case STEP_SIDR_REQUEST:
		if (conn->state == SWHCA_CM_IDLE)
			swhca_cm_sidr_request(conn, &msg);
		break;
	default:
		swhca_cm_sidr_answer(conn, &msg);
		break;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct swhca_cm_ops ops = { .send = end_send, .event = end_event };
	struct fuzz_input in = { .data = data, .left = size };
	struct end end = { .now_ns = 1 };
	struct swhca_cm_msg msg, answer;
	enum step step;

	swhca_cm_conn_init(&end.conn, &ops, &end, 0x1234, 0x5678, fuzz_u8(&in) % 32);
	while (in.left > 0) {
		end.depth = 0;
		step = fuzz_u8(&in) % NB_STEPS;
		if (step == STEP_RECEIVE) {
			msg_read(&in, fuzz_u8(&in), &msg);
			names_fit(&in, &end.conn, &msg);
			if (swhca_cm_conn_is_of(&end.conn, &msg))
				swhca_cm_conn_receive(&end.conn, &msg, end.now_ns);
			else
				swhca_cm_stray_answer(&msg, &answer);
		} else if (step == STEP_TIME) {
			end.now_ns += fuzz_u16(&in) * NS_PER_MS;
			swhca_cm_conn_tick(&end.conn, end.now_ns);
		} else {
			user_step(&in, &end, step);
		}
	}
	end.depth = 0;
	swhca_cm_conn_fini(&end.conn);
	FUZZ_NEED(end.conn.state == SWHCA_CM_IDLE && end.depth == 0);
	return 0;
}
