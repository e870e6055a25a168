/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <endian.h>
#include <inttypes.h>
#include <string.h>

#include "base/log.h"
#include "mem/bsf/bsf.h"
#include "mem/mkey.h"
#include "mem/odp.h"
#include "mem/pin.h"
#include "op/umr.h"

#define ACCESS_MASK                                                                                \
	((uint64_t)(MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_LOCAL_WRITE |                               \
		    MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_REMOTE_READ |                               \
		    MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_REMOTE_WRITE |                              \
		    MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_ATOMIC))

/* Fields that a UMR may change. */
#define KNOWN_MASK                                                                                 \
	(ACCESS_MASK | PRM_UMR_MKEY_MASK_LR | PRM_UMR_MKEY_MASK_PD |                               \
	 PRM_UMR_MKEY_MASK_RELAXED_ORDERING_WRITE | PRM_UMR_MKEY_MASK_RELAXED_ORDERING_READ |      \
	 PRM_UMR_MKEY_MASK_EN_RINVAL | (uint64_t)MLX5_WQE_UMR_CTRL_MKEY_MASK_LEN |                 \
	 (uint64_t)MLX5_WQE_UMR_CTRL_MKEY_MASK_START_ADDR |                                        \
	 PRM_UMR_MKEY_MASK_SIGERR | (uint64_t)MLX5_WQE_UMR_CTRL_MKEY_MASK_BSF_ENABLE |             \
	 (uint64_t)MLX5_WQE_UMR_CTRL_MKEY_MASK_MKEY | (uint64_t)MLX5_WQE_UMR_CTRL_MKEY_MASK_QPN |  \
	 (uint64_t)MLX5_WQE_UMR_CTRL_MKEY_MASK_FREE | PRM_UMR_MKEY_MASK_PAGE_SIZE |               \
	 PRM_UMR_MKEY_MASK_SMALL_FENCE)

/* Fields that determine the pages of a key. */
#define LAYOUT_MASK                                                                                \
	((uint64_t)MLX5_WQE_UMR_CTRL_MKEY_MASK_LEN |                                               \
	 (uint64_t)MLX5_WQE_UMR_CTRL_MKEY_MASK_START_ADDR | PRM_UMR_MKEY_MASK_PAGE_SIZE)

/* A parsed UMR WQE. */
struct umr {
	const struct mlx5_wqe_umr_ctrl_seg *ctrl;
	const struct mlx5_wqe_mkey_context_seg *mkc;
	const uint8_t *tail;		/* KLMs, or the pointer to them */
	uint32_t tail_ds;
	uint64_t mask;
	uint32_t nb_klm;
	uint32_t nb_bsf;		/* octowords of BSFs, after the KLMs */
	uint64_t first_klm;
	struct swhca_bsf bsf;
	struct swhca_mkey *mkey;
	struct swhca_obj *pd;		/* new PD of the key */
};

/* Reject a UMR and log the reason; the CQE has the numbers. */
static enum swhca_wqe_end
umr_reject(const struct swhca_qp *qp, struct swhca_wqe *wqe, enum swhca_cause cause,
	   const char *why, uint64_t value)
{
	SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: UMR of key 0x%x: %s (0x%" PRIx64 ")", qp->obj.num,
		  wqe->index, be32toh(wqe->imm), why, value);
	return swhca_wqe_fail(wqe, cause);
}

/* Bits 47..16 of the translation offset (Linux: mlx5_wqe_umr_ctrl_seg.xlt_offset_47_16). */
static uint32_t
xlt_offset_high(const struct mlx5_wqe_umr_ctrl_seg *ctrl)
{
	uint32_t be;

	memcpy(&be, ctrl->rsvd1, sizeof(be));
	return be32toh(be);
}

/*
 * Check for the queue pair by which the kernel registers memory (mlx5_ib: umr.c): it rewrites keys
 * of any PD, and page addresses, which would give others access to all of the host's memory.
 */
static bool
is_of_kernel(const struct swhca_qp *qp)
{
	return prm_get(qp->qpc, PRM_QPC_ST) == PRM_QP_ST_REG_UMR;
}

static enum swhca_wqe_end
umr_parse(struct swhca_qp *qp, struct swhca_wqe *wqe, struct umr *umr)
{
	const uint32_t head_ds = (sizeof(struct mlx5_wqe_ctrl_seg) + sizeof(*umr->ctrl) +
				  sizeof(*umr->mkc)) / PRM_WQE_DS_SIZE;
	bool is_inline;

	/* The kernel waits for each of its UMRs, and orders none (Linux: mlx5r_umr_post_send()). */
	if (qp->hca->conf.needs_strong_fence && !is_of_kernel(qp) &&
	    (wqe->fm_ce_se & PRM_CTRL_FM_MASK) != PRM_CTRL_FM_STRONG_ORDERING)
		return umr_reject(qp, wqe, SWHCA_CAUSE_FORMAT,
				  "not strongly ordered, fm_ce_se", wqe->fm_ce_se);
	if (wqe->nb_ds < head_ds)
		return umr_reject(qp, wqe, SWHCA_CAUSE_FORMAT, "too short, DS", wqe->nb_ds);
	umr->ctrl = (const void *)(wqe->data + sizeof(struct mlx5_wqe_ctrl_seg));
	umr->mkc = (const void *)(umr->ctrl + 1);
	umr->tail = (const uint8_t *)(umr->mkc + 1);
	umr->tail_ds = wqe->nb_ds - head_ds;
	umr->mask = be64toh(umr->ctrl->mkey_mask);
	umr->nb_klm = be16toh(umr->ctrl->klm_octowords);
	umr->nb_bsf = 0;
	umr->first_klm = 0;
	if (swhca_has_quirk(qp->hca, SWHCA_QUIRK_UPDATE_WINDOW))
		umr->first_klm = 0;
	else if (umr->ctrl->flags & MLX5_WQE_UMR_CTRL_FLAG_TRNSLATION_OFFSET)
		umr->first_klm = be16toh(umr->ctrl->translation_offset) |
				 (uint64_t)xlt_offset_high(umr->ctrl) << 16;
	if ((umr->ctrl->flags & MLX5_WQE_UMR_CTRL_FLAG_TRNSLATION_OFFSET) == 0)
		umr->nb_bsf = be16toh(umr->ctrl->bsf_octowords);
	is_inline = (umr->ctrl->flags & MLX5_WQE_UMR_CTRL_FLAG_INLINE) != 0;
	if (umr->nb_klm % PRM_KLM_ALIGN != 0 || umr->first_klm % PRM_KLM_ALIGN != 0 ||
	    (is_inline && umr->nb_klm > umr->tail_ds) ||
	    (!is_inline && umr->nb_klm > 0 && umr->tail_ds != 1))
		return umr_reject(qp, wqe, SWHCA_CAUSE_FORMAT,
				  "KLM octowords do not fit the WQE", umr->nb_klm);
	if (umr->nb_bsf > 0 && (!is_inline || umr->nb_klm + umr->nb_bsf > umr->tail_ds))
		return umr_reject(qp, wqe, SWHCA_CAUSE_FORMAT,
				  "BSF octowords that are not in the WQE", umr->nb_bsf);
	return SWHCA_WQE_DONE;
}

/*
 * Check who may write page addresses: also queue pairs of kernel clients on their own regions
 * (Linux: set_reg_wr()), if a kernel drives the function and its users have contexts with a uid.
 * These are addresses of that kernel's machine, which limits what a function may access.
 */
static bool
may_write_pages(const struct swhca_qp *qp, const struct swhca_mkey *mkey)
{
	/* Contexts without DevX have no uid either; all queues of a kernel have "fre". */
	return is_of_kernel(qp) ||
	       (qp->hca->conf.has_driver && qp->obj.uid == 0 && mkey->obj.uid == 0 &&
		prm_get(qp->qpc, PRM_QPC_FRE) != 0);
}

#define MASK_BOUNDS                                                                                \
	((uint64_t)MLX5_WQE_UMR_CTRL_MKEY_MASK_LEN |                                               \
	 (uint64_t)MLX5_WQE_UMR_CTRL_MKEY_MASK_START_ADDR | PRM_UMR_MKEY_MASK_PAGE_SIZE)

/* Check whether the key would get additional rights. */
static bool
raises_rights(const struct umr *umr)
{
	static const struct {
		uint64_t mask;
		struct prm_field field;
		uint8_t right;
	} rights[] = {
		{ PRM_UMR_MKEY_MASK_LR, PRM_MKC_LR, SWHCA_ACCESS_LOCAL_READ },
		{ MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_LOCAL_WRITE, PRM_MKC_LW,
		  SWHCA_ACCESS_LOCAL_WRITE },
		{ MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_REMOTE_READ, PRM_MKC_RR,
		  SWHCA_ACCESS_REMOTE_READ },
		{ MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_REMOTE_WRITE, PRM_MKC_RW,
		  SWHCA_ACCESS_REMOTE_WRITE },
		{ MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_ATOMIC, PRM_MKC_A,
		  SWHCA_ACCESS_REMOTE_ATOMIC },
	};

	for (size_t i = 0; i < sizeof(rights) / sizeof(rights[0]); i++)
		if ((umr->mask & rights[i].mask) != 0 &&
		    prm_get(umr->mkc, rights[i].field) != 0 &&
		    (umr->mkey->access & rights[i].right) == 0)
			return true;
	return false;
}

/* Reason to reject the new translation of a key, or NULL. */
static const char *
xlt_rejection(const struct swhca_qp *qp, const struct umr *umr)
{
	const struct swhca_mkey *mkey = umr->mkey;

	/* Pages exceed the registered memory: only those queue pairs may change the bounds. */
	if (mkey->mode == PRM_MKC_ACCESS_MODE_MTT && !may_write_pages(qp, mkey) &&
	    (umr->mask & MASK_BOUNDS) != 0)
		return "bounds of page addresses by a queue pair of a user";
	/* Nor make read-only memory writable. */
	if (mkey->mode == PRM_MKC_ACCESS_MODE_MTT && !may_write_pages(qp, mkey) &&
	    raises_rights(umr))
		return "more rights for page addresses by a queue pair of a user";
	if (umr->nb_klm == 0)
		return NULL;
	switch (mkey->mode) {
	case PRM_MKC_ACCESS_MODE_KLMS:
	case PRM_MKC_ACCESS_MODE_KSM:
		break;
	case PRM_MKC_ACCESS_MODE_MTT:
		if (!may_write_pages(qp, mkey))
			return "page addresses by a queue pair of a user";
		break;
	default:
		return "a translation for a key of an access mode without one";
	}
	if (umr->first_klm + umr->nb_klm > swhca_mkey_umr_room(mkey))
		return "more octowords than the key was created for";
	return NULL;
}

/* Entries of another size need a translation of them, and a size that the context can hold. */
static const char *
page_size_rejection(const struct umr *umr)
{
	if ((umr->mask & PRM_UMR_MKEY_MASK_PAGE_SIZE) == 0)
		return NULL;
	if (umr->mkey->mode != PRM_MKC_ACCESS_MODE_MTT &&
	    umr->mkey->mode != PRM_MKC_ACCESS_MODE_KSM)
		return "entity size of a key of an access mode without one";
	if (prm_get(umr->mkc, PRM_MKC_LOG_PAGE_SIZE) < PRM_ADAPTER_PAGE_SHIFT)
		return "entity size below a page";
	/* Presence of its pages is stored by entries of the size that it was created with. */
	if (umr->mkey->mode == PRM_MKC_ACCESS_MODE_KSM && umr->mkey->odp != NULL)
		return "entity size of a key whose pages come on demand";
	return NULL;
}

/* Fields of a device that a UMR may change. */
static uint64_t
known_mask(const struct swhca_hca *hca)
{
	if (swhca_has_quirk(hca, SWHCA_QUIRK_LIST_RELAXED))
		return KNOWN_MASK & ~PRM_UMR_MKEY_MASK_RELAXED_ORDERING_WRITE;
	return KNOWN_MASK;
}

static enum swhca_wqe_end
umr_check_change(struct swhca_qp *qp, struct swhca_wqe *wqe, struct umr *umr)
{
	const char *why;

	why = xlt_rejection(qp, umr);
	if (why != NULL)
		return umr_reject(qp, wqe, SWHCA_CAUSE_UMR_SIZE, why, umr->first_klm + umr->nb_klm);
	if ((umr->mask & ~known_mask(qp->hca)) != 0)
		return umr_reject(qp, wqe, SWHCA_CAUSE_UMR_MASK,
				  "mkey_mask bits that the capabilities do not offer",
				  umr->mask & ~known_mask(qp->hca));
	why = page_size_rejection(umr);
	if (why != NULL)
		return umr_reject(qp, wqe, SWHCA_CAUSE_UMR_MASK,
				  why, prm_get(umr->mkc, PRM_MKC_LOG_PAGE_SIZE));
	umr->pd = qp->pd;
	if ((umr->mask & PRM_UMR_MKEY_MASK_PD) == 0)
		return SWHCA_WQE_DONE;
	umr->pd = swhca_table_get(&qp->hca->tables[SWHCA_OBJ_PD],
				  (uint32_t)prm_get(umr->mkc, PRM_MKC_PD));
	if (umr->pd == NULL || (umr->pd != qp->pd && !is_of_kernel(qp)))
		return umr_reject(qp, wqe, SWHCA_CAUSE_UMR_KEY,
				  "PD is not that of the QP", prm_get(umr->mkc, PRM_MKC_PD));
	return SWHCA_WQE_DONE;
}

/* Check the BSFs after the KLMs, and the capacity of the key for them. */
static enum swhca_wqe_end
umr_check_bsf(struct swhca_qp *qp, struct swhca_wqe *wqe, struct umr *umr)
{
	const struct swhca_mkey *mkey = umr->mkey;
	const char *why;

	if (umr->nb_bsf > mkey->nb_bsf)
		return umr_reject(qp, wqe, SWHCA_CAUSE_UMR_SIZE,
				  "more BSF octowords than the key was created for", umr->nb_bsf);
	if ((umr->mask & MLX5_WQE_UMR_CTRL_MKEY_MASK_BSF_ENABLE) &&
	    prm_get(umr->mkc, PRM_MKC_BSF_EN) && mkey->nb_bsf == 0)
		return umr_reject(qp, wqe, SWHCA_CAUSE_UMR_SIZE,
				  "bsf_en, but the key was created for no BSF", 0);
	if (umr->nb_bsf == 0)
		return SWHCA_WQE_DONE;
	why = swhca_bsf_parse(umr->tail + (size_t)umr->nb_klm * PRM_KLM_SIZE,
			      (size_t)umr->nb_bsf * PRM_WQE_DS_SIZE, &umr->bsf);
	if (umr->bsf.sig.wire.block == 4048 && swhca_has_quirk(qp->hca, SWHCA_QUIRK_BLOCK_4048))
		umr->bsf.sig.wire.block = 4096;
	if (umr->bsf.crypto.unit == 4048 && swhca_has_quirk(qp->hca, SWHCA_QUIRK_CRYPTO_UNIT_4048))
		umr->bsf.crypto.unit = 4096;
	if (why == NULL)
		why = swhca_bsf_check_model(&umr->bsf, qp->hca->conf.model);
	if (why == NULL && umr->bsf.has_crypto && !mkey->crypto_en)
		why = "a crypto BSF, but the key was created without crypto_en";
	if (why != NULL)
		return umr_reject(qp, wqe, SWHCA_CAUSE_BSF, why, umr->nb_bsf);
	return SWHCA_WQE_DONE;
}

/* Check for an entry whose first byte is not in the key that it refers to. */
static bool
has_bad_entry(const struct swhca_hca *hca, const struct umr *umr)
{
	const struct mlx5_wqe_umr_klm_seg *klm = (const void *)umr->tail;
	const struct swhca_mkey *mkey;
	enum swhca_fault fault;
	uint32_t i;

	for (i = 0; i < umr->nb_klm; i++) {
		if (klm[i].mkey == 0 || be32toh(klm[i].mkey) == PRM_UMR_REPEAT_BLOCK_OP)
			continue;
		mkey = swhca_mkey_find(hca, be32toh(klm[i].mkey), &fault);
		if (mkey == NULL || be64toh(klm[i].address) < mkey->start_addr ||
		    be64toh(klm[i].address) - mkey->start_addr >= mkey->len)
			return true;
	}
	return false;
}

/* Reason of a device quirk to reject a UMR, or NULL. */
static const char *
quirk_rejection(const struct swhca_qp *qp, const struct swhca_wqe *wqe, const struct umr *umr)
{
	const struct swhca_mkey *mkey = umr->mkey;
	bool is_inval = (umr->mask & MLX5_WQE_UMR_CTRL_MKEY_MASK_FREE) &&
			prm_get(umr->mkc, PRM_MKC_FREE);

	if (swhca_has_quirk(qp->hca, SWHCA_QUIRK_DC_UMR) &&
	    prm_get(qp->qpc, PRM_QPC_ST) == PRM_QP_ST_DCI)
		return "a UMR on an initiator";
	if (swhca_has_quirk(qp->hca, SWHCA_QUIRK_KEY_NAMED_BY_OLD_TAG) && !mkey->free &&
	    (be32toh(wqe->imm) & 0xff) != mkey->tag)
		return "stale key tag";
	if (swhca_has_quirk(qp->hca, SWHCA_QUIRK_KEY_INVALIDATE_FREE) && mkey->free && is_inval)
		return "invalidation of a free key";
	if (swhca_has_quirk(qp->hca, SWHCA_QUIRK_LIST_UNCHECKED) &&
	    (umr->ctrl->flags & MLX5_WQE_UMR_CTRL_FLAG_INLINE) && has_bad_entry(qp->hca, umr))
		return "an entry that is not in its key";
	return NULL;
}

static enum swhca_wqe_end
umr_check_key(struct swhca_qp *qp, struct swhca_wqe *wqe, struct umr *umr)
{
	const uint8_t flags = umr->ctrl->flags;
	const struct swhca_table *keys = &qp->hca->tables[SWHCA_OBJ_MKEY];
	struct swhca_mkey *mkey;
	enum swhca_wqe_end end;
	const char *why = NULL;

	/* The tag is not compared, as a UMR may change it. */
	mkey = (struct swhca_mkey *)swhca_table_get(keys, be32toh(wqe->imm) >> 8);
	umr->mkey = mkey;
	if (mkey == NULL)
		why = "no such key";
	else if (!mkey->umr_en)
		why = "key was created without umr_en";
	else if (mkey->pd != qp->pd && !is_of_kernel(qp))
		why = "key of another PD";
	else if ((flags & MLX5_WQE_UMR_CTRL_FLAG_CHECK_QPN) && mkey->qpn != PRM_MKC_QPN_ANY &&
		 mkey->qpn != qp->obj.num)
		why = "key of another QP";
	else if ((flags & PRM_UMR_FLAG_CHECK_NOT_FREE) && mkey->free &&
		 !swhca_has_quirk(qp->hca, SWHCA_QUIRK_KEY_UPDATE_FREE))
		why = "key is free";
	else if ((flags & MLX5_WQE_UMR_CTRL_FLAG_CHECK_FREE) && !mkey->free &&
		 !swhca_has_quirk(qp->hca, SWHCA_QUIRK_KEY_IN_USE))
		why = "key is not free";
	else if (qp->hca->conf.quirks != 0)
		why = quirk_rejection(qp, wqe, umr);
	if (why != NULL)
		return umr_reject(qp, wqe, SWHCA_CAUSE_UMR_KEY, why, flags);
	end = umr_check_bsf(qp, wqe, umr);
	return end == SWHCA_WQE_DONE ? umr_check_change(qp, wqe, umr) : end;
}

/* Alignment of a KLM array (DPDK's mlx5_prm.h: MLX5_UMR_KLM_PTR_ALIGN). */
static uint32_t
list_align(const struct swhca_hca *hca)
{
	return swhca_has_quirk(hca, SWHCA_QUIRK_LIST_POINTER_ALIGN) ? 64 : 2048;
}

/* Fetch the KLM array of a WQE. A fault leaves the key partly written. */
static enum swhca_wqe_end
umr_fetch_klms(struct swhca_qp *qp, struct swhca_wqe *wqe, const struct umr *umr, uint8_t *dst)
{
	const struct mlx5_wqe_data_seg *ptr = (const void *)umr->tail;
	const struct swhca_fabric *fabric = qp->hca->fabric;
	struct swhca_spans *spans = &qp->hca->fabric->local;
	const struct swhca_span to = swhca_span_of(dst, (size_t)umr->nb_klm * PRM_KLM_SIZE);
	struct swhca_access access = {
		.key = be32toh(ptr->lkey),
		.addr = be64toh(ptr->addr),
		.len = to.len,
		.need = SWHCA_ACCESS_LOCAL_READ,
		.pd = qp->pd->num,
		.qpn = qp->obj.num,
	};
	enum swhca_fault fault;
	const struct swhca_mkey *list;

	/* The kernel's queue pair reads lists by a key of any PD. */
	list = is_of_kernel(qp) ? swhca_mkey_find(qp->hca, access.key, &fault) : NULL;
	if (list != NULL)
		access.pd = list->pd->num;
	if (access.addr % list_align(qp->hca) != 0 || be32toh(ptr->byte_count) != to.len)
		return umr_reject(qp, wqe, SWHCA_CAUSE_FORMAT,
				  "KLM array is not 2 KiB aligned, or of another length",
				  access.addr);
	swhca_spans_reset(spans);
	fault = swhca_mkey_translate(qp->hca, &access, spans);
	if (fault == SWHCA_FAULT_NONE && spans->nb_xforms != 0)
		fault = SWHCA_FAULT_BSF;
	if (fault == SWHCA_FAULT_ABSENT)
		fault = swhca_qp_page_fault(qp, wqe, access.need);
	if (fault == SWHCA_FAULT_ABSENT)
		return SWHCA_WQE_WAIT;
	if (fault != SWHCA_FAULT_NONE)
		return umr_reject(qp, wqe, SWHCA_CAUSE_OF(fault), swhca_fault_name(fault),
				  access.key);
	if (swhca_dma_copy(fabric->dma, &to, 1, spans->list, spans->nb) != 0)
		return umr_reject(qp, wqe, SWHCA_CAUSE_UNMAPPED,
				  "KLM array is not mapped", access.addr);
	return SWHCA_WQE_DONE;
}

/*
 * Write entries. Pages that a UMR of the kernel removes are not accessed after its completion, even
 * by outstanding transfers; and entries that it writes contain the granted access, even if the key
 * was not created so (Linux: mlx5_mr_cache_alloc(), MLX5_IB_MTT_PRESENT).
 */
static enum swhca_wqe_end
umr_write_xlt(struct swhca_qp *qp, struct swhca_wqe *wqe, const struct umr *umr)
{
	struct swhca_mkey *mkey = umr->mkey;
	uint8_t *dst = mkey->xlt + (size_t)umr->first_klm * PRM_KLM_SIZE;
	bool has_events = qp->hca->conf.has_page_fault_events;
	enum swhca_wqe_end end = SWHCA_WQE_DONE;
	uint64_t nb_present = 0;

	if (umr->nb_klm == 0)
		return SWHCA_WQE_DONE;
	swhca_odp_changed(mkey);
	if (has_events)
		nb_present = swhca_mkey_nb_present(mkey, umr->first_klm, umr->nb_klm);
	if (umr->ctrl->flags & MLX5_WQE_UMR_CTRL_FLAG_INLINE)
		memcpy(dst, umr->tail, (size_t)umr->nb_klm * PRM_KLM_SIZE);
	else
		end = umr_fetch_klms(qp, wqe, umr, dst);
	if (swhca_has_quirk(qp->hca, SWHCA_QUIRK_LIST_STALE_TAIL) &&
	    (umr->ctrl->flags & MLX5_WQE_UMR_CTRL_FLAG_TRNSLATION_OFFSET) == 0)
		memset(dst + (size_t)umr->nb_klm * PRM_KLM_SIZE, 0,
		       (size_t)(swhca_mkey_umr_room(mkey) - umr->nb_klm) * PRM_KLM_SIZE);
	if (end != SWHCA_WQE_DONE || !has_events)
		return end;
	mkey->pg_access |= mkey->mode == PRM_MKC_ACCESS_MODE_MTT;
	if (swhca_mkey_nb_present(mkey, umr->first_klm, umr->nb_klm) < nb_present)
		qp->hca->fabric->wire->hold(qp->hca);
	return SWHCA_WQE_DONE;
}

static void
umr_set_right(struct umr *umr, uint64_t mask, struct prm_field field, uint8_t right)
{
	if ((umr->mask & mask) == 0)
		return;
	if (prm_get(umr->mkc, field))
		umr->mkey->access |= right;
	else
		umr->mkey->access &= (uint8_t)~right;
}

static void
umr_apply_bsf(const struct umr *umr)
{
	struct swhca_mkey *mkey = umr->mkey;

	if (umr->nb_bsf > 0)
		*mkey->bsf = umr->bsf;
	if (umr->mask & MLX5_WQE_UMR_CTRL_MKEY_MASK_BSF_ENABLE)
		mkey->bsf_en = prm_get(umr->mkc, PRM_MKC_BSF_EN) != 0;
	if (umr->mask & PRM_UMR_MKEY_MASK_SIGERR)
		mkey->sigerr_expected = prm_get(umr->mkc, PRM_MKC_EXPECTED_SIGERR_COUNT) != 0;
}

static void
umr_apply(const struct swhca_hca *hca, struct umr *umr)
{
	struct swhca_mkey *mkey = umr->mkey;
	const void *mkc = umr->mkc;
	const uint64_t mask = umr->mask;

	if (mask & MLX5_WQE_UMR_CTRL_MKEY_MASK_LEN) {
		mkey->len = prm_get(mkc, PRM_MKC_LEN);
		mkey->length64 = prm_get(mkc, PRM_MKC_LENGTH64) != 0;
	}
	if (mask & MLX5_WQE_UMR_CTRL_MKEY_MASK_START_ADDR)
		mkey->start_addr = prm_get(mkc, PRM_MKC_START_ADDR);
	if ((mask & MLX5_WQE_UMR_CTRL_MKEY_MASK_MKEY) &&
	    (mkey->free || !swhca_has_quirk(hca, SWHCA_QUIRK_KEY_TAG)))
		mkey->tag = (uint8_t)prm_get(mkc, PRM_MKC_MKEY_7_0);
	if (mask & MLX5_WQE_UMR_CTRL_MKEY_MASK_QPN)
		mkey->qpn = (uint32_t)prm_get(mkc, PRM_MKC_QPN);
	if (mask & PRM_UMR_MKEY_MASK_PAGE_SIZE)
		mkey->log_page = (uint8_t)prm_get(mkc, PRM_MKC_LOG_PAGE_SIZE);
	if (mask & PRM_UMR_MKEY_MASK_RELAXED_ORDERING_WRITE)
		mkey->relaxed_write = prm_get(mkc, PRM_MKC_RELAXED_ORDERING_WRITE) != 0;
	if (mask & PRM_UMR_MKEY_MASK_RELAXED_ORDERING_READ)
		mkey->relaxed_read = prm_get(mkc, PRM_MKC_RELAXED_ORDERING_READ) != 0;
	if (mask & PRM_UMR_MKEY_MASK_PD) {
		swhca_obj_unref(mkey->pd);
		swhca_obj_ref(umr->pd);
		mkey->pd = umr->pd;
	}
	if (mask & PRM_UMR_MKEY_MASK_EN_RINVAL)
		mkey->en_rinval = prm_get(mkc, PRM_MKC_EN_RINVAL) != 0;
	if (mask & MLX5_WQE_UMR_CTRL_MKEY_MASK_FREE)
		mkey->free = prm_get(mkc, PRM_MKC_FREE) != 0;
	if (swhca_has_quirk(hca, SWHCA_QUIRK_KEY_ACCESS_KEPT))
		mkey->access &= (uint8_t)~SWHCA_ACCESS_REMOTE_READ;
	umr_set_right(umr, PRM_UMR_MKEY_MASK_LR, PRM_MKC_LR, SWHCA_ACCESS_LOCAL_READ);
	umr_set_right(umr, MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_LOCAL_WRITE, PRM_MKC_LW,
		      SWHCA_ACCESS_LOCAL_WRITE);
	umr_set_right(umr, MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_REMOTE_READ, PRM_MKC_RR,
		      SWHCA_ACCESS_REMOTE_READ);
	umr_set_right(umr, MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_REMOTE_WRITE, PRM_MKC_RW,
		      SWHCA_ACCESS_REMOTE_WRITE);
	umr_set_right(umr, MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_ATOMIC, PRM_MKC_A,
		      SWHCA_ACCESS_REMOTE_ATOMIC);
}

enum swhca_wqe_end
swhca_umr_exec(struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	enum swhca_wqe_end end;
	struct umr umr;

	end = umr_parse(qp, wqe, &umr);
	if (end == SWHCA_WQE_DONE)
		end = umr_check_key(qp, wqe, &umr);
	if (end != SWHCA_WQE_DONE)
		return end;
	end = umr_write_xlt(qp, wqe, &umr);
	if (end != SWHCA_WQE_DONE)
		return end;
	/* A key that becomes free releases all of its pages. */
	if (qp->hca->conf.has_page_fault_events && (umr.mask & MLX5_WQE_UMR_CTRL_MKEY_MASK_FREE) &&
	    prm_get(umr.mkc, PRM_MKC_FREE))
		qp->hca->fabric->wire->hold(qp->hca);
	umr_apply_bsf(&umr);
	umr_apply(qp->hca, &umr);
	/* The pages have changed; without memory for that, they are not tracked. */
	if (umr.nb_klm > 0 || (umr.mask & LAYOUT_MASK) != 0)
		(void)swhca_pin_init(qp->hca, umr.mkey);
	qp->unfenced_umr = true;
	qp->is_umr_silent = (wqe->fm_ce_se & PRM_CTRL_CE_MASK) < PRM_CTRL_CE_ALWAYS;
	return SWHCA_WQE_DONE;
}

static enum swhca_fault
local_inv_check(const struct swhca_qp *qp, const struct swhca_mkey *mkey)
{
	if (!mkey->umr_en)
		return SWHCA_FAULT_ACCESS;
	if (mkey->pd != qp->pd)
		return SWHCA_FAULT_PD;
	if (mkey->qpn != PRM_MKC_QPN_ANY && mkey->qpn != qp->obj.num)
		return SWHCA_FAULT_QPN;
	return mkey->free ? SWHCA_FAULT_FREE : SWHCA_FAULT_NONE;
}

/* The old opcode; libmlx5 invalidates with a UMR that sets free. */
enum swhca_wqe_end
swhca_local_inv_exec(struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	enum swhca_fault fault = SWHCA_FAULT_NONE;
	struct swhca_mkey *mkey = swhca_mkey_find(qp->hca, be32toh(wqe->imm), &fault);

	if (mkey != NULL)
		fault = local_inv_check(qp, mkey);
	if (mkey == NULL || fault != SWHCA_FAULT_NONE)
		return umr_reject(qp, wqe, SWHCA_CAUSE_UMR_KEY, swhca_fault_name(fault), 0);
	mkey->free = true;
	return SWHCA_WQE_DONE;
}
