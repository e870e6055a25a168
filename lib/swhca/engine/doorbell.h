/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_DOORBELL_H
#define SWHCA_DOORBELL_H

/**
 * @file
 * Doorbells of queues: what is written to the UAR pages, and whether the record in host memory says
 * the same. The fabric lock is held in all of it.
 *
 * Software writes the record first, then the doorbell (PRM, doorbell record; libmlx5:
 * post_send_db(), mlx5_arm_cq()). A strict device holds it to that: a doorbell that is ahead of its
 * record is an error of its queue. A record that is ahead of the doorbell is none.
 */

#include "queue/qp.h"

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

/** Hear the doorbells that are late, and whose time has come. @return How many. */
unsigned int swhca_doorbells_poll_late(struct swhca_hca *hca);

#endif /* SWHCA_DOORBELL_H */
