/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_QUEUE_CQ_RING_H
#define SWHCA_QUEUE_CQ_RING_H

/**
 * @file
 * Rings of CQs: room, ownership, entries of 128 bytes, compressed sessions, the end of a ring.
 */

#include "queue/cq.h"

/**
 * Write a CQE; its owner bit is set here. It may be held back until swhca_cq_flush().
 *
 * @param head
 *   First half of an entry of 128 bytes, or NULL.
 * @return
 *   false if it is lost: overrun, or a ring that is not mapped.
 */
bool swhca_cq_write(struct swhca_hca *hca, struct swhca_cq *cq, struct mlx5_cqe64 *cqe,
		    const uint8_t *head);
/** Write what compression holds back. */
void swhca_cq_flush(struct swhca_hca *hca, struct swhca_cq *cq);
/** The same for all CQs of a device. */
void swhca_cq_flush_all(struct swhca_hca *hca);
/** Write what is held back for its time, in order, as far as it has come. @return How many CQEs. */
unsigned int swhca_cq_poll_held(struct swhca_hca *hca);
/**
 * Write it now: all of a device. Software that ends a queue sees to what is in its CQs, and expects
 * nothing of it there later (libmlx5: mlx5_destroy_qp(), mlx5_cq_clean()).
 */
void swhca_cq_release_all(struct swhca_hca *hca);
/** Forget it instead: a device that has failed or is halted writes nothing. */
void swhca_cq_drop_all(struct swhca_hca *hca);
/** Forget that of one queue pair in a CQ. */
void swhca_cq_drop_qp(struct swhca_cq *cq, uint32_t qpn);
/** Write it now: of a CQ. */
void swhca_cq_release(struct swhca_hca *hca, struct swhca_cq *cq);
/** Write the CQE that tells software to go on in another ring. @return false: it is lost. */
bool swhca_cq_write_resize(struct swhca_hca *hca, struct swhca_cq *cq);
/** CQEs that software has not consumed. */
uint32_t swhca_cq_nb_used(const struct swhca_fabric *fabric, struct swhca_cq *cq);
/** Nothing is written any more, and the event that tells. @param syndrome PRM_CQ_ERROR_*. */
void swhca_cq_fail(struct swhca_hca *hca, struct swhca_cq *cq, uint8_t syndrome);
/** Release the ring. */
void swhca_cq_ring_fini(struct swhca_cq *cq);

#endif /* SWHCA_QUEUE_CQ_RING_H */
