/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_XPORT_RESPONDER_H
#define SWHCA_XPORT_RESPONDER_H

/**
 * @file
 * Responder side of a message: called by a wire when a request has arrived.
 *
 * Between begin and end the wire moves the payload, in any number of pieces: in order to the spans
 * returned by begin, or for a read from them. The fabric lock is held.
 */

#include "queue/recv.h"

struct swhca_dct;

/** A request at its responder, from its arrival until it is answered. */
struct swhca_reception {
	const struct swhca_wire_req *req;	/**< Written by the wire, like spans. */
	struct swhca_spans *spans;	/**< Memory of the responder, filled by begin. */
	bool is_again;		/**< Likewise: it is a part of a request that was begun before. */
	struct swhca_responder to;
	struct swhca_recv recv;		/**< SEND */
	struct swhca_mkey *inval;	/**< SEND: key to invalidate, or NULL. */
};

/**
 * Start a request to a queue pair. For connected services, the wire has checked that it comes from
 * the port that the queue pair is connected to.
 *
 * @return
 *   true: move the payload, then call swhca_reception_end(). false: the answer is written, and
 *   nothing else is to be done.
 */
bool swhca_reception_begin(struct swhca_reception *rx, struct swhca_qp *qp,
			   struct swhca_wire_answer *answer);
/** The same for a target of dynamically connected initiators. */
bool swhca_reception_begin_dct(struct swhca_reception *rx, struct swhca_hca *hca,
			       struct swhca_dct *dct, struct swhca_wire_answer *answer);
/**
 * Get the spans of a part of a read that was begun before, and is answered in parts: its key may
 * have been destroyed.
 *
 * @return
 *   false: the answer is written.
 */
bool swhca_reception_again(struct swhca_reception *rx, struct swhca_qp *qp,
			   struct swhca_wire_answer *answer);
/** The same at a target; false: it does not answer any more, or the answer is written. */
bool swhca_reception_again_dct(struct swhca_reception *rx, struct swhca_hca *hca,
			       struct swhca_dct *dct, struct swhca_wire_answer *answer);
/** Check whether a queue pair has that service type and is in a state that accepts packets. */
bool swhca_reception_takes(const struct swhca_qp *qp, uint8_t st);
/** Check whether it is in the partition of a packet. */
bool swhca_reception_pkey_matches(const struct swhca_qp *qp, uint16_t pkey);
/**
 * Complete a request after the payload was moved.
 *
 * @param ret
 *   0, -EFAULT (the source of the payload could not be read), -EACCES (its destination could not be
 *   written).
 */
void swhca_reception_end(struct swhca_reception *rx, int ret, struct swhca_wire_answer *answer);

#endif /* SWHCA_XPORT_RESPONDER_H */
