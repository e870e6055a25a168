/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Two ends of a connection, and what is on the way between them. Time passes when the test says so.
 */

#include "cases.h"
#include "front/cm/cm_conn.h"

#define NS_PER_MS UINT64_C(1000000)
#define MAX_MADS 64
#define NO_EVENT -1

struct end {
	struct swhca_cm_conn conn;
	uint8_t out[MAX_MADS][SWHCA_MAD_LEN];	/* Sent, and not yet delivered. */
	unsigned int nb_out, nb_sent;
	int event;				/* The last one. */
	unsigned int nb_events;
	struct swhca_cm_msg msg;		/* That came with it. */
};

static uint64_t now_ns;

static void
end_send(void *arg, const uint8_t mad[SWHCA_MAD_LEN])
{
	struct end *end = arg;

	assert_true(end->nb_out < MAX_MADS);
	memcpy(end->out[end->nb_out++], mad, SWHCA_MAD_LEN);
	end->nb_sent++;
}

static void
end_event(void *arg, enum swhca_cm_event event, const struct swhca_cm_msg *msg)
{
	struct end *end = arg;

	end->event = (int)event;
	end->nb_events++;
	if (msg != NULL)
		end->msg = *msg;
}

static const struct swhca_cm_ops ops = { .send = end_send, .event = end_event };

static struct end active, passive;

static int
setup(void **state)
{
	memset(&active, 0, sizeof(active));
	memset(&passive, 0, sizeof(passive));
	now_ns = 1000;
	swhca_cm_conn_init(&active.conn, &ops, &active, 0x1111, 0xaaaa, 15);
	swhca_cm_conn_init(&passive.conn, &ops, &passive, 0x2222, 0xbbbb, 15);
	active.event = passive.event = NO_EVENT;
	return 0;
}

/* What an end has sent reaches the other; "lose" of them do not. */
static void
deliver_but(struct end *from, struct end *to, unsigned int lose)
{
	struct swhca_cm_msg msg;

	for (unsigned int i = lose; i < from->nb_out; i++) {
		assert_int_equal(swhca_cm_parse(from->out[i], &msg), 0);
		if (msg.attr == SWHCA_CM_REQ && to->conn.state == SWHCA_CM_IDLE) {
			swhca_cm_request(&to->conn, &msg);
			to->msg = msg;
			continue;
		}
		if (msg.attr == SWHCA_CM_SIDR_REQ && to->conn.state == SWHCA_CM_IDLE) {
			swhca_cm_sidr_request(&to->conn, &msg);
			to->msg = msg;
			continue;
		}
		assert_true(swhca_cm_conn_is_of(&to->conn, &msg));
		swhca_cm_conn_receive(&to->conn, &msg, now_ns);
	}
	from->nb_out = 0;
}

static void
deliver(struct end *from, struct end *to)
{
	deliver_but(from, to, 0);
}

static void
pass_ms(uint32_t ms)
{
	now_ns += ms * NS_PER_MS;
	swhca_cm_conn_tick(&active.conn, now_ns);
	swhca_cm_conn_tick(&passive.conn, now_ns);
}

static void
connect_start(void)
{
	struct swhca_cm_msg msg = {
		.req = {
			.service_id = 0x1061234, .qpn = 0x11, .responder_resources = 3,
			.initiator_depth = 5, .remote_response_timeout = 20,
			.local_response_timeout = 20, .starting_psn = 0x100, .retry_count = 6,
			.rnr_retry_count = 5, .pkey = 0xffff, .path_mtu = 5, .max_cm_retries = 15,
		},
		.private_data = "hello",
	};

	assert_int_equal(swhca_cm_connect(&active.conn, &msg, 16, now_ns), 0);
}

static void
accept_start(void)
{
	struct swhca_cm_msg msg = {
		.rep = {
			.qpn = 0x22, .starting_psn = 0x200, .responder_resources = 4,
			.initiator_depth = 2, .rnr_retry_count = 7,
		},
		.private_data = "world",
	};

	assert_int_equal(swhca_cm_accept(&passive.conn, &msg, now_ns), 0);
}

static void
establish(void)
{
	connect_start();
	deliver(&active, &passive);
	accept_start();
	deliver(&passive, &active);
	assert_int_equal(swhca_cm_ready(&active.conn), 0);
	deliver(&active, &passive);
	assert_int_equal(active.conn.state, SWHCA_CM_ESTABLISHED);
	assert_int_equal(passive.conn.state, SWHCA_CM_ESTABLISHED);
}

CASE_WITH(both_ends_learn_what_queues_need, setup, NULL)
{
	connect_start();
	deliver(&active, &passive);
	assert_int_equal(passive.conn.state, SWHCA_CM_REQ_RCVD);
	assert_string_equal((const char *)passive.msg.private_data, "hello");
	assert_int_equal(passive.conn.remote_qpn, 0x11);
	assert_int_equal(passive.conn.sq_psn, 0x100);
	assert_int_equal(passive.conn.responder_resources, 5);
	assert_int_equal(passive.conn.initiator_depth, 3);
	assert_int_equal(passive.conn.retry_count, 6);
	assert_int_equal(passive.conn.rnr_retry_count, 5);
	assert_int_equal(passive.conn.path_mtu, 5);
	accept_start();
	deliver(&passive, &active);
	assert_int_equal(active.event, SWHCA_CM_EVENT_REP);
	assert_string_equal((const char *)active.msg.private_data, "world");
	assert_int_equal(active.conn.remote_qpn, 0x22);
	assert_int_equal(active.conn.rq_psn, 0x100);
	assert_int_equal(active.conn.sq_psn, 0x200);
	assert_int_equal(passive.conn.rq_psn, 0x200);
	assert_int_equal(active.conn.responder_resources, 2);
	assert_int_equal(active.conn.initiator_depth, 4);
	assert_int_equal(active.conn.rnr_retry_count, 7);
	assert_int_equal(swhca_cm_ready(&active.conn), 0);
	deliver(&active, &passive);
	assert_int_equal(passive.event, SWHCA_CM_EVENT_RTU);
	assert_int_equal(active.nb_sent, 2);
	assert_int_equal(passive.nb_sent, 1);
}

/* 2 * 2^(16 - 8) ms there and back, 2^(20 - 8) ms for the answer. */
CASE_WITH(lost_messages_are_sent_again, setup, NULL)
{
	connect_start();
	deliver_but(&active, &passive, 1);
	pass_ms(4607);
	assert_int_equal(active.nb_sent, 1);
	pass_ms(1);
	assert_int_equal(active.nb_sent, 2);
	deliver(&active, &passive);
	accept_start();
	deliver_but(&passive, &active, 1);
	pass_ms(4096);
	assert_int_equal(passive.nb_sent, 2);
	deliver(&passive, &active);
	assert_int_equal(active.event, SWHCA_CM_EVENT_REP);
	active.nb_out = 0;
	/* The RTU is lost: the REP comes again, and is answered again. */
	assert_int_equal(swhca_cm_ready(&active.conn), 0);
	active.nb_out = 0;
	pass_ms(4096);
	deliver(&passive, &active);
	deliver(&active, &passive);
	assert_int_equal(passive.event, SWHCA_CM_EVENT_RTU);
	assert_int_equal(active.nb_events, 1);
}

CASE_WITH(repetition_ends, setup, NULL)
{
	connect_start();
	for (unsigned int i = 0; i < 15; i++) {
		pass_ms(4608);
		assert_int_equal(active.nb_events, 0);
	}
	assert_int_equal(active.nb_sent, 16);
	pass_ms(4608);
	assert_int_equal(active.event, SWHCA_CM_EVENT_NO_REP);
	assert_int_equal(active.conn.state, SWHCA_CM_IDLE);
	pass_ms(100000);
	assert_int_equal(active.nb_events, 1);
}

CASE_WITH(who_needs_time_says_so, setup, NULL)
{
	connect_start();
	deliver(&active, &passive);
	pass_ms(4608);
	deliver(&active, &passive);
	/* An MRA: 2^(24 - 8) ms. */
	deliver(&passive, &active);
	pass_ms(65536);
	assert_int_equal(active.nb_sent, 2);
	accept_start();
	deliver(&passive, &active);
	assert_int_equal(active.event, SWHCA_CM_EVENT_REP);
	/* And at the other end. */
	active.nb_out = 0;
	pass_ms(4096);
	deliver(&passive, &active);
	deliver(&active, &passive);
	pass_ms(65536);
	assert_int_equal(passive.nb_sent, 3);
	assert_int_equal(swhca_cm_ready(&active.conn), 0);
	deliver(&active, &passive);
	assert_int_equal(passive.event, SWHCA_CM_EVENT_RTU);
}

CASE_WITH(a_rejection_has_a_reason, setup, NULL)
{
	connect_start();
	deliver(&active, &passive);
	assert_int_equal(swhca_cm_reject(&passive.conn, SWHCA_CM_REASON_CONSUMER, "no", 3, now_ns),
			 0);
	deliver(&passive, &active);
	assert_int_equal(active.event, SWHCA_CM_EVENT_REJ);
	assert_int_equal(active.msg.rej.reason, 28);
	assert_int_equal(active.msg.rej.answered, SWHCA_CM_ANSWERED_REQ);
	assert_string_equal((const char *)active.msg.private_data, "no");
	assert_int_equal(active.conn.state, SWHCA_CM_IDLE);
	assert_int_equal(swhca_cm_reject(&passive.conn, SWHCA_CM_REASON_CONSUMER, NULL, 0, now_ns),
			 -EINVAL);
	assert_int_equal(swhca_cm_reject(&active.conn, SWHCA_CM_REASON_CONSUMER, "", 149, now_ns),
			 -EINVAL);
}

CASE_WITH(connections_end, setup, NULL)
{
	establish();
	assert_int_equal(swhca_cm_disconnect(&active.conn, now_ns), 0);
	deliver(&active, &passive);
	assert_int_equal(passive.event, SWHCA_CM_EVENT_DREQ);
	assert_int_equal(swhca_cm_disconnect(&passive.conn, now_ns), 0);
	deliver(&passive, &active);
	assert_int_equal(active.event, SWHCA_CM_EVENT_DREP);
	assert_int_equal(active.conn.state, SWHCA_CM_TIMEWAIT);
	pass_ms(100000);
	assert_int_equal(active.event, SWHCA_CM_EVENT_TIMEWAIT_END);
	assert_int_equal(passive.event, SWHCA_CM_EVENT_TIMEWAIT_END);
	assert_int_equal(passive.conn.state, SWHCA_CM_IDLE);
}

CASE_WITH(lost_ends_are_repeated, setup, NULL)
{
	establish();
	assert_int_equal(swhca_cm_disconnect(&active.conn, now_ns), 0);
	deliver_but(&active, &passive, 1);
	pass_ms(4608);
	deliver(&active, &passive);
	assert_int_equal(swhca_cm_disconnect(&passive.conn, now_ns), 0);
	passive.nb_out = 0;
	/* The DREP was lost, and its sender is still in time wait. */
	pass_ms(1);
	active.conn.deadline_ns = now_ns;
	pass_ms(0);
	deliver(&active, &passive);
	deliver(&passive, &active);
	assert_int_equal(active.event, SWHCA_CM_EVENT_DREP);
}

/* Nobody answers any more: it does not wait for 69 s, nor for ever. */
CASE_WITH(a_peer_that_is_lost_has_ended_it, setup, NULL)
{
	connect_start();
	assert_false(swhca_cm_conn_needs_peer(&active.conn));
	setup(NULL);
	establish();
	assert_true(swhca_cm_conn_needs_peer(&passive.conn));
	swhca_cm_peer_lost(&passive.conn, now_ns);
	assert_int_equal(passive.event, SWHCA_CM_EVENT_DREQ);
	assert_false(swhca_cm_conn_needs_peer(&passive.conn));
	swhca_cm_peer_lost(&passive.conn, now_ns);
	assert_int_equal(passive.nb_events, 2);
	assert_int_equal(swhca_cm_disconnect(&passive.conn, now_ns), 0);
	assert_int_equal(passive.conn.state, SWHCA_CM_TIMEWAIT);

	assert_int_equal(swhca_cm_disconnect(&active.conn, now_ns), 0);
	assert_true(swhca_cm_conn_needs_peer(&active.conn));
	swhca_cm_peer_lost(&active.conn, now_ns);
	assert_int_equal(active.event, SWHCA_CM_EVENT_DREP);
	assert_int_equal(active.conn.state, SWHCA_CM_TIMEWAIT);
}

CASE_WITH(both_may_end_it_at_once, setup, NULL)
{
	establish();
	assert_int_equal(swhca_cm_disconnect(&active.conn, now_ns), 0);
	assert_int_equal(swhca_cm_disconnect(&passive.conn, now_ns), 0);
	deliver(&active, &passive);
	deliver(&passive, &active);
	assert_int_equal(active.event, SWHCA_CM_EVENT_DREQ);
	assert_int_equal(passive.event, SWHCA_CM_EVENT_DREQ);
	swhca_cm_conn_fini(&active.conn);
	deliver(&active, &passive);
	assert_int_equal(passive.event, SWHCA_CM_EVENT_DREP);
	assert_int_equal(passive.conn.state, SWHCA_CM_TIMEWAIT);
}

CASE_WITH(a_dreq_is_for_a_queue, setup, NULL)
{
	struct swhca_cm_msg msg = {
		.attr = SWHCA_CM_DREQ, .local_id = 0x1111, .remote_id = 0x2222, .dreq_qpn = 0x23,
	};

	establish();
	assert_true(swhca_cm_conn_is_of(&passive.conn, &msg));
	swhca_cm_conn_receive(&passive.conn, &msg, now_ns);
	assert_int_equal(passive.conn.state, SWHCA_CM_ESTABLISHED);
	msg.local_id = 0x1112;
	assert_false(swhca_cm_conn_is_of(&passive.conn, &msg));
}

/* What an end that goes away says, by its state, and what the other makes of it. */
CASE_WITH(who_goes_says_goodbye, setup, NULL)
{
	/* Two of three may be lost. */
	establish();
	swhca_cm_conn_fini(&passive.conn);
	deliver_but(&passive, &active, 2);
	assert_int_equal(active.event, SWHCA_CM_EVENT_DREQ);

	setup(NULL);
	establish();
	assert_int_equal(swhca_cm_disconnect(&active.conn, now_ns), 0);
	swhca_cm_conn_fini(&active.conn);
	deliver_but(&active, &passive, 2);
	assert_int_equal(passive.event, SWHCA_CM_EVENT_DREQ);

	setup(NULL);
	connect_start();
	deliver(&active, &passive);
	swhca_cm_conn_fini(&passive.conn);
	deliver(&passive, &active);
	assert_int_equal(active.event, SWHCA_CM_EVENT_REJ);

	setup(NULL);
	connect_start();
	deliver(&active, &passive);
	swhca_cm_conn_fini(&active.conn);
	deliver(&active, &passive);
	assert_int_equal(passive.event, SWHCA_CM_EVENT_REJ);
	assert_int_equal(passive.msg.rej.reason, SWHCA_CM_REASON_TIMEOUT);
	assert_int_equal(passive.msg.rej.info_guid, 0xaaaa);
}

CASE_WITH(services_are_resolved, setup, NULL)
{
	struct swhca_cm_msg ask = { .sidr_req = { .pkey = 0xffff, .service_id = 0x1113039 } };
	struct swhca_cm_msg answer = { .sidr_rep = { .qpn = 0x77, .qkey = 0x1234567 } };

	assert_int_equal(swhca_cm_sidr_ask(&active.conn, &ask, 20, 3, now_ns), 0);
	deliver(&active, &passive);
	assert_int_equal(passive.conn.state, SWHCA_CM_SIDR_REQ_RCVD);
	assert_int_equal(swhca_cm_sidr_answer(&passive.conn, &answer), 0);
	passive.nb_out = 0;
	/* Lost; who asks again is answered again. */
	pass_ms(4096);
	deliver(&active, &passive);
	deliver(&passive, &active);
	assert_int_equal(active.event, SWHCA_CM_EVENT_SIDR_REP);
	assert_int_equal(active.msg.sidr_rep.qpn, 0x77);
	assert_int_equal(active.msg.sidr_rep.qkey, 0x1234567);
	assert_int_equal(swhca_cm_sidr_answer(&passive.conn, &answer), -EINVAL);
}

CASE_WITH(strays_are_answered, setup, NULL)
{
	struct swhca_cm_msg msg = { .attr = SWHCA_CM_REQ, .tid = 9, .local_id = 5 }, answer;

	assert_true(swhca_cm_stray_answer(&msg, &answer));
	assert_int_equal(answer.attr, SWHCA_CM_REJ);
	assert_int_equal(answer.rej.reason, 8);
	assert_int_equal(answer.remote_id, 5);
	assert_int_equal(answer.tid, 9);
	msg.attr = SWHCA_CM_DREQ;
	msg.remote_id = 6;
	assert_true(swhca_cm_stray_answer(&msg, &answer));
	assert_int_equal(answer.attr, SWHCA_CM_DREP);
	assert_int_equal(answer.local_id, 6);
	msg.attr = SWHCA_CM_SIDR_REQ;
	msg.sidr_req.request_id = 7;
	assert_true(swhca_cm_stray_answer(&msg, &answer));
	assert_int_equal(answer.attr, SWHCA_CM_SIDR_REP);
	assert_int_equal(answer.sidr_rep.status, 1);
	assert_int_equal(answer.sidr_rep.request_id, 7);
	/* Nothing answers an answer. */
	msg.attr = SWHCA_CM_REJ;
	assert_false(swhca_cm_stray_answer(&msg, &answer));
	msg.attr = SWHCA_CM_DREP;
	assert_false(swhca_cm_stray_answer(&msg, &answer));
}

/* Linux: include/rdma/ib_cm.h, cm.c. */
CASE(times_are_powers_of_two)
{
	assert_int_equal(swhca_cm_time_ms(0), 1);
	assert_int_equal(swhca_cm_time_ms(8), 1);
	assert_int_equal(swhca_cm_time_ms(20), 4096);
	assert_int_equal(swhca_cm_time_ms(31), 1 << 23);
	assert_int_equal(swhca_cm_time_ms(255), 1 << 23);
	assert_int_equal(swhca_cm_ack_timeout(15, 16), 17);
	assert_int_equal(swhca_cm_ack_timeout(15, 18), 19);
	assert_int_equal(swhca_cm_ack_timeout(16, 16), 18);
	assert_int_equal(swhca_cm_ack_timeout(20, 10), 20);
	assert_int_equal(swhca_cm_ack_timeout(31, 31), 31);
}
