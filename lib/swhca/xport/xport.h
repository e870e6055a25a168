/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_XPORT_XPORT_H
#define SWHCA_XPORT_XPORT_H

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

#include "queue/recv.h"
#include "queue/wqe.h"

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
/** How a WQE goes on after its message has met a receive queue. */
enum swhca_wqe_end swhca_send_end(struct swhca_qp *qp, struct swhca_wqe *wqe,
				  const struct swhca_responder *to, enum swhca_recv_end end);

#endif /* SWHCA_XPORT_XPORT_H */
