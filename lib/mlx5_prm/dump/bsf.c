/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Byte stream formats: processing of data that passes through a key. Layouts: rdma-core,
 * providers/mlx5/wqe.h, struct mlx5_bsf and struct mlx5_crypto_bsf.
 */

#include <inttypes.h>

#include "dump/seg.h"
#include "mlx5_prm_sig.h"

static const struct prm_name bsf_sizes[] = {
	{ PRM_BSF_LEN_BASIC, "basic" },
	{ PRM_BSF_LEN_EXTENDED, "extended" },
	{ PRM_BSF_LEN_WITH_INLINE, "with inline" },
	{ PRM_BSF_LEN_SIG_AND_CRYPTO, "signature and crypto" },
};

/* Block format selectors (MLX5_BFS_*), without the seed and repeat bits. */
static const struct prm_name bfs_names[] = {
	{ PRM_BFS_NONE, "none" },
	{ PRM_BFS_CRC32, "CRC32" },
	{ PRM_BFS_CRC32C, "CRC32C" },
	{ PRM_BFS_CRC64_XP10, "CRC64-XP10" },
};

/* Block sizes by selector (rdma-core: bs_to_bs_selector()). */
static const struct prm_name block_sizes[] = {
	{ PRM_BSF_BS_NONE, "none" },	     { PRM_BSF_BS_512, "512 bytes" },
	{ PRM_BSF_BS_520, "520 bytes" },     { PRM_BSF_BS_4096, "4096 bytes" },
	{ PRM_BSF_BS_4160, "4160 bytes" },   { PRM_BSF_BS_1G, "1 GiB" },
	{ PRM_BSF_BS_4048, "4048 bytes" },
};

/* rdma-core, mlx5_ifc.h: MLX5_ENCRYPTION_ORDER_* */
static const struct prm_name enc_orders[] = {
	{ PRM_BSF_ENC_WIRE_SIGNATURE, "encrypted wire signature" },
	{ PRM_BSF_ENC_MEMORY_SIGNATURE, "encrypted memory signature" },
	{ PRM_BSF_ENC_RAW_WIRE, "encrypted raw wire" },
	{ PRM_BSF_ENC_RAW_MEMORY, "encrypted raw memory" },
};

static const struct prm_name enc_standards[] = {
	{ 0, "AES-XTS" },
};

/* SPDK, lib/mlx5/mlx5_umr.c: MLX5_SIG_BSF_EXT_* */
static const struct prm_name trans_flags[] = {
	{ 1u << 29, "W_INIT" },
	{ 1u << 28, "W_CHECK_GEN" },
	{ 1u << 25, "M_INIT" },
	{ 1u << 24, "M_CHECK_GEN" },
};

static const struct prm_name inl_flags[] = {
	{ 0x8000, "VALID" },
	{ 0x4000, "REFRESH_DIF" },
};

static void
put_bsf_inline(struct prm_dump *d, const char *name, const uint8_t *inl)
{
	prm_section_open(d, name);
	PRM_PUT_FLAGS(d, "vld_refresh", 4, prm_get16(inl), inl_flags);
	prm_put(d, "dif_apptag: 0x%04x", prm_get16(inl + 2));
	prm_put(d, "dif_reftag: 0x%08x", prm_get32(inl + 4));
	prm_put(d, "sig_type: 0x%02x", inl[8]);
	prm_put(d, "rp_inv_seed: 0x%02x", inl[9]);
	prm_put(d, "dif_inc_ref_guard_check: 0x%02x", inl[13]);
	prm_put(d, "dif_app_bitmask_check: 0x%04x", prm_get16(inl + 14));
	prm_section_close(d);
}

/* Print a block or transaction format selector, and its PSV. */
static void
put_psv(const struct prm_dump *d, const char *name, const char *selector, uint32_t word)
{
	uint32_t bfs = word >> 24;

	prm_put(d, "%s: %s 0x%02x (%s), psv 0x%06x", name, selector, bfs,
		PRM_NAME_OF(bfs_names, bfs & ~0x3u), word & 0xffffff);
}

static void
put_bsf_sig(struct prm_dump *d, const uint8_t *bsf)
{
	bool is_same = (bsf[0] & 1u << 4) != 0;

	prm_put(d, "size: %u (%s)", bsf[0] >> 6, PRM_NAME_OF(bsf_sizes, bsf[0] >> 6));
	prm_put(d, "same_block_structure: %u", is_same);
	prm_put(d, "check_byte_mask: 0x%02x", bsf[1]);
	if (is_same)
		prm_put(d, "copy_byte_mask: 0x%02x", bsf[2]);
	else
		prm_put(d, "wire_block_size: %u (%s)", bsf[2], PRM_NAME_OF(block_sizes, bsf[2]));
	prm_put(d, "mem_block_size: %u (%s)", bsf[3], PRM_NAME_OF(block_sizes, bsf[3]));
	prm_put(d, "raw_data_size: %u", prm_get32(bsf + 4));
	put_psv(d, "wire", "bfs", prm_get32(bsf + 8));
	put_psv(d, "mem", "bfs", prm_get32(bsf + 12));
	PRM_PUT_FLAGS(d, "init_gen_pro_size", 8, prm_get32(bsf + 16), trans_flags);
	prm_put(d, "epi_size: 0x%08x", prm_get32(bsf + 20));
	put_psv(d, "wire_transaction", "tfs", prm_get32(bsf + 24));
	put_psv(d, "mem_transaction", "tfs", prm_get32(bsf + 28));
	/* 32 bytes of the 64. */
	if (bsf[0] >> 6 == PRM_BSF_LEN_EXTENDED)
		return;
	put_bsf_inline(d, "wire_inline", bsf + 32);
	put_bsf_inline(d, "mem_inline", bsf + 48);
}

/* The tag of the key and the tweak are not secret; the key itself is in a separate object. */
static void
put_bsf_crypto(struct prm_dump *d, const uint8_t *bsf)
{
	prm_put(d, "size: %u (%s)", bsf[0] >> 6, PRM_NAME_OF(bsf_sizes, bsf[0] >> 6));
	prm_put(d, "enc_order: %u (%s)", bsf[1], PRM_NAME_OF(enc_orders, bsf[1]));
	prm_put(d, "enc_standard: %u (%s)", bsf[3], PRM_NAME_OF(enc_standards, bsf[3]));
	prm_put(d, "raw_data_size: %u", prm_get32(bsf + 4));
	prm_put(d, "block_size: %u (%s)", bsf[8], PRM_NAME_OF(block_sizes, bsf[8]));
	prm_put(d, "xts_initial_tweak: 0x%016" PRIx64 "%016" PRIx64, prm_get64(bsf + 16),
		prm_get64(bsf + 24));
	prm_put(d, "dek: 0x%06x", prm_get32(bsf + 32) & 0xffffff);
	prm_put(d, "keytag: 0x%016" PRIx64, prm_get64(bsf + 40));
}

void
prm_put_bsfs(struct prm_dump *d)
{
	const uint8_t *bsf;
	bool is_crypto;

	while (prm_left(d) >= PRM_BSF_SIZE) {
		bsf = prm_take(d, PRM_BSF_SIZE);
		is_crypto = (bsf[0] & 0x3f) == PRM_BSF_TYPE_CRYPTO;
		prm_section_open(d, is_crypto ? "bsf_crypto" : "bsf_signature");
		if (is_crypto)
			put_bsf_crypto(d, bsf);
		else
			put_bsf_sig(d, bsf);
		prm_section_close(d);
	}
	prm_put_rest(d, "bsf");
}
