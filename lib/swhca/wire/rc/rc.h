/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_RC_RC_H
#define SWHCA_WIRE_RC_RC_H

/**
 * @file
 * Packet protocol of reliable connections (IBTA volume 1, 9.7): common definitions of
 * rc_requester.h, rc_responder.h and uc.h.
 *
 * These are pure state machines without queue pairs, keys, sockets or packet bytes; time is a
 * parameter. Events are passed by calls; actions are polled:
 *
 *   post, packet, tick  ---->  requester  ---->  next packet, next completion, next deadline
 *   packet, verdict     ---->  responder  ---->  what to execute, next packet
 *
 * The owner of a machine polls for packets when it has room for them, so that nothing is queued
 * twice and acknowledgments of a burst are merged. No call allocates, locks or waits. Calls for one
 * machine must not be concurrent.
 */

#include <stdbool.h>
#include <stdint.h>

#include "wire/packet/aeth.h"
#include "wire/packet/opcode.h"

/** A message. */
enum swhca_rc_op {
	SWHCA_RC_OP_NONE,
	SWHCA_RC_OP_SEND,
	SWHCA_RC_OP_WRITE,
	SWHCA_RC_OP_READ,
	SWHCA_RC_OP_CMP_SWAP,
	SWHCA_RC_OP_FETCH_ADD,
};

/** Its last packet has immediate data. */
#define SWHCA_RC_F_IMM		0x01u
/** Its last packet has a key to invalidate; SEND. */
#define SWHCA_RC_F_INV		0x02u
/** Its completion at the receiver is solicited. */
#define SWHCA_RC_F_SOLICITED	0x04u
/** Starts when all earlier reads and atomics are done (IBTA 10.8.3.3). */
#define SWHCA_RC_F_FENCE	0x08u
/** Request its acknowledgment, even if more is to be sent. */
#define SWHCA_RC_F_ACK		0x10u

/** Maximum message size (IBTA 9.7.4.1). */
#define SWHCA_RC_MAX_MSG	(UINT32_C(1) << 31)

/** Properties of a request opcode. */
struct swhca_rc_shape {
	uint8_t op;		/**< enum swhca_rc_op; NONE: not a request. */
	uint8_t flags;		/**< SWHCA_RC_F_IMM, SWHCA_RC_F_INV */
	bool is_first;
	bool is_last;
};

/**
 * A packet: the header fields of the protocol, and the piece of a message in its payload. The owner
 * of a machine adds addresses, keys and operands.
 */
struct swhca_rc_packet {
	uint8_t opcode;		/**< enum swhca_packet_type: without the transport. */
	uint8_t syndrome;	/**< AETH */
	bool ack_req;		/**< BTH.A */
	bool solicited;		/**< BTH.SE */
	uint32_t psn;
	uint32_t msn;		/**< AETH */
	uint32_t len;		/**< Bytes of payload, without padding. */
	uint32_t dma_len;	/**< RETH: bytes written or requested. */
	/** Sending: number of the message (requester) or resource (responder: responses). */
	uint32_t msg;
	/**
	 * Sending: offset of the payload in its message; read request: offset of the answer, to be
	 * added to the address in RETH.
	 */
	uint32_t offset;
	uint64_t atomic;	/**< AtomicAckETH */
};

/** Result of a message. */
enum swhca_rc_status {
	SWHCA_RC_DONE,
	SWHCA_RC_RETRY_EXCEEDED,	/**< No answer. */
	SWHCA_RC_RNR_RETRY_EXCEEDED,	/**< No receive WQE. */
	SWHCA_RC_REMOTE_INVAL_REQ,
	SWHCA_RC_REMOTE_ACCESS,
	SWHCA_RC_REMOTE_OP,
	SWHCA_RC_BAD_RESPONSE,		/**< Wrong length of a response. */
	SWHCA_RC_LOCAL,			/**< swhca_rc_requester_stop() was called for it. */
	SWHCA_RC_FLUSHED,		/**< Follows a failed message. */
};

/** No deadline. */
#define SWHCA_RC_NEVER	UINT64_MAX

/** @return op NONE if it is not a request. */
struct swhca_rc_shape swhca_rc_shape_of(uint8_t opcode);
/** Opcode of a request packet by its position in its message. */
uint8_t swhca_rc_opcode_of(uint8_t op, uint8_t flags, bool is_first, bool is_last);
/** Opcode of a packet of a read's answer. */
uint8_t swhca_rc_read_opcode(bool is_first, bool is_last);
/** Wait time of a requester for an RNR NAK timer code. */
uint64_t swhca_rc_rnr_ns(uint8_t code);
/** Local ACK timeout: 4.096 us * 2^code; 0: none. */
uint64_t swhca_rc_timeout_ns(uint8_t code);

#endif /* SWHCA_WIRE_RC_RC_H */
