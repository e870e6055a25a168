/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_QUEUE_QOS_H
#define SWHCA_QUEUE_QOS_H

/**
 * @file
 * Rates: how fast a queue pair may send. The fabric lock is held in all of it.
 */

#include "queue/qp.h"

/** @return Nanoseconds until a QP may execute its next WQE, 0: now. */
uint64_t swhca_qos_wait_ns(const struct swhca_qp *qp);
/** Account for payload that a QP has sent. */
void swhca_qos_charge(struct swhca_qp *qp, uint64_t bytes);
/** The same for what it answers to reads. */
uint64_t swhca_qos_resp_wait_ns(const struct swhca_qp *qp);
void swhca_qos_resp_charge(struct swhca_qp *qp, uint64_t bytes);

#endif /* SWHCA_QUEUE_QOS_H */
