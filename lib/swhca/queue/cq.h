/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CQ_H
#define SWHCA_CQ_H

/**
 * @file
 * Completion queues, beyond the CQEs that the engine writes (engine/engine.h). The fabric lock is
 * held in all of it.
 */

#include "object/object.h"

struct mlx5_cqe64;

/* Rings: cq_ring.c */
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
/** Write the CQE that tells software to go on in another ring. @return false: it is lost. */
bool swhca_cq_write_resize(struct swhca_hca *hca, struct swhca_cq *cq);
/** CQEs that software has not consumed. */
uint32_t swhca_cq_nb_used(const struct swhca_fabric *fabric, struct swhca_cq *cq);
/** Nothing is written any more, and the event that tells. @param syndrome PRM_CQ_ERROR_*. */
void swhca_cq_fail(struct swhca_hca *hca, struct swhca_cq *cq, uint8_t syndrome);
/** Release the ring. */
void swhca_cq_ring_fini(struct swhca_cq *cq);

/* Events: cq_event.c */
/** A CQ exists, its doorbell record is known: software may arm it at its UAR page. */
void swhca_cq_event_init(struct swhca_hca *hca, struct swhca_cq *cq);
void swhca_cq_event_fini(struct swhca_cq *cq);
/** CQEs have been written. @param is_solicited Solicited, or errors. */
void swhca_cq_notify(struct swhca_hca *hca, struct swhca_cq *cq, uint32_t nb, bool is_solicited);
/** Look at the CQ doorbell of a page. @return 1 if it was rung. */
unsigned int swhca_cq_poll(struct swhca_hca *hca, struct swhca_uar *uar);
/** Raise events that moderation has held back long enough. @return How many. */
unsigned int swhca_cq_poll_due(struct swhca_hca *hca);

#endif /* SWHCA_CQ_H */
