/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Memory-to-memory operations (MMO): the copy, which needs no peer.
 *
 * libmlx5: wqe.h, struct mlx5_mmo_wqe. Metadata, source and destination follow the control segment.
 * The metadata names a buffer for results of other operations, which a copy does not use.
 */

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <inttypes.h>

#include "base/log.h"
#include "mem/mkey.h"
#include "mem/payload.h"
#include "op/mmo.h"

#define MMO_DS 4u

struct mmo_wqe {
	struct mlx5_wqe_ctrl_seg ctrl;
	uint32_t control;
	uint32_t opaque_lkey;
	uint64_t opaque_addr;
	struct mlx5_wqe_data_seg src;
	struct mlx5_wqe_data_seg dst;
};

static_assert(sizeof(struct mmo_wqe) == MMO_DS * PRM_WQE_DS_SIZE, "MMO WQE is 4 DS");

static enum swhca_wqe_end
mmo_reject(const struct swhca_qp *qp, struct swhca_wqe *wqe, enum swhca_cause cause,
	   const char *why, uint64_t value)
{
	SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: MMO: %s (0x%" PRIx64 ")", qp->obj.num, wqe->index,
		  why, value);
	return swhca_wqe_fail(wqe, cause);
}

static enum swhca_wqe_end
mmo_translate(struct swhca_qp *qp, struct swhca_wqe *wqe, const struct mlx5_wqe_data_seg *seg,
	      uint8_t need, struct swhca_spans *spans)
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

	swhca_spans_reset(spans);
	fault = swhca_mkey_translate(qp->hca, &access, spans);
	if (fault == SWHCA_FAULT_NONE)
		return SWHCA_WQE_DONE;
	if (fault == SWHCA_FAULT_ABSENT)
		fault = swhca_qp_page_fault(qp, wqe, need);
	if (fault == SWHCA_FAULT_ABSENT)
		return SWHCA_WQE_WAIT;
	return mmo_reject(qp, wqe, swhca_cause_local(qp->hca, fault), swhca_fault_name(fault),
			  access.key);
}

static enum swhca_wqe_end
mmo_check(struct swhca_qp *qp, struct swhca_wqe *wqe, const struct mmo_wqe *mmo)
{
	uint64_t len = swhca_data_seg_len(&mmo->src);

	if (!qp->mmo)
		return mmo_reject(qp, wqe, SWHCA_CAUSE_OPCODE,
				  "not enabled on the queue", wqe->opmod);
	if (wqe->opmod != PRM_MMO_OPMOD_DMA)
		return mmo_reject(qp, wqe, SWHCA_CAUSE_OPCODE,
				  "only the copy is modelled, modifier", wqe->opmod);
	if (wqe->nb_ds != MMO_DS)
		return mmo_reject(qp, wqe, SWHCA_CAUSE_FORMAT, "not 4 DS", wqe->nb_ds);
	if (mmo->src.byte_count != mmo->dst.byte_count ||
	    len > UINT64_C(1) << SWHCA_LOG_MAX_MMO_DMA)
		return mmo_reject(qp, wqe, SWHCA_CAUSE_LENGTH,
				  "too long, or other lengths of source and destination", len);
	return SWHCA_WQE_DONE;
}

enum swhca_wqe_end
swhca_mmo_exec(struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	const struct mmo_wqe *mmo = (const void *)wqe->data;
	struct swhca_fabric *fabric = qp->hca->fabric;
	enum swhca_wqe_end end;
	int ret;

	end = mmo_check(qp, wqe, mmo);
	if (end == SWHCA_WQE_DONE)
		end = mmo_translate(qp, wqe, &mmo->src, SWHCA_ACCESS_LOCAL_READ, &fabric->local);
	if (end == SWHCA_WQE_DONE)
		end = mmo_translate(qp, wqe, &mmo->dst, SWHCA_ACCESS_LOCAL_WRITE,
				    &fabric->remote);
	if (end != SWHCA_WQE_DONE)
		return end;
	ret = swhca_payload_copy(qp->hca, &fabric->remote, &fabric->local);
	if (ret != 0)
		return mmo_reject(qp, wqe, SWHCA_CAUSE_UNMAPPED,
				  ret == -EFAULT ? "source is not mapped" :
						   "destination is not mapped",
				  be64toh(ret == -EFAULT ? mmo->src.addr : mmo->dst.addr));
	wqe->byte_cnt = (uint32_t)fabric->local.len;
	return SWHCA_WQE_DONE;
}
