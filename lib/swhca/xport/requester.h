/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_XPORT_REQUESTER_H
#define SWHCA_XPORT_REQUESTER_H

/**
 * @file
 * The requester's end of a message, in the order in which a WQE goes through it:
 *
 *   swhca_xport_begin()	what the service type puts in front of the segments
 *   swhca_local_translate()	its memory
 *   swhca_request_init()	who is asked, in what service
 *   swhca_request_send()	over the wire, and what the answer means for the WQE, if it is there
 *   swhca_request_end()	what an answer means that came late
 *
 * The fabric lock is held in all of it.
 */

#include <endian.h>

#include "include/wire.h"
#include "queue/qp.h"

/** A request of a WQE, whose payload is fabric->local; what its operation adds is the caller's. */
void swhca_request_init(const struct swhca_qp *qp, const struct swhca_wqe *wqe,
			enum swhca_wire_op op, struct swhca_wire_req *req);
/** The remote memory of a request. */
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
 *   How the WQE goes on: done, on its way, in error, lost if nobody would know, or once more later.
 */
enum swhca_wqe_end swhca_request_send(struct swhca_qp *qp, struct swhca_wqe *wqe,
				      const struct swhca_wire_req *req,
				      struct swhca_wire_answer *answer);
/** What became of a request that was sent before; its answer is not PENDING or BUSY. */
enum swhca_wqe_end swhca_request_end(const struct swhca_qp *qp, struct swhca_wqe *wqe,
				     const struct swhca_wire_answer *answer);

#endif /* SWHCA_XPORT_REQUESTER_H */
