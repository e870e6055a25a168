/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_CONN_CONN_H
#define SWHCA_WIRE_CONN_CONN_H

/**
 * @file
 * Connections over a link: the machines of wire/rc, and what their messages are about.
 *
 * A queue pair gets one when its first packet comes or goes, from its context; it is gone with the
 * next reset. A target of DC has one for each initiator that turned to it: a session.
 */

#include "base/span.h"
#include "queue/qp.h"
#include "wire/conn/net.h"
#include "wire/rc/requester.h"
#include "wire/rc/responder.h"
#include "wire/rc/uc.h"
#include "xport/reception.h"

/** Messages of a requester on their way, at most: as many as the engine remembers WQEs. */
#define SWHCA_LOG_CONN_MSGS 6u
#define SWHCA_CONN_MSGS (1u << SWHCA_LOG_CONN_MSGS)

/** Bytes that grow as needed. */
struct swhca_store {
	uint8_t *data;
	size_t size;
};

/** A request until it is reaped. */
struct swhca_conn_msg {
	struct swhca_wire_req req;	/**< Without pointers. */
	/** Memory, if it need not be staged; it is read and written by pieces, as packets go. */
	struct swhca_spans spans;
	struct swhca_span_cursor at;	/**< Behind the last piece, ... */
	uint64_t offset;		/**< ... which ended there. */
	bool is_staged;			/**< Payload is in the store. */
	bool has_fault;			/**< READ: what came could not be written. */
	struct swhca_store store;
	uint64_t old;			/**< Atomics: what memory held. */
};

/** What a read or an atomic is about that a responder may have to answer again. */
struct swhca_conn_read {
	uint64_t raddr;
	uint32_t rkey;
	uint32_t srqn;
	bool is_staged;		/**< A key transforms it: the answer is in the store. */
	struct swhca_store store;
};

/** The message that a responder is in the middle of. */
struct swhca_conn_part {
	uint64_t raddr;		/**< WRITE, as all to rkey. */
	uint64_t len;
	uint32_t rkey;
	bool is_staged;		/**< It comes to its place when all of it is there. */
	struct swhca_store store;
};

struct swhca_dct;

struct swhca_conn {
	struct swhca_net *net;
	struct swhca_qp *qp;		/**< NULL: of a target of DC. */
	uint32_t dctn;
	uint8_t transport;		/**< enum swhca_transport */
	uint8_t log_mtu;
	uint32_t remote_qpn;
	struct swhca_packet_ip ip;	/**< Of what it sends. */
	uint64_t session;		/**< DC */
	uint64_t dc_key;

	bool has_requester;
	struct swhca_rc_requester requester;
	struct swhca_rc_msg *rc_msgs;	/**< SWHCA_CONN_MSGS, as soon as there is a requester. */
	struct swhca_conn_msg *msgs;	/**< As many. */
	struct swhca_conn_msg *landing;	/**< Reaped, but for its data. */

	bool has_responder;
	struct swhca_rc_responder responder;
	struct swhca_uc_responder uc;
	struct swhca_rc_resource *resources;
	struct swhca_conn_read *reads;	/**< As many. */
	struct swhca_conn_part part;
	uint64_t again_ns;		/**< A response waits for a page, looked at then; or 0. */

	/** Of the machines, as far as the device has counted them. */
	struct swhca_rc_requester_stats requester_seen;
	struct swhca_rc_responder_stats responder_seen;
	bool is_active;
	uint64_t used_ns;		/**< Session: when a packet came last. */
	TAILQ_ENTRY(swhca_conn) active;
	LIST_ENTRY(swhca_conn) link;
	LIST_ENTRY(swhca_conn) session_link;
};

/** The connection of a queue pair; made if it has none. @return NULL: no memory, or no path. */
struct swhca_conn *swhca_conn_of(struct swhca_qp *qp);
/** Make one that nobody knows. @return NULL: no memory. */
struct swhca_conn *swhca_conn_create(struct swhca_net *net);
void swhca_conn_destroy(struct swhca_conn *conn);
/** It may have something to send. */
void swhca_conn_activate(struct swhca_conn *conn);
/** Its deadline may have changed, and its counters. */
void swhca_conn_arm(struct swhca_conn *conn);
/** Do what is due. */
void swhca_conn_tick_all(struct swhca_net *net, uint64_t now);
/** Time has passed in which the engine had no CPU: nobody's timer counts it. */
void swhca_conn_skip_all(struct swhca_net *net, uint64_t ns);
/** Send what active connections have, as far as there is room. @return Packets. */
unsigned int swhca_conn_send_all(struct swhca_net *net, uint64_t now);

/** Have the machine of the requester. @return 0, -EINVAL or -ENOMEM. */
int swhca_conn_init_requester(struct swhca_conn *conn, uint32_t psn);
/** Have that of the responder. @return 0, -EINVAL or -ENOMEM. */
int swhca_conn_init_responder(struct swhca_conn *conn,
			      const struct swhca_rc_responder_conf *conf);
/** The number of a message to what it is about. */
static inline struct swhca_conn_msg *
swhca_conn_msg(struct swhca_conn *conn, uint32_t number)
{
	return &conn->msgs[number % SWHCA_CONN_MSGS];
}

/** Room for len bytes; what is there stays. @return 0 or -ENOMEM. */
int swhca_store_grow(struct swhca_store *store, size_t len);
/** Of no use any more: a large one is given back. */
void swhca_store_release(struct swhca_store *store);
void swhca_store_fini(struct swhca_store *store);

/* request.c */
/** Send one packet of the requester. @return false: there is none. */
bool swhca_request_packet(struct swhca_conn *conn, uint64_t now);
/** A response came. */
void swhca_request_answered(struct swhca_conn *conn, const struct swhca_packet *packet,
			    const uint8_t *payload, uint64_t now);
/** Have the payload of a message in its store, not in memory. @return 0, -EFAULT, -ENOMEM. */
int swhca_request_hold(const struct swhca_dma *dma, struct swhca_conn_msg *msg);
/** Completed messages have their queue pair scheduled. */
void swhca_request_wake(struct swhca_conn *conn);

/* respond.c */
/** A request came for a queue pair, or a target. */
void swhca_respond(struct swhca_conn *conn, struct swhca_dct *dct,
		   const struct swhca_packet *packet, const uint8_t *payload);
/** Send one packet of the responder. @return false: there is none. */
bool swhca_respond_packet(struct swhca_conn *conn);

/* send.c */
void swhca_conn_send(struct swhca_hca *hca, const struct swhca_wire_req *req,
		     struct swhca_wire_answer *answer);
bool swhca_conn_reap(struct swhca_qp *qp, struct swhca_wire_answer *answer);
/** Requests on their way leave the memory alone that they are about: it is in their stores. */
void swhca_conn_hold_all(struct swhca_net *net);
void swhca_conn_flush(struct swhca_qp *qp);

/* datagram.c */
void swhca_datagram_send(struct swhca_qp *qp, const struct swhca_wire_req *req,
			 struct swhca_wire_answer *answer);
/** A datagram came; ib_len is from BTH to ICRC. @return false: it is nobody's. */
bool swhca_datagram_receive(struct swhca_net *net, const struct swhca_packet_ip *ip,
			    const struct swhca_packet *packet, const uint8_t *payload,
			    size_t ib_len);

/* dc.c */
/**
 * Have the connection of an initiator go where a request does.
 *
 * @return
 *   0, -EAGAIN (something is on its way to another target), -ENETUNREACH, -EINVAL.
 */
int swhca_dc_turn(struct swhca_conn *conn, const struct swhca_wire_req *req);
/** A packet of DC came. @return false: it is nobody's. */
bool swhca_dc_receive(struct swhca_net *net, const struct swhca_packet_ip *ip,
		      const struct swhca_packet *packet, const uint8_t *payload, uint64_t now);

#endif /* SWHCA_WIRE_CONN_CONN_H */
