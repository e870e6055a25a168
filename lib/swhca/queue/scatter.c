/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Scatter to CQE: payload that is small enough comes in the completion, not in memory; software
 * copies it on. The fields cs_req and cs_res of a context say how much a CQE may carry.
 *
 * 32 bytes take the place of the first 32 of the CQE; 64 stand in the first half of an entry of
 * 128 bytes. Nobody looks at the data segments that the payload would have gone to, as libmlx5
 * checks their length when it copies.
 */

#include <string.h>

#include "mlx5_prm_cmd.h"
#include "queue/scatter.h"

uint32_t
swhca_scatter_room(uint64_t cs)
{
	switch (cs) {
	case PRM_QPC_CS_REQ_32B:
	case PRM_QPC_CS_RES_32B:
		return 32;
	case PRM_QPC_CS_REQ_64B:
	case PRM_QPC_CS_RES_64B:
		return 64;
	default:
		return 0;
	}
}

int
swhca_scatter_divert(struct swhca_fabric *fabric, struct swhca_spans *spans, uint32_t len)
{
	swhca_spans_reset(spans);
	return swhca_spans_add(spans, swhca_span_of(fabric->scatter, len));
}

int
swhca_scatter_local(struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	struct swhca_fabric *fabric = qp->hca->fabric;
	uint32_t room = swhca_scatter_room(prm_get(qp->qpc, PRM_QPC_CS_REQ));
	uint64_t len = fabric->local.len;

	/* Without a CQE there is nowhere to put it. */
	if (len == 0 || len > room || (wqe->fm_ce_se & PRM_CTRL_CE_MASK) < PRM_CTRL_CE_ALWAYS)
		return 0;
	wqe->scatter = (struct swhca_scatter){ .len = (uint32_t)len, .room = room };
	return swhca_scatter_divert(fabric, &fabric->local, (uint32_t)len);
}

void
swhca_scatter_fill(const struct swhca_fabric *fabric, const struct swhca_scatter *scatter,
		   struct mlx5_cqe64 *cqe, uint8_t head[static 64])
{
	if (scatter->len == 0)
		return;
	if (scatter->room == 64) {
		memset(head, 0, 64);
		memcpy(head, fabric->scatter, scatter->len);
		cqe->op_own |= MLX5_INLINE_SCATTER_64;
	} else {
		memcpy(cqe, fabric->scatter, scatter->len);
		cqe->op_own |= MLX5_INLINE_SCATTER_32;
	}
}
