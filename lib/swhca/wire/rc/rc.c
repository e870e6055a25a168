/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Meaning of header codes. */

#include "wire/rc/rc.h"

/* A retransmission timer of code n is 4.096 us * 2^n (IBTA 9.7.6.1.3). */
#define TIMEOUT_UNIT_NS 4096u
#define TIMEOUT_MAX 31u
#define RNR_UNIT_NS 10000u

/* IBTA 9.2.1, "OpCode field". */
static const struct swhca_rc_shape shapes[] = {
	[SWHCA_PACKET_SEND_FIRST] = { SWHCA_RC_OP_SEND, 0, true, false },
	[SWHCA_PACKET_SEND_MIDDLE] = { SWHCA_RC_OP_SEND, 0, false, false },
	[SWHCA_PACKET_SEND_LAST] = { SWHCA_RC_OP_SEND, 0, false, true },
	[SWHCA_PACKET_SEND_LAST_IMM] = { SWHCA_RC_OP_SEND, SWHCA_RC_F_IMM, false, true },
	[SWHCA_PACKET_SEND_ONLY] = { SWHCA_RC_OP_SEND, 0, true, true },
	[SWHCA_PACKET_SEND_ONLY_IMM] = { SWHCA_RC_OP_SEND, SWHCA_RC_F_IMM, true, true },
	[SWHCA_PACKET_WRITE_FIRST] = { SWHCA_RC_OP_WRITE, 0, true, false },
	[SWHCA_PACKET_WRITE_MIDDLE] = { SWHCA_RC_OP_WRITE, 0, false, false },
	[SWHCA_PACKET_WRITE_LAST] = { SWHCA_RC_OP_WRITE, 0, false, true },
	[SWHCA_PACKET_WRITE_LAST_IMM] = { SWHCA_RC_OP_WRITE, SWHCA_RC_F_IMM, false, true },
	[SWHCA_PACKET_WRITE_ONLY] = { SWHCA_RC_OP_WRITE, 0, true, true },
	[SWHCA_PACKET_WRITE_ONLY_IMM] = { SWHCA_RC_OP_WRITE, SWHCA_RC_F_IMM, true, true },
	[SWHCA_PACKET_READ_REQUEST] = { SWHCA_RC_OP_READ, 0, true, true },
	[SWHCA_PACKET_CMP_SWAP] = { SWHCA_RC_OP_CMP_SWAP, 0, true, true },
	[SWHCA_PACKET_FETCH_ADD] = { SWHCA_RC_OP_FETCH_ADD, 0, true, true },
	[SWHCA_PACKET_SEND_LAST_INVAL] = { SWHCA_RC_OP_SEND, SWHCA_RC_F_INV, false, true },
	[SWHCA_PACKET_SEND_ONLY_INVAL] = { SWHCA_RC_OP_SEND, SWHCA_RC_F_INV, true, true },
};

/* IBTA 9.7.5.2.8, "Encoding for RNR NAK Timer Field", in units of 10 us; code 0 is the longest. */
static const uint32_t rnr_timer_10us[32] = {
	65536, 1,    2,	   3,	 4,    6,    8,	   12,	 16,   24,    32,    48,    64,
	96,    128,  192,  256,	 384,  512,  768,  1024, 1536, 2048,  3072,  4096,  6144,
	8192,  12288, 16384, 24576, 32768, 49152,
};

struct swhca_rc_shape
swhca_rc_shape_of(uint8_t opcode)
{
	if (opcode >= sizeof(shapes) / sizeof(shapes[0]))
		return (struct swhca_rc_shape){ .op = SWHCA_RC_OP_NONE };
	return shapes[opcode];
}

static uint8_t
send_opcode(uint8_t flags, bool is_first, bool is_last)
{
	if (!is_last)
		return is_first ? SWHCA_PACKET_SEND_FIRST : SWHCA_PACKET_SEND_MIDDLE;
	if (flags & SWHCA_RC_F_INV)
		return is_first ? SWHCA_PACKET_SEND_ONLY_INVAL : SWHCA_PACKET_SEND_LAST_INVAL;
	if (flags & SWHCA_RC_F_IMM)
		return is_first ? SWHCA_PACKET_SEND_ONLY_IMM : SWHCA_PACKET_SEND_LAST_IMM;
	return is_first ? SWHCA_PACKET_SEND_ONLY : SWHCA_PACKET_SEND_LAST;
}

static uint8_t
write_opcode(uint8_t flags, bool is_first, bool is_last)
{
	if (!is_last)
		return is_first ? SWHCA_PACKET_WRITE_FIRST : SWHCA_PACKET_WRITE_MIDDLE;
	if (flags & SWHCA_RC_F_IMM)
		return is_first ? SWHCA_PACKET_WRITE_ONLY_IMM : SWHCA_PACKET_WRITE_LAST_IMM;
	return is_first ? SWHCA_PACKET_WRITE_ONLY : SWHCA_PACKET_WRITE_LAST;
}

uint8_t
swhca_rc_opcode_of(uint8_t op, uint8_t flags, bool is_first, bool is_last)
{
	switch (op) {
	case SWHCA_RC_OP_SEND:
		return send_opcode(flags, is_first, is_last);
	case SWHCA_RC_OP_WRITE:
		return write_opcode(flags, is_first, is_last);
	case SWHCA_RC_OP_READ:
		return SWHCA_PACKET_READ_REQUEST;
	case SWHCA_RC_OP_CMP_SWAP:
		return SWHCA_PACKET_CMP_SWAP;
	default:
		return SWHCA_PACKET_FETCH_ADD;
	}
}

uint8_t
swhca_rc_read_opcode(bool is_first, bool is_last)
{
	if (is_first)
		return is_last ? SWHCA_PACKET_READ_RESPONSE_ONLY : SWHCA_PACKET_READ_RESPONSE_FIRST;
	return is_last ? SWHCA_PACKET_READ_RESPONSE_LAST : SWHCA_PACKET_READ_RESPONSE_MIDDLE;
}

uint64_t
swhca_rc_rnr_ns(uint8_t code)
{
	return (uint64_t)rnr_timer_10us[code & SWHCA_AETH_CODE_MASK] * RNR_UNIT_NS;
}

uint64_t
swhca_rc_timeout_ns(uint8_t code)
{
	return code == 0 ? 0 : UINT64_C(1) * TIMEOUT_UNIT_NS << (code & TIMEOUT_MAX);
}
