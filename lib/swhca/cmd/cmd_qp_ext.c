/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Parameters of QP transitions selected by bits 95..32 of opt_param_mask; most of them are in an
 * extension after the context.
 */

#include <inttypes.h>

#include "mlx5_prm_dc.h"
#include "mlx5_prm_qos.h"
#include "cmd/cmd.h"
#include "cmd/cmd_dci.h"
#include "cmd/cmd_qp_ext.h"
#include "object/limits.h"
#include "xport/dci.h"

/* Bits supported by a transition. */
static uint64_t
ext_known(const struct swhca_qp *qp, uint16_t opcode)
{
	bool is_roce = qp->hca->conf.link_layer == SWHCA_LINK_ETH;
	uint64_t st = prm_get(qp->qpc, PRM_QPC_ST);
	uint64_t known = 0;

	if (opcode == PRM_CMD_INIT2INIT_QP || opcode == PRM_CMD_RTS2RTS_QP)
		known |= PRM_QP_OPT_32_QOS_QUEUE_GROUP_ID;
	if (opcode == PRM_CMD_INIT2INIT_QP && (st == PRM_QP_ST_RC || st == PRM_QP_ST_DCI) &&
	    swhca_model_has(qp->hca->conf.model, SWHCA_FEATURE_DMA_MMO))
		known |= PRM_QP_OPT_32_MMO;
	if (opcode == PRM_CMD_RTS2RTS_QP && qp->dci != NULL)
		known |= PRM_QP_OPT_32_DCI_STREAM_CHANNEL_ID;
	if (opcode == PRM_CMD_RTS2RTS_QP && is_roce && (st == PRM_QP_ST_RC || st == PRM_QP_ST_UC))
		known |= PRM_QP_OPT_32_UDP_SPORT;
	return known;
}

/* Group 0 means none. */
static uint8_t
group_check(struct swhca_cmd *cmd, struct prm_field field)
{
	uint32_t num = (uint32_t)prm_get(cmd->in + PRM_MODIFY_QP_IN_EXT_BYTE, field);
	const struct swhca_sched *group;

	if (num == 0)
		return PRM_CMD_OK;
	group = (const struct swhca_sched *)swhca_cmd_obj(cmd, SWHCA_OBJ_SCHED, num);
	if (group == NULL || group->type != PRM_SCHED_ELEM_QUEUE_GROUP)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 61, "0x%x is no queue group", num);
	return PRM_CMD_OK;
}

static uint8_t
groups_check(struct swhca_cmd *cmd, const struct swhca_qp *qp)
{
	uint8_t status;

	status = group_check(cmd, PRM_QPC_EXT_QOS_QUEUE_GROUP_ID_REQUESTER);
	if (status == PRM_CMD_OK)
		status = group_check(cmd, PRM_QPC_EXT_QOS_QUEUE_GROUP_ID_RESPONDER);
	if (status != PRM_CMD_OK)
		return status;
	/* Only a reliable responder sends data. */
	if (prm_get(qp->qpc, PRM_QPC_ST) != PRM_QP_ST_RC &&
	    prm_get(cmd->in + PRM_MODIFY_QP_IN_EXT_BYTE,
		    PRM_QPC_EXT_QOS_QUEUE_GROUP_ID_RESPONDER) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 62,
					"QP 0x%x: its responder sends nothing to limit",
					qp->obj.num);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_qp_ext_check(struct swhca_cmd *cmd, const struct swhca_qp *qp)
{
	uint64_t opt = prm_get(cmd->in, PRM_MODIFY_QP_IN_OPT_PARAM_MASK_95_32);
	uint64_t known = ext_known(qp, cmd->opcode);
	bool needs_ext = (opt & ~(uint64_t)PRM_QP_OPT_32_UDP_SPORT) != 0;
	uint64_t sport;

	if ((opt & ~known) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 63,
					"QP 0x%x: opt_param_mask_95_32 0x%" PRIx64
					" has bits beyond 0x%" PRIx64, qp->obj.num, opt, known);
	if (needs_ext && (prm_get(cmd->in, PRM_MODIFY_QP_IN_QPC_EXT) == 0 ||
			  cmd->in_len < PRM_MODIFY_QP_IN_EXT_SIZE))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 64,
					"QP 0x%x: opt_param_mask_95_32 0x%" PRIx64
					" without the extension", qp->obj.num, opt);
	if ((opt & PRM_QP_OPT_32_UDP_SPORT) != 0) {
		sport = prm_get(cmd->in + PRM_MODIFY_QP_IN_QPC_BYTE,
				PRM_QPC_PRIMARY_PATH_UDP_SPORT);
		if (sport < SWHCA_MIN_ROCE_SPORT)
			return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 65,
						"QP 0x%x: UDP source port 0x%" PRIx64
						", at least 0x%x", qp->obj.num, sport,
						SWHCA_MIN_ROCE_SPORT);
	}
	if ((opt & PRM_QP_OPT_32_DCI_STREAM_CHANNEL_ID) != 0 &&
	    swhca_cmd_dci_stream_check(cmd, qp) != PRM_CMD_OK)
		return PRM_CMD_BAD_PARAM;
	return (opt & PRM_QP_OPT_32_QOS_QUEUE_GROUP_ID) == 0 ? PRM_CMD_OK : groups_check(cmd, qp);
}

static void
group_put(struct swhca_sched **group)
{
	if (*group != NULL)
		swhca_obj_unref(&(*group)->obj);
	*group = NULL;
}

static void
group_set(const struct swhca_cmd *cmd, struct prm_field field, struct swhca_sched **group)
{
	uint64_t num = prm_get(cmd->in + PRM_MODIFY_QP_IN_EXT_BYTE, field);

	group_put(group);
	*group = (struct swhca_sched *)swhca_cmd_obj(cmd, SWHCA_OBJ_SCHED, num);
	if (*group != NULL)
		swhca_obj_ref(&(*group)->obj);
}

void
swhca_cmd_qp_ext_reset(struct swhca_qp *qp)
{
	group_put(&qp->req_group);
	group_put(&qp->resp_group);
	qp->mmo = false;
}

void
swhca_cmd_qp_ext_apply(const struct swhca_cmd *cmd, struct swhca_qp *qp)
{
	const uint8_t *qpc = cmd->in + PRM_MODIFY_QP_IN_QPC_BYTE;
	uint64_t opt = prm_get(cmd->in, PRM_MODIFY_QP_IN_OPT_PARAM_MASK_95_32);

	if ((opt & PRM_QP_OPT_32_QOS_QUEUE_GROUP_ID) != 0) {
		group_set(cmd, PRM_QPC_EXT_QOS_QUEUE_GROUP_ID_REQUESTER, &qp->req_group);
		group_set(cmd, PRM_QPC_EXT_QOS_QUEUE_GROUP_ID_RESPONDER, &qp->resp_group);
	}
	if ((opt & PRM_QP_OPT_32_MMO) != 0)
		qp->mmo = prm_get(cmd->in + PRM_MODIFY_QP_IN_EXT_BYTE, PRM_QPC_EXT_MMO) != 0;
	if ((opt & PRM_QP_OPT_32_DCI_STREAM_CHANNEL_ID) != 0)
		swhca_dci_stream_reset(qp, (uint16_t)prm_get(cmd->in + PRM_MODIFY_QP_IN_EXT_BYTE,
							     PRM_QPC_EXT_DCI_STREAM_CHANNEL_ID));
	if ((opt & PRM_QP_OPT_32_UDP_SPORT) != 0)
		prm_set(qp->qpc, PRM_QPC_PRIMARY_PATH_UDP_SPORT,
			prm_get(qpc, PRM_QPC_PRIMARY_PATH_UDP_SPORT));
}
