/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Data units of AES-XTS and their tweaks. The checks contain no cipher: they compare data read
 * through one key with data read through another key, or through the same key at another offset.
 */

#include <errno.h>
#include <string.h>

#include <infiniband/mlx5dv.h>

#include <rte_bitops.h>
#include <rte_common.h>

#include <mlx5_prm_crypto.h>

#include "check/bed.h"

#define UNIT_SMALL	512u
#define NB_SMALL	4u
#define UNIT_4048	4048u
/* Offset of the second reading, after the longest first one. */
#define OTHER_AT	16384u
#define TWEAK		7u
#define KEY_SIZE	32u
#define BODY_BYTE	PRM_GENERAL_OBJ_IN_BODY_BYTE

struct dek {
	struct mlx5dv_devx_obj *obj;
	uint32_t id;
};

/*
 * Check that the device accepts plaintext keys; no wrapped keys are available. @return False: the
 * result has the reason.
 */
static bool
wants_plain(struct check_bed *bed)
{
	uint32_t in[PRM_CMD_SHORT_IN_SIZE / sizeof(uint32_t)] = { 0 };
	uint32_t out[PRM_QUERY_HCA_CAP_OUT_SIZE / sizeof(uint32_t)] = { 0 };
	const uint8_t *cap = (const uint8_t *)out + PRM_QUERY_HCA_CAP_OUT_CAP_BYTE;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_QUERY_HCA_CAP);
	prm_set(in, PRM_CMD_IN_OP_MOD,
		(uint64_t)PRM_HCA_CAP_PAGE_CRYPTO << 1 | PRM_HCA_CAP_OP_MOD_CUR);
	if (mlx5dv_devx_general_cmd(bed->dev->ctx, in, sizeof(in), out, sizeof(out)) != 0)
		check_break(bed, "QUERY_HCA_CAP: status 0x%x, syndrome 0x%x",
			    (unsigned int)prm_get(out, PRM_CMD_OUT_STATUS),
			    (unsigned int)prm_get(out, PRM_CMD_OUT_SYNDROME));
	else if (prm_get(cap, PRM_CRYPTO_CAP_FAILED_SELFTESTS) != 0)
		check_lacks(bed, "crypto, whose self-tests failed");
	else if (prm_get(cap, PRM_CRYPTO_CAP_WRAPPED_IMPORT_METHOD) &
		 PRM_CRYPTO_CAP_IMPORT_METHOD_AES_XTS)
		check_lacks(bed, "keys in plaintext (wrapped_import_method)");
	else
		return true;
	return false;
}

/*
 * Whether the device encrypts more than one unit per transfer; otherwise reports a missing
 * capability.
 */
static bool
has_units(struct check_bed *bed)
{
	const uint64_t types = prm_get(bed->caps, PRM_CAP_GENERAL_OBJ_TYPES);

	if (prm_get(bed->caps, PRM_CAP_CRYPTO) == 0 || (types & RTE_BIT64(PRM_OBJ_TYPE_DEK)) == 0)
		check_lacks(bed, "crypto");
	else if (prm_get(bed->caps, PRM_CAP_AES_XTS_MULTI_BLOCK_BE_TWEAK) == 0)
		check_lacks(bed, "aes_xts_multi_block_be_tweak");
	else
		return wants_plain(bed);
	return false;
}

static bool
dek_create(struct check_bed *bed, struct dek *dek)
{
	uint32_t in[(BODY_BYTE + PRM_DEK_SIZE) / sizeof(uint32_t)] = { 0 };
	uint32_t out[PRM_CMD_SHORT_OUT_SIZE / sizeof(uint32_t)] = { 0 };
	uint8_t *body = (uint8_t *)in + BODY_BYTE;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_GENERAL_OBJECT);
	prm_set(in, PRM_GENERAL_OBJ_IN_OBJ_TYPE, PRM_OBJ_TYPE_DEK);
	prm_set(body, PRM_DEK_KEY_SIZE, PRM_DEK_KEY_SIZE_128);
	prm_set(body, PRM_DEK_KEY_PURPOSE, PRM_DEK_PURPOSE_AES_XTS);
	prm_set(body, PRM_DEK_PD, bed->pdn);
	for (uint8_t i = 0; i < KEY_SIZE; i++)
		body[PRM_DEK_KEY_BYTE + i] = i + 1;
	dek->obj = mlx5dv_devx_obj_create(bed->dev->ctx, in, sizeof(in), out, sizeof(out));
	if (dek->obj == NULL) {
		check_break(bed, "CREATE_DEK: status 0x%x, syndrome 0x%x: %s",
			    (unsigned int)prm_get(out, PRM_CMD_OUT_STATUS),
			    (unsigned int)prm_get(out, PRM_CMD_OUT_SYNDROME), strerror(errno));
		return false;
	}
	dek->id = (uint32_t)prm_get(out, PRM_GENERAL_OBJ_OUT_OBJ_ID);
	return true;
}

/*
 * Map len bytes of src with a key whose wire domain is encrypted. @return NULL: the result has the
 * reason.
 */
static struct check_key *
crypto_key(struct check_bed *bed, const struct dek *dek, enum prm_bsf_bs unit, uint8_t tweak,
	   uint32_t src_at, uint32_t len)
{
	const struct check_key_attr attr = {
		.nb_klm = 4, .nb_bsf_ow = PRM_BSF_SIZE / PRM_WQE_DS_SIZE, .has_crypto = true,
	};
	const struct check_klm klm = { check_src(bed, src_at), bed->mr->lkey, len };
	struct check_key *key = check_key_create(bed, &attr);
	uint8_t bsf[PRM_BSF_SIZE] = { 0 };
	const struct check_umr umr = {
		.len = len, .klms = &klm, .nb_klm = 1, .bsf = bsf, .is_crypto = true,
	};

	prm_set(bsf, PRM_BSF_LEN, PRM_BSF_LEN_WITH_INLINE);
	prm_set(bsf, PRM_BSF_TYPE, PRM_BSF_TYPE_CRYPTO);
	prm_set(bsf, PRM_BSF_ENC_ORDER, PRM_BSF_ENC_RAW_WIRE);
	prm_set(bsf, PRM_BSF_RAW_DATA_SIZE, UINT32_MAX);
	prm_set(bsf, PRM_BSF_UNIT_SELECTOR, unit);
	prm_set(bsf, PRM_BSF_DEK, dek->id);
	bsf[PRM_BSF_TWEAK_BYTE + PRM_BSF_TWEAK_SIZE - 1] = tweak;	/* big endian */
	return key != NULL && check_configure(bed, key, &umr) ? key : NULL;
}

/* Read through a key into out. @return False: the result has the reason. */
static bool
cipher_read(struct check_bed *bed, const struct check_key *key, uint32_t addr, uint32_t len,
	    uint32_t out_at)
{
	struct check_wqe wqe;
	const char *word;

	check_gather_init(bed, &wqe, key->key, addr, len, out_at);
	word = check_do(bed, &wqe);
	if (!check_is_done(word))
		check_observe(bed, "%s", word);
	return check_is_done(word);
}

static bool
out_is_same(const struct check_bed *bed, uint32_t one, uint32_t other, uint32_t len)
{
	return memcmp(bed->out + one, bed->out + other, len) == 0;
}

/* The second of two units must equal the first unit encrypted with the next tweak. */
static void
unit_4048_ask(struct check_bed *bed, const struct dek *dek)
{
	struct check_key *both = crypto_key(bed, dek, PRM_BSF_BS_4048, TWEAK, 0, 2 * UNIT_4048);
	struct check_key *second = both == NULL ? NULL :
				   crypto_key(bed, dek, PRM_BSF_BS_4048, TWEAK + 1,
					      UNIT_4048, UNIT_4048);

	if (second == NULL || !cipher_read(bed, both, 0, 2 * UNIT_4048, 0) ||
	    !cipher_read(bed, second, 0, UNIT_4048, OTHER_AT))
		return;
	if (check_bed_is(bed, 0, 0, UNIT_4048))
		check_observe(bed, "not encrypted");
	else
		check_observe(bed, "%s", out_is_same(bed, UNIT_4048, OTHER_AT, UNIT_4048) ?
						    "units of 4048 bytes" : "other units");
}

/* All units have the same contents, so that only the tweak distinguishes them. */
static void
tweak_offset_ask(struct check_bed *bed, const struct dek *dek)
{
	const uint32_t at = 2 * UNIT_SMALL;
	struct check_key *key;

	for (uint32_t i = 1; i < NB_SMALL; i++)
		memcpy(bed->src + i * UNIT_SMALL, bed->src, UNIT_SMALL);
	key = crypto_key(bed, dek, PRM_BSF_BS_512, TWEAK, 0, NB_SMALL * UNIT_SMALL);
	if (key == NULL || !cipher_read(bed, key, 0, NB_SMALL * UNIT_SMALL, 0) ||
	    !cipher_read(bed, key, at, UNIT_SMALL, OTHER_AT))
		return;
	if (out_is_same(bed, 0, at, UNIT_SMALL))
		check_observe(bed, "all units have one tweak");
	else if (out_is_same(bed, at, OTHER_AT, UNIT_SMALL))
		check_observe(bed, "counted from the beginning of the key");
	else
		check_observe(bed, "%s", out_is_same(bed, 0, OTHER_AT, UNIT_SMALL) ?
			      "counted from where the transfer begins" : "another tweak");
}

static void
with_dek(struct check_bed *bed, void (*ask)(struct check_bed *bed, const struct dek *dek))
{
	struct dek dek;

	if (!has_units(bed) || !dek_create(bed, &dek))
		return;
	check_bed_blank(bed);
	ask(bed, &dek);
	/* Destroy the keys that refer to the DEK first. */
	check_keys_destroy(bed);
	mlx5dv_devx_obj_destroy(dek.obj);
}

static void
unit_4048_run(struct check_bed *bed)
{
	if (check_has(bed, PRM_CAP_SIG_BLOCK_4048, "sig_block_4048"))
		with_dek(bed, unit_4048_ask);
}

static void
tweak_offset_run(struct check_bed *bed)
{
	with_dek(bed, tweak_offset_ask);
}

static const struct check checks[] = {
	{ "crypto-unit-4048", "A device with sig_block_4048 also encrypts in units of 4048 bytes.",
	  "RTE_UMR_CRYPTO_UNIT_4048", "units of 4048 bytes", .run = unit_4048_run },
	{ "crypto-tweak-offset",
	  "Tweaks count from the start of the key, wherever a transfer starts.",
	  "transfers of part of an encrypted key", "counted from the beginning of the key",
	  .run = tweak_offset_run },
};

const struct check_theme check_crypto = { "encryption", checks, RTE_DIM(checks) };
