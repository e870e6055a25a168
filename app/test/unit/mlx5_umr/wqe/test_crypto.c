/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Crypto builder: bytes typed by hand from the layout in mlx5_prm_sig.h; what is rejected.
 */

#include "cases.h"
#include "wqe/crypto.h"

#define RAW	0xff, 0xff, 0xff, 0xff
#define ZERO_7	0, 0, 0, 0, 0, 0, 0

static const struct mlx5_umr_crypto_caps multi = {
	.has_xts = true, .has_multi_block = true, .has_block_4048 = true,
};
static const struct mlx5_umr_crypto_caps single = { .has_xts = true };

static const struct rte_umr_dek dek = { .id = 0x112233, .dev_id = 3 };

#define TWEAK	0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, \
		0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f
#define KEYTAG	0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7

static const struct rte_umr_crypto good = {
	.dek = &dek, .order = RTE_UMR_CRYPTO_SIG_BEFORE, .encrypt_on_tx = true,
	.data_unit_size = 4096, .tweak = { TWEAK }, .keytag = { KEYTAG },
};

static void
bsf_build(uint8_t *bsf, const struct mlx5_umr_crypto_caps *caps,
	  const struct rte_umr_crypto *crypto, bool has_sig)
{
	const struct mlx5_umr_crypto_bsf words = mlx5_umr_crypto_bsf_make(caps, crypto, has_sig);

	memset(bsf, 0xa5, PRM_BSF_SIZE);
	mlx5_umr_crypto_bsf_store(bsf, &words);
}

CASE(encrypted_wire_behind_a_signature_has_golden_bytes)
{
	static const uint8_t golden[PRM_BSF_SIZE] = {
		0xc1, 0x00, 0x00, 0x00, RAW, 0x03, ZERO_7,
		0x0f, 0x0e, 0x0d, 0x0c, 0x0b, 0x0a, 0x09, 0x08,
		0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01, 0x00,
		0x00, 0x11, 0x22, 0x33, 0, 0, 0, 0, KEYTAG,
	};
	uint8_t bsf[PRM_BSF_SIZE] __rte_aligned(8);

	bsf_build(bsf, &multi, &good, true);
	assert_memory_equal(bsf, golden, sizeof(bsf));
}

CASE(encrypted_memory_of_a_single_unit_has_golden_bytes)
{
	static const uint8_t golden[PRM_BSF_SIZE] = {
		0x81, 0x03, 0x00, 0x00, RAW, 0x02, ZERO_7, TWEAK,
		0x00, 0x11, 0x22, 0x33, 0, 0, 0, 0, KEYTAG,
	};
	struct rte_umr_crypto crypto = good;
	uint8_t bsf[PRM_BSF_SIZE] __rte_aligned(8);

	crypto.encrypt_on_tx = false;
	crypto.data_unit_size = 520;
	bsf_build(bsf, &single, &crypto, false);
	assert_memory_equal(bsf, golden, sizeof(bsf));
}

CASE(each_order_and_each_unit_has_its_code)
{
	static const struct {
		uint16_t size;
		uint8_t code;
	} units[] = { { 512, 1 }, { 520, 2 }, { 4096, 3 }, { 4160, 4 }, { 4048, 6 } };
	/* By encrypt_on_tx and order. */
	static const uint8_t orders[2][2] = { { 1, 3 }, { 2, 0 } };
	struct rte_umr_crypto crypto = good;
	uint8_t bsf[PRM_BSF_SIZE] __rte_aligned(8);

	for (unsigned int u = 0; u < RTE_DIM(units); u++) {
		for (unsigned int tx = 0; tx < 2; tx++) {
			for (unsigned int order = 0; order < 2; order++) {
				crypto.data_unit_size = units[u].size;
				crypto.encrypt_on_tx = tx != 0;
				crypto.order = order;
				bsf_build(bsf, &multi, &crypto, false);
				assert_int_equal(bsf[8], units[u].code);
				assert_int_equal(bsf[1], orders[tx][order]);
			}
		}
	}
}

static int
check(const struct mlx5_umr_crypto_caps *caps, const struct rte_umr_crypto *crypto)
{
	char why[128] = "";
	int ret = mlx5_umr_crypto_check(caps, 3, crypto, why, sizeof(why));

	assert_true((ret != 0) == (why[0] != '\0'));
	return ret;
}

CASE(what_a_device_cannot_do_is_rejected)
{
	struct rte_umr_crypto bad[] = { good, good, good, good, good, good, good }, crypto = good;
	struct rte_umr_dek bad_dek = dek;

	assert_int_equal(check(&multi, &good), 0);
	bad[0].standard = 1;
	bad[1].order = 2;
	bad[2].reserved = 1;
	bad[3].reserved2 = 1;
	bad[4].reserved3 = 1;
	bad[5].data_unit_size = 1024;
	bad[6].dek = NULL;
	for (size_t i = 0; i < RTE_DIM(bad); i++)
		if (check(&multi, &bad[i]) != -EINVAL)
			fail_msg("bad[%zu]", i);
	crypto.data_unit_size = 4048;
	assert_int_equal(check(&multi, &crypto), 0);
	assert_int_equal(check(&single, &crypto), -ENOTSUP);
	crypto = good;
	crypto.dek = &bad_dek;
	bad_dek.dev_id = 4;
	assert_int_equal(check(&multi, &crypto), -EXDEV);
	bad_dek.dev_id = 3;
	bad_dek.state = RTE_UMR_DEK_ERROR;
	assert_int_equal(check(&multi, &crypto), -EKEYREJECTED);
}

/* Raw order between two signatures is rejected; a transaction has two orders. */
CASE(orders_depend_on_the_signature)
{
	const struct rte_umr_sig_domain crc = { .type = RTE_UMR_SIG_CRC32, .block_size = 512 };
	const struct rte_umr_sig_domain trans = {
		.type = RTE_UMR_SIG_CRC32C, .flags = RTE_UMR_SIG_DOMAIN_F_TRANSACTION,
	};
	const struct rte_umr_sig both = { .mem = crc, .wire = crc };
	const struct rte_umr_sig mem = { .mem = crc }, wire = { .wire = crc };
	const struct rte_umr_sig trans_mem = { .mem = trans }, trans_wire = { .wire = trans };
	const struct {
		const struct rte_umr_sig *sig;
		/* Of WIRE_SIGNATURE, MEMORY_SIGNATURE, RAW_WIRE, RAW_MEMORY. */
		int ret[4];
	} sigs[] = {
		{ NULL, { 0, 0, 0, 0 } }, { &mem, { 0, 0, 0, 0 } }, { &wire, { 0, 0, 0, 0 } },
		{ &both, { 0, 0, -EINVAL, -EINVAL } },
		{ &trans_wire, { -ENOTSUP, -ENOTSUP, 0, -ENOTSUP } },
		{ &trans_mem, { -ENOTSUP, -ENOTSUP, -ENOTSUP, 0 } },
	};
	char why[128] = "";

	static_assert(PRM_BSF_ENC_WIRE_SIGNATURE == 0 && PRM_BSF_ENC_RAW_MEMORY == 3, "columns");
	for (size_t i = 0; i < RTE_DIM(sigs); i++)
		for (unsigned int order = 0; order < 4; order++)
			if (mlx5_umr_crypto_sig_check(order, sigs[i].sig, why, sizeof(why)) !=
			    sigs[i].ret[order])
				fail_msg("signature %zu, order %u", i, order);
}

static int
len_check(const struct mlx5_umr_crypto_caps *caps, uint16_t unit_size,
	  enum prm_bsf_enc_order order, const struct rte_umr_sig *sig, uint64_t len)
{
	char why[128] = "";
	int ret = mlx5_umr_crypto_len_check(caps, unit_size, order, sig, len, why, sizeof(why));

	assert_true((ret != 0) == (why[0] != '\0'));
	return ret;
}

CASE(length_has_the_limit_of_the_device)
{
	const enum prm_bsf_enc_order order = PRM_BSF_ENC_RAW_WIRE;

	assert_int_equal(len_check(&single, 520, order, NULL, 520), 0);
	assert_int_equal(len_check(&single, 520, order, NULL, 521), -ERANGE);
	assert_int_equal(len_check(&multi, 512, order, NULL, UINT32_MAX), 0);
	assert_int_equal(len_check(&multi, 512, order, NULL, UINT64_C(1) << 32), -ERANGE);
}

/*
 * The forms of mlx5dv_wr_set_mkey_crypto(3), one data unit of blocks of 512 bytes with T10-DIF:
 * only what is between the parentheses of enc() counts.
 */
CASE(only_what_passes_the_cipher_counts)
{
	const struct rte_umr_sig_domain dif = {
		.type = RTE_UMR_SIG_T10DIF_CRC, .block_size = 512,
	};
	const struct rte_umr_sig mem = { .mem = dif }, wire = { .wire = dif };
	const struct rte_umr_sig both = { .mem = dif, .wire = dif };
	const struct rte_umr_sig_domain crc = {
		.type = RTE_UMR_SIG_CRC32C, .flags = RTE_UMR_SIG_DOMAIN_F_TRANSACTION,
	};
	const struct rte_umr_sig trans_mem = { .mem = crc }, trans_wire = { .wire = crc };
	const struct {
		const struct rte_umr_sig *sig;
		enum prm_bsf_enc_order order;
		uint16_t unit_size;
		uint32_t len;		/* the longest key */
		uint32_t pass;		/* what passes of it */
	} forms[] = {
		{ NULL, PRM_BSF_ENC_RAW_WIRE, 512, 512, 512 },		/* A */
		{ &wire, PRM_BSF_ENC_RAW_WIRE, 512, 512, 512 },		/* B */
		{ &wire, PRM_BSF_ENC_WIRE_SIGNATURE, 520, 512, 520 },	/* C */
		{ &wire, PRM_BSF_ENC_WIRE_SIGNATURE, 512, 511, 511 },
		{ &mem, PRM_BSF_ENC_WIRE_SIGNATURE, 512, 520, 512 },	/* D */
		{ &both, PRM_BSF_ENC_WIRE_SIGNATURE, 520, 520, 520 },	/* E */
		{ &wire, PRM_BSF_ENC_MEMORY_SIGNATURE, 512, 512, 512 },	/* G */
		{ &mem, PRM_BSF_ENC_MEMORY_SIGNATURE, 520, 520, 520 },	/* H */
		{ &both, PRM_BSF_ENC_MEMORY_SIGNATURE, 520, 520, 520 },	/* I */
		{ &mem, PRM_BSF_ENC_RAW_MEMORY, 512, 520, 512 },	/* J */
		{ &mem, PRM_BSF_ENC_RAW_MEMORY, 4096, 8 * 520, 4096 },
		{ &mem, PRM_BSF_ENC_RAW_MEMORY, 520, 528, 520 },
		/* The same with one CRC32C over all the data. */
		{ &trans_wire, PRM_BSF_ENC_RAW_WIRE, 4096, 4096, 4096 },
		{ &trans_mem, PRM_BSF_ENC_RAW_MEMORY, 4096, 4100, 4096 },
	};

	for (unsigned int i = 0; i < RTE_DIM(forms); i++) {
		assert_int_equal(mlx5_umr_crypto_len_max(&single, forms[i].unit_size,
							 forms[i].order, forms[i].sig),
				 forms[i].len);
		assert_int_equal(mlx5_umr_crypto_pass_len(forms[i].order, forms[i].sig,
							  forms[i].len), forms[i].pass);
		assert_int_equal(len_check(&single, forms[i].unit_size, forms[i].order,
					   forms[i].sig, forms[i].len), 0);
		assert_int_equal(len_check(&single, forms[i].unit_size, forms[i].order,
					   forms[i].sig, forms[i].len + 1), -ERANGE);
	}
}

/* The limit is where the bytes that pass exceed a data unit, whatever is signed. */
CASE(longest_key_is_the_last_one_that_fits)
{
	static const uint16_t sizes[] = { 512, 520, 4048, 4096, 4160 };
	struct rte_umr_sig sig = { 0 };
	unsigned int what, unit, order;
	uint32_t len, len_max;

	for (what = 0; what < 6 * 6 * RTE_DIM(sizes) * RTE_DIM(sizes); what++) {
		sig.mem.type = what % 6;
		sig.wire.type = what / 6 % 6;
		sig.mem.block_size = sizes[what / 36 % RTE_DIM(sizes)];
		sig.wire.block_size = sizes[what / 36 / RTE_DIM(sizes)];
		unit = sizes[what % RTE_DIM(sizes)];
		order = what % 4;
		len_max = mlx5_umr_crypto_len_max(&single, (uint16_t)unit, order, &sig);
		for (len = unit / 2; len < 2 * unit; len++)
			assert_int_equal(mlx5_umr_crypto_pass_len(order, &sig, len) <= unit,
					 len <= len_max);
	}
}
