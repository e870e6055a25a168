/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_RC_RESPONDER_H
#define SWHCA_WIRE_RC_RESPONDER_H

/**
 * @file
 * The responder of a connection: which packets are executed, and what is answered.
 *
 *   receive(packet) --> EXECUTE (a piece of a message), exactly once and in order
 *       the owner looks at keys, memory and receive queue, does it, and calls one of
 *   done(), done_atomic(), nak(), rnr()
 *   next() --> responses: of reads and atomics in their order, then what is acknowledged or not
 *
 * Reads and atomics have resources (IBTA 9.7.4.1, max_dest_rd_atomic), by which duplicates get the
 * same answer: an atomic's is kept, a read is done once more from memory. The owner keeps what a
 * read is about (key, address) by the number of the resource. The answer of a read is read from
 * memory when next() asks for it, which may be behind writes that came later: who cares sets a
 * fence (IBTA 10.8.3.3).
 */

#include <stddef.h>

#include "wire/rc/assembly.h"

/** A read or an atomic, until its place is needed for another one. */
struct swhca_rc_resource {
	uint64_t seq;		/**< Of the first packet of the answer, */
	uint64_t end;		/**< and behind its last one. */
	uint64_t next;		/**< Answer: from here ... */
	uint64_t until;		/**< ... to here is still to be sent; */
	uint64_t from;		/**< it began here. */
	uint64_t atomic;	/**< What memory held. */
	uint32_t len;		/**< READ: bytes that were asked for, */
	uint32_t stop;		/**< and where in them those end that are now. */
	uint8_t op;
	bool is_replay;
};

struct swhca_rc_responder_conf {
	uint32_t psn;			/**< First packet sequence number that is expected. */
	uint32_t max_msg;		/**< Bytes of a message, at most SWHCA_RC_MAX_MSG. */
	uint8_t log_mtu;		/**< 8 to 12 */
	uint8_t max_dest_rd_atomic;	/**< Resources; 0: there are neither reads nor atomics. */
	uint8_t credits;		/**< AETH code to send; SWHCA_AETH_CREDITS_NONE. */
};

struct swhca_rc_responder_stats {
	uint64_t nb_packets;		/**< That were executed. */
	uint64_t nb_duplicates;		/**< duplicate_request */
	uint64_t nb_out_of_sequence;	/**< out_of_sequence */
	uint64_t nb_dropped;		/**< Behind a NAK; duplicates of what is forgotten. */
	uint64_t nb_invalid;		/**< Requests that were no valid ones. */
	uint64_t nb_acks;
	uint64_t nb_naks;
};

/** All fields are the machine's own, except that conf.credits may be changed at any time. */
struct swhca_rc_responder {
	struct swhca_rc_responder_conf conf;
	struct swhca_rc_resource *resources;
	uint64_t expected;	/**< Next sequence number. */
	uint64_t nak_seq;	/**< Of the NAK that is to be sent. */
	uint32_t msn;		/**< Messages that are done, 24 bits. */
	struct swhca_rc_assembly assembly;
	uint32_t pending_len;	/**< Bytes of the message that the owner executes a packet of, */
	bool pending_ack;	/**< which asks for an acknowledgement. */
	uint8_t next_resource;	/**< The oldest one. */
	uint8_t nak;		/**< AETH syndrome to be sent, 0: none. */
	uint32_t nb_active;	/**< Resources with an answer to be sent. */
	bool has_nak;		/**< Sent, or to be, until what it is for has come. */
	bool has_ack;		/**< To be sent: all in front of expected. */
	bool is_failed;		/**< Takes nothing any more. */
	struct swhca_rc_responder_stats stats;
};

/** What the owner has to do for a packet that came. */
enum swhca_rc_do {
	SWHCA_RC_DO_NOTHING,	/**< But there may be something to send. */
	SWHCA_RC_DO_EXECUTE,
};

/**
 * @param resources
 *   conf.max_dest_rd_atomic of the caller, or NULL.
 * @return
 *   0, -EINVAL.
 */
int swhca_rc_responder_init(struct swhca_rc_responder *r,
			    const struct swhca_rc_responder_conf *conf,
			    struct swhca_rc_resource *resources);
/**
 * A request has come.
 *
 * @return
 *   EXECUTE: piece is written, and one of the four calls below must come before the next packet.
 */
enum swhca_rc_do swhca_rc_responder_receive(struct swhca_rc_responder *r,
					    const struct swhca_rc_packet *packet,
					    struct swhca_rc_piece *piece);
/** It is done; a read: it may be, and is answered by next(). */
void swhca_rc_responder_done(struct swhca_rc_responder *r);
/** An atomic is. */
void swhca_rc_responder_done_atomic(struct swhca_rc_responder *r, uint64_t old);
/** No receive WQE: nothing is done, the packet comes again. */
void swhca_rc_responder_rnr(struct swhca_rc_responder *r, uint8_t timer);
/** It may not, or cannot, be done: that is the last answer. */
void swhca_rc_responder_nak(struct swhca_rc_responder *r, enum swhca_nak value);
/**
 * The next response, which counts as sent. packet.msg and offset of parts of a read's answer tell
 * what is to be read; if that fails, swhca_rc_responder_nak_read() takes its place.
 *
 * @return
 *   false: there is none.
 */
bool swhca_rc_responder_next(struct swhca_rc_responder *r, struct swhca_rc_packet *packet);
/** The payload of the last response of next() is not there yet: next() gives it again. */
void swhca_rc_responder_put_back(struct swhca_rc_responder *r,
				 const struct swhca_rc_packet *packet);
/** The payload of a response cannot be had: it, and what is behind it, is not answered. */
void swhca_rc_responder_nak_read(struct swhca_rc_responder *r,
				 const struct swhca_rc_packet *packet);

#endif /* SWHCA_WIRE_RC_RESPONDER_H */
