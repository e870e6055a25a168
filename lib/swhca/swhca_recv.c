/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>

#include "swhca_cmd.h"
#include "swhca_engine.h"
#include "swhca_log.h"

/* A key that ends the list of a receive WQE (libmlx5: MLX5_INVALID_LKEY). */
#define RQ_LIST_END_LKEY 0x100u

/* Posted receive WQEs; what the record says beyond the ring's size is not believed. */
static uint32_t
recv_nb_posted(struct swhca_qp *qp)
{
	uint32_t size = UINT32_C(1) << qp->log_rq_size;
	uint32_t pi, nb;

	if (!qp->has_rq || swhca_dbr_read(qp->hca->fabric, &qp->dbr, PRM_DBR_RQ, &pi) != 0)
		return 0;
	nb = (pi - qp->rq_ci) & 0xffff;
	if (nb <= size)
		return nb;
	if (qp->state != PRM_QP_STATE_ERR) {
		SWHCA_LOG(ERR, "QP 0x%x: receive counter %u is %u ahead, the ring has %u",
			  qp->obj.num, pi & 0xffff, nb, size);
		swhca_qp_fail(qp);
	}
	return 0;
}

bool
swhca_recv_is_posted(struct swhca_qp *qp)
{
	return recv_nb_posted(qp) > 0;
}

/*
 * Translate the data segments of the receive WQE at rq_ci, as far as the message reaches. What it
 * does not need is not looked at. *left is the rest that the WQE has no place for.
 */
static enum swhca_fault
recv_translate(struct swhca_qp *qp, struct swhca_spans *spans, uint64_t *left)
{
	struct mlx5_wqe_data_seg segs[SWHCA_MAX_WQE_SZ_RQ / sizeof(struct mlx5_wqe_data_seg)];
	uint32_t slot = qp->rq_ci & ((UINT32_C(1) << qp->log_rq_size) - 1);
	size_t bytes = (size_t)1 << qp->log_rq_stride;
	enum swhca_fault fault;
	uint64_t len;
	size_t i;

	if (swhca_buf_read(qp->hca->fabric, &qp->buf, (uint64_t)slot << qp->log_rq_stride, segs,
			   bytes) != 0)
		return SWHCA_FAULT_BOUNDS;
	for (i = 0; i < bytes / sizeof(segs[0]) && *left > 0; i++) {
		len = swhca_data_seg_len(&segs[i]);
		const struct swhca_access access = {
			.key = be32toh(segs[i].lkey),
			.addr = be64toh(segs[i].addr),
			.len = len < *left ? len : *left,
			.rights = SWHCA_ACCESS_LOCAL_WRITE,
			.pd = qp->pd->num,
			.qpn = qp->obj.num,
		};

		if (access.key == RQ_LIST_END_LKEY)
			break;
		fault = swhca_mkey_translate(qp->hca, &access, spans);
		if (fault != SWHCA_FAULT_NONE)
			return fault;
		*left -= access.len;
	}
	return SWHCA_FAULT_NONE;
}

static enum swhca_recv_end
recv_refuse(struct swhca_wqe_error *error, uint8_t syndrome, unsigned int vendor)
{
	*error = (struct swhca_wqe_error){ .syndrome = syndrome, .vendor = (uint8_t)vendor };
	return syndrome == MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR ? SWHCA_RECV_TOO_LONG :
								SWHCA_RECV_FAULT;
}

static enum swhca_recv_end
recv_scatter(struct swhca_qp *qp, const struct swhca_message *msg, struct swhca_wqe_error *error)
{
	struct swhca_fabric *fabric = qp->hca->fabric;
	struct swhca_spans *spans = &fabric->remote;
	uint64_t left = msg->payload->len;
	enum swhca_fault fault;
	int ret;

	if (left == 0)
		return SWHCA_RECV_OK;
	swhca_spans_reset(spans);
	fault = recv_translate(qp, spans, &left);
	if (fault != SWHCA_FAULT_NONE)
		return recv_refuse(error, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR,
				   SWHCA_VENDOR_FAULT(fault));
	if (left > 0)
		return recv_refuse(error, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR, SWHCA_VENDOR_LENGTH);
	ret = swhca_payload_copy(qp->hca, spans, msg->payload);
	if (ret == -EFAULT)
		return SWHCA_RECV_SOURCE_FAULT;
	if (ret != 0)
		return recv_refuse(error, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR, SWHCA_VENDOR_UNMAPPED);
	return SWHCA_RECV_OK;
}

enum swhca_recv_end
swhca_recv_deliver(struct swhca_qp *qp, const struct swhca_message *msg)
{
	struct swhca_wqe_error error = { 0 };
	enum swhca_recv_end end;
	uint16_t index = qp->rq_ci;

	if (!swhca_recv_is_posted(qp))
		return SWHCA_RECV_NOT_READY;
	end = recv_scatter(qp, msg, &error);
	if (end == SWHCA_RECV_SOURCE_FAULT)
		return end;
	qp->rq_ci++;
	if (end == SWHCA_RECV_OK) {
		swhca_cq_recv_done(qp, index, msg->cqe_opcode, msg->len, msg->imm);
		return end;
	}
	SWHCA_LOG(WARNING, "QP 0x%x receive WQE 0x%x: syndrome 0x%x, vendor 0x%x", qp->obj.num,
		  index, error.syndrome, error.vendor);
	swhca_cq_recv_error(qp, index, error);
	swhca_qp_fail(qp);
	return end;
}

void
swhca_recv_flush(struct swhca_qp *qp)
{
	const struct swhca_wqe_error error = {
		.syndrome = MLX5_CQE_SYNDROME_WR_FLUSH_ERR,
		.vendor = SWHCA_VENDOR_FLUSH,
	};
	uint32_t nb = recv_nb_posted(qp);

	for (; nb > 0; nb--)
		swhca_cq_recv_error(qp, qp->rq_ci++, error);
}
