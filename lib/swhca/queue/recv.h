/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_QUEUE_RECV_H
#define SWHCA_QUEUE_RECV_H

/**
 * @file
 * Receive queues, private or shared: take a WQE, scatter a message, complete it.
 */

#include "include/wire.h"
#include "object/limits.h"
#include "queue/queue_responder.h"

/** Result of a receive. */
enum swhca_recv_end {
	SWHCA_RECV_OK,
	SWHCA_RECV_NOT_READY,	/**< No WQE: the sender gets an RNR NAK. */
	SWHCA_RECV_ABSENT,	/**< Page fault: the WQE waits for a retry of the message. */
	SWHCA_RECV_TOO_LONG,	/**< Longer than the WQE: the receiver enters the error state. */
	SWHCA_RECV_FAULT,	/**< The WQE's memory cannot be written: likewise. */
};

/** Copy of a receive WQE from start to end of its message. */
struct swhca_recv {
	struct mlx5_wqe_data_seg segs[SWHCA_MAX_WQE_SZ_RQ / sizeof(struct mlx5_wqe_data_seg)];
	uint32_t first;		/**< Data segments are [first, nb). */
	uint32_t nb;
	uint16_t index;		/**< Index in the CQE. */
	uint16_t next;		/**< List: next entry. */
	struct swhca_scatter scatter;	/**< Payload delivered in the CQE. */
};

/** Report that an armed shared queue has fewer WQEs than its limit. */
void swhca_rq_check_limit(struct swhca_rq *rq);
/** Check whether a WQE is posted, or the queue has failed, which delivery must detect. */
bool swhca_recv_is_posted(const struct swhca_responder *to);
/**
 * Take the next receive WQE for a message.
 *
 * @param spans
 *   Destinations of the payload are appended.
 * @return
 *   SWHCA_RECV_OK: swhca_recv_end() must follow, unless the sender's memory cannot be read; then
 *   the next message takes this WQE. All others end the receive: a WQE in error has completed.
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
