/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <string.h>

#include "mem/bsf/bsf.h"

/* Block size of a bs_selector; 0 if unknown. */
static uint32_t
block_size(uint64_t selector)
{
	static const uint32_t sizes[] = {
		[PRM_BSF_BS_512] = 512,
		[PRM_BSF_BS_520] = 520,
		[PRM_BSF_BS_4096] = 4096,
		[PRM_BSF_BS_4160] = 4160,
		[PRM_BSF_BS_1G] = UINT32_C(1) << 30,
		[PRM_BSF_BS_4048] = 4048,
	};

	return selector < sizeof(sizes) / sizeof(sizes[0]) ? sizes[selector] : 0;
}

static const char *
parse_crc(uint8_t bfs, struct swhca_sig_domain *domain)
{
	switch (bfs & PRM_BFS_SUM_MASK) {
	case PRM_BFS_CRC32:
		domain->type = SWHCA_SIG_CRC32;
		break;
	case PRM_BFS_CRC32C:
		domain->type = SWHCA_SIG_CRC32C;
		break;
	case PRM_BFS_CRC64_XP10:
		domain->type = SWHCA_SIG_CRC64_XP10;
		break;
	default:
		return "unknown block format selector";
	}
	if ((bfs & PRM_BFS_CRC_REPEAT) == 0)
		return "a sum that does not begin anew with each block is not modelled";
	domain->seed_ones = (bfs & PRM_BFS_CRC_SEED_ZERO) == 0;
	return NULL;
}

static const char *
parse_t10dif(const uint8_t *inl, struct swhca_sig_domain *domain)
{
	switch (prm_get(inl, PRM_BSF_INL_SIG_TYPE)) {
	case PRM_BSF_INL_T10DIF_CRC:
		domain->type = SWHCA_SIG_T10DIF_CRC;
		break;
	case PRM_BSF_INL_T10DIF_CSUM:
		domain->type = SWHCA_SIG_T10DIF_CSUM;
		break;
	default:
		return "unknown signature type of the inline section";
	}
	if (!prm_get(inl, PRM_BSF_INL_REPEAT))
		return "a T10-DIF guard that does not begin anew with each block is not modelled";
	domain->seed_ones = prm_get(inl, PRM_BSF_INL_SEED) != 0;
	domain->inc_ref = prm_get(inl, PRM_BSF_INL_INC_REF) != 0;
	domain->refresh = prm_get(inl, PRM_BSF_INL_REFRESH_DIF) != 0;
	domain->app_tag = (uint16_t)prm_get(inl, PRM_BSF_INL_APP_TAG);
	domain->ref_tag = (uint32_t)prm_get(inl, PRM_BSF_INL_REF_TAG);
	domain->app_mask = (uint16_t)prm_get(inl, PRM_BSF_INL_APP_MASK);
	if (prm_get(inl, PRM_BSF_INL_APPREF_ESCAPE))
		domain->escape = SWHCA_SIG_ESCAPE_APP_REF;
	else if (prm_get(inl, PRM_BSF_INL_APP_ESCAPE))
		domain->escape = SWHCA_SIG_ESCAPE_APP;
	return NULL;
}

/* A domain has a CRC by its selector, T10-DIF by its inline section, or no signature. */
static const char *
parse_domain(uint8_t bfs, uint32_t psv, uint32_t block, const uint8_t *inl,
	     struct swhca_sig_domain *domain)
{
	const char *why = NULL;

	*domain = (struct swhca_sig_domain){ .psv = psv, .block = block };
	if (bfs != PRM_BFS_NONE)
		why = parse_crc(bfs, domain);
	else if (prm_get(inl, PRM_BSF_INL_VALID))
		why = parse_t10dif(inl, domain);
	if (why == NULL && domain->type != SWHCA_SIG_NONE && block == 0)
		why = "block size of a signed domain is 0 or unknown";
	return why;
}

/*
 * One signature over all data. Only the format written by SPDK's builder is known: one domain with
 * a CRC32C (lib/mlx5/mlx5_umr.c, mlx5_get_crc32c_tfs()), seeds as for blocks.
 */
static const char *
parse_trans(uint8_t tfs, uint32_t psv, bool init, bool check_gen, uint32_t raw_size,
	    struct swhca_sig_domain *domain)
{
	if (tfs == PRM_BFS_NONE)
		return init || check_gen ? "a transaction begins or ends that is not there" : NULL;
	if ((tfs & ~PRM_BFS_CRC_SEED_ZERO) != PRM_BFS_CRC32C)
		return "unknown transaction format selector";
	if (domain->type != SWHCA_SIG_NONE)
		return "block and transaction signature of one domain are not modelled";
	if (raw_size == 0)
		return "a transaction of no data";
	*domain = (struct swhca_sig_domain){
		.type = SWHCA_SIG_CRC32C,
		.seed_ones = (tfs & PRM_BFS_CRC_SEED_ZERO) == 0,
		.block = raw_size,
		.psv = psv,
		.is_trans = true,
		.t_init = init,
		.t_check_gen = check_gen,
	};
	return NULL;
}

static const char *
parse_extended(const uint8_t *data, struct swhca_bsf_sig *sig)
{
	const char *why;

	if (prm_get(data, PRM_BSF_PRO_SIZE) != 0 || prm_get(data, PRM_BSF_EPI_SIZE) != 0)
		return "a transaction with prologue or epilogue is not modelled";
	why = parse_trans((uint8_t)prm_get(data, PRM_BSF_M_TFS),
			  (uint32_t)prm_get(data, PRM_BSF_M_T_PSV),
			  prm_get(data, PRM_BSF_M_T_INIT) != 0,
			  prm_get(data, PRM_BSF_M_T_CHECK_GEN) != 0, sig->raw_size, &sig->mem);
	if (why == NULL)
		why = parse_trans((uint8_t)prm_get(data, PRM_BSF_W_TFS),
				  (uint32_t)prm_get(data, PRM_BSF_W_T_PSV),
				  prm_get(data, PRM_BSF_W_T_INIT) != 0,
				  prm_get(data, PRM_BSF_W_T_CHECK_GEN) != 0, sig->raw_size,
				  &sig->wire);
	if (why == NULL && (sig->mem.is_trans || sig->wire.is_trans) &&
	    sig->mem.type != SWHCA_SIG_NONE && sig->wire.type != SWHCA_SIG_NONE)
		why = "a transaction signature beside that of the other domain is not modelled";
	return why;
}

/* Check whether a signature of one domain can be copied to the other. */
static bool
is_same_structure(const struct swhca_bsf_sig *sig)
{
	if (swhca_sig_is_t10dif(sig->mem.type))
		return swhca_sig_is_t10dif(sig->wire.type);
	return sig->mem.type != SWHCA_SIG_NONE && sig->mem.type == sig->wire.type;
}

static const char *
parse_sig(const uint8_t *data, struct swhca_bsf_sig *sig)
{
	static const uint8_t no_inline[PRM_BSF_SIZE - PRM_BSF_M_INL_BYTE];
	uint64_t m_bs = prm_get(data, PRM_BSF_M_BS_SELECTOR);
	/* 32 bytes in a segment of 64: the rest is ignored. */
	bool has_inline = prm_get(data, PRM_BSF_LEN) != PRM_BSF_LEN_EXTENDED;
	uint32_t w_block;
	const char *why;

	*sig = (struct swhca_bsf_sig){
		.check_mask = (uint8_t)prm_get(data, PRM_BSF_CHECK_BYTE_MASK),
		.raw_size = (uint32_t)prm_get(data, PRM_BSF_RAW_DATA_SIZE),
		.same_structure = prm_get(data, PRM_BSF_SBS) != 0,
	};
	if (sig->same_structure) {
		sig->copy_mask = (uint8_t)prm_get(data, PRM_BSF_W_COPY_BYTE_MASK);
		w_block = block_size(m_bs);
	} else {
		w_block = block_size(prm_get(data, PRM_BSF_W_BS_SELECTOR));
	}
	why = parse_domain((uint8_t)prm_get(data, PRM_BSF_M_BFS),
			   (uint32_t)prm_get(data, PRM_BSF_M_PSV), block_size(m_bs),
			   has_inline ? data + PRM_BSF_M_INL_BYTE : no_inline, &sig->mem);
	if (why == NULL)
		why = parse_domain((uint8_t)prm_get(data, PRM_BSF_W_BFS),
				   (uint32_t)prm_get(data, PRM_BSF_W_PSV), w_block,
				   has_inline ? data + PRM_BSF_W_INL_BYTE : no_inline,
				   &sig->wire);
	if (why == NULL)
		why = parse_extended(data, sig);
	if (why == NULL && sig->same_structure && !is_same_structure(sig))
		why = "domains of the same structure have different signatures";
	return why;
}

static const char *
parse_crypto(const uint8_t *data, struct swhca_bsf_crypto *crypto)
{
	uint64_t order = prm_get(data, PRM_BSF_ENC_ORDER);

	*crypto = (struct swhca_bsf_crypto){
		.order = (enum prm_bsf_enc_order)order,
		.unit = block_size(prm_get(data, PRM_BSF_UNIT_SELECTOR)),
		.raw_size = (uint32_t)prm_get(data, PRM_BSF_RAW_DATA_SIZE),
		.dek = (uint32_t)prm_get(data, PRM_BSF_DEK),
	};
	if (prm_get(data, PRM_BSF_TYPE) != PRM_BSF_TYPE_CRYPTO)
		return "the second BSF is not one of crypto";
	if (order > PRM_BSF_ENC_RAW_MEMORY)
		return "unknown encryption order";
	if (prm_get(data, PRM_BSF_ENC_STANDARD) != 0)
		return "unknown encryption standard";
	if (crypto->unit == 0 || crypto->unit == block_size(PRM_BSF_BS_1G))
		return "unknown size of a data unit";
	memcpy(crypto->tweak, data + PRM_BSF_TWEAK_BYTE, sizeof(crypto->tweak));
	memcpy(crypto->keytag, data + PRM_BSF_KEYTAG_BYTE, sizeof(crypto->keytag));
	return NULL;
}

/*
 * Crypto between two signatures is invalid (libmlx5: get_crypto_order()). With a transaction
 * adapters support two forms: data encrypted and signed for the wire, and signed ciphertext in
 * memory (Mellanox' SPDK, module/accel/mlx5/accel_mlx5.c, "HW limitation").
 */
static const char *
check_order(const struct swhca_bsf *bsf)
{
	if ((bsf->sig.wire.is_trans && bsf->crypto.order != PRM_BSF_ENC_RAW_WIRE) ||
	    (bsf->sig.mem.is_trans && bsf->crypto.order != PRM_BSF_ENC_RAW_MEMORY))
		return "a transaction signature with another encryption order than adapters have";
	if (bsf->crypto.order != PRM_BSF_ENC_RAW_WIRE &&
	    bsf->crypto.order != PRM_BSF_ENC_RAW_MEMORY)
		return NULL;
	if (bsf->sig.mem.type != SWHCA_SIG_NONE && bsf->sig.wire.type != SWHCA_SIG_NONE)
		return "encryption of raw data between two signed domains";
	return NULL;
}

const char *
swhca_bsf_parse(const uint8_t *data, size_t len, struct swhca_bsf *out)
{
	struct swhca_bsf bsf = { 0 };
	bool is_one = len == PRM_BSF_SIZE;
	uint64_t bsf_len;
	const char *why;

	if (len != PRM_BSF_SIZE && len != 2 * PRM_BSF_SIZE)
		return "neither one BSF of 64 bytes nor two";
	bsf_len = prm_get(data, PRM_BSF_LEN);
	bsf.has_crypto = !is_one || prm_get(data, PRM_BSF_TYPE) == PRM_BSF_TYPE_CRYPTO;
	bsf.has_sig = !is_one || !bsf.has_crypto;
	if (bsf_len != (is_one ? PRM_BSF_LEN_WITH_INLINE : PRM_BSF_LEN_SIG_AND_CRYPTO) &&
	    !(is_one && bsf.has_sig && bsf_len == PRM_BSF_LEN_EXTENDED))
		return "bsf_size does not go with the octowords";
	if (bsf.has_sig) {
		if (prm_get(data, PRM_BSF_TYPE) != PRM_BSF_TYPE_SIGNATURE)
			return "unknown type of BSF, or crypto in front of signature";
		why = parse_sig(data, &bsf.sig);
		if (why != NULL)
			return why;
		data += PRM_BSF_SIZE;
	}
	if (bsf.has_crypto) {
		why = parse_crypto(data, &bsf.crypto);
		if (why == NULL && bsf.has_sig)
			why = check_order(&bsf);
		if (why != NULL)
			return why;
	}
	*out = bsf;
	return NULL;
}

static bool
domain_is_basic(const struct swhca_sig_domain *domain)
{
	return domain->type == SWHCA_SIG_NONE ||
	       (domain->type != SWHCA_SIG_CRC32C && domain->type != SWHCA_SIG_CRC64_XP10 &&
		domain->block != block_size(PRM_BSF_BS_4048));
}

const char *
swhca_bsf_check_model(const struct swhca_bsf *bsf, enum swhca_model model)
{
	if (!swhca_model_has(model, SWHCA_FEATURE_SIG_CRC) &&
	    !(domain_is_basic(&bsf->sig.mem) && domain_is_basic(&bsf->sig.wire)))
		return "CRC32C, CRC64 or blocks of 4048 bytes: the model has none";
	if (bsf->has_crypto && !swhca_model_has(model, SWHCA_FEATURE_CRYPTO))
		return "the model has no crypto";
	return NULL;
}
