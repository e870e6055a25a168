/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Keys that encrypt: what passes is what OpenSSL says; what does not fit is rejected or fails. */

#include <stdlib.h>
#include <string.h>

#include "crypto/crypto.h"
#include "model/xts_ref.h"

/* Encrypt from PLAIN to CIPHER and decrypt from there to BACK, in that many pieces. */
static int
round_trip(struct crypto_bed *bed, uint16_t unit, uint32_t len, uint32_t nb_segs)
{
	const struct rte_umr_crypto enc = crypto_of(bed->dek, unit, true);
	const struct rte_umr_crypto dec = crypto_of(bed->dek, unit, false);
	uint8_t *buf = bed->env->tx->buf;
	uint8_t want[0x8000];

	TEST_ASSERT(len <= sizeof(want));
	TEST_ASSERT(xts_ref_crypt(bed->key, KEY_LEN, enc.tweak, unit, buf + PLAIN, want, len,
				  true));
	TEST_ACCEPT(crypto_key_configure(bed, &enc, PLAIN, len, nb_segs));
	TEST_ACCEPT(crypto_key_write(bed, len, CIPHER));
	TEST_ASSERT_SUCCESS(at_finish(bed->env, 2));
	TEST_ASSERT_SAME(buf + CIPHER, want, len);
	TEST_ACCEPT(crypto_key_configure(bed, &dec, CIPHER, len, nb_segs));
	TEST_ACCEPT(crypto_key_write(bed, len, BACK));
	TEST_ASSERT_SUCCESS(at_finish(bed->env, 2));
	TEST_ASSERT_SAME(buf + BACK, buf + PLAIN, len);
	return TEST_SUCCESS;
}

AT_CASE(crypto, data_are_encrypted_and_decrypted_as_openssl_does)
{
	static const uint16_t units[] = { 512, 520, 4048, 4096, 4160 };
	struct crypto_bed bed;

	TEST_NEED(crypto_bed_open(&bed, env));
	const uint32_t nb_units = bed.is_multi ? 5 : 1;
	for (uint32_t i = 0; i < RTE_DIM(units); i++) {
		if ((bed.info.crypto_unit_sizes & RTE_BIT32(i)) == 0)
			continue;
		TEST_ASSERT_SUCCESS(round_trip(&bed, units[i], units[i] * nb_units, 1));
		TEST_ASSERT_SUCCESS(round_trip(&bed, units[i], 48, 3));
	}
	return crypto_bed_close(&bed);
}

/* 64 entries and a BSF are more than a WQE holds: two of them, one operation. */
AT_CASE(crypto, long_lists_are_encrypted)
{
	struct crypto_bed bed;

	TEST_NEED(crypto_bed_open(&bed, env));
	TEST_ASSERT_SUCCESS(round_trip(&bed, 4096, 4096, 48));
	TEST_ASSERT_SUCCESS(round_trip(&bed, 4096, 4096, 49));
	TEST_ASSERT_SUCCESS(round_trip(&bed, 4096, 4096, 64));
	return crypto_bed_close(&bed);
}

/* What is decrypted like that must not be the plaintext. */
static int
decrypts_to_other_bytes(struct crypto_bed *bed, const struct rte_umr_crypto *crypto)
{
	const struct rte_umr_crypto enc = crypto_of(bed->dek, 512, true);
	uint8_t *buf = bed->env->tx->buf;

	TEST_ACCEPT(crypto_key_configure(bed, &enc, PLAIN, 512, 1));
	TEST_ACCEPT(crypto_key_write(bed, 512, CIPHER));
	TEST_ACCEPT(crypto_key_configure(bed, crypto, CIPHER, 512, 1));
	TEST_ACCEPT(crypto_key_write(bed, 512, BACK));
	TEST_ASSERT_SUCCESS(at_finish(bed->env, 4));
	TEST_ACCEPT(at_first_difference(buf + CIPHER, buf + PLAIN, 512));
	TEST_ACCEPT(at_first_difference(buf + BACK, buf + PLAIN, 512));
	return TEST_SUCCESS;
}

AT_CASE(crypto, wrong_key_or_tweak_gives_other_bytes)
{
	struct rte_umr_crypto crypto;
	uint8_t key[KEY_LEN];
	struct crypto_bed bed;

	TEST_NEED(crypto_bed_open(&bed, env));
	crypto = crypto_of(bed.dek, 512, false);
	crypto.tweak[15] ^= 0x80;
	TEST_ASSERT_SUCCESS(decrypts_to_other_bytes(&bed, &crypto));
	crypto = crypto_of(bed.dek, 512, true);
	TEST_ASSERT_SUCCESS(decrypts_to_other_bytes(&bed, &crypto));
	memcpy(key, bed.key, sizeof(key));
	key[KEY_LEN - 1] ^= 1;
	struct rte_umr_dek *const other = TEST_NOT_NULL(crypto_dek_create(&bed, key, true, NULL));
	crypto = crypto_of(other, 512, false);
	TEST_ASSERT_SUCCESS(decrypts_to_other_bytes(&bed, &crypto));
	TEST_ASSERT_SUCCESS(round_trip(&bed, 512, 512, 1));
	TEST_ASSERT_SUCCESS(rte_umr_dek_destroy(other));
	return crypto_bed_close(&bed);
}

AT_CASE(crypto, transfer_fails_without_the_right_dek)
{
	struct rte_umr_crypto crypto;
	struct rte_umr_dek *other;
	struct crypto_bed bed;

	TEST_NEED(crypto_bed_open(&bed, env));
	crypto = crypto_of(bed.dek, 512, true);
	crypto.keytag[0] ^= 1;
	TEST_ASSERT_SUCCESS(crypto_write_ends_with(&bed, &crypto, 512, RTE_UMR_STATUS_LOCAL_PROT));
	/* A DEK without a crypto_tag does not look at it. */
	other = TEST_NOT_NULL(crypto_dek_create(&bed, bed.key, false, NULL));
	crypto.dek = other;
	TEST_ASSERT_SUCCESS(crypto_write_ends_with(&bed, &crypto, 512, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT_SUCCESS(rte_umr_dek_destroy(other));
	TEST_ACCEPT(crypto_key_write(&bed, 512, CIPHER));
	TEST_ASSERT_SUCCESS(at_finish_status(env, 1, RTE_UMR_STATUS_LOCAL_PROT));
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(bed.dev_id, 0));
	struct rte_umr_pd *const pd = TEST_NOT_NULL(rte_umr_pd_alloc(bed.dev_id));
	other = TEST_NOT_NULL(crypto_dek_create(&bed, bed.key, true, pd));
	TEST_ASSERT_EQUAL(rte_umr_pd_free(pd), -EBUSY);
	crypto = crypto_of(other, 512, true);
	TEST_ASSERT_SUCCESS(crypto_write_ends_with(&bed, &crypto, 512, RTE_UMR_STATUS_LOCAL_PROT));
	TEST_ASSERT_SUCCESS(rte_umr_dek_destroy(other));
	TEST_ASSERT_SUCCESS(rte_umr_pd_free(pd));
	return crypto_bed_close(&bed);
}

AT_CASE(crypto, transfer_fails_unless_it_is_data_units)
{
	struct rte_umr_crypto crypto;
	struct crypto_bed bed;

	TEST_NEED(crypto_bed_open(&bed, env));
	crypto = crypto_of(bed.dek, 512, true);
	TEST_ASSERT_SUCCESS(crypto_write_ends_with(&bed, &crypto, 47, RTE_UMR_STATUS_LOCAL_PROT));
	TEST_ASSERT_SUCCESS(crypto_write_ends_with(&bed, &crypto, 128, RTE_UMR_STATUS_SUCCESS));
	crypto = crypto_of(bed.dek, 520, true);
	TEST_ASSERT_SUCCESS(crypto_write_ends_with(&bed, &crypto, 496, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT_SUCCESS(crypto_write_ends_with(&bed, &crypto, 512, RTE_UMR_STATUS_LOCAL_PROT));
	/* 8 bytes are less than AES can. */
	if (bed.is_multi) {
		TEST_ACCEPT(crypto_key_configure(&bed, &crypto, PLAIN, 1024, 1));
		TEST_ACCEPT(crypto_key_write(&bed, 528, CIPHER));
		TEST_ASSERT_SUCCESS(at_finish_status(env, 2, RTE_UMR_STATUS_LOCAL_PROT));
		TEST_ASSERT_SUCCESS(rte_umr_queue_recover(bed.dev_id, 0));
	}
	return crypto_bed_close(&bed);
}

/* Nothing of an owner before is left in a key that a pool gives out. */
AT_CASE(crypto, new_owner_finds_no_encryption)
{
	struct crypto_bed bed;

	TEST_NEED(crypto_bed_open(&bed, env));
	TEST_ASSERT_SUCCESS(crypto_write_ends_with(&bed, NULL, 512, RTE_UMR_STATUS_LOCAL_PROT));
	const struct rte_umr_crypto crypto = crypto_of(bed.dek, 512, true);
	TEST_ASSERT_SUCCESS(crypto_write_ends_with(&bed, &crypto, 512, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT_SUCCESS(crypto_write_ends_with(&bed, NULL, 512, RTE_UMR_STATUS_SUCCESS));
	rte_umr_mkey_put(bed.pool, bed.mkey);
	bed.mkey = rte_umr_mkey_get(bed.pool);
	TEST_ASSERT(bed.mkey != NULL);
	TEST_ASSERT_SUCCESS(crypto_write_ends_with(&bed, NULL, 512, RTE_UMR_STATUS_LOCAL_PROT));
	return crypto_bed_close(&bed);
}

/* An encryption whose operation was flushed is kept all the same: the next one brings it. */
AT_CASE(crypto, flushed_encryption_is_made_up_for)
{
	struct rte_umr_completion done[3];
	struct rte_umr_crypto old, next;
	uint8_t want[512];
	struct crypto_bed bed;

	TEST_NEED(crypto_bed_open(&bed, env));
	old = crypto_of(bed.dek, 512, true);
	next = old;
	next.tweak[7] = 0x77;
	TEST_ASSERT_SUCCESS(crypto_write_ends_with(&bed, &old, 512, RTE_UMR_STATUS_SUCCESS));
	TEST_ACCEPT(crypto_key_write(&bed, 47, CIPHER));
	TEST_ACCEPT(crypto_key_configure(&bed, &next, PLAIN, 512, 1));
	TEST_ASSERT_SUCCESS(rte_umr_submit(bed.dev_id, 0));
	TEST_ASSERT_EQUAL(at_collect(bed.dev_id, 0, done, 2), 2);
	TEST_ASSERT_EQUAL(done[0].status, RTE_UMR_STATUS_LOCAL_PROT);
	TEST_ASSERT_EQUAL(done[1].status, RTE_UMR_STATUS_FLUSHED);
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(bed.dev_id, 0));
	TEST_ASSERT_SUCCESS(crypto_write_ends_with(&bed, NULL, 512, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT(xts_ref_crypt(bed.key, KEY_LEN, next.tweak, 512, env->tx->buf + PLAIN, want,
				  512, true));
	TEST_ASSERT_SAME(env->tx->buf + CIPHER, want, 512);
	return crypto_bed_close(&bed);
}

AT_CASE(crypto, what_cannot_be_encrypted_is_rejected)
{
	struct rte_umr_crypto crypto;
	struct crypto_bed bed;

	TEST_NEED(crypto_bed_open(&bed, env));
	crypto = crypto_of(bed.dek, 1024, true);
	TEST_ASSERT_EQUAL(crypto_key_configure(&bed, &crypto, PLAIN, 512, 1), -EINVAL);
	crypto = crypto_of(NULL, 512, true);
	TEST_ASSERT_EQUAL(crypto_key_configure(&bed, &crypto, PLAIN, 512, 1), -EINVAL);
	crypto = crypto_of(bed.dek, 512, true);
	if (!bed.is_multi)
		TEST_ASSERT_EQUAL(crypto_key_configure(&bed, &crypto, PLAIN, 528, 1), -ERANGE);
	bed.dek->state = RTE_UMR_DEK_ERROR;
	TEST_ASSERT_EQUAL(crypto_key_configure(&bed, &crypto, PLAIN, 512, 1), -EKEYREJECTED);
	bed.dek->state = RTE_UMR_DEK_READY;
	struct rte_umr_mkey *const plain = AT_KEY(env->tx);
	struct rte_umr_mkey *const keep = bed.mkey;
	bed.mkey = plain;
	TEST_ASSERT_EQUAL(crypto_key_configure(&bed, &crypto, PLAIN, 512, 1), -ENOTSUP);
	bed.mkey = keep;
	/* None of it left a trace. */
	TEST_ASSERT_SUCCESS(round_trip(&bed, 512, 512, 1));
	return crypto_bed_close(&bed);
}

AT_CASE(crypto, pool_needs_the_capability)
{
	AT_BUILD(env, .topology = AT_LOOPBACK);
	const int16_t dev_id = env->tx->dev_id;
	if ((env->tx->info.dev_capa & RTE_UMR_CAPA_MKEY_CRYPTO) == 0) {
		TEST_ASSERT_ERRNO(rte_umr_mkey_pool_create(dev_id, &crypto_pool), ENOTSUP);
		return TEST_SUCCESS;
	}
	return rte_umr_mkey_pool_destroy(TEST_NOT_NULL(rte_umr_mkey_pool_create(dev_id,
										&crypto_pool)));
}
