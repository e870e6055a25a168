/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "cases.h"
#include "wire/packet/aeth.h"

/* Values that Linux has in include/rdma/ib_hdrs.h: IB_RNR_NAK, IB_NAK_*. */
CASE(syndromes_are_those_of_linux)
{
	assert_int_equal(swhca_aeth_rnr(0), 0x20);
	assert_int_equal(swhca_aeth_nak(SWHCA_NAK_PSN_SEQ), 0x60);
	assert_int_equal(swhca_aeth_nak(SWHCA_NAK_INVAL_REQ), 0x61);
	assert_int_equal(swhca_aeth_nak(SWHCA_NAK_ACCESS), 0x62);
	assert_int_equal(swhca_aeth_nak(SWHCA_NAK_OP), 0x63);
	assert_int_equal(swhca_aeth_nak(SWHCA_NAK_INVAL_RD_REQ), 0x64);
	assert_int_equal(swhca_aeth_ack(SWHCA_AETH_CREDITS_NONE), 0x1f);
}

CASE(every_syndrome_has_a_kind)
{
	int kind;

	for (unsigned int i = 0; i < 256; i++) {
		if (i < 0x20)
			kind = SWHCA_AETH_ACK;
		else if (i < 0x40)
			kind = SWHCA_AETH_RNR;
		else if (i >= 0x60 && i <= 0x64)
			kind = SWHCA_AETH_NAK;
		else
			kind = SWHCA_AETH_RESERVED;
		assert_int_equal(swhca_aeth_kind((uint8_t)i), kind);
	}
	assert_int_equal(swhca_aeth_code(swhca_aeth_rnr(14)), 14);
}

/* IBTA vol. 1, 9.7.7.2. */
CASE(credits_are_those_of_the_table)
{
	static const uint32_t credits[] = {
		0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024,
		1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768,
	};

	for (uint8_t i = 0; i < 31; i++) {
		assert_int_equal(swhca_aeth_credits(i), credits[i]);
		assert_int_equal(swhca_aeth_credits_code(credits[i]), i);
		if (i > 3)
			assert_int_equal(swhca_aeth_credits_code(credits[i] - 1), i - 1);
	}
	assert_true(swhca_aeth_credits(31) == SWHCA_CREDITS_UNLIMITED);
	assert_int_equal(swhca_aeth_credits_code(UINT32_MAX - 1), 30);
}
