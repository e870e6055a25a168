/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Mappings of addresses to the congestion control of QPs (mlx5dv_map_ah_to_qp()). They are hints;
 * there is no congestion here, so a mapping is only stored. It outlives the QP.
 */

#include <inttypes.h>
#include <string.h>

#include "mlx5_prm_dc.h"
#include "cmd/cmd_av_map.h"
#include "cmd/cmd.h"
#include "xport/port.h"

struct av_map {
	struct swhca_obj obj;
	uint8_t body[PRM_AV_QP_MAPPING_SIZE];	/* as created */
};

uint8_t
swhca_av_map_create(struct swhca_cmd *cmd)
{
	const uint8_t *body = cmd->in + PRM_GENERAL_OBJ_IN_BODY_BYTE;
	uint64_t qpn = prm_get(body, PRM_AV_QP_MAPPING_QPN);
	unsigned int index = (unsigned int)prm_get(body, PRM_AV_QP_MAPPING_SRC_ADDR_INDEX);
	struct av_map *map;

	/* Of any context; the QP may belong to another process. */
	if (qpn > UINT32_MAX >> 8 ||
	    swhca_table_get(&cmd->hca->tables[SWHCA_OBJ_QP], (uint32_t)qpn) == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 1, "QP 0x%" PRIx64 " does not exist",
					qpn);
	if (swhca_port_gid(cmd->hca, index) == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_INDEX, 2, "no own address at index %u",
					index);
	map = swhca_obj_create(cmd->hca, SWHCA_OBJ_AV_MAP, cmd->uid, sizeof(*map));
	if (map == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 3, "%u mappings in use",
					cmd->hca->tables[SWHCA_OBJ_AV_MAP].nb_used);
	memcpy(map->body, body, sizeof(map->body));
	prm_set(cmd->out, PRM_GENERAL_OBJ_OUT_OBJ_ID, map->obj.num);
	return PRM_CMD_OK;
}

uint8_t
swhca_av_map_query(struct swhca_cmd *cmd, const struct swhca_obj *obj)
{
	const struct av_map *map = (const struct av_map *)obj;

	memcpy(cmd->out + PRM_GENERAL_OBJ_OUT_BODY_BYTE, map->body, sizeof(map->body));
	return PRM_CMD_OK;
}
