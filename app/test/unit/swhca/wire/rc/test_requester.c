/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* The requester of a connection, rule by rule (IBTA volume 1, 9.4 to 9.7). */

#include "cases.h"
#include "wire/rc/rc_requester.h"

#define LOG_MSGS 3u
#define PSN 0xfffffeu	/* The third packet is number 0. */
#define TIMEOUT 4u
#define ACK_OK SWHCA_AETH_CREDITS_NONE
#define TIMEOUT_NS (UINT64_C(4096) << TIMEOUT)

static struct {
	struct swhca_rc_requester q;
	struct swhca_rc_msg msgs[1u << LOG_MSGS];
	struct swhca_rc_packet packet;
	struct swhca_rc_place place;
	uint64_t now;
} bed;

static struct swhca_rc_requester_conf conf;
static const struct swhca_rc_requester_conf plain = {
	.psn = PSN, .window = 64, .log_mtu = 8, .timeout = TIMEOUT, .retry_cnt = 2, .rnr_retry = 2,
	.max_rd_atomic = 2,
};

/* Begin anew with the configuration. */
static void
bed_init(void)
{
	memset(&bed, 0xa5, sizeof(bed));
	bed.now = 1000;
	assert_int_equal(swhca_rc_requester_init(&bed.q, &conf, bed.msgs, LOG_MSGS), 0);
}

static int
setup(void **state)
{
	conf = plain;
	bed_init();
	return 0;
}

static uint32_t
post_flags(enum swhca_rc_op op, uint8_t flags, uint32_t len)
{
	uint32_t msg;

	assert_int_equal(swhca_rc_requester_post(&bed.q, op, flags, len, &msg), 0);
	return msg;
}

static uint32_t
post(enum swhca_rc_op op, uint32_t len)
{
	return post_flags(op, 0, len);
}

/* Sends of one byte. */
static void
post_sends(unsigned int nb)
{
	for (; nb > 0; nb--)
		post(SWHCA_RC_OP_SEND, 1);
}

static void
expect_rejected(enum swhca_rc_op op, uint32_t len, int ret)
{
	uint32_t msg;

	assert_int_equal(swhca_rc_requester_post(&bed.q, op, 0, len, &msg), ret);
}

/* The next packet is this one. */
static void
expect(uint8_t opcode, uint32_t psn)
{
	assert_true(swhca_rc_requester_next(&bed.q, bed.now, &bed.packet));
	assert_int_equal(bed.packet.opcode, opcode);
	assert_int_equal(bed.packet.psn, psn);
}

static void
expect_part(uint8_t opcode, uint32_t psn, uint32_t offset, uint32_t len)
{
	expect(opcode, psn);
	assert_int_equal(bed.packet.offset, offset);
	assert_int_equal(bed.packet.len, len);
}

static void
expect_nothing(void)
{
	assert_false(swhca_rc_requester_next(&bed.q, bed.now, &bed.packet));
}

static uint32_t
send_all(void)
{
	uint32_t nb = 0;

	while (swhca_rc_requester_next(&bed.q, bed.now, &bed.packet))
		nb++;
	return nb;
}

static enum swhca_rc_take
respond(uint8_t opcode, uint32_t psn, uint8_t syndrome, uint32_t len)
{
	const struct swhca_rc_packet packet = { .opcode = opcode, .psn = psn, .len = len,
						.syndrome = syndrome };

	return swhca_rc_requester_receive(&bed.q, bed.now, &packet, &bed.place);
}

/* A response whose data go to that place. */
static void
expect_data(uint8_t opcode, uint32_t psn, uint8_t syndrome, uint32_t len, uint32_t offset)
{
	assert_int_equal(respond(opcode, psn, syndrome, len), SWHCA_RC_TAKE_DATA);
	assert_int_equal(bed.place.offset, offset);
	assert_int_equal(bed.place.len, len);
}

static void
ack(uint32_t psn, uint8_t syndrome)
{
	assert_int_equal(respond(SWHCA_PACKET_ACK, psn, syndrome, 0), SWHCA_RC_TAKE_NOTHING);
}

static void
expect_done(uint32_t msg, enum swhca_rc_status status)
{
	enum swhca_rc_status is;
	uint32_t number;

	assert_true(swhca_rc_requester_pop(&bed.q, &number, &is));
	assert_int_equal(number, msg);
	assert_int_equal(is, status);
}

static void
expect_none_done(void)
{
	enum swhca_rc_status status;
	uint32_t msg;

	assert_false(swhca_rc_requester_pop(&bed.q, &msg, &status));
}

/* Time passes, and the timer looks at it. */
static void
pass(uint64_t ns)
{
	bed.now += ns;
	swhca_rc_requester_tick(&bed.q, bed.now);
}

static void
expect_deadline(uint64_t ns)
{
	assert_int_equal(swhca_rc_requester_deadline(&bed.q), ns);
}

CASE_WITH(init_refuses_what_cannot_be, setup, NULL)
{
	static const struct {
		uint8_t log_mtu;
		uint32_t window;
	} bad[] = { { 7, 64 }, { 13, 64 }, { 8, 0 }, { 8, 1u << 23 } };

	for (size_t i = 0; i < NB_OF(bad); i++) {
		conf.log_mtu = bad[i].log_mtu;
		conf.window = bad[i].window;
		row_check_at(i, swhca_rc_requester_init(&bed.q, &conf, bed.msgs, LOG_MSGS),
			     -EINVAL);
	}
}

CASE_WITH(post_refuses_what_cannot_be, setup, NULL)
{
	expect_rejected(SWHCA_RC_OP_NONE, 0, -EINVAL);
	expect_rejected(SWHCA_RC_OP_FETCH_ADD, 4, -EINVAL);
	/* 2^23 packets of 256 bytes could not be told from duplicates (9.7.1). */
	expect_rejected(SWHCA_RC_OP_SEND, 1u << 31, -EMSGSIZE);
	expect_rejected(SWHCA_RC_OP_SEND, (1u << 31) + 1, -EMSGSIZE);
	for (uint32_t i = 0; i < 1u << LOG_MSGS; i++)
		assert_int_equal(post(SWHCA_RC_OP_SEND, 1), i);
	expect_rejected(SWHCA_RC_OP_SEND, 1, -ENOSPC);
	conf.is_unreliable = true;
	bed_init();
	expect_rejected(SWHCA_RC_OP_READ, 1, -EINVAL);
}

/* 9.4.1, 9.7.2: full packets, a last one, numbers modulo 2^24. */
CASE_WITH(message_is_cut_by_the_mtu, setup, NULL)
{
	post_flags(SWHCA_RC_OP_SEND, SWHCA_RC_F_IMM | SWHCA_RC_F_SOLICITED, 513);
	expect_part(SWHCA_PACKET_SEND_FIRST, 0xfffffe, 0, 256);
	assert_false(bed.packet.ack_req || bed.packet.solicited);
	expect_part(SWHCA_PACKET_SEND_MIDDLE, 0xffffff, 256, 256);
	expect_part(SWHCA_PACKET_SEND_LAST_IMM, 0, 512, 1);
	assert_true(bed.packet.ack_req && bed.packet.solicited);
	post(SWHCA_RC_OP_WRITE, 0);
	expect_part(SWHCA_PACKET_WRITE_ONLY, 1, 0, 0);
	post(SWHCA_RC_OP_WRITE, 512);
	expect(SWHCA_PACKET_WRITE_FIRST, 2);
	assert_int_equal(bed.packet.dma_len, 512);
	expect(SWHCA_PACKET_WRITE_LAST, 3);
	post_flags(SWHCA_RC_OP_SEND, SWHCA_RC_F_INV, 3);
	expect(SWHCA_PACKET_SEND_ONLY_INVAL, 4);
	expect_nothing();
}

/* 9.7.5.1.2: one acknowledgement is of all that came before, parts of messages too. */
CASE_WITH(ack_is_of_all_before, setup, NULL)
{
	post_sends(1);
	post(SWHCA_RC_OP_WRITE, 1);
	post(SWHCA_RC_OP_SEND, 512);
	assert_int_equal(send_all(), 4);
	ack(0, ACK_OK);
	expect_done(0, SWHCA_RC_DONE);
	expect_done(1, SWHCA_RC_DONE);
	expect_none_done();
	ack(1, ACK_OK);
	expect_done(2, SWHCA_RC_DONE);
	expect_deadline(SWHCA_RC_NEVER);
}

/* 9.7.6.1: what was acknowledged, or never sent, changes nothing. */
CASE_WITH(ghost_acks_are_dropped, setup, NULL)
{
	post_sends(2);
	expect(SWHCA_PACKET_SEND_ONLY, 0xfffffe);
	ack(0xffffff, ACK_OK);
	ack(0xfffffd, ACK_OK);
	ack(0x7fffff, swhca_aeth_nak(SWHCA_NAK_ACCESS));
	expect_none_done();
	assert_int_equal(bed.q.stats.nb_bad, 1);
	assert_int_equal(bed.q.stats.nb_old, 2);
	assert_false(bed.q.is_failed);
}

/* Whoever stops sending for want of something has asked for an acknowledgement. */
CASE_WITH(last_packet_of_the_window_asks_for_ack, setup, NULL)
{
	conf.window = 8;
	conf.ack_every = 100;
	bed_init();
	post(SWHCA_RC_OP_WRITE, 256 * 20);
	for (uint32_t i = 0; i < 8; i++) {
		assert_true(swhca_rc_requester_next(&bed.q, bed.now, &bed.packet));
		assert_int_equal(bed.packet.ack_req, i == 7);
	}
	expect_nothing();
	ack(0xffffff, ACK_OK);
	assert_int_equal(send_all(), 2);
	assert_true(bed.packet.ack_req);
}

CASE_WITH(long_messages_ask_now_and_then, setup, NULL)
{
	post(SWHCA_RC_OP_WRITE, 256 * 40);	/* window / 4 is 16 */
	for (uint32_t i = 1; i <= 40; i++) {
		assert_true(swhca_rc_requester_next(&bed.q, bed.now, &bed.packet));
		assert_int_equal(bed.packet.ack_req, i % 16 == 0 || i == 40);
	}
	post_flags(SWHCA_RC_OP_SEND, SWHCA_RC_F_ACK, 1);
	post_sends(1);
	expect(SWHCA_PACKET_SEND_ONLY, 38);
	assert_true(bed.packet.ack_req);
}

/* 9.7.5.2: a sequence error acknowledges what is in front, and all from there on is sent again. */
CASE_WITH(sequence_nak_goes_back, setup, NULL)
{
	post_sends(1);
	post(SWHCA_RC_OP_WRITE, 700);
	assert_int_equal(send_all(), 4);
	ack(0, swhca_aeth_nak(SWHCA_NAK_PSN_SEQ));
	expect_done(0, SWHCA_RC_DONE);
	expect_part(SWHCA_PACKET_WRITE_MIDDLE, 0, 256, 256);
	/* The same NAK, twice on the way, is one. */
	ack(0, swhca_aeth_nak(SWHCA_NAK_PSN_SEQ));
	expect(SWHCA_PACKET_WRITE_LAST, 1);
	expect_nothing();
	assert_int_equal(bed.q.stats.nb_sequence_naks, 1);
	assert_int_equal(bed.q.stats.nb_resent, 2);
	ack(1, ACK_OK);
	expect_done(1, SWHCA_RC_DONE);
}

/* 9.7.5.2: the others end the message, and those behind it. */
CASE_WITH(fatal_naks_end_the_message, setup, NULL)
{
	static const struct {
		enum swhca_nak nak;
		enum swhca_rc_status status;
	} naks[] = {
		{ SWHCA_NAK_INVAL_REQ, SWHCA_RC_REMOTE_INVAL_REQ },
		{ SWHCA_NAK_ACCESS, SWHCA_RC_REMOTE_ACCESS },
		{ SWHCA_NAK_OP, SWHCA_RC_REMOTE_OP },
	};

	for (unsigned int i = 0; i < 3; i++) {
		bed_init();
		post_sends(1);
		post(SWHCA_RC_OP_WRITE, 1);
		post_sends(1);
		send_all();
		ack(0xffffff, swhca_aeth_nak(naks[i].nak));
		expect_done(0, SWHCA_RC_DONE);
		expect_done(1, naks[i].status);
		expect_done(2, SWHCA_RC_FLUSHED);
		expect_none_done();
		expect_nothing();
		expect_rejected(SWHCA_RC_OP_SEND, 1, -EIO);
	}
	bed_init();
	post_sends(1);
	send_all();
	ack(PSN, 0x60 | 31);
	assert_false(bed.q.is_failed);
	assert_int_equal(bed.q.stats.nb_bad, 1);
}

/* 9.7.6.1, 9.9.2.1: time-outs, counted until something new is acknowledged. */
CASE_WITH(time_out_retransmits_until_the_count, setup, NULL)
{
	post_sends(2);
	expect_deadline(SWHCA_RC_NEVER);
	send_all();
	pass(TIMEOUT_NS - 1);
	expect_nothing();
	expect_deadline(bed.now + 1);
	pass(1);
	assert_int_equal(send_all(), 2);
	/* Progress: the count begins anew, and so does the timer. */
	bed.now += TIMEOUT_NS / 2;
	ack(PSN, ACK_OK);
	for (unsigned int i = 0; i < 3; i++) {
		expect_deadline(bed.now + TIMEOUT_NS);
		assert_false(bed.q.is_failed);
		pass(TIMEOUT_NS);
		assert_int_equal(send_all(), i < 2);
	}
	expect_done(0, SWHCA_RC_DONE);
	expect_done(1, SWHCA_RC_RETRY_EXCEEDED);
	assert_int_equal(bed.q.stats.nb_timeouts, 4);
}

/* Whoever had no CPU could not have heard an answer. */
CASE_WITH(time_without_a_cpu_is_not_counted, setup, NULL)
{
	post_sends(1);
	send_all();
	bed.now += TIMEOUT_NS / 2;
	swhca_rc_requester_skip(&bed.q, 100 * (uint64_t)TIMEOUT_NS);
	pass(100 * (uint64_t)TIMEOUT_NS);
	assert_int_equal(bed.q.stats.nb_timeouts, 0);
	expect_deadline(bed.now + TIMEOUT_NS / 2);
	pass(TIMEOUT_NS / 2);
	assert_int_equal(bed.q.stats.nb_timeouts, 1);
}

CASE_WITH(without_time_out_it_waits_for_ever, setup, NULL)
{
	conf.timeout = 0;
	bed_init();
	post_sends(1);
	send_all();
	expect_deadline(SWHCA_RC_NEVER);
	swhca_rc_requester_tick(&bed.q, UINT64_MAX - 1);
	expect_nothing();
}

/* An acknowledgement that was on its way spares what it is of. */
CASE_WITH(late_ack_moves_what_is_sent_again, setup, NULL)
{
	post(SWHCA_RC_OP_WRITE, 1024);
	send_all();
	pass(TIMEOUT_NS);
	expect(SWHCA_PACKET_WRITE_FIRST, PSN);
	ack(0, ACK_OK);
	expect(SWHCA_PACKET_WRITE_LAST, 1);
	expect_nothing();
}

/* 9.7.5.2.8: nothing until the time is over; a count of its own, without end if it is 7. */
CASE_WITH(rnr_nak_waits, setup, NULL)
{
	for (conf.rnr_retry = 2; conf.rnr_retry <= 7; conf.rnr_retry += 5) {
		bed_init();
		post_sends(2);
		send_all();
		for (unsigned int i = 0; i < (conf.rnr_retry == 7 ? 50u : 2u); i++) {
			ack(PSN, swhca_aeth_rnr(12));	/* 0.64 ms */
			/* A responder may find the one behind it out of sequence. */
			ack(PSN, swhca_aeth_nak(SWHCA_NAK_PSN_SEQ));
			expect_nothing();
			expect_deadline(bed.now + 640000);
			pass(639999);
			expect_nothing();
			pass(1);
			assert_int_equal(send_all(), 2);
		}
		ack(PSN, swhca_aeth_rnr(12));
		assert_int_equal(bed.q.is_failed, conf.rnr_retry == 2);
	}
}

/* Work requests complete in order: a message fails behind those in front of it. */
CASE_WITH(what_cannot_be_sent_fails_in_its_turn, setup, NULL)
{
	post_sends(1);
	swhca_rc_requester_stop(&bed.q, 0);
	expect_done(0, SWHCA_RC_LOCAL);
	bed_init();
	post(SWHCA_RC_OP_WRITE, 1);
	post(SWHCA_RC_OP_READ, 1);
	post(SWHCA_RC_OP_WRITE, 300);
	post(SWHCA_RC_OP_WRITE, 1);
	assert_int_equal(send_all(), 5);
	swhca_rc_requester_stop(&bed.q, 2);
	/* One behind it does not count. */
	swhca_rc_requester_stop(&bed.q, 3);
	expect_none_done();
	/* Again, and no more. */
	assert_int_equal(send_all(), 2);
	ack(PSN, ACK_OK);
	expect_done(0, SWHCA_RC_DONE);
	expect_none_done();
	respond(SWHCA_PACKET_READ_RESPONSE_ONLY, PSN + 1, ACK_OK, 1);
	expect_done(1, SWHCA_RC_DONE);
	expect_done(2, SWHCA_RC_LOCAL);
	expect_done(3, SWHCA_RC_FLUSHED);
	expect_nothing();
	expect_deadline(SWHCA_RC_NEVER);
	conf.is_unreliable = true;
	bed_init();
	post_sends(2);
	assert_int_equal(send_all(), 2);
	swhca_rc_requester_stop(&bed.q, 1);
	expect_done(0, SWHCA_RC_DONE);
	expect_done(1, SWHCA_RC_LOCAL);
}

CASE_WITH(rnr_retries_end, setup, NULL)
{
	conf.rnr_retry = 0;
	bed_init();
	post_sends(1);
	send_all();
	ack(PSN, swhca_aeth_rnr(0));
	expect_done(0, SWHCA_RC_RNR_RETRY_EXCEEDED);
}

/* 9.4.4: a read has the numbers of its answer, which acknowledges what is in front of it. */
CASE_WITH(read_takes_the_numbers_of_its_answer, setup, NULL)
{
	post_sends(1);
	post(SWHCA_RC_OP_READ, 600);
	post_sends(1);
	expect(SWHCA_PACKET_SEND_ONLY, 0xfffffe);
	expect_part(SWHCA_PACKET_READ_REQUEST, 0xffffff, 0, 0);
	assert_int_equal(bed.packet.dma_len, 600);
	expect(SWHCA_PACKET_SEND_ONLY, 2);
	expect_data(SWHCA_PACKET_READ_RESPONSE_FIRST, 0xffffff, ACK_OK, 256, 0);
	expect_done(0, SWHCA_RC_DONE);
	assert_int_equal(bed.place.msg, 1);
	assert_int_equal(respond(SWHCA_PACKET_READ_RESPONSE_FIRST, 0xffffff, ACK_OK, 256),
			 SWHCA_RC_TAKE_NOTHING);
	expect_data(SWHCA_PACKET_READ_RESPONSE_MIDDLE, 0, 0, 256, 256);
	expect_none_done();
	expect_data(SWHCA_PACKET_READ_RESPONSE_LAST, 1, ACK_OK, 88, 512);
	expect_done(1, SWHCA_RC_DONE);
	expect_none_done();
}

/* 9.7.3: what is left of a read is asked for again, from where its answer broke off. */
CASE_WITH(read_continues_where_it_broke_off, setup, NULL)
{
	post(SWHCA_RC_OP_READ, 1000);
	expect(SWHCA_PACKET_READ_REQUEST, PSN);
	respond(SWHCA_PACKET_READ_RESPONSE_FIRST, PSN, ACK_OK, 256);
	/* The second one is lost: the third says so. */
	respond(SWHCA_PACKET_READ_RESPONSE_MIDDLE, 0, 0, 256);
	assert_int_equal(bed.q.stats.nb_implied_naks, 1);
	expect_part(SWHCA_PACKET_READ_REQUEST, 0xffffff, 256, 0);
	assert_int_equal(bed.packet.dma_len, 744);
	/* And the fourth says it no more. */
	respond(SWHCA_PACKET_READ_RESPONSE_LAST, 1, ACK_OK, 232);
	expect_nothing();
	expect_data(SWHCA_PACKET_READ_RESPONSE_FIRST, 0xffffff, ACK_OK, 256, 256);
}

/* 9.7.5.1.2: an acknowledgement of what is behind a read without its answer is a NAK of it. */
CASE_WITH(ack_behind_a_read_is_an_implied_nak, setup, NULL)
{
	post_sends(1);
	post(SWHCA_RC_OP_FETCH_ADD, 8);
	post_sends(1);
	send_all();
	ack(0, ACK_OK);
	expect_done(0, SWHCA_RC_DONE);
	expect_none_done();
	expect(SWHCA_PACKET_FETCH_ADD, 0xffffff);
	expect(SWHCA_PACKET_SEND_ONLY, 0);
	assert_int_equal(respond(SWHCA_PACKET_ATOMIC_ACK, 0xffffff, ACK_OK, 0),
			 SWHCA_RC_TAKE_ATOMIC);
	assert_int_equal(bed.place.msg, 1);
	expect_done(1, SWHCA_RC_DONE);
	expect_none_done();
}

/* 9.9.2: an answer of another length ends the read; one of another kind is no answer. */
CASE_WITH(wrong_responses_are_refused, setup, NULL)
{
	post(SWHCA_RC_OP_READ, 300);
	post_sends(1);
	send_all();
	respond(SWHCA_PACKET_ATOMIC_ACK, PSN, ACK_OK, 0);
	respond(SWHCA_PACKET_READ_RESPONSE_ONLY, PSN, ACK_OK, 256);
	respond(SWHCA_PACKET_SEND_ONLY, PSN, ACK_OK, 0);
	assert_int_equal(bed.q.stats.nb_bad, 3);
	expect_none_done();
	respond(SWHCA_PACKET_READ_RESPONSE_FIRST, PSN, ACK_OK, 255);
	expect_done(0, SWHCA_RC_BAD_RESPONSE);
	expect_done(1, SWHCA_RC_FLUSHED);
}

/* 9.7.3: no more reads and atomics than the responder has resources for. */
CASE_WITH(reads_and_atomics_are_limited, setup, NULL)
{
	post(SWHCA_RC_OP_READ, 1);
	post(SWHCA_RC_OP_CMP_SWAP, 8);
	post(SWHCA_RC_OP_READ, 1);
	post_sends(1);
	assert_int_equal(send_all(), 2);
	respond(SWHCA_PACKET_READ_RESPONSE_ONLY, PSN, ACK_OK, 1);
	assert_int_equal(send_all(), 2);
	/* Going back does not count them twice. */
	pass(TIMEOUT_NS);
	assert_int_equal(send_all(), 3);
}

/* 10.8.3.3 */
CASE_WITH(fence_waits_for_reads, setup, NULL)
{
	post(SWHCA_RC_OP_READ, 1);
	post(SWHCA_RC_OP_WRITE, 1);
	post_flags(SWHCA_RC_OP_WRITE, SWHCA_RC_F_FENCE, 1);
	assert_int_equal(send_all(), 2);
	assert_true(bed.packet.ack_req);
	respond(SWHCA_PACKET_READ_RESPONSE_ONLY, PSN, ACK_OK, 1);
	expect(SWHCA_PACKET_WRITE_ONLY, 0);
}

/* 9.7.7.2: a message without credit sends one packet, and waits for what it brings. */
CASE_WITH(credits_limit_what_is_received, setup, NULL)
{
	struct swhca_rc_packet packet = { .opcode = SWHCA_PACKET_ACK, .msn = 2 };

	conf.has_credits = true;
	bed_init();
	post(SWHCA_RC_OP_SEND, 300);
	post(SWHCA_RC_OP_WRITE, 1);
	post_sends(2);
	expect(SWHCA_PACKET_SEND_FIRST, PSN);
	assert_true(bed.packet.ack_req);
	expect_nothing();
	ack(PSN, 0);
	expect(SWHCA_PACKET_SEND_LAST, 0xffffff);
	/* A write needs none; the next send does, and all is outstanding. */
	expect(SWHCA_PACKET_WRITE_ONLY, 0);
	expect_nothing();
	swhca_rc_requester_receive(&bed.q, bed.now, &packet, &bed.place);
	expect(SWHCA_PACKET_SEND_ONLY, 1);
	expect_nothing();
	/* Credit alone, without news. */
	packet.syndrome = 2;
	swhca_rc_requester_receive(&bed.q, bed.now, &packet, &bed.place);
	expect(SWHCA_PACKET_SEND_ONLY, 2);
	assert_int_equal(swhca_aeth_credits(2), 2);
}

/* 9.8.2: nobody acknowledges, nothing is sent twice. */
CASE_WITH(unreliable_is_done_when_sent, setup, NULL)
{
	conf.is_unreliable = true;
	bed_init();
	post(SWHCA_RC_OP_SEND, 300);
	expect(SWHCA_PACKET_SEND_FIRST, PSN);
	assert_false(bed.packet.ack_req);
	expect_none_done();
	expect(SWHCA_PACKET_SEND_LAST, 0xffffff);
	assert_false(bed.packet.ack_req);
	expect_done(0, SWHCA_RC_DONE);
	expect_deadline(SWHCA_RC_NEVER);
	ack(PSN, 0x60);
	expect_nothing();
}
