/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_XPORT_DCT_H
#define SWHCA_XPORT_DCT_H

/**
 * @file
 * Dynamically connected transport: a target (DCT) answers initiators that use its access key; an
 * initiator (DCI) is a queue pair with another target in every WQE.
 */

#include "mlx5_prm_dc.h"
#include "queue/queue_responder.h"
#include "queue/srq.h"

/* Limits that QUERY_HCA_CAP reports and the commands enforce. */
#define SWHCA_LOG_MAX_DCT		16u
#define SWHCA_FIRST_DCT			0x40000u

struct swhca_dct {
	struct swhca_obj obj;
	struct swhca_obj *pd;
	struct swhca_cq *cq;
	struct swhca_srq *srq;
	enum prm_dct_state state;
	bool is_armed;			/**< A wrong key raises one event. */
	uint32_t nb_violations;		/**< Requests with a wrong key. */
	struct swhca_page_fault rdma_fault;	/**< Page fault of a remote request. */
	uint8_t dctc[PRM_DCTC_SIZE];	/**< Context as created. */
};

/** Release the resources of a target. */
void swhca_dct_fini(struct swhca_hca *hca, struct swhca_obj *obj);
/** Check whether a target accepts an access key. @param to Written if it does. */
bool swhca_dct_accept(struct swhca_hca *hca, struct swhca_dct *dct, uint64_t key,
		      struct swhca_responder *to);

#endif /* SWHCA_XPORT_DCT_H */
