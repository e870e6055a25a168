/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Signature fields: the checks read 512 bytes of memory and the field after them. The expected
 * values were computed bit by bit from the polynomials (T10 SBC-3; IEEE 802.3; RFC 3720; NVMe 2.0),
 * not by code of this project.
 */

#include <string.h>

#include <rte_common.h>

#include "check/sig_key.h"

#define BLOCK	512u
#define DIF	8u
#define APP_TAG	0x1234u
#define REF_TAG	0x56789abcu

static const struct check_sig t10dif = {
	.inl_type = PRM_BSF_INL_T10DIF_CRC, .block = PRM_BSF_BS_512,
	.app_tag = APP_TAG, .ref_tag = REF_TAG,
};

/* Report the field of the first block of a wire signature. */
static void
field_observe(struct check_bed *bed, struct check_result *result, const struct check_sig *sig,
	      uint32_t block, uint32_t field_len)
{
	struct check_key *key = check_sig_key(bed, result, sig, block, true);

	if (key != NULL)
		check_observe_bytes(bed, result,
				    check_gather(bed, result, key->key, 0, block + field_len),
				    block, field_len);
}

static void
crc_observe(struct check_bed *bed, struct check_result *result, uint8_t bfs, bool seed_ones)
{
	const struct check_sig sig = {
		.bfs = bfs, .seed_ones = seed_ones, .block = PRM_BSF_BS_512,
	};

	field_observe(bed, result, &sig, BLOCK, bfs == PRM_BFS_CRC64_XP10 ? 8 : 4);
}

static void
t10dif_run(struct check_bed *bed, struct check_result *result)
{
	if (check_sig_has(bed, result, PRM_CAP_SHO, "sho"))
		field_observe(bed, result, &t10dif, BLOCK, DIF);
}

static void
t10dif_seed_run(struct check_bed *bed, struct check_result *result)
{
	struct check_sig sig = t10dif;

	sig.seed_ones = true;
	if (check_sig_has(bed, result, PRM_CAP_SHO, "sho"))
		field_observe(bed, result, &sig, BLOCK, 2);
}

static void
csum_run(struct check_bed *bed, struct check_result *result)
{
	struct check_sig sig = t10dif;

	sig.inl_type = PRM_BSF_INL_T10DIF_CSUM;
	if (check_sig_has(bed, result, PRM_CAP_SHO, "sho"))
		field_observe(bed, result, &sig, BLOCK, 2);
}

static void
crc32_run(struct check_bed *bed, struct check_result *result)
{
	if (check_sig_has(bed, result, PRM_CAP_SHO, "sho"))
		crc_observe(bed, result, PRM_BFS_CRC32, true);
}

static void
crc32_seed_run(struct check_bed *bed, struct check_result *result)
{
	if (check_sig_has(bed, result, PRM_CAP_SHO, "sho"))
		crc_observe(bed, result, PRM_BFS_CRC32, false);
}

static void
crc32c_run(struct check_bed *bed, struct check_result *result)
{
	if (check_sig_has(bed, result, PRM_CAP_SIG_CRC32C, "sig_crc32c"))
		crc_observe(bed, result, PRM_BFS_CRC32C, true);
}

static void
crc64_run(struct check_bed *bed, struct check_result *result)
{
	if (check_sig_has(bed, result, PRM_CAP_SIG_CRC64_XP10, "sig_crc64_xp10"))
		crc_observe(bed, result, PRM_BFS_CRC64_XP10, true);
}

static void
block_4048_run(struct check_bed *bed, struct check_result *result)
{
	struct check_sig sig = t10dif;

	sig.block = PRM_BSF_BS_4048;
	if (check_sig_has(bed, result, PRM_CAP_SIG_BLOCK_4048, "sig_block_4048"))
		field_observe(bed, result, &sig, 4048, 2);
}

/* Read two blocks from an offset of the wire domain; report the reference tag of the last one. */
static void
ref_observe(struct check_bed *bed, struct check_result *result, uint32_t offset)
{
	const uint32_t end = 2 * (BLOCK + DIF) - offset;
	struct check_key *key;

	if (!check_sig_has(bed, result, PRM_CAP_SHO, "sho"))
		return;
	key = check_sig_key(bed, result, &t10dif, 2 * BLOCK, true);
	if (key != NULL)
		check_observe_bytes(bed, result,
				    check_gather(bed, result, key->key, offset, end), end - 4, 4);
}

static void
ref_next_run(struct check_bed *bed, struct check_result *result)
{
	ref_observe(bed, result, 0);
}

static void
ref_offset_run(struct check_bed *bed, struct check_result *result)
{
	ref_observe(bed, result, BLOCK + DIF);
}

static const struct check checks[] = {
	{ "t10dif-field", "T10-DIF is guard, application tag and reference tag in big endian.",
	  "RTE_UMR_SIG_T10DIF_CRC", "a4 70 12 34 56 78 9a bc", t10dif_run },
	{ "t10dif-seed", "A guard with seed ones is not inverted at the end.",
	  "RTE_UMR_SIG_DOMAIN_F_SEED_ONES of T10-DIF", "d6 cb", t10dif_seed_run },
	{ "t10dif-checksum", "The IP checksum guard is the inverted sum of 16-bit words.",
	  "RTE_UMR_SIG_T10DIF_CSUM", "bf f5", csum_run },
	{ "crc32-field", "CRC32 is little endian and inverted.", "RTE_UMR_SIG_CRC32",
	  "79 9a 23 0f", crc32_run },
	{ "crc32-seed-zero", "CRC32 with seed 0 is inverted, too.",
	  "RTE_UMR_SIG_CRC32 without RTE_UMR_SIG_DOMAIN_F_SEED_ONES", "fe 10 76 42",
	  crc32_seed_run },
	{ "crc32c-field", "CRC32C is little endian and inverted.", "RTE_UMR_SIG_CRC32C",
	  "7b f4 21 45", crc32c_run },
	{ "crc64-field", "CRC64 is that of NVMe, little endian and inverted.",
	  "RTE_UMR_SIG_CRC64_XP10", "c2 e7 b1 22 06 b2 e3 84", crc64_run },
	{ "block-4048", "Blocks of 4048 bytes have selector 6; sig_block_4048 is the capability.",
	  "RTE_UMR_SIG_BLOCK_4048, RTE_UMR_CRYPTO_UNIT_4048", "9b 89", block_4048_run },
	{ "reference-next", "The reference tag increases by 1 per block.",
	  "RTE_UMR_SIG_DOMAIN_F_REF_INCREMENT", "56 78 9a bd", ref_next_run },
	{ "reference-offset",
	  "Reference tags count from the start of the key, wherever a transfer starts.",
	  "transfers of part of a signed key", "56 78 9a bd", ref_offset_run },
};

const struct check_theme check_sig = { "signatures", checks, RTE_DIM(checks) };
