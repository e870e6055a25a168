/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <string.h>

#include "cmd/eth/cmd_eth.h"
#include "cmd/eth/cmd_eth_wq.h"
#include "cmd/cmd_ring.h"

static uint8_t
refs_init(struct swhca_cmd *cmd, struct swhca_ewq *wq, const uint8_t *ctx)
{
	uint32_t cqn = (uint32_t)prm_get(ctx, PRM_SQC_CQN);
	uint32_t pdn = (uint32_t)prm_get(ctx + PRM_XQC_WQ_BYTE, PRM_WQ_PD);
	struct swhca_obj *cq = swhca_cmd_obj(cmd, SWHCA_OBJ_CQ, cqn);
	struct swhca_obj *pd = swhca_cmd_obj(cmd, SWHCA_OBJ_PD, pdn);

	if (cq == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 201, "CQ 0x%x does not exist", cqn);
	/* The kernel has queues that never get a WQE: they have no PD. */
	if (pd == NULL && (cmd->uid != 0 || pdn != 0))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 202, "PD 0x%x does not exist", pdn);
	wq->cq = (struct swhca_cq *)cq;
	swhca_obj_ref(cq);
	wq->pd = pd;
	if (pd != NULL)
		swhca_obj_ref(pd);
	return PRM_CMD_OK;
}

static uint8_t
wq_check(struct swhca_cmd *cmd, const uint8_t *wqc)
{
	uint32_t type = (uint32_t)prm_get(wqc, PRM_WQ_TYPE);
	uint32_t log_size = (uint32_t)prm_get(wqc, PRM_WQ_LOG_WQ_SZ);

	if (!swhca_cmd_has_eth(cmd->hca))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_OP, 203, "the port is InfiniBand");
	if (type != PRM_WQ_TYPE_CYCLIC)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 204,
					"work queue type %u is not modelled", type);
	if (log_size > SWHCA_LOG_MAX_ETH_WQ)
		return swhca_cmd_reject(cmd, PRM_CMD_EXCEED_LIM, 205, "2^%u WQEs, at most 2^%u",
					log_size, SWHCA_LOG_MAX_ETH_WQ);
	if (prm_get(wqc, PRM_WQ_SIGNATURE) != 0 || prm_get(wqc, PRM_WQ_SHAMPO_ENABLE) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 206,
					"WQE signatures and split headers are not modelled");
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_ewq_init(struct swhca_cmd *cmd, struct swhca_ewq *wq)
{
	const uint8_t *ctx = cmd->in + PRM_CREATE_XQ_IN_CTX_BYTE;
	const uint8_t *wqc = ctx + PRM_XQC_WQ_BYTE;
	const struct swhca_ring_where ring = {
		.in_umem = prm_get(wqc, PRM_WQ_WQ_UMEM_VALID) != 0,
		.umem_id = (uint32_t)prm_get(wqc, PRM_WQ_WQ_UMEM_ID),
		.umem_offset = prm_get(wqc, PRM_WQ_WQ_UMEM_OFFSET),
		.pas = cmd->in + PRM_CREATE_XQ_IN_PAS_BYTE,
		.nb_pas = (uint32_t)((cmd->in_len - PRM_CREATE_XQ_IN_PAS_BYTE) / PRM_MTT_SIZE),
		.log_page = (uint8_t)prm_get(wqc, PRM_WQ_LOG_WQ_PG_SZ) + PRM_ADAPTER_PAGE_SHIFT,
		.page_offset = (uint8_t)prm_get(wqc, PRM_WQ_PAGE_OFFSET),
	};
	uint8_t status = wq_check(cmd, wqc);

	if (status != PRM_CMD_OK)
		return status;
	wq->hca = cmd->hca;
	wq->log_size = (uint8_t)prm_get(wqc, PRM_WQ_LOG_WQ_SZ);
	wq->log_stride = (uint8_t)prm_get(wqc, PRM_WQ_LOG_WQ_STRIDE);
	memcpy(wq->ctx, ctx, sizeof(wq->ctx));
	status = refs_init(cmd, wq, ctx);
	if (status == PRM_CMD_OK)
		status = swhca_cmd_ring_init(cmd, &ring,
					     UINT64_C(1) << (wq->log_size + wq->log_stride),
					     &wq->buf, &wq->umem);
	if (status == PRM_CMD_OK)
		status = swhca_cmd_dbr_init(cmd, prm_get(wqc, PRM_WQ_DBR_UMEM_VALID) != 0,
					    (uint32_t)prm_get(wqc, PRM_WQ_DBR_UMEM_ID),
					    prm_get(wqc, PRM_WQ_DBR_ADDR), &wq->dbr);
	return status;
}

uint8_t
swhca_cmd_ewq_next_state(struct swhca_cmd *cmd, const struct swhca_ewq *wq, uint8_t *state)
{
	const uint8_t *ctx = cmd->in + PRM_MODIFY_XQ_IN_CTX_BYTE;
	uint32_t from = (uint32_t)prm_get(cmd->in, PRM_MODIFY_XQ_IN_STATE);
	uint32_t to = (uint32_t)prm_get(ctx, PRM_SQC_STATE);

	if (from != wq->state)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_QP_STATE, 207,
					"from state %u, but it is in %u", from, wq->state);
	if ((to != PRM_XQC_STATE_RST && to != PRM_XQC_STATE_RDY && to != PRM_XQC_STATE_ERR) ||
	    (from == PRM_XQC_STATE_ERR && to == PRM_XQC_STATE_RDY))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_QP_STATE, 208, "from state %u to %u",
					from, to);
	*state = (uint8_t)to;
	return PRM_CMD_OK;
}

void
swhca_cmd_ewq_query(struct swhca_cmd *cmd, const struct swhca_ewq *wq)
{
	uint8_t *ctx = cmd->out + PRM_QUERY_XQ_OUT_CTX_BYTE;

	memcpy(ctx, wq->ctx, sizeof(wq->ctx));
	prm_set(ctx, PRM_SQC_STATE, wq->state);
	prm_set(ctx + PRM_XQC_WQ_BYTE, PRM_WQ_HW_COUNTER, wq->ci);
}
