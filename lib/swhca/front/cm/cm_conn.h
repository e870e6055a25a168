/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CM_CONN_H
#define SWHCA_CM_CONN_H

/**
 * @file
 * One end of a connection, or of the resolution of a service ID, as a state machine (IBTA volume 1,
 * 12.9 and 12.11; Linux: drivers/infiniband/core/cm.c).
 *
 *   active:   IDLE - connect - REQ_SENT - (MRA) - REP_RCVD - ready - ESTABLISHED
 *   passive:  IDLE - request - REQ_RCVD - accept - REP_SENT - (RTU) - ESTABLISHED
 *   end:      ESTABLISHED - disconnect - DREQ_SENT - (DREP) - TIMEWAIT - IDLE
 *             ESTABLISHED - (DREQ) - DREQ_RCVD - disconnect - TIMEWAIT - IDLE
 *
 * It has no sockets, clock or lock: messages are sent by a function, time is a parameter. Messages
 * that need an answer are retransmitted until it arrives or the retries are exhausted.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "front/cm/cm_msg.h"

enum swhca_cm_state {
	SWHCA_CM_IDLE,
	SWHCA_CM_REQ_SENT,
	SWHCA_CM_REQ_RCVD,
	SWHCA_CM_REP_SENT,
	SWHCA_CM_REP_RCVD,
	SWHCA_CM_ESTABLISHED,
	SWHCA_CM_DREQ_SENT,
	SWHCA_CM_DREQ_RCVD,
	SWHCA_CM_TIMEWAIT,
	SWHCA_CM_SIDR_REQ_SENT,
	SWHCA_CM_SIDR_REQ_RCVD,
	SWHCA_CM_SIDR_REP_SENT,		/**< Repeated requests are answered again. */
};

/** Events for its user; those of messages include the message. */
enum swhca_cm_event {
	SWHCA_CM_EVENT_NO_REP,		/**< No answer to a REQ. */
	SWHCA_CM_EVENT_REP,
	SWHCA_CM_EVENT_NO_RTU,
	SWHCA_CM_EVENT_RTU,		/**< Or established by its user: no message. */
	SWHCA_CM_EVENT_REJ,
	SWHCA_CM_EVENT_DREQ,
	SWHCA_CM_EVENT_DREP,
	SWHCA_CM_EVENT_NO_DREP,
	SWHCA_CM_EVENT_TIMEWAIT_END,
	SWHCA_CM_EVENT_NO_SIDR_REP,
	SWHCA_CM_EVENT_SIDR_REP,
};

struct swhca_cm_ops {
	void (*send)(void *arg, const uint8_t mad[SWHCA_MAD_LEN]);
	/** Called last by the functions below: it may change the connection. */
	void (*event)(void *arg, enum swhca_cm_event event, const struct swhca_cm_msg *msg);
};

struct swhca_cm_conn {
	const struct swhca_cm_ops *ops;
	void *arg;			/**< Argument of both. */
	enum swhca_cm_state state;
	uint32_t local_id;
	uint32_t remote_id;		/**< 0: unknown. */
	uint64_t ca_guid;
	uint64_t tid;
	uint8_t ca_ack_delay;
	/* Connection of queue pairs. */
	uint32_t local_qpn;
	uint32_t remote_qpn;
	uint32_t rq_psn;		/**< First PSN received. */
	uint32_t sq_psn;		/**< First PSN sent. */
	uint8_t path_mtu;
	uint8_t responder_resources;
	uint8_t initiator_depth;
	uint8_t retry_count;
	uint8_t rnr_retry_count;
	uint8_t ack_timeout;
	bool is_xrc;			/**< Peers are EE contexts, in a REP. */
	/* Retransmission. */
	uint8_t max_retries;
	uint8_t nb_retries;		/**< Remaining. */
	uint32_t timeout_ms;
	uint64_t deadline_ns;		/**< 0: none. */
	uint8_t sent[SWHCA_MAD_LEN];	/**< Message to retransmit. */
};

/** Milliseconds of 4.096 us * 2^exponent, at least 1. */
uint32_t swhca_cm_time_ms(uint8_t exponent);
/** ACK timeout for a one-way packet life time and the delay of an adapter (12.7.34). */
uint8_t swhca_cm_ack_timeout(uint8_t ca_ack_delay, uint8_t packet_life_time);

/** Initialize an idle end. The ops are borrowed. */
void swhca_cm_conn_init(struct swhca_cm_conn *conn, const struct swhca_cm_ops *ops, void *arg,
			uint32_t local_id, uint64_t ca_guid, uint8_t ca_ack_delay);
/** End it: the peer is notified if necessary. Afterwards nothing is sent or reported. */
void swhca_cm_conn_fini(struct swhca_cm_conn *conn);

/**
 * Send a REQ.
 *
 * @param msg
 *   Its req and private data; the rest is filled in.
 * @param packet_life_time
 *   Of the path.
 * @return
 *   0, or -EINVAL: not idle.
 */
int swhca_cm_connect(struct swhca_cm_conn *conn, struct swhca_cm_msg *msg,
		     uint8_t packet_life_time, uint64_t now_ns);
/** Pass a REQ to an idle end. */
void swhca_cm_request(struct swhca_cm_conn *conn, const struct swhca_cm_msg *req);
/** Answer it by a REP: rep and private data as above. @return 0 or -EINVAL (no REQ). */
int swhca_cm_accept(struct swhca_cm_conn *conn, struct swhca_cm_msg *msg, uint64_t now_ns);
/** Answer a REP by an RTU. @return 0 or -EINVAL. */
int swhca_cm_ready(struct swhca_cm_conn *conn);
/** A packet of the peer arrived before the RTU. @return 0, -EISCONN or -EINVAL. */
int swhca_cm_establish(struct swhca_cm_conn *conn);
/** Send a REJ. @return 0, -EINVAL (nothing to reject, or too much private data). */
int swhca_cm_reject(struct swhca_cm_conn *conn, enum swhca_cm_reason reason,
		    const void *private_data, size_t len, uint64_t now_ns);
/** Disconnect, or answer a disconnect. @return 0 or -EINVAL (no connection). */
int swhca_cm_disconnect(struct swhca_cm_conn *conn, uint64_t now_ns);

/** Resolve a service ID: sidr_req and private data as above. @return As connect. */
int swhca_cm_sidr_ask(struct swhca_cm_conn *conn, struct swhca_cm_msg *msg,
		      uint8_t response_timeout, uint8_t max_retries, uint64_t now_ns);
/** Pass a SIDR_REQ to an idle end. */
void swhca_cm_sidr_request(struct swhca_cm_conn *conn, const struct swhca_cm_msg *req);
/** Answer it: sidr_rep and private data as above. @return 0 or -EINVAL. */
int swhca_cm_sidr_answer(struct swhca_cm_conn *conn, struct swhca_cm_msg *msg);

/** Check whether a message, from the right peer, belongs to this connection. */
bool swhca_cm_conn_is_of(const struct swhca_cm_conn *conn, const struct swhca_cm_msg *msg);
/** Handle a message of this connection. Messages that do not fit its state are dropped. */
void swhca_cm_conn_receive(struct swhca_cm_conn *conn, const struct swhca_cm_msg *msg,
			   uint64_t now_ns);
/** Check whether it would wait, perhaps forever, for a peer that no longer exists. */
bool swhca_cm_conn_needs_peer(const struct swhca_cm_conn *conn);
/** Build the DREQ that others send to the peer, while needed, when this end is gone. */
void swhca_cm_last_word(const struct swhca_cm_conn *conn, uint8_t mad[SWHCA_MAD_LEN]);
/** The peer is gone: act as if it had disconnected, or answered a disconnect. */
void swhca_cm_peer_lost(struct swhca_cm_conn *conn, uint64_t now_ns);
/** Handle timers. */
void swhca_cm_conn_tick(struct swhca_cm_conn *conn, uint64_t now_ns);

/**
 * Answer a message without a connection or service.
 *
 * @return
 *   Whether there is an answer.
 */
bool swhca_cm_stray_answer(const struct swhca_cm_msg *msg, struct swhca_cm_msg *answer);

#endif /* SWHCA_CM_CONN_H */
