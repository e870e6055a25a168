/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Flow counters of flow table entries. */

#include "cmd/cmd.h"
#include "cmd/cmd_handlers.h"
#include "eth/steer.h"
#include "object/limits.h"

uint8_t
swhca_cmd_alloc_flow_counter(struct swhca_cmd *cmd)
{
	struct swhca_flow_counter *counter;

	if (prm_get(cmd->in, PRM_ALLOC_FLOW_COUNTER_IN_BULK) != 0 ||
	    prm_get(cmd->in, PRM_ALLOC_FLOW_COUNTER_IN_BULK_LOG_SIZE) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 1, "counters come one by one");
	counter = swhca_obj_create(cmd->hca, SWHCA_OBJ_FLOW_COUNTER, cmd->uid, sizeof(*counter));
	if (counter == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 2, "%u counters in use",
					cmd->hca->tables[SWHCA_OBJ_FLOW_COUNTER].nb_used);
	prm_set(cmd->out, PRM_CMD_OUT_OBJ, counter->obj.num);
	return PRM_CMD_OK;
}

/* Query one counter, or several from a number on; missing ones are zero. */
uint8_t
swhca_cmd_query_flow_counter(struct swhca_cmd *cmd)
{
	uint32_t num = (uint32_t)prm_get(cmd->in, PRM_QUERY_FLOW_COUNTER_IN_ID);
	uint32_t i, nb = (uint32_t)prm_get(cmd->in, PRM_QUERY_FLOW_COUNTER_IN_NUM);
	uint8_t *out = cmd->out + PRM_QUERY_FLOW_COUNTER_OUT_BYTE;
	const struct swhca_flow_counter *counter;

	if (swhca_cmd_obj(cmd, SWHCA_OBJ_FLOW_COUNTER, num) == NULL && nb <= 1)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 1, "counter 0x%x does not exist",
					num);
	if (prm_get(cmd->in, PRM_QUERY_FLOW_COUNTER_IN_DUMP_TO_MEMORY) != 0 ||
	    nb > SWHCA_NB_FLOW_COUNTERS)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 2,
					"%u counters, at most %u, in the answer of the command",
					nb, SWHCA_NB_FLOW_COUNTERS);
	if (nb == 0)
		nb = 1;
	if (cmd->out_len < PRM_QUERY_FLOW_COUNTER_OUT_BYTE +
				   (size_t)nb * PRM_QUERY_FLOW_COUNTER_ENTRY_SIZE)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_OUTP_LEN, 3,
					"output of %zu bytes, %u counters", cmd->out_len, nb);
	for (i = 0; i < nb; i++, out += PRM_QUERY_FLOW_COUNTER_ENTRY_SIZE) {
		counter = (const struct swhca_flow_counter *)swhca_cmd_obj(
			cmd, SWHCA_OBJ_FLOW_COUNTER, num + i);
		if (counter == NULL)
			continue;
		prm_set(out, PRM_QUERY_FLOW_COUNTER_PACKETS, counter->nb_packets);
		prm_set(out, PRM_QUERY_FLOW_COUNTER_OCTETS, counter->nb_bytes);
	}
	return PRM_CMD_OK;
}
