/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "queue/srq.h"

bool
swhca_srq_is_for_users(const struct swhca_obj *obj)
{
	return ((const struct swhca_srq *)obj)->xrcd != NULL;
}

void
swhca_srq_fini(struct swhca_hca *hca, struct swhca_obj *obj)
{
	struct swhca_srq *srq = (struct swhca_srq *)obj;

	(void)hca;
	swhca_page_fault_cancel(&srq->rq.page_fault);
	swhca_obj_unref(srq->rq.pd);
	swhca_obj_unref(srq->xrcd);
	if (srq->cq != NULL)
		swhca_obj_unref(&srq->cq->obj);
	if (srq->umem != NULL)
		swhca_obj_unref(&srq->umem->obj);
	else
		swhca_buf_fini(&srq->rq.buf);
	if (srq->rq.dbr.umem != NULL)
		swhca_obj_unref(&srq->rq.dbr.umem->obj);
}
