/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Crypto builder: bytes typed by hand from the layout in mlx5_prm_sig.h; what is refused.
 */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mlx5_umr_crypto.h"

#define RAW	0xff, 0xff, 0xff, 0xff
#define ZERO_7	0, 0, 0, 0, 0, 0, 0
#define ZERO_16	0, ZERO_7, 0, ZERO_7

static const struct mlx5_umr_crypto_caps multi = {
	.has_xts = true, .has_multi_block = true, .has_block_4048 = true,
};
static const struct mlx5_umr_crypto_caps single = { .has_xts = true };

static const struct rte_umr_dek dek = { .id = 0x112233, .dev_id = 3 };

static const struct rte_umr_crypto good = {
	.dek = &dek,
	.order = RTE_UMR_CRYPTO_SIG_BEFORE,
	.encrypt_on_tx = true,
	.data_unit_size = 4096,
	.tweak = { 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,
		   0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f },
	.keytag = { 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7 },
};

static void
check_bsf(const struct mlx5_umr_crypto_caps *caps, const struct rte_umr_crypto *crypto,
	  bool has_sig, const uint8_t *golden)
{
	uint8_t bsf[PRM_BSF_SIZE] __rte_aligned(8);
	struct mlx5_umr_crypto_bsf words;

	memset(bsf, 0xa5, sizeof(bsf));
	words = mlx5_umr_crypto_bsf_make(caps, crypto, has_sig);
	mlx5_umr_crypto_bsf_store(bsf, &words);
	assert_memory_equal(bsf, golden, sizeof(bsf));
}

static void
encrypted_wire_behind_a_signature_has_golden_bytes(void **state)
{
	static const uint8_t golden[] = {
		0xc1, 0x00, 0x00, 0x00, RAW, 0x03, ZERO_7,
		0x0f, 0x0e, 0x0d, 0x0c, 0x0b, 0x0a, 0x09, 0x08,
		0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01, 0x00,
		0x00, 0x11, 0x22, 0x33, 0, 0, 0, 0,
		0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, ZERO_16,
	};

	(void)state;
	assert_int_equal(sizeof(golden), PRM_BSF_SIZE);
	check_bsf(&multi, &good, true, golden);
}

static void
encrypted_memory_of_a_single_unit_has_golden_bytes(void **state)
{
	static const uint8_t golden[] = {
		0x81, 0x03, 0x00, 0x00, RAW, 0x02, ZERO_7,
		0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,
		0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f,
		0x00, 0x11, 0x22, 0x33, 0, 0, 0, 0,
		0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, ZERO_16,
	};
	struct rte_umr_crypto crypto = good;

	(void)state;
	crypto.encrypt_on_tx = false;
	crypto.data_unit_size = 520;
	check_bsf(&single, &crypto, false, golden);
}

static void
each_order_and_each_unit_has_its_code(void **state)
{
	static const struct {
		uint16_t size;
		uint8_t code;
	} units[] = { { 512, 1 }, { 520, 2 }, { 4096, 3 }, { 4160, 4 }, { 4048, 6 } };
	/* By encrypt_on_tx and order. */
	static const uint8_t orders[2][2] = { { 1, 3 }, { 2, 0 } };
	struct rte_umr_crypto crypto = good;
	uint8_t bsf[PRM_BSF_SIZE] __rte_aligned(8);
	struct mlx5_umr_crypto_bsf words;
	unsigned int u, tx, order;

	(void)state;
	for (u = 0; u < RTE_DIM(units); u++) {
		for (tx = 0; tx < 2; tx++) {
			for (order = 0; order < 2; order++) {
				crypto.data_unit_size = units[u].size;
				crypto.encrypt_on_tx = tx != 0;
				crypto.order = order;
				words = mlx5_umr_crypto_bsf_make(&multi, &crypto, false);
				mlx5_umr_crypto_bsf_store(bsf, &words);
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

static void
what_a_device_cannot_do_is_refused(void **state)
{
	struct rte_umr_dek bad_dek = dek;
	struct rte_umr_crypto crypto = good;

	(void)state;
	assert_int_equal(check(&multi, &good), 0);
	crypto.standard = (enum rte_umr_crypto_standard)1;
	assert_int_equal(check(&multi, &crypto), -EINVAL);
	crypto = good;
	crypto.order = (enum rte_umr_crypto_order)2;
	assert_int_equal(check(&multi, &crypto), -EINVAL);
	crypto = good;
	crypto.reserved = 1;
	assert_int_equal(check(&multi, &crypto), -EINVAL);
	crypto = good;
	crypto.reserved2 = 1;
	assert_int_equal(check(&multi, &crypto), -EINVAL);
	crypto = good;
	crypto.data_unit_size = 1024;
	assert_int_equal(check(&multi, &crypto), -EINVAL);
	crypto.data_unit_size = 4048;
	assert_int_equal(check(&multi, &crypto), 0);
	assert_int_equal(check(&single, &crypto), -ENOTSUP);
	crypto = good;
	crypto.dek = NULL;
	assert_int_equal(check(&multi, &crypto), -EINVAL);
	crypto.dek = &bad_dek;
	bad_dek.dev_id = 4;
	assert_int_equal(check(&multi, &crypto), -EXDEV);
	bad_dek.dev_id = 3;
	bad_dek.state = RTE_UMR_DEK_ERROR;
	assert_int_equal(check(&multi, &crypto), -EKEYREJECTED);
}

static void
raw_order_between_two_signatures_is_refused(void **state)
{
	const struct rte_umr_sig_domain crc = {
		.type = RTE_UMR_SIG_CRC32, .block_size = 512,
	};
	const struct rte_umr_sig both = { .mem = crc, .wire = crc };
	const struct rte_umr_sig mem = { .mem = crc }, wire = { .wire = crc };
	unsigned int order;
	char why[128] = "";

	(void)state;
	for (order = PRM_BSF_ENC_WIRE_SIGNATURE; order <= PRM_BSF_ENC_RAW_MEMORY; order++) {
		assert_int_equal(mlx5_umr_crypto_sig_check(order, NULL, why, sizeof(why)), 0);
		assert_int_equal(mlx5_umr_crypto_sig_check(order, &mem, why, sizeof(why)), 0);
		assert_int_equal(mlx5_umr_crypto_sig_check(order, &wire, why, sizeof(why)), 0);
		assert_int_equal(mlx5_umr_crypto_sig_check(order, &both, why, sizeof(why)),
				 order >= PRM_BSF_ENC_RAW_WIRE ? -EINVAL : 0);
	}
}

static void
length_has_the_limit_of_the_device(void **state)
{
	char why[128] = "";

	(void)state;
	assert_int_equal(mlx5_umr_crypto_len_check(&single, 520, 520, why, sizeof(why)), 0);
	assert_int_equal(mlx5_umr_crypto_len_check(&single, 520, 521, why, sizeof(why)), -ERANGE);
	assert_int_equal(mlx5_umr_crypto_len_check(&multi, 512, UINT32_MAX, why, sizeof(why)), 0);
	assert_int_equal(mlx5_umr_crypto_len_check(&multi, 512, UINT64_C(1) << 32, why,
						   sizeof(why)), -ERANGE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(encrypted_wire_behind_a_signature_has_golden_bytes),
		cmocka_unit_test(encrypted_memory_of_a_single_unit_has_golden_bytes),
		cmocka_unit_test(each_order_and_each_unit_has_its_code),
		cmocka_unit_test(what_a_device_cannot_do_is_refused),
		cmocka_unit_test(raw_order_between_two_signatures_is_refused),
		cmocka_unit_test(length_has_the_limit_of_the_device),
	};

	return cmocka_run_group_tests_name("mlx5_umr_crypto", tests, NULL, NULL);
}
