/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_XPORT_H
#define SWHCA_XPORT_H

/**
 * @file
 * Transports: both ends of a message. A requester is a QP with a WQE; a responder is whatever
 * answers it. The fabric lock is held in all of it.
 *
 * A transfer goes through these steps, in this order, as packets would:
 *
 *   swhca_xport_begin()	what the service type puts in front of the segments
 *   swhca_local_translate()	the requester's memory
 *   swhca_xport_find()		who answers, if anybody
 *   swhca_remote_translate(), swhca_recv_deliver()	the responder's memory
 */

#include "engine/engine.h"

/** Who answers a request: what its side of a transfer is checked against. */
struct swhca_responder {
	struct swhca_hca *hca;
	struct swhca_qp *qp;		/**< That an error puts in error; NULL for what has none. */
	uint32_t num;			/**< QPN or DCTN: in CQEs, and keys may be bound to it. */
	const struct swhca_obj *pd;	/**< That remote keys must belong to. */
	uint8_t rights;			/**< SWHCA_ACCESS_REMOTE_* that it grants. */
	uint8_t min_rnr_nak;		/**< Code of how long a sender shall wait. */
	struct swhca_rq *rq;		/**< Where it receives, or NULL. */
	struct swhca_cq *cq;		/**< Of its receives. */
	uint32_t srqn_uidx;		/**< For the CQE. */
	uint32_t scatter_room;		/**< Payload bytes that a CQE may carry: 0, 32 or 64. */
};

/** A message on its way; payload spans are in the sender's memory. */
struct swhca_message {
	const struct swhca_spans *payload;
	uint8_t cqe_opcode;	/**< MLX5_CQE_RESP_* */
	bool is_solicited;
	uint32_t imm;		/**< As it came, big endian. */
	uint32_t len;		/**< For the CQE; a write with immediate scatters nothing. */
	uint32_t flags_rqpn;	/**< For the CQE: who sent it, and SL and GRH of a datagram. */
	uint16_t slid;		/**< Of a datagram. */
	uint32_t head_len;	/**< Bytes in front of the payload of a datagram, for a GRH. */
	const void *head;	/**< That GRH, NULL if there is none. */
};

/** What a receive queue did with a message. */
enum swhca_recv_end {
	SWHCA_RECV_OK,
	SWHCA_RECV_NOT_READY,	/**< No WQE: the sender gets an RNR NAK. */
	SWHCA_RECV_TOO_LONG,	/**< Longer than the WQE: the receiver is in error. */
	SWHCA_RECV_FAULT,	/**< The WQE's memory cannot be written: likewise. */
	SWHCA_RECV_SOURCE_FAULT, /**< The sender's memory cannot be read: nothing is consumed. */
};

/* Service types: xport.c */
/** Whether messages are acknowledged: not those of UC and UD. */
bool swhca_qp_is_reliable(const struct swhca_qp *qp);
/** Whether the service type has an opcode. */
bool swhca_xport_has_opcode(const struct swhca_qp *qp, uint8_t opcode);
/** Take len bytes of segments. */
enum swhca_wqe_end swhca_xport_take(struct swhca_wqe *wqe, size_t len, const void **seg);
/** Take an address vector. */
enum swhca_wqe_end swhca_xport_take_av(struct swhca_wqe *wqe);
/** QP of a service type, in a state in which it looks at packets; or NULL. */
struct swhca_qp *swhca_xport_find_qp(const struct swhca_hca *hca, uint32_t num, uint8_t st);
/** Parse what stands between the control segment and the first one that all types have. */
enum swhca_wqe_end swhca_xport_begin(struct swhca_qp *qp, struct swhca_wqe *wqe);
/** Find who answers a WQE. @return SWHCA_WQE_DONE, or how the WQE goes on with nobody. */
enum swhca_wqe_end swhca_xport_find(struct swhca_qp *qp, struct swhca_wqe *wqe,
				    struct swhca_responder *to);
/** A request with that many bytes, there or back, is done: count its packets on both sides. */
void swhca_xport_advance(struct swhca_qp *qp, const struct swhca_responder *to, uint64_t len);
/** Nobody acknowledges: retransmit on time-out while there are retries left (IBTA 9.7.6.1). */
enum swhca_wqe_end swhca_xport_no_answer(struct swhca_qp *qp, struct swhca_wqe *wqe);
/** The responder has no receive WQE. @return How the WQE goes on. */
enum swhca_wqe_end swhca_xport_not_ready(struct swhca_qp *qp, struct swhca_wqe *wqe,
					 const struct swhca_responder *to);
/** The responder refuses. @return SWHCA_WQE_ERROR; SWHCA_WQE_DROPPED without acknowledgements. */
enum swhca_wqe_end swhca_xport_nak(struct swhca_qp *qp, struct swhca_wqe *wqe, uint8_t syndrome,
				   unsigned int vendor);
/** A QP as the responder of a message for it. */
void swhca_responder_of_qp(struct swhca_qp *qp, struct swhca_responder *to);
/** The receive queue of a responder is of no use any more. */
void swhca_responder_fail(const struct swhca_responder *to);
/** A request that it must not answer; event is PRM_EVENT_WQ_*. */
void swhca_responder_refuse(const struct swhca_responder *to, uint8_t event);

/* Both sides' memory: transfer.c */
/** The data segments from wqe->ds on, as spans of fabric->local. */
enum swhca_wqe_end swhca_local_translate(struct swhca_qp *qp, struct swhca_wqe *wqe,
					 uint8_t rights);
/** A remote access as spans of fabric->remote. A fault is a NAK to us, an error over there. */
enum swhca_wqe_end swhca_remote_translate(struct swhca_qp *qp, struct swhca_wqe *wqe,
					  const struct swhca_responder *to,
					  const struct mlx5_wqe_raddr_seg *raddr, uint64_t len,
					  uint8_t rights);
/** Move the bytes between fabric->local and fabric->remote. */
enum swhca_wqe_end swhca_transfer(struct swhca_qp *qp, struct swhca_wqe *wqe,
				  const struct swhca_responder *to, bool local_is_source);

/** How a WQE goes on after its message has met a receive queue. */
enum swhca_wqe_end swhca_send_end(struct swhca_qp *qp, struct swhca_wqe *wqe,
				  const struct swhca_responder *to, enum swhca_recv_end end);

/* Datagrams: ud.c */
enum swhca_wqe_end swhca_ud_send_exec(struct swhca_qp *qp, struct swhca_wqe *wqe);
/* Scatter to CQE: mem/scatter.c */
/** @return Bytes that cs_req or cs_res of a context stands for. */
uint32_t swhca_scatter_room(uint64_t cs);
/** Let payload of len bytes, at most 64, go to fabric->scatter. @return 0 or -ENOMEM. */
int swhca_scatter_divert(struct swhca_fabric *fabric, struct swhca_spans *spans, uint32_t len);
/** The same for what a requester receives, if its CQE can take it: replaces fabric->local. */
int swhca_scatter_local(struct swhca_qp *qp, struct swhca_wqe *wqe);
/** Put it in a CQE, or in head, the first half of an entry of 128 bytes. */
void swhca_scatter_fill(const struct swhca_fabric *fabric, const struct swhca_scatter *scatter,
			struct mlx5_cqe64 *cqe, uint8_t head[static 64]);

/* Receive queues: queue/recv.c */
/** Tell of a shared queue that has fewer WQEs than its limit, if it is armed. */
void swhca_rq_check_limit(struct swhca_rq *rq);
/** Whether a receive WQE is posted, or the queue is in a state that delivery shall find. */
bool swhca_recv_is_posted(const struct swhca_responder *to);
/** Consume one receive WQE with a message, and complete it. */
enum swhca_recv_end swhca_recv_deliver(const struct swhca_responder *to,
				       const struct swhca_message *msg);
/** A QP in error: complete every WQE of its own queue as flushed, be done with a shared one. */
void swhca_recv_flush(struct swhca_qp *qp);

#endif /* SWHCA_XPORT_H */
