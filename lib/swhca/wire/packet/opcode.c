/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* IBTA vol. 1: 9.2.1, table "OpCode field", and 9.3 for headers; annexes A14, A17.9.3. */

#include "wire/packet/opcode.h"

#define FIRST	SWHCA_OPCODE_F_FIRST
#define LAST	SWHCA_OPCODE_F_LAST
#define ONLY	(SWHCA_OPCODE_F_FIRST | SWHCA_OPCODE_F_LAST)
#define PAYLOAD	SWHCA_OPCODE_F_PAYLOAD
#define REQ	SWHCA_OPCODE_F_REQUEST
#define ACKED	SWHCA_OPCODE_F_ACKED
#define ANSWER	(SWHCA_OPCODE_F_ACKED | SWHCA_OPCODE_F_ANSWERED)

/* Sum of header sizes, as a constant expression for the table. */
#define LEN_OF(headers, hdr) (((headers) & SWHCA_HDR_##hdr) != 0 ? SWHCA_##hdr##_LEN : 0u)
#define HDR_LEN(headers)                                                                           \
	(SWHCA_BTH_LEN + LEN_OF(headers, XRCETH) + LEN_OF(headers, DCETH) +                        \
	 LEN_OF(headers, DETH) + LEN_OF(headers, RETH) + LEN_OF(headers, ATOMICETH) +              \
	 LEN_OF(headers, AETH) + LEN_OF(headers, ATOMICACKETH) + LEN_OF(headers, IMMDT) +          \
	 LEN_OF(headers, IETH) + LEN_OF(headers, CNP))

#define ROW(tr, type, what, with, how)                                                             \
	[SWHCA_TRANSPORT_##tr | SWHCA_PACKET_##type] = {                                           \
		.name = #tr " " #type,                                                             \
		.headers = (with),                                                                 \
		.hdr_len = HDR_LEN(with),                                                          \
		.op = SWHCA_PACKET_OP_##what,                                                      \
		.flags = (how),                                                                    \
	}

/*
 * Common opcodes of RC and UC: ext is a header of each request, how are additional flags of
 * requests.
 */
#define SENDS_AND_WRITES(tr, ext, how)                                                             \
	ROW(tr, SEND_FIRST, SEND, ext, FIRST | PAYLOAD | (how)),                                   \
	ROW(tr, SEND_MIDDLE, SEND, ext, PAYLOAD | (how)),                                          \
	ROW(tr, SEND_LAST, SEND, ext, LAST | PAYLOAD | (how)),                                     \
	ROW(tr, SEND_LAST_IMM, SEND, (ext) | SWHCA_HDR_IMMDT, LAST | PAYLOAD | (how)),             \
	ROW(tr, SEND_ONLY, SEND, ext, ONLY | PAYLOAD | (how)),                                     \
	ROW(tr, SEND_ONLY_IMM, SEND, (ext) | SWHCA_HDR_IMMDT, ONLY | PAYLOAD | (how)),             \
	ROW(tr, WRITE_FIRST, WRITE, (ext) | SWHCA_HDR_RETH, FIRST | PAYLOAD | (how)),              \
	ROW(tr, WRITE_MIDDLE, WRITE, ext, PAYLOAD | (how)),                                        \
	ROW(tr, WRITE_LAST, WRITE, ext, LAST | PAYLOAD | (how)),                                   \
	ROW(tr, WRITE_LAST_IMM, WRITE, (ext) | SWHCA_HDR_IMMDT, LAST | PAYLOAD | (how)),           \
	ROW(tr, WRITE_ONLY, WRITE, (ext) | SWHCA_HDR_RETH, ONLY | PAYLOAD | (how)),                \
	ROW(tr, WRITE_ONLY_IMM, WRITE, (ext) | SWHCA_HDR_RETH | SWHCA_HDR_IMMDT,                   \
	    ONLY | PAYLOAD | (how))

/* All opcodes of a reliable transport: resp is a header of each response. */
#define RELIABLE(tr, ext, resp)                                                                    \
	SENDS_AND_WRITES(tr, ext, REQ | ACKED),                                                    \
	ROW(tr, SEND_LAST_INVAL, SEND, (ext) | SWHCA_HDR_IETH, LAST | PAYLOAD | REQ | ACKED),      \
	ROW(tr, SEND_ONLY_INVAL, SEND, (ext) | SWHCA_HDR_IETH, ONLY | PAYLOAD | REQ | ACKED),      \
	ROW(tr, READ_REQUEST, READ, (ext) | SWHCA_HDR_RETH, ONLY | REQ | ANSWER),                  \
	ROW(tr, CMP_SWAP, ATOMIC, (ext) | SWHCA_HDR_ATOMICETH, ONLY | REQ | ANSWER),               \
	ROW(tr, FETCH_ADD, ATOMIC, (ext) | SWHCA_HDR_ATOMICETH, ONLY | REQ | ANSWER),              \
	ROW(tr, READ_RESPONSE_FIRST, READ, (resp) | SWHCA_HDR_AETH, FIRST | PAYLOAD),              \
	ROW(tr, READ_RESPONSE_MIDDLE, READ, resp, PAYLOAD),                                        \
	ROW(tr, READ_RESPONSE_LAST, READ, (resp) | SWHCA_HDR_AETH, LAST | PAYLOAD),                \
	ROW(tr, READ_RESPONSE_ONLY, READ, (resp) | SWHCA_HDR_AETH, ONLY | PAYLOAD),                \
	ROW(tr, ACK, ACK, (resp) | SWHCA_HDR_AETH, ONLY),                                          \
	ROW(tr, ATOMIC_ACK, ATOMIC, (resp) | SWHCA_HDR_AETH | SWHCA_HDR_ATOMICACKETH, ONLY)

static const struct swhca_opcode_info opcode_table[256] = {
	RELIABLE(RC, 0u, 0u),
	SENDS_AND_WRITES(UC, 0u, REQ),
	ROW(UD, SEND_ONLY, SEND, SWHCA_HDR_DETH, ONLY | PAYLOAD | REQ),
	ROW(UD, SEND_ONLY_IMM, SEND, SWHCA_HDR_DETH | SWHCA_HDR_IMMDT, ONLY | PAYLOAD | REQ),
	[SWHCA_OPCODE_CNP] = {
		.name = "CNP",
		.headers = SWHCA_HDR_CNP,
		.hdr_len = HDR_LEN(SWHCA_HDR_CNP),
		.op = SWHCA_PACKET_OP_NONE,
		.flags = ONLY,
	},
	/* A14: requests name the XRC SRQ; answers go to a queue pair. */
	RELIABLE(XRC, SWHCA_HDR_XRCETH, 0u),
	RELIABLE(DC, SWHCA_HDR_DCETH, SWHCA_HDR_DCETH),
};

const struct swhca_opcode_info *
swhca_opcode_info(uint8_t opcode)
{
	return &opcode_table[opcode];
}
