/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_QUEUE_CQ_EVENT_H
#define SWHCA_QUEUE_CQ_EVENT_H

/**
 * @file
 * Completion events: arming of CQs, and events of armed CQs.
 */

#include "queue/cq.h"

/** Initialize a CQ with a known doorbell record: software may arm it at its UAR page. */
void swhca_cq_event_init(struct swhca_hca *hca, struct swhca_cq *cq);
void swhca_cq_event_fini(struct swhca_cq *cq);
/** Notify after CQEs were written. @param is_solicited Solicited, or errors. */
void swhca_cq_notify(struct swhca_hca *hca, struct swhca_cq *cq, uint32_t nb, bool is_solicited);
/** Poll the CQ doorbell of a page. @return 1 if it was rung. */
unsigned int swhca_cq_poll(struct swhca_hca *hca, struct swhca_uar *uar);
/** Raise events whose moderation time has passed. @return Number of events. */
unsigned int swhca_cq_poll_due(struct swhca_hca *hca);

/**
 * Strict device: check that the doorbell that arms a CQ matches its record. If not, the error is
 * reported and the CQ fails.
 *
 * @param value
 *   The first dword of the doorbell.
 */
bool swhca_cq_check_doorbell(struct swhca_hca *hca, struct swhca_cq *cq, uint32_t value);

#endif /* SWHCA_QUEUE_CQ_EVENT_H */
