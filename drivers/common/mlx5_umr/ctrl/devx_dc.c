/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <mlx5_prm_dc.h>
#include <mlx5_prm_srq.h>

#include "ctrl/devx_dc.h"

int
mlx5_umr_devx_rmp_create(const struct mlx5_umr_device *dev, const struct mlx5_umr_rmp_attr *attr,
			 struct mlx5dv_devx_obj **obj, uint32_t *rmpn)
{
	uint32_t in[MLX5_UMR_DWORDS(PRM_CREATE_RMP_IN_PAS_BYTE)] = { 0 };
	uint8_t *rmpc = (uint8_t *)in + PRM_CREATE_RMP_IN_RMPC_BYTE;
	uint8_t *wq = rmpc + PRM_RMPC_WQ_BYTE;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_RMP);
	prm_set(rmpc, PRM_RMPC_STATE, PRM_RMPC_STATE_RDY);
	prm_set(wq, PRM_WQ_TYPE, PRM_WQ_TYPE_LINKED_LIST);
	prm_set(wq, PRM_WQ_PD, attr->pdn);
	prm_set(wq, PRM_WQ_LOG_WQ_SZ, attr->log_size);
	prm_set(wq, PRM_WQ_LOG_WQ_STRIDE, attr->log_stride);
	prm_set(wq, PRM_WQ_WQ_UMEM_VALID, 1);
	prm_set(wq, PRM_WQ_WQ_UMEM_ID, attr->umem_id);
	prm_set(wq, PRM_WQ_WQ_UMEM_OFFSET, attr->ring_offset);
	prm_set(wq, PRM_WQ_DBR_UMEM_VALID, 1);
	prm_set(wq, PRM_WQ_DBR_UMEM_ID, attr->umem_id);
	prm_set(wq, PRM_WQ_DBR_ADDR, attr->dbr_offset);
	return mlx5_umr_devx_obj_create(dev, "CREATE_RMP", in, sizeof(in),
					PRM_CREATE_SRQ_OUT_SRQN, obj, rmpn);
}

int
mlx5_umr_devx_dct_create(const struct mlx5_umr_device *dev, const struct mlx5_umr_dct_attr *attr,
			 struct mlx5dv_devx_obj **obj, uint32_t *dctn)
{
	uint32_t in[MLX5_UMR_DWORDS(PRM_CREATE_DCT_IN_SIZE)] = { 0 };
	uint8_t *dctc = (uint8_t *)in + PRM_CREATE_DCT_IN_DCTC_BYTE;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_DCT);
	prm_set(dctc, PRM_DCTC_USER_INDEX, attr->user_index);
	prm_set(dctc, PRM_DCTC_CQN, attr->cqn);
	prm_set(dctc, PRM_DCTC_RRE, 1);
	prm_set(dctc, PRM_DCTC_RWE, 1);
	if (attr->has_atomic) {
		prm_set(dctc, PRM_DCTC_RAE, 1);
		prm_set(dctc, PRM_DCTC_ATOMIC_MODE, PRM_QPC_ATOMIC_MODE_IB_COMP);
	}
	prm_set(dctc, PRM_DCTC_CS_RES, PRM_DCTC_CS_RES_DISABLE);
	prm_set(dctc, PRM_DCTC_MIN_RNR_NAK, MLX5_UMR_MIN_RNR_NAK);
	prm_set(dctc, PRM_DCTC_SRQN_XRQN, attr->srqn);
	prm_set(dctc, PRM_DCTC_PD, attr->pdn);
	prm_set(dctc, PRM_DCTC_DC_ACCESS_KEY, attr->dc_key);
	prm_set(dctc, PRM_DCTC_MTU, attr->mtu);
	prm_set(dctc, PRM_DCTC_PORT, attr->port);
	prm_set(dctc, PRM_DCTC_MY_ADDR_INDEX, attr->gid_index);
	prm_set(dctc, PRM_DCTC_HOP_LIMIT, MLX5_UMR_HOP_LIMIT);
	return mlx5_umr_devx_obj_create(dev, "CREATE_DCT", in, sizeof(in),
					PRM_CREATE_DCT_OUT_DCTN, obj, dctn);
}
