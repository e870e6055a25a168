/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * MODIFY_CQ: moderation, overrun, event queue, and another ring.
 */

#include <inttypes.h>

#include "mlx5_prm_wqe.h"
#include "cmd/cmd.h"
#include "cmd/cmd_handlers.h"
#include "cmd/cmd_ring.h"
#include "engine/engine.h"
#include "object/limits.h"
#include "queue/cq_ring.h"
#include "queue/eq.h"

static uint8_t
modify_fields(struct swhca_cmd *cmd, struct swhca_cq *cq)
{
	const uint64_t known = PRM_MODIFY_CQ_PERIOD | PRM_MODIFY_CQ_COUNT | PRM_MODIFY_CQ_OI |
			       PRM_MODIFY_CQ_EQN | PRM_MODIFY_CQ_PERIOD_MODE;
	const uint8_t *cqc = cmd->in + PRM_MODIFY_CQ_IN_CQC_BYTE;
	uint64_t select = prm_get(cmd->in, PRM_MODIFY_CQ_IN_FIELD_SELECT);
	uint32_t eqn = (uint32_t)prm_get(cqc, PRM_CQC_C_EQN);
	uint64_t mode = prm_get(cqc, PRM_CQC_CQ_PERIOD_MODE);
	struct swhca_obj *eq = NULL;

	if ((select & ~known) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 2,
					"modify_field_select 0x%" PRIx64 ", known are 0x%" PRIx64,
					select, known);
	if ((select & PRM_MODIFY_CQ_PERIOD_MODE) != 0 && mode > PRM_CQC_PERIOD_FROM_CQE)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 11, "cq_period_mode %" PRIu64,
					mode);
	if ((select & PRM_MODIFY_CQ_EQN) != 0) {
		eq = swhca_cmd_obj(cmd, SWHCA_OBJ_EQ, eqn);
		if (eq == NULL)
			return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 3, "EQ 0x%x does not exist",
						eqn);
		swhca_obj_unref(&cq->eq->obj);
		swhca_obj_ref(eq);
		cq->eq = (struct swhca_eq *)eq;
		prm_set(cq->cqc, PRM_CQC_C_EQN, eqn);
	}
	if ((select & PRM_MODIFY_CQ_PERIOD_MODE) != 0) {
		cq->period_from_cqe = mode == PRM_CQC_PERIOD_FROM_CQE;
		prm_set(cq->cqc, PRM_CQC_CQ_PERIOD_MODE, mode);
	}
	if ((select & PRM_MODIFY_CQ_PERIOD) != 0) {
		cq->period_us = (uint16_t)prm_get(cqc, PRM_CQC_CQ_PERIOD);
		prm_set(cq->cqc, PRM_CQC_CQ_PERIOD, cq->period_us);
	}
	if ((select & PRM_MODIFY_CQ_COUNT) != 0) {
		cq->max_count = (uint16_t)prm_get(cqc, PRM_CQC_CQ_MAX_COUNT);
		prm_set(cq->cqc, PRM_CQC_CQ_MAX_COUNT, cq->max_count);
	}
	if ((select & PRM_MODIFY_CQ_OI) != 0) {
		cq->ignore_overrun = prm_get(cqc, PRM_CQC_OI) != 0;
		prm_set(cq->cqc, PRM_CQC_OI, cq->ignore_overrun);
	}
	return PRM_CMD_OK;
}

static uint8_t
resize_check(struct swhca_cmd *cmd, struct swhca_cq *cq, const uint8_t *cqc)
{
	const uint64_t all = PRM_RESIZE_CQ_LOG_SIZE | PRM_RESIZE_CQ_PAGE_OFFSET |
			     PRM_RESIZE_CQ_PAGE_SIZE;
	uint64_t select = prm_get(cmd->in, PRM_MODIFY_CQ_IN_FIELD_SELECT);
	uint32_t log_size = (uint32_t)prm_get(cqc, PRM_CQC_LOG_CQ_SIZE);
	uint64_t cqe_sz = prm_get(cqc, PRM_CQC_CQE_SZ);
	uint32_t nb_used = swhca_cq_nb_used(cmd->hca->fabric, cq);

	if (select != all)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 4,
					"resize_field_select 0x%" PRIx64 ", not 0x%" PRIx64,
					select, all);
	if (log_size > cmd->hca->conf.log_max_cq_sz)
		return swhca_cmd_reject(cmd, PRM_CMD_EXCEED_LIM, 5, "log_cq_size %u, at most %u",
					log_size, cmd->hca->conf.log_max_cq_sz);
	if (cqe_sz != prm_get(cq->cqc, PRM_CQC_CQE_SZ))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 6,
					"cqe_sz %" PRIu64 ", the CQ has %" PRIu64, cqe_sz,
					prm_get(cq->cqc, PRM_CQC_CQE_SZ));
	if (cq->failed)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES_STATE, 7, "CQ 0x%x is in error",
					cq->obj.num);
	if (nb_used > UINT32_C(1) << log_size || nb_used == UINT32_C(1) << cq->log_size)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_SIZE, 8,
					"%u of %u CQEs are outstanding, the new ring has %u",
					nb_used, 1u << cq->log_size, 1u << log_size);
	return PRM_CMD_OK;
}

static uint8_t
resize(struct swhca_cmd *cmd, struct swhca_cq *cq)
{
	const uint8_t *cqc = cmd->in + PRM_MODIFY_CQ_IN_CQC_BYTE;
	const struct swhca_ring_where where = {
		.in_umem = prm_get(cmd->in, PRM_MODIFY_CQ_IN_CQ_UMEM_VALID) != 0,
		.umem_id = (uint32_t)prm_get(cmd->in, PRM_MODIFY_CQ_IN_CQ_UMEM_ID),
		.umem_offset = prm_get(cmd->in, PRM_MODIFY_CQ_IN_CQ_UMEM_OFFSET),
		.is_written = true,
		.pas = cmd->in + PRM_MODIFY_CQ_IN_PAS_BYTE,
		.nb_pas = (uint32_t)((cmd->in_len - PRM_MODIFY_CQ_IN_PAS_BYTE) / PRM_MTT_SIZE),
		.log_page = (uint8_t)prm_get(cqc, PRM_CQC_LOG_PAGE_SIZE) + PRM_ADAPTER_PAGE_SHIFT,
		.page_offset = (uint8_t)prm_get(cqc, PRM_CQC_PAGE_OFFSET),
	};
	uint32_t log_size = (uint32_t)prm_get(cqc, PRM_CQC_LOG_CQ_SIZE);
	struct swhca_umem *umem = NULL;
	struct swhca_buf buf;
	uint8_t status;

	/* Handle doorbells rung before the command first: on hardware a command takes longer. */
	swhca_engine_pass(cmd->hca->fabric);
	status = resize_check(cmd, cq, cqc);
	if (status == PRM_CMD_OK)
		status = swhca_cmd_ring_init(cmd, &where, UINT64_C(1) << (log_size + cq->log_cqe),
					     &buf, &umem);
	if (status != PRM_CMD_OK)
		return status;
	/* The last CQE in the old ring redirects software to the new one. */
	if (!swhca_cq_write_resize(cmd->hca, cq)) {
		if (umem != NULL)
			swhca_obj_unref(&umem->obj);
		else
			swhca_buf_fini(&buf);
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES_STATE, 9, "the old ring is lost");
	}
	swhca_cq_ring_fini(cq);
	cq->buf = buf;
	cq->umem = umem;
	cq->log_size = (uint8_t)log_size;
	prm_set(cq->cqc, PRM_CQC_LOG_CQ_SIZE, log_size);
	prm_set(cq->cqc, PRM_CQC_PAGE_OFFSET, where.page_offset);
	prm_set(cq->cqc, PRM_CQC_LOG_PAGE_SIZE, where.log_page - PRM_ADAPTER_PAGE_SHIFT);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_modify_cq(struct swhca_cmd *cmd)
{
	uint32_t cqn = (uint32_t)prm_get(cmd->in, PRM_CMD_IN_OBJ);
	struct swhca_cq *cq = (struct swhca_cq *)swhca_cmd_obj(cmd, SWHCA_OBJ_CQ, cqn);
	unsigned int op_mod = (unsigned int)prm_get(cmd->in, PRM_CMD_IN_OP_MOD);

	if (cq == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 1, "CQ 0x%x does not exist", cqn);
	switch (op_mod) {
	case PRM_MODIFY_CQ_OP_MOD_MODIFY:
		return modify_fields(cmd, cq);
	case PRM_MODIFY_CQ_OP_MOD_RESIZE:
		return resize(cmd, cq);
	default:
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 10, "op_mod %u", op_mod);
	}
}
