/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Commands of send queues of frames.
 */

#include <stdlib.h>

#include "cmd/eth/cmd_eth_wq.h"
#include "cmd/cmd_handlers.h"
#include "object/limits.h"

static uint8_t
sqc_check(struct swhca_cmd *cmd, const uint8_t *sqc)
{
	uint32_t log_stride = (uint32_t)prm_get(sqc + PRM_XQC_WQ_BYTE, PRM_WQ_LOG_WQ_STRIDE);

	if (prm_get(sqc, PRM_SQC_STATE) != PRM_XQC_STATE_RST)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 1, "state %u, it is created in %u",
					(unsigned int)prm_get(sqc, PRM_SQC_STATE),
					PRM_XQC_STATE_RST);
	if (prm_get(sqc, PRM_SQC_HAIRPIN) != 0 || prm_get(sqc, PRM_SQC_REG_UMR) != 0 ||
	    prm_get(sqc, PRM_SQC_ALLOW_SWP) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 2,
					"hairpins, UMRs and software parsing are not modelled");
	if (prm_get(sqc, PRM_SQC_PACKET_PACING_RATE_LIMIT_INDEX) != 0 ||
	    prm_get(sqc, PRM_SQC_QOS_QUEUE_GROUP_ID) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 3, "rates are not modelled");
	if (prm_get(sqc, PRM_SQC_TIS_LST_SZ) > 1)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 4, "%u TISes, at most 1",
					(unsigned int)prm_get(sqc, PRM_SQC_TIS_LST_SZ));
	if (1u << log_stride != PRM_WQE_BB_SIZE)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 5, "stride of 2^%u, WQEBBs are %u",
					log_stride, PRM_WQE_BB_SIZE);
	return PRM_CMD_OK;
}

/* Allocate frame buffers of the fabric with its first SQ. */
static uint8_t
frames_init(struct swhca_cmd *cmd)
{
	struct swhca_fabric *fabric = cmd->hca->fabric;

	if (fabric->frame_tx == NULL)
		fabric->frame_tx = malloc(SWHCA_FRAME_TX_BYTES);
	if (fabric->frame_seg == NULL)
		fabric->frame_seg = malloc(SWHCA_FRAME_BYTES);
	if (fabric->frame_tx == NULL || fabric->frame_seg == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 6, "no memory for frames");
	return PRM_CMD_OK;
}

static uint8_t
sq_init(struct swhca_cmd *cmd, struct swhca_esq *sq, const uint8_t *sqc)
{
	uint32_t tisn = (uint32_t)prm_get(sqc, PRM_SQC_TIS_NUM_0);
	uint32_t uarn = (uint32_t)prm_get(sqc + PRM_XQC_WQ_BYTE, PRM_WQ_UAR_PAGE);
	struct swhca_obj *uar = swhca_cmd_obj(cmd, SWHCA_OBJ_UAR, uarn);
	uint8_t status;

	if (prm_get(sqc, PRM_SQC_TIS_LST_SZ) != 0) {
		sq->tis = (struct swhca_tis *)swhca_cmd_obj(cmd, SWHCA_OBJ_TIS, tisn);
		if (sq->tis == NULL)
			return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 7,
						"TIS 0x%x does not exist", tisn);
		swhca_obj_ref(&sq->tis->obj);
	}
	if (uar == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 8, "UAR 0x%x does not exist", uarn);
	status = swhca_cmd_ewq_init(cmd, &sq->wq);
	if (status != PRM_CMD_OK)
		return status;
	sq->uar = (struct swhca_uar *)uar;
	LIST_INSERT_HEAD(&sq->uar->sqs, sq, uar_link);
	swhca_uar_ref(cmd->hca, sq->uar);
	swhca_esq_reset(sq);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_create_sq(struct swhca_cmd *cmd)
{
	const uint8_t *sqc = cmd->in + PRM_CREATE_XQ_IN_CTX_BYTE;
	struct swhca_esq *sq;
	uint8_t status;

	status = sqc_check(cmd, sqc);
	if (status == PRM_CMD_OK)
		status = frames_init(cmd);
	if (status != PRM_CMD_OK)
		return status;
	sq = swhca_obj_create(cmd->hca, SWHCA_OBJ_ESQ, cmd->uid, sizeof(*sq));
	if (sq == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 9, "%u in use",
					cmd->hca->tables[SWHCA_OBJ_ESQ].nb_used);
	status = sq_init(cmd, sq, sqc);
	if (status != PRM_CMD_OK) {
		swhca_obj_destroy(cmd->hca, &sq->obj);
		return status;
	}
	prm_set(cmd->out, PRM_CMD_OUT_OBJ, sq->obj.num);
	return PRM_CMD_OK;
}

static struct swhca_esq *
sq_get(struct swhca_cmd *cmd)
{
	return (struct swhca_esq *)swhca_cmd_obj(cmd, SWHCA_OBJ_ESQ,
						 prm_get(cmd->in, PRM_MODIFY_XQ_IN_NUM));
}

uint8_t
swhca_cmd_modify_sq(struct swhca_cmd *cmd)
{
	struct swhca_esq *sq = sq_get(cmd);
	uint8_t status, state;

	if (sq == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 10, "0x%x does not exist",
					(uint32_t)prm_get(cmd->in, PRM_MODIFY_XQ_IN_NUM));
	if (prm_get(cmd->in, PRM_MODIFY_XQ_IN_BITMASK) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 11,
					"rates and queue groups are not modelled");
	status = swhca_cmd_ewq_next_state(cmd, &sq->wq, &state);
	if (status != PRM_CMD_OK)
		return status;
	if (state == PRM_XQC_STATE_RST)
		swhca_esq_reset(sq);
	sq->wq.state = state;
	swhca_esq_schedule(sq);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_query_sq(struct swhca_cmd *cmd)
{
	const struct swhca_esq *sq = sq_get(cmd);

	if (sq == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 1, "0x%x does not exist",
					(uint32_t)prm_get(cmd->in, PRM_MODIFY_XQ_IN_NUM));
	swhca_cmd_ewq_query(cmd, &sq->wq);
	return PRM_CMD_OK;
}
