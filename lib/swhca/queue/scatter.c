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

#include <inttypes.h>

#include "cmd/cmd.h"
#include "xport/xport.h"

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
	return swhca_spans_add(spans, (uintptr_t)fabric->scatter, len);
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

static uint8_t
scatter_check(struct swhca_cmd *cmd, uint64_t cs, bool is_known, const struct swhca_cq *cq)
{
	if (!is_known)
		return swhca_cmd_refuse(cmd, PRM_CMD_BAD_PARAM, 50,
					"scatter to CQE 0x%" PRIx64 " for this service type", cs);
	if (swhca_scatter_room(cs) == 64 && (cq == NULL || cq->log_cqe != 7))
		return swhca_cmd_refuse(cmd, PRM_CMD_BAD_PARAM, 51,
					"scatter of 64 bytes to CQEs of 64 bytes");
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_qp_scatter_check(struct swhca_cmd *cmd, const struct swhca_qp *qp)
{
	uint64_t req = prm_get(qp->qpc, PRM_QPC_CS_REQ);
	uint64_t res = prm_get(qp->qpc, PRM_QPC_CS_RES);
	uint64_t st = prm_get(qp->qpc, PRM_QPC_ST);
	bool has_reads = st == PRM_QP_ST_RC || st == PRM_QP_ST_DCI;
	bool has_recvs = st == PRM_QP_ST_RC || st == PRM_QP_ST_UC;
	uint8_t status = PRM_CMD_OK;

	if (req != PRM_QPC_CS_REQ_DISABLE)
		status = scatter_check(cmd, req, has_reads && (req == PRM_QPC_CS_REQ_32B ||
							      req == PRM_QPC_CS_REQ_64B),
				       qp->send_cq);
	if (status == PRM_CMD_OK && res != PRM_QPC_CS_RES_DISABLE)
		status = scatter_check(cmd, res, has_recvs && (res == PRM_QPC_CS_RES_32B ||
							       res == PRM_QPC_CS_RES_64B),
				       qp->recv_cq);
	return status;
}
