/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <assert.h>
#include <endian.h>
#include <string.h>

#include <mlx5_prm_sig.h>

#include "check/wqe.h"

void
check_wqe_init(struct check_wqe *wqe, uint8_t opcode, uint8_t fence)
{
	memset(wqe, 0, sizeof(*wqe));
	wqe->opcode = opcode;
	wqe->fm_ce_se = fence | PRM_CTRL_CE_ALWAYS;
	check_wqe_add(wqe, sizeof(struct mlx5_wqe_ctrl_seg));
}

void *
check_wqe_add(struct check_wqe *wqe, uint32_t size)
{
	void *seg = wqe->bytes + (size_t)wqe->nb_ds * PRM_WQE_DS_SIZE;

	wqe->nb_ds += size / PRM_WQE_DS_SIZE;
	assert(wqe->nb_ds <= PRM_WQE_MAX_DS);
	return seg;
}

void
check_wqe_add_raddr(struct check_wqe *wqe, uint32_t rkey, uint64_t addr)
{
	struct mlx5_wqe_raddr_seg *seg = check_wqe_add(wqe, sizeof(*seg));

	seg->raddr = htobe64(addr);
	seg->rkey = htobe32(rkey);
}

void
check_wqe_add_data(struct check_wqe *wqe, uint32_t lkey, uint64_t addr, uint32_t len)
{
	struct mlx5_wqe_data_seg *seg = check_wqe_add(wqe, sizeof(*seg));

	seg->byte_count = htobe32(len);
	seg->lkey = htobe32(lkey);
	seg->addr = htobe64(addr);
}

void
check_wqe_add_atomic(struct check_wqe *wqe, uint64_t swap_add, uint64_t compare)
{
	struct mlx5_wqe_atomic_seg *seg = check_wqe_add(wqe, sizeof(*seg));

	seg->swap_add = htobe64(swap_add);
	seg->compare = htobe64(compare);
}

void
check_klms_write(void *dst, const struct check_klm *klms, uint32_t nb)
{
	struct mlx5_wqe_umr_klm_seg *klm = dst;

	for (uint32_t i = 0; i < nb; i++) {
		klm[i].byte_count = htobe32(klms[i].len);
		klm[i].mkey = htobe32(klms[i].key);
		klm[i].address = htobe64(klms[i].addr);
	}
}

/* The context segment has the layout of a key's context (mlx5dv.h; PRM, mkc). */
static void
umr_context(const struct check_umr *umr, uint8_t *mkc, uint64_t *mask)
{
	struct mlx5_wqe_mkey_context_seg *seg = (void *)mkc;

	seg->access_flags = (uint8_t)umr->access;
	prm_set(mkc, PRM_MKC_FREE, umr->is_free);
	prm_set(mkc, PRM_MKC_QPN, PRM_MKC_QPN_ANY);
	prm_set(mkc, PRM_MKC_MKEY_7_0, umr->tag);
	prm_set(mkc, PRM_MKC_LEN, umr->len);
	if (umr->bsf != NULL) {
		prm_set(mkc, PRM_MKC_BSF_EN, 1);
		*mask |= MLX5_WQE_UMR_CTRL_MKEY_MASK_BSF_ENABLE;
	}
	if (umr->bsf != NULL && !umr->is_crypto) {
		prm_set(mkc, PRM_MKC_EXPECTED_SIGERR_COUNT, umr->sigerr);
		*mask |= PRM_UMR_MKEY_MASK_SIGERR;
	}
	if (umr->has_relaxed) {
		prm_set(mkc, PRM_MKC_RELAXED_ORDERING_WRITE, 1);
		*mask |= PRM_UMR_MKEY_MASK_RELAXED_ORDERING_WRITE;
	}
}

/* Place the entries inline, or refer to a list in memory. */
static void
umr_entries(struct check_wqe *wqe, const struct check_umr *umr, uint32_t nb_klm)
{
	const uint32_t size = nb_klm * PRM_KLM_SIZE;

	if (umr->list_lkey != 0)
		check_wqe_add_data(wqe, umr->list_lkey, umr->list_addr, size);
	else if (nb_klm > 0)
		check_klms_write(check_wqe_add(wqe, size), umr->klms, umr->nb_klm);
}

void
check_wqe_umr(struct check_wqe *wqe, const struct check_umr *umr)
{
	const uint32_t nb_klm = (umr->nb_klm + PRM_KLM_ALIGN - 1) / PRM_KLM_ALIGN * PRM_KLM_ALIGN;
	struct mlx5_wqe_umr_ctrl_seg *ctrl;
	uint64_t mask = umr->mask != 0 ? umr->mask : CHECK_MASK_LAYOUT;

	/* Some devices require the fence (umr_fence); here WQEs are posted one at a time. */
	check_wqe_init(wqe, MLX5_OPCODE_UMR, PRM_CTRL_FM_STRONG_ORDERING);
	wqe->imm = umr->key;
	ctrl = check_wqe_add(wqe, sizeof(*ctrl));
	umr_context(umr, check_wqe_add(wqe, sizeof(struct mlx5_wqe_mkey_context_seg)), &mask);
	ctrl->flags = umr->flags;
	if (umr->list_lkey == 0)
		ctrl->flags |= MLX5_WQE_UMR_CTRL_FLAG_INLINE;
	ctrl->klm_octowords = htobe16((uint16_t)nb_klm);
	if (umr->flags & MLX5_WQE_UMR_CTRL_FLAG_TRNSLATION_OFFSET)
		ctrl->translation_offset = htobe16((uint16_t)umr->first);
	else if (umr->bsf != NULL)
		ctrl->bsf_octowords = htobe16(PRM_BSF_SIZE / PRM_WQE_DS_SIZE);
	ctrl->mkey_mask = htobe64(mask);
	umr_entries(wqe, umr, nb_klm);
	if (umr->bsf != NULL)
		memcpy(check_wqe_add(wqe, PRM_BSF_SIZE), umr->bsf, PRM_BSF_SIZE);
}

/* Invalidate as libmlx5 does for windows and the driver does for keys. */
void
check_wqe_inval(struct check_wqe *wqe, uint32_t key)
{
	const struct check_umr umr = {
		.key = key,
		.flags = MLX5_WQE_UMR_CTRL_FLAG_TRNSLATION_OFFSET |
			 MLX5_WQE_UMR_CTRL_FLAG_CHECK_QPN,
		.mask = (uint64_t)MLX5_WQE_UMR_CTRL_MKEY_MASK_FREE |
			MLX5_WQE_UMR_CTRL_MKEY_MASK_MKEY | MLX5_WQE_UMR_CTRL_MKEY_MASK_QPN,
		.tag = (uint8_t)key, .is_free = true,
	};

	check_wqe_umr(wqe, &umr);
}

void
check_wqe_set_psv(struct check_wqe *wqe, uint32_t psv, uint64_t transient)
{
	void *seg;

	check_wqe_init(wqe, PRM_OPCODE_SET_PSV, PRM_CTRL_FM_NONE);
	seg = check_wqe_add(wqe, PRM_SET_PSV_SIZE);
	prm_set(seg, PRM_SET_PSV_INDEX, psv);
	prm_set(seg, PRM_SET_PSV_TRANSIENT, transient);
}

uint32_t
check_wqe_finish(struct check_wqe *wqe, uint16_t index, uint32_t qpn)
{
	struct mlx5_wqe_ctrl_seg *ctrl = (void *)wqe->bytes;

	ctrl->opmod_idx_opcode = htobe32((uint32_t)wqe->opmod << 24 | (uint32_t)index << 8 |
					 wqe->opcode);
	ctrl->qpn_ds = htobe32(qpn << 8 | wqe->nb_ds);
	ctrl->fm_ce_se = wqe->fm_ce_se;
	ctrl->imm = htobe32(wqe->imm);
	return prm_ds_to_wqebb(wqe->nb_ds);
}
