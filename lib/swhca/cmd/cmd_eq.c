/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Commands of event queues. */

#include "cmd/cmd.h"
#include "cmd/cmd_handlers.h"
#include "cmd/cmd_ring.h"
#include "object/limits.h"
#include "queue/eq.h"

static uint8_t
eq_init_ring(struct swhca_cmd *cmd, struct swhca_eq *eq, const uint8_t *eqc)
{
	const struct swhca_ring_where where = {
		.pas = cmd->in + PRM_CREATE_EQ_IN_PAS_BYTE,
		.nb_pas = (uint32_t)((cmd->in_len - PRM_CREATE_EQ_IN_PAS_BYTE) / PRM_MTT_SIZE),
		.log_page = (uint8_t)prm_get(eqc, PRM_EQC_LOG_PAGE_SIZE) + PRM_ADAPTER_PAGE_SHIFT,
		.page_offset = (uint8_t)prm_get(eqc, PRM_EQC_PAGE_OFFSET),
	};
	struct swhca_umem *umem = NULL;

	return swhca_cmd_ring_init(cmd, &where, (uint64_t)PRM_EQE_SIZE << eq->log_size, &eq->buf,
				   &umem);
}

uint8_t
swhca_cmd_create_eq(struct swhca_cmd *cmd)
{
	const uint8_t *eqc = cmd->in + PRM_CREATE_EQ_IN_EQC_BYTE;
	uint32_t log_size = (uint32_t)prm_get(eqc, PRM_EQC_LOG_EQ_SIZE);
	uint32_t uarn = (uint32_t)prm_get(eqc, PRM_EQC_UAR_PAGE);
	struct swhca_obj *uar = swhca_cmd_obj(cmd, SWHCA_OBJ_UAR, uarn);
	struct swhca_eq *eq;
	uint8_t status;
	unsigned int i;

	if (log_size > SWHCA_LOG_MAX_EQ_SZ)
		return swhca_cmd_reject(cmd, PRM_CMD_EXCEED_LIM, 1, "log_eq_size %u, at most %u",
					log_size, SWHCA_LOG_MAX_EQ_SZ);
	if (uar == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 2, "UAR 0x%x does not exist", uarn);
	eq = swhca_obj_create(cmd->hca, SWHCA_OBJ_EQ, cmd->uid, sizeof(*eq));
	if (eq == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 3, "%u EQs in use",
					cmd->hca->tables[SWHCA_OBJ_EQ].nb_used);
	eq->log_size = (uint8_t)log_size;
	eq->vector = (uint8_t)prm_get(eqc, PRM_EQC_INTR);
	eq->ignore_overrun = prm_get(eqc, PRM_EQC_OI) != 0;
	memcpy(eq->eqc, eqc, sizeof(eq->eqc));
	eq->uar = (struct swhca_uar *)uar;
	swhca_uar_ref(cmd->hca, eq->uar);
	LIST_INSERT_HEAD(&eq->uar->eqs, eq, uar_link);
	status = eq_init_ring(cmd, eq, eqc);
	if (status != PRM_CMD_OK) {
		swhca_obj_destroy(cmd->hca, &eq->obj);
		return status;
	}
	for (i = 0; i < PRM_EQ_NB_MASKS; i++)
		eq->mask[i] = prm_get(cmd->in, PRM_CREATE_EQ_IN_EVENT_BITMASK(i));
	swhca_eq_take_events(cmd->hca, eq);
	prm_set(cmd->out, PRM_CREATE_EQ_OUT_EQN, eq->obj.num);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_query_eq(struct swhca_cmd *cmd)
{
	uint32_t eqn = (uint32_t)prm_get(cmd->in, PRM_QUERY_EQ_IN_EQN);
	const struct swhca_eq *eq =
		(const struct swhca_eq *)swhca_cmd_obj(cmd, SWHCA_OBJ_EQ, eqn);
	uint8_t *eqc = cmd->out + PRM_QUERY_EQ_OUT_EQC_BYTE;

	if (eq == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 1, "EQ 0x%x does not exist", eqn);
	memcpy(eqc, eq->eqc, sizeof(eq->eqc));
	prm_set(eqc, PRM_EQC_STATUS, eq->failed ? PRM_EQC_STATUS_WRITE_FAILURE : 0);
	prm_set(eqc, PRM_EQC_ST, eq->is_armed ? PRM_EQC_ST_ARMED : PRM_EQC_ST_FIRED);
	prm_set(eqc, PRM_EQC_CONSUMER_COUNTER, eq->ci & 0xffffff);
	prm_set(eqc, PRM_EQC_PRODUCER_COUNTER, eq->pi & 0xffffff);
	return PRM_CMD_OK;
}
