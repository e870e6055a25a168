/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdio.h>
#include <string.h>

#include "check/sig_key.h"

bool
check_sig_has(struct check_bed *bed, struct prm_field capability, const char *name)
{
	if (prm_get(bed->caps, PRM_CAP_SHO) != 0 &&
	    prm_get(bed->caps, PRM_CAP_SIGERR_DOMAIN_AND_SIG_TYPE) != 0)
		return check_has(bed, capability, name);
	check_lacks(bed, "sho, sigerr_domain_and_sig_type");
	return false;
}

/* Write the inline section of a T10-DIF domain. */
static void
inl_write(uint8_t *inl, const struct check_sig *sig)
{
	prm_set(inl, PRM_BSF_INL_VALID, 1);
	prm_set(inl, PRM_BSF_INL_REFRESH_DIF, 1);
	prm_set(inl, PRM_BSF_INL_APP_TAG, sig->app_tag);
	prm_set(inl, PRM_BSF_INL_REF_TAG, sig->ref_tag);
	prm_set(inl, PRM_BSF_INL_SIG_TYPE, sig->inl_type);
	prm_set(inl, PRM_BSF_INL_REPEAT, 1);
	prm_set(inl, PRM_BSF_INL_SEED, sig->seed_ones);
	prm_set(inl, PRM_BSF_INL_INC_REF, 1);
	prm_set(inl, PRM_BSF_INL_APP_MASK, UINT16_MAX);
}

static void
bsf_write(uint8_t *bsf, const struct check_sig *sig, uint32_t psv)
{
	uint32_t bfs = sig->bfs;

	if (bfs != 0)
		bfs |= PRM_BFS_CRC_REPEAT | (sig->seed_ones ? 0 : PRM_BFS_CRC_SEED_ZERO);
	memset(bsf, 0, PRM_BSF_SIZE);
	prm_set(bsf, PRM_BSF_LEN, PRM_BSF_LEN_WITH_INLINE);
	prm_set(bsf, PRM_BSF_CHECK_BYTE_MASK, UINT8_MAX);
	prm_set(bsf, PRM_BSF_RAW_DATA_SIZE, UINT32_MAX);
	prm_set(bsf, sig->is_mem ? PRM_BSF_M_BS_SELECTOR : PRM_BSF_W_BS_SELECTOR, sig->block);
	prm_set(bsf, sig->is_mem ? PRM_BSF_M_BFS : PRM_BSF_W_BFS, bfs);
	prm_set(bsf, sig->is_mem ? PRM_BSF_M_PSV : PRM_BSF_W_PSV, psv);
	if (sig->inl_type != 0)
		inl_write(bsf + (sig->is_mem ? PRM_BSF_M_INL_BYTE : PRM_BSF_W_INL_BYTE), sig);
}

/* First word of a PSV (rdma-core, providers/mlx5/qp.c: psv_transient_signature()). */
static uint64_t
transient(const struct check_sig *sig)
{
	if (sig->inl_type != 0)
		return (uint64_t)(sig->seed_ones ? UINT16_MAX : 0) << 48 |
		       (uint64_t)sig->app_tag << 32 | sig->ref_tag;
	if (!sig->seed_ones)
		return 0;
	return sig->bfs == PRM_BFS_CRC64_XP10 ? UINT64_MAX : PRM_PSV_CRC32(UINT32_MAX);
}

struct check_key *
check_sig_key(struct check_bed *bed, const struct check_sig *sig, uint32_t len, bool sigerr)
{
	const struct check_key_attr attr = {
		.nb_klm = 4, .nb_bsf_ow = PRM_BSF_SIZE / PRM_WQE_DS_SIZE,
	};
	const struct check_klm klm = { check_src(bed, 0), bed->mr->lkey, len };
	struct check_key *key = check_key_create(bed, &attr);
	uint8_t bsf[PRM_BSF_SIZE];
	const struct check_umr umr = {
		.len = len, .klms = &klm, .nb_klm = 1, .sigerr = sigerr, .bsf = bsf,
	};
	struct check_wqe wqe;
	const char *word;
	uint32_t psv;

	if (key == NULL || !check_psv_create(bed, &psv))
		return NULL;
	bsf_write(bsf, sig, psv);
	if (!check_configure(bed, key, &umr))
		return NULL;
	check_wqe_set_psv(&wqe, psv, transient(sig));
	word = check_do(bed, &wqe);
	if (check_is_done(word))
		return key;
	check_observe(bed, "SET_PSV: %s", word);
	return NULL;
}

void
check_observe_bytes(struct check_bed *bed, const char *word, uint32_t at, uint32_t len)
{
	char text[3 * 8 + 1] = "";

	if (!check_is_done(word)) {
		check_observe(bed, "%s", word);
		return;
	}
	for (uint32_t i = 0; i < len && i < 8; i++)
		snprintf(text + (i > 0 ? 3 * i - 1 : 0), 4, "%s%02x", i > 0 ? " " : "",
			 bed->out[at + i]);
	check_observe(bed, "%s", text);
}
