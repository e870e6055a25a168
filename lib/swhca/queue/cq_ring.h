/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_QUEUE_CQ_RING_H
#define SWHCA_QUEUE_CQ_RING_H

/**
 * @file
 * CQ rings: space, ownership, 128-byte entries, compressed sessions, failure of a ring.
 */

#include "queue/cq.h"

/**
 * Write a CQE; its owner bit is set here. It may be held back until swhca_cq_flush().
 *
 * @param head
 *   First half of a 128-byte entry, or NULL.
 * @return
 *   false if it is lost: overrun, or a ring that is not mapped.
 */
bool swhca_cq_write(struct swhca_hca *hca, struct swhca_cq *cq, struct mlx5_cqe64 *cqe,
		    const uint8_t *head);
/** Write the CQEs held back by compression. */
void swhca_cq_flush(struct swhca_hca *hca, struct swhca_cq *cq);
/** The same for all CQs of a device. */
void swhca_cq_flush_all(struct swhca_hca *hca);
/** Write delayed CQEs that are due, in order. @return Number of CQEs. */
unsigned int swhca_cq_poll_held(struct swhca_hca *hca);
/**
 * Write all delayed CQEs of a device now. Software that destroys a queue cleans its CQs, and
 * expects no later CQE of it (libmlx5: mlx5_destroy_qp(), mlx5_cq_clean()).
 */
void swhca_cq_release_all(struct swhca_hca *hca);
/** Drop the delayed CQEs: a device that has failed or is halted writes none. */
void swhca_cq_drop_all(struct swhca_hca *hca);
/** Drop the delayed CQEs of one queue pair in a CQ. */
void swhca_cq_drop_qp(struct swhca_cq *cq, uint32_t qpn);
/** Write all delayed CQEs of a CQ now. */
void swhca_cq_release(struct swhca_hca *hca, struct swhca_cq *cq);
/** Write the CQE that switches software to another ring. @return false: it is lost. */
bool swhca_cq_write_resize(struct swhca_hca *hca, struct swhca_cq *cq);
/** Number of CQEs that software has not consumed. */
uint32_t swhca_cq_nb_used(const struct swhca_fabric *fabric, struct swhca_cq *cq);
/** Stop writing and raise the error event. @param syndrome PRM_CQ_ERROR_*. */
void swhca_cq_fail(struct swhca_hca *hca, struct swhca_cq *cq, uint8_t syndrome);
/** Release the ring. */
void swhca_cq_ring_fini(struct swhca_cq *cq);

#endif /* SWHCA_QUEUE_CQ_RING_H */
