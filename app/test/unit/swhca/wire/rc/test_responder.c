/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* The responder of a connection, rule by rule (IBTA volume 1, 9.4 to 9.7). */

#include "cases.h"
#include "wire/rc/rc_responder.h"

#define PSN 0xfffffeu	/* The third packet is number 0. */
#define NB_RD 2u
#define ACK_OK SWHCA_AETH_CREDITS_NONE
#define NAK(code) swhca_aeth_nak(SWHCA_NAK_##code)

static struct {
	struct swhca_rc_responder r;
	struct swhca_rc_resource resources[NB_RD];
	struct swhca_rc_packet packet;
	struct swhca_rc_piece piece;
} bed;

static struct swhca_rc_responder_conf conf;
static const struct swhca_rc_responder_conf plain = {
	.psn = PSN, .max_msg = 1u << 20, .log_mtu = 8, .max_dest_rd_atomic = NB_RD,
	.credits = SWHCA_AETH_CREDITS_NONE,
};

/* Begin anew with the configuration. */
static void
bed_init(void)
{
	memset(&bed, 0xa5, sizeof(bed));
	assert_int_equal(swhca_rc_responder_init(&bed.r, &conf, bed.resources), 0);
}

static int
setup(void **state)
{
	conf = plain;
	bed_init();
	return 0;
}

/* A request that asks for an acknowledgement. @return Whether it is to be executed. */
static bool
request(uint8_t opcode, uint32_t psn, uint32_t len, uint32_t dma_len)
{
	const struct swhca_rc_packet packet = {
		.opcode = opcode, .psn = psn, .len = len, .dma_len = dma_len, .ack_req = true,
	};

	return swhca_rc_responder_receive(&bed.r, &packet, &bed.piece) == SWHCA_RC_DO_EXECUTE;
}

static void
execute(uint8_t opcode, uint32_t psn, uint32_t len, uint32_t dma_len)
{
	assert_true(request(opcode, psn, len, dma_len));
	swhca_rc_responder_done(&bed.r);
}

static void
expect(uint8_t opcode, uint32_t psn, uint8_t syndrome)
{
	assert_true(swhca_rc_responder_next(&bed.r, &bed.packet));
	assert_int_equal(bed.packet.opcode, opcode);
	assert_int_equal(bed.packet.psn, psn);
	assert_int_equal(bed.packet.syndrome, syndrome);
}

static void
expect_ack(uint32_t psn, uint8_t syndrome)
{
	expect(SWHCA_PACKET_ACK, psn, syndrome);
}

/* A part of what is read. */
static void
expect_part(uint8_t opcode, uint32_t psn, uint32_t offset, uint32_t len)
{
	expect(opcode, psn, ACK_OK);
	assert_int_equal(bed.packet.offset, offset);
	assert_int_equal(bed.packet.len, len);
}

static void
expect_atomic(uint32_t psn, uint64_t value)
{
	expect(SWHCA_PACKET_ATOMIC_ACK, psn, ACK_OK);
	assert_int_equal(bed.packet.atomic, value);
}

static void
expect_nothing(void)
{
	assert_false(swhca_rc_responder_next(&bed.r, &bed.packet));
}

CASE_WITH(init_refuses_what_cannot_be, setup, NULL)
{
	struct swhca_rc_responder r;

	assert_int_equal(swhca_rc_responder_init(&r, &conf, NULL), -EINVAL);
	conf.max_dest_rd_atomic = 0;
	assert_int_equal(swhca_rc_responder_init(&r, &conf, NULL), 0);
	conf.log_mtu = 13;
	assert_int_equal(swhca_rc_responder_init(&r, &conf, NULL), -EINVAL);
	conf = plain;
	conf.max_msg = SWHCA_RC_MAX_MSG + 1;
	assert_int_equal(swhca_rc_responder_init(&r, &conf, NULL), -EINVAL);
}

/* 9.7.5.1.2, 9.7.5.2: one acknowledgement of all that was taken, with the number of messages. */
CASE_WITH(acks_are_coalesced, setup, NULL)
{
	expect_nothing();
	execute(SWHCA_PACKET_SEND_ONLY, 0xfffffe, 10, 0);
	execute(SWHCA_PACKET_WRITE_FIRST, 0xffffff, 256, 300);
	assert_true(bed.piece.is_first);
	assert_false(bed.piece.is_last);
	execute(SWHCA_PACKET_WRITE_LAST_IMM, 0, 44, 0);
	assert_int_equal(bed.piece.offset, 256);
	assert_int_equal(bed.piece.len, 44);
	assert_true(bed.piece.is_last);
	assert_int_equal(bed.piece.flags, SWHCA_RC_F_IMM);
	execute(SWHCA_PACKET_SEND_FIRST, 1, 256, 0);
	expect_ack(1, ACK_OK);
	assert_int_equal(bed.packet.msn, 2);
	expect_nothing();
}

CASE_WITH(no_ack_unless_asked_for, setup, NULL)
{
	struct swhca_rc_packet packet = { .opcode = SWHCA_PACKET_SEND_ONLY, .psn = PSN,
					  .solicited = true };

	assert_int_equal(swhca_rc_responder_receive(&bed.r, &packet, &bed.piece),
			 SWHCA_RC_DO_EXECUTE);
	assert_int_equal(bed.piece.flags, SWHCA_RC_F_SOLICITED);
	swhca_rc_responder_done(&bed.r);
	expect_nothing();
}

/* 9.7.5.2: one NAK for whatever is ahead, and none until what it is for has come. */
CASE_WITH(out_of_sequence_is_told_once, setup, NULL)
{
	assert_false(request(SWHCA_PACKET_SEND_ONLY, 0xffffff, 1, 0));
	assert_false(request(SWHCA_PACKET_SEND_ONLY, 0, 1, 0));
	expect_ack(PSN, NAK(PSN_SEQ));
	assert_false(request(SWHCA_PACKET_SEND_ONLY, 1, 1, 0));
	expect_nothing();
	execute(SWHCA_PACKET_SEND_ONLY, PSN, 1, 0);
	expect_ack(PSN, ACK_OK);
	assert_false(request(SWHCA_PACKET_SEND_ONLY, 0, 1, 0));
	expect_ack(0xffffff, NAK(PSN_SEQ));
	assert_int_equal(bed.r.stats.nb_out_of_sequence, 4);
}

/* What was ahead is dropped, so what follows the late one is missing now. */
CASE_WITH(nak_moves_with_what_comes_late, setup, NULL)
{
	assert_false(request(SWHCA_PACKET_SEND_ONLY, 0xffffff, 1, 0));
	execute(SWHCA_PACKET_SEND_ONLY, PSN, 1, 0);
	expect_ack(0xffffff, NAK(PSN_SEQ));
	expect_nothing();
}

/* 9.7.5.1.4: duplicates of sends and writes are acknowledged, with the latest. */
CASE_WITH(duplicates_are_acknowledged_not_executed, setup, NULL)
{
	execute(SWHCA_PACKET_SEND_ONLY, 0xfffffe, 1, 0);
	execute(SWHCA_PACKET_WRITE_ONLY, 0xffffff, 1, 1);
	expect_ack(0xffffff, ACK_OK);
	assert_false(request(SWHCA_PACKET_SEND_ONLY, 0xfffffe, 1, 0));
	expect_ack(0xffffff, ACK_OK);
	assert_int_equal(bed.packet.msn, 2);
	expect_nothing();
	assert_int_equal(bed.r.stats.nb_duplicates, 1);
	/* 9.7.1: half of the numbers are behind, half ahead. */
	assert_false(request(SWHCA_PACKET_SEND_ONLY, 0x800000, 1, 0));
	expect_ack(0xffffff, ACK_OK);
	assert_false(request(SWHCA_PACKET_SEND_ONLY, 0x7fffff, 1, 0));
	expect_ack(0, NAK(PSN_SEQ));
}

/* 9.7.4.1: opcodes in an order that makes messages. */
CASE_WITH(opcodes_out_of_order_are_invalid, setup, NULL)
{
	static const uint8_t first[] = { SWHCA_PACKET_SEND_MIDDLE, SWHCA_PACKET_SEND_LAST,
		SWHCA_PACKET_WRITE_MIDDLE, SWHCA_PACKET_WRITE_LAST_IMM,
		SWHCA_PACKET_READ_RESPONSE_ONLY,
		SWHCA_PACKET_ACK, 0x15, 0x1f };
	static const uint8_t second[] = { SWHCA_PACKET_SEND_FIRST, SWHCA_PACKET_SEND_ONLY,
		SWHCA_PACKET_WRITE_FIRST, SWHCA_PACKET_WRITE_LAST, SWHCA_PACKET_READ_REQUEST,
		SWHCA_PACKET_FETCH_ADD };

	for (unsigned int i = 0; i < sizeof(first); i++) {
		bed_init();
		assert_false(request(first[i], PSN, 256, 256));
		expect_ack(PSN, NAK(INVAL_REQ));
		/* That was the last answer. */
		assert_false(request(SWHCA_PACKET_SEND_ONLY, PSN, 1, 0));
		expect_nothing();
	}
	for (unsigned int i = 0; i < sizeof(second); i++) {
		bed_init();
		execute(SWHCA_PACKET_SEND_FIRST, PSN, 256, 0);
		assert_false(request(second[i], 0xffffff, 0, 0));
		expect_ack(0xffffff, NAK(INVAL_REQ));
	}
}

/* 9.7.4.1: full packets but for the last, and as many bytes as the RETH says. */
CASE_WITH(lengths_that_do_not_fit_are_invalid, setup, NULL)
{
	static const struct {
		uint8_t opcode;
		uint32_t len, dma_len;
	} bad[] = {
		{ SWHCA_PACKET_SEND_FIRST, 255, 0 },
		{ SWHCA_PACKET_SEND_FIRST, 257, 0 },
		{ SWHCA_PACKET_SEND_ONLY, 257, 0 },
		{ SWHCA_PACKET_WRITE_ONLY, 10, 11 },
		{ SWHCA_PACKET_WRITE_ONLY, 10, 9 },
		{ SWHCA_PACKET_WRITE_FIRST, 256, 256 },
		{ SWHCA_PACKET_WRITE_FIRST, 256, 0x80000001 },
		{ SWHCA_PACKET_WRITE_FIRST, 256, (1u << 20) + 1 },
		{ SWHCA_PACKET_READ_REQUEST, 0, (1u << 20) + 1 },
		{ SWHCA_PACKET_READ_REQUEST, 1, 1 },
		{ SWHCA_PACKET_CMP_SWAP, 8, 0 },
	};

	for (unsigned int i = 0; i < NB_OF(bad); i++) {
		bed_init();
		row_check_at(i, request(bad[i].opcode, PSN, bad[i].len, bad[i].dma_len), false);
		expect_ack(PSN, NAK(INVAL_REQ));
	}
	bed_init();
	execute(SWHCA_PACKET_SEND_FIRST, PSN, 256, 0);
	assert_false(request(SWHCA_PACKET_SEND_LAST, 0xffffff, 0, 0));
	expect_ack(0xffffff, NAK(INVAL_REQ));
	for (unsigned int i = 0; i < 2; i++) {
		bed_init();
		execute(SWHCA_PACKET_WRITE_FIRST, PSN, 256, 300);
		assert_false(request(SWHCA_PACKET_WRITE_LAST, 0xffffff, 43 + 2 * i, 0));
		expect_ack(0xffffff, NAK(INVAL_REQ));
	}
}

/* A send of more than the longest message, however it is cut. */
CASE_WITH(endless_send_is_invalid, setup, NULL)
{
	conf.max_msg = 600;
	bed_init();
	execute(SWHCA_PACKET_SEND_FIRST, PSN, 256, 0);
	execute(SWHCA_PACKET_SEND_MIDDLE, 0xffffff, 256, 0);
	assert_false(request(SWHCA_PACKET_SEND_MIDDLE, 0, 256, 0));
	expect_ack(0, NAK(INVAL_REQ));
}

/* 9.7.5.2.8: the packet comes again; until then nobody hears of those behind it. */
CASE_WITH(rnr_nak_keeps_its_packet, setup, NULL)
{
	execute(SWHCA_PACKET_WRITE_FIRST, PSN, 256, 300);
	assert_true(request(SWHCA_PACKET_WRITE_LAST_IMM, 0xffffff, 44, 0));
	swhca_rc_responder_rnr(&bed.r, 12);
	expect_ack(0xffffff, swhca_aeth_rnr(12));
	assert_false(request(SWHCA_PACKET_SEND_ONLY, 0, 1, 0));
	expect_nothing();
	execute(SWHCA_PACKET_WRITE_LAST_IMM, 0xffffff, 44, 0);
	assert_int_equal(bed.piece.offset, 256);
	expect_ack(0xffffff, ACK_OK);
	assert_int_equal(bed.packet.msn, 1);
}

CASE_WITH(owner_may_refuse, setup, NULL)
{
	execute(SWHCA_PACKET_SEND_ONLY, PSN, 1, 0);
	assert_true(request(SWHCA_PACKET_WRITE_ONLY, 0xffffff, 1, 1));
	swhca_rc_responder_nak(&bed.r, SWHCA_NAK_ACCESS);
	/* It also says that the first one was taken. */
	expect_ack(0xffffff, NAK(ACCESS));
	expect_nothing();
	assert_false(request(SWHCA_PACKET_WRITE_ONLY, 0xffffff, 1, 1));
	expect_nothing();
}

/* 9.7.5.1.3: the answer of a read has the numbers that the request took. */
CASE_WITH(read_is_answered_in_packets, setup, NULL)
{
	execute(SWHCA_PACKET_SEND_ONLY, PSN, 1, 0);
	execute(SWHCA_PACKET_READ_REQUEST, 0xffffff, 0, 600);
	assert_int_equal(bed.piece.len, 600);
	assert_int_equal(bed.piece.resource, 0);
	execute(SWHCA_PACKET_SEND_ONLY, 2, 1, 0);
	/* The first of them acknowledges the send in front; that behind waits for its turn. */
	expect_part(SWHCA_PACKET_READ_RESPONSE_FIRST, 0xffffff, 0, 256);
	assert_int_equal(bed.packet.msg, 0);
	expect_part(SWHCA_PACKET_READ_RESPONSE_MIDDLE, 0, 256, 256);
	expect_part(SWHCA_PACKET_READ_RESPONSE_LAST, 1, 512, 88);
	expect_ack(2, ACK_OK);
	expect_nothing();
	execute(SWHCA_PACKET_READ_REQUEST, 3, 0, 0);
	expect_part(SWHCA_PACKET_READ_RESPONSE_ONLY, 3, 0, 0);
}

/* 9.7.5.1.4: whole, or from where the requester lacks it. */
CASE_WITH(read_is_answered_again, setup, NULL)
{
	execute(SWHCA_PACKET_READ_REQUEST, PSN, 0, 600);
	expect(SWHCA_PACKET_READ_RESPONSE_FIRST, 0xfffffe, ACK_OK);
	/* It had not even ended. */
	assert_false(request(SWHCA_PACKET_READ_REQUEST, 0xffffff, 0, 344));
	expect_part(SWHCA_PACKET_READ_RESPONSE_FIRST, 0xffffff, 256, 256);
	expect_part(SWHCA_PACKET_READ_RESPONSE_LAST, 0, 512, 88);
	expect_nothing();
	assert_false(request(SWHCA_PACKET_READ_REQUEST, 0, 0, 80));
	expect_part(SWHCA_PACKET_READ_RESPONSE_ONLY, 0, 512, 80);
	/* More than there was, or what was no read: nothing. */
	assert_false(request(SWHCA_PACKET_READ_REQUEST, 0xffffff, 0, 345));
	assert_false(request(SWHCA_PACKET_READ_REQUEST, 0xfffffd, 0, 1));
	assert_false(request(SWHCA_PACKET_FETCH_ADD, PSN, 0, 0));
	expect_nothing();
	assert_int_equal(bed.r.stats.nb_dropped, 3);
	assert_int_equal(bed.r.msn, 1);
}

/* 9.7.5.1.4: done once, answered as often as it is asked for, with the same. */
CASE_WITH(atomic_gets_the_same_answer_again, setup, NULL)
{
	assert_true(request(SWHCA_PACKET_FETCH_ADD, 0xfffffe, 0, 0));
	assert_int_equal(bed.piece.len, 8);
	swhca_rc_responder_done_atomic(&bed.r, 41);
	assert_true(request(SWHCA_PACKET_CMP_SWAP, 0xffffff, 0, 0));
	swhca_rc_responder_done_atomic(&bed.r, 42);
	expect_atomic(0xfffffe, 41);
	expect(SWHCA_PACKET_ATOMIC_ACK, 0xffffff, ACK_OK);
	/* In the order of numbers, not of asking. */
	assert_false(request(SWHCA_PACKET_CMP_SWAP, 0xffffff, 0, 0));
	assert_false(request(SWHCA_PACKET_FETCH_ADD, 0xfffffe, 0, 0));
	expect_atomic(0xfffffe, 41);
	expect_atomic(0xffffff, 42);
	/* With a third one the first is forgotten. */
	assert_true(request(SWHCA_PACKET_FETCH_ADD, 0, 0, 0));
	swhca_rc_responder_done_atomic(&bed.r, 43);
	expect(SWHCA_PACKET_ATOMIC_ACK, 0, ACK_OK);
	assert_false(request(SWHCA_PACKET_FETCH_ADD, 0xfffffe, 0, 0));
	expect_nothing();
	assert_false(request(SWHCA_PACKET_CMP_SWAP, 0xffffff, 0, 0));
	expect_atomic(0xffffff, 42);
}

/* 9.7.4.1: who asks for more than there are resources has not been told so. */
CASE_WITH(too_many_reads_are_invalid, setup, NULL)
{
	bed_init();
	execute(SWHCA_PACKET_READ_REQUEST, 0xfffffe, 0, 1);
	execute(SWHCA_PACKET_READ_REQUEST, 0xffffff, 0, 1);
	assert_false(request(SWHCA_PACKET_READ_REQUEST, 0, 0, 1));
	/* What was asked for in time is answered. */
	expect(SWHCA_PACKET_READ_RESPONSE_ONLY, 0xfffffe, ACK_OK);
	expect(SWHCA_PACKET_READ_RESPONSE_ONLY, 0xffffff, ACK_OK);
	expect_ack(0, NAK(INVAL_REQ));
	conf.max_dest_rd_atomic = 0;
	bed_init();
	assert_false(request(SWHCA_PACKET_READ_REQUEST, PSN, 0, 1));
	expect_ack(PSN, NAK(INVAL_REQ));
}

/* A repetition that nobody waits for gives way. */
CASE_WITH(repetition_gives_way_to_a_new_read, setup, NULL)
{
	execute(SWHCA_PACKET_READ_REQUEST, 0xfffffe, 0, 1);
	execute(SWHCA_PACKET_READ_REQUEST, 0xffffff, 0, 1);
	expect(SWHCA_PACKET_READ_RESPONSE_ONLY, 0xfffffe, ACK_OK);
	expect(SWHCA_PACKET_READ_RESPONSE_ONLY, 0xffffff, ACK_OK);
	assert_false(request(SWHCA_PACKET_READ_REQUEST, 0xfffffe, 0, 1));
	execute(SWHCA_PACKET_READ_REQUEST, 0, 0, 1);
	expect(SWHCA_PACKET_READ_RESPONSE_ONLY, 0, ACK_OK);
	expect_nothing();
}

/* The memory of a read has gone while it was answered. */
CASE_WITH(read_that_fails_ends_in_a_nak, setup, NULL)
{
	execute(SWHCA_PACKET_READ_REQUEST, PSN, 0, 600);
	execute(SWHCA_PACKET_SEND_ONLY, 1, 1, 0);
	expect(SWHCA_PACKET_READ_RESPONSE_FIRST, 0xfffffe, ACK_OK);
	expect(SWHCA_PACKET_READ_RESPONSE_MIDDLE, 0xffffff, ACK_OK);
	swhca_rc_responder_nak_read(&bed.r, &bed.packet);
	expect_ack(0xffffff, NAK(OP));
	expect_nothing();
}

/* A page of the memory of a read is absent for a while: the answer goes on where it stopped. */
CASE_WITH(read_waits_for_its_memory, setup, NULL)
{
	execute(SWHCA_PACKET_READ_REQUEST, PSN, 0, 600);
	expect(SWHCA_PACKET_READ_RESPONSE_FIRST, 0xfffffe, ACK_OK);
	for (int i = 0; i < 3; i++) {
		expect(SWHCA_PACKET_READ_RESPONSE_MIDDLE, 0xffffff, ACK_OK);
		swhca_rc_responder_put_back(&bed.r, &bed.packet);
	}
	expect(SWHCA_PACKET_READ_RESPONSE_MIDDLE, 0xffffff, ACK_OK);
	for (int i = 0; i < 3; i++) {
		expect(SWHCA_PACKET_READ_RESPONSE_LAST, 0, ACK_OK);
		swhca_rc_responder_put_back(&bed.r, &bed.packet);
	}
	expect(SWHCA_PACKET_READ_RESPONSE_LAST, 0, ACK_OK);
	expect_nothing();
}

/* 9.7.7.2 */
CASE_WITH(credits_go_with_acks, setup, NULL)
{
	conf.credits = 3;
	bed_init();
	execute(SWHCA_PACKET_SEND_ONLY, PSN, 1, 0);
	expect_ack(PSN, 3);
}

/* 9.2.1 for opcodes, 9.7.5.2.8 for RNR timers, 9.7.6.1 for time-outs. */
CASE_WITH(codes_mean_what_the_tables_say, setup, NULL)
{
	assert_int_equal(swhca_rc_rnr_ns(0), 655360000);
	assert_int_equal(swhca_rc_rnr_ns(1), 10000);
	assert_int_equal(swhca_rc_rnr_ns(12), 640000);
	assert_int_equal(swhca_rc_rnr_ns(31), 491520000);
	for (unsigned int i = 2; i < 32; i++)
		assert_true(swhca_rc_rnr_ns((uint8_t)i) > swhca_rc_rnr_ns((uint8_t)(i - 1)));
	assert_int_equal(swhca_rc_timeout_ns(0), 0);
	assert_int_equal(swhca_rc_timeout_ns(1), 8192);
	assert_int_equal(swhca_rc_timeout_ns(14), 67108864);
	assert_int_equal(swhca_rc_timeout_ns(31), UINT64_C(8796093022208));
	for (unsigned int i = 0; i < 256; i++) {
		struct swhca_rc_shape shape = swhca_rc_shape_of((uint8_t)i);

		if (shape.op != SWHCA_RC_OP_NONE)
			assert_int_equal(swhca_rc_opcode_of(shape.op, shape.flags, shape.is_first,
							    shape.is_last), i);
	}
}
