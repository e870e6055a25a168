/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Persistent signature values: the initial signature of a domain, and whether it has failed.
 */

#include "mlx5_prm_sig.h"
#include "cmd/cmd.h"
#include "engine/engine.h"
#include "base/log.h"

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
		return swhca_cmd_refuse(cmd, PRM_CMD_BAD_PARAM, 1, "num_psv %u, 1 to %u", nb,
					PRM_CREATE_PSV_MAX);
	if (pd == NULL)
		return swhca_cmd_refuse(cmd, PRM_CMD_BAD_RES, 2, "PD 0x%x does not exist", pdn);
	for (i = 0; i < nb; i++) {
		psvs[i] = swhca_obj_create(cmd->hca, SWHCA_OBJ_PSV, cmd->uid, sizeof(*psvs[i]));
		if (psvs[i] == NULL) {
			psvs_destroy(cmd, psvs, i);
			return swhca_cmd_refuse(cmd, PRM_CMD_NO_RES, 3, "%u PSVs in use",
						cmd->hca->tables[SWHCA_OBJ_PSV].nb_used);
		}
		psvs[i]->pd = pd;
		swhca_obj_ref(pd);
	}
	for (i = 0; i < nb; i++)
		prm_set(cmd->out, PRM_CREATE_PSV_OUT_PSV(i), psvs[i]->obj.num);
	return PRM_CMD_OK;
}

/* A new initial signature; whatever error there was is forgotten. */
enum swhca_wqe_end
swhca_set_psv_exec(struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	const uint8_t *seg = wqe->data + sizeof(struct mlx5_wqe_ctrl_seg);
	const uint32_t nb_ds = (sizeof(struct mlx5_wqe_ctrl_seg) + PRM_SET_PSV_SIZE) /
			       PRM_WQE_DS_SIZE;
	struct swhca_psv *psv;
	uint32_t index;

	if (wqe->nb_ds != nb_ds) {
		SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: SET_PSV of %u DS, %u are right", qp->obj.num,
			  wqe->index, wqe->nb_ds, nb_ds);
		return swhca_wqe_fail(wqe, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR, SWHCA_VENDOR_FORMAT);
	}
	index = (uint32_t)prm_get(seg, PRM_SET_PSV_INDEX);
	psv = (struct swhca_psv *)swhca_table_get(&qp->hca->tables[SWHCA_OBJ_PSV], index);
	if (psv == NULL || psv->pd != qp->pd) {
		SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: PSV 0x%x %s", qp->obj.num, wqe->index, index,
			  psv == NULL ? "does not exist" : "is of another PD");
		return swhca_wqe_fail(wqe, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR, SWHCA_VENDOR_PSV);
	}
	psv->transient = prm_get(seg, PRM_SET_PSV_TRANSIENT);
	psv->syndrome = (uint16_t)prm_get(seg, PRM_SET_PSV_SYNDROME);
	return SWHCA_WQE_DONE;
}
