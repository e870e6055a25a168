/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Writes, reads and sends, of any service type that has them.
 */

#include "base/log.h"
#include "mem/mkey.h"
#include "op/rdma.h"
#include "queue/recv.h"
#include "xport/transfer.h"
#include "xport/ud.h"
#include "xport/xport.h"

/* The remote address of a one-sided request, behind what its service type needs. */
static enum swhca_wqe_end
raddr_take(struct swhca_qp *qp, struct swhca_wqe *wqe, const struct mlx5_wqe_raddr_seg **raddr)
{
	enum swhca_wqe_end end = swhca_xport_begin(qp, wqe);
	const void *seg;

	if (end == SWHCA_WQE_DONE)
		end = swhca_xport_take(wqe, sizeof(**raddr), &seg);
	if (end == SWHCA_WQE_DONE)
		*raddr = seg;
	return end;
}

/* The immediate of a write takes a receive WQE, but none of its memory. */
static enum swhca_wqe_end
write_imm_deliver(struct swhca_qp *qp, struct swhca_wqe *wqe, const struct swhca_responder *to)
{
	const struct swhca_spans nothing = { 0 };
	const struct swhca_message msg = {
		.payload = &nothing,
		.cqe_opcode = MLX5_CQE_RESP_WR_IMM,
		.is_solicited = (wqe->fm_ce_se & PRM_CTRL_SE) != 0,
		.imm = wqe->imm,
		.len = (uint32_t)qp->hca->fabric->local.len,
		.flags_rqpn = qp->obj.num,
	};

	return swhca_send_end(qp, wqe, to, swhca_recv_deliver(to, &msg));
}

enum swhca_wqe_end
swhca_rdma_write_exec(struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	const struct swhca_spans *local = &qp->hca->fabric->local;
	bool has_imm = wqe->opcode == MLX5_OPCODE_RDMA_WRITE_IMM;
	const struct mlx5_wqe_raddr_seg *raddr;
	struct swhca_responder to;
	enum swhca_wqe_end end;

	end = raddr_take(qp, wqe, &raddr);
	if (end == SWHCA_WQE_DONE)
		end = swhca_local_translate(qp, wqe, SWHCA_ACCESS_LOCAL_READ);
	if (end == SWHCA_WQE_DONE)
		end = swhca_xport_find(qp, wqe, &to);
	if (end != SWHCA_WQE_DONE)
		return end;
	if (has_imm && !swhca_recv_is_posted(&to))
		return swhca_xport_not_ready(qp, wqe, &to);
	end = swhca_remote_translate(qp, wqe, &to, raddr, local->len, SWHCA_ACCESS_REMOTE_WRITE);
	if (end == SWHCA_WQE_DONE)
		end = swhca_transfer(qp, wqe, &to, true);
	if (end == SWHCA_WQE_DONE && has_imm)
		end = write_imm_deliver(qp, wqe, &to);
	if (end == SWHCA_WQE_DONE)
		swhca_xport_advance(qp, &to, local->len);
	return end;
}

enum swhca_wqe_end
swhca_rdma_read_exec(struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	const struct swhca_spans *local = &qp->hca->fabric->local;
	const struct mlx5_wqe_raddr_seg *raddr;
	struct swhca_responder to;
	enum swhca_wqe_end end;

	end = raddr_take(qp, wqe, &raddr);
	if (end == SWHCA_WQE_DONE)
		end = swhca_local_translate(qp, wqe, SWHCA_ACCESS_LOCAL_WRITE);
	if (end == SWHCA_WQE_DONE)
		end = swhca_xport_find(qp, wqe, &to);
	if (end == SWHCA_WQE_DONE)
		end = swhca_remote_translate(qp, wqe, &to, raddr, local->len,
					     SWHCA_ACCESS_REMOTE_READ);
	if (end == SWHCA_WQE_DONE)
		end = swhca_transfer(qp, wqe, &to, false);
	if (end == SWHCA_WQE_DONE)
		swhca_xport_advance(qp, &to, local->len);
	wqe->byte_cnt = (uint32_t)local->len;
	return end;
}

static uint8_t
send_cqe_opcode(uint8_t wqe_opcode)
{
	switch (wqe_opcode) {
	case MLX5_OPCODE_SEND_IMM:
		return MLX5_CQE_RESP_SEND_IMM;
	case MLX5_OPCODE_SEND_INVAL:
		return MLX5_CQE_RESP_SEND_INV;
	default:
		return MLX5_CQE_RESP_SEND;
	}
}

/* The key that a send invalidates must be one that may be, before anything is received. */
static enum swhca_wqe_end
inval_find(struct swhca_qp *qp, struct swhca_wqe *wqe, const struct swhca_responder *to,
	   struct swhca_mkey **mkey)
{
	enum swhca_fault fault;

	fault = swhca_mkey_find_inval(to->hca, to->pd, to->num, be32toh(wqe->imm), mkey);
	if (fault == SWHCA_FAULT_NONE)
		return SWHCA_WQE_DONE;
	SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: invalidate key 0x%x: %s", qp->obj.num, wqe->index,
		  be32toh(wqe->imm), swhca_fault_name(fault));
	swhca_responder_refuse(to, PRM_EVENT_WQ_ACCESS_ERROR);
	return swhca_xport_nak(qp, wqe, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR,
			       SWHCA_VENDOR_REMOTE_ACCESS);
}

static enum swhca_wqe_end
send_deliver(struct swhca_qp *qp, struct swhca_wqe *wqe, const struct swhca_responder *to)
{
	const struct swhca_spans *local = &qp->hca->fabric->local;
	const struct swhca_message msg = {
		.payload = local,
		.cqe_opcode = send_cqe_opcode(wqe->opcode),
		.is_solicited = (wqe->fm_ce_se & PRM_CTRL_SE) != 0,
		.imm = wqe->imm,
		.len = (uint32_t)local->len,
		.flags_rqpn = qp->obj.num,
	};
	struct swhca_mkey *inval = NULL;
	enum swhca_wqe_end end;

	if (wqe->opcode == MLX5_OPCODE_SEND_INVAL && swhca_recv_is_posted(to)) {
		end = inval_find(qp, wqe, to, &inval);
		if (end != SWHCA_WQE_DONE)
			return end;
	}
	end = swhca_send_end(qp, wqe, to, swhca_recv_deliver(to, &msg));
	if (end == SWHCA_WQE_DONE && inval != NULL)
		inval->free = true;
	if (end == SWHCA_WQE_DONE)
		swhca_xport_advance(qp, to, local->len);
	return end;
}

enum swhca_wqe_end
swhca_send_exec(struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	struct swhca_responder to;
	enum swhca_wqe_end end;

	if (prm_get(qp->qpc, PRM_QPC_ST) == PRM_QP_ST_UD)
		return swhca_ud_send_exec(qp, wqe);
	end = swhca_xport_begin(qp, wqe);
	if (end == SWHCA_WQE_DONE)
		end = swhca_local_translate(qp, wqe, SWHCA_ACCESS_LOCAL_READ);
	if (end == SWHCA_WQE_DONE)
		end = swhca_xport_find(qp, wqe, &to);
	if (end != SWHCA_WQE_DONE)
		return end;
	return send_deliver(qp, wqe, &to);
}
