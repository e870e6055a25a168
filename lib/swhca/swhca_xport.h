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

#include "swhca_engine.h"

/** Who answers a request: what its side of a transfer is checked against. */
struct swhca_responder {
	struct swhca_hca *hca;		/**< NULL: nobody, the message is dropped. */
	struct swhca_qp *qp;		/**< That an error puts in error; NULL for what has none. */
	uint32_t num;			/**< QPN or DCTN: in CQEs, and keys may be bound to it. */
	const struct swhca_obj *pd;	/**< That remote keys must belong to. */
	uint8_t rights;			/**< SWHCA_ACCESS_REMOTE_* that it grants. */
	uint8_t min_rnr_nak;		/**< Code of how long a sender shall wait. */
	struct swhca_rq *rq;		/**< Where it receives, or NULL. */
	struct swhca_cq *cq;		/**< Of its receives. */
	uint32_t srqn_uidx;		/**< For the CQE. */
};

/** A message on its way; payload spans are in the sender's memory. */
struct swhca_message {
	const struct swhca_spans *payload;
	uint8_t cqe_opcode;	/**< MLX5_CQE_RESP_* */
	uint32_t imm;		/**< As it came, big endian. */
	uint32_t len;		/**< For the CQE; a write with immediate scatters nothing. */
	uint32_t src_qpn;
};

/** What a receive queue did with a message. */
enum swhca_recv_end {
	SWHCA_RECV_OK,
	SWHCA_RECV_NOT_READY,	/**< No WQE: the sender gets an RNR NAK. */
	SWHCA_RECV_TOO_LONG,	/**< Longer than the WQE: the receiver is in error. */
	SWHCA_RECV_FAULT,	/**< The WQE's memory cannot be written: likewise. */
	SWHCA_RECV_SOURCE_FAULT, /**< The sender's memory cannot be read: nothing is consumed. */
};

/* Service types: swhca_xport.c */
/** Parse what stands between the control segment and the first one that all types have. */
enum swhca_wqe_end swhca_xport_begin(struct swhca_qp *qp, struct swhca_wqe *wqe);
/**
 * Find who answers a WQE.
 *
 * @return
 *   SWHCA_WQE_DONE with the responder, whose hca is NULL if the message is lost and nobody
 *   notices; else how the WQE goes on.
 */
enum swhca_wqe_end swhca_xport_find(struct swhca_qp *qp, struct swhca_wqe *wqe,
				    struct swhca_responder *to);
/** The responder has no receive WQE. @return How the WQE goes on. */
enum swhca_wqe_end swhca_xport_not_ready(struct swhca_qp *qp, struct swhca_wqe *wqe,
					 const struct swhca_responder *to);
/** The responder refuses. @return How the WQE goes on: only reliable services know of a NAK. */
enum swhca_wqe_end swhca_xport_nak(struct swhca_qp *qp, struct swhca_wqe *wqe, uint8_t syndrome,
				   unsigned int vendor);
/** A QP as the responder of a message for it. */
void swhca_responder_of_qp(struct swhca_qp *qp, struct swhca_responder *to);
/** An error at the responder. */
void swhca_responder_fail(const struct swhca_responder *to);

/* Both sides' memory: swhca_transfer.c */
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

/* Receive queues: swhca_recv.c */
/** Whether a receive WQE is posted. */
bool swhca_recv_is_posted(const struct swhca_responder *to);
/** Consume one receive WQE with a message, and complete it. */
enum swhca_recv_end swhca_recv_deliver(const struct swhca_responder *to,
				       const struct swhca_message *msg);
/** Complete every posted receive WQE of a QP's own queue as flushed. */
void swhca_recv_flush(struct swhca_qp *qp);

#endif /* SWHCA_XPORT_H */
