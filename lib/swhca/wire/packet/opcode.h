/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PACKET_OPCODE_H
#define SWHCA_PACKET_OPCODE_H

/**
 * @file
 * Packet opcodes: transport, headers, and part of a message.
 *
 * An opcode is a transport, its three high bits, and a message type (IBTA vol. 1, 9.2.1, "OpCode"):
 *
 *   000 RC   001 UC   010 RD   011 UD   100 CNP (annex A17.9)   101 XRC (annex A14)
 *   110, 111 left to manufacturers: 110 is the DC of software devices, see packet.h
 *
 * RC, XRC and DC have the same message types; UC and UD have some of them. RD is unsupported, and
 * so are FLUSH and ATOMIC WRITE (annex A19), which no capability of an adapter here reports.
 */

#include <stdint.h>

/** Transports: the high bits of an opcode. */
enum swhca_transport {
	SWHCA_TRANSPORT_RC = 0x00,
	SWHCA_TRANSPORT_UC = 0x20,
	SWHCA_TRANSPORT_UD = 0x60,
	SWHCA_TRANSPORT_CNP = 0x80,
	SWHCA_TRANSPORT_XRC = 0xa0,
	SWHCA_TRANSPORT_DC = 0xc0,
};

#define SWHCA_OPCODE_TRANSPORT_MASK	0xe0u
#define SWHCA_OPCODE_TYPE_MASK		0x1fu

/** Message types: the low bits of an opcode. */
enum swhca_packet_type {
	SWHCA_PACKET_SEND_FIRST = 0x00,
	SWHCA_PACKET_SEND_MIDDLE = 0x01,
	SWHCA_PACKET_SEND_LAST = 0x02,
	SWHCA_PACKET_SEND_LAST_IMM = 0x03,
	SWHCA_PACKET_SEND_ONLY = 0x04,
	SWHCA_PACKET_SEND_ONLY_IMM = 0x05,
	SWHCA_PACKET_WRITE_FIRST = 0x06,
	SWHCA_PACKET_WRITE_MIDDLE = 0x07,
	SWHCA_PACKET_WRITE_LAST = 0x08,
	SWHCA_PACKET_WRITE_LAST_IMM = 0x09,
	SWHCA_PACKET_WRITE_ONLY = 0x0a,
	SWHCA_PACKET_WRITE_ONLY_IMM = 0x0b,
	SWHCA_PACKET_READ_REQUEST = 0x0c,
	SWHCA_PACKET_READ_RESPONSE_FIRST = 0x0d,
	SWHCA_PACKET_READ_RESPONSE_MIDDLE = 0x0e,
	SWHCA_PACKET_READ_RESPONSE_LAST = 0x0f,
	SWHCA_PACKET_READ_RESPONSE_ONLY = 0x10,
	SWHCA_PACKET_ACK = 0x11,
	SWHCA_PACKET_ATOMIC_ACK = 0x12,
	SWHCA_PACKET_CMP_SWAP = 0x13,
	SWHCA_PACKET_FETCH_ADD = 0x14,
	SWHCA_PACKET_SEND_LAST_INVAL = 0x16,
	SWHCA_PACKET_SEND_ONLY_INVAL = 0x17,
};

/** Congestion notification packet (annex A17.9.3). */
#define SWHCA_OPCODE_CNP		0x81u

/** An opcode. */
#define SWHCA_OPCODE(transport, type)                                                              \
	((uint8_t)((unsigned int)(transport) | (unsigned int)(type)))

/** Headers after the BTH, in wire order. */
#define SWHCA_HDR_XRCETH	0x0001u
#define SWHCA_HDR_DCETH		0x0002u
#define SWHCA_HDR_DETH		0x0004u
#define SWHCA_HDR_RETH		0x0008u
#define SWHCA_HDR_ATOMICETH	0x0010u
#define SWHCA_HDR_AETH		0x0020u
#define SWHCA_HDR_ATOMICACKETH	0x0040u
#define SWHCA_HDR_IMMDT		0x0080u
#define SWHCA_HDR_IETH		0x0100u
#define SWHCA_HDR_CNP		0x0200u	/**< 16 reserved bytes. */

/* Header sizes, and those of surrounding headers (IBTA vol. 1, 9.2, 9.3; annexes A14, A17). */
#define SWHCA_BTH_LEN		12u
#define SWHCA_XRCETH_LEN	4u
#define SWHCA_DCETH_LEN		20u
#define SWHCA_DETH_LEN		8u
#define SWHCA_RETH_LEN		16u
#define SWHCA_ATOMICETH_LEN	28u
#define SWHCA_AETH_LEN		4u
#define SWHCA_ATOMICACKETH_LEN	8u
#define SWHCA_IMMDT_LEN		4u
#define SWHCA_IETH_LEN		4u
#define SWHCA_CNP_LEN		16u
#define SWHCA_ICRC_LEN		4u

/** Maximum headers: an atomic of DC. */
#define SWHCA_HDRS_MAX		(SWHCA_BTH_LEN + SWHCA_DCETH_LEN + SWHCA_ATOMICETH_LEN)

enum swhca_packet_op {
	SWHCA_PACKET_OP_NONE,	/**< Not an operation: CNP. */
	SWHCA_PACKET_OP_SEND,
	SWHCA_PACKET_OP_WRITE,
	SWHCA_PACKET_OP_READ,	/**< Request or responses. */
	SWHCA_PACKET_OP_ATOMIC,	/**< Request or response. */
	SWHCA_PACKET_OP_ACK,
};

/** First packet of a message; with LAST: the only one. */
#define SWHCA_OPCODE_F_FIRST	0x01u
/** Last packet of a message. */
#define SWHCA_OPCODE_F_LAST	0x02u
/** May have payload. */
#define SWHCA_OPCODE_F_PAYLOAD	0x04u
/** From requester to responder; else the other direction, or a CNP. */
#define SWHCA_OPCODE_F_REQUEST	0x08u
/** Request that is acknowledged; at once if the BTH requests it (AckReq). */
#define SWHCA_OPCODE_F_ACKED	0x10u
/** Request with its own response (READ, atomics), independent of AckReq. */
#define SWHCA_OPCODE_F_ANSWERED	0x20u

struct swhca_opcode_info {
	const char *name;	/**< As in the table of IBTA; NULL: no such opcode. */
	uint16_t headers;	/**< SWHCA_HDR_* after the BTH. */
	uint8_t hdr_len;	/**< Size of all headers including the BTH. */
	uint8_t op;		/**< enum swhca_packet_op */
	uint8_t flags;		/**< SWHCA_OPCODE_F_* */
};

/**
 * Get the properties of an opcode.
 *
 * @return
 *   Never NULL; the name of a reserved or unsupported opcode is NULL.
 */
const struct swhca_opcode_info *swhca_opcode_info(uint8_t opcode);

static inline enum swhca_transport
swhca_opcode_transport(uint8_t opcode)
{
	return (enum swhca_transport)(opcode & SWHCA_OPCODE_TRANSPORT_MASK);
}

static inline enum swhca_packet_type
swhca_opcode_type(uint8_t opcode)
{
	return (enum swhca_packet_type)(opcode & SWHCA_OPCODE_TYPE_MASK);
}

#endif /* SWHCA_PACKET_OPCODE_H */
