/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Commands of multicast groups. */

#include "cmd/cmd.h"
#include "cmd/cmd_handlers.h"
#include "include/gid.h"
#include "xport/mcg.h"

static uint8_t
attach_check(struct swhca_cmd *cmd, const struct swhca_qp *qp, const uint8_t *gid)
{
	unsigned int nb, nb_all;

	if (prm_get(qp->qpc, PRM_QPC_ST) != PRM_QP_ST_UD)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 2, "QP 0x%x is not of type UD",
					qp->obj.num);
	if (!swhca_gid_is_multicast(gid))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 3,
					"a GID that begins with 0x%x is no group", gid[0]);
	if (swhca_mcg_find(cmd->hca, gid, qp) != NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 4, "QP 0x%x is in the group",
					qp->obj.num);
	swhca_mcg_count(cmd->hca, gid, &nb, &nb_all);
	if (nb == SWHCA_MAX_QP_MCG || nb_all == 1u << SWHCA_LOG_MAX_MCG)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 5,
					"%u QPs in the group of %u, %u in all of %u", nb,
					SWHCA_MAX_QP_MCG, nb_all, 1u << SWHCA_LOG_MAX_MCG);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_attach_to_mcg(struct swhca_cmd *cmd)
{
	uint32_t qpn = (uint32_t)prm_get(cmd->in, PRM_CMD_IN_OBJ);
	struct swhca_qp *qp = (struct swhca_qp *)swhca_cmd_obj(cmd, SWHCA_OBJ_QP, qpn);
	const uint8_t *gid = cmd->in + PRM_MCG_IN_GID_BYTE;
	uint8_t status;

	if (qp == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 1, "QP 0x%x does not exist", qpn);
	status = attach_check(cmd, qp, gid);
	if (status != PRM_CMD_OK)
		return status;
	if (swhca_mcg_join(cmd->hca, gid, qp) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 6, "no memory");
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_detach_from_mcg(struct swhca_cmd *cmd)
{
	uint32_t qpn = (uint32_t)prm_get(cmd->in, PRM_CMD_IN_OBJ);
	struct swhca_qp *qp = (struct swhca_qp *)swhca_cmd_obj(cmd, SWHCA_OBJ_QP, qpn);
	struct swhca_mcg_member *member;

	if (qp == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 1, "QP 0x%x does not exist", qpn);
	member = swhca_mcg_find(cmd->hca, cmd->in + PRM_MCG_IN_GID_BYTE, qp);
	if (member == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 2, "QP 0x%x is not in the group",
					qpn);
	swhca_mcg_leave(member);
	return PRM_CMD_OK;
}
