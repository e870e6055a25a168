/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_QUEUE_QOS_H
#define SWHCA_QUEUE_QOS_H

/**
 * @file
 * Rate limits of queue pairs. The fabric lock is held.
 */

#include "queue/qp.h"

/** @return Nanoseconds until a QP may execute its next WQE, 0: now. */
uint64_t swhca_qos_wait_ns(const struct swhca_qp *qp);
/** Account for payload sent by a QP. */
void swhca_qos_charge(struct swhca_qp *qp, uint64_t bytes);
/** The same for read responses. */
uint64_t swhca_qos_resp_wait_ns(const struct swhca_qp *qp);
void swhca_qos_resp_charge(struct swhca_qp *qp, uint64_t bytes);

#endif /* SWHCA_QUEUE_QOS_H */
