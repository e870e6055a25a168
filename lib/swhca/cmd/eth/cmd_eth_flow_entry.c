/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Entries of flow tables.
 */

#include <stdlib.h>
#include <string.h>

#include "cmd/eth/cmd_eth.h"
#include "cmd/cmd_handlers.h"
#include "eth/steer.h"

#define KNOWN_ACTIONS                                                                              \
	(PRM_FLOW_ACTION_ALLOW | PRM_FLOW_ACTION_DROP | PRM_FLOW_ACTION_FWD_DEST |                 \
	 PRM_FLOW_ACTION_COUNT)
#define KNOWN_MODIFY                                                                               \
	(PRM_FTE_MODIFY_ACTION | PRM_FTE_MODIFY_FLOW_TAG | PRM_FTE_MODIFY_DEST |                   \
	 PRM_FTE_MODIFY_COUNTERS)

/* One destination: a TIR, or a table of a higher level. */
static uint8_t
dest_get(struct swhca_cmd *cmd, const struct swhca_flow_table *table, const uint8_t *in,
	 struct swhca_flow_dest *dest)
{
	uint32_t type = (uint32_t)prm_get(in, PRM_FTE_DEST_TYPE);
	uint32_t num = (uint32_t)prm_get(in, PRM_FTE_DEST_ID);
	const struct swhca_obj *obj;

	if (type != PRM_FLOW_DEST_FLOW_TABLE && type != PRM_FLOW_DEST_TIR)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 1, "destination of type 0x%x",
					type);
	dest->type = type == PRM_FLOW_DEST_TIR ? SWHCA_OBJ_TIR : SWHCA_OBJ_FLOW_TABLE;
	dest->num = num;
	obj = swhca_cmd_obj(cmd, dest->type, num);
	if (obj == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 2, "%s 0x%x does not exist",
					type == PRM_FLOW_DEST_TIR ? "TIR" : "table", num);
	if (dest->type == SWHCA_OBJ_FLOW_TABLE &&
	    ((const struct swhca_flow_table *)obj)->level <= table->level)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 3,
					"table 0x%x of level %u, from one of level %u", num,
					((const struct swhca_flow_table *)obj)->level,
					table->level);
	return PRM_CMD_OK;
}

static uint8_t
dests_get(struct swhca_cmd *cmd, const struct swhca_flow_table *table,
	  struct swhca_flow_entry *entry)
{
	const uint8_t *ctx = cmd->in + PRM_FTE_CTX_BYTE;
	const uint8_t *list = ctx + PRM_FTE_CTX_DEST_BYTE;
	uint32_t nb = (uint32_t)prm_get(ctx, PRM_FTE_CTX_NB_DESTINATIONS);
	uint32_t nb_counters = (uint32_t)prm_get(ctx, PRM_FTE_CTX_NB_COUNTERS);
	uint32_t i, num;
	uint8_t status;

	if (nb > SWHCA_MAX_FLOW_DESTS || nb_counters > 1u << SWHCA_LOG_MAX_FLOW_COUNTERS)
		return swhca_cmd_reject(cmd, PRM_CMD_EXCEED_LIM, 4,
					"%u destinations of %u, %u counters of %u", nb,
					SWHCA_MAX_FLOW_DESTS, nb_counters,
					1u << SWHCA_LOG_MAX_FLOW_COUNTERS);
	if (cmd->in_len < PRM_FTE_IN_SIZE + (size_t)(nb + nb_counters) * PRM_FTE_DEST_SIZE)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_INP_LEN, 5, "input of %zu bytes",
					cmd->in_len);
	for (i = 0; i < nb; i++, list += PRM_FTE_DEST_SIZE) {
		status = dest_get(cmd, table, list, &entry->dests[i]);
		if (status != PRM_CMD_OK)
			return status;
	}
	entry->nb_dests = (uint8_t)nb;
	if (nb_counters == 0)
		return PRM_CMD_OK;
	num = (uint32_t)prm_get(list, PRM_FTE_COUNTER_ID);
	entry->counter = (struct swhca_flow_counter *)swhca_cmd_obj(cmd, SWHCA_OBJ_FLOW_COUNTER,
								    num);
	if (entry->counter == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 6, "counter 0x%x does not exist",
					num);
	return PRM_CMD_OK;
}

/* Read an entry from the command. */
static uint8_t
entry_get(struct swhca_cmd *cmd, struct swhca_flow_table *table, struct swhca_flow_entry *entry)
{
	const uint8_t *ctx = cmd->in + PRM_FTE_CTX_BYTE;
	uint32_t group = (uint32_t)prm_get(ctx, PRM_FTE_CTX_GROUP_ID);
	size_t i;

	entry->index = (uint32_t)prm_get(cmd->in, PRM_FTE_IN_INDEX);
	entry->tag = (uint32_t)prm_get(ctx, PRM_FTE_CTX_FLOW_TAG);
	entry->action = (uint16_t)prm_get(ctx, PRM_FTE_CTX_ACTION);
	entry->group = swhca_flow_group_find(table, group);
	if (entry->group == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 7, "group 0x%x does not exist",
					group);
	if (entry->index < entry->group->start || entry->index > entry->group->end)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 8, "entry %u, of a group %u to %u",
					entry->index, entry->group->start, entry->group->end);
	if ((entry->action & ~KNOWN_ACTIONS) != 0 ||
	    prm_get(ctx, PRM_FTE_CTX_EXTENDED_DESTINATION) != 0 ||
	    prm_get(cmd->in, PRM_FTE_IN_IGNORE_FLOW_LEVEL) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 9, "actions 0x%x of 0x%x",
					entry->action, KNOWN_ACTIONS);
	memcpy(entry->value, ctx + PRM_FTE_CTX_MATCH_VALUE_BYTE, sizeof(entry->value));
	for (i = 0; i < sizeof(entry->value); i++)
		entry->value[i] &= entry->group->mask[i];
	return dests_get(cmd, table, entry);
}

static uint8_t
entry_create(struct swhca_cmd *cmd, struct swhca_flow_table *table,
	     const struct swhca_flow_entry *plan)
{
	uint8_t status = swhca_cmd_flow_room_check(cmd);
	struct swhca_flow_entry *entry;

	if (status != PRM_CMD_OK)
		return status;
	entry = malloc(sizeof(*entry));
	if (entry == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 10, "no memory");
	*entry = *plan;
	if (swhca_flow_entry_insert(cmd->hca, table, entry) != 0) {
		free(entry);
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 10, "no memory");
	}
	swhca_flow_entry_ref(cmd->hca, entry);
	return PRM_CMD_OK;
}

/* Replace parts of an existing entry. */
static uint8_t
entry_modify(struct swhca_cmd *cmd, struct swhca_flow_entry *entry,
	     const struct swhca_flow_entry *plan)
{
	uint32_t bits = (uint32_t)prm_get(cmd->in, PRM_FTE_IN_MODIFY_MASK);

	if (bits & ~KNOWN_MODIFY)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 11, "fields 0x%x of 0x%x", bits,
					KNOWN_MODIFY);
	swhca_flow_entry_unref(cmd->hca, entry);
	if (bits & PRM_FTE_MODIFY_ACTION)
		entry->action = plan->action;
	if (bits & PRM_FTE_MODIFY_FLOW_TAG)
		entry->tag = plan->tag;
	if (bits & PRM_FTE_MODIFY_DEST) {
		memcpy(entry->dests, plan->dests, sizeof(entry->dests));
		entry->nb_dests = plan->nb_dests;
	}
	if (bits & PRM_FTE_MODIFY_COUNTERS)
		entry->counter = plan->counter;
	swhca_flow_entry_ref(cmd->hca, entry);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_set_flow_table_entry(struct swhca_cmd *cmd)
{
	bool is_modify = prm_get(cmd->in, PRM_CMD_IN_OP_MOD) == PRM_FTE_OP_MOD_MODIFY;
	struct swhca_flow_entry plan = { 0 };
	struct swhca_flow_entry *entry;
	struct swhca_flow_table *table;
	uint8_t status;

	status = swhca_cmd_flow_table_find(cmd, &table);
	if (status == PRM_CMD_OK)
		status = entry_get(cmd, table, &plan);
	if (status != PRM_CMD_OK)
		return status;
	entry = swhca_flow_entry_find(table, plan.index);
	if ((entry != NULL) != is_modify)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 12, "entry %u %s", plan.index,
					is_modify ? "does not exist" : "exists");
	return is_modify ? entry_modify(cmd, entry, &plan) : entry_create(cmd, table, &plan);
}

static uint8_t
entry_find(struct swhca_cmd *cmd, struct swhca_flow_table **table, struct swhca_flow_entry **entry)
{
	uint32_t index = (uint32_t)prm_get(cmd->in, PRM_FTE_IN_INDEX);
	uint8_t status = swhca_cmd_flow_table_find(cmd, table);

	if (status != PRM_CMD_OK)
		return status;
	*entry = swhca_flow_entry_find(*table, index);
	if (*entry == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 1, "entry %u does not exist", index);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_delete_flow_table_entry(struct swhca_cmd *cmd)
{
	struct swhca_flow_entry *entry;
	struct swhca_flow_table *table;
	uint8_t status = entry_find(cmd, &table, &entry);

	if (status == PRM_CMD_OK)
		swhca_flow_entry_destroy(cmd->hca, table, entry);
	return status;
}

uint8_t
swhca_cmd_query_flow_table_entry(struct swhca_cmd *cmd)
{
	uint8_t *ctx = cmd->out + PRM_FTE_CTX_BYTE;
	size_t room = cmd->out_len - PRM_FTE_IN_SIZE;
	struct swhca_flow_entry *entry;
	struct swhca_flow_table *table;
	uint8_t status = entry_find(cmd, &table, &entry);
	uint8_t *dest = ctx + PRM_FTE_CTX_DEST_BYTE;
	uint32_t i;

	if (status != PRM_CMD_OK)
		return status;
	prm_set(ctx, PRM_FTE_CTX_GROUP_ID, entry->group->start);
	prm_set(ctx, PRM_FTE_CTX_FLOW_TAG, entry->tag);
	prm_set(ctx, PRM_FTE_CTX_ACTION, entry->action);
	prm_set(ctx, PRM_FTE_CTX_NB_DESTINATIONS, entry->nb_dests);
	prm_set(ctx, PRM_FTE_CTX_NB_COUNTERS, entry->counter != NULL);
	memcpy(ctx + PRM_FTE_CTX_MATCH_VALUE_BYTE, entry->value, sizeof(entry->value));
	for (i = 0; i < entry->nb_dests && (i + 1) * PRM_FTE_DEST_SIZE <= room; i++) {
		prm_set(dest, PRM_FTE_DEST_TYPE,
			entry->dests[i].type == SWHCA_OBJ_TIR ? PRM_FLOW_DEST_TIR :
								PRM_FLOW_DEST_FLOW_TABLE);
		prm_set(dest, PRM_FTE_DEST_ID, entry->dests[i].num);
		dest += PRM_FTE_DEST_SIZE;
	}
	if (entry->counter != NULL && (i + 1) * PRM_FTE_DEST_SIZE <= room)
		prm_set(dest, PRM_FTE_COUNTER_ID, entry->counter->obj.num);
	return PRM_CMD_OK;
}
