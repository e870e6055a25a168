/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_QUEUE_Q_COUNTER_H
#define SWHCA_QUEUE_Q_COUNTER_H

/**
 * @file
 * Counters of sets of queues: qpc.counter_set_id names the one that a queue is of.
 */

#include "queue/qp.h"

struct swhca_q_counter {
	struct swhca_obj obj;
	struct swhca_wire_stats stats;	/**< Since it was cleared; those of queues only. */
};

/**
 * Where events of a queue pair are counted besides in those of its device; never NULL. What has no
 * queue pair, or is of no set, counts where nobody looks.
 */
static inline struct swhca_wire_stats *
swhca_q_stats(struct swhca_hca *hca, const struct swhca_qp *qp)
{
	uint32_t num = qp == NULL ? 0 : (uint32_t)prm_get(qp->qpc, PRM_QPC_COUNTER_SET_ID);
	struct swhca_obj *set = swhca_table_get(&hca->tables[SWHCA_OBJ_Q_COUNTER], num);

	return set == NULL ? &hca->no_set : &((struct swhca_q_counter *)set)->stats;
}

#endif /* SWHCA_QUEUE_Q_COUNTER_H */
