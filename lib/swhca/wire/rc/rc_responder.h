/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_RC_RESPONDER_H
#define SWHCA_WIRE_RC_RESPONDER_H

/**
 * @file
 * Responder of a connection: selects packets to execute, and generates answers.
 *
 *   receive(packet) --> EXECUTE (a piece of a message), exactly once and in order
 *       the owner checks keys, memory and receive queue, executes it, and calls one of
 *   done(), done_atomic(), nak(), rnr()
 *   next() --> responses: of reads and atomics in their order, then ACK or NAK
 *
 * Reads and atomics have resources (IBTA 9.7.4.1, max_dest_rd_atomic), so that duplicates get the
 * same answer: the result of an atomic is stored, a read is repeated from memory. The owner stores
 * key and address of a read by the number of the resource. next() reads the data of a read from
 * memory, which may be after later writes: a requester that needs ordering sets a fence (IBTA
 * 10.8.3.3).
 */

#include <stddef.h>

#include "wire/rc/assembly.h"

/** A read or an atomic, until its resource is reused. */
struct swhca_rc_resource {
	uint64_t seq;		/**< First packet of the answer. */
	uint64_t end;		/**< End of its last packet. */
	uint64_t next;		/**< Next packet to be sent ... */
	uint64_t until;		/**< ... and end of those to be sent. */
	uint64_t from;		/**< Start of the current sending. */
	uint64_t atomic;	/**< Previous value of the memory. */
	uint32_t len;		/**< READ: requested bytes. */
	uint32_t stop;		/**< End of the bytes requested now. */
	uint8_t op;
	bool is_replay;
};

struct swhca_rc_responder_conf {
	uint32_t psn;			/**< First expected packet sequence number. */
	uint32_t max_msg;		/**< Maximum bytes of a message, up to SWHCA_RC_MAX_MSG. */
	uint8_t log_mtu;		/**< 8 to 12 */
	uint8_t max_dest_rd_atomic;	/**< Resources; 0: no reads and atomics. */
	uint8_t credits;		/**< AETH code to send; SWHCA_AETH_CREDITS_NONE. */
};

struct swhca_rc_responder_stats {
	uint64_t nb_packets;		/**< Executed packets. */
	uint64_t nb_duplicates;		/**< duplicate_request */
	uint64_t nb_out_of_sequence;	/**< out_of_sequence */
	uint64_t nb_dropped;		/**< After a NAK; duplicates without a resource. */
	uint64_t nb_invalid;		/**< Invalid requests. */
	uint64_t nb_acks;
	uint64_t nb_naks;
};

/** All fields are private, except that conf.credits may be changed at any time. */
struct swhca_rc_responder {
	struct swhca_rc_responder_conf conf;
	struct swhca_rc_resource *resources;
	uint64_t expected;	/**< Next sequence number. */
	uint64_t nak_seq;	/**< Number of the NAK to be sent. */
	uint32_t msn;		/**< Completed messages, 24 bits. */
	struct swhca_rc_assembly assembly;
	uint32_t pending_len;	/**< Bytes of the message whose packet is being executed. */
	bool pending_ack;	/**< This packet requests an acknowledgment. */
	uint8_t next_resource;	/**< The oldest one. */
	uint8_t nak;		/**< AETH syndrome to be sent, 0: none. */
	uint32_t nb_active;	/**< Resources with an answer to send. */
	bool has_nak;		/**< NAK pending or sent, until the expected packet arrives. */
	bool has_ack;		/**< ACK pending for all before expected. */
	bool is_failed;		/**< Accepts no more packets. */
	struct swhca_rc_responder_stats stats;
};

/** Action of the owner for a received packet. */
enum swhca_rc_do {
	SWHCA_RC_DO_NOTHING,	/**< But a response may have to be sent. */
	SWHCA_RC_DO_EXECUTE,
};

/**
 * @param resources
 *   conf.max_dest_rd_atomic entries, owned by the caller, or NULL.
 * @return
 *   0, -EINVAL.
 */
int swhca_rc_responder_init(struct swhca_rc_responder *r,
			    const struct swhca_rc_responder_conf *conf,
			    struct swhca_rc_resource *resources);
/**
 * Handle a request.
 *
 * @return
 *   EXECUTE: piece is written; call one of the four functions below before the next packet.
 */
enum swhca_rc_do swhca_rc_responder_receive(struct swhca_rc_responder *r,
					    const struct swhca_rc_packet *packet,
					    struct swhca_rc_piece *piece);
/** The packet was executed, or a read was accepted, which next() answers. */
void swhca_rc_responder_done(struct swhca_rc_responder *r);
/** An atomic was executed. */
void swhca_rc_responder_done_atomic(struct swhca_rc_responder *r, uint64_t old);
/** No receive WQE: nothing was executed, the packet will be resent. */
void swhca_rc_responder_rnr(struct swhca_rc_responder *r, uint8_t timer);
/** The request is rejected or failed: this is the last answer. */
void swhca_rc_responder_nak(struct swhca_rc_responder *r, enum swhca_nak value);
/**
 * Get the next response, which is then considered sent. For parts of a read's answer, packet.msg
 * and offset define the data to read; if that fails, swhca_rc_responder_nak_read() replaces it.
 *
 * @return
 *   false: there is none.
 */
bool swhca_rc_responder_next(struct swhca_rc_responder *r, struct swhca_rc_packet *packet);
/** The payload of the last response is not present yet: next() returns it again. */
void swhca_rc_responder_put_back(struct swhca_rc_responder *r,
				 const struct swhca_rc_packet *packet);
/** The payload of a response is not accessible: neither it nor what follows is answered. */
void swhca_rc_responder_nak_read(struct swhca_rc_responder *r,
				 const struct swhca_rc_packet *packet);

#endif /* SWHCA_WIRE_RC_RESPONDER_H */
