/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_QUEUE_RECV_H
#define SWHCA_QUEUE_RECV_H

/**
 * @file
 * Receive queues, of a QP or shared: take a WQE, scatter a message, complete it.
 */

#include "queue/responder.h"

/** What a receive queue did with a message. */
enum swhca_recv_end {
	SWHCA_RECV_OK,
	SWHCA_RECV_NOT_READY,	/**< No WQE: the sender gets an RNR NAK. */
	SWHCA_RECV_TOO_LONG,	/**< Longer than the WQE: the receiver is in error. */
	SWHCA_RECV_FAULT,	/**< The WQE's memory cannot be written: likewise. */
	SWHCA_RECV_SOURCE_FAULT, /**< The sender's memory cannot be read: nothing is consumed. */
};

/** Tell of a shared queue that has fewer WQEs than its limit, if it is armed. */
void swhca_rq_check_limit(struct swhca_rq *rq);
/** Whether a receive WQE is posted, or the queue is in a state that delivery shall find. */
bool swhca_recv_is_posted(const struct swhca_responder *to);
/** Consume one receive WQE with a message, and complete it. */
enum swhca_recv_end swhca_recv_deliver(const struct swhca_responder *to,
				       const struct swhca_message *msg);
/** A QP in error: complete every WQE of its own queue as flushed, be done with a shared one. */
void swhca_recv_flush(struct swhca_qp *qp);

#endif /* SWHCA_QUEUE_RECV_H */
