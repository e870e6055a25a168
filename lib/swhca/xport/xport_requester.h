/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_XPORT_REQUESTER_H
#define SWHCA_XPORT_REQUESTER_H

/**
 * @file
 * Requester side of a message, in the order in which a WQE passes it:
 *
 *   swhca_xport_begin()	segments of the service type
 *   swhca_local_translate()	local memory
 *   swhca_request_init()	destination and service
 *   swhca_request_send()	send, and handle an immediate answer
 *   swhca_request_end()	handle a late answer
 *
 * The fabric lock is held.
 */

#include <endian.h>

#include "include/wire.h"
#include "queue/qp.h"

/**
 * Initialize a request of a WQE with payload fabric->local; the caller adds the fields of its
 * operation.
 */
void swhca_request_init(const struct swhca_qp *qp, const struct swhca_wqe *wqe,
			enum swhca_wire_op op, struct swhca_wire_req *req);
/** Set the remote memory of a request. */
static inline void
swhca_request_set_raddr(struct swhca_wire_req *req, const struct mlx5_wqe_raddr_seg *raddr)
{
	req->raddr = be64toh(raddr->raddr);
	req->rkey = be32toh(raddr->rkey);
}

/**
 * Send a request.
 *
 * @param answer
 *   Written if the WQE is done.
 * @return
 *   State of the WQE: done, sent, in error, dropped if the loss is silent, or to be retried.
 */
enum swhca_wqe_end swhca_request_send(struct swhca_qp *qp, struct swhca_wqe *wqe,
				      const struct swhca_wire_req *req,
				      struct swhca_wire_answer *answer);
/** Handle the answer to a request sent before, which is not PENDING or BUSY. */
enum swhca_wqe_end swhca_request_end(const struct swhca_qp *qp, struct swhca_wqe *wqe,
				     const struct swhca_wire_answer *answer);

#endif /* SWHCA_XPORT_REQUESTER_H */
