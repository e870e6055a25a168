/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Send WQEs: fetch, decode, execute. */

#include <endian.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/log.h"
#include "engine/wqe_exec.h"
#include "op/atomic.h"
#include "op/mmo.h"
#include "op/op_psv.h"
#include "op/rdma.h"
#include "op/umr.h"
#include "xport/xport.h"

/* Copy up to SWHCA_FETCH_BYTES from an index on, in one or two parts. */
static int
sq_fetch(struct swhca_qp *qp, uint16_t index, uint32_t nb_bb, struct swhca_fetched *out)
{
	struct swhca_fabric *fabric = qp->hca->fabric;
	uint32_t size = UINT32_C(1) << qp->log_sq_size;
	uint32_t slot = index & (size - 1);
	uint32_t nb_first;
	int ret;

	if (nb_bb > SWHCA_FETCH_BYTES / PRM_WQE_BB_SIZE)
		nb_bb = SWHCA_FETCH_BYTES / PRM_WQE_BB_SIZE;
	if (nb_bb > size)
		nb_bb = size;
	nb_first = nb_bb < size - slot ? nb_bb : size - slot;
	ret = swhca_buf_read(fabric, &qp->buf, qp->sq_offset + (uint64_t)slot * PRM_WQE_BB_SIZE,
			     fabric->wqe_buf, (size_t)nb_first * PRM_WQE_BB_SIZE);
	if (ret == 0 && nb_bb > nb_first)
		ret = swhca_buf_read(fabric, &qp->buf, qp->sq_offset,
				     fabric->wqe_buf + (size_t)nb_first * PRM_WQE_BB_SIZE,
				     (size_t)(nb_bb - nb_first) * PRM_WQE_BB_SIZE);
	*out = (struct swhca_fetched){
		.data = fabric->wqe_buf,
		.nb_bb = nb_bb,
		.first = index,
	};
	return ret;
}

static void
wqe_decode(struct swhca_wqe *wqe, const uint8_t *data, uint16_t index)
{
	const struct mlx5_wqe_ctrl_seg *ctrl = (const void *)data;
	uint32_t word = be32toh(ctrl->opmod_idx_opcode);

	memset(wqe, 0, offsetof(struct swhca_wqe, scatter.data));
	wqe->data = data;
	wqe->nb_ds = be32toh(ctrl->qpn_ds) & PRM_WQE_MAX_DS;
	wqe->ds = sizeof(*ctrl) / PRM_WQE_DS_SIZE;
	wqe->opcode = word & 0xff;
	wqe->opmod = (uint8_t)(word >> 24);
	wqe->fm_ce_se = ctrl->fm_ce_se;
	wqe->index = index;
	wqe->imm = ctrl->imm;
}

/*
 * The model executes in order, so a fence needs no wait; but warn about a driver that omits the
 * fence that hardware needs after a UMR.
 */
static void
wqe_check_fence(struct swhca_qp *qp, const struct swhca_wqe *wqe)
{
	if (!qp->unfenced_umr || wqe->opcode == MLX5_OPCODE_UMR)
		return;
	if ((wqe->fm_ce_se & PRM_CTRL_FM_MASK) == PRM_CTRL_FM_NONE)
		SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: no fence behind a UMR", qp->obj.num,
			  wqe->index);
	qp->unfenced_umr = false;
}

/* Check whether a WQE does not see the layout written by a preceding UMR yet. */
static bool
wqe_is_early(const struct swhca_qp *qp, const struct swhca_wqe *wqe)
{
	return swhca_has_quirk(qp->hca, SWHCA_QUIRK_KEY_FENCE) && qp->unfenced_umr &&
	       qp->is_umr_silent && wqe->opcode != MLX5_OPCODE_UMR &&
	       (wqe->fm_ce_se & PRM_CTRL_FM_MASK) == PRM_CTRL_FM_INITIATOR_SMALL;
}

bool
swhca_wqe_is_request(const struct swhca_wqe *wqe)
{
	switch (wqe->opcode) {
	case MLX5_OPCODE_RDMA_WRITE:
	case MLX5_OPCODE_RDMA_WRITE_IMM:
	case MLX5_OPCODE_RDMA_READ:
	case MLX5_OPCODE_SEND:
	case MLX5_OPCODE_SEND_IMM:
	case MLX5_OPCODE_SEND_INVAL:
	case MLX5_OPCODE_ATOMIC_CS:
	case MLX5_OPCODE_ATOMIC_FA:
		return true;
	default:
		return false;
	}
}

enum swhca_wqe_end
swhca_wqe_exec(struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	const struct mlx5_wqe_ctrl_seg *ctrl = (const void *)wqe->data;
	uint32_t qpn = be32toh(ctrl->qpn_ds) >> 8;

	if (qpn != qp->obj.num) {
		SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: is for QP 0x%x", qp->obj.num, wqe->index,
			  qpn);
		return swhca_wqe_fail(wqe, SWHCA_CAUSE_FORMAT);
	}
	if (wqe_is_early(qp, wqe))
		return swhca_wqe_fail(wqe, SWHCA_CAUSE_OF(SWHCA_FAULT_FREE));
	wqe_check_fence(qp, wqe);
	if (!swhca_xport_has_opcode(qp, wqe->opcode)) {
		SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: opcode 0x%x is not for service type %u",
			  qp->obj.num, wqe->index, wqe->opcode,
			  (unsigned int)prm_get(qp->qpc, PRM_QPC_ST));
		return swhca_wqe_fail(wqe, SWHCA_CAUSE_OPCODE);
	}
	switch (wqe->opcode) {
	case MLX5_OPCODE_NOP:
		return SWHCA_WQE_DONE;
	case MLX5_OPCODE_RDMA_WRITE:
	case MLX5_OPCODE_RDMA_WRITE_IMM:
		return swhca_rdma_write_exec(qp, wqe);
	case MLX5_OPCODE_RDMA_READ:
		return swhca_rdma_read_exec(qp, wqe);
	case MLX5_OPCODE_SEND:
	case MLX5_OPCODE_SEND_IMM:
	case MLX5_OPCODE_SEND_INVAL:
		return swhca_send_exec(qp, wqe);
	case MLX5_OPCODE_ATOMIC_CS:
	case MLX5_OPCODE_ATOMIC_FA:
		return swhca_atomic_exec(qp, wqe);
	case MLX5_OPCODE_UMR:
		return swhca_umr_exec(qp, wqe);
	case MLX5_OPCODE_MMO:
		return swhca_mmo_exec(qp, wqe);
	case MLX5_OPCODE_LOCAL_INVAL:
		return swhca_local_inv_exec(qp, wqe);
	case MLX5_OPCODE_SET_PSV:
		return swhca_set_psv_exec(qp, wqe);
	default:
		SWHCA_LOG(ERR, "QP 0x%x WQE 0x%x: opcode 0x%x is not modelled", qp->obj.num,
			  wqe->index, wqe->opcode);
		return swhca_wqe_fail(wqe, SWHCA_CAUSE_OPCODE);
	}
}

uint32_t
swhca_wqe_nb_bb(const struct swhca_wqe *wqe)
{
	return wqe->nb_ds == 0 ? 1 : prm_ds_to_wqebb(wqe->nb_ds);
}

/* Check whether the buffer contains all posted parts of a WQE; then it is decoded. */
static bool
has_fetched(const struct swhca_fetched *got, uint16_t index, uint32_t nb_left,
	    struct swhca_wqe *wqe)
{
	uint32_t at = (uint16_t)(index - got->first);

	if (at >= got->nb_bb)
		return false;
	wqe_decode(wqe, got->data + (size_t)at * PRM_WQE_BB_SIZE, index);
	return swhca_wqe_nb_bb(wqe) <= got->nb_bb - at || got->nb_bb - at == nb_left;
}

int
swhca_wqe_fetch(struct swhca_qp *qp, struct swhca_fetched *got, uint16_t index, uint32_t nb_left,
		struct swhca_wqe *wqe)
{
	if (has_fetched(got, index, nb_left, wqe))
		return 0;
	if (sq_fetch(qp, index, nb_left, got) != 0)
		return -EFAULT;
	wqe_decode(wqe, got->data, index);
	return 0;
}
