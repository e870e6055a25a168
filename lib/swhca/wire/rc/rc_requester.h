/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_RC_REQUESTER_H
#define SWHCA_WIRE_RC_REQUESTER_H

/**
 * @file
 * Requester of a connection: converts messages to packets, and handles responses.
 *
 *   popped   acknowledged        sent           posted
 *     |  done   |  outstanding     |  to be sent   |
 *   --+---------+------------------+---------------+-->  sequence numbers
 *              una               cursor           end of the last message
 *
 * Acknowledgments advance una, sent packets advance the cursor. Retransmission resets the cursor to
 * una (go-back-N, IBTA 9.7.2). A read has as many numbers as its answer has packets; only responses
 * to reads and atomics advance una past them.
 *
 * The owner stores keys, addresses and memory of a message by its number.
 */

#include <stddef.h>

#include "wire/rc/rc.h"

/** An outstanding message. */
struct swhca_rc_msg {
	uint64_t seq;		/**< First packet. */
	uint64_t end;		/**< End of the last packet. */
	uint32_t len;
	uint32_t ssn;		/**< Send sequence number, 24 bits (IBTA 9.7.7.2). */
	uint8_t op;
	uint8_t flags;
};

struct swhca_rc_requester_conf {
	uint32_t psn;		/**< First packet sequence number. */
	uint32_t window;	/**< Maximum outstanding packets, 1 to 2^23 - 1. */
	uint32_t ack_every;	/**< Packets per requested ACK; 0: window / 4. */
	uint8_t log_mtu;	/**< 8 to 12 */
	uint8_t timeout;	/**< Local ACK timeout code, 0: none. */
	uint8_t retry_cnt;	/**< Retransmissions without progress; limited. */
	uint8_t rnr_retry;	/**< The same after RNR NAKs; 7: unlimited. */
	uint8_t max_rd_atomic;	/**< Maximum outstanding reads and atomics. */
	bool has_credits;	/**< Respect credits of the responder (IBTA 9.7.7.2). */
	bool is_unreliable;	/**< UC: no answers, sent messages are done (IBTA 9.8.2). */
};

struct swhca_rc_requester_stats {
	uint64_t nb_packets;
	uint64_t nb_resent;		/**< Packets sent again. */
	uint64_t nb_timeouts;		/**< local_ack_timeout_err */
	uint64_t nb_sequence_naks;	/**< packet_seq_err */
	uint64_t nb_implied_naks;	/**< implied_nak_seq_err */
	uint64_t nb_rnr_naks;		/**< rnr_nak_retry_err */
	uint64_t nb_old;		/**< Responses to acknowledged packets. */
	uint64_t nb_bad;		/**< Unexpected responses. */
};

/** All fields are private, except that conf.window may be changed at any time. */
struct swhca_rc_requester {
	struct swhca_rc_requester_conf conf;
	struct swhca_rc_msg *msgs;
	uint32_t mask;
	uint32_t head;		/**< Number of the first message not popped. */
	uint32_t una_msg;	/**< Message of una. */
	uint32_t cur;		/**< Message of the cursor. */
	uint32_t tail;		/**< Next message to be posted. */
	uint32_t stop;
	uint32_t nb_rd;		/**< Reads and atomics between una and cursor. */
	uint32_t since_ack_req;	/**< Packets since the last request for an ACK. */
	uint32_t limit_ssn;	/**< Credits up to this number. */
	uint64_t una;
	uint64_t cursor;
	uint64_t max;		/**< End of the last packet ever sent. */
	uint64_t end;		/**< End of the last message. */
	uint64_t since;		/**< Last progress, or time when the oldest outstanding packet
				 *   was sent. */
	uint64_t rnr_until;
	uint64_t lost_seq;	/**< Last number retransmitted for a NAK. */
	uint8_t nb_retries;	/**< Retries left. */
	uint8_t nb_rnr_retries;
	bool is_rnr;		/**< Waits until rnr_until. */
	bool is_lost;		/**< lost_seq is valid. */
	bool is_failed;
	bool has_stop;		/**< Packets of message stop and later are not sent. */
	uint8_t status;		/**< Failed: status of the message at una. */
	struct swhca_rc_requester_stats stats;
};

/** Handling of the payload of a received packet. */
enum swhca_rc_take {
	SWHCA_RC_TAKE_NOTHING,
	/** Write payload to memory of the message, before its completion is popped. */
	SWHCA_RC_TAKE_DATA,
	/** packet.atomic is the previous value of the memory. */
	SWHCA_RC_TAKE_ATOMIC,
};

struct swhca_rc_place {
	uint32_t msg;
	uint32_t offset;
	uint32_t len;
};

/**
 * @param msgs
 *   Room for 2^log_msgs messages, owned by the caller.
 * @return
 *   0, -EINVAL.
 */
int swhca_rc_requester_init(struct swhca_rc_requester *q,
			    const struct swhca_rc_requester_conf *conf,
			    struct swhca_rc_msg *msgs, unsigned int log_msgs);
/**
 * @param len
 *   Bytes of payload; READ: requested bytes. Atomics: 8.
 * @param msg
 *   Its number: incremented for each message.
 * @return
 *   0, -EINVAL (no such operation in this service), -EMSGSIZE, -ENOSPC, -EIO (it has failed).
 */
int swhca_rc_requester_post(struct swhca_rc_requester *q, enum swhca_rc_op op, uint8_t flags,
			    uint32_t len, uint32_t *msg);
/** Get the next packet, which is then considered sent. @return false: there is none now. */
bool swhca_rc_requester_next(struct swhca_rc_requester *q, uint64_t now_ns,
			     struct swhca_rc_packet *packet);
/** Handle a response. */
enum swhca_rc_take swhca_rc_requester_receive(struct swhca_rc_requester *q, uint64_t now_ns,
					      const struct swhca_rc_packet *packet,
					      struct swhca_rc_place *place);
/** Handle timers: to be called at the deadline, harmless at any other time. */
void swhca_rc_requester_tick(struct swhca_rc_requester *q, uint64_t now_ns);
/** Exclude a time without sending or receiving from all timers. */
void swhca_rc_requester_skip(struct swhca_rc_requester *q, uint64_t ns);
/** @return Time of the next tick, or SWHCA_RC_NEVER. Any other call may change it. */
uint64_t swhca_rc_requester_deadline(const struct swhca_rc_requester *q);
/** Get the next completed message, in posting order. @return false: there is none. */
bool swhca_rc_requester_pop(struct swhca_rc_requester *q, uint32_t *msg,
			    enum swhca_rc_status *status);
/**
 * Stop at a message that cannot be sent completely. Earlier messages are sent, and retransmitted if
 * necessary; when they are done it ends with SWHCA_RC_LOCAL, and later ones are flushed.
 *
 * @param msg
 *   Its number. Completed messages stay completed: then the oldest incomplete one is used.
 */
void swhca_rc_requester_stop(struct swhca_rc_requester *q, uint32_t msg);

#endif /* SWHCA_WIRE_RC_REQUESTER_H */
