/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_RC_RC_H
#define SWHCA_WIRE_RC_RC_H

/**
 * @file
 * Reliable connections as a packet protocol (IBTA volume 1, 9.7): the words that requester.h,
 * responder.h and uc.h share.
 *
 * These are state machines and nothing else. They know no queue pair, no key, no socket and no byte
 * of a packet; time is a parameter. Events go in by calls; what is to be done is asked for:
 *
 *   post, packet, tick  ---->  requester  ---->  next packet, next completion, next deadline
 *   packet, verdict     ---->  responder  ---->  what to execute, next packet
 *
 * Who drives one asks for packets when there is room for them, so that nothing is ever queued
 * twice and acknowledgements of a burst become one. No call allocates, locks or waits. Calls for
 * one machine come from one thread at a time.
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
/** It begins when all reads and atomics in front of it are done (IBTA 10.8.3.3). */
#define SWHCA_RC_F_FENCE	0x08u
/** Ask for an acknowledgement of it, even if there is more to send. */
#define SWHCA_RC_F_ACK		0x10u

/** Longest message (IBTA 9.7.4.1). */
#define SWHCA_RC_MAX_MSG	(UINT32_C(1) << 31)

/** What a request packet is, by its opcode. */
struct swhca_rc_shape {
	uint8_t op;		/**< enum swhca_rc_op; NONE: not a request. */
	uint8_t flags;		/**< SWHCA_RC_F_IMM, SWHCA_RC_F_INV */
	bool is_first;
	bool is_last;
};

/**
 * A packet: what its headers say, as far as the protocol is concerned, and which piece of a message
 * its payload is. Who drives a machine adds addresses, keys and operands.
 */
struct swhca_rc_packet {
	uint8_t opcode;		/**< enum swhca_packet_type: without the transport. */
	uint8_t syndrome;	/**< AETH */
	bool ack_req;		/**< BTH.A */
	bool solicited;		/**< BTH.SE */
	uint32_t psn;
	uint32_t msn;		/**< AETH */
	uint32_t len;		/**< Bytes of payload, without padding. */
	uint32_t dma_len;	/**< RETH: bytes that are written, or asked for. */
	/** To be sent: number of the message (requester), resource (responder: responses). */
	uint32_t msg;
	/**
	 * To be sent: where in its message the payload begins; of a read request, where the answer
	 * shall: RETH's address is that of the message plus this.
	 */
	uint32_t offset;
	uint64_t atomic;	/**< AtomicAckETH */
};

/** How a message ended. */
enum swhca_rc_status {
	SWHCA_RC_DONE,
	SWHCA_RC_RETRY_EXCEEDED,	/**< Nobody answers. */
	SWHCA_RC_RNR_RETRY_EXCEEDED,	/**< Nobody receives. */
	SWHCA_RC_REMOTE_INVAL_REQ,
	SWHCA_RC_REMOTE_ACCESS,
	SWHCA_RC_REMOTE_OP,
	SWHCA_RC_BAD_RESPONSE,		/**< A response of another length than was asked for. */
	SWHCA_RC_LOCAL,			/**< What swhca_rc_requester_fail() was called for. */
	SWHCA_RC_FLUSHED,		/**< It was behind one that failed. */
};

/** No deadline. */
#define SWHCA_RC_NEVER	UINT64_MAX

/** @return op NONE if that is not a request. */
struct swhca_rc_shape swhca_rc_shape_of(uint8_t opcode);
/** Opcode of a request packet at a place of its message. */
uint8_t swhca_rc_opcode_of(uint8_t op, uint8_t flags, bool is_first, bool is_last);
/** Opcode of a packet of a read's answer. */
uint8_t swhca_rc_read_opcode(bool is_first, bool is_last);
/** How long a requester waits that was told an RNR NAK timer code. */
uint64_t swhca_rc_rnr_ns(uint8_t code);
/** Local ACK timeout: 4.096 us * 2^code; 0: none. */
uint64_t swhca_rc_timeout_ns(uint8_t code);

#endif /* SWHCA_WIRE_RC_RC_H */
