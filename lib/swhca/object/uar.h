/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_OBJECT_UAR_H
#define SWHCA_OBJECT_UAR_H

/**
 * @file
 * UAR pages with doorbells of queues.
 */

#include "object/hca_state.h"

struct swhca_cq;
struct swhca_eq;
struct swhca_esq;
struct swhca_qp;

struct swhca_uar {
	struct swhca_obj obj;
	void *page;		/**< In the BAR. */
	bool loses_arms;	/**< Several EQs share this polled page: doorbells may be lost. */
	uint32_t nb_queues;	/**< QPs, SQs, CQs and EQs with doorbells here. */
	LIST_HEAD(, swhca_qp) qps;
	LIST_HEAD(, swhca_esq) sqs;
	LIST_HEAD(, swhca_cq) cqs;
	LIST_HEAD(, swhca_eq) eqs;
	LIST_ENTRY(swhca_uar) active;	/**< In swhca_hca.active_uars while nb_queues > 0. */
};

/** Add a queue to a UAR page, which the engine polls from now on. */
void swhca_uar_ref(struct swhca_hca *hca, struct swhca_uar *uar);
/** Remove a queue. */
void swhca_uar_unref(struct swhca_uar *uar);

#endif /* SWHCA_OBJECT_UAR_H */
