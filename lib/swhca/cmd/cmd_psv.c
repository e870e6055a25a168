/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "mlx5_prm_sig.h"
#include "cmd/cmd.h"
#include "cmd/cmd_handlers.h"
#include "mem/bsf/psv.h"

static void
psvs_destroy(struct swhca_cmd *cmd, struct swhca_psv *const *psvs, uint32_t nb)
{
	while (nb-- > 0)
		swhca_obj_destroy(cmd->hca, &psvs[nb]->obj);
}

uint8_t
swhca_cmd_create_psv(struct swhca_cmd *cmd)
{
	uint32_t pdn = (uint32_t)prm_get(cmd->in, PRM_CREATE_PSV_IN_PD), i;
	uint32_t nb = (uint32_t)prm_get(cmd->in, PRM_CREATE_PSV_IN_NUM_PSV);
	struct swhca_obj *pd = swhca_cmd_obj(cmd, SWHCA_OBJ_PD, pdn);
	struct swhca_psv *psvs[PRM_CREATE_PSV_MAX];

	if (nb == 0 || nb > PRM_CREATE_PSV_MAX)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 1, "num_psv %u, 1 to %u", nb,
					PRM_CREATE_PSV_MAX);
	if (pd == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 2, "PD 0x%x does not exist", pdn);
	for (i = 0; i < nb; i++) {
		psvs[i] = swhca_obj_create(cmd->hca, SWHCA_OBJ_PSV, cmd->uid, sizeof(*psvs[i]));
		if (psvs[i] == NULL) {
			psvs_destroy(cmd, psvs, i);
			return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 3, "%u PSVs in use",
						cmd->hca->tables[SWHCA_OBJ_PSV].nb_used);
		}
		psvs[i]->pd = pd;
		swhca_obj_ref(pd);
	}
	for (i = 0; i < nb; i++)
		prm_set(cmd->out, PRM_CREATE_PSV_OUT_PSV(i), psvs[i]->obj.num);
	return PRM_CMD_OK;
}
