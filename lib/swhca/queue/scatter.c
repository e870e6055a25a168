/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Scatter to CQE: small payload is delivered in the completion, not in memory; software copies it.
 * The fields cs_req and cs_res of a context set how much a CQE may carry.
 *
 * 32 bytes replace the first 32 of the CQE; 64 are in the first half of a 128-byte entry. The data
 * segments for the payload are ignored, as libmlx5 checks their length when it copies.
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
swhca_scatter_divert(struct swhca_scatter *scatter, struct swhca_spans *spans, uint32_t len,
		     uint32_t room)
{
	scatter->len = len;
	scatter->room = room;
	swhca_spans_reset(spans);
	return swhca_spans_add_model(spans, scatter->data, len);
}

int
swhca_scatter_local(struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	uint32_t room = swhca_scatter_room(prm_get(qp->qpc, PRM_QPC_CS_REQ));
	struct swhca_spans *local = &qp->hca->fabric->local;

	/* Not possible without a CQE. */
	if (local->len == 0 || local->len > room ||
	    (wqe->fm_ce_se & PRM_CTRL_CE_MASK) < PRM_CTRL_CE_ALWAYS)
		return 0;
	return swhca_scatter_divert(&wqe->scatter, local, (uint32_t)local->len, room);
}

void
swhca_scatter_fill(const struct swhca_scatter *scatter, struct mlx5_cqe64 *cqe,
		   uint8_t head[static SWHCA_SCATTER_MAX])
{
	if (scatter->len == 0)
		return;
	if (scatter->room == SWHCA_SCATTER_MAX) {
		memset(head, 0, SWHCA_SCATTER_MAX);
		memcpy(head, scatter->data, scatter->len);
		cqe->op_own |= MLX5_INLINE_SCATTER_64;
	} else {
		memcpy(cqe, scatter->data, scatter->len);
		cqe->op_own |= MLX5_INLINE_SCATTER_32;
	}
}
