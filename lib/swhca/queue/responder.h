/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_QUEUE_RESPONDER_H
#define SWHCA_QUEUE_RESPONDER_H

/**
 * @file
 * Who answers a request: what its side of a transfer is checked against, and what it receives.
 */

#include "queue/qp.h"

struct swhca_responder {
	struct swhca_hca *hca;
	struct swhca_qp *qp;		/**< That an error puts in error; NULL for what has none. */
	uint32_t num;			/**< QPN or DCTN: in CQEs, and keys may be bound to it. */
	const struct swhca_obj *pd;	/**< That remote keys must belong to. */
	uint8_t access;			/**< SWHCA_ACCESS_REMOTE_* that it grants. */
	uint8_t min_rnr_nak;		/**< Code of how long a sender shall wait. */
	struct swhca_page_fault *rdma_fault;	/**< Where remote requests wait. */
	struct swhca_rq *rq;		/**< Where it receives, or NULL. */
	struct swhca_cq *cq;		/**< Of its receives. */
	uint32_t srqn_uidx;		/**< For the CQE. */
	uint32_t scatter_room;		/**< Payload bytes that a CQE may carry: 0, 32 or 64. */
};

/** A QP as the responder of a message for it. */
void swhca_responder_of_qp(struct swhca_qp *qp, struct swhca_responder *to);
/** The receive queue of a responder is of no use any more. */
void swhca_responder_fail(const struct swhca_responder *to);
/** A request that it must not answer; event is PRM_EVENT_WQ_*. */
void swhca_responder_reject(const struct swhca_responder *to, uint8_t event);

#endif /* SWHCA_QUEUE_RESPONDER_H */
