/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Scatter to CQE of a new queue pair. */

#include <inttypes.h>

#include "cmd/cmd.h"
#include "cmd/cmd_qp_scatter.h"
#include "queue/scatter.h"

static uint8_t
scatter_check(struct swhca_cmd *cmd, uint64_t cs, bool is_known, const struct swhca_cq *cq)
{
	if (!is_known)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 50,
					"scatter to CQE 0x%" PRIx64 " for this service type", cs);
	if (swhca_scatter_room(cs) == 64 && (cq == NULL || cq->log_cqe != 7))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 51,
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
