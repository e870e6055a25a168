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

#define T10DIF                                                                                     \
	.inl_type = PRM_BSF_INL_T10DIF_CRC, .block = PRM_BSF_BS_512, .app_tag = APP_TAG,           \
	.ref_tag = REF_TAG

/* A field, and what it takes. */
struct field {
	struct prm_field capability;
	const char *name;
	uint32_t block;
	uint32_t len;
	struct check_sig sig;
};

#define SHO	PRM_CAP_SHO, "sho"

static const struct check_sig t10dif = { T10DIF };
static const struct field t10dif_field = { SHO, BLOCK, DIF, { T10DIF } };
static const struct field t10dif_seed = { SHO, BLOCK, 2, { T10DIF, .seed_ones = true } };
static const struct field csum = {
	SHO, BLOCK, 2, { .inl_type = PRM_BSF_INL_T10DIF_CSUM, .block = PRM_BSF_BS_512,
			 .app_tag = APP_TAG, .ref_tag = REF_TAG },
};
static const struct field crc32 = {
	SHO, BLOCK, 4, { .bfs = PRM_BFS_CRC32, .seed_ones = true, .block = PRM_BSF_BS_512 },
};
static const struct field crc32_seed = {
	SHO, BLOCK, 4, { .bfs = PRM_BFS_CRC32, .block = PRM_BSF_BS_512 },
};
static const struct field crc32c = {
	PRM_CAP_SIG_CRC32C, "sig_crc32c", BLOCK, 4,
	{ .bfs = PRM_BFS_CRC32C, .seed_ones = true, .block = PRM_BSF_BS_512 },
};
static const struct field crc64 = {
	PRM_CAP_SIG_CRC64_XP10, "sig_crc64_xp10", BLOCK, 8,
	{ .bfs = PRM_BFS_CRC64_XP10, .seed_ones = true, .block = PRM_BSF_BS_512 },
};
static const struct field block_4048 = {
	PRM_CAP_SIG_BLOCK_4048, "sig_block_4048", 4048, 2,
	{ .inl_type = PRM_BSF_INL_T10DIF_CRC, .block = PRM_BSF_BS_4048, .app_tag = APP_TAG,
	  .ref_tag = REF_TAG },
};

/* Report the field of the first block of a wire signature. */
static void
field_run(struct check_bed *bed)
{
	const struct field *field = bed->arg;
	struct check_key *key = NULL;

	if (check_sig_has(bed, field->capability, field->name))
		key = check_sig_key(bed, &field->sig, field->block, true);
	if (key != NULL)
		check_observe_bytes(bed, check_gather(bed, key->key, 0, field->block + field->len),
				    field->block, field->len);
}

/* Read two blocks from an offset of the wire domain; report the reference tag of the last one. */
static void
ref_observe(struct check_bed *bed, uint32_t offset)
{
	const uint32_t end = 2 * (BLOCK + DIF) - offset;
	struct check_key *key;

	if (!check_sig_has(bed, PRM_CAP_SHO, "sho"))
		return;
	key = check_sig_key(bed, &t10dif, 2 * BLOCK, true);
	if (key != NULL)
		check_observe_bytes(bed, check_gather(bed, key->key, offset, end), end - 4, 4);
}

static void
ref_next_run(struct check_bed *bed)
{
	ref_observe(bed, 0);
}

static void
ref_offset_run(struct check_bed *bed)
{
	ref_observe(bed, BLOCK + DIF);
}

static const struct check checks[] = {
	{ "t10dif-field", "T10-DIF is guard, application tag and reference tag in big endian.",
	  "RTE_UMR_SIG_T10DIF_CRC", "a4 70 12 34 56 78 9a bc",
	  .run = field_run, .arg = &t10dif_field },
	{ "t10dif-seed", "A guard with seed ones is not inverted at the end.",
	  "RTE_UMR_SIG_DOMAIN_F_SEED_ONES of T10-DIF", "d6 cb",
	  .run = field_run, .arg = &t10dif_seed },
	{ "t10dif-checksum", "The IP checksum guard is the inverted sum of 16-bit words.",
	  "RTE_UMR_SIG_T10DIF_CSUM", "bf f5", .run = field_run, .arg = &csum },
	{ "crc32-field", "CRC32 is little endian and inverted.", "RTE_UMR_SIG_CRC32",
	  "79 9a 23 0f", .run = field_run, .arg = &crc32 },
	{ "crc32-seed-zero", "CRC32 with seed 0 is inverted, too.",
	  "RTE_UMR_SIG_CRC32 without RTE_UMR_SIG_DOMAIN_F_SEED_ONES", "fe 10 76 42",
	  .run = field_run, .arg = &crc32_seed },
	{ "crc32c-field", "CRC32C is little endian and inverted.", "RTE_UMR_SIG_CRC32C",
	  "7b f4 21 45", .run = field_run, .arg = &crc32c },
	{ "crc64-field", "CRC64 is that of NVMe, little endian and inverted.",
	  "RTE_UMR_SIG_CRC64_XP10", "c2 e7 b1 22 06 b2 e3 84", .run = field_run, .arg = &crc64 },
	{ "block-4048", "Blocks of 4048 bytes have selector 6; sig_block_4048 is the capability.",
	  "RTE_UMR_SIG_BLOCK_4048, RTE_UMR_CRYPTO_UNIT_4048", "9b 89",
	  .run = field_run, .arg = &block_4048 },
	{ "reference-next", "The reference tag increases by 1 per block.",
	  "RTE_UMR_SIG_DOMAIN_F_REF_INCREMENT", "56 78 9a bd", .run = ref_next_run },
	{ "reference-offset",
	  "Reference tags count from the start of the key, wherever a transfer starts.",
	  "transfers of part of a signed key", "56 78 9a bd", .run = ref_offset_run },
};

const struct check_theme check_sig = { "signatures", checks, RTE_DIM(checks) };
