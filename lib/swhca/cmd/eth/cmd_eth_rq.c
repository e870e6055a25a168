/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Commands of receive queues of frames.
 */

#include <stdlib.h>

#include "cmd/eth/cmd_eth_wq.h"
#include "cmd/cmd_handlers.h"
#include "object/limits.h"

#define KNOWN_MODIFY (PRM_MODIFY_RQ_VSD | PRM_MODIFY_RQ_COUNTER_SET_ID)

static uint8_t
rqc_check(struct swhca_cmd *cmd, const uint8_t *rqc)
{
	uint32_t log_stride = (uint32_t)prm_get(rqc + PRM_XQC_WQ_BYTE, PRM_WQ_LOG_WQ_STRIDE);

	if (prm_get(rqc, PRM_RQC_STATE) != PRM_XQC_STATE_RST)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 1, "state %u, it is created in %u",
					(unsigned int)prm_get(rqc, PRM_RQC_STATE),
					PRM_XQC_STATE_RST);
	if (prm_get(rqc, PRM_RQC_HAIRPIN) != 0 || prm_get(rqc, PRM_RQC_MEM_RQ_TYPE) != 0 ||
	    prm_get(rqc, PRM_RQC_DELAY_DROP_EN) != 0 || prm_get(rqc, PRM_RQC_SCATTER_FCS) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 2,
					"hairpins, pools, delayed drops and check sequences are not"
					" modelled");
	if (log_stride < SWHCA_LOG_MIN_RQ_STRIDE || log_stride > SWHCA_LOG_MAX_RQ_STRIDE)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 3, "stride of 2^%u, 2^%u to 2^%u",
					log_stride, SWHCA_LOG_MIN_RQ_STRIDE,
					SWHCA_LOG_MAX_RQ_STRIDE);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_create_rq(struct swhca_cmd *cmd)
{
	const uint8_t *rqc = cmd->in + PRM_CREATE_XQ_IN_CTX_BYTE;
	struct swhca_fabric *fabric = cmd->hca->fabric;
	struct swhca_erq *rq;
	uint8_t status;

	status = rqc_check(cmd, rqc);
	if (status != PRM_CMD_OK)
		return status;
	if (fabric->frame_rx == NULL)
		fabric->frame_rx = malloc(SWHCA_FRAME_BYTES);
	if (fabric->frame_rx == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 4, "no memory for frames");
	rq = swhca_obj_create(cmd->hca, SWHCA_OBJ_ERQ, cmd->uid, sizeof(*rq));
	if (rq == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 5, "%u in use",
					cmd->hca->tables[SWHCA_OBJ_ERQ].nb_used);
	status = swhca_cmd_ewq_init(cmd, &rq->wq);
	if (status != PRM_CMD_OK) {
		swhca_obj_destroy(cmd->hca, &rq->obj);
		return status;
	}
	rq->strips_vlan = prm_get(rqc, PRM_RQC_VSD) == 0;
	swhca_erq_reset(rq);
	prm_set(cmd->out, PRM_CMD_OUT_OBJ, rq->obj.num);
	return PRM_CMD_OK;
}

static struct swhca_erq *
rq_get(struct swhca_cmd *cmd)
{
	return (struct swhca_erq *)swhca_cmd_obj(cmd, SWHCA_OBJ_ERQ,
						 prm_get(cmd->in, PRM_MODIFY_XQ_IN_NUM));
}

uint8_t
swhca_cmd_modify_rq(struct swhca_cmd *cmd)
{
	const uint8_t *rqc = cmd->in + PRM_MODIFY_XQ_IN_CTX_BYTE;
	uint64_t bits = prm_get(cmd->in, PRM_MODIFY_XQ_IN_BITMASK);
	struct swhca_erq *rq = rq_get(cmd);
	uint8_t status, state;

	if (rq == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 6, "0x%x does not exist",
					(uint32_t)prm_get(cmd->in, PRM_MODIFY_XQ_IN_NUM));
	if (bits & ~KNOWN_MODIFY)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 7, "fields 0x%x of 0x%x",
					(uint32_t)bits, (uint32_t)KNOWN_MODIFY);
	status = swhca_cmd_ewq_next_state(cmd, &rq->wq, &state);
	if (status != PRM_CMD_OK)
		return status;
	if (bits & PRM_MODIFY_RQ_VSD) {
		rq->strips_vlan = prm_get(rqc, PRM_RQC_VSD) == 0;
		prm_set(rq->wq.ctx, PRM_RQC_VSD, !rq->strips_vlan);
	}
	if (bits & PRM_MODIFY_RQ_COUNTER_SET_ID)
		prm_set(rq->wq.ctx, PRM_RQC_COUNTER_SET_ID,
			prm_get(rqc, PRM_RQC_COUNTER_SET_ID));
	if (state == PRM_XQC_STATE_RST)
		swhca_erq_reset(rq);
	rq->wq.state = state;
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_query_rq(struct swhca_cmd *cmd)
{
	const struct swhca_erq *rq = rq_get(cmd);

	if (rq == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 1, "0x%x does not exist",
					(uint32_t)prm_get(cmd->in, PRM_MODIFY_XQ_IN_NUM));
	swhca_cmd_ewq_query(cmd, &rq->wq);
	return PRM_CMD_OK;
}
