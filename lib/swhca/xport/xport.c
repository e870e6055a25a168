/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <endian.h>

#include "mlx5_prm_cmd.h"
#include "mlx5_prm_wqe.h"
#include "xport/xport.h"

bool
swhca_xport_has_opcode(const struct swhca_qp *qp, uint8_t opcode)
{
	switch (prm_get(qp->qpc, PRM_QPC_ST)) {
	case PRM_QP_ST_UC:
		return opcode != MLX5_OPCODE_RDMA_READ && opcode != MLX5_OPCODE_ATOMIC_CS &&
		       opcode != MLX5_OPCODE_ATOMIC_FA && opcode != MLX5_OPCODE_SEND_INVAL;
	case PRM_QP_ST_UD:
		return opcode == MLX5_OPCODE_SEND || opcode == MLX5_OPCODE_SEND_IMM ||
		       opcode == MLX5_OPCODE_NOP;
	case PRM_QP_ST_REG_UMR:
		return opcode == MLX5_OPCODE_UMR || opcode == MLX5_OPCODE_NOP;
	default:
		return true;
	}
}

enum swhca_wqe_end
swhca_xport_take(struct swhca_wqe *wqe, size_t len, const void **seg)
{
	uint32_t nb_ds = (uint32_t)(len / PRM_WQE_DS_SIZE);

	if (wqe->nb_ds - wqe->ds < nb_ds)
		return swhca_wqe_fail(wqe, SWHCA_CAUSE_FORMAT);
	*seg = wqe->data + (size_t)wqe->ds * PRM_WQE_DS_SIZE;
	wqe->ds += nb_ds;
	return SWHCA_WQE_DONE;
}

/* Consume an address vector. */
static enum swhca_wqe_end
take_av(struct swhca_wqe *wqe)
{
	const struct mlx5_wqe_av *av;
	enum swhca_wqe_end end;
	const void *seg;

	/* Only the base part unless it announces the rest (cap. compact_address_vector). */
	end = swhca_xport_take(wqe, PRM_WQE_DS_SIZE, &seg);
	if (end != SWHCA_WQE_DONE)
		return end;
	av = seg;
	wqe->av = av;
	wqe->is_base_av = (be32toh(av->dqp_dct) & PRM_AV_EXT) == 0;
	if (!wqe->is_base_av)
		end = swhca_xport_take(wqe, sizeof(*av) - PRM_WQE_DS_SIZE, &seg);
	return end;
}

enum swhca_wqe_end
swhca_xport_begin(struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	enum swhca_wqe_end end;
	const void *seg;

	switch (prm_get(qp->qpc, PRM_QPC_ST)) {
	case PRM_QP_ST_UD:
	case PRM_QP_ST_DCI:
		return take_av(wqe);
	case PRM_QP_ST_XRC:
		end = swhca_xport_take(wqe, sizeof(struct prm_wqe_xrc_seg), &seg);
		if (end == SWHCA_WQE_DONE)
			wqe->srqn = be32toh(((const struct prm_wqe_xrc_seg *)seg)->xrc_srqn_be) &
				    0xffffff;
		return end;
	default:
		return SWHCA_WQE_DONE;
	}
}
