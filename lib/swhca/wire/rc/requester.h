/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_RC_REQUESTER_H
#define SWHCA_WIRE_RC_REQUESTER_H

/**
 * @file
 * The requester of a connection: messages to packets, and what comes back.
 *
 *   popped   acknowledged        sent           posted
 *     |  done   |  outstanding     |  to be sent   |
 *   --+---------+------------------+---------------+-->  sequence numbers
 *              una               cursor           end of the last message
 *
 * Acknowledgements move una, packets that are sent the cursor. To retransmit is to put the cursor
 * back to una (go-back-N, IBTA 9.7.2). A read has as many numbers as its answer has packets; it and
 * an atomic move una by their responses alone.
 *
 * The owner keeps what a message is about (keys, addresses, memory) by its number.
 */

#include <stddef.h>

#include "wire/rc/rc.h"

/** A message on its way. */
struct swhca_rc_msg {
	uint64_t seq;		/**< Of its first packet, */
	uint64_t end;		/**< and behind its last one. */
	uint32_t len;
	uint32_t ssn;		/**< Send sequence number, 24 bits (IBTA 9.7.7.2). */
	uint8_t op;
	uint8_t flags;
};

struct swhca_rc_requester_conf {
	uint32_t psn;		/**< First packet sequence number. */
	uint32_t window;	/**< Packets that may be outstanding, 1 to 2^23 - 1. */
	uint32_t ack_every;	/**< Packets for one that asks for an ACK; 0: window / 4. */
	uint8_t log_mtu;	/**< 8 to 12 */
	uint8_t timeout;	/**< Local ACK timeout code, 0: none. */
	uint8_t retry_cnt;	/**< Retransmissions without progress; never without end. */
	uint8_t rnr_retry;	/**< The same after RNR NAKs; 7: without end. */
	uint8_t max_rd_atomic;	/**< Reads and atomics that may be outstanding. */
	bool has_credits;	/**< Heed credits of the responder (IBTA 9.7.7.2). */
	bool is_unreliable;	/**< UC: nobody answers, what is sent is done (IBTA 9.8.2). */
};

struct swhca_rc_requester_stats {
	uint64_t nb_packets;
	uint64_t nb_resent;		/**< Packets that had been sent before. */
	uint64_t nb_timeouts;		/**< local_ack_timeout_err */
	uint64_t nb_sequence_naks;	/**< packet_seq_err */
	uint64_t nb_implied_naks;	/**< implied_nak_seq_err */
	uint64_t nb_rnr_naks;		/**< rnr_nak_retry_err */
	uint64_t nb_old;		/**< Responses to what is acknowledged already. */
	uint64_t nb_bad;		/**< Responses that answer nothing. */
};

/** All fields are the machine's own, except that conf.window may be changed at any time. */
struct swhca_rc_requester {
	struct swhca_rc_requester_conf conf;
	struct swhca_rc_msg *msgs;
	uint32_t mask;
	uint32_t head;		/**< Numbers of messages: first that is not popped, */
	uint32_t una_msg;	/**< that of una, */
	uint32_t cur;		/**< that of the cursor, */
	uint32_t tail;		/**< next to be posted. */
	uint32_t stop;
	uint32_t nb_rd;		/**< Reads and atomics between una and cursor. */
	uint32_t since_ack_req;	/**< Packets since one that asked for an acknowledgement. */
	uint32_t limit_ssn;	/**< Up to here there are credits. */
	uint64_t una;
	uint64_t cursor;
	uint64_t max;		/**< Behind the last packet that was ever sent. */
	uint64_t end;		/**< Behind the last message. */
	uint64_t since;		/**< Last progress, or when the oldest outstanding was sent. */
	uint64_t rnr_until;
	uint64_t lost_seq;	/**< What was retransmitted last for a NAK. */
	uint8_t nb_retries;	/**< That are left. */
	uint8_t nb_rnr_retries;
	bool is_rnr;		/**< Waits until rnr_until. */
	bool is_lost;		/**< lost_seq counts. */
	bool is_failed;
	bool has_stop;		/**< No packet of the message with the number stop is sent. */
	uint8_t status;		/**< Failed: of the message at una. */
	struct swhca_rc_requester_stats stats;
};

/** What is to be done with the payload of a packet that came. */
enum swhca_rc_take {
	SWHCA_RC_TAKE_NOTHING,
	/** Payload goes to the message's memory, before its completion is popped. */
	SWHCA_RC_TAKE_DATA,
	/** packet.atomic is what memory held. */
	SWHCA_RC_TAKE_ATOMIC,
};

struct swhca_rc_place {
	uint32_t msg;
	uint32_t offset;
	uint32_t len;
};

/**
 * @param msgs
 *   Room for 2^log_msgs messages, of the caller.
 * @return
 *   0, -EINVAL.
 */
int swhca_rc_requester_init(struct swhca_rc_requester *q,
			    const struct swhca_rc_requester_conf *conf,
			    struct swhca_rc_msg *msgs, unsigned int log_msgs);
/**
 * @param len
 *   Bytes of payload; of a read: asked for. Atomics: 8.
 * @param msg
 *   Its number: one more than that of the last one.
 * @return
 *   0, -EINVAL (no such operation in this service), -EMSGSIZE, -ENOSPC, -EIO (it has failed).
 */
int swhca_rc_requester_post(struct swhca_rc_requester *q, enum swhca_rc_op op, uint8_t flags,
			    uint32_t len, uint32_t *msg);
/** The next packet, which counts as sent. @return false: there is none now. */
bool swhca_rc_requester_next(struct swhca_rc_requester *q, uint64_t now_ns,
			     struct swhca_rc_packet *packet);
/** A response has come. */
enum swhca_rc_take swhca_rc_requester_receive(struct swhca_rc_requester *q, uint64_t now_ns,
					      const struct swhca_rc_packet *packet,
					      struct swhca_rc_place *place);
/** Time has passed: to be called at the deadline, harmless at any other time. */
void swhca_rc_requester_tick(struct swhca_rc_requester *q, uint64_t now_ns);
/** Time has passed in which nobody could send or receive: it does not count. */
void swhca_rc_requester_skip(struct swhca_rc_requester *q, uint64_t ns);
/** @return When to tick, or SWHCA_RC_NEVER. Any other call may change it. */
uint64_t swhca_rc_requester_deadline(const struct swhca_rc_requester *q);
/** The next message that is done, in the order of posting. @return false: none is. */
bool swhca_rc_requester_pop(struct swhca_rc_requester *q, uint32_t *msg,
			    enum swhca_rc_status *status);
/**
 * A message cannot be sent, or not all of it. Those in front of it are, again if need be, and when
 * they are done it ends with SWHCA_RC_LOCAL, those behind it flushed.
 *
 * @param msg
 *   Its number. What is done already stays so: then it is the oldest that is not.
 */
void swhca_rc_requester_stop(struct swhca_rc_requester *q, uint32_t msg);

#endif /* SWHCA_WIRE_RC_REQUESTER_H */
