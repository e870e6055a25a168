/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_H
#define SWHCA_WIRE_H

/**
 * @file
 * The seam between the two ends of a message: who asks does not see who answers.
 *
 * A requester (a send queue) describes a message by values that packets carry, and by spans of its
 * own memory. The wire finds out who is at the other end, lets it check what it is asked for
 * (xport/responder.h), moves the payload, and brings the answer back:
 *
 *   requester                wire                                responder
 *   send(request)  ------->  who has that address and number?
 *                            the request reached you  -------->  state, numbers, keys, access;
 *                            payload, span to span    <--------  spans of its memory
 *                            all of it is there       -------->  CQE, counters
 *   answer         <-------                           <--------  acknowledged, or why not
 *
 * A wire is the only one that knows where a peer is. It is called with the fabric lock held.
 *
 * An answer may come at once or late. If it is late, send() says SWHCA_WIRE_TAKEN and has made a
 * copy of what it needs: the next request may follow. When the answer is there the wire has the
 * queue pair scheduled, and reap() returns the answers in the order of the requests. If one of them
 * is to land then the data of a read wait for their place: the requester asks again, by a request
 * with the same number (msn), and that call moves them into its payload spans, which may be others
 * than those of the first call.
 *
 * A request that the wire has no room for is PENDING: nothing was taken, and the queue pair is
 * scheduled when it may ask again.
 *
 * wire/inproc.c: between the HCAs of one fabric. Everything happens in the call, so that no answer
 * is late; payload is copied from span to span.
 * wire/conn: packets, to and from a link (include/link.h).
 */

#include <stdbool.h>
#include <stdint.h>

struct swhca_fabric;
struct swhca_hca;
struct swhca_qp;
struct swhca_spans;

/** Where packets go, from a QP context or an address vector. */
struct swhca_addr {
	bool is_loopback;	/**< "fl": back into the same port, whatever the rest says. */
	bool has_grh;		/**< InfiniBand: gid counts. RoCE: it always does. */
	uint8_t src_index;	/**< Own address, index of the table of GIDs. */
	uint16_t lid;
	uint8_t gid[16];
	uint8_t mac[6];
};

enum swhca_wire_op {
	SWHCA_WIRE_SEND,
	SWHCA_WIRE_WRITE,
	SWHCA_WIRE_READ,
	SWHCA_WIRE_CMP_SWAP,	/**< Of 8 bytes, as is FETCH_ADD. */
	SWHCA_WIRE_FETCH_ADD,
};

/** imm is immediate data. */
#define SWHCA_WIRE_F_IMM	0x01u
/** imm is a key that the receiver shall invalidate. */
#define SWHCA_WIRE_F_INVAL	0x02u
/** The completion of the receiver is solicited. */
#define SWHCA_WIRE_F_SOLICITED	0x04u
/** It begins when all reads and atomics in front of it are answered. */
#define SWHCA_WIRE_F_FENCE	0x10u
/** Of a multicast: not for the sender itself. */
#define SWHCA_WIRE_F_NO_SELF	0x08u
/** A part of a message, and not the last one. */
#define SWHCA_WIRE_F_MORE	0x20u

/** Bytes of a network header, in front of the payload of a datagram. */
#define SWHCA_GRH_LEN		40u

/** A message. What its service type or operation does not have is 0. */
struct swhca_wire_req {
	enum swhca_wire_op op;
	uint8_t st;		/**< PRM_QP_ST_* of the requester. */
	uint8_t flags;		/**< SWHCA_WIRE_F_* */
	uint16_t pkey;
	uint32_t src_qpn;
	uint32_t dst_qpn;	/**< QP, DCT, or all ones for a multicast. */
	uint32_t psn;		/**< Of its first packet; RC, XRC. */
	uint32_t nb_packets;	/**< At least 1, READ: of its answer. */
	uint32_t msn;		/**< Number of the request, another one for each of a QP. */
	uint32_t imm;		/**< Big endian. */
	uint64_t len;		/**< Bytes of payload, of a read: asked for. */
	uint64_t msg_len;	/**< Of the message that they are of, which may come in parts. */
	/**
	 * The requester's memory: source, or destination of a read. Borrowed for the call.
	 */
	const struct swhca_spans *payload;
	struct swhca_addr addr;
	/* What follows is of some operations and service types alone. */
	uint64_t raddr;		/**< READ, WRITE, atomics */
	uint32_t rkey;
	uint32_t srqn;		/**< XRC: queue that receives. */
	uint64_t dc_key;	/**< DC: access key. */
	uint64_t compare;	/**< CMP_SWAP */
	uint64_t swap_add;	/**< CMP_SWAP, FETCH_ADD */
	uint32_t qkey;		/**< UD, as all below. */
	uint16_t slid;
	uint8_t sl;
	uint8_t l3;		/**< PRM_CQE_L3_* of the network header. */
	const uint8_t *grh;	/**< Network header as a receiver sees it, or NULL. */
};

/** What became of a request. */
enum swhca_wire_status {
	SWHCA_WIRE_ACK,		/**< Done: all that it asked for. */
	SWHCA_WIRE_TAKEN,	/**< It is on its way; see above. */
	SWHCA_WIRE_PENDING,	/**< Not taken: ask again when scheduled. */
	SWHCA_WIRE_LOST,	/**< Nobody answers, or acknowledges. */
	SWHCA_WIRE_BUSY,	/**< Not done: nothing before wait_ns; ask again. */
	SWHCA_WIRE_RNR,		/**< Not done: no receive WQE. */
	SWHCA_WIRE_ABSENT,	/**< Not done: a page fault of the responder; ask again. */
	SWHCA_WIRE_NAK_INVAL_REQ,	/**< Rejected: invalid request, */
	SWHCA_WIRE_NAK_ACCESS,	/**< remote access error, */
	SWHCA_WIRE_NAK_OP,	/**< remote operational error. */
	SWHCA_WIRE_RETRY_EXCEEDED,	/**< Nobody answered, all retransmissions included. */
	SWHCA_WIRE_RNR_EXCEEDED,	/**< No receive WQE, however often it was asked for. */
	SWHCA_WIRE_LOCAL_FAULT,	/**< The payload spans of the request cannot be accessed. */
};

struct swhca_wire_answer {
	enum swhca_wire_status status;
	uint8_t rnr_timer;	/**< RNR, ABSENT: code of how long to wait (IBTA 9.7.5.2.8). */
	uint8_t vendor;		/**< NAK: vendor syndrome of the requester's CQE. */
	bool must_land;		/**< ACK from reap(): data are to be asked for. */
	uint64_t wait_ns;	/**< BUSY; ABSENT: if there is no packet to tell it. */
	uint64_t old;		/**< Atomics: what memory held. */
};

struct swhca_wire {
	/**
	 * Send a message.
	 *
	 * @param from
	 *   HCA whose port it leaves by.
	 * @param req
	 *   The message; valid for the call.
	 * @param answer
	 *   Always written.
	 */
	void (*send)(struct swhca_hca *from, const struct swhca_wire_req *req,
		     struct swhca_wire_answer *answer);
	/**
	 * The answer to the oldest request of a queue pair that was taken and is not reaped.
	 *
	 * @return
	 *   false: it is not there yet.
	 */
	bool (*reap)(struct swhca_qp *qp, struct swhca_wire_answer *answer);
	/**
	 * Memory goes away that requests on their way are about: from now on it is not touched.
	 * What they read is copied, what they bring waits for its place.
	 */
	void (*hold)(struct swhca_hca *hca);
	/** Requests of a queue pair that are not reaped are given up. */
	void (*flush)(struct swhca_qp *qp);
	/** A queue pair is reset or destroyed: nothing is known of it any more. */
	void (*close)(struct swhca_qp *qp);
	/** The first queue pair of an HCA joins a group, or its last one leaves. */
	void (*group)(struct swhca_hca *hca, const uint8_t gid[16], bool is_member);
	/** Packets and time: what came, what is due, what can be sent. @return Things done. */
	unsigned int (*poll)(struct swhca_fabric *fabric);
	/** The same for what must not hold the fabric lock: it is called without. */
	void (*deliver)(struct swhca_fabric *fabric);
	/**
	 * Wait for a packet, at most so long; without the fabric lock.
	 *
	 * @return
	 *   false: there is no link to wait for.
	 */
	bool (*idle)(struct swhca_fabric *fabric, uint64_t ns);
};

#endif /* SWHCA_WIRE_H */
