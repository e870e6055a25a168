/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Commands of scheduling elements.
 *
 * A bandwidth limit applies to all elements below. A share divides bandwidth that a link lacks; the
 * links of the model are as fast as its engine, which serves queues in turn, so shares have no
 * effect: they are checked and stored.
 */

#include <inttypes.h>

#include "mlx5_prm_qos.h"
#include "cmd/cmd.h"
#include "cmd/cmd_sched.h"
#include "queue/qp.h"
#include "queue/sched.h"

/* Common checks of create and modify. */
static uint8_t
sched_check(struct swhca_cmd *cmd, const uint8_t *elem)
{
	const uint8_t *ctx = elem + PRM_SCHED_ELEM_CTX_BYTE;
	uint64_t hierarchy = prm_get(elem, PRM_SCHED_ELEM_HIERARCHY);
	uint64_t select = prm_get(elem, PRM_SCHED_ELEM_MODIFY_FIELD_SELECT);
	uint64_t share = prm_get(ctx, PRM_SCHED_BW_SHARE);

	if (hierarchy != PRM_SCHED_HIERARCHY_NIC)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 1,
					"hierarchy %" PRIu64 " is not modelled", hierarchy);
	if ((select & ~(uint64_t)(PRM_SCHED_SELECT_BW_SHARE | PRM_SCHED_SELECT_MAX_AVERAGE_BW)) !=
	    0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 2,
					"modify_field_select 0x%" PRIx64, select);
	if (share > SWHCA_MAX_BW_SHARE)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 3,
					"bw_share %" PRIu64 ", at most %u", share,
					SWHCA_MAX_BW_SHARE);
	return PRM_CMD_OK;
}

/* Check the position in the tree: level 1 is a root. */
static uint8_t
sched_check_parent(struct swhca_cmd *cmd, const uint8_t *ctx, const struct swhca_sched *parent,
		   uint32_t *level)
{
	uint32_t num = (uint32_t)prm_get(ctx, PRM_SCHED_PARENT_ELEMENT_ID);
	uint64_t type = prm_get(ctx, PRM_SCHED_ELEMENT_TYPE);

	*level = parent == NULL ? 1 : parent->level + 1;
	if (num != 0 && (parent == NULL || parent->type != PRM_SCHED_ELEM_TSAR))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 4, "parent 0x%x is no arbiter", num);
	if (num == 0 && type != PRM_SCHED_ELEM_TSAR)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 5, "a queue group needs a parent");
	if (num == 0 && (prm_get(ctx, PRM_SCHED_BW_SHARE) != 0 ||
			 prm_get(ctx, PRM_SCHED_MAX_AVERAGE_BW) != 0))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 6,
					"a root has neither share nor limit");
	if (*level > SWHCA_MAX_SCHED_LEVELS)
		return swhca_cmd_reject(cmd, PRM_CMD_EXCEED_LIM, 7, "level %u, at most %u", *level,
					SWHCA_MAX_SCHED_LEVELS);
	return PRM_CMD_OK;
}

static void
sched_set_limit(struct swhca_sched *sched, uint32_t mbps)
{
	sched->max_average_bw = mbps;
	sched->pacer = (struct swhca_pacer){ .kbps = (uint64_t)mbps * 1000 };
}

uint8_t
swhca_sched_create(struct swhca_cmd *cmd)
{
	const uint8_t *elem = cmd->in + PRM_GENERAL_OBJ_IN_BODY_BYTE;
	const uint8_t *ctx = elem + PRM_SCHED_ELEM_CTX_BYTE;
	uint64_t type = prm_get(ctx, PRM_SCHED_ELEMENT_TYPE);
	uint64_t tsar_type = prm_get(ctx, PRM_SCHED_TSAR_TYPE);
	struct swhca_sched *sched, *parent;
	uint32_t level;
	uint8_t status;

	parent = (struct swhca_sched *)swhca_cmd_obj(cmd, SWHCA_OBJ_SCHED,
						     prm_get(ctx, PRM_SCHED_PARENT_ELEMENT_ID));
	status = sched_check(cmd, elem);
	if (status == PRM_CMD_OK && type != PRM_SCHED_ELEM_TSAR &&
	    type != PRM_SCHED_ELEM_QUEUE_GROUP)
		status = swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 8,
					  "element type %" PRIu64 " is not modelled", type);
	if (status == PRM_CMD_OK && type == PRM_SCHED_ELEM_TSAR && tsar_type != PRM_SCHED_TSAR_DWRR)
		status = swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 9,
					  "arbiter type %" PRIu64 " is not modelled", tsar_type);
	if (status == PRM_CMD_OK)
		status = sched_check_parent(cmd, ctx, parent, &level);
	if (status != PRM_CMD_OK)
		return status;
	sched = swhca_obj_create(cmd->hca, SWHCA_OBJ_SCHED, cmd->uid, sizeof(*sched));
	if (sched == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 10, "%u scheduling elements in use",
					cmd->hca->tables[SWHCA_OBJ_SCHED].nb_used);
	sched->type = (uint8_t)type;
	sched->level = level;
	sched->bw_share = (uint32_t)prm_get(ctx, PRM_SCHED_BW_SHARE);
	sched_set_limit(sched, (uint32_t)prm_get(ctx, PRM_SCHED_MAX_AVERAGE_BW));
	if (parent != NULL) {
		sched->parent = parent->obj.num;
		swhca_obj_ref(&parent->obj);
	}
	prm_set(cmd->out, PRM_GENERAL_OBJ_OUT_OBJ_ID, sched->obj.num);
	return PRM_CMD_OK;
}

uint8_t
swhca_sched_modify(struct swhca_cmd *cmd, struct swhca_obj *obj)
{
	const uint8_t *elem = cmd->in + PRM_GENERAL_OBJ_IN_BODY_BYTE;
	const uint8_t *ctx = elem + PRM_SCHED_ELEM_CTX_BYTE;
	uint64_t select = prm_get(elem, PRM_SCHED_ELEM_MODIFY_FIELD_SELECT);
	struct swhca_sched *sched = (struct swhca_sched *)obj;
	uint8_t status;

	status = sched_check(cmd, elem);
	if (status != PRM_CMD_OK)
		return status;
	if (sched->parent == 0 && select != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 11,
					"a root has neither share nor limit");
	if ((select & PRM_SCHED_SELECT_BW_SHARE) != 0)
		sched->bw_share = (uint32_t)prm_get(ctx, PRM_SCHED_BW_SHARE);
	if ((select & PRM_SCHED_SELECT_MAX_AVERAGE_BW) != 0)
		sched_set_limit(sched, (uint32_t)prm_get(ctx, PRM_SCHED_MAX_AVERAGE_BW));
	return PRM_CMD_OK;
}

uint8_t
swhca_sched_query(struct swhca_cmd *cmd, const struct swhca_obj *obj)
{
	const struct swhca_sched *sched = (const struct swhca_sched *)obj;
	uint8_t *elem = cmd->out + PRM_GENERAL_OBJ_OUT_BODY_BYTE;
	uint8_t *ctx = elem + PRM_SCHED_ELEM_CTX_BYTE;

	prm_set(elem, PRM_SCHED_ELEM_HIERARCHY, PRM_SCHED_HIERARCHY_NIC);
	prm_set(ctx, PRM_SCHED_ELEMENT_TYPE, sched->type);
	prm_set(ctx, PRM_SCHED_PARENT_ELEMENT_ID, sched->parent);
	prm_set(ctx, PRM_SCHED_BW_SHARE, sched->bw_share);
	prm_set(ctx, PRM_SCHED_MAX_AVERAGE_BW, sched->max_average_bw);
	return PRM_CMD_OK;
}

/* Queues leave a group that is destroyed and become unlimited again. */
void
swhca_sched_release(struct swhca_hca *hca, struct swhca_obj *obj)
{
	const struct swhca_table *table = &hca->tables[SWHCA_OBJ_QP];
	struct swhca_qp *qp;
	uint32_t i;

	for (i = 0; i < table->nb_slots && obj->nb_refs != 0; i++) {
		qp = (struct swhca_qp *)table->slots[i];
		if (qp == NULL)
			continue;
		if (qp->req_group != NULL && &qp->req_group->obj == obj) {
			qp->req_group = NULL;
			swhca_obj_unref(obj);
		}
		if (qp->resp_group != NULL && &qp->resp_group->obj == obj) {
			qp->resp_group = NULL;
			swhca_obj_unref(obj);
		}
	}
}
