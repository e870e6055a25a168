/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Writes, reads and sends, of any service type that has them.
 */

#include "swhca_xport.h"

/* The remote address of a one-sided request, behind what its service type needs. */
static enum swhca_wqe_end
raddr_take(struct swhca_qp *qp, struct swhca_wqe *wqe, const struct mlx5_wqe_raddr_seg **raddr)
{
	enum swhca_wqe_end end = swhca_xport_begin(qp, wqe);

	if (end != SWHCA_WQE_DONE)
		return end;
	if (wqe->ds >= wqe->nb_ds)
		return swhca_wqe_fail(wqe, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR, SWHCA_VENDOR_FORMAT);
	*raddr = (const void *)(wqe->data + (size_t)wqe->ds * PRM_WQE_DS_SIZE);
	wqe->ds += sizeof(**raddr) / PRM_WQE_DS_SIZE;
	return SWHCA_WQE_DONE;
}

enum swhca_wqe_end
swhca_rdma_write_exec(struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	const struct swhca_spans *local = &qp->hca->fabric->local;
	bool has_imm = wqe->opcode == MLX5_OPCODE_RDMA_WRITE_IMM;
	const struct mlx5_wqe_raddr_seg *raddr;
	const struct swhca_spans nothing = { 0 };
	struct swhca_responder to;
	enum swhca_wqe_end end;

	end = raddr_take(qp, wqe, &raddr);
	if (end == SWHCA_WQE_DONE)
		end = swhca_local_translate(qp, wqe, SWHCA_ACCESS_LOCAL_READ);
	if (end == SWHCA_WQE_DONE)
		end = swhca_xport_find(qp, wqe, &to);
	if (end != SWHCA_WQE_DONE || to.hca == NULL)
		return end;
	if (has_imm && !swhca_recv_is_posted(&to))
		return swhca_xport_not_ready(qp, wqe, &to);
	end = swhca_remote_translate(qp, wqe, &to, raddr, local->len, SWHCA_ACCESS_REMOTE_WRITE);
	if (end == SWHCA_WQE_DONE)
		end = swhca_transfer(qp, wqe, &to, true);
	if (end == SWHCA_WQE_DONE && has_imm) {
		const struct swhca_message msg = {
			.payload = &nothing,
			.cqe_opcode = MLX5_CQE_RESP_WR_IMM,
			.imm = wqe->imm,
			.len = (uint32_t)local->len,
			.src_qpn = qp->obj.num,
		};

		swhca_recv_deliver(&to, &msg);
	}
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
	wqe->byte_cnt = (uint32_t)local->len;
	return end;
}

static uint8_t
send_cqe_opcode(uint8_t wqe_opcode)
{
	return wqe_opcode == MLX5_OPCODE_SEND_IMM ? MLX5_CQE_RESP_SEND_IMM : MLX5_CQE_RESP_SEND;
}

enum swhca_wqe_end
swhca_send_exec(struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	const struct swhca_spans *local = &qp->hca->fabric->local;
	struct swhca_responder to;
	struct swhca_message msg;
	enum swhca_wqe_end end;

	end = swhca_xport_begin(qp, wqe);
	if (end == SWHCA_WQE_DONE)
		end = swhca_local_translate(qp, wqe, SWHCA_ACCESS_LOCAL_READ);
	if (end == SWHCA_WQE_DONE)
		end = swhca_xport_find(qp, wqe, &to);
	if (end != SWHCA_WQE_DONE || to.hca == NULL)
		return end;
	msg = (struct swhca_message){
		.payload = local,
		.cqe_opcode = send_cqe_opcode(wqe->opcode),
		.imm = wqe->imm,
		.len = (uint32_t)local->len,
		.src_qpn = qp->obj.num,
	};
	switch (swhca_recv_deliver(&to, &msg)) {
	case SWHCA_RECV_OK:
		return SWHCA_WQE_DONE;
	case SWHCA_RECV_NOT_READY:
		return swhca_xport_not_ready(qp, wqe, &to);
	case SWHCA_RECV_TOO_LONG:
		return swhca_xport_nak(qp, wqe, MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR,
				       SWHCA_VENDOR_LENGTH);
	case SWHCA_RECV_SOURCE_FAULT:
		return swhca_wqe_fail(wqe, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR, SWHCA_VENDOR_UNMAPPED);
	case SWHCA_RECV_FAULT:
	default:
		return swhca_xport_nak(qp, wqe, MLX5_CQE_SYNDROME_REMOTE_OP_ERR,
				       SWHCA_VENDOR_UNMAPPED);
	}
}
