/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_QUEUE_RESPONDER_H
#define SWHCA_QUEUE_RESPONDER_H

/**
 * @file
 * Responder of a request: checks of its side of a transfer, and its receive queue.
 */

#include "queue/qp.h"

struct swhca_responder {
	struct swhca_hca *hca;
	struct swhca_qp *qp;		/**< Enters the error state on an error; NULL if none. */
	uint32_t num;			/**< QPN or DCTN: in CQEs, and keys may be bound to it. */
	const struct swhca_obj *pd;	/**< PD of its remote keys. */
	uint8_t access;			/**< Granted SWHCA_ACCESS_REMOTE_*. */
	uint8_t min_rnr_nak;		/**< Code of the wait time of a sender. */
	struct swhca_page_fault *rdma_fault;	/**< Slot for page faults of remote requests. */
	struct swhca_rq *rq;		/**< Receive queue, or NULL. */
	struct swhca_cq *cq;		/**< CQ of its receives. */
	uint32_t srqn_uidx;		/**< For the CQE. */
	uint32_t scatter_room;		/**< Payload bytes that a CQE may carry: 0, 32 or 64. */
};

/** Fill a responder from a QP. */
void swhca_responder_of_qp(struct swhca_qp *qp, struct swhca_responder *to);
/** Fail the receive queue of a responder. */
void swhca_responder_fail(const struct swhca_responder *to);
/**
 * Raise the event of an invalid request, PRM_EVENT_WQ_*, and enter the error state; a DCT only
 * raises the event, UC and UD do neither.
 */
void swhca_responder_reject(const struct swhca_responder *to, uint8_t event);

#endif /* SWHCA_QUEUE_RESPONDER_H */
