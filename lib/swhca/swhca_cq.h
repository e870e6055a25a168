/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CQ_H
#define SWHCA_CQ_H

/**
 * @file
 * Completion queues, beyond the CQEs that the engine writes (swhca_engine.h). The fabric lock is
 * held in all of it.
 */

#include "swhca_object.h"

/* Events: swhca_cq_event.c */
/** A CQ exists, its doorbell record is known: software may arm it at its UAR page. */
void swhca_cq_event_init(struct swhca_hca *hca, struct swhca_cq *cq);
void swhca_cq_event_fini(struct swhca_cq *cq);
/** A CQE has been written. @param is_solicited Solicited, or an error. */
void swhca_cq_notify(struct swhca_hca *hca, struct swhca_cq *cq, bool is_solicited);
/** Look at the CQ doorbell of a page. @return 1 if it was rung. */
unsigned int swhca_cq_poll(struct swhca_hca *hca, struct swhca_uar *uar);
/** Raise events that moderation has held back long enough. @return How many. */
unsigned int swhca_cq_poll_due(struct swhca_hca *hca);

#endif /* SWHCA_CQ_H */
