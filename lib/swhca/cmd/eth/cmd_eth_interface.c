/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Transport interfaces: TIS, TIR, and tables of receive queues (RQT).
 */

#include <stdlib.h>
#include <string.h>

#include "cmd/eth/cmd_eth.h"
#include "cmd/cmd_handlers.h"
#include "eth/eth_queue.h"

static uint8_t
td_find(struct swhca_cmd *cmd, uint32_t num, struct swhca_obj **td)
{
	*td = swhca_cmd_obj(cmd, SWHCA_OBJ_TD, num);
	if (*td == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 100,
					"transport domain 0x%x does not exist", num);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_create_tis(struct swhca_cmd *cmd)
{
	const uint8_t *tisc = cmd->in + PRM_CREATE_TIS_IN_CTX_BYTE;
	struct swhca_tis *tis;
	struct swhca_obj *td;
	uint8_t status;

	if (!swhca_cmd_has_eth(cmd->hca))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_OP, 1, "the port is InfiniBand");
	if (prm_get(tisc, PRM_TISC_TLS_EN) != 0 || prm_get(tisc, PRM_TISC_UNDERLAY_QPN) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 2,
					"TLS and underlay QPs are not modelled");
	status = td_find(cmd, (uint32_t)prm_get(tisc, PRM_TISC_TRANSPORT_DOMAIN), &td);
	if (status != PRM_CMD_OK)
		return status;
	tis = swhca_obj_create(cmd->hca, SWHCA_OBJ_TIS, cmd->uid, sizeof(*tis));
	if (tis == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 3, "%u in use",
					cmd->hca->tables[SWHCA_OBJ_TIS].nb_used);
	memcpy(tis->tisc, tisc, sizeof(tis->tisc));
	tis->td = td;
	swhca_obj_ref(td);
	prm_set(cmd->out, PRM_CMD_OUT_OBJ, tis->obj.num);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_query_tis(struct swhca_cmd *cmd)
{
	uint32_t num = (uint32_t)prm_get(cmd->in, PRM_CMD_IN_OBJ);
	const struct swhca_tis *tis =
		(const struct swhca_tis *)swhca_cmd_obj(cmd, SWHCA_OBJ_TIS, num);

	if (tis == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 1, "0x%x does not exist", num);
	memcpy(cmd->out + PRM_QUERY_TIS_OUT_CTX_BYTE, tis->tisc, sizeof(tis->tisc));
	return PRM_CMD_OK;
}

/* Get the queues of a table. */
static uint8_t
rqt_list_get(struct swhca_cmd *cmd, const uint8_t *rqtc, uint32_t max, struct swhca_erq **rqs,
	     uint32_t *nb)
{
	const uint8_t *list = rqtc + PRM_RQTC_LIST_BYTE;
	uint32_t i, num;

	*nb = (uint32_t)prm_get(rqtc, PRM_RQTC_ACTUAL_SIZE);
	if (*nb == 0 || *nb > max)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 101, "%u entries, 1 to %u", *nb,
					max);
	if (cmd->in_len < PRM_RQT_IN_SIZE + (size_t)*nb * PRM_RQT_ENTRY_SIZE)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_INP_LEN, 102,
					"input of %zu bytes, %u entries", cmd->in_len, *nb);
	for (i = 0; i < *nb; i++) {
		num = (uint32_t)prm_get(list + (size_t)i * PRM_RQT_ENTRY_SIZE, PRM_RQT_ENTRY);
		rqs[i] = (struct swhca_erq *)swhca_cmd_obj(cmd, SWHCA_OBJ_ERQ, num);
		if (rqs[i] == NULL)
			return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 103,
						"RQ 0x%x of entry %u does not exist", num, i);
	}
	return PRM_CMD_OK;
}

static uint8_t
rqt_set(struct swhca_cmd *cmd, struct swhca_rqt *rqt, const uint8_t *rqtc)
{
	struct swhca_erq **rqs = calloc(rqt->max, sizeof(struct swhca_erq *));
	uint32_t i, nb;
	uint8_t status;

	if (rqs == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 104, "no memory");
	status = rqt_list_get(cmd, rqtc, rqt->max, rqs, &nb);
	if (status != PRM_CMD_OK) {
		free(rqs);
		return status;
	}
	for (i = 0; i < nb; i++)
		swhca_obj_ref(&rqs[i]->obj);
	for (i = 0; i < rqt->nb; i++)
		swhca_obj_unref(&rqt->rqs[i]->obj);
	free(rqt->rqs);
	rqt->rqs = rqs;
	rqt->nb = nb;
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_create_rqt(struct swhca_cmd *cmd)
{
	const uint8_t *rqtc = cmd->in + PRM_RQT_IN_CTX_BYTE;
	uint32_t max = (uint32_t)prm_get(rqtc, PRM_RQTC_MAX_SIZE);
	struct swhca_rqt *rqt;
	uint8_t status;

	if (!swhca_cmd_has_eth(cmd->hca))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_OP, 1, "the port is InfiniBand");
	if (max == 0 || max > 1u << SWHCA_LOG_MAX_RQT_SIZE)
		return swhca_cmd_reject(cmd, PRM_CMD_EXCEED_LIM, 2, "room for %u, 1 to %u", max,
					1u << SWHCA_LOG_MAX_RQT_SIZE);
	if (prm_get(rqtc, PRM_RQTC_VHCA_ID_FORMAT) != 0 ||
	    prm_get(rqtc, PRM_RQTC_LIST_Q_TYPE) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 3,
					"queues of other functions or kinds");
	rqt = swhca_obj_create(cmd->hca, SWHCA_OBJ_RQT, cmd->uid, sizeof(*rqt));
	if (rqt == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 4, "%u in use",
					cmd->hca->tables[SWHCA_OBJ_RQT].nb_used);
	rqt->max = max;
	status = rqt_set(cmd, rqt, rqtc);
	if (status != PRM_CMD_OK) {
		swhca_obj_destroy(cmd->hca, &rqt->obj);
		return status;
	}
	prm_set(cmd->out, PRM_CMD_OUT_OBJ, rqt->obj.num);
	return PRM_CMD_OK;
}

static struct swhca_rqt *
rqt_get(struct swhca_cmd *cmd)
{
	return (struct swhca_rqt *)swhca_cmd_obj(cmd, SWHCA_OBJ_RQT,
						 prm_get(cmd->in, PRM_RQT_IN_NUM));
}

uint8_t
swhca_cmd_modify_rqt(struct swhca_cmd *cmd)
{
	struct swhca_rqt *rqt = rqt_get(cmd);

	if (rqt == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 1, "0x%x does not exist",
					(uint32_t)prm_get(cmd->in, PRM_RQT_IN_NUM));
	if (prm_get(cmd->in, PRM_RQT_IN_BITMASK) == 0)
		return PRM_CMD_OK;
	return rqt_set(cmd, rqt, cmd->in + PRM_RQT_IN_CTX_BYTE);
}

uint8_t
swhca_cmd_query_rqt(struct swhca_cmd *cmd)
{
	uint8_t *rqtc = cmd->out + PRM_QUERY_RQT_OUT_CTX_BYTE;
	size_t room = cmd->out_len - PRM_QUERY_RQT_OUT_SIZE;
	const struct swhca_rqt *rqt = rqt_get(cmd);
	uint32_t i;

	if (rqt == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 1, "0x%x does not exist",
					(uint32_t)prm_get(cmd->in, PRM_RQT_IN_NUM));
	prm_set(rqtc, PRM_RQTC_MAX_SIZE, rqt->max);
	prm_set(rqtc, PRM_RQTC_ACTUAL_SIZE, rqt->nb);
	for (i = 0; i < rqt->nb && (i + 1) * PRM_RQT_ENTRY_SIZE <= room; i++)
		prm_set(rqtc + PRM_RQTC_LIST_BYTE + (size_t)i * PRM_RQT_ENTRY_SIZE, PRM_RQT_ENTRY,
			rqt->rqs[i]->obj.num);
	return PRM_CMD_OK;
}
