/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* The responder of an unreliable connection (IBTA volume 1, 9.8.2). */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "wire/rc/uc.h"

#define PSN 0xfffffeu

struct bed {
	struct swhca_uc_responder r;
	struct swhca_rc_piece piece;
};

static void
bed_init(struct bed *bed)
{
	assert_int_equal(swhca_uc_responder_init(&bed->r, PSN, 8, 1u << 20), 0);
}

static bool
request(struct bed *bed, uint8_t opcode, uint32_t psn, uint32_t len, uint32_t dma_len)
{
	const struct swhca_rc_packet packet = { .opcode = opcode, .psn = psn, .len = len,
						.dma_len = dma_len };

	return swhca_uc_responder_receive(&bed->r, &packet, &bed->piece);
}

static void
execute(struct bed *bed, uint8_t opcode, uint32_t psn, uint32_t len, uint32_t dma_len)
{
	assert_true(request(bed, opcode, psn, len, dma_len));
	swhca_uc_responder_done(&bed->r);
}

static void
messages_in_sequence_are_executed(void **state)
{
	struct bed bed;

	(void)state;
	assert_int_equal(swhca_uc_responder_init(&bed.r, 0, 7, 1), -EINVAL);
	bed_init(&bed);
	execute(&bed, SWHCA_PACKET_SEND_FIRST, 0xfffffe, 256, 0);
	execute(&bed, SWHCA_PACKET_SEND_LAST_IMM, 0xffffff, 4, 0);
	assert_int_equal(bed.piece.offset, 256);
	assert_int_equal(bed.piece.flags, SWHCA_RC_F_IMM);
	execute(&bed, SWHCA_PACKET_WRITE_ONLY, 0, 4, 4);
	assert_false(bed.piece.is_after_loss);
	assert_int_equal(bed.r.nb_packets, 3);
	assert_int_equal(bed.r.nb_dropped, 0);
}

/* A message of which a packet is missing is dropped, and what follows up to the next one. */
static void
loss_drops_the_message(void **state)
{
	struct bed bed;

	(void)state;
	bed_init(&bed);
	execute(&bed, SWHCA_PACKET_SEND_FIRST, 0xfffffe, 256, 0);
	assert_false(request(&bed, SWHCA_PACKET_SEND_MIDDLE, 0, 256, 0));
	assert_false(request(&bed, SWHCA_PACKET_SEND_LAST, 1, 1, 0));
	execute(&bed, SWHCA_PACKET_SEND_FIRST, 2, 256, 0);
	assert_true(bed.piece.is_after_loss);
	assert_int_equal(bed.piece.offset, 0);
	execute(&bed, SWHCA_PACKET_SEND_LAST, 3, 1, 0);
	execute(&bed, SWHCA_PACKET_SEND_ONLY, 4, 1, 0);
	assert_false(bed.piece.is_after_loss);
	assert_int_equal(bed.r.nb_dropped, 2);
	assert_int_equal(bed.r.nb_out_of_sequence, 1);
}

/* A first packet begins, whatever its number, and whatever was at hand. */
static void
first_packet_always_begins(void **state)
{
	struct bed bed;

	(void)state;
	bed_init(&bed);
	execute(&bed, SWHCA_PACKET_SEND_ONLY, 0x123456, 1, 0);
	execute(&bed, SWHCA_PACKET_WRITE_FIRST, 0x123457, 256, 300);
	execute(&bed, SWHCA_PACKET_SEND_FIRST, 0x123458, 256, 0);
	assert_true(bed.piece.is_after_loss);
	/* The end of the first message, in sequence by chance. */
	assert_false(request(&bed, SWHCA_PACKET_WRITE_LAST, 0x123459, 44, 0));
	assert_false(request(&bed, SWHCA_PACKET_SEND_LAST, 0x12345a, 1, 0));
	execute(&bed, SWHCA_PACKET_SEND_ONLY, 0x12345b, 1, 0);
}

static void
wrong_packets_are_dropped(void **state)
{
	struct bed bed;

	(void)state;
	bed_init(&bed);
	assert_false(request(&bed, SWHCA_PACKET_READ_REQUEST, 0xfffffe, 0, 1));
	assert_false(request(&bed, SWHCA_PACKET_FETCH_ADD, 0xffffff, 0, 0));
	assert_false(request(&bed, SWHCA_PACKET_SEND_ONLY_INVAL, 0, 1, 0));
	assert_false(request(&bed, SWHCA_PACKET_ACK, 1, 0, 0));
	assert_false(request(&bed, SWHCA_PACKET_SEND_FIRST, 2, 100, 0));
	assert_false(request(&bed, SWHCA_PACKET_SEND_LAST, 3, 1, 0));
	assert_false(request(&bed, SWHCA_PACKET_WRITE_ONLY, 4, 1, 2));
	execute(&bed, SWHCA_PACKET_SEND_ONLY, 5, 1, 0);
	assert_int_equal(bed.r.nb_dropped, 7);
}

/* No receive WQE, a key that may not: without a word. */
static void
owner_may_drop(void **state)
{
	struct bed bed;

	(void)state;
	bed_init(&bed);
	assert_true(request(&bed, SWHCA_PACKET_SEND_FIRST, 0xfffffe, 256, 0));
	swhca_uc_responder_drop(&bed.r);
	assert_false(request(&bed, SWHCA_PACKET_SEND_LAST, 0xffffff, 1, 0));
	execute(&bed, SWHCA_PACKET_SEND_ONLY, 0, 1, 0);
	assert_false(bed.piece.is_after_loss);
}

static void
old_packets_are_dropped(void **state)
{
	struct bed bed;

	(void)state;
	bed_init(&bed);
	execute(&bed, SWHCA_PACKET_SEND_ONLY, 0xfffffe, 1, 0);
	assert_false(request(&bed, SWHCA_PACKET_SEND_ONLY, 0xfffffe, 1, 0));
	execute(&bed, SWHCA_PACKET_SEND_FIRST, 0xffffff, 256, 0);
	assert_false(request(&bed, SWHCA_PACKET_SEND_FIRST, 0xffffff, 256, 0));
	execute(&bed, SWHCA_PACKET_SEND_LAST, 0, 1, 0);
	assert_false(request(&bed, SWHCA_PACKET_SEND_LAST, 0, 1, 0));
	assert_int_equal(bed.r.nb_old, 3);
	/* A peer that begins anew is far away. */
	execute(&bed, SWHCA_PACKET_SEND_ONLY, 0x800000, 1, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_in_sequence_are_executed),
		cmocka_unit_test(loss_drops_the_message),
		cmocka_unit_test(first_packet_always_begins),
		cmocka_unit_test(wrong_packets_are_dropped),
		cmocka_unit_test(owner_may_drop),
		cmocka_unit_test(old_packets_are_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
