/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_H
#define SWHCA_WIRE_H

/**
 * @file
 * Interface between the two ends of a message, which do not access each other directly.
 *
 * A requester (a send queue) describes a message by values that packets carry, and by spans of its
 * own memory. The wire finds the peer, lets it check the request (xport/xport_responder.h), moves
 * the payload, and returns the answer:
 *
 *   requester                wire                                responder
 *   send(request)  ------->  find that address and number
 *                            request arrived           -------->  state, numbers, keys, access;
 *                            payload, span to span    <--------  spans of its memory
 *                            all payload arrived       -------->  CQE, counters
 *   answer         <-------                           <--------  acknowledged, or why not
 *
 * Only the wire knows where a peer is. It is called with the fabric lock held.
 *
 * An answer may come at once or late. For a late answer, send() returns SWHCA_WIRE_TAKEN and has
 * copied what it needs: the next request may follow. When the answer arrives the wire schedules the
 * queue pair, and reap() returns the answers in the order of the requests. If an answer must land,
 * the data of a read are not placed yet: the requester sends a request with the same number (msn)
 * again, and that call moves the data into its payload spans, which may differ from those of the
 * first call.
 *
 * A request for which the wire has no room is PENDING: nothing was taken, and the queue pair is
 * scheduled when it may retry.
 *
 * wire/inproc.c: between the HCAs of one fabric. Everything happens in the call, so no answer is
 * late; payload is copied from span to span.
 * wire/conn: packets, to and from a link (include/link.h).
 */

#include <stdbool.h>
#include <stdint.h>

struct swhca_fabric;
struct swhca_hca;
struct swhca_qp;
struct swhca_spans;

/** Destination of packets, from a QP context or an address vector. */
struct swhca_addr {
	bool is_loopback;	/**< "fl": back into the same port; ignores the rest. */
	bool has_grh;		/**< InfiniBand: gid is valid. RoCE: it always is. */
	uint8_t src_index;	/**< Own address: index into the GID table. */
	uint16_t lid;
	uint8_t gid[16];
	uint8_t mac[6];
};

enum swhca_wire_op {
	SWHCA_WIRE_SEND,
	SWHCA_WIRE_WRITE,
	SWHCA_WIRE_READ,
	SWHCA_WIRE_CMP_SWAP,	/**< 8 bytes, like FETCH_ADD. */
	SWHCA_WIRE_FETCH_ADD,
};

/** imm is immediate data. */
#define SWHCA_WIRE_F_IMM	0x01u
/** imm is a key that the receiver shall invalidate. */
#define SWHCA_WIRE_F_INVAL	0x02u
/** The completion of the receiver is solicited. */
#define SWHCA_WIRE_F_SOLICITED	0x04u
/** Starts when all earlier reads and atomics are answered. */
#define SWHCA_WIRE_F_FENCE	0x10u
/** Multicast that the sender itself does not receive. */
#define SWHCA_WIRE_F_NO_SELF	0x08u
/** Part of a message other than the last one. */
#define SWHCA_WIRE_F_MORE	0x20u

/** Bytes of a network header, before the payload of a datagram. */
#define SWHCA_GRH_LEN		40u

/** A message. A field that the service type or operation does not use is 0. */
struct swhca_wire_req {
	enum swhca_wire_op op;
	uint8_t st;		/**< PRM_QP_ST_* of the requester. */
	uint8_t flags;		/**< SWHCA_WIRE_F_* */
	uint16_t pkey;
	uint32_t src_qpn;
	uint32_t dst_qpn;	/**< QP, DCT, or all ones for multicast. */
	uint32_t psn;		/**< First packet; RC, XRC. */
	uint32_t nb_packets;	/**< At least 1; READ: packets of the answer. */
	uint32_t msn;		/**< Request number, unique in the QP. */
	uint32_t imm;		/**< Big endian. */
	uint64_t len;		/**< Payload bytes; READ: requested bytes. */
	uint64_t msg_len;	/**< Bytes of the whole message, which may come in parts. */
	/** Memory of the requester: source, or destination of a read. Only used in the call. */
	const struct swhca_spans *payload;
	struct swhca_addr addr;
	/* The fields below apply to some operations and service types only. */
	uint64_t raddr;		/**< READ, WRITE, atomics */
	uint32_t rkey;
	uint32_t srqn;		/**< XRC: receiving queue. */
	uint64_t dc_key;	/**< DC: access key. */
	uint64_t compare;	/**< CMP_SWAP */
	uint64_t swap_add;	/**< CMP_SWAP, FETCH_ADD */
	uint32_t qkey;		/**< UD, like all below. */
	uint16_t slid;
	uint8_t sl;
	uint8_t l3;		/**< PRM_CQE_L3_* of the network header. */
	const uint8_t *grh;	/**< Network header as received, or NULL. */
};

/** Result of a request. */
enum swhca_wire_status {
	SWHCA_WIRE_ACK,		/**< Done completely. */
	SWHCA_WIRE_TAKEN,	/**< On its way; see above. */
	SWHCA_WIRE_PENDING,	/**< Not taken: retry when scheduled. */
	SWHCA_WIRE_LOST,	/**< No answer or acknowledgment. */
	SWHCA_WIRE_BUSY,	/**< Not done: retry after wait_ns. */
	SWHCA_WIRE_RNR,		/**< Not done: no receive WQE. */
	SWHCA_WIRE_ABSENT,	/**< Not done: page fault of the responder; retry. */
	SWHCA_WIRE_ERROR,	/**< Failed or rejected, see the cause. */
	SWHCA_WIRE_LOCAL_FAULT,	/**< The payload spans of the request cannot be accessed. */
};

/** NAK codes (IBTA vol. 1, 9.7.5.2). */
enum swhca_nak {
	SWHCA_NAK_PSN_SEQ = 0,		/**< A PSN is missing: resend from the PSN of the NAK. */
	SWHCA_NAK_INVAL_REQ = 1,
	SWHCA_NAK_ACCESS = 2,
	SWHCA_NAK_OP = 3,
	SWHCA_NAK_INVAL_RD_REQ = 4,	/**< RD only. */
};

struct swhca_wire_answer {
	enum swhca_wire_status status;
	uint8_t rnr_timer;	/**< RNR, ABSENT: code of the wait time (IBTA 9.7.5.2.8). */
	uint8_t cause;		/**< ERROR: enum swhca_cause. */
	bool must_land;		/**< ACK from reap(): send the request again for its data. */
	uint64_t wait_ns;	/**< BUSY; ABSENT if no packet reports the end of the wait. */
	uint64_t old;		/**< Atomics: previous value of the memory. */
};

struct swhca_wire {
	/**
	 * Send a message.
	 *
	 * @param from
	 *   HCA whose port sends it.
	 * @param req
	 *   The message; valid for the call.
	 * @param answer
	 *   Always written.
	 */
	void (*send)(struct swhca_hca *from, const struct swhca_wire_req *req,
		     struct swhca_wire_answer *answer);
	/**
	 * Get the answer to the oldest request of a queue pair that was taken and not reaped.
	 *
	 * @return
	 *   false: it has not arrived yet.
	 */
	bool (*reap)(struct swhca_qp *qp, struct swhca_wire_answer *answer);
	/**
	 * Stop accessing the memory of requests on their way, as it goes away. Data that they send
	 * are copied; data that they receive wait for their place.
	 */
	void (*hold)(struct swhca_hca *hca);
	/** Drop the requests of a queue pair that are not reaped. */
	void (*flush)(struct swhca_qp *qp);
	/** A queue pair is reset or destroyed: drop all its state. */
	void (*close)(struct swhca_qp *qp);
	/** The first queue pair of an HCA joins a group, or the last one leaves. */
	void (*group)(struct swhca_hca *hca, const uint8_t gid[16], bool is_member);
	/** Handle received packets, timers, and packets to send. @return Number of things done. */
	unsigned int (*poll)(struct swhca_fabric *fabric);
	/** Handle work that must not hold the fabric lock; called without it. */
	void (*deliver)(struct swhca_fabric *fabric);
	/**
	 * Wait for a packet, up to a time; called without the fabric lock.
	 *
	 * @return
	 *   false: there is no link to wait for.
	 */
	bool (*idle)(struct swhca_fabric *fabric, uint64_t ns);
};

#endif /* SWHCA_WIRE_H */
