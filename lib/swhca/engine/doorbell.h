/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_DOORBELL_H
#define SWHCA_DOORBELL_H

/**
 * @file
 * Doorbells of queues in the UAR pages, and whether the records in host memory match. The fabric
 * lock is held.
 *
 * Software writes the record first, then the doorbell (PRM, doorbell record; libmlx5:
 * post_send_db(), mlx5_arm_cq()). On a strict device a doorbell ahead of its record is an error of
 * its queue; a record ahead of the doorbell is not.
 */

#include "queue/qp.h"

/** Content of the 8 bytes of a doorbell: start of the control segment of the last WQE. */
struct swhca_rung {
	uint32_t qpn;
	uint32_t nb_bb;		/**< Length of the WQE in basic blocks; 0: invalid. */
	uint16_t index;		/**< Index of the WQE. */
	uint8_t opcode;
};

struct swhca_rung swhca_rung_decode(uint64_t value);

/** Find a queue pair that rings at a page. @return NULL if there is none. */
struct swhca_qp *swhca_uar_qp_find(const struct swhca_uar *uar, uint32_t qpn);

/** Take the doorbells of the send queues of a page. @return Number of doorbells. */
unsigned int swhca_doorbells_take(struct swhca_hca *hca, struct swhca_uar *uar);

/** Execute delayed doorbells that are due. @return Number of doorbells. */
unsigned int swhca_doorbells_poll_late(struct swhca_hca *hca);

#endif /* SWHCA_DOORBELL_H */
