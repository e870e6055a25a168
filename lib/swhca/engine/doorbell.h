/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_DOORBELL_H
#define SWHCA_DOORBELL_H

/**
 * @file
 * Doorbells of send queues: what is written to the UAR pages. The fabric lock is held in all of it.
 */

#include "swhca_object.h"

/** What the 8 bytes of a doorbell say: the beginning of the control segment of the last WQE. */
struct swhca_rung {
	uint32_t qpn;
	uint32_t nb_bb;		/**< Length of the WQE in basic blocks; 0: it has none. */
	uint16_t index;		/**< Of the WQE. */
	uint8_t opcode;
};

struct swhca_rung swhca_rung_decode(uint64_t value);

/** Queue pair that rings at a page. @return NULL if it is none of those there. */
struct swhca_qp *swhca_uar_qp_find(const struct swhca_uar *uar, uint32_t qpn);

/** Take the doorbells of the send queues of a page. @return How many there were. */
unsigned int swhca_doorbells_take(struct swhca_hca *hca, struct swhca_uar *uar);

#endif /* SWHCA_DOORBELL_H */
