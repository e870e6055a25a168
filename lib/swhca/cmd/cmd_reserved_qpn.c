/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Reserved queue pair numbers (mlx5dv_reserved_qpn_alloc()): a general object each. Software uses
 * them for other kinds of connections; the device only must not assign them to queue pairs.
 */

#include <assert.h>

#include "cmd/cmd_reserved_qpn.h"
#include "xport/dct.h"

static_assert(SWHCA_FIRST_RESERVED_QPN >= SWHCA_FIRST_DCT + (1u << SWHCA_LOG_MAX_DCT),
	      "numbers of DC targets, and those of queue pairs below them, are others");

uint8_t
swhca_reserved_qpn_create(struct swhca_cmd *cmd)
{
	struct swhca_obj *obj =
		swhca_obj_create(cmd->hca, SWHCA_OBJ_RESERVED_QPN, cmd->uid, sizeof(*obj));

	if (obj == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 1, "%u reserved QPNs in use",
					cmd->hca->tables[SWHCA_OBJ_RESERVED_QPN].nb_used);
	prm_set(cmd->out, PRM_GENERAL_OBJ_OUT_OBJ_ID, obj->num);
	return PRM_CMD_OK;
}

uint8_t
swhca_reserved_qpn_query(struct swhca_cmd *cmd, const struct swhca_obj *obj)
{
	/* Its body is reserved (Linux: mlx5_ifc.h, reserved_qpn). */
	(void)cmd;
	(void)obj;
	return PRM_CMD_OK;
}
