/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Local memory of a transfer: segments to spans. */

#include <endian.h>
#include <inttypes.h>
#include <string.h>

#include "base/log.h"
#include "mem/mkey.h"
#include "object/limits.h"
#include "queue/scatter.h"
#include "xport/transfer.h"

/* Append inline data of the WQE to the payload buffer of the fabric. */
static enum swhca_wqe_end
inline_seg_add(struct swhca_qp *qp, struct swhca_wqe *wqe, uint32_t *nb_payload)
{
	struct swhca_fabric *fabric = qp->hca->fabric;
	const uint8_t *seg = wqe->data + (size_t)wqe->ds * PRM_WQE_DS_SIZE;
	uint32_t len = be32toh(*(const __be32 *)seg) & ~MLX5_INLINE_SEG;
	uint32_t seg_ds = (len + sizeof(uint32_t) + PRM_WQE_DS_SIZE - 1) / PRM_WQE_DS_SIZE;

	if (len > SWHCA_MAX_WQE_SZ_SQ || seg_ds > wqe->nb_ds - wqe->ds)
		return swhca_wqe_fail(wqe, SWHCA_CAUSE_INLINE);
	memcpy(fabric->payload + *nb_payload, seg + sizeof(uint32_t), len);
	if (swhca_spans_add_model(&fabric->local, fabric->payload + *nb_payload, len) != 0)
		return swhca_wqe_fail(wqe, SWHCA_CAUSE_PIECES);
	*nb_payload += len;
	wqe->ds += seg_ds;
	return SWHCA_WQE_DONE;
}

static enum swhca_wqe_end
data_seg_add(struct swhca_qp *qp, struct swhca_wqe *wqe, const struct mlx5_wqe_data_seg *seg,
	     uint8_t need)
{
	const struct swhca_access access = {
		.key = be32toh(seg->lkey),
		.addr = be64toh(seg->addr),
		.len = swhca_data_seg_len(seg),
		.need = need,
		.pd = qp->pd->num,
		.qpn = qp->obj.num,
		.qp = qp,
		.cq = qp->send_cq,
	};
	enum swhca_fault fault;

	if (seg->byte_count == 0 && swhca_has_quirk(qp->hca, SWHCA_QUIRK_DATA_SEGMENT_ZERO)) {
		wqe->ds++;
		return SWHCA_WQE_DONE;
	}
	fault = swhca_mkey_translate(qp->hca, &access, &qp->hca->fabric->local);
	if (fault == SWHCA_FAULT_ABSENT)
		fault = swhca_qp_page_fault(qp, wqe, need);
	if (fault == SWHCA_FAULT_ABSENT)
		return SWHCA_WQE_WAIT;
	if (fault != SWHCA_FAULT_NONE) {
		SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: key 0x%x, address 0x%" PRIx64
			  ", length %" PRIu64 ": %s", qp->obj.num, wqe->index, access.key,
			  access.addr, access.len, swhca_fault_name(fault));
		return swhca_wqe_fail(wqe, swhca_cause_local(qp->hca, fault));
	}
	wqe->ds++;
	return SWHCA_WQE_DONE;
}

enum swhca_wqe_end
swhca_local_translate(struct swhca_qp *qp, struct swhca_wqe *wqe, uint8_t need)
{
	struct swhca_spans *spans = &qp->hca->fabric->local;
	const struct mlx5_wqe_data_seg *seg;
	uint32_t nb_payload = 0;
	enum swhca_wqe_end end;

	swhca_spans_reset(spans);
	while (wqe->ds < wqe->nb_ds) {
		seg = (const void *)(wqe->data + (size_t)wqe->ds * PRM_WQE_DS_SIZE);
		if ((be32toh(seg->byte_count) & MLX5_INLINE_SEG) == 0)
			end = data_seg_add(qp, wqe, seg, need);
		else if (need == SWHCA_ACCESS_LOCAL_WRITE)
			end = swhca_wqe_fail(wqe, SWHCA_CAUSE_FORMAT);
		else
			end = inline_seg_add(qp, wqe, &nb_payload);
		if (end != SWHCA_WQE_DONE)
			return end;
	}
	if (spans->len > UINT64_C(1) << prm_get(qp->qpc, PRM_QPC_LOG_MSG_MAX)) {
		SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: message of %" PRIu64 " bytes, at most 2^%u",
			  qp->obj.num, wqe->index, spans->len,
			  (unsigned int)prm_get(qp->qpc, PRM_QPC_LOG_MSG_MAX));
		return swhca_wqe_fail(wqe, SWHCA_CAUSE_LENGTH);
	}
	if (need == SWHCA_ACCESS_LOCAL_WRITE && swhca_scatter_local(qp, wqe) != 0)
		return swhca_wqe_fail(wqe, SWHCA_CAUSE_PIECES);
	return SWHCA_WQE_DONE;
}
