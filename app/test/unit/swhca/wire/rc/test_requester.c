/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* The requester of a connection, rule by rule (IBTA volume 1, 9.4 to 9.7). */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "wire/rc/rc_requester.h"

#define LOG_MSGS 3u
#define PSN 0xfffffeu	/* The third packet is number 0. */
#define TIMEOUT 4u
#define ACK_OK SWHCA_AETH_CREDITS_NONE
#define TIMEOUT_NS (UINT64_C(4096) << TIMEOUT)

struct bed {
	struct swhca_rc_requester q;
	struct swhca_rc_msg msgs[1u << LOG_MSGS];
	struct swhca_rc_packet packet;
	struct swhca_rc_place place;
	uint64_t now;
};

static const struct swhca_rc_requester_conf plain = {
	.psn = PSN, .window = 64, .log_mtu = 8, .timeout = TIMEOUT, .retry_cnt = 2, .rnr_retry = 2,
	.max_rd_atomic = 2,
};

static void
bed_init(struct bed *bed, const struct swhca_rc_requester_conf *conf)
{
	memset(bed, 0, sizeof(*bed));
	bed->now = 1000;
	assert_int_equal(swhca_rc_requester_init(&bed->q, conf, bed->msgs, LOG_MSGS), 0);
}

static uint32_t
post(struct bed *bed, enum swhca_rc_op op, uint8_t flags, uint32_t len)
{
	uint32_t msg = 0;

	assert_int_equal(swhca_rc_requester_post(&bed->q, op, flags, len, &msg), 0);
	return msg;
}

/* The next packet is this one. */
static void
expect(struct bed *bed, uint8_t opcode, uint32_t psn)
{
	assert_true(swhca_rc_requester_next(&bed->q, bed->now, &bed->packet));
	assert_int_equal(bed->packet.opcode, opcode);
	assert_int_equal(bed->packet.psn, psn);
}

static void
expect_nothing(struct bed *bed)
{
	assert_false(swhca_rc_requester_next(&bed->q, bed->now, &bed->packet));
}

static uint32_t
send_all(struct bed *bed)
{
	uint32_t nb = 0;

	while (swhca_rc_requester_next(&bed->q, bed->now, &bed->packet))
		nb++;
	return nb;
}

static enum swhca_rc_take
respond(struct bed *bed, uint8_t opcode, uint32_t psn, uint8_t syndrome, uint32_t len)
{
	const struct swhca_rc_packet packet = { .opcode = opcode, .psn = psn, .len = len,
						.syndrome = syndrome };

	return swhca_rc_requester_receive(&bed->q, bed->now, &packet, &bed->place);
}

static void
ack(struct bed *bed, uint32_t psn, uint8_t syndrome)
{
	assert_int_equal(respond(bed, SWHCA_PACKET_ACK, psn, syndrome, 0), SWHCA_RC_TAKE_NOTHING);
}

static void
expect_done(struct bed *bed, uint32_t msg, enum swhca_rc_status status)
{
	enum swhca_rc_status is;
	uint32_t number;

	assert_true(swhca_rc_requester_pop(&bed->q, &number, &is));
	assert_int_equal(number, msg);
	assert_int_equal(is, status);
}

static void
expect_none_done(struct bed *bed)
{
	enum swhca_rc_status status;
	uint32_t msg;

	assert_false(swhca_rc_requester_pop(&bed->q, &msg, &status));
}

static void
init_refuses_what_cannot_be(void **state)
{
	struct swhca_rc_requester_conf conf = plain;
	struct bed bed;

	(void)state;
	conf.log_mtu = 7;
	assert_int_equal(swhca_rc_requester_init(&bed.q, &conf, bed.msgs, LOG_MSGS), -EINVAL);
	conf.log_mtu = 13;
	assert_int_equal(swhca_rc_requester_init(&bed.q, &conf, bed.msgs, LOG_MSGS), -EINVAL);
	conf = plain;
	conf.window = 0;
	assert_int_equal(swhca_rc_requester_init(&bed.q, &conf, bed.msgs, LOG_MSGS), -EINVAL);
	conf.window = 1u << 23;
	assert_int_equal(swhca_rc_requester_init(&bed.q, &conf, bed.msgs, LOG_MSGS), -EINVAL);
}

static void
post_refuses_what_cannot_be(void **state)
{
	struct swhca_rc_requester_conf conf = plain;
	struct bed bed;
	uint32_t msg, i;

	(void)state;
	bed_init(&bed, &conf);
	assert_int_equal(swhca_rc_requester_post(&bed.q, SWHCA_RC_OP_NONE, 0, 0, &msg), -EINVAL);
	assert_int_equal(swhca_rc_requester_post(&bed.q, SWHCA_RC_OP_FETCH_ADD, 0, 4, &msg),
			 -EINVAL);
	/* 2^23 packets of 256 bytes could not be told from duplicates (9.7.1). */
	assert_int_equal(swhca_rc_requester_post(&bed.q, SWHCA_RC_OP_SEND, 0, 1u << 31, &msg),
			 -EMSGSIZE);
	assert_int_equal(swhca_rc_requester_post(&bed.q, SWHCA_RC_OP_SEND, 0, (1u << 31) + 1, &msg),
			 -EMSGSIZE);
	for (i = 0; i < 1u << LOG_MSGS; i++)
		assert_int_equal(post(&bed, SWHCA_RC_OP_SEND, 0, 1), i);
	assert_int_equal(swhca_rc_requester_post(&bed.q, SWHCA_RC_OP_SEND, 0, 1, &msg), -ENOSPC);
	conf.is_unreliable = true;
	bed_init(&bed, &conf);
	assert_int_equal(swhca_rc_requester_post(&bed.q, SWHCA_RC_OP_READ, 0, 1, &msg), -EINVAL);
}

/* 9.4.1, 9.7.2: full packets, a last one, numbers modulo 2^24. */
static void
message_is_cut_by_the_mtu(void **state)
{
	struct bed bed;

	(void)state;
	bed_init(&bed, &plain);
	post(&bed, SWHCA_RC_OP_SEND, SWHCA_RC_F_IMM | SWHCA_RC_F_SOLICITED, 513);
	expect(&bed, SWHCA_PACKET_SEND_FIRST, 0xfffffe);
	assert_int_equal(bed.packet.len, 256);
	assert_false(bed.packet.ack_req);
	assert_false(bed.packet.solicited);
	expect(&bed, SWHCA_PACKET_SEND_MIDDLE, 0xffffff);
	assert_int_equal(bed.packet.offset, 256);
	expect(&bed, SWHCA_PACKET_SEND_LAST_IMM, 0);
	assert_int_equal(bed.packet.offset, 512);
	assert_int_equal(bed.packet.len, 1);
	assert_true(bed.packet.ack_req);
	assert_true(bed.packet.solicited);
	post(&bed, SWHCA_RC_OP_WRITE, 0, 0);
	expect(&bed, SWHCA_PACKET_WRITE_ONLY, 1);
	assert_int_equal(bed.packet.len, 0);
	post(&bed, SWHCA_RC_OP_WRITE, 0, 512);
	expect(&bed, SWHCA_PACKET_WRITE_FIRST, 2);
	assert_int_equal(bed.packet.dma_len, 512);
	expect(&bed, SWHCA_PACKET_WRITE_LAST, 3);
	post(&bed, SWHCA_RC_OP_SEND, SWHCA_RC_F_INV, 3);
	expect(&bed, SWHCA_PACKET_SEND_ONLY_INVAL, 4);
	expect_nothing(&bed);
}

/* 9.7.5.1.2: one acknowledgement is of all that came before, parts of messages too. */
static void
ack_is_of_all_before(void **state)
{
	struct bed bed;

	(void)state;
	bed_init(&bed, &plain);
	post(&bed, SWHCA_RC_OP_SEND, 0, 1);
	post(&bed, SWHCA_RC_OP_WRITE, 0, 1);
	post(&bed, SWHCA_RC_OP_SEND, 0, 512);
	assert_int_equal(send_all(&bed), 4);
	ack(&bed, 0, ACK_OK);
	expect_done(&bed, 0, SWHCA_RC_DONE);
	expect_done(&bed, 1, SWHCA_RC_DONE);
	expect_none_done(&bed);
	ack(&bed, 1, ACK_OK);
	expect_done(&bed, 2, SWHCA_RC_DONE);
	assert_int_equal(swhca_rc_requester_deadline(&bed.q), SWHCA_RC_NEVER);
}

/* 9.7.6.1: what was acknowledged, or never sent, changes nothing. */
static void
ghost_acks_are_dropped(void **state)
{
	struct bed bed;

	(void)state;
	bed_init(&bed, &plain);
	post(&bed, SWHCA_RC_OP_SEND, 0, 1);
	post(&bed, SWHCA_RC_OP_SEND, 0, 1);
	expect(&bed, SWHCA_PACKET_SEND_ONLY, 0xfffffe);
	ack(&bed, 0xffffff, ACK_OK);
	ack(&bed, 0xfffffd, ACK_OK);
	ack(&bed, 0x7fffff, swhca_aeth_nak(SWHCA_NAK_ACCESS));
	expect_none_done(&bed);
	assert_int_equal(bed.q.stats.nb_bad, 1);
	assert_int_equal(bed.q.stats.nb_old, 2);
	assert_false(bed.q.is_failed);
}

/* Whoever stops sending for want of something has asked for an acknowledgement. */
static void
last_packet_of_the_window_asks_for_ack(void **state)
{
	struct swhca_rc_requester_conf conf = plain;
	struct bed bed;
	uint32_t i;

	(void)state;
	conf.window = 8;
	conf.ack_every = 100;
	bed_init(&bed, &conf);
	post(&bed, SWHCA_RC_OP_WRITE, 0, 256 * 20);
	for (i = 0; i < 8; i++) {
		assert_true(swhca_rc_requester_next(&bed.q, bed.now, &bed.packet));
		assert_int_equal(bed.packet.ack_req, i == 7);
	}
	expect_nothing(&bed);
	ack(&bed, 0xffffff, ACK_OK);
	assert_int_equal(send_all(&bed), 2);
	assert_true(bed.packet.ack_req);
}

static void
long_messages_ask_now_and_then(void **state)
{
	struct bed bed;
	uint32_t i;

	(void)state;
	bed_init(&bed, &plain);	/* Window / 4 is 16. */
	post(&bed, SWHCA_RC_OP_WRITE, 0, 256 * 40);
	for (i = 1; i <= 40; i++) {
		assert_true(swhca_rc_requester_next(&bed.q, bed.now, &bed.packet));
		assert_int_equal(bed.packet.ack_req, i % 16 == 0 || i == 40);
	}
	post(&bed, SWHCA_RC_OP_SEND, SWHCA_RC_F_ACK, 1);
	post(&bed, SWHCA_RC_OP_SEND, 0, 1);
	expect(&bed, SWHCA_PACKET_SEND_ONLY, 38);
	assert_true(bed.packet.ack_req);
}

/* 9.7.5.2: a sequence error acknowledges what is in front, and all from there on is sent again. */
static void
sequence_nak_goes_back(void **state)
{
	struct bed bed;

	(void)state;
	bed_init(&bed, &plain);
	post(&bed, SWHCA_RC_OP_SEND, 0, 1);
	post(&bed, SWHCA_RC_OP_WRITE, 0, 700);
	assert_int_equal(send_all(&bed), 4);
	ack(&bed, 0, swhca_aeth_nak(SWHCA_NAK_PSN_SEQ));
	expect_done(&bed, 0, SWHCA_RC_DONE);
	expect(&bed, SWHCA_PACKET_WRITE_MIDDLE, 0);
	assert_int_equal(bed.packet.offset, 256);
	/* The same NAK, twice on the way, is one. */
	ack(&bed, 0, swhca_aeth_nak(SWHCA_NAK_PSN_SEQ));
	expect(&bed, SWHCA_PACKET_WRITE_LAST, 1);
	expect_nothing(&bed);
	assert_int_equal(bed.q.stats.nb_sequence_naks, 1);
	assert_int_equal(bed.q.stats.nb_resent, 2);
	ack(&bed, 1, ACK_OK);
	expect_done(&bed, 1, SWHCA_RC_DONE);
}

/* 9.7.5.2: the others end the message, and those behind it. */
static void
fatal_naks_end_the_message(void **state)
{
	static const struct {
		enum swhca_nak nak;
		enum swhca_rc_status status;
	} naks[] = {
		{ SWHCA_NAK_INVAL_REQ, SWHCA_RC_REMOTE_INVAL_REQ },
		{ SWHCA_NAK_ACCESS, SWHCA_RC_REMOTE_ACCESS },
		{ SWHCA_NAK_OP, SWHCA_RC_REMOTE_OP },
	};
	struct bed bed;
	uint32_t msg;
	unsigned int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		bed_init(&bed, &plain);
		post(&bed, SWHCA_RC_OP_SEND, 0, 1);
		post(&bed, SWHCA_RC_OP_WRITE, 0, 1);
		post(&bed, SWHCA_RC_OP_SEND, 0, 1);
		send_all(&bed);
		ack(&bed, 0xffffff, swhca_aeth_nak(naks[i].nak));
		expect_done(&bed, 0, SWHCA_RC_DONE);
		expect_done(&bed, 1, naks[i].status);
		expect_done(&bed, 2, SWHCA_RC_FLUSHED);
		expect_none_done(&bed);
		expect_nothing(&bed);
		assert_int_equal(swhca_rc_requester_post(&bed.q, SWHCA_RC_OP_SEND, 0, 1, &msg),
				 -EIO);
	}
	bed_init(&bed, &plain);
	post(&bed, SWHCA_RC_OP_SEND, 0, 1);
	send_all(&bed);
	ack(&bed, PSN, 0x60 | 31);
	assert_false(bed.q.is_failed);
	assert_int_equal(bed.q.stats.nb_bad, 1);
}

/* 9.7.6.1, 9.9.2.1: time-outs, counted until something new is acknowledged. */
static void
time_out_retransmits_until_the_count(void **state)
{
	struct bed bed;
	unsigned int i;

	(void)state;
	bed_init(&bed, &plain);
	post(&bed, SWHCA_RC_OP_SEND, 0, 1);
	post(&bed, SWHCA_RC_OP_SEND, 0, 1);
	assert_int_equal(swhca_rc_requester_deadline(&bed.q), SWHCA_RC_NEVER);
	send_all(&bed);
	bed.now += TIMEOUT_NS - 1;
	swhca_rc_requester_tick(&bed.q, bed.now);
	expect_nothing(&bed);
	bed.now++;
	assert_int_equal(swhca_rc_requester_deadline(&bed.q), bed.now);
	swhca_rc_requester_tick(&bed.q, bed.now);
	assert_int_equal(send_all(&bed), 2);
	/* Progress: the count begins anew, and so does the timer. */
	bed.now += TIMEOUT_NS / 2;
	ack(&bed, PSN, ACK_OK);
	for (i = 0; i < 3; i++) {
		assert_int_equal(swhca_rc_requester_deadline(&bed.q), bed.now + TIMEOUT_NS);
		assert_false(bed.q.is_failed);
		bed.now += TIMEOUT_NS;
		swhca_rc_requester_tick(&bed.q, bed.now);
		assert_int_equal(send_all(&bed), i < 2);
	}
	expect_done(&bed, 0, SWHCA_RC_DONE);
	expect_done(&bed, 1, SWHCA_RC_RETRY_EXCEEDED);
	assert_int_equal(bed.q.stats.nb_timeouts, 4);
}

/* Whoever had no CPU could not have heard an answer. */
static void
time_without_a_cpu_is_not_counted(void **state)
{
	struct bed bed;

	(void)state;
	bed_init(&bed, &plain);
	post(&bed, SWHCA_RC_OP_SEND, 0, 1);
	send_all(&bed);
	bed.now += TIMEOUT_NS / 2;
	swhca_rc_requester_skip(&bed.q, 100 * (uint64_t)TIMEOUT_NS);
	bed.now += 100 * (uint64_t)TIMEOUT_NS;
	swhca_rc_requester_tick(&bed.q, bed.now);
	assert_int_equal(bed.q.stats.nb_timeouts, 0);
	bed.now += TIMEOUT_NS / 2;
	assert_int_equal(swhca_rc_requester_deadline(&bed.q), bed.now);
	swhca_rc_requester_tick(&bed.q, bed.now);
	assert_int_equal(bed.q.stats.nb_timeouts, 1);
}

static void
without_time_out_it_waits_for_ever(void **state)
{
	struct swhca_rc_requester_conf conf = plain;
	struct bed bed;

	(void)state;
	conf.timeout = 0;
	bed_init(&bed, &conf);
	post(&bed, SWHCA_RC_OP_SEND, 0, 1);
	send_all(&bed);
	assert_int_equal(swhca_rc_requester_deadline(&bed.q), SWHCA_RC_NEVER);
	swhca_rc_requester_tick(&bed.q, UINT64_MAX - 1);
	expect_nothing(&bed);
}

/* An acknowledgement that was on its way spares what it is of. */
static void
late_ack_moves_what_is_sent_again(void **state)
{
	struct bed bed;

	(void)state;
	bed_init(&bed, &plain);
	post(&bed, SWHCA_RC_OP_WRITE, 0, 1024);
	send_all(&bed);
	bed.now += TIMEOUT_NS;
	swhca_rc_requester_tick(&bed.q, bed.now);
	expect(&bed, SWHCA_PACKET_WRITE_FIRST, PSN);
	ack(&bed, 0, ACK_OK);
	expect(&bed, SWHCA_PACKET_WRITE_LAST, 1);
	expect_nothing(&bed);
}

/* 9.7.5.2.8: nothing until the time is over; a count of its own, without end if it is 7. */
static void
rnr_nak_waits(void **state)
{
	struct swhca_rc_requester_conf conf = plain;
	struct bed bed;
	unsigned int i;

	(void)state;
	for (conf.rnr_retry = 2; conf.rnr_retry <= 7; conf.rnr_retry += 5) {
		bed_init(&bed, &conf);
		post(&bed, SWHCA_RC_OP_SEND, 0, 1);
		post(&bed, SWHCA_RC_OP_SEND, 0, 1);
		send_all(&bed);
		for (i = 0; i < (conf.rnr_retry == 7 ? 50u : 2u); i++) {
			ack(&bed, PSN, swhca_aeth_rnr(12));	/* 0.64 ms */
			/* A responder may find the one behind it out of sequence. */
			ack(&bed, PSN, swhca_aeth_nak(SWHCA_NAK_PSN_SEQ));
			expect_nothing(&bed);
			assert_int_equal(swhca_rc_requester_deadline(&bed.q), bed.now + 640000);
			bed.now += 639999;
			swhca_rc_requester_tick(&bed.q, bed.now);
			expect_nothing(&bed);
			bed.now++;
			swhca_rc_requester_tick(&bed.q, bed.now);
			assert_int_equal(send_all(&bed), 2);
		}
		ack(&bed, PSN, swhca_aeth_rnr(12));
		assert_int_equal(bed.q.is_failed, conf.rnr_retry == 2);
	}
}

/* Work requests complete in order: a message fails behind those in front of it. */
static void
what_cannot_be_sent_fails_in_its_turn(void **state)
{
	struct swhca_rc_requester_conf conf = plain;
	struct bed bed;

	(void)state;
	bed_init(&bed, &plain);
	post(&bed, SWHCA_RC_OP_SEND, 0, 1);
	swhca_rc_requester_stop(&bed.q, 0);
	expect_done(&bed, 0, SWHCA_RC_LOCAL);
	bed_init(&bed, &plain);
	post(&bed, SWHCA_RC_OP_WRITE, 0, 1);
	post(&bed, SWHCA_RC_OP_READ, 0, 1);
	post(&bed, SWHCA_RC_OP_WRITE, 0, 300);
	post(&bed, SWHCA_RC_OP_WRITE, 0, 1);
	assert_int_equal(send_all(&bed), 5);
	swhca_rc_requester_stop(&bed.q, 2);
	/* One behind it does not count. */
	swhca_rc_requester_stop(&bed.q, 3);
	expect_none_done(&bed);
	/* Again, and no more. */
	assert_int_equal(send_all(&bed), 2);
	ack(&bed, PSN, ACK_OK);
	expect_done(&bed, 0, SWHCA_RC_DONE);
	expect_none_done(&bed);
	respond(&bed, SWHCA_PACKET_READ_RESPONSE_ONLY, PSN + 1, ACK_OK, 1);
	expect_done(&bed, 1, SWHCA_RC_DONE);
	expect_done(&bed, 2, SWHCA_RC_LOCAL);
	expect_done(&bed, 3, SWHCA_RC_FLUSHED);
	expect_nothing(&bed);
	assert_int_equal(swhca_rc_requester_deadline(&bed.q), SWHCA_RC_NEVER);
	conf.is_unreliable = true;
	bed_init(&bed, &conf);
	post(&bed, SWHCA_RC_OP_SEND, 0, 1);
	post(&bed, SWHCA_RC_OP_SEND, 0, 1);
	assert_int_equal(send_all(&bed), 2);
	swhca_rc_requester_stop(&bed.q, 1);
	expect_done(&bed, 0, SWHCA_RC_DONE);
	expect_done(&bed, 1, SWHCA_RC_LOCAL);
}

static void
rnr_retries_end(void **state)
{
	struct swhca_rc_requester_conf conf = plain;
	struct bed bed;

	(void)state;
	conf.rnr_retry = 0;
	bed_init(&bed, &conf);
	post(&bed, SWHCA_RC_OP_SEND, 0, 1);
	send_all(&bed);
	ack(&bed, PSN, swhca_aeth_rnr(0));
	expect_done(&bed, 0, SWHCA_RC_RNR_RETRY_EXCEEDED);
}

/* 9.4.4: a read has the numbers of its answer, which acknowledges what is in front of it. */
static void
read_takes_the_numbers_of_its_answer(void **state)
{
	struct bed bed;

	(void)state;
	bed_init(&bed, &plain);
	post(&bed, SWHCA_RC_OP_SEND, 0, 1);
	post(&bed, SWHCA_RC_OP_READ, 0, 600);
	post(&bed, SWHCA_RC_OP_SEND, 0, 1);
	expect(&bed, SWHCA_PACKET_SEND_ONLY, 0xfffffe);
	expect(&bed, SWHCA_PACKET_READ_REQUEST, 0xffffff);
	assert_int_equal(bed.packet.dma_len, 600);
	assert_int_equal(bed.packet.len, 0);
	expect(&bed, SWHCA_PACKET_SEND_ONLY, 2);
	assert_int_equal(respond(&bed, SWHCA_PACKET_READ_RESPONSE_FIRST, 0xffffff, ACK_OK, 256),
			 SWHCA_RC_TAKE_DATA);
	expect_done(&bed, 0, SWHCA_RC_DONE);
	assert_int_equal(bed.place.msg, 1);
	assert_int_equal(bed.place.offset, 0);
	assert_int_equal(respond(&bed, SWHCA_PACKET_READ_RESPONSE_FIRST, 0xffffff, ACK_OK, 256),
			 SWHCA_RC_TAKE_NOTHING);
	assert_int_equal(respond(&bed, SWHCA_PACKET_READ_RESPONSE_MIDDLE, 0, 0, 256),
			 SWHCA_RC_TAKE_DATA);
	assert_int_equal(bed.place.offset, 256);
	expect_none_done(&bed);
	assert_int_equal(respond(&bed, SWHCA_PACKET_READ_RESPONSE_LAST, 1, ACK_OK, 88),
			 SWHCA_RC_TAKE_DATA);
	assert_int_equal(bed.place.len, 88);
	expect_done(&bed, 1, SWHCA_RC_DONE);
	expect_none_done(&bed);
}

/* 9.7.3: what is left of a read is asked for again, from where its answer broke off. */
static void
read_continues_where_it_broke_off(void **state)
{
	struct bed bed;

	(void)state;
	bed_init(&bed, &plain);
	post(&bed, SWHCA_RC_OP_READ, 0, 1000);
	expect(&bed, SWHCA_PACKET_READ_REQUEST, PSN);
	respond(&bed, SWHCA_PACKET_READ_RESPONSE_FIRST, PSN, ACK_OK, 256);
	/* The second one is lost: the third says so. */
	respond(&bed, SWHCA_PACKET_READ_RESPONSE_MIDDLE, 0, 0, 256);
	assert_int_equal(bed.q.stats.nb_implied_naks, 1);
	expect(&bed, SWHCA_PACKET_READ_REQUEST, 0xffffff);
	assert_int_equal(bed.packet.offset, 256);
	assert_int_equal(bed.packet.dma_len, 744);
	/* And the fourth says it no more. */
	respond(&bed, SWHCA_PACKET_READ_RESPONSE_LAST, 1, ACK_OK, 232);
	expect_nothing(&bed);
	assert_int_equal(respond(&bed, SWHCA_PACKET_READ_RESPONSE_FIRST, 0xffffff, ACK_OK, 256),
			 SWHCA_RC_TAKE_DATA);
	assert_int_equal(bed.place.offset, 256);
}

/* 9.7.5.1.2: an acknowledgement of what is behind a read without its answer is a NAK of it. */
static void
ack_behind_a_read_is_an_implied_nak(void **state)
{
	struct bed bed;

	(void)state;
	bed_init(&bed, &plain);
	post(&bed, SWHCA_RC_OP_SEND, 0, 1);
	post(&bed, SWHCA_RC_OP_FETCH_ADD, 0, 8);
	post(&bed, SWHCA_RC_OP_SEND, 0, 1);
	send_all(&bed);
	ack(&bed, 0, ACK_OK);
	expect_done(&bed, 0, SWHCA_RC_DONE);
	expect_none_done(&bed);
	expect(&bed, SWHCA_PACKET_FETCH_ADD, 0xffffff);
	expect(&bed, SWHCA_PACKET_SEND_ONLY, 0);
	assert_int_equal(respond(&bed, SWHCA_PACKET_ATOMIC_ACK, 0xffffff, ACK_OK, 0),
			 SWHCA_RC_TAKE_ATOMIC);
	assert_int_equal(bed.place.msg, 1);
	expect_done(&bed, 1, SWHCA_RC_DONE);
	expect_none_done(&bed);
}

/* 9.9.2: an answer of another length ends the read; one of another kind is no answer. */
static void
wrong_responses_are_refused(void **state)
{
	struct bed bed;

	(void)state;
	bed_init(&bed, &plain);
	post(&bed, SWHCA_RC_OP_READ, 0, 300);
	post(&bed, SWHCA_RC_OP_SEND, 0, 1);
	send_all(&bed);
	respond(&bed, SWHCA_PACKET_ATOMIC_ACK, PSN, ACK_OK, 0);
	respond(&bed, SWHCA_PACKET_READ_RESPONSE_ONLY, PSN, ACK_OK, 256);
	respond(&bed, SWHCA_PACKET_SEND_ONLY, PSN, ACK_OK, 0);
	assert_int_equal(bed.q.stats.nb_bad, 3);
	expect_none_done(&bed);
	respond(&bed, SWHCA_PACKET_READ_RESPONSE_FIRST, PSN, ACK_OK, 255);
	expect_done(&bed, 0, SWHCA_RC_BAD_RESPONSE);
	expect_done(&bed, 1, SWHCA_RC_FLUSHED);
}

/* 9.7.3: no more reads and atomics than the responder has resources for. */
static void
reads_and_atomics_are_limited(void **state)
{
	struct bed bed;

	(void)state;
	bed_init(&bed, &plain);
	post(&bed, SWHCA_RC_OP_READ, 0, 1);
	post(&bed, SWHCA_RC_OP_CMP_SWAP, 0, 8);
	post(&bed, SWHCA_RC_OP_READ, 0, 1);
	post(&bed, SWHCA_RC_OP_SEND, 0, 1);
	assert_int_equal(send_all(&bed), 2);
	respond(&bed, SWHCA_PACKET_READ_RESPONSE_ONLY, PSN, ACK_OK, 1);
	assert_int_equal(send_all(&bed), 2);
	/* Going back does not count them twice. */
	bed.now += TIMEOUT_NS;
	swhca_rc_requester_tick(&bed.q, bed.now);
	assert_int_equal(send_all(&bed), 3);
}

/* 10.8.3.3 */
static void
fence_waits_for_reads(void **state)
{
	struct bed bed;

	(void)state;
	bed_init(&bed, &plain);
	post(&bed, SWHCA_RC_OP_READ, 0, 1);
	post(&bed, SWHCA_RC_OP_WRITE, 0, 1);
	post(&bed, SWHCA_RC_OP_WRITE, SWHCA_RC_F_FENCE, 1);
	assert_int_equal(send_all(&bed), 2);
	assert_true(bed.packet.ack_req);
	respond(&bed, SWHCA_PACKET_READ_RESPONSE_ONLY, PSN, ACK_OK, 1);
	expect(&bed, SWHCA_PACKET_WRITE_ONLY, 0);
}

/* 9.7.7.2: a message without credit sends one packet, and waits for what it brings. */
static void
credits_limit_what_is_received(void **state)
{
	struct swhca_rc_requester_conf conf = plain;
	struct bed bed;
	struct swhca_rc_packet packet = { .opcode = SWHCA_PACKET_ACK };

	(void)state;
	conf.has_credits = true;
	bed_init(&bed, &conf);
	post(&bed, SWHCA_RC_OP_SEND, 0, 300);
	post(&bed, SWHCA_RC_OP_WRITE, 0, 1);
	post(&bed, SWHCA_RC_OP_SEND, 0, 1);
	post(&bed, SWHCA_RC_OP_SEND, 0, 1);
	expect(&bed, SWHCA_PACKET_SEND_FIRST, PSN);
	assert_true(bed.packet.ack_req);
	expect_nothing(&bed);
	ack(&bed, PSN, 0);
	expect(&bed, SWHCA_PACKET_SEND_LAST, 0xffffff);
	/* A write needs none; the next send does, and all is outstanding. */
	expect(&bed, SWHCA_PACKET_WRITE_ONLY, 0);
	expect_nothing(&bed);
	packet.psn = 0;
	packet.msn = 2;
	packet.syndrome = 0;
	swhca_rc_requester_receive(&bed.q, bed.now, &packet, &bed.place);
	expect(&bed, SWHCA_PACKET_SEND_ONLY, 1);
	expect_nothing(&bed);
	/* Credit alone, without news. */
	packet.syndrome = 2;
	swhca_rc_requester_receive(&bed.q, bed.now, &packet, &bed.place);
	expect(&bed, SWHCA_PACKET_SEND_ONLY, 2);
	assert_int_equal(swhca_aeth_credits(2), 2);
}

/* 9.8.2: nobody acknowledges, nothing is sent twice. */
static void
unreliable_is_done_when_sent(void **state)
{
	struct swhca_rc_requester_conf conf = plain;
	struct bed bed;

	(void)state;
	conf.is_unreliable = true;
	bed_init(&bed, &conf);
	post(&bed, SWHCA_RC_OP_SEND, 0, 300);
	expect(&bed, SWHCA_PACKET_SEND_FIRST, PSN);
	assert_false(bed.packet.ack_req);
	expect_none_done(&bed);
	expect(&bed, SWHCA_PACKET_SEND_LAST, 0xffffff);
	assert_false(bed.packet.ack_req);
	expect_done(&bed, 0, SWHCA_RC_DONE);
	assert_int_equal(swhca_rc_requester_deadline(&bed.q), SWHCA_RC_NEVER);
	ack(&bed, PSN, 0x60);
	expect_nothing(&bed);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(init_refuses_what_cannot_be),
		cmocka_unit_test(post_refuses_what_cannot_be),
		cmocka_unit_test(message_is_cut_by_the_mtu),
		cmocka_unit_test(ack_is_of_all_before),
		cmocka_unit_test(ghost_acks_are_dropped),
		cmocka_unit_test(last_packet_of_the_window_asks_for_ack),
		cmocka_unit_test(long_messages_ask_now_and_then),
		cmocka_unit_test(sequence_nak_goes_back),
		cmocka_unit_test(fatal_naks_end_the_message),
		cmocka_unit_test(time_out_retransmits_until_the_count),
		cmocka_unit_test(time_without_a_cpu_is_not_counted),
		cmocka_unit_test(without_time_out_it_waits_for_ever),
		cmocka_unit_test(late_ack_moves_what_is_sent_again),
		cmocka_unit_test(rnr_nak_waits),
		cmocka_unit_test(what_cannot_be_sent_fails_in_its_turn),
		cmocka_unit_test(rnr_retries_end),
		cmocka_unit_test(read_takes_the_numbers_of_its_answer),
		cmocka_unit_test(read_continues_where_it_broke_off),
		cmocka_unit_test(ack_behind_a_read_is_an_implied_nak),
		cmocka_unit_test(wrong_responses_are_refused),
		cmocka_unit_test(reads_and_atomics_are_limited),
		cmocka_unit_test(fence_waits_for_reads),
		cmocka_unit_test(credits_limit_what_is_received),
		cmocka_unit_test(unreliable_is_done_when_sent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
