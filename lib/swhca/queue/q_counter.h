/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_QUEUE_Q_COUNTER_H
#define SWHCA_QUEUE_Q_COUNTER_H

/**
 * @file
 * Counter sets: qpc.counter_set_id selects the one of a queue.
 */

#include "queue/qp.h"

struct swhca_q_counter {
	struct swhca_obj obj;
	struct swhca_wire_stats stats;	/**< Since it was cleared; queue counters only. */
};

/**
 * Counters of a queue pair's set, in addition to those of its device; never NULL. Without a queue
 * pair or a set, a dummy is returned.
 */
static inline struct swhca_wire_stats *
swhca_q_stats(struct swhca_hca *hca, const struct swhca_qp *qp)
{
	uint32_t num = qp == NULL ? 0 : (uint32_t)prm_get(qp->qpc, PRM_QPC_COUNTER_SET_ID);
	struct swhca_obj *set = swhca_table_get(&hca->tables[SWHCA_OBJ_Q_COUNTER], num);

	return set == NULL ? &hca->no_set : &((struct swhca_q_counter *)set)->stats;
}

#endif /* SWHCA_QUEUE_Q_COUNTER_H */
