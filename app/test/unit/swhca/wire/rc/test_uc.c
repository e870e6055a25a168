/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* The responder of an unreliable connection (IBTA volume 1, 9.8.2). */

#include "cases.h"
#include "wire/rc/uc.h"

#define PSN 0xfffffeu

static struct {
	struct swhca_uc_responder r;
	struct swhca_rc_piece piece;
} bed;

static int
setup(void **state)
{
	memset(&bed, 0xa5, sizeof(bed));
	assert_int_equal(swhca_uc_responder_init(&bed.r, PSN, 8, 1u << 20), 0);
	return 0;
}

static bool
request(uint8_t opcode, uint32_t psn, uint32_t len, uint32_t dma_len)
{
	const struct swhca_rc_packet packet = { .opcode = opcode, .psn = psn, .len = len,
						.dma_len = dma_len };

	return swhca_uc_responder_receive(&bed.r, &packet, &bed.piece);
}

static void
execute(uint8_t opcode, uint32_t psn, uint32_t len, uint32_t dma_len)
{
	assert_true(request(opcode, psn, len, dma_len));
	swhca_uc_responder_done(&bed.r);
}

CASE_WITH(messages_in_sequence_are_executed, setup, NULL)
{
	execute(SWHCA_PACKET_SEND_FIRST, 0xfffffe, 256, 0);
	execute(SWHCA_PACKET_SEND_LAST_IMM, 0xffffff, 4, 0);
	assert_int_equal(bed.piece.offset, 256);
	assert_int_equal(bed.piece.flags, SWHCA_RC_F_IMM);
	execute(SWHCA_PACKET_WRITE_ONLY, 0, 4, 4);
	assert_false(bed.piece.is_after_loss);
	assert_int_equal(bed.r.nb_packets, 3);
	assert_int_equal(bed.r.nb_dropped, 0);
	assert_int_equal(swhca_uc_responder_init(&bed.r, 0, 7, 1), -EINVAL);
}

/* A message of which a packet is missing is dropped, and what follows up to the next one. */
CASE_WITH(loss_drops_the_message, setup, NULL)
{
	execute(SWHCA_PACKET_SEND_FIRST, 0xfffffe, 256, 0);
	assert_false(request(SWHCA_PACKET_SEND_MIDDLE, 0, 256, 0));
	assert_false(request(SWHCA_PACKET_SEND_LAST, 1, 1, 0));
	execute(SWHCA_PACKET_SEND_FIRST, 2, 256, 0);
	assert_true(bed.piece.is_after_loss);
	assert_int_equal(bed.piece.offset, 0);
	execute(SWHCA_PACKET_SEND_LAST, 3, 1, 0);
	execute(SWHCA_PACKET_SEND_ONLY, 4, 1, 0);
	assert_false(bed.piece.is_after_loss);
	assert_int_equal(bed.r.nb_dropped, 2);
	assert_int_equal(bed.r.nb_out_of_sequence, 1);
}

/* A first packet begins, whatever its number, and whatever was at hand. */
CASE_WITH(first_packet_always_begins, setup, NULL)
{
	execute(SWHCA_PACKET_SEND_ONLY, 0x123456, 1, 0);
	execute(SWHCA_PACKET_WRITE_FIRST, 0x123457, 256, 300);
	execute(SWHCA_PACKET_SEND_FIRST, 0x123458, 256, 0);
	assert_true(bed.piece.is_after_loss);
	/* The end of the first message, in sequence by chance. */
	assert_false(request(SWHCA_PACKET_WRITE_LAST, 0x123459, 44, 0));
	assert_false(request(SWHCA_PACKET_SEND_LAST, 0x12345a, 1, 0));
	execute(SWHCA_PACKET_SEND_ONLY, 0x12345b, 1, 0);
}

CASE_WITH(wrong_packets_are_dropped, setup, NULL)
{
	assert_false(request(SWHCA_PACKET_READ_REQUEST, 0xfffffe, 0, 1));
	assert_false(request(SWHCA_PACKET_FETCH_ADD, 0xffffff, 0, 0));
	assert_false(request(SWHCA_PACKET_SEND_ONLY_INVAL, 0, 1, 0));
	assert_false(request(SWHCA_PACKET_ACK, 1, 0, 0));
	assert_false(request(SWHCA_PACKET_SEND_FIRST, 2, 100, 0));
	assert_false(request(SWHCA_PACKET_SEND_LAST, 3, 1, 0));
	assert_false(request(SWHCA_PACKET_WRITE_ONLY, 4, 1, 2));
	execute(SWHCA_PACKET_SEND_ONLY, 5, 1, 0);
	assert_int_equal(bed.r.nb_dropped, 7);
}

/* No receive WQE, a key that may not: without a word. */
CASE_WITH(owner_may_drop, setup, NULL)
{
	assert_true(request(SWHCA_PACKET_SEND_FIRST, 0xfffffe, 256, 0));
	swhca_uc_responder_drop(&bed.r);
	assert_false(request(SWHCA_PACKET_SEND_LAST, 0xffffff, 1, 0));
	execute(SWHCA_PACKET_SEND_ONLY, 0, 1, 0);
	assert_false(bed.piece.is_after_loss);
}

CASE_WITH(old_packets_are_dropped, setup, NULL)
{
	execute(SWHCA_PACKET_SEND_ONLY, 0xfffffe, 1, 0);
	assert_false(request(SWHCA_PACKET_SEND_ONLY, 0xfffffe, 1, 0));
	execute(SWHCA_PACKET_SEND_FIRST, 0xffffff, 256, 0);
	assert_false(request(SWHCA_PACKET_SEND_FIRST, 0xffffff, 256, 0));
	execute(SWHCA_PACKET_SEND_LAST, 0, 1, 0);
	assert_false(request(SWHCA_PACKET_SEND_LAST, 0, 1, 0));
	assert_int_equal(bed.r.nb_old, 3);
	/* A peer that begins anew is far away. */
	execute(SWHCA_PACKET_SEND_ONLY, 0x800000, 1, 0);
}
