/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <inttypes.h>
#include <stdlib.h>

#include "mlx5_prm_wqe.h"
#include "cmd/cmd.h"
#include "cmd/cmd_handlers.h"
#include "cmd/cmd_memic.h"
#include "mem/bsf/bsf.h"
#include "mem/mkey.h"
#include "mem/odp.h"
#include "mem/pin.h"
#include "object/buf.h"
#include "object/bus.h"
#include "object/limits.h"

static uint8_t
access_from_mkc(const uint8_t *mkc)
{
	return (prm_get(mkc, PRM_MKC_LR) ? SWHCA_ACCESS_LOCAL_READ : 0) |
	       (prm_get(mkc, PRM_MKC_LW) ? SWHCA_ACCESS_LOCAL_WRITE : 0) |
	       (prm_get(mkc, PRM_MKC_RR) ? SWHCA_ACCESS_REMOTE_READ : 0) |
	       (prm_get(mkc, PRM_MKC_RW) ? SWHCA_ACCESS_REMOTE_WRITE : 0) |
	       (prm_get(mkc, PRM_MKC_A) ? SWHCA_ACCESS_REMOTE_ATOMIC : 0);
}

static uint8_t
mode_from_mkc(const uint8_t *mkc)
{
	return (uint8_t)(prm_get(mkc, PRM_MKC_ACCESS_MODE_4_2) << 2 |
			 prm_get(mkc, PRM_MKC_ACCESS_MODE_1_0));
}

/* What the key is made of: 0, or the status of a rejected command. */
static uint8_t
mkc_check(struct swhca_cmd *cmd, const uint8_t *mkc)
{
	uint8_t mode = mode_from_mkc(mkc);
	uint64_t log_page = prm_get(mkc, PRM_MKC_LOG_PAGE_SIZE);

	if (mode > PRM_MKC_ACCESS_MODE_KSM && mode != PRM_MKC_ACCESS_MODE_MEMIC)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 1,
					"access mode %u is not modelled", mode);
	if (prm_get(cmd->in, PRM_CREATE_MKEY_IN_MKEY_UMEM_VALID) &&
	    mode != PRM_MKC_ACCESS_MODE_MTT)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 3,
					"pages of a umem in a key of access mode %u", mode);
	/* A UMR could move it out of what it was made for. */
	if (mode == PRM_MKC_ACCESS_MODE_MEMIC && prm_get(mkc, PRM_MKC_UMR_EN))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 15,
					"a key of device memory with umr_en");
	if ((mode == PRM_MKC_ACCESS_MODE_MTT || mode == PRM_MKC_ACCESS_MODE_KSM) &&
	    log_page < PRM_ADAPTER_PAGE_SHIFT)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 4,
					"log_page_size %" PRIu64 ", at least %u", log_page,
					PRM_ADAPTER_PAGE_SHIFT);
	/* Bus addresses are the kernel's to give; users have umems. */
	if (cmd->uid != 0 && (mode == PRM_MKC_ACCESS_MODE_PA ||
			      (mode == PRM_MKC_ACCESS_MODE_MTT &&
			       !prm_get(cmd->in, PRM_CREATE_MKEY_IN_MKEY_UMEM_VALID))))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 16,
					"bus addresses from user context %u", cmd->uid);
	if (prm_get(mkc, PRM_MKC_FREE) && !prm_get(mkc, PRM_MKC_UMR_EN))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 5,
					"a free key without umr_en can never be used");
	return PRM_CMD_OK;
}

/* BSFs: a place for one or for two, which is what bsf_en and crypto_en need. */
static uint8_t
bsf_check(struct swhca_cmd *cmd, const uint8_t *mkc)
{
	uint64_t nb_bsf = prm_get(mkc, PRM_MKC_BSF_OCTWORD_SIZE);
	uint64_t crypto_en = prm_get(mkc, PRM_MKC_CRYPTO_EN);
	const uint64_t one = PRM_BSF_SIZE / PRM_KLM_SIZE;

	if (nb_bsf > UINT64_C(1) << SWHCA_LOG_MAX_BSF_LIST || nb_bsf % one != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_EXCEED_LIM, 2,
					"bsf_octword_size %" PRIu64 ", a multiple of %" PRIu64
					" up to %u", nb_bsf, one, 1u << SWHCA_LOG_MAX_BSF_LIST);
	if (nb_bsf > 0 && mode_from_mkc(mkc) == PRM_MKC_ACCESS_MODE_MEMIC)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 17,
					"BSF octowords in a key of device memory");
	if (prm_get(mkc, PRM_MKC_BSF_EN) && nb_bsf == 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 14, "bsf_en without BSF octowords");
	if (crypto_en != 0 && !swhca_model_has(cmd->hca->conf.model, SWHCA_FEATURE_CRYPTO))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 15, "the model has no crypto");
	if (crypto_en > 1 || (crypto_en != 0 && nb_bsf == 0))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 16,
					"crypto_en %" PRIu64 ", %" PRIu64 " BSF octowords",
					crypto_en, nb_bsf);
	return PRM_CMD_OK;
}

static uint8_t
xlt_check(struct swhca_cmd *cmd, const uint8_t *mkc, uint64_t *nb_actual)
{
	uint64_t nb_xlt = prm_get(mkc, PRM_MKC_TRANSLATIONS_OCTWORD_SIZE);
	uint64_t room = (cmd->in_len - PRM_CREATE_MKEY_IN_XLT_BYTE) / PRM_KLM_SIZE;
	uint64_t max = UINT64_C(1) << cmd->hca->conf.log_max_klm;

	/* With a umem the pages are there, not in the mailbox. */
	*nb_actual = prm_get(cmd->in, PRM_CREATE_MKEY_IN_MKEY_UMEM_VALID) ?
			     0 :
			     prm_get(cmd->in, PRM_CREATE_MKEY_IN_XLT_OCT_ACTUAL);
	/* Page lists may be as long as the mailbox; the limit is for lists of keys. */
	if (mode_from_mkc(mkc) != PRM_MKC_ACCESS_MODE_KLMS)
		max = room > max ? room : max;
	/*
	 * A driver has a key for all of an address space (Linux: mlx5_imr_ksm_entries), and of
	 * pages those that it writes by UMR: MLX5_IMR_MTT_ENTRIES, or whatever region has pages on
	 * demand.
	 */
	if (mode_from_mkc(mkc) != PRM_MKC_ACCESS_MODE_KLMS && cmd->hca->conf.has_driver &&
	    cmd->uid == 0)
		max = UINT64_C(1) << SWHCA_LOG_MAX_IMPLICIT;
	if (nb_xlt > max)
		return swhca_cmd_reject(cmd, PRM_CMD_EXCEED_LIM, 6,
					"translations_octword_size %" PRIu64 ", at most %" PRIu64,
					nb_xlt, max);
	/* A program can take its own memory only; a guest that of the machine it runs on. */
	if (cmd->hca->conf.has_driver &&
	    nb_xlt > cmd->hca->conf.max_xlt - cmd->hca->nb_xlt)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 18,
					"translations_octword_size %" PRIu64 ", of %u %" PRIu64
					" are in use", nb_xlt, cmd->hca->conf.max_xlt,
					cmd->hca->nb_xlt);
	if (*nb_actual > nb_xlt)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 7,
					"%" PRIu64 " translation octowords, the key holds %" PRIu64,
					*nb_actual, nb_xlt);
	if (*nb_actual > room)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_INP_LEN, 8,
					"%" PRIu64 " translation octowords, mailbox of %" PRIu64,
					*nb_actual, room);
	return PRM_CMD_OK;
}

/*
 * Atomic access above keys without: a BlueField rejects it (openucx/ucx pull request 8218), where
 * the text of this syndrome is "check indirect mkey, not atomic support".
 */
static uint8_t
atomic_check(struct swhca_cmd *cmd, const uint8_t *mkc, uint64_t nb_actual)
{
	const struct mlx5_wqe_data_seg *entries =
		(const void *)(cmd->in + PRM_CREATE_MKEY_IN_XLT_BYTE);
	const uint32_t syndrome = 0x45d3a4;
	const struct swhca_mkey *below;
	enum swhca_fault fault;
	uint64_t i;

	if (!swhca_has_quirk(cmd->hca, SWHCA_QUIRK_KEY_ATOMIC) || !prm_get(mkc, PRM_MKC_A) ||
	    (mode_from_mkc(mkc) != PRM_MKC_ACCESS_MODE_KLMS &&
	     mode_from_mkc(mkc) != PRM_MKC_ACCESS_MODE_KSM))
		return PRM_CMD_OK;
	for (i = 0; i < nb_actual; i++) {
		below = swhca_mkey_find(cmd->hca, be32toh(entries[i].lkey), &fault);
		if (below == NULL || (below->access & SWHCA_ACCESS_REMOTE_ATOMIC) != 0)
			continue;
		swhca_cmd_note_reject(cmd, PRM_CMD_BAD_PARAM, 21,
				      "atomic access above key 0x%x, which has none",
				      be32toh(entries[i].lkey));
		prm_set(cmd->out, PRM_CMD_OUT_SYNDROME, syndrome);
		return PRM_CMD_BAD_PARAM;
	}
	return PRM_CMD_OK;
}

/* Pages of a umem, from an offset on, as many as the key has places for and the umem has. */
static uint8_t
xlt_from_umem(struct swhca_cmd *cmd, struct swhca_mkey *mkey)
{
	uint32_t umem_id = (uint32_t)prm_get(cmd->in, PRM_CREATE_MKEY_IN_MKEY_UMEM_ID);
	uint64_t offset = prm_get(cmd->in, PRM_CREATE_MKEY_IN_MKEY_UMEM_OFFSET);
	uint64_t nb = (uint64_t)mkey->nb_xlt * (PRM_KLM_SIZE / PRM_MTT_SIZE);
	uint64_t page = offset >> mkey->log_page, i, be;
	struct swhca_umem *umem;

	umem = (struct swhca_umem *)swhca_cmd_obj(cmd, SWHCA_OBJ_UMEM, umem_id);
	if (umem == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 12, "umem 0x%x does not exist",
					umem_id);
	if (mkey->log_page != umem->buf.log_page || page << mkey->log_page != offset ||
	    page >= umem->buf.nb_pages)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 13,
					"pages of 2^%u bytes from 0x%" PRIx64
					", the umem has %u pages of 2^%u",
					mkey->log_page, offset, umem->buf.nb_pages,
					umem->buf.log_page);
	for (i = 0; i < nb && page + i < umem->buf.nb_pages; i++) {
		/* As a driver would write them: one that is nowhere stays so. */
		be = umem->buf.pages[page + i];
		if (be != SWHCA_BUS_NOWHERE)
			be = swhca_bus_offset(cmd->hca, be);
		be = htobe64(be | PRM_MTT_RD_EN | (umem->is_writable ? PRM_MTT_WR_EN : 0));
		memcpy(mkey->xlt + i * PRM_MTT_SIZE, &be, sizeof(be));
	}
	/* Places behind the last page stay 0: nothing is mapped there, so their use is a fault. */
	mkey->umem = umem;
	swhca_obj_ref(&umem->obj);
	return PRM_CMD_OK;
}

/* A key over device memory must lie in one allocation, which stays as long as the key. */
static uint8_t
memic_init(struct swhca_cmd *cmd, struct swhca_mkey *mkey)
{
	struct swhca_memic *memic;

	if (mkey->mode != PRM_MKC_ACCESS_MODE_MEMIC)
		return PRM_CMD_OK;
	memic = swhca_memic_find(cmd->hca, mkey->start_addr, mkey->len);
	if (memic != NULL && cmd->uid != 0 && memic->obj.uid != cmd->uid)
		memic = NULL;
	if (memic == NULL || mkey->length64)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 14,
					"device memory [0x%" PRIx64 ", +0x%" PRIx64
					") is not allocated", mkey->start_addr, mkey->len);
	mkey->memic = &memic->obj;
	swhca_obj_ref(mkey->memic);
	return PRM_CMD_OK;
}

static void
mkey_from_mkc(struct swhca_mkey *mkey, const uint8_t *mkc)
{
	mkey->start_addr = prm_get(mkc, PRM_MKC_START_ADDR);
	mkey->len = prm_get(mkc, PRM_MKC_LEN);
	mkey->qpn = (uint32_t)prm_get(mkc, PRM_MKC_QPN);
	mkey->tag = (uint8_t)prm_get(mkc, PRM_MKC_MKEY_7_0);
	mkey->mode = mode_from_mkc(mkc);
	mkey->log_page = (uint8_t)prm_get(mkc, PRM_MKC_LOG_PAGE_SIZE);
	mkey->access = access_from_mkc(mkc);
	mkey->free = prm_get(mkc, PRM_MKC_FREE) != 0;
	mkey->umr_en = prm_get(mkc, PRM_MKC_UMR_EN) != 0;
	mkey->length64 = prm_get(mkc, PRM_MKC_LENGTH64) != 0;
	mkey->en_rinval = prm_get(mkc, PRM_MKC_EN_RINVAL) != 0;
	mkey->relaxed_write = prm_get(mkc, PRM_MKC_RELAXED_ORDERING_WRITE) != 0;
	mkey->relaxed_read = prm_get(mkc, PRM_MKC_RELAXED_ORDERING_READ) != 0;
	mkey->nb_xlt = (uint32_t)prm_get(mkc, PRM_MKC_TRANSLATIONS_OCTWORD_SIZE);
	mkey->bsf_en = prm_get(mkc, PRM_MKC_BSF_EN) != 0;
	mkey->crypto_en = prm_get(mkc, PRM_MKC_CRYPTO_EN) != 0;
	mkey->sigerr_expected = prm_get(mkc, PRM_MKC_EXPECTED_SIGERR_COUNT) != 0;
	mkey->nb_bsf = (uint32_t)prm_get(mkc, PRM_MKC_BSF_OCTWORD_SIZE);
}

/* Where the device has no hints, the bits are reserved. */
static void
hints_from_mkc(const struct swhca_hca *hca, struct swhca_mkey *mkey, const uint8_t *mkc)
{
	if (!swhca_model_has(hca->conf.model, SWHCA_FEATURE_TPH))
		return;
	mkey->tph_en = prm_get(mkc, PRM_MKC_PCIE_TPH_EN) != 0;
	mkey->tph_ph = (uint8_t)prm_get(mkc, PRM_MKC_PCIE_TPH_PH);
	mkey->tph_tag = (uint8_t)prm_get(mkc, PRM_MKC_PCIE_TPH_STEERING_TAG_INDEX);
}

/* What a key holds beside its context: entries, of which nb_actual are in the command. */
static uint8_t
contents_init(struct swhca_cmd *cmd, struct swhca_mkey *mkey, uint64_t nb_actual)
{
	bool is_paged = prm_get(cmd->in, PRM_CREATE_MKEY_IN_PG_ACCESS);
	uint32_t room = swhca_mkey_umr_room(mkey);
	uint8_t status = PRM_CMD_OK;

	mkey->xlt = calloc(room == 0 ? 1 : room, PRM_KLM_SIZE);
	if (mkey->xlt != NULL)
		cmd->hca->nb_xlt += mkey->nb_xlt;
	if (mkey->nb_bsf > 0)
		mkey->bsf = calloc(1, sizeof(*mkey->bsf));
	if (mkey->xlt == NULL || (mkey->nb_bsf > 0 && mkey->bsf == NULL))
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 11, "no memory for %u octowords",
					mkey->nb_xlt);
	memcpy(mkey->xlt, cmd->in + PRM_CREATE_MKEY_IN_XLT_BYTE, nb_actual * PRM_KLM_SIZE);
	if (prm_get(cmd->in, PRM_CREATE_MKEY_IN_MKEY_UMEM_VALID))
		status = xlt_from_umem(cmd, mkey);
	if (status == PRM_CMD_OK)
		status = memic_init(cmd, mkey);
	if (status == PRM_CMD_OK && swhca_odp_init(cmd->hca, mkey, is_paged) != 0)
		status = swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 19, "no memory for its pages");
	if (status == PRM_CMD_OK && swhca_pin_init(cmd->hca, mkey) != 0)
		status = swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 20, "no memory for its pages");
	return status;
}

uint8_t
swhca_cmd_create_mkey(struct swhca_cmd *cmd)
{
	const uint8_t *mkc = cmd->in + PRM_CREATE_MKEY_IN_MKC_BYTE;
	uint64_t pdn = prm_get(mkc, PRM_MKC_PD), nb_actual;
	struct swhca_obj *pd = swhca_cmd_obj(cmd, SWHCA_OBJ_PD, pdn);
	struct swhca_mkey *mkey;
	uint8_t status;

	status = mkc_check(cmd, mkc);
	if (status == PRM_CMD_OK)
		status = bsf_check(cmd, mkc);
	if (status == PRM_CMD_OK)
		status = xlt_check(cmd, mkc, &nb_actual);
	if (status == PRM_CMD_OK)
		status = atomic_check(cmd, mkc, nb_actual);
	if (status != PRM_CMD_OK)
		return status;
	if (pd == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 9, "PD 0x%" PRIx64 " does not exist",
					pdn);
	mkey = swhca_obj_create(cmd->hca, SWHCA_OBJ_MKEY, cmd->uid, sizeof(*mkey));
	if (mkey == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 10, "%u keys in use",
					cmd->hca->tables[SWHCA_OBJ_MKEY].nb_used);
	mkey_from_mkc(mkey, mkc);
	hints_from_mkc(cmd->hca, mkey, mkc);
	mkey->pd = pd;
	swhca_obj_ref(pd);
	status = contents_init(cmd, mkey, nb_actual);
	if (status != PRM_CMD_OK) {
		swhca_obj_destroy(cmd->hca, &mkey->obj);
		return status;
	}
	prm_set(cmd->out, PRM_CREATE_MKEY_OUT_MKEY_INDEX, mkey->obj.num);
	return PRM_CMD_OK;
}

/*
 * Entries, as many as the mailbox takes: the kernel follows keys of keys by them when it resolves a
 * page fault (Linux: pagefault_single_data_segment()). Bus addresses are not for users.
 */
static void
query_xlt(struct swhca_cmd *cmd, const struct swhca_mkey *mkey)
{
	size_t room = cmd->out_len - PRM_QUERY_MKEY_OUT_XLT_BYTE;
	size_t nb = (size_t)mkey->nb_xlt * PRM_KLM_SIZE;
	bool has_bits = prm_get(cmd->in, PRM_QUERY_MKEY_IN_PG_ACCESS) != 0;
	uint8_t *out = cmd->out + PRM_QUERY_MKEY_OUT_XLT_BYTE;
	size_t i;

	if (cmd->uid != 0 && mkey->mode == PRM_MKC_ACCESS_MODE_MTT)
		return;
	nb = nb < room ? nb : room;
	memcpy(out, mkey->xlt, nb);
	if (has_bits || mkey->mode != PRM_MKC_ACCESS_MODE_MTT)
		return;
	for (i = PRM_MTT_SIZE - 1; i < nb; i += PRM_MTT_SIZE)
		out[i] &= (uint8_t)~(PRM_MTT_RD_EN | PRM_MTT_WR_EN);
}

uint8_t
swhca_cmd_query_mkey(struct swhca_cmd *cmd)
{
	uint32_t index = (uint32_t)prm_get(cmd->in, PRM_CMD_IN_OBJ);
	const struct swhca_mkey *mkey =
		(const struct swhca_mkey *)swhca_cmd_obj(cmd, SWHCA_OBJ_MKEY, index);
	uint8_t *mkc = cmd->out + PRM_QUERY_MKEY_OUT_MKC_BYTE;

	if (mkey == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 1, "key 0x%x does not exist", index);
	prm_set(mkc, PRM_MKC_FREE, mkey->free);
	prm_set(mkc, PRM_MKC_UMR_EN, mkey->umr_en);
	prm_set(mkc, PRM_MKC_A, (mkey->access & SWHCA_ACCESS_REMOTE_ATOMIC) != 0);
	prm_set(mkc, PRM_MKC_RW, (mkey->access & SWHCA_ACCESS_REMOTE_WRITE) != 0);
	prm_set(mkc, PRM_MKC_RR, (mkey->access & SWHCA_ACCESS_REMOTE_READ) != 0);
	prm_set(mkc, PRM_MKC_LW, (mkey->access & SWHCA_ACCESS_LOCAL_WRITE) != 0);
	prm_set(mkc, PRM_MKC_LR, (mkey->access & SWHCA_ACCESS_LOCAL_READ) != 0);
	prm_set(mkc, PRM_MKC_ACCESS_MODE_1_0, mkey->mode & 0x3);
	prm_set(mkc, PRM_MKC_ACCESS_MODE_4_2, mkey->mode >> 2);
	prm_set(mkc, PRM_MKC_QPN, mkey->qpn);
	prm_set(mkc, PRM_MKC_MKEY_7_0, mkey->tag);
	prm_set(mkc, PRM_MKC_LENGTH64, mkey->length64);
	prm_set(mkc, PRM_MKC_EN_RINVAL, mkey->en_rinval);
	prm_set(mkc, PRM_MKC_RELAXED_ORDERING_WRITE, mkey->relaxed_write);
	prm_set(mkc, PRM_MKC_RELAXED_ORDERING_READ, mkey->relaxed_read);
	prm_set(mkc, PRM_MKC_BSF_EN, mkey->bsf_en);
	prm_set(mkc, PRM_MKC_CRYPTO_EN, mkey->crypto_en);
	prm_set(mkc, PRM_MKC_EXPECTED_SIGERR_COUNT, mkey->sigerr_expected);
	prm_set(mkc, PRM_MKC_BSF_OCTWORD_SIZE, mkey->nb_bsf);
	prm_set(mkc, PRM_MKC_PD, mkey->pd->num);
	prm_set(mkc, PRM_MKC_START_ADDR, mkey->start_addr);
	prm_set(mkc, PRM_MKC_LEN,
		swhca_has_quirk(cmd->hca, SWHCA_QUIRK_KEY_QUERY) ? 0 : mkey->len);
	prm_set(mkc, PRM_MKC_TRANSLATIONS_OCTWORD_SIZE, mkey->nb_xlt);
	prm_set(mkc, PRM_MKC_LOG_PAGE_SIZE, mkey->log_page);
	prm_set(mkc, PRM_MKC_PCIE_TPH_EN, mkey->tph_en);
	prm_set(mkc, PRM_MKC_PCIE_TPH_PH, mkey->tph_ph);
	prm_set(mkc, PRM_MKC_PCIE_TPH_STEERING_TAG_INDEX, mkey->tph_tag);
	query_xlt(cmd, mkey);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_query_special_contexts(struct swhca_cmd *cmd)
{
	/* No reserved lkey: queues that may use it (qpc.rlky) are the kernel's own. */
	prm_set(cmd->out, PRM_QUERY_SPECIAL_CONTEXTS_OUT_DUMP_FILL_MKEY, SWHCA_DUMP_FILL_KEY);
	if (cmd->out_len < PRM_QUERY_SPECIAL_CONTEXTS_OUT_SIZE)
		return PRM_CMD_OK;
	prm_set(cmd->out, PRM_QUERY_SPECIAL_CONTEXTS_OUT_NULL_MKEY, SWHCA_NULL_KEY);
	prm_set(cmd->out, PRM_QUERY_SPECIAL_CONTEXTS_OUT_TERMINATE_SCATTER_LIST_MKEY,
		SWHCA_TERMINATE_SCATTER_LIST_KEY);
	return PRM_CMD_OK;
}
