/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Writes, reads and sends of all service types. */

#include "mem/mkey.h"
#include "op/rdma.h"
#include "xport/xport_requester.h"
#include "xport/transfer.h"
#include "xport/ud.h"
#include "xport/xport.h"

/* Consume the remote address of a one-sided request, after the segments of its service type. */
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

enum swhca_wqe_end
swhca_rdma_write_exec(struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	const struct mlx5_wqe_raddr_seg *raddr;
	struct swhca_wire_answer answer;
	struct swhca_wire_req req;
	enum swhca_wqe_end end;

	end = raddr_take(qp, wqe, &raddr);
	if (end == SWHCA_WQE_DONE)
		end = swhca_local_translate(qp, wqe, SWHCA_ACCESS_LOCAL_READ);
	if (end != SWHCA_WQE_DONE)
		return end;
	swhca_request_init(qp, wqe, SWHCA_WIRE_WRITE, &req);
	swhca_request_set_raddr(&req, raddr);
	return swhca_request_send(qp, wqe, &req, &answer);
}

enum swhca_wqe_end
swhca_rdma_read_exec(struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	const struct mlx5_wqe_raddr_seg *raddr;
	struct swhca_wire_answer answer;
	struct swhca_wire_req req;
	enum swhca_wqe_end end;

	end = raddr_take(qp, wqe, &raddr);
	if (end == SWHCA_WQE_DONE)
		end = swhca_local_translate(qp, wqe, SWHCA_ACCESS_LOCAL_WRITE);
	if (end != SWHCA_WQE_DONE)
		return end;
	swhca_request_init(qp, wqe, SWHCA_WIRE_READ, &req);
	swhca_request_set_raddr(&req, raddr);
	wqe->byte_cnt = (uint32_t)req.len;
	return swhca_request_send(qp, wqe, &req, &answer);
}

enum swhca_wqe_end
swhca_send_exec(struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	struct swhca_wire_answer answer;
	struct swhca_wire_req req;
	enum swhca_wqe_end end;

	if (prm_get(qp->qpc, PRM_QPC_ST) == PRM_QP_ST_UD)
		return swhca_ud_send_exec(qp, wqe);
	end = swhca_xport_begin(qp, wqe);
	if (end == SWHCA_WQE_DONE)
		end = swhca_local_translate(qp, wqe, SWHCA_ACCESS_LOCAL_READ);
	if (end != SWHCA_WQE_DONE)
		return end;
	swhca_request_init(qp, wqe, SWHCA_WIRE_SEND, &req);
	return swhca_request_send(qp, wqe, &req, &answer);
}
