/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_CONN_CONN_H
#define SWHCA_WIRE_CONN_CONN_H

/**
 * @file
 * Connections over a link: the machines of wire/rc, and the data of their messages.
 *
 * A connection of a queue pair is created from its context with its first packet, in either
 * direction, and destroyed by the next reset. A DC target has one for each initiator that connected
 * to it: a session.
 */

#include "base/span.h"
#include "queue/qp.h"
#include "wire/conn/net.h"
#include "wire/rc/rc_requester.h"
#include "wire/rc/rc_responder.h"
#include "wire/rc/uc.h"
#include "xport/xport_responder.h"

/** log2 of the outstanding messages of a requester: as many as outstanding WQEs of the engine. */
#define SWHCA_LOG_CONN_MSGS 6u
#define SWHCA_CONN_MSGS (1u << SWHCA_LOG_CONN_MSGS)

/** Growing byte buffer. */
struct swhca_store {
	uint8_t *data;
	size_t size;
};

/** A request until it is reaped. */
struct swhca_conn_msg {
	struct swhca_wire_req req;	/**< Without pointers. */
	/** Memory, unless staged; read and written in pieces, as packets are sent and received. */
	struct swhca_spans spans;
	struct swhca_span_cursor at;	/**< End of the last piece ... */
	uint64_t offset;		/**< ... as an offset. */
	bool is_staged;			/**< Payload is in the store. */
	bool has_fault;			/**< READ: received data could not be written. */
	struct swhca_store store;
	uint64_t old;			/**< Atomics: previous value of the memory. */
};

/** A read or an atomic that a responder may have to answer again. */
struct swhca_conn_read {
	uint64_t raddr;
	uint32_t rkey;
	uint32_t srqn;
	bool is_staged;		/**< A key transforms it: the answer is in the store. */
	struct swhca_store store;
};

/** The incomplete message of a responder. */
struct swhca_conn_part {
	uint64_t raddr;		/**< WRITE, like all up to rkey. */
	uint64_t len;
	uint32_t rkey;
	bool is_staged;		/**< Written to memory when complete. */
	struct swhca_store store;
};

struct swhca_dct;

struct swhca_conn {
	struct swhca_net *net;
	struct swhca_qp *qp;		/**< NULL: of a DC target. */
	uint32_t dctn;
	uint8_t transport;		/**< enum swhca_transport */
	uint8_t log_mtu;
	uint32_t remote_qpn;
	struct swhca_packet_ip ip;	/**< For sent packets. */
	uint64_t session;		/**< DC */
	uint64_t dc_key;

	bool has_requester;
	struct swhca_rc_requester requester;
	struct swhca_rc_msg *rc_msgs;	/**< SWHCA_CONN_MSGS, once there is a requester. */
	struct swhca_conn_msg *msgs;	/**< Same number. */
	struct swhca_conn_msg *landing;	/**< Reaped, except for its data. */

	bool has_responder;
	struct swhca_rc_responder responder;
	struct swhca_uc_responder uc;
	struct swhca_rc_resource *resources;
	struct swhca_conn_read *reads;	/**< Same number. */
	struct swhca_conn_part part;
	uint64_t again_ns;		/**< Retry time of a response that waits for a page, or
					 *   0. */

	/** Statistics of the machines already counted by the device. */
	struct swhca_rc_requester_stats requester_seen;
	struct swhca_rc_responder_stats responder_seen;
	bool is_active;
	uint64_t used_ns;		/**< Session: time of the last received packet. */
	TAILQ_ENTRY(swhca_conn) active;
	LIST_ENTRY(swhca_conn) link;
	LIST_ENTRY(swhca_conn) session_link;
};

/** Get or create the connection of a queue pair. @return NULL: no memory, or no path. */
struct swhca_conn *swhca_conn_of(struct swhca_qp *qp);
/** Create a connection without an owner. @return NULL: no memory. */
struct swhca_conn *swhca_conn_create(struct swhca_net *net);
void swhca_conn_destroy(struct swhca_conn *conn);
/** Mark it: it may have something to send. */
void swhca_conn_activate(struct swhca_conn *conn);
/** Update its deadline and its counters. */
void swhca_conn_arm(struct swhca_conn *conn);
/** Run the timers that are due. */
void swhca_conn_tick_all(struct swhca_net *net, uint64_t now);
/** Exclude a time in which the engine had no CPU from all timers. */
void swhca_conn_skip_all(struct swhca_net *net, uint64_t ns);
/** Send for active connections, while there is room. @return Number of packets. */
unsigned int swhca_conn_send_all(struct swhca_net *net, uint64_t now);

/** Create the requester machine. @return 0, -EINVAL or -ENOMEM. */
int swhca_conn_init_requester(struct swhca_conn *conn, uint32_t psn);
/** Create the responder machine. @return 0, -EINVAL or -ENOMEM. */
int swhca_conn_init_responder(struct swhca_conn *conn,
			      const struct swhca_rc_responder_conf *conf);
/** Get the data of a message by its number. */
static inline struct swhca_conn_msg *
swhca_conn_msg(struct swhca_conn *conn, uint32_t number)
{
	return &conn->msgs[number % SWHCA_CONN_MSGS];
}

/** Make room for len bytes, keeping the content. @return 0 or -ENOMEM. */
int swhca_store_grow(struct swhca_store *store, size_t len);
/** The content is no longer needed: free a large store. */
void swhca_store_release(struct swhca_store *store);
void swhca_store_fini(struct swhca_store *store);

/* conn_requester.c */
/** Send one packet of the requester. @return false: there is none. */
bool swhca_request_packet(struct swhca_conn *conn, uint64_t now);
/** Handle a response. */
void swhca_request_answered(struct swhca_conn *conn, const struct swhca_packet *packet,
			    const uint8_t *payload, uint64_t now);
/** Move the payload of a message from memory to its store. @return 0, -EFAULT, -ENOMEM. */
int swhca_request_hold(const struct swhca_dma *dma, struct swhca_conn_msg *msg);
/** Schedule the queue pairs of completed messages. */
void swhca_request_wake(struct swhca_conn *conn);

/* conn_responder.c */
/** Handle a request to a queue pair, or a target. */
void swhca_respond(struct swhca_conn *conn, struct swhca_dct *dct,
		   const struct swhca_packet *packet, const uint8_t *payload);
/** Send one packet of the responder. @return false: there is none. */
bool swhca_respond_packet(struct swhca_conn *conn);

/* send.c */
void swhca_conn_send(struct swhca_hca *hca, const struct swhca_wire_req *req,
		     struct swhca_wire_answer *answer);
bool swhca_conn_reap(struct swhca_qp *qp, struct swhca_wire_answer *answer);
/** Move outstanding requests to their stores, so that they no longer access memory. */
void swhca_conn_hold_all(struct swhca_net *net);
void swhca_conn_flush(struct swhca_qp *qp);

/* datagram.c */
void swhca_datagram_send(struct swhca_qp *qp, const struct swhca_wire_req *req,
			 struct swhca_wire_answer *answer);
/** Receive a datagram; ib_len is from BTH to ICRC. @return false: it has no receiver. */
bool swhca_datagram_receive(struct swhca_net *net, const struct swhca_packet_ip *ip,
			    const struct swhca_packet *packet, const uint8_t *payload,
			    size_t ib_len);

/* dc.c */
/**
 * Direct the connection of an initiator to the target of a request.
 *
 * @return
 *   0, -EAGAIN (messages to another target are outstanding), -ENETUNREACH, -EINVAL.
 */
int swhca_dc_turn(struct swhca_conn *conn, const struct swhca_wire_req *req);
/** Receive a DC packet. @return false: it has no receiver. */
bool swhca_dc_receive(struct swhca_net *net, const struct swhca_packet_ip *ip,
		      const struct swhca_packet *packet, const uint8_t *payload, uint64_t now);

#endif /* SWHCA_WIRE_CONN_CONN_H */
