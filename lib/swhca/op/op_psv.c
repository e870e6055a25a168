/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Persistent signature values: initial signature of a domain, and its error state. */

#include <endian.h>

#include "mlx5_prm_sig.h"
#include "base/log.h"
#include "mem/bsf/psv.h"
#include "op/op_psv.h"

/* Set a new initial signature, and clear the error. */
enum swhca_wqe_end
swhca_set_psv_exec(struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	const uint8_t *seg = wqe->data + sizeof(struct mlx5_wqe_ctrl_seg);
	const uint32_t nb_ds = (sizeof(struct mlx5_wqe_ctrl_seg) + PRM_SET_PSV_SIZE) /
			       PRM_WQE_DS_SIZE;
	struct swhca_psv *psv;
	uint32_t index;

	if (wqe->nb_ds != nb_ds) {
		SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: SET_PSV of %u DS, %u are right", qp->obj.num,
			  wqe->index, wqe->nb_ds, nb_ds);
		return swhca_wqe_fail(wqe, SWHCA_CAUSE_FORMAT);
	}
	index = (uint32_t)prm_get(seg, PRM_SET_PSV_INDEX);
	psv = swhca_psv_get(qp->hca, index);
	if (psv == NULL || psv->pd != qp->pd) {
		SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: PSV 0x%x %s", qp->obj.num, wqe->index, index,
			  psv == NULL ? "does not exist" : "is of another PD");
		return swhca_wqe_fail(wqe, SWHCA_CAUSE_PSV);
	}
	psv->transient = prm_get(seg, PRM_SET_PSV_TRANSIENT);
	psv->syndrome = (uint16_t)prm_get(seg, PRM_SET_PSV_SYNDROME);
	return SWHCA_WQE_DONE;
}
