/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Common part of SQs and RQs: their rings, and the memory of their WQEs. */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/log.h"
#include "base/timer.h"
#include "eth/eth_queue.h"
#include "mem/mkey.h"
#include "mem/payload.h"

void
swhca_ewq_fini(struct swhca_ewq *wq)
{
	if (wq->cq != NULL)
		swhca_obj_unref(&wq->cq->obj);
	swhca_obj_unref(wq->pd);
	if (wq->umem != NULL)
		swhca_obj_unref(&wq->umem->obj);
	else
		swhca_buf_fini(&wq->buf);
	if (wq->dbr.umem != NULL)
		swhca_obj_unref(&wq->dbr.umem->obj);
}

int
swhca_ewq_posted(const struct swhca_ewq *wq, unsigned int dword, uint32_t *pi, uint32_t *nb)
{
	if (swhca_dbr_read(wq->hca->fabric, &wq->dbr, dword, pi) != 0)
		return -EFAULT;
	*nb = (*pi - wq->ci) & 0xffff;
	return *nb > UINT32_C(1) << wq->log_size ? -EFAULT : 0;
}

int
swhca_ewq_read(const struct swhca_ewq *wq, uint16_t index, void *dst, size_t len)
{
	uint64_t size = UINT64_C(1) << (wq->log_size + wq->log_stride);
	uint64_t at = ((uint64_t)index << wq->log_stride) & (size - 1);
	size_t first = len < size - at ? len : (size_t)(size - at);
	int ret;

	ret = swhca_buf_read(wq->hca->fabric, &wq->buf, at, dst, first);
	if (ret == 0 && first < len)
		ret = swhca_buf_read(wq->hca->fabric, &wq->buf, 0, (uint8_t *)dst + first,
				     len - first);
	return ret;
}

int
swhca_ewq_copy(const struct swhca_ewq *wq, uint32_t num, const struct mlx5_wqe_data_seg *seg,
	       uint8_t *data, uint64_t len, bool is_write, struct swhca_wqe_error *error)
{
	const struct swhca_access access = {
		.key = be32toh(seg->lkey),
		.addr = be64toh(seg->addr),
		.len = len,
		.need = is_write ? SWHCA_ACCESS_LOCAL_WRITE : SWHCA_ACCESS_LOCAL_READ,
		.pd = wq->pd != NULL ? wq->pd->num : UINT32_MAX,
		.qpn = num,
	};
	struct swhca_span own = swhca_span_of(data, len);
	const struct swhca_spans model = { .list = &own, .nb = 1, .len = len };
	struct swhca_spans *spans = &wq->hca->fabric->local;
	enum swhca_fault fault;

	swhca_spans_reset(spans);
	*error = swhca_cause_error(SWHCA_CAUSE_UNMAPPED);
	fault = swhca_mkey_translate(wq->hca, &access, spans);
	if (fault != SWHCA_FAULT_NONE) {
		SWHCA_LOG(WARNING, "%s 0x%x: key 0x%x, address 0x%" PRIx64 ", length %" PRIu64
			  ": %s", is_write ? "RQ" : "SQ", num, access.key, access.addr, access.len,
			  swhca_fault_name(fault));
		*error = swhca_cause_error(is_write ? SWHCA_CAUSE_OF(fault) :
						      swhca_cause_local(wq->hca, fault));
		return -EFAULT;
	}
	if (swhca_payload_copy(wq->hca, is_write ? spans : &model, is_write ? &model : spans) != 0)
		return -EFAULT;
	return 0;
}

void
swhca_ewq_cqe_init(const struct swhca_ewq *wq, struct mlx5_cqe64 *cqe, uint8_t opcode,
		   uint16_t index)
{
	bool is_real_time = prm_get(wq->ctx, PRM_SQC_TS_FORMAT) == PRM_TS_FORMAT_REAL_TIME;

	memset(cqe, 0, sizeof(*cqe));
	cqe->srqn_uidx = htobe32(prm_get_u32(wq->ctx, PRM_SQC_USER_INDEX));
	cqe->timestamp = htobe64(swhca_timer_stamp(is_real_time));
	cqe->wqe_counter = htobe16(index);
	cqe->op_own = (uint8_t)(opcode << 4);
}
