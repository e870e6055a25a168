/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <inttypes.h>

#include "mlx5_prm_wqe.h"
#include "cmd/cmd.h"
#include "cmd/cmd_handlers.h"
#include "cmd/cmd_ring.h"
#include "object/limits.h"
#include "queue/cq_event.h"
#include "queue/eq.h"

static uint8_t
cq_init_ring(struct swhca_cmd *cmd, struct swhca_cq *cq, const uint8_t *cqc)
{
	const struct swhca_ring_where where = {
		.in_umem = prm_get(cmd->in, PRM_CREATE_CQ_IN_CQ_UMEM_VALID) != 0,
		.umem_id = (uint32_t)prm_get(cmd->in, PRM_CREATE_CQ_IN_CQ_UMEM_ID),
		.umem_offset = prm_get(cmd->in, PRM_CREATE_CQ_IN_CQ_UMEM_OFFSET),
		.is_written = true,
		.pas = cmd->in + PRM_CREATE_CQ_IN_PAS_BYTE,
		.nb_pas = (uint32_t)((cmd->in_len - PRM_CREATE_CQ_IN_PAS_BYTE) / PRM_MTT_SIZE),
		.log_page = (uint8_t)prm_get(cqc, PRM_CQC_LOG_PAGE_SIZE) + PRM_ADAPTER_PAGE_SHIFT,
		.page_offset = (uint8_t)prm_get(cqc, PRM_CQC_PAGE_OFFSET),
	};

	return swhca_cmd_ring_init(cmd, &where, UINT64_C(1) << (cq->log_size + cq->log_cqe),
				   &cq->buf, &cq->umem);
}

static uint8_t
cq_init_refs(struct swhca_cmd *cmd, struct swhca_cq *cq, const uint8_t *cqc)
{
	uint32_t uarn = (uint32_t)prm_get(cqc, PRM_CQC_UAR_PAGE);
	uint32_t eqn = (uint32_t)prm_get(cqc, PRM_CQC_C_EQN);
	struct swhca_obj *uar = swhca_cmd_obj(cmd, SWHCA_OBJ_UAR, uarn);
	struct swhca_obj *eq = swhca_cmd_obj(cmd, SWHCA_OBJ_EQ, eqn);

	if (uar == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 1, "UAR 0x%x does not exist", uarn);
	if (eq == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 2, "EQ 0x%x does not exist", eqn);
	cq->eq = (struct swhca_eq *)eq;
	swhca_obj_ref(eq);
	return PRM_CMD_OK;
}

static uint8_t
cq_init(struct swhca_cmd *cmd, struct swhca_cq *cq, const uint8_t *cqc)
{
	uint8_t status;

	cq->log_size = (uint8_t)prm_get(cqc, PRM_CQC_LOG_CQ_SIZE);
	cq->log_cqe = prm_get(cqc, PRM_CQC_CQE_SZ) == PRM_CQC_CQE_SZ_64 ? 6 : 7;
	TAILQ_INIT(&cq->held);
	cq->ignore_overrun = prm_get(cqc, PRM_CQC_OI) != 0;
	cq->is_padded = prm_get(cqc, PRM_CQC_CQE_SZ) == PRM_CQC_CQE_SZ_128_PAD;
	cq->is_compressed = prm_get(cqc, PRM_CQC_CQE_COMP_EN) != 0;
	cq->mini_format = (uint8_t)prm_get(cqc, PRM_CQC_MINI_CQE_RES_FORMAT);
	cq->max_count = (uint16_t)prm_get(cqc, PRM_CQC_CQ_MAX_COUNT);
	cq->period_us = (uint16_t)prm_get(cqc, PRM_CQC_CQ_PERIOD);
	cq->period_from_cqe = prm_get(cqc, PRM_CQC_CQ_PERIOD_MODE) == PRM_CQC_PERIOD_FROM_CQE;
	cq->solicited_breaks = prm_get(cqc, PRM_CQC_SCQE_BREAK_MODERATION_EN) != 0;
	memcpy(cq->cqc, cqc, sizeof(cq->cqc));
	status = cq_init_refs(cmd, cq, cqc);
	if (status != PRM_CMD_OK)
		return status;
	status = cq_init_ring(cmd, cq, cqc);
	if (status != PRM_CMD_OK)
		return status;
	status = swhca_cmd_dbr_init(cmd, prm_get(cqc, PRM_CQC_DBR_UMEM_VALID) != 0,
				    (uint32_t)prm_get(cqc, PRM_CQC_DBR_UMEM_ID),
				    prm_get(cqc, PRM_CQC_DBR_ADDR), &cq->dbr);
	if (status != PRM_CMD_OK)
		return status;
	cq->uar = (struct swhca_uar *)swhca_cmd_obj(cmd, SWHCA_OBJ_UAR,
						    prm_get(cqc, PRM_CQC_UAR_PAGE));
	swhca_cq_event_init(cmd->hca, cq);
	return PRM_CMD_OK;
}

static bool
is_mini_format_known(const uint8_t *cqc)
{
	uint64_t format = prm_get(cqc, PRM_CQC_MINI_CQE_RES_FORMAT);

	return (format == PRM_CQC_MINI_CQE_HASH || format == PRM_CQC_MINI_CQE_CSUM ||
		format == PRM_CQC_MINI_CQE_CSUM_STRIDX) &&
	       prm_get(cqc, PRM_CQC_MINI_CQE_RES_FORMAT_EXT) == 0 &&
	       prm_get(cqc, PRM_CQC_CQE_COMP_LAYOUT) == 0;
}

uint8_t
swhca_cmd_create_cq(struct swhca_cmd *cmd)
{
	const uint8_t *cqc = cmd->in + PRM_CREATE_CQ_IN_CQC_BYTE;
	uint64_t log_size = prm_get(cqc, PRM_CQC_LOG_CQ_SIZE);
	struct swhca_cq *cq;
	uint8_t status;

	if (log_size > cmd->hca->conf.log_max_cq_sz)
		return swhca_cmd_reject(cmd, PRM_CMD_EXCEED_LIM, 3,
					"log_cq_size %" PRIu64 ", at most %u", log_size,
					cmd->hca->conf.log_max_cq_sz);
	if (prm_get(cqc, PRM_CQC_CQE_SZ) > PRM_CQC_CQE_SZ_128_PAD)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 4, "cqe_sz %" PRIu64,
					prm_get(cqc, PRM_CQC_CQE_SZ));
	if (prm_get(cqc, PRM_CQC_CQ_PERIOD_MODE) > PRM_CQC_PERIOD_FROM_CQE)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 8, "cq_period_mode %" PRIu64,
					prm_get(cqc, PRM_CQC_CQ_PERIOD_MODE));
	if (prm_get(cqc, PRM_CQC_CC))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 5,
					"collapsed CQs are not modelled");
	if (prm_get(cqc, PRM_CQC_CQE_COMP_EN) && !is_mini_format_known(cqc))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 7,
					"mini_cqe_res_format %" PRIu64 ", its extension or the"
					" layout is not modelled",
					prm_get(cqc, PRM_CQC_MINI_CQE_RES_FORMAT));
	cq = swhca_obj_create(cmd->hca, SWHCA_OBJ_CQ, cmd->uid, sizeof(*cq));
	if (cq == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 6, "%u CQs in use",
					cmd->hca->tables[SWHCA_OBJ_CQ].nb_used);
	status = cq_init(cmd, cq, cqc);
	if (status != PRM_CMD_OK) {
		swhca_obj_destroy(cmd->hca, &cq->obj);
		return status;
	}
	prm_set(cmd->out, PRM_CREATE_CQ_OUT_CQN, cq->obj.num);
	return PRM_CMD_OK;
}

static uint32_t
cq_notify_state(const struct swhca_cq *cq)
{
	switch (cq->arm) {
	case SWHCA_CQ_ARM_ANY:
		return PRM_CQC_ST_ARMED;
	case SWHCA_CQ_ARM_SOLICITED:
		return PRM_CQC_ST_SOLICITED_ARMED;
	case SWHCA_CQ_ARM_NONE:
	default:
		return PRM_CQC_ST_FIRED;
	}
}

uint8_t
swhca_cmd_query_cq(struct swhca_cmd *cmd)
{
	uint32_t cqn = (uint32_t)prm_get(cmd->in, PRM_CMD_IN_OBJ);
	const struct swhca_cq *cq =
		(const struct swhca_cq *)swhca_cmd_obj(cmd, SWHCA_OBJ_CQ, cqn);
	uint8_t *cqc = cmd->out + PRM_QUERY_CQ_OUT_CQC_BYTE;

	if (cq == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 1, "CQ 0x%x does not exist", cqn);
	memcpy(cqc, cq->cqc, sizeof(cq->cqc));
	prm_set(cqc, PRM_CQC_ST, cq_notify_state(cq));
	prm_set(cqc, PRM_CQC_LAST_SOLICIT_INDEX,
		cq->has_solicited ? cq->solicited_pi & 0xffffff : 0);
	prm_set(cqc, PRM_CQC_PRODUCER_COUNTER, cq->pi & 0xffffff);
	prm_set(cqc, PRM_CQC_CONSUMER_COUNTER, cq->ci & 0xffffff);
	prm_set(cqc, PRM_CQC_STATUS, cq->failed ? 0x9 : 0);	/* 0x9: overflow */
	return PRM_CMD_OK;
}
