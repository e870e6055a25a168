/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Commands of targets of the dynamically connected transport. */

#include <inttypes.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/cmd_handlers.h"
#include "queue/eq.h"
#include "xport/dct.h"
#include "xport/port.h"

static uint8_t
dctc_check(struct swhca_cmd *cmd, const uint8_t *dctc)
{
	uint64_t mtu = prm_get(dctc, PRM_DCTC_MTU);
	uint64_t port = prm_get(dctc, PRM_DCTC_PORT);
	uint64_t pkey_index = prm_get(dctc, PRM_DCTC_PKEY_INDEX);
	uint64_t cs_res = prm_get(dctc, PRM_DCTC_CS_RES);

	if (mtu < PRM_QPC_MTU_256 || mtu > PRM_QPC_MTU_4096)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 1, "MTU code %" PRIu64 ", %u to %u",
					mtu, PRM_QPC_MTU_256, PRM_QPC_MTU_4096);
	if (port != 1)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 2, "port %" PRIu64 " of 1", port);
	if (swhca_port_pkey(cmd->hca, (unsigned int)pkey_index) == 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 3, "no P_Key at index %" PRIu64,
					pkey_index);
	if (cs_res != PRM_DCTC_CS_RES_DISABLE && cs_res != PRM_DCTC_CS_RES_64B)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 4, "scatter to CQE %" PRIu64,
					cs_res);
	return PRM_CMD_OK;
}

static uint8_t
dct_init_refs(struct swhca_cmd *cmd, struct swhca_dct *dct)
{
	uint32_t pdn = (uint32_t)prm_get(dct->dctc, PRM_DCTC_PD);
	uint32_t cqn = (uint32_t)prm_get(dct->dctc, PRM_DCTC_CQN);
	uint32_t srqn = (uint32_t)prm_get(dct->dctc, PRM_DCTC_SRQN_XRQN);
	struct swhca_obj *pd = swhca_cmd_obj(cmd, SWHCA_OBJ_PD, pdn);
	struct swhca_cq *cq = (struct swhca_cq *)swhca_cmd_obj(cmd, SWHCA_OBJ_CQ, cqn);
	struct swhca_srq *srq = (struct swhca_srq *)swhca_cmd_obj(cmd, SWHCA_OBJ_SRQ, srqn);

	if (pd == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 5, "PD 0x%x does not exist", pdn);
	if (cq == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 6, "CQ 0x%x does not exist", cqn);
	if (srq == NULL || srq->kind == SWHCA_SRQ_XRC)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 7, "SRQ 0x%x does not exist", srqn);
	if (prm_get(dct->dctc, PRM_DCTC_CS_RES) == PRM_DCTC_CS_RES_64B && cq->log_cqe != 7)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 8,
					"scatter of 64 bytes to CQEs of 64 bytes");
	dct->pd = pd;
	swhca_obj_ref(pd);
	dct->cq = cq;
	swhca_obj_ref(&cq->obj);
	dct->srq = srq;
	swhca_obj_ref(&srq->obj);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_create_dct(struct swhca_cmd *cmd)
{
	const uint8_t *dctc = cmd->in + PRM_CREATE_DCT_IN_DCTC_BYTE;
	struct swhca_dct *dct;
	uint8_t status;

	status = dctc_check(cmd, dctc);
	if (status != PRM_CMD_OK)
		return status;
	dct = swhca_obj_create(cmd->hca, SWHCA_OBJ_DCT, cmd->uid, sizeof(*dct));
	if (dct == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 9, "%u DCTs in use",
					cmd->hca->tables[SWHCA_OBJ_DCT].nb_used);
	memcpy(dct->dctc, dctc, sizeof(dct->dctc));
	dct->state = PRM_DCT_STATE_ACTIVE;
	status = dct_init_refs(cmd, dct);
	if (status != PRM_CMD_OK) {
		swhca_obj_destroy(cmd->hca, &dct->obj);
		return status;
	}
	prm_set(cmd->out, PRM_CREATE_DCT_OUT_DCTN, dct->obj.num);
	return PRM_CMD_OK;
}

static struct swhca_dct *
dct_get(const struct swhca_cmd *cmd)
{
	return (struct swhca_dct *)swhca_cmd_obj(cmd, SWHCA_OBJ_DCT,
						 prm_get(cmd->in, PRM_CMD_IN_OBJ));
}

static uint8_t
dct_missing(struct swhca_cmd *cmd)
{
	return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 1, "0x%x does not exist",
				(unsigned int)prm_get(cmd->in, PRM_CMD_IN_OBJ));
}

/* Requests are answered completely, so nothing is outstanding: draining ends at once. */
uint8_t
swhca_cmd_drain_dct(struct swhca_cmd *cmd)
{
	struct swhca_dct *dct = dct_get(cmd);

	if (dct == NULL)
		return dct_missing(cmd);
	if (dct->state != PRM_DCT_STATE_ACTIVE)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES_STATE, 2, "0x%x is in state %u",
					dct->obj.num, (unsigned int)dct->state);
	dct->state = PRM_DCT_STATE_DRAINED;
	swhca_event_raise(cmd->hca, PRM_EVENT_DCT_DRAINED, dct->obj.num);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_destroy_dct(struct swhca_cmd *cmd)
{
	struct swhca_dct *dct = dct_get(cmd);

	if (dct == NULL || !swhca_cmd_may_destroy(cmd, &dct->obj))
		return dct_missing(cmd);
	/* A failed device has nothing to drain, and rejects the drain command. */
	if (dct->state != PRM_DCT_STATE_DRAINED && !cmd->hca->is_failed)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES_STATE, 2, "0x%x is not drained",
					dct->obj.num);
	swhca_obj_destroy(cmd->hca, &dct->obj);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_query_dct(struct swhca_cmd *cmd)
{
	uint8_t *dctc = cmd->out + PRM_QUERY_DCT_OUT_DCTC_BYTE;
	const struct swhca_dct *dct = dct_get(cmd);

	if (dct == NULL)
		return dct_missing(cmd);
	memcpy(dctc, dct->dctc, sizeof(dct->dctc));
	prm_set(dctc, PRM_DCTC_STATE, dct->state);
	prm_set(dctc, PRM_DCTC_DC_ACCESS_KEY_VIOLATION_COUNT, dct->nb_violations);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_arm_dct(struct swhca_cmd *cmd)
{
	struct swhca_dct *dct = dct_get(cmd);

	if (dct == NULL)
		return dct_missing(cmd);
	dct->is_armed = true;
	return PRM_CMD_OK;
}
