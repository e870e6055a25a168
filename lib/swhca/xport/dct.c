/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Targets of the dynamically connected transport.
 */

#include "base/log.h"
#include "mem/mkey.h"
#include "queue/eq.h"
#include "queue/scatter.h"
#include "xport/dct.h"

void
swhca_dct_fini(struct swhca_hca *hca, struct swhca_obj *obj)
{
	struct swhca_dct *dct = (struct swhca_dct *)obj;

	(void)hca;
	swhca_page_fault_cancel(&dct->rdma_fault);
	swhca_obj_unref(dct->pd);
	if (dct->cq != NULL)
		swhca_obj_unref(&dct->cq->obj);
	if (dct->srq != NULL)
		swhca_obj_unref(&dct->srq->obj);
}

/* A request with a wrong key is dropped, like one with a wrong Q_Key. */
static void
dct_note_violation(struct swhca_hca *hca, struct swhca_dct *dct)
{
	SWHCA_LOG(DEBUG, "DCT 0x%x: wrong access key", dct->obj.num);
	if (dct->nb_violations != UINT32_MAX)
		dct->nb_violations++;
	if (!dct->is_armed)
		return;
	dct->is_armed = false;
	swhca_event_raise(hca, PRM_EVENT_DCT_KEY_VIOLATION, dct->obj.num);
}

static void
responder_of_dct(struct swhca_hca *hca, struct swhca_dct *dct, struct swhca_responder *to)
{
	uint32_t user_index = (uint32_t)prm_get(dct->dctc, PRM_DCTC_USER_INDEX);
	bool has_atomics = prm_get(dct->dctc, PRM_DCTC_RAE) != 0 &&
			   prm_get(dct->dctc, PRM_DCTC_ATOMIC_MODE) != PRM_QPC_ATOMIC_MODE_NONE;

	*to = (struct swhca_responder){
		.hca = hca,
		.num = dct->obj.num,
		.pd = dct->pd,
		.access = (prm_get(dct->dctc, PRM_DCTC_RRE) ? SWHCA_ACCESS_REMOTE_READ : 0) |
			  (prm_get(dct->dctc, PRM_DCTC_RWE) ? SWHCA_ACCESS_REMOTE_WRITE : 0) |
			  (has_atomics ? SWHCA_ACCESS_REMOTE_ATOMIC : 0),
		.min_rnr_nak = (uint8_t)prm_get(dct->dctc, PRM_DCTC_MIN_RNR_NAK),
		.rdma_fault = &dct->rdma_fault,
		.rq = &dct->srq->rq,
		.cq = dct->cq,
		.srqn_uidx = user_index == PRM_USER_INDEX_NONE ? dct->srq->obj.num : user_index,
		.scatter_room = swhca_scatter_room(prm_get(dct->dctc, PRM_DCTC_CS_RES)),
	};
}

bool
swhca_dct_accept(struct swhca_hca *hca, struct swhca_dct *dct, uint64_t key,
		 struct swhca_responder *to)
{
	if (dct->state != PRM_DCT_STATE_ACTIVE)
		return false;
	if (key != prm_get(dct->dctc, PRM_DCTC_DC_ACCESS_KEY)) {
		dct_note_violation(hca, dct);
		return false;
	}
	responder_of_dct(hca, dct, to);
	return true;
}
