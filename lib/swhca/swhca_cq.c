/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "swhca_engine.h"
#include "swhca_trace.h"

/* Room for one more CQE; the consumer counter is read again only when the ring looks full. */
static bool
cq_has_room(const struct swhca_fabric *fabric, struct swhca_cq *cq)
{
	uint32_t size = UINT32_C(1) << cq->log_size;
	uint32_t ci;

	if (cq->ignore_overrun || cq->pi - cq->ci < size)
		return true;
	if (swhca_dbr_read(fabric, &cq->dbr, PRM_DBR_RQ, &ci) != 0)
		return false;
	/* The record has 24 bits; pi runs in 32. */
	cq->ci = cq->pi - ((cq->pi - ci) & 0xffffff);
	return cq->pi - cq->ci < size;
}

/* Write an entry, its ownership last. Entries of 128 bytes hold theirs in the second half. */
static bool
cq_write_entry(struct swhca_hca *hca, struct swhca_cq *cq, struct mlx5_cqe64 *cqe)
{
	const struct swhca_fabric *fabric = hca->fabric;
	uint32_t size = UINT32_C(1) << cq->log_size;
	uint64_t offset = (uint64_t)(cq->pi & (size - 1)) << cq->log_cqe;
	uint64_t addr, span;

	if (cq->failed)
		return false;
	if (!cq_has_room(fabric, cq)) {
		SWHCA_LOG(ERR, "CQ 0x%x: overrun, %u entries; no more CQEs are written",
			  cq->obj.num, size);
		cq->failed = true;
		return false;
	}
	cqe->op_own |= (cq->pi >> cq->log_size) & 1;
	offset += (UINT64_C(1) << cq->log_cqe) - sizeof(*cqe);
	swhca_trace_cqe(cq, cqe);
	if (swhca_buf_span(&cq->buf, offset, &addr, &span) != 0 || span < sizeof(*cqe) ||
	    fabric->dma->write_last(fabric->dma, addr, cqe, sizeof(*cqe)) != 0) {
		SWHCA_LOG(ERR, "CQ 0x%x: entry %u is not mapped; no more CQEs are written",
			  cq->obj.num, cq->pi & (size - 1));
		cq->failed = true;
		return false;
	}
	cq->pi++;
	hca->stats.nb_cqes++;
	return true;
}

/* A queue pair whose completion is lost goes to error (IBTA 10.2.5, CQ overrun). */
static void
cq_write(struct swhca_qp *qp, struct swhca_cq *cq, struct mlx5_cqe64 *cqe)
{
	if (!cq_write_entry(qp->hca, cq, cqe) && qp->state != PRM_QP_STATE_ERR)
		swhca_qp_fail(qp);
}

static void
cqe_init(const struct swhca_qp *qp, struct mlx5_cqe64 *cqe, uint8_t cqe_opcode, uint8_t wqe_opcode,
	 uint16_t index)
{
	memset(cqe, 0, sizeof(*cqe));
	cqe->srqn_uidx = htobe32((uint32_t)prm_get(qp->qpc, PRM_QPC_USER_INDEX));
	cqe->timestamp = htobe64(swhca_now_ns());
	cqe->sop_drop_qpn = htobe32((uint32_t)wqe_opcode << 24 | qp->obj.num);
	cqe->wqe_counter = htobe16(index);
	cqe->op_own = (uint8_t)(cqe_opcode << 4);
}

static void
cqe_set_error(struct mlx5_cqe64 *cqe, struct swhca_wqe_error error)
{
	struct mlx5_err_cqe *err = (struct mlx5_err_cqe *)cqe;

	/* Where a good CQE has its timestamp an error CQE has these two. */
	cqe->timestamp = 0;
	err->vendor_err_synd = error.vendor;
	err->syndrome = error.syndrome;
}

void
swhca_cq_send_done(struct swhca_qp *qp, const struct swhca_wqe *wqe)
{
	struct mlx5_cqe64 cqe;

	cqe_init(qp, &cqe, MLX5_CQE_REQ, wqe->opcode, wqe->index);
	cqe.byte_cnt = htobe32(wqe->byte_cnt);
	cq_write(qp, qp->send_cq, &cqe);
}

void
swhca_cq_send_error(struct swhca_qp *qp, const struct swhca_wqe *wqe)
{
	struct mlx5_cqe64 cqe;

	cqe_init(qp, &cqe, MLX5_CQE_REQ_ERR, wqe->opcode, wqe->index);
	cqe_set_error(&cqe, wqe->error);
	qp->hca->stats.nb_cqe_errors++;
	cq_write(qp, qp->send_cq, &cqe);
}

void
swhca_cq_recv_done(struct swhca_qp *qp, uint16_t index, uint8_t opcode, uint32_t byte_cnt,
		   uint32_t imm)
{
	struct mlx5_cqe64 cqe;

	cqe_init(qp, &cqe, opcode, 0, index);
	cqe.flags_rqpn = htobe32((uint32_t)prm_get(qp->qpc, PRM_QPC_REMOTE_QPN));
	cqe.byte_cnt = htobe32(byte_cnt);
	cqe.imm_inval_pkey = imm;
	cq_write(qp, qp->recv_cq, &cqe);
}

void
swhca_cq_recv_error(struct swhca_qp *qp, uint16_t index, struct swhca_wqe_error error)
{
	struct mlx5_cqe64 cqe;

	cqe_init(qp, &cqe, MLX5_CQE_RESP_ERR, 0, index);
	cqe_set_error(&cqe, error);
	qp->hca->stats.nb_cqe_errors++;
	cq_write(qp, qp->recv_cq, &cqe);
}
