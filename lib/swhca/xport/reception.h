/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_XPORT_RECEPTION_H
#define SWHCA_XPORT_RECEPTION_H

/**
 * @file
 * The responder's end of a message: what a wire calls when a request has reached its destination.
 *
 * Between begin and end the wire moves the payload: to the spans that begin gave, in order, or of a
 * read from there. How many pieces it comes in is its business. The fabric lock is held.
 */

#include "queue/recv.h"

struct swhca_dct;

/** A request at its responder, from its arrival until it is answered. */
struct swhca_reception {
	const struct swhca_wire_req *req;	/**< Written by the wire, as the next one. */
	struct swhca_spans *spans;	/**< The responder's memory, filled by begin. */
	struct swhca_responder to;
	struct swhca_recv recv;		/**< SEND */
	struct swhca_mkey *inval;	/**< SEND: key to invalidate, or NULL. */
};

/**
 * A request for a queue pair: of connected services one that came from the port that the queue pair
 * is connected to, which the wire knows.
 *
 * @return
 *   true: the payload is to be moved, and then comes swhca_reception_end(). false: the answer is
 *   written, and that is all.
 */
bool swhca_reception_begin(struct swhca_reception *rx, struct swhca_qp *qp,
			   struct swhca_wire_answer *answer);
/** The same for a target of dynamically connected initiators. */
bool swhca_reception_begin_dct(struct swhca_reception *rx, struct swhca_hca *hca,
			       struct swhca_dct *dct, struct swhca_wire_answer *answer);
/**
 * Spans of a part of a read that was begun before, and is answered by and by: its key may be gone.
 *
 * @return
 *   false: the answer is written.
 */
bool swhca_reception_again(struct swhca_reception *rx, struct swhca_qp *qp,
			   struct swhca_wire_answer *answer);
/** The same at a target; false: it answers no more, or the answer is written. */
bool swhca_reception_again_dct(struct swhca_reception *rx, struct swhca_hca *hca,
			       struct swhca_dct *dct, struct swhca_wire_answer *answer);
/** Whether a queue pair has that service type and is in a state in which it looks at packets. */
bool swhca_reception_takes(const struct swhca_qp *qp, uint8_t st);
/** Whether it is in the partition of a packet. */
bool swhca_reception_pkey_matches(const struct swhca_qp *qp, uint16_t pkey);
/**
 * The payload has been moved.
 *
 * @param ret
 *   0, -EFAULT (the source of the payload could not be read), -EACCES (its destination could not be
 *   written).
 */
void swhca_reception_end(struct swhca_reception *rx, int ret, struct swhca_wire_answer *answer);

#endif /* SWHCA_XPORT_RECEPTION_H */
