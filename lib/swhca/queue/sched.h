/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_QUEUE_SCHED_H
#define SWHCA_QUEUE_SCHED_H

/**
 * @file
 * Scheduling elements of the NIC hierarchy: a tree of arbiters (TSAR) whose leaves are groups of
 * queues.
 */

#include "object/hca_state.h"

/** A scheduling element. */
struct swhca_sched {
	struct swhca_obj obj;
	uint32_t parent;		/**< Number of the parent, 0: a root. */
	uint32_t level;			/**< 1: a root; plus one per level below. */
	uint8_t type;			/**< PRM_SCHED_ELEM_* */
	uint32_t bw_share;
	uint32_t max_average_bw;	/**< Mbit/s, 0: no limit. */
	struct swhca_pacer pacer;
};

/**
 * @return Nanoseconds until an element and all its ancestors may send; 0: now. NULL is accepted.
 */
uint64_t swhca_sched_wait_ns(const struct swhca_hca *hca, const struct swhca_sched *sched,
			     uint64_t now);
void swhca_sched_charge(const struct swhca_hca *hca, struct swhca_sched *sched, uint64_t now,
			uint64_t bytes);
/** Release the resources of an element. */
void swhca_sched_fini(struct swhca_hca *hca, struct swhca_obj *obj);

#endif /* SWHCA_QUEUE_SCHED_H */
