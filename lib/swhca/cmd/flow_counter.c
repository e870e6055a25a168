/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Flow counters: what a rule of flow steering counts in. There are no rules, so that a counter is
 * zero for ever; but programs make counters to see that DevX works.
 */

#include "cmd/cmd.h"
#include "cmd/handlers.h"

uint8_t
swhca_cmd_alloc_flow_counter(struct swhca_cmd *cmd)
{
	struct swhca_obj *obj;

	if (prm_get(cmd->in, PRM_ALLOC_FLOW_COUNTER_IN_BULK) != 0 ||
	    prm_get(cmd->in, PRM_ALLOC_FLOW_COUNTER_IN_BULK_LOG_SIZE) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 1, "counters come one by one");
	obj = swhca_obj_create(cmd->hca, SWHCA_OBJ_FLOW_COUNTER, cmd->uid, sizeof(*obj));
	if (obj == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 2, "%u counters in use",
					cmd->hca->tables[SWHCA_OBJ_FLOW_COUNTER].nb_used);
	prm_set(cmd->out, PRM_CMD_OUT_OBJ, obj->num);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_query_flow_counter(struct swhca_cmd *cmd)
{
	uint32_t num = (uint32_t)prm_get(cmd->in, PRM_QUERY_FLOW_COUNTER_IN_ID);

	if (swhca_cmd_obj(cmd, SWHCA_OBJ_FLOW_COUNTER, num) == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 1, "counter 0x%x does not exist",
					num);
	if (prm_get(cmd->in, PRM_QUERY_FLOW_COUNTER_IN_DUMP_TO_MEMORY) != 0 ||
	    prm_get(cmd->in, PRM_QUERY_FLOW_COUNTER_IN_NUM) > 1)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 2,
					"one counter, in the answer of the command");
	/* No packets and no octets: the answer is zero. */
	return PRM_CMD_OK;
}
