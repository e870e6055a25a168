/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Flow tables and groups (Linux: fs_cmd.c).
 */

#include <stdlib.h>
#include <string.h>

#include "cmd/eth/cmd_eth.h"
#include "cmd/cmd_handlers.h"
#include "eth/steer.h"

uint8_t
swhca_cmd_flow_check(struct swhca_cmd *cmd)
{
	uint32_t type = (uint32_t)prm_get(cmd->in, PRM_FLOW_IN_TABLE_TYPE);

	if (!swhca_cmd_has_eth(cmd->hca))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_OP, 101, "the port is InfiniBand");
	if (prm_get(cmd->in, PRM_FLOW_IN_OTHER_VPORT) != 0 ||
	    prm_get(cmd->in, PRM_FLOW_IN_VPORT_NUMBER) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 102, "of another vport");
	if (type != PRM_FLOW_TABLE_TYPE_NIC_RX)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 103,
					"table of type 0x%x: only those of received frames are"
					" modelled", type);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_flow_table_find(struct swhca_cmd *cmd, struct swhca_flow_table **table)
{
	uint32_t num = (uint32_t)prm_get(cmd->in, PRM_FLOW_IN_TABLE_ID);
	uint8_t status = swhca_cmd_flow_check(cmd);

	if (status != PRM_CMD_OK)
		return status;
	*table = (struct swhca_flow_table *)swhca_cmd_obj(cmd, SWHCA_OBJ_FLOW_TABLE, num);
	if (*table == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 104, "table 0x%x does not exist",
					num);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_flow_room_check(struct swhca_cmd *cmd)
{
	if (swhca_flow_has_room(cmd->hca))
		return PRM_CMD_OK;
	return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 109, "%u groups and entries in use, of %u",
				cmd->hca->nb_flows, cmd->hca->conf.max_flows);
}

/* Table for frames that match no entry: levels must increase, so that there are no loops. */
static uint8_t
miss_get(struct swhca_cmd *cmd, const uint8_t *ctx, uint32_t level, uint32_t *miss)
{
	uint32_t action = (uint32_t)prm_get(ctx, PRM_FTC_TABLE_MISS_ACTION);
	uint32_t num = (uint32_t)prm_get(ctx, PRM_FTC_TABLE_MISS_ID);
	const struct swhca_flow_table *next;

	*miss = 0;
	if (action == PRM_FLOW_MISS_DEFAULT)
		return PRM_CMD_OK;
	if (action != PRM_FLOW_MISS_FORWARD)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 105, "miss action %u", action);
	next = (const struct swhca_flow_table *)swhca_cmd_obj(cmd, SWHCA_OBJ_FLOW_TABLE, num);
	if (next == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 106,
					"miss table 0x%x does not exist", num);
	if (next->level <= level)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 107,
					"miss table of level %u, of one of level %u", next->level,
					level);
	*miss = num;
	return PRM_CMD_OK;
}

static uint8_t
table_check(struct swhca_cmd *cmd, const uint8_t *ctx)
{
	uint32_t level = (uint32_t)prm_get(ctx, PRM_FTC_LEVEL);
	uint32_t log_size = (uint32_t)prm_get(ctx, PRM_FTC_LOG_SIZE);
	uint8_t status = swhca_cmd_flow_check(cmd);

	if (status != PRM_CMD_OK)
		return status;
	if (prm_get(cmd->in, PRM_CMD_IN_OP_MOD) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 1, "op_mod is not modelled");
	if (level > SWHCA_MAX_FLOW_LEVEL || log_size > SWHCA_LOG_MAX_FLOW_TABLE_SIZE)
		return swhca_cmd_reject(cmd, PRM_CMD_EXCEED_LIM, 2,
					"level %u of %u, 2^%u entries of 2^%u", level,
					SWHCA_MAX_FLOW_LEVEL, log_size,
					SWHCA_LOG_MAX_FLOW_TABLE_SIZE);
	if (prm_get(ctx, PRM_FTC_REFORMAT_EN) != 0 || prm_get(ctx, PRM_FTC_DECAP_EN) != 0 ||
	    prm_get(ctx, PRM_FTC_SW_OWNER) != 0 || prm_get(ctx, PRM_FTC_TERMINATION_TABLE) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 3,
					"reformats, tables of software and terminating ones are"
					" not modelled");
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_create_flow_table(struct swhca_cmd *cmd)
{
	const uint8_t *ctx = cmd->in + PRM_FLOW_TABLE_CTX_BYTE;
	struct swhca_flow_table *table;
	uint32_t miss;
	uint8_t status;

	status = table_check(cmd, ctx);
	if (status == PRM_CMD_OK)
		status = miss_get(cmd, ctx, (uint32_t)prm_get(ctx, PRM_FTC_LEVEL), &miss);
	if (status != PRM_CMD_OK)
		return status;
	table = swhca_obj_create(cmd->hca, SWHCA_OBJ_FLOW_TABLE, cmd->uid, sizeof(*table));
	if (table == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 4, "%u tables in use",
					cmd->hca->tables[SWHCA_OBJ_FLOW_TABLE].nb_used);
	table->level = (uint8_t)prm_get(ctx, PRM_FTC_LEVEL);
	table->log_size = (uint8_t)prm_get(ctx, PRM_FTC_LOG_SIZE);
	memcpy(table->ctx, ctx, sizeof(table->ctx));
	swhca_flow_table_set_miss(cmd->hca, table, miss);
	prm_set(cmd->out, PRM_CREATE_FLOW_TABLE_OUT_ID, table->obj.num);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_modify_flow_table(struct swhca_cmd *cmd)
{
	const uint8_t *ctx = cmd->in + PRM_FLOW_TABLE_CTX_BYTE;
	struct swhca_flow_table *table;
	uint32_t miss;
	uint8_t status;

	status = swhca_cmd_flow_table_find(cmd, &table);
	if (status != PRM_CMD_OK)
		return status;
	if (prm_get(cmd->in, PRM_MODIFY_FLOW_TABLE_IN_SELECT) != PRM_MODIFY_FLOW_TABLE_MISS)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 1, "fields 0x%x of 0x%x",
					(unsigned int)prm_get(cmd->in,
							      PRM_MODIFY_FLOW_TABLE_IN_SELECT),
					PRM_MODIFY_FLOW_TABLE_MISS);
	status = miss_get(cmd, ctx, table->level, &miss);
	if (status != PRM_CMD_OK)
		return status;
	swhca_flow_table_set_miss(cmd->hca, table, miss);
	prm_set(table->ctx, PRM_FTC_TABLE_MISS_ACTION, prm_get(ctx, PRM_FTC_TABLE_MISS_ACTION));
	prm_set(table->ctx, PRM_FTC_TABLE_MISS_ID, miss);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_query_flow_table(struct swhca_cmd *cmd)
{
	struct swhca_flow_table *table;
	uint8_t status = swhca_cmd_flow_table_find(cmd, &table);

	if (status == PRM_CMD_OK)
		memcpy(cmd->out + PRM_FLOW_TABLE_CTX_BYTE, table->ctx, sizeof(table->ctx));
	return status;
}

uint8_t
swhca_cmd_destroy_flow_table(struct swhca_cmd *cmd)
{
	struct swhca_flow_table *table;
	uint8_t status = swhca_cmd_flow_table_find(cmd, &table);

	if (status != PRM_CMD_OK)
		return status;
	if (!swhca_cmd_may_destroy(cmd, &table->obj))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 1, "it is the kernel's");
	if (table->obj.nb_refs != 0 || table->nb_groups != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_RES_BUSY, 2, "0x%x has %u users, %u groups",
					table->obj.num, table->obj.nb_refs, table->nb_groups);
	swhca_obj_destroy(cmd->hca, &table->obj);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_set_flow_table_root(struct swhca_cmd *cmd)
{
	struct swhca_flow_table *table;
	uint8_t status;

	if (prm_get(cmd->in, PRM_SET_FLOW_TABLE_ROOT_IN_UNDERLAY_QPN) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 1,
					"underlay QPs are not modelled");
	if (prm_get(cmd->in, PRM_CMD_IN_OP_MOD) == PRM_SET_FLOW_TABLE_ROOT_OP_MOD_RESET) {
		status = swhca_cmd_flow_check(cmd);
		if (status == PRM_CMD_OK)
			cmd->hca->vport.root_table = 0;
		return status;
	}
	status = swhca_cmd_flow_table_find(cmd, &table);
	if (status == PRM_CMD_OK)
		cmd->hca->vport.root_table = table->obj.num;
	return status;
}

/* A group that shares no entry with another one, with a mask of outer headers. */
static uint8_t
group_check(struct swhca_cmd *cmd, const struct swhca_flow_table *table)
{
	const uint8_t *mask = cmd->in + PRM_FLOW_GROUP_CRITERIA_BYTE;
	uint32_t start = (uint32_t)prm_get(cmd->in, PRM_FLOW_GROUP_START);
	uint32_t end = (uint32_t)prm_get(cmd->in, PRM_FLOW_GROUP_END);
	const struct swhca_flow_group *group;
	size_t i;

	if (start > end || end >= UINT32_C(1) << table->log_size)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 1, "entries %u to %u of 2^%u",
					start, end, table->log_size);
	if (prm_get(cmd->in, PRM_FLOW_GROUP_TYPE) != 0 ||
	    prm_get(cmd->in, PRM_FLOW_GROUP_CRITERIA_ENABLE) > PRM_FLOW_CRITERIA_OUTER)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 2,
					"criteria 0x%x: only outer headers are modelled",
					(unsigned int)prm_get(cmd->in,
							      PRM_FLOW_GROUP_CRITERIA_ENABLE));
	for (i = PRM_MATCH_OUTER_SIZE; i < PRM_MATCH_SIZE; i++)
		if (mask[i] != 0)
			return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 3,
						"a mask behind the outer headers");
	group = swhca_flow_group_overlap(table, start, end);
	if (group != NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 4,
					"entries %u to %u: %u to %u are of a group", start, end,
					group->start, group->end);
	return swhca_cmd_flow_room_check(cmd);
}

uint8_t
swhca_cmd_create_flow_group(struct swhca_cmd *cmd)
{
	struct swhca_flow_table *table;
	struct swhca_flow_group *group;
	uint8_t status;

	status = swhca_cmd_flow_table_find(cmd, &table);
	if (status == PRM_CMD_OK)
		status = group_check(cmd, table);
	if (status != PRM_CMD_OK)
		return status;
	group = calloc(1, sizeof(*group));
	if (group == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 5, "no memory");
	group->start = (uint32_t)prm_get(cmd->in, PRM_FLOW_GROUP_START);
	group->end = (uint32_t)prm_get(cmd->in, PRM_FLOW_GROUP_END);
	group->enable = (uint8_t)prm_get(cmd->in, PRM_FLOW_GROUP_CRITERIA_ENABLE);
	if (group->enable != 0)
		memcpy(group->mask, cmd->in + PRM_FLOW_GROUP_CRITERIA_BYTE, sizeof(group->mask));
	if (swhca_flow_group_insert(cmd->hca, table, group) != 0) {
		free(group);
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 5, "no memory");
	}
	prm_set(cmd->out, PRM_CREATE_FLOW_GROUP_OUT_ID, group->start);
	return PRM_CMD_OK;
}

static uint8_t
group_find(struct swhca_cmd *cmd, struct swhca_flow_table **table, struct swhca_flow_group **group)
{
	uint32_t num = (uint32_t)prm_get(cmd->in, PRM_FLOW_IN_GROUP_ID);
	uint8_t status = swhca_cmd_flow_table_find(cmd, table);

	if (status != PRM_CMD_OK)
		return status;
	*group = swhca_flow_group_find(*table, num);
	if (*group == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 108, "group 0x%x does not exist",
					num);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_query_flow_group(struct swhca_cmd *cmd)
{
	struct swhca_flow_table *table;
	struct swhca_flow_group *group;
	uint8_t status = group_find(cmd, &table, &group);

	if (status != PRM_CMD_OK)
		return status;
	prm_set(cmd->out, PRM_FLOW_GROUP_START, group->start);
	prm_set(cmd->out, PRM_FLOW_GROUP_END, group->end);
	prm_set(cmd->out, PRM_FLOW_GROUP_CRITERIA_ENABLE, group->enable);
	memcpy(cmd->out + PRM_FLOW_GROUP_CRITERIA_BYTE, group->mask, sizeof(group->mask));
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_destroy_flow_group(struct swhca_cmd *cmd)
{
	struct swhca_flow_table *table;
	struct swhca_flow_group *group;
	uint8_t status = group_find(cmd, &table, &group);

	if (status != PRM_CMD_OK)
		return status;
	if (group->nb_entries != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_RES_BUSY, 1, "group 0x%x has %u entries",
					group->start, group->nb_entries);
	swhca_flow_group_destroy(cmd->hca, table, group);
	return PRM_CMD_OK;
}
