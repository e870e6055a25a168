/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* The memory keys of the world. */

#include "fuzz.h"
#include "mlx5_prm_crypto.h"
#include "mlx5_prm_sig.h"
#include "mem/mkey.h"

/* Bytes of device memory. */
#define FUZZ_MEMIC 512u
/* log2 of the bytes of an entry of a KSM. */
#define LOG_ENTITY 12u

struct key_plan {
	uint8_t mode;
	uint8_t access;		/* a, rw, rr, lw, lr */
	bool is_free;
	bool length64;
	uint32_t nb_xlt;
	uint32_t nb_bsf;	/* octowords */
	bool paged;		/* on demand */
};

#define ALL_ACCESS 0x1fu

static const struct key_plan key_plans[FUZZ_NB_KEYS] = {
	{ PRM_MKC_ACCESS_MODE_MTT, ALL_ACCESS, false, false, FUZZ_DATA_PAGES / 2, 0, false },
	{ PRM_MKC_ACCESS_MODE_MTT, 0x1, false, false, FUZZ_DATA_PAGES / 2, 0, false },
	{ PRM_MKC_ACCESS_MODE_PA, ALL_ACCESS, false, true, 0, 0, false },
	{ PRM_MKC_ACCESS_MODE_KLMS, 0x1, true, false, FUZZ_KLMS, 0, false },
	{ PRM_MKC_ACCESS_MODE_KLMS, 0x1, true, false, FUZZ_KLMS, 0, false },
	{ PRM_MKC_ACCESS_MODE_KLMS, ALL_ACCESS, false, false, 4, 0, false },
	{ PRM_MKC_ACCESS_MODE_KLMS, ALL_ACCESS, false, false, 4, 0, false },
	{ PRM_MKC_ACCESS_MODE_KLMS, ALL_ACCESS, false, false, 4, 0, false },
	{ PRM_MKC_ACCESS_MODE_KLMS, 0x1, true, false, 8, 4, false },
	{ PRM_MKC_ACCESS_MODE_KLMS, 0x1, true, false, 8, 8, false },
	{ PRM_MKC_ACCESS_MODE_MEMIC, ALL_ACCESS, false, false, 0, 0, false },
	{ PRM_MKC_ACCESS_MODE_KLMS, 0x1, true, false, 8, 0, false },
	{ PRM_MKC_ACCESS_MODE_MTT, ALL_ACCESS, false, false, FUZZ_DATA_PAGES / 2, 0, true },
	{ PRM_MKC_ACCESS_MODE_KSM, ALL_ACCESS, false, false, 4, 0, true },
	{ PRM_MKC_ACCESS_MODE_KSM, ALL_ACCESS, false, false, 4, 0, false },
};

/* Lists of two: of pages, of the list before it, of itself. */
static void
put_klms(const struct fuzz_hca *h, unsigned int key, uint8_t *xlt)
{
	unsigned int of = key == 5 ? 0 : key == 6 ? 5 : 7, i;
	/* Indices are given in order, so a key may name itself before it is there. */
	uint32_t name = of == key ? h->keys[key - 1] + 0x100 : h->keys[of];

	for (i = 0; i < 2; i++) {
		prm_dword_set(xlt + i * PRM_KLM_SIZE, 0, FUZZ_DATA / 4);
		prm_dword_set(xlt + i * PRM_KLM_SIZE, 1, name);
		prm_set(xlt + i * PRM_KLM_SIZE, PRM_FIELD(2, 0, 64), of == 0 ? h->data : 0);
	}
}

/* Entries of one size: of nothing yet, or of pages from the first on. */
static void
put_ksms(const struct fuzz_hca *h, const struct key_plan *plan, uint8_t *xlt)
{
	for (uint32_t i = 0; i < plan->nb_xlt; i++) {
		prm_dword_set(xlt + i * PRM_KLM_SIZE, 1, plan->paged ? SWHCA_NULL_KEY : h->keys[0]);
		if (!plan->paged)
			prm_set(xlt + i * PRM_KLM_SIZE, PRM_FIELD(2, 0, 64),
				h->data + ((uint64_t)i << LOG_ENTITY));
	}
}

/* Device memory. @return Its address in the BAR. */
static uint64_t
memic_alloc(struct fuzz_hca *h)
{
	uint8_t in[PRM_ALLOC_MEMIC_IN_SIZE] = { 0 }, out[16];

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_ALLOC_MEMIC);
	prm_set(in, PRM_ALLOC_MEMIC_IN_RANGE_START_ADDR, SWHCA_UAR_SIZE << FUZZ_LOG_UARS);
	prm_set(in, PRM_ALLOC_MEMIC_IN_RANGE_SIZE, FUZZ_PAGE);
	prm_set(in, PRM_ALLOC_MEMIC_IN_MEMIC_SIZE, FUZZ_MEMIC);
	FUZZ_NEED(fuzz_cmd(h, in, sizeof(in), out, sizeof(out)) == PRM_CMD_OK);
	return prm_get(out, PRM_ALLOC_MEMIC_OUT_MEMIC_START_ADDR);
}

/* Signature values: numbers that follow each other. */
static void
psvs_create(struct fuzz_hca *h)
{
	uint8_t in[PRM_CMD_SHORT_IN_SIZE] = { 0 };

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_PSV);
	prm_set(in, PRM_CREATE_PSV_IN_NUM_PSV, PRM_CREATE_PSV_MAX);
	prm_set(in, PRM_CREATE_PSV_IN_PD, h->pdn);
	fuzz_must(h, in, sizeof(in));
}

/* A data encryption key: AES-XTS with 128 bits. */
static void
dek_create(struct fuzz_hca *h)
{
	uint8_t in[PRM_GENERAL_OBJ_IN_BODY_BYTE + PRM_DEK_SIZE] = { 0 };
	uint8_t *dek = in + PRM_GENERAL_OBJ_IN_BODY_BYTE;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_GENERAL_OBJECT);
	prm_set(in, PRM_GENERAL_OBJ_IN_OBJ_TYPE, PRM_OBJ_TYPE_DEK);
	prm_set(dek, PRM_DEK_KEY_SIZE, PRM_DEK_KEY_SIZE_128);
	prm_set(dek, PRM_DEK_KEY_PURPOSE, PRM_DEK_PURPOSE_AES_XTS);
	prm_set(dek, PRM_DEK_PD, h->pdn);
	memset(dek + PRM_DEK_KEY_BYTE, 0x5a, 16);
	memset(dek + PRM_DEK_KEY_BYTE + 16, 0xa5, 16);
	fuzz_must(h, in, sizeof(in));
}

static void
key_create(const struct fuzz_world *w, struct fuzz_hca *h, unsigned int i)
{
	const struct key_plan *plan = &key_plans[i];
	uint8_t box[PRM_CREATE_MKEY_IN_XLT_BYTE + FUZZ_DATA_PAGES * PRM_MTT_SIZE] = { 0 };
	uint8_t *mkc = box + PRM_CREATE_MKEY_IN_MKC_BYTE;
	uint8_t *xlt = box + PRM_CREATE_MKEY_IN_XLT_BYTE;
	bool has_pages = plan->mode == PRM_MKC_ACCESS_MODE_MTT;

	prm_set(box, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_MKEY);
	prm_set(mkc, PRM_MKC_ACCESS_MODE_1_0, plan->mode & 0x3);
	prm_set(mkc, PRM_MKC_ACCESS_MODE_4_2, plan->mode >> 2);
	prm_dword_set(mkc, 0, prm_dword_get(mkc, 0) | (uint32_t)plan->access << 10);
	prm_set(mkc, PRM_MKC_FREE, plan->is_free);
	prm_set(mkc, PRM_MKC_UMR_EN, plan->mode == PRM_MKC_ACCESS_MODE_KLMS);
	prm_set(mkc, PRM_MKC_EN_RINVAL, plan->mode == PRM_MKC_ACCESS_MODE_KLMS);
	/* One is for one queue alone. */
	prm_set(mkc, PRM_MKC_QPN, i == 11 ? h->qps[0].num : PRM_MKC_QPN_ANY);
	prm_set(mkc, PRM_MKC_BSF_EN, plan->nb_bsf != 0);
	prm_set(mkc, PRM_MKC_BSF_OCTWORD_SIZE, plan->nb_bsf);
	prm_set(mkc, PRM_MKC_CRYPTO_EN, plan->nb_bsf > 4);
	prm_set(mkc, PRM_MKC_PD, h->pdn);
	prm_set(mkc, PRM_MKC_LENGTH64, plan->length64 && w->is_open);
	prm_set(mkc, PRM_MKC_TRANSLATIONS_OCTWORD_SIZE, plan->nb_xlt);
	if (has_pages) {
		prm_set(mkc, PRM_MKC_LOG_PAGE_SIZE, 12);
		prm_set(mkc, PRM_MKC_START_ADDR, h->data);
		prm_set(mkc, PRM_MKC_LEN, FUZZ_DATA);
		prm_set(box, PRM_CREATE_MKEY_IN_PG_ACCESS, plan->paged);
		fuzz_put_pages(xlt, h->data, FUZZ_DATA_PAGES);
	} else if (plan->mode == PRM_MKC_ACCESS_MODE_PA) {
		prm_set(mkc, PRM_MKC_START_ADDR, w->is_open ? 0 : h->data);
		prm_set(mkc, PRM_MKC_LEN, w->is_open ? 0 : FUZZ_DATA);
	} else if (plan->mode == PRM_MKC_ACCESS_MODE_MEMIC) {
		prm_set(mkc, PRM_MKC_START_ADDR, memic_alloc(h));
		prm_set(mkc, PRM_MKC_LEN, FUZZ_MEMIC);
	} else if (plan->mode == PRM_MKC_ACCESS_MODE_KSM) {
		prm_set(mkc, PRM_MKC_LOG_PAGE_SIZE, LOG_ENTITY);
		prm_set(mkc, PRM_MKC_LEN, (uint64_t)plan->nb_xlt << LOG_ENTITY);
		put_ksms(h, plan, xlt);
	} else if (!plan->is_free && plan->nb_xlt > 0) {
		prm_set(mkc, PRM_MKC_LEN, FUZZ_DATA / 2);
		put_klms(h, i, xlt);
	}
	if (has_pages || !plan->is_free)
		prm_set(box, PRM_CREATE_MKEY_IN_XLT_OCT_ACTUAL, plan->nb_xlt);
	h->keys[i] = fuzz_must(h, box, sizeof(box)) << 8;
}

/*
 * Keys that must not be of use for some, or all, of a page: one that can only be read, one of
 * another PD, one that is no more, and one of some bytes. What a device must not do, the DMA sees.
 */
static void
trap_create(struct fuzz_hca *h, unsigned int i)
{
	static const struct {
		uint8_t access;
		bool is_foreign;
		bool is_gone;
		uint32_t offset;
		uint32_t len;
	} plans[FUZZ_NB_TRAPS] = {
		{ 0x5, false, false, 0, FUZZ_PAGE },	/* rr, lr */
		{ ALL_ACCESS, true, false, 0, FUZZ_PAGE },
		{ ALL_ACCESS, false, true, 0, FUZZ_PAGE },
		{ ALL_ACCESS, false, false, 1001, 500 },
	};
	uint64_t page = h->traps_data + (uint64_t)i * FUZZ_PAGE;
	uint8_t box[PRM_CREATE_MKEY_IN_XLT_BYTE + PRM_KLM_SIZE] = { 0 };
	uint8_t *mkc = box + PRM_CREATE_MKEY_IN_MKC_BYTE, end[PRM_CMD_SHORT_IN_SIZE] = { 0 };
	uint8_t alloc[PRM_CMD_SHORT_IN_SIZE] = { 0 };

	prm_set(alloc, PRM_CMD_IN_OPCODE, PRM_CMD_ALLOC_PD);
	prm_set(box, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_MKEY);
	prm_set(mkc, PRM_MKC_ACCESS_MODE_1_0, PRM_MKC_ACCESS_MODE_MTT);
	prm_dword_set(mkc, 0, prm_dword_get(mkc, 0) | (uint32_t)plans[i].access << 10);
	prm_set(mkc, PRM_MKC_QPN, PRM_MKC_QPN_ANY);
	prm_set(mkc, PRM_MKC_PD,
		plans[i].is_foreign ? fuzz_must(h, alloc, sizeof(alloc)) : h->pdn);
	prm_set(mkc, PRM_MKC_LOG_PAGE_SIZE, 12);
	prm_set(mkc, PRM_MKC_START_ADDR, page + plans[i].offset);
	prm_set(mkc, PRM_MKC_LEN, plans[i].len);
	prm_set(mkc, PRM_MKC_TRANSLATIONS_OCTWORD_SIZE, 1);
	prm_set(box, PRM_CREATE_MKEY_IN_XLT_OCT_ACTUAL, 1);
	fuzz_put_pages(box + PRM_CREATE_MKEY_IN_XLT_BYTE, page, 1);
	h->traps[i] = fuzz_must(h, box, sizeof(box)) << 8;
	if (!plans[i].is_gone)
		return;
	prm_set(end, PRM_CMD_IN_OPCODE, PRM_CMD_DESTROY_MKEY);
	prm_dword_set(end, 2, h->traps[i] >> 8);
	fuzz_must(h, end, sizeof(end));
}

void
fuzz_keys_create(struct fuzz_world *w)
{
	for (unsigned int i = 0; i < FUZZ_NB_HCAS; i++) {
		psvs_create(&w->hcas[i]);
		dek_create(&w->hcas[i]);
		for (unsigned int j = 0; j < FUZZ_NB_KEYS; j++)
			key_create(w, &w->hcas[i], j);
		for (unsigned int j = 0; j < FUZZ_NB_TRAPS; j++)
			trap_create(&w->hcas[i], j);
	}
}
