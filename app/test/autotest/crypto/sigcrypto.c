/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Keys that sign and encrypt: what passes the cipher, and what takes room. */

#include <string.h>

#include "crypto/crypto.h"
#include "model/xts_ref.h"

/* Open the first device for keys with both; skip where it lacks one. */
static int
signed_bed_open(struct crypto_bed *bed, struct at_env *env)
{
	TEST_NEED(crypto_bed_build(bed, env, RTE_UMR_CAPA_MKEY_SIG, &(struct at_conf){
		.mkey_flags = RTE_UMR_MKEY_POOL_F_CRYPTO | RTE_UMR_MKEY_POOL_F_SIG,
	}));
	bed->mkey = AT_KEY(env->tx);
	return TEST_SUCCESS;
}

/* The key goes to its pool and comes back, as to a new owner. */
static int
key_give_and_take(struct rte_umr_mkey_pool *pool, struct rte_umr_mkey *mkey)
{
	struct rte_umr_mkey *others[64], *got;
	uint32_t nb = 0;

	rte_umr_mkey_put(pool, mkey);
	while ((got = rte_umr_mkey_get(pool)) != mkey) {
		TEST_ASSERT(got != NULL && nb < RTE_DIM(others));
		others[nb++] = got;
	}
	while (nb != 0)
		rte_umr_mkey_put(pool, others[--nb]);
	return TEST_SUCCESS;
}

/*
 * The configuration of a new owner takes the encryption of the last one away. If it is flushed, the
 * next one does: nobody finds the DEK of somebody else.
 */
AT_CASE(sigcrypto, flushed_configuration_leaves_no_encryption)
{
	struct rte_umr_completion done[2];
	struct rte_umr_mkey_attr attr;
	struct crypto_bed bed;

	TEST_NEED(signed_bed_open(&bed, env));
	/* Of a key with places for both the device tells these. */
	TEST_ASSERT_SUCCESS(rte_umr_mkey_query(bed.mkey, &attr));
	TEST_ASSERT(attr.is_free && attr.has_crypto && attr.has_signature);
	const struct rte_umr_crypto crypto = crypto_of(bed.dek, 512, true);
	TEST_ASSERT_SUCCESS(crypto_write_ends_with(&bed, &crypto, 512, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT_SUCCESS(key_give_and_take(env->tx->pool, bed.mkey));
	TEST_ACCEPT(crypto_key_write(&bed, 47, CIPHER));
	TEST_ACCEPT(crypto_key_configure(&bed, NULL, PLAIN, 512, 1));
	TEST_ASSERT_SUCCESS(rte_umr_submit(bed.dev_id, 0));
	TEST_ASSERT_EQUAL(at_collect(bed.dev_id, 0, done, 2), 2);
	TEST_ASSERT_EQUAL(done[0].status, RTE_UMR_STATUS_LOCAL_PROT);
	TEST_ASSERT_EQUAL(done[1].status, RTE_UMR_STATUS_FLUSHED);
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(bed.dev_id, 0));
	TEST_ASSERT_SUCCESS(crypto_write_ends_with(&bed, NULL, 512, RTE_UMR_STATUS_LOCAL_PROT));
	TEST_ASSERT_SUCCESS(rte_umr_dek_destroy(bed.dek));
	return rte_umr_crypto_login_destroy(bed.login);
}

/* One segment of memory with a signature and an encryption, all at once. */
static int
signed_configure(const struct crypto_bed *bed, const struct rte_umr_sig *sig,
		 const struct rte_umr_crypto *crypto, uint32_t place, uint32_t len)
{
	const struct rte_umr_seg seg = at_seg(bed->env->tx, place, len);
	const struct rte_umr_mkey_op conf = {
		.setters = RTE_UMR_MKEY_SET_ACCESS | RTE_UMR_MKEY_SET_LAYOUT |
			   RTE_UMR_MKEY_SET_SIG | RTE_UMR_MKEY_SET_CRYPTO,
		.access = CRYPTO_ACCESS,
		.nb_entries = 1,
		.segs = &seg,
		.sig = sig,
		.crypto = crypto,
	};

	return at_mkey_configure(bed->dev_id, 0, bed->mkey, &conf, 0);
}

/* Data with their CRC in memory, ciphertext on the wire: a bad CRC is told, and data move. */
AT_CASE(sigcrypto, signature_of_what_is_encrypted_is_checked)
{
	const struct rte_umr_sig sig = {
		.mem = { .type = RTE_UMR_SIG_CRC32C, .block_size = 512 },
		.check_mask = RTE_UMR_SIG_MASK_CRC32,
	};
	struct rte_umr_mkey_error error;
	struct rte_umr_crypto crypto;
	struct crypto_bed bed;
	uint8_t want[512];

	TEST_NEED(signed_bed_open(&bed, env));
	crypto = crypto_of(bed.dek, 512, true);
	crypto.order = RTE_UMR_CRYPTO_SIG_BEFORE;
	TEST_ASSERT(xts_ref_crypt(bed.key, KEY_LEN, crypto.tweak, crypto.data_unit_size,
				  env->tx->buf + PLAIN, want, 512, true));
	TEST_ACCEPT(signed_configure(&bed, &sig, &crypto, PLAIN, 516));
	TEST_ACCEPT(crypto_key_write(&bed, 512, CIPHER));
	TEST_ASSERT_SUCCESS(at_finish(env, 2));
	TEST_ASSERT_SAME(env->tx->buf + CIPHER, want, 512);
	TEST_ASSERT_SUCCESS(rte_umr_mkey_check(bed.mkey, &error));
	TEST_ASSERT_EQUAL(error.type, RTE_UMR_MKEY_ERROR_GUARD);
	TEST_ASSERT(!error.is_wire);
	TEST_ASSERT_SUCCESS(rte_umr_mkey_check(bed.mkey, &error));
	TEST_ASSERT_EQUAL(error.type, RTE_UMR_MKEY_ERROR_NONE);
	TEST_ASSERT_SUCCESS(rte_umr_dek_destroy(bed.dek));
	return rte_umr_crypto_login_destroy(bed.login);
}

/*
 * Through a key with T10-DIF in memory that does not pass the cipher: plain data from PLAIN are
 * read into memory, where they get their signature, and written from there to BACK. What memory
 * holds at CIPHER is data+sig or enc(data)+sig; the wire has the other one of plain and encrypted.
 */
static int
signed_round_trip(struct crypto_bed *bed, uint16_t unit, uint16_t block, bool encrypt_on_tx)
{
	const struct rte_umr_sig sig = {
		.mem = { .type = RTE_UMR_SIG_T10DIF_CRC, .block_size = block },
		.check_mask = RTE_UMR_SIG_MASK_T10DIF,
	};
	struct rte_umr_crypto crypto = crypto_of(bed->dek, unit, encrypt_on_tx);
	const struct at_side *side = bed->env->tx;
	uint8_t *buf = side->buf, want[4160];
	uint32_t len = unit / block * (block + 8u), i;
	struct rte_umr_mkey_error error;

	crypto.order = RTE_UMR_CRYPTO_SIG_BEFORE;
	TEST_ACCEPT(signed_configure(bed, &sig, &crypto, CIPHER, len));
	const struct rte_umr_seg local = at_key_seg(bed->mkey, 0, unit);
	TEST_ACCEPT(rte_umr_read(bed->dev_id, 0, &local, at_addr(side, PLAIN), side->mr->rkey,
				 RTE_UMR_OP_F_FENCE));
	TEST_ACCEPT(rte_umr_write(bed->dev_id, 0, &local, at_addr(side, BACK), side->mr->rkey,
				  RTE_UMR_OP_F_FENCE));
	TEST_ASSERT_SUCCESS(at_finish(bed->env, 3));
	TEST_ASSERT_SAME(buf + BACK, buf + PLAIN, unit);
	TEST_ASSERT_SUCCESS(rte_umr_mkey_check(bed->mkey, &error));
	TEST_ASSERT_EQUAL(error.type, RTE_UMR_MKEY_ERROR_NONE);
	/* The wire had PLAIN; memory has it decrypted or encrypted. */
	TEST_ASSERT(xts_ref_crypt(bed->key, KEY_LEN, crypto.tweak, unit, buf + PLAIN, want, unit,
				  !encrypt_on_tx));
	for (i = 0; i < unit / block; i++)
		TEST_ASSERT_SAME(buf + CIPHER + i * (block + 8u), want + i * block, block);
	/* A byte more would be another data unit. */
	if (!bed->is_multi)
		TEST_ASSERT_EQUAL(signed_configure(bed, &sig, &crypto, CIPHER, len + 1), -ERANGE);
	return TEST_SUCCESS;
}

/* data+sig | enc(data) and enc(data)+sig | data: a data unit, although memory is longer. */
AT_CASE(sigcrypto, signature_that_is_not_encrypted_takes_no_room)
{
	struct crypto_bed bed;

	TEST_NEED(signed_bed_open(&bed, env));
	TEST_ASSERT_SUCCESS(signed_round_trip(&bed, 512, 512, true));
	TEST_ASSERT_SUCCESS(signed_round_trip(&bed, 512, 512, false));
	TEST_ASSERT_SUCCESS(signed_round_trip(&bed, 520, 520, true));
	TEST_ASSERT_SUCCESS(signed_round_trip(&bed, 4096, 512, true));
	TEST_ASSERT_SUCCESS(signed_round_trip(&bed, 4096, 512, false));
	TEST_ASSERT_SUCCESS(rte_umr_dek_destroy(bed.dek));
	return rte_umr_crypto_login_destroy(bed.login);
}

/* data | enc(data+sig): a signature that passes the cipher does take room. */
AT_CASE(sigcrypto, signature_that_is_encrypted_takes_room)
{
	const struct rte_umr_sig sig = {
		.wire = { .type = RTE_UMR_SIG_T10DIF_CRC, .block_size = 512 },
		.check_mask = RTE_UMR_SIG_MASK_T10DIF,
	};
	struct rte_umr_crypto crypto;
	struct crypto_bed bed;

	TEST_NEED(signed_bed_open(&bed, env));
	crypto = crypto_of(bed.dek, 512, true);
	crypto.order = RTE_UMR_CRYPTO_SIG_BEFORE;
	if (!bed.is_multi)
		TEST_ASSERT_EQUAL(signed_configure(&bed, &sig, &crypto, PLAIN, 512), -ERANGE);
	crypto.data_unit_size = 520;
	TEST_ACCEPT(signed_configure(&bed, &sig, &crypto, PLAIN, 512));
	TEST_ACCEPT(crypto_key_write(&bed, 520, CIPHER));
	TEST_ASSERT_SUCCESS(at_finish(env, 2));
	TEST_ASSERT_SUCCESS(rte_umr_dek_destroy(bed.dek));
	return rte_umr_crypto_login_destroy(bed.login);
}
