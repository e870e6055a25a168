/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Signature fields: the checks read 512 bytes of memory and the field after them. The expected
 * values were computed bit by bit from the polynomials (T10 SBC-3; IEEE 802.3; RFC 3720; NVMe 2.0),
 * not by code of this project.
 */

#include <stdio.h>
#include <string.h>

#include <rte_common.h>

#include "check/bed.h"

#define BLOCK	512u
#define DIF	8u
#define APP_TAG	0x1234u
#define REF_TAG	0x56789abcu

#define T10DIF                                                                                     \
	.inl_type = PRM_BSF_INL_T10DIF_CRC, .block = PRM_BSF_BS_512, .app_tag = APP_TAG,           \
	.ref_tag = REF_TAG

/* A signature in the wire or memory domain; the other domain has none. */
struct sig {
	uint8_t inl_type;	/* PRM_BSF_INL_T10DIF_*; 0: a CRC selected by bfs. */
	uint8_t bfs;		/* PRM_BFS_* without flags. */
	bool seed_ones;
	uint8_t block;		/* enum prm_bsf_bs */
	bool is_mem;
	uint16_t app_tag;
	uint32_t ref_tag;	/* Incremented for each block. */
};

/* Otherwise the result reports the missing capability. */
static bool
sig_has(struct check_bed *bed, struct prm_field capability, const char *name)
{
	if (prm_get(bed->caps, PRM_CAP_SHO) != 0 &&
	    prm_get(bed->caps, PRM_CAP_SIGERR_DOMAIN_AND_SIG_TYPE) != 0)
		return check_has(bed, capability, name);
	check_lacks(bed, "sho, sigerr_domain_and_sig_type");
	return false;
}

/* Write the inline section of a T10-DIF domain. */
static void
inl_write(uint8_t *inl, const struct sig *sig)
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
bsf_write(uint8_t *bsf, const struct sig *sig, uint32_t psv)
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
transient(const struct sig *sig)
{
	if (sig->inl_type != 0)
		return (uint64_t)(sig->seed_ones ? UINT16_MAX : 0) << 48 |
		       (uint64_t)sig->app_tag << 32 | sig->ref_tag;
	if (!sig->seed_ones)
		return 0;
	return sig->bfs == PRM_BFS_CRC64_XP10 ? UINT64_MAX : PRM_PSV_CRC32(UINT32_MAX);
}

/* Map len bytes of src with a key that has a signature. @return NULL: the result has the reason. */
static struct check_key *
sig_key(struct check_bed *bed, const struct sig *sig, uint32_t len)
{
	const struct check_key_attr attr = {
		.nb_klm = 4, .nb_bsf_ow = PRM_BSF_SIZE / PRM_WQE_DS_SIZE,
	};
	const struct check_klm klm = { check_src(bed, 0), bed->mr->lkey, len };
	struct check_key *key = check_key_create(bed, &attr);
	uint8_t bsf[PRM_BSF_SIZE];
	const struct check_umr umr = {
		.len = len, .klms = &klm, .nb_klm = 1, .sigerr = true, .bsf = bsf,
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

/* Report bytes of out as text separated by blanks. */
static void
observe_bytes(struct check_bed *bed, const char *word, uint32_t at, uint32_t len)
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

/* A field, and what it takes. */
struct field {
	struct prm_field capability;
	const char *name;
	uint32_t block;
	uint32_t len;
	struct sig sig;
};

#define SHO	PRM_CAP_SHO, "sho"

static const struct sig t10dif = { T10DIF };
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

	if (sig_has(bed, field->capability, field->name))
		key = sig_key(bed, &field->sig, field->block);
	if (key != NULL)
		observe_bytes(bed, check_gather(bed, key->key, 0, field->block + field->len),
				    field->block, field->len);
}

static const uint32_t first_block, second_block = BLOCK + DIF;

/* Read two blocks from an offset of the wire domain; report the reference tag of the last one. */
static void
ref_run(struct check_bed *bed)
{
	const uint32_t *offset = bed->arg, end = 2 * (BLOCK + DIF) - *offset;
	struct check_key *key;

	if (!sig_has(bed, PRM_CAP_SHO, "sho"))
		return;
	key = sig_key(bed, &t10dif, 2 * BLOCK);
	if (key != NULL)
		observe_bytes(bed, check_gather(bed, key->key, *offset, end), end - 4, 4);
}

static const struct check field_checks[] = {
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
	  "RTE_UMR_SIG_DOMAIN_F_REF_INCREMENT", "56 78 9a bd",
	  .run = ref_run, .arg = &first_block },
	{ "reference-offset",
	  "Reference tags count from the start of the key, wherever a transfer starts.",
	  "transfers of part of a signed key", "56 78 9a bd",
	  .run = ref_run, .arg = &second_block },
};

const struct check_theme check_sig = { "signatures", field_checks, RTE_DIM(field_checks) };

/*
 * Wrong signatures in memory. Only the guards of the blocks in src are wrong. A key with a
 * signature in its memory domain thus finds an error in the first block, which all devices report
 * in the same way.
 */

/* Application tag in a field of T10-DIF; the guard precedes it. */
#define DIF_APP_TAG	PRM_FIELD(0, 0, 16)
#define DIF_REF_TAG	PRM_FIELD(1, 0, 32)
/* Wait after the last completion that is certain to arrive. */
#define SETTLE_MS	100u
#define NB_BLOCKS	2u

static const struct sig in_memory = {
	.inl_type = PRM_BSF_INL_T10DIF_CRC, .block = PRM_BSF_BS_512, .is_mem = true,
	.app_tag = 1, .ref_tag = 1,
};

/* Write correct tags after the blocks and leave their guards unchanged. */
static void
tags_write(struct check_bed *bed)
{
	for (uint32_t i = 0; i < NB_BLOCKS; i++) {
		uint8_t *dif = bed->src + i * (BLOCK + DIF) + BLOCK;

		prm_set(dif, DIF_APP_TAG, in_memory.app_tag);
		prm_set(dif, DIF_REF_TAG, in_memory.ref_tag + i);
	}
}

/* Create a key of two blocks; the wire domain has no fields. */
static struct check_key *
wrong_key(struct check_bed *bed)
{
	if (!sig_has(bed, PRM_CAP_SHO, "sho"))
		return NULL;
	tags_write(bed);
	return sig_key(bed, &in_memory, NB_BLOCKS * (BLOCK + DIF));
}

/* Read a block of the key as local memory of a write, or as remote memory of a read. */
static void
transfer_post(struct check_bed *bed, const struct check_key *key, bool is_remote)
{
	struct check_wqe wqe;

	if (is_remote)
		check_fetch_init(bed, &wqe, key->key, 0, BLOCK);
	else
		check_gather_init(bed, &wqe, key->key, 0, BLOCK, 0);
	check_qp_start(&bed->qp, &wqe);
}

/*
 * Consume completions until none arrives; return the number of signature errors and the word of the
 * others.
 */
static uint32_t
errors_count(struct check_cq *cq, bool has_transfer, const char **word)
{
	unsigned int wait_ms = has_transfer ? CHECK_TIMEOUT_MS : SETTLE_MS;
	struct check_cqe cqe;
	uint32_t nb = 0;

	*word = "no completion";
	while (check_cq_wait_ms(cq, &cqe, wait_ms)) {
		if (cqe.opcode == PRM_CQE_OPCODE_SIGERR) {
			nb++;
			continue;
		}
		*word = check_cqe_word(&cqe);
		wait_ms = SETTLE_MS;
	}
	return nb;
}

static void
transfer_run(struct check_bed *bed)
{
	struct check_key *key = wrong_key(bed);
	const char *word;
	uint32_t nb;

	if (key == NULL)
		return;
	transfer_post(bed, key, false);
	nb = errors_count(&bed->qp.send_cq, true, &word);
	check_observe(bed, "transfer: %s, signature errors: %u", word, nb);
}

static void
responder_run(struct check_bed *bed)
{
	struct check_key *key = wrong_key(bed);
	uint32_t nb_send, nb_recv;
	const char *word, *ignored;

	if (key == NULL)
		return;
	transfer_post(bed, key, true);
	nb_send = errors_count(&bed->qp.send_cq, true, &word);
	nb_recv = errors_count(&bed->qp.recv_cq, false, &ignored);
	check_note(bed, "read: %s", word);
	check_observe(bed, "errors in the send CQ: %u, in the receive CQ: %u", nb_send, nb_recv);
}

static void
once_run(struct check_bed *bed)
{
	struct check_key *key = wrong_key(bed);
	uint32_t first, second;
	const char *word;

	if (key == NULL)
		return;
	transfer_post(bed, key, false);
	first = errors_count(&bed->qp.send_cq, true, &word);
	transfer_post(bed, key, false);
	second = errors_count(&bed->qp.send_cq, true, &word);
	check_observe(bed, "first transfer: %u, second: %u", first, second);
}

static void
contents_run(struct check_bed *bed)
{
	struct check_key *key = wrong_key(bed);
	struct check_cqe cqe;

	if (key == NULL)
		return;
	transfer_post(bed, key, false);
	while (check_cq_wait_ms(&bed->qp.send_cq, &cqe, CHECK_TIMEOUT_MS)) {
		if (cqe.opcode != PRM_CQE_OPCODE_SIGERR)
			continue;
		check_observe(bed, "guard expected %04x, actual %04x, %s, syndrome 0x%04x, "
			      "offset %u",
			      (unsigned int)(prm_get(cqe.bytes, PRM_SIGERR_EXPECTED) >> 16),
			      (unsigned int)(prm_get(cqe.bytes, PRM_SIGERR_ACTUAL) >> 16),
			      prm_get(cqe.bytes, PRM_SIGERR_DOMAIN) == PRM_SIGERR_DOMAIN_MEMORY ?
				      "memory" : "wire",
			      (unsigned int)prm_get(cqe.bytes, PRM_SIGERR_SYNDROME),
			      (unsigned int)prm_get(cqe.bytes, PRM_SIGERR_OFFSET));
		return;
	}
	check_observe(bed, "no signature error");
}

static const struct check error_checks[] = {
	{ "sigerr-transfer", "A signature error has a CQE of its own; the transfer succeeds.",
	  "rte_umr_mkey_check(), the status of transfers", "transfer: done, signature errors: 1",
	  .run = transfer_run },
	{ "sigerr-responder", "The error of a responder's key is reported on its receive CQ.",
	  "signed keys that a peer reads or writes",
	  "errors in the send CQ: 0, in the receive CQ: 1", .run = responder_run },
	{ "sigerr-once", "An error is reported once, until a UMR arms the key again.",
	  "rte_umr_mkey_check(), which arms a key again", "first transfer: 1, second: 0",
	  .run = once_run },
	{ "sigerr-contents",
	  "The CQE has the guards in the upper half, the domain, and the offset of the block.",
	  "rte_umr_mkey_check()",
	  "guard expected 9913, actual a470, memory, syndrome 0x2000, offset 0",
	  .run = contents_run },
};

const struct check_theme check_sig_error = {
	"signature errors", error_checks, RTE_DIM(error_checks),
};
