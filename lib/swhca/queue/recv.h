/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_QUEUE_RECV_H
#define SWHCA_QUEUE_RECV_H

/**
 * @file
 * Receive queues, of a QP or shared: take a WQE, scatter a message, complete it.
 */

#include "include/wire.h"
#include "object/limits.h"
#include "queue/responder.h"

/** What a receive queue did with a message. */
enum swhca_recv_end {
	SWHCA_RECV_OK,
	SWHCA_RECV_NOT_READY,	/**< No WQE: the sender gets an RNR NAK. */
	SWHCA_RECV_ABSENT,	/**< A page fault: the WQE waits for the message to come again. */
	SWHCA_RECV_TOO_LONG,	/**< Longer than the WQE: the receiver is in error. */
	SWHCA_RECV_FAULT,	/**< The WQE's memory cannot be written: likewise. */
};

/** One receive WQE, copied, from the beginning to the end of its message. */
struct swhca_recv {
	struct mlx5_wqe_data_seg segs[SWHCA_MAX_WQE_SZ_RQ / sizeof(struct mlx5_wqe_data_seg)];
	uint32_t first;		/**< Data segments are [first, nb). */
	uint32_t nb;
	uint16_t index;		/**< As the CQE names it. */
	uint16_t next;		/**< List: entry behind it. */
	struct swhca_scatter scatter;	/**< What comes in the CQE instead. */
};

/** Tell of a shared queue that has fewer WQEs than its limit, if it is armed. */
void swhca_rq_check_limit(struct swhca_rq *rq);
/** Whether a receive WQE is posted, or the queue is in a state that delivery shall find. */
bool swhca_recv_is_posted(const struct swhca_responder *to);
/**
 * Take the next receive WQE for a message.
 *
 * @param spans
 *   Appended to: where its payload goes.
 * @return
 *   SWHCA_RECV_OK: swhca_recv_end() is to follow, unless the sender's memory cannot be read; then
 *   the next message has this WQE. All others are the end of it: a WQE in error has completed.
 */
enum swhca_recv_end swhca_recv_begin(const struct swhca_responder *to,
				     const struct swhca_wire_req *req, struct swhca_recv *recv,
				     struct swhca_spans *spans);
/**
 * Complete the WQE.
 *
 * @param is_written
 *   Whether the payload could be written.
 * @return
 *   As swhca_recv_begin().
 */
enum swhca_recv_end swhca_recv_end(const struct swhca_responder *to,
				   const struct swhca_wire_req *req, struct swhca_recv *recv,
				   bool is_written);

#endif /* SWHCA_QUEUE_RECV_H */
