/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdlib.h>

#include "cmd/cmd.h"
#include "include/gid.h"
#include "xport/mcg.h"

static struct swhca_mcg_member *
member_find(const struct swhca_hca *hca, const uint8_t *gid, const struct swhca_qp *qp)
{
	struct swhca_mcg_member *member;

	LIST_FOREACH(member, &hca->mcg_members, link) {
		if (member->qp == qp && memcmp(member->gid, gid, sizeof(member->gid)) == 0)
			return member;
	}
	return NULL;
}

/* Members of one group, and of all. */
static void
members_count(const struct swhca_hca *hca, const uint8_t *gid, unsigned int *nb,
	      unsigned int *nb_all)
{
	const struct swhca_mcg_member *member;

	*nb = 0;
	*nb_all = 0;
	LIST_FOREACH(member, &hca->mcg_members, link) {
		(*nb_all)++;
		if (memcmp(member->gid, gid, sizeof(member->gid)) == 0)
			(*nb)++;
	}
}

static uint8_t
attach_check(struct swhca_cmd *cmd, const struct swhca_qp *qp, const uint8_t *gid)
{
	unsigned int nb, nb_all;

	if (prm_get(qp->qpc, PRM_QPC_ST) != PRM_QP_ST_UD)
		return swhca_cmd_refuse(cmd, PRM_CMD_BAD_PARAM, 2, "QP 0x%x is not of type UD",
					qp->obj.num);
	if (!swhca_gid_is_multicast(gid))
		return swhca_cmd_refuse(cmd, PRM_CMD_BAD_PARAM, 3,
					"a GID that begins with 0x%x is no group", gid[0]);
	if (member_find(cmd->hca, gid, qp) != NULL)
		return swhca_cmd_refuse(cmd, PRM_CMD_BAD_PARAM, 4, "QP 0x%x is in the group",
					qp->obj.num);
	members_count(cmd->hca, gid, &nb, &nb_all);
	if (nb == SWHCA_MAX_QP_MCG || nb_all == 1u << SWHCA_LOG_MAX_MCG)
		return swhca_cmd_refuse(cmd, PRM_CMD_NO_RES, 5,
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
	struct swhca_mcg_member *member;
	uint8_t status;

	if (qp == NULL)
		return swhca_cmd_refuse(cmd, PRM_CMD_BAD_RES, 1, "QP 0x%x does not exist", qpn);
	status = attach_check(cmd, qp, gid);
	if (status != PRM_CMD_OK)
		return status;
	member = calloc(1, sizeof(*member));
	if (member == NULL)
		return swhca_cmd_refuse(cmd, PRM_CMD_NO_RES, 6, "no memory");
	memcpy(member->gid, gid, sizeof(member->gid));
	member->qp = qp;
	swhca_obj_ref(&qp->obj);
	LIST_INSERT_HEAD(&cmd->hca->mcg_members, member, link);
	return PRM_CMD_OK;
}

static void
member_free(struct swhca_mcg_member *member)
{
	LIST_REMOVE(member, link);
	swhca_obj_unref(&member->qp->obj);
	free(member);
}

uint8_t
swhca_cmd_detach_from_mcg(struct swhca_cmd *cmd)
{
	uint32_t qpn = (uint32_t)prm_get(cmd->in, PRM_CMD_IN_OBJ);
	struct swhca_qp *qp = (struct swhca_qp *)swhca_cmd_obj(cmd, SWHCA_OBJ_QP, qpn);
	struct swhca_mcg_member *member;

	if (qp == NULL)
		return swhca_cmd_refuse(cmd, PRM_CMD_BAD_RES, 1, "QP 0x%x does not exist", qpn);
	member = member_find(cmd->hca, cmd->in + PRM_MCG_IN_GID_BYTE, qp);
	if (member == NULL)
		return swhca_cmd_refuse(cmd, PRM_CMD_BAD_PARAM, 2, "QP 0x%x is not in the group",
					qpn);
	member_free(member);
	return PRM_CMD_OK;
}

void
swhca_mcg_fini(struct swhca_hca *hca)
{
	while (!LIST_EMPTY(&hca->mcg_members))
		member_free(LIST_FIRST(&hca->mcg_members));
}
