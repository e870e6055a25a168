/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Keys that encrypt: what passes is what OpenSSL says; what does not fit is refused or fails. */

#include <stdlib.h>
#include <string.h>

#include <rte_errno.h>

#include "autotest.h"
#include "env.h"
#include "model/xts_ref.h"

#define KEY_LEN	64u
#define PLAIN	0u		/* places in the memory of a side */
#define CIPHER	0x8000u
#define BACK	0x10000u
#define ALL	(RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_READ | \
		 RTE_UMR_ACCESS_REMOTE_WRITE)

static const uint8_t tag[RTE_UMR_KEYTAG_LEN] = "key-tag";

static const struct rte_umr_mkey_pool_conf crypto_pool = {
	.nb_mkeys = 1,
	.max_entries = 64,
	.socket_id = -1,
	.flags = RTE_UMR_MKEY_POOL_F_CRYPTO,
};

/* What a case works on; freed by bed_close(). */
struct crypto_bed {
	struct at_env *env;
	int16_t dev_id;
	bool is_multi;
	struct rte_umr_dev_info info;
	struct rte_umr_crypto_login *login;
	struct rte_umr_dek *dek;
	struct rte_umr_mkey_pool *pool;
	struct rte_umr_mkey *mkey;
	uint8_t key[KEY_LEN];
};

static void
key_fill(uint8_t *key, uint8_t seed)
{
	uint32_t i;

	for (i = 0; i < KEY_LEN; i++)
		key[i] = (uint8_t)(i * 29 + seed);
}

static struct rte_umr_dek *
dek_create(const struct crypto_bed *bed, const uint8_t *key, bool has_keytag,
	   struct rte_umr_pd *pd)
{
	uint8_t plain[KEY_LEN + RTE_UMR_KEYTAG_LEN], wrapped[RTE_UMR_DEK_KEY_MAX];
	struct rte_umr_dek_conf conf = {
		.key = plain,
		.key_len = KEY_LEN + (has_keytag ? RTE_UMR_KEYTAG_LEN : 0),
		.size = RTE_UMR_DEK_256,
		.has_keytag = has_keytag,
		.login = bed->login,
		.pd = pd,
	};

	memcpy(plain, key, KEY_LEN);
	memcpy(plain + KEY_LEN, tag, sizeof(tag));
	if (bed->login != NULL) {
		if (!xts_ref_wrap(plain, conf.key_len, wrapped))
			return NULL;
		conf.key = wrapped;
		conf.key_len += RTE_UMR_KEY_WRAP_LEN;
	}
	return rte_umr_dek_create(bed->dev_id, &conf);
}

static int
bed_login(struct crypto_bed *bed)
{
	uint8_t credential[RTE_UMR_CREDENTIAL_LEN];
	const struct rte_umr_crypto_login_conf conf = { .credential = credential };

	if ((bed->info.dev_capa & RTE_UMR_CAPA_DEK_WRAPPED) == 0)
		return TEST_SUCCESS;
	if (getenv("SWHCA_LIB") == NULL) {
		printf("needs the credential of the device\n");
		return TEST_SKIPPED;
	}
	TEST_ASSERT(xts_ref_credential(credential));
	bed->login = rte_umr_crypto_login_create(bed->dev_id, &conf);
	TEST_ASSERT(bed->login != NULL);
	return TEST_SUCCESS;
}

static int
bed_open(struct crypto_bed *bed, struct at_env *env)
{
	const struct at_conf conf = { .topology = AT_LOOPBACK };
	int ret = at_env_build(env, &conf);

	if (ret != TEST_SUCCESS)
		return ret;
	*bed = (struct crypto_bed){ .env = env, .dev_id = env->tx->dev_id };
	TEST_ASSERT_SUCCESS(rte_umr_dev_info_get(bed->dev_id, &bed->info));
	if ((bed->info.dev_capa & RTE_UMR_CAPA_MKEY_CRYPTO) == 0) {
		printf("needs a device with crypto\n");
		return TEST_SKIPPED;
	}
	bed->is_multi = (bed->info.dev_capa & RTE_UMR_CAPA_CRYPTO_MULTI_UNIT) != 0;
	ret = bed_login(bed);
	if (ret != TEST_SUCCESS)
		return ret;
	key_fill(bed->key, 1);
	bed->dek = dek_create(bed, bed->key, true, NULL);
	TEST_ASSERT(bed->dek != NULL);
	bed->pool = rte_umr_mkey_pool_create(bed->dev_id, &crypto_pool);
	TEST_ASSERT(bed->pool != NULL);
	bed->mkey = rte_umr_mkey_get(bed->pool);
	TEST_ASSERT(bed->mkey != NULL);
	at_fill(env);
	return TEST_SUCCESS;
}

static int
bed_close(struct crypto_bed *bed)
{
	rte_umr_mkey_put(bed->pool, bed->mkey);
	TEST_ASSERT_SUCCESS(rte_umr_mkey_pool_destroy(bed->pool));
	TEST_ASSERT_SUCCESS(rte_umr_dek_destroy(bed->dek));
	TEST_ASSERT_SUCCESS(rte_umr_crypto_login_destroy(bed->login));
	return TEST_SUCCESS;
}

static struct rte_umr_crypto
crypto_of(const struct rte_umr_dek *dek, uint16_t unit, bool encrypt_on_tx)
{
	struct rte_umr_crypto crypto = {
		.dek = dek,
		.encrypt_on_tx = encrypt_on_tx,
		.data_unit_size = unit,
		.tweak = { 0xfe, 0xff, 0xff },
	};

	memcpy(crypto.keytag, tag, sizeof(tag));
	return crypto;
}

/* Enqueue: len bytes of memory from a place on, in pieces, under the key. */
static int
key_configure(const struct crypto_bed *bed, const struct rte_umr_crypto *crypto, uint32_t place,
	      uint32_t len, uint32_t nb_segs)
{
	struct rte_umr_seg segs[64];
	const struct rte_umr_mkey_op conf = {
		.setters = RTE_UMR_MKEY_SET_ACCESS | RTE_UMR_MKEY_SET_LAYOUT |
			   (crypto != NULL ? RTE_UMR_MKEY_SET_CRYPTO : 0),
		.access = ALL,
		.layout = RTE_UMR_LAYOUT_LIST,
		.nb_entries = nb_segs,
		.segs = segs,
		.crypto = crypto,
	};
	uint32_t i, piece = len / nb_segs;

	for (i = 0; i < nb_segs; i++)
		segs[i] = at_seg(bed->env->tx, place + i * piece,
				 i + 1 < nb_segs ? piece : len - i * piece);
	return at_mkey_configure(bed->dev_id, 0, bed->mkey, &conf, 0);
}

/* Write len bytes through the key to a place. */
static int
key_write(const struct crypto_bed *bed, uint32_t len, uint32_t place)
{
	const struct rte_umr_seg local = at_key_seg(bed->mkey, 0, len);
	const struct at_side *side = bed->env->tx;

	return rte_umr_write(bed->dev_id, 0, &local, at_addr(side, place), side->mr->rkey, 0);
}

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
	TEST_ASSERT(key_configure(bed, &enc, PLAIN, len, nb_segs) >= 0);
	TEST_ASSERT(key_write(bed, len, CIPHER) >= 0);
	TEST_ASSERT_SUCCESS(at_finish(bed->env, 2));
	TEST_ASSERT_EQUAL(at_first_difference(buf + CIPHER, want, len), -1);
	TEST_ASSERT(key_configure(bed, &dec, CIPHER, len, nb_segs) >= 0);
	TEST_ASSERT(key_write(bed, len, BACK) >= 0);
	TEST_ASSERT_SUCCESS(at_finish(bed->env, 2));
	TEST_ASSERT_EQUAL(at_first_difference(buf + BACK, buf + PLAIN, len), -1);
	return TEST_SUCCESS;
}

static int
data_are_encrypted_and_decrypted_as_openssl_does(struct at_env *env)
{
	static const uint16_t units[] = { 512, 520, 4048, 4096, 4160 };
	struct crypto_bed bed;
	uint32_t i, nb_units;
	int ret = bed_open(&bed, env);

	if (ret != TEST_SUCCESS)
		return ret;
	nb_units = bed.is_multi ? 5 : 1;
	for (i = 0; i < RTE_DIM(units); i++) {
		if ((bed.info.crypto_unit_sizes & RTE_BIT32(i)) == 0)
			continue;
		TEST_ASSERT_SUCCESS(round_trip(&bed, units[i], units[i] * nb_units, 1));
		TEST_ASSERT_SUCCESS(round_trip(&bed, units[i], 48, 3));
	}
	return bed_close(&bed);
}

/* 64 entries and a BSF are more than a WQE holds: two of them, one operation. */
static int
long_lists_are_encrypted(struct at_env *env)
{
	struct crypto_bed bed;
	int ret = bed_open(&bed, env);

	if (ret != TEST_SUCCESS)
		return ret;
	TEST_ASSERT_SUCCESS(round_trip(&bed, 4096, 4096, 48));
	TEST_ASSERT_SUCCESS(round_trip(&bed, 4096, 4096, 49));
	TEST_ASSERT_SUCCESS(round_trip(&bed, 4096, 4096, 64));
	return bed_close(&bed);
}

/* What is decrypted like that must not be the plaintext. */
static int
decrypts_to_other_bytes(struct crypto_bed *bed, const struct rte_umr_crypto *crypto)
{
	const struct rte_umr_crypto enc = crypto_of(bed->dek, 512, true);
	uint8_t *buf = bed->env->tx->buf;

	TEST_ASSERT(key_configure(bed, &enc, PLAIN, 512, 1) >= 0);
	TEST_ASSERT(key_write(bed, 512, CIPHER) >= 0);
	TEST_ASSERT(key_configure(bed, crypto, CIPHER, 512, 1) >= 0);
	TEST_ASSERT(key_write(bed, 512, BACK) >= 0);
	TEST_ASSERT_SUCCESS(at_finish(bed->env, 4));
	TEST_ASSERT(at_first_difference(buf + CIPHER, buf + PLAIN, 512) >= 0);
	TEST_ASSERT(at_first_difference(buf + BACK, buf + PLAIN, 512) >= 0);
	return TEST_SUCCESS;
}

static int
wrong_key_or_tweak_gives_other_bytes(struct at_env *env)
{
	struct rte_umr_crypto crypto;
	struct rte_umr_dek *other;
	uint8_t key[KEY_LEN];
	struct crypto_bed bed;
	int ret = bed_open(&bed, env);

	if (ret != TEST_SUCCESS)
		return ret;
	crypto = crypto_of(bed.dek, 512, false);
	crypto.tweak[15] ^= 0x80;
	TEST_ASSERT_SUCCESS(decrypts_to_other_bytes(&bed, &crypto));
	crypto = crypto_of(bed.dek, 512, true);
	TEST_ASSERT_SUCCESS(decrypts_to_other_bytes(&bed, &crypto));
	memcpy(key, bed.key, sizeof(key));
	key[KEY_LEN - 1] ^= 1;
	other = dek_create(&bed, key, true, NULL);
	TEST_ASSERT(other != NULL);
	crypto = crypto_of(other, 512, false);
	TEST_ASSERT_SUCCESS(decrypts_to_other_bytes(&bed, &crypto));
	TEST_ASSERT_SUCCESS(round_trip(&bed, 512, 512, 1));
	TEST_ASSERT_SUCCESS(rte_umr_dek_destroy(other));
	return bed_close(&bed);
}

/* A write of len bytes through the key ends so; the queue recovers. */
static int
write_ends_with(struct crypto_bed *bed, const struct rte_umr_crypto *crypto, uint32_t len,
		enum rte_umr_status status)
{
	TEST_ASSERT(key_configure(bed, crypto, PLAIN, 512, 1) >= 0);
	TEST_ASSERT(key_write(bed, len, CIPHER) >= 0);
	TEST_ASSERT_SUCCESS(at_finish_status(bed->env, 2, status));
	if (status != RTE_UMR_STATUS_SUCCESS)
		TEST_ASSERT_SUCCESS(rte_umr_queue_recover(bed->dev_id, 0));
	return TEST_SUCCESS;
}

static int
transfer_fails_without_the_right_dek(struct at_env *env)
{
	struct rte_umr_crypto crypto;
	struct rte_umr_dek *other;
	struct crypto_bed bed;
	struct rte_umr_pd *pd;
	int ret = bed_open(&bed, env);

	if (ret != TEST_SUCCESS)
		return ret;
	crypto = crypto_of(bed.dek, 512, true);
	crypto.keytag[0] ^= 1;
	TEST_ASSERT_SUCCESS(write_ends_with(&bed, &crypto, 512, RTE_UMR_STATUS_LOCAL_PROT));
	/* A DEK without a tag does not look at it. */
	other = dek_create(&bed, bed.key, false, NULL);
	TEST_ASSERT(other != NULL);
	crypto.dek = other;
	TEST_ASSERT_SUCCESS(write_ends_with(&bed, &crypto, 512, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT_SUCCESS(rte_umr_dek_destroy(other));
	TEST_ASSERT(key_write(&bed, 512, CIPHER) >= 0);
	TEST_ASSERT_SUCCESS(at_finish_status(env, 1, RTE_UMR_STATUS_LOCAL_PROT));
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(bed.dev_id, 0));
	pd = rte_umr_pd_alloc(bed.dev_id);
	TEST_ASSERT(pd != NULL);
	other = dek_create(&bed, bed.key, true, pd);
	TEST_ASSERT(other != NULL);
	TEST_ASSERT_EQUAL(rte_umr_pd_free(pd), -EBUSY);
	crypto = crypto_of(other, 512, true);
	TEST_ASSERT_SUCCESS(write_ends_with(&bed, &crypto, 512, RTE_UMR_STATUS_LOCAL_PROT));
	TEST_ASSERT_SUCCESS(rte_umr_dek_destroy(other));
	TEST_ASSERT_SUCCESS(rte_umr_pd_free(pd));
	return bed_close(&bed);
}

static int
transfer_fails_unless_it_is_data_units(struct at_env *env)
{
	struct rte_umr_crypto crypto;
	struct crypto_bed bed;
	int ret = bed_open(&bed, env);

	if (ret != TEST_SUCCESS)
		return ret;
	crypto = crypto_of(bed.dek, 512, true);
	TEST_ASSERT_SUCCESS(write_ends_with(&bed, &crypto, 47, RTE_UMR_STATUS_LOCAL_PROT));
	TEST_ASSERT_SUCCESS(write_ends_with(&bed, &crypto, 128, RTE_UMR_STATUS_SUCCESS));
	crypto = crypto_of(bed.dek, 520, true);
	TEST_ASSERT_SUCCESS(write_ends_with(&bed, &crypto, 496, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT_SUCCESS(write_ends_with(&bed, &crypto, 512, RTE_UMR_STATUS_LOCAL_PROT));
	/* 8 bytes are less than AES can. */
	if (bed.is_multi) {
		TEST_ASSERT(key_configure(&bed, &crypto, PLAIN, 1024, 1) >= 0);
		TEST_ASSERT(key_write(&bed, 528, CIPHER) >= 0);
		TEST_ASSERT_SUCCESS(at_finish_status(env, 2, RTE_UMR_STATUS_LOCAL_PROT));
		TEST_ASSERT_SUCCESS(rte_umr_queue_recover(bed.dev_id, 0));
	}
	return bed_close(&bed);
}

/* Nothing of an owner before is left in a key that a pool gives out. */
static int
new_owner_finds_no_encryption(struct at_env *env)
{
	struct rte_umr_crypto crypto;
	struct crypto_bed bed;
	int ret = bed_open(&bed, env);

	if (ret != TEST_SUCCESS)
		return ret;
	TEST_ASSERT_SUCCESS(write_ends_with(&bed, NULL, 512, RTE_UMR_STATUS_LOCAL_PROT));
	crypto = crypto_of(bed.dek, 512, true);
	TEST_ASSERT_SUCCESS(write_ends_with(&bed, &crypto, 512, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT_SUCCESS(write_ends_with(&bed, NULL, 512, RTE_UMR_STATUS_SUCCESS));
	rte_umr_mkey_put(bed.pool, bed.mkey);
	bed.mkey = rte_umr_mkey_get(bed.pool);
	TEST_ASSERT(bed.mkey != NULL);
	TEST_ASSERT_SUCCESS(write_ends_with(&bed, NULL, 512, RTE_UMR_STATUS_LOCAL_PROT));
	return bed_close(&bed);
}

/* An encryption whose operation was flushed is kept all the same: the next one brings it. */
static int
flushed_encryption_is_made_up_for(struct at_env *env)
{
	struct rte_umr_completion done[3];
	struct rte_umr_crypto old, next;
	uint8_t want[512];
	struct crypto_bed bed;
	int ret = bed_open(&bed, env);

	if (ret != TEST_SUCCESS)
		return ret;
	old = crypto_of(bed.dek, 512, true);
	next = old;
	next.tweak[7] = 0x77;
	TEST_ASSERT_SUCCESS(write_ends_with(&bed, &old, 512, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT(key_write(&bed, 47, CIPHER) >= 0);
	TEST_ASSERT(key_configure(&bed, &next, PLAIN, 512, 1) >= 0);
	TEST_ASSERT_SUCCESS(rte_umr_submit(bed.dev_id, 0));
	TEST_ASSERT_EQUAL(at_collect(bed.dev_id, 0, done, 2), 2);
	TEST_ASSERT_EQUAL(done[0].status, RTE_UMR_STATUS_LOCAL_PROT);
	TEST_ASSERT_EQUAL(done[1].status, RTE_UMR_STATUS_FLUSHED);
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(bed.dev_id, 0));
	TEST_ASSERT_SUCCESS(write_ends_with(&bed, NULL, 512, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT(xts_ref_crypt(bed.key, KEY_LEN, next.tweak, 512, env->tx->buf + PLAIN, want,
				  512, true));
	TEST_ASSERT_EQUAL(at_first_difference(env->tx->buf + CIPHER, want, 512), -1);
	return bed_close(&bed);
}

/* Open the first device for keys with both; skip where it lacks one. */
static int
signed_bed_open(struct crypto_bed *bed, struct at_env *env)
{
	const uint64_t needed = RTE_UMR_CAPA_MKEY_CRYPTO | RTE_UMR_CAPA_MKEY_SIG;
	const struct at_conf conf = {
		.topology = AT_LOOPBACK,
		.mkey_flags = RTE_UMR_MKEY_POOL_F_CRYPTO | RTE_UMR_MKEY_POOL_F_SIG,
	};
	int ret = at_side_probe(env, 0);

	if (ret != TEST_SUCCESS)
		return ret;
	*bed = (struct crypto_bed){ .env = env, .dev_id = env->sides[0].dev_id };
	TEST_ASSERT_SUCCESS(rte_umr_dev_info_get(bed->dev_id, &bed->info));
	TEST_ASSERT_SUCCESS(rte_umr_dev_close(bed->dev_id));
	env->sides[0].dev_id = -1;
	bed->is_multi = (bed->info.dev_capa & RTE_UMR_CAPA_CRYPTO_MULTI_UNIT) != 0;
	if ((bed->info.dev_capa & needed) != needed) {
		printf("needs a device with crypto and signatures\n");
		return TEST_SKIPPED;
	}
	ret = at_env_build(env, &conf);
	if (ret != TEST_SUCCESS)
		return ret;
	ret = bed_login(bed);
	if (ret != TEST_SUCCESS)
		return ret;
	key_fill(bed->key, 1);
	bed->dek = dek_create(bed, bed->key, true, NULL);
	TEST_ASSERT(bed->dek != NULL);
	bed->mkey = at_key(env->tx);
	TEST_ASSERT(bed->mkey != NULL);
	at_fill(env);
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
static int
flushed_configuration_leaves_no_encryption(struct at_env *env)
{
	struct rte_umr_completion done[2];
	struct rte_umr_mkey_attr attr;
	struct rte_umr_crypto crypto;
	struct crypto_bed bed;
	int ret = signed_bed_open(&bed, env);

	if (ret != TEST_SUCCESS)
		return ret;
	/* Of a key with places for both the device tells these. */
	TEST_ASSERT_SUCCESS(rte_umr_mkey_query(bed.mkey, &attr));
	TEST_ASSERT(attr.is_free && attr.has_crypto && attr.has_signature);
	crypto = crypto_of(bed.dek, 512, true);
	TEST_ASSERT_SUCCESS(write_ends_with(&bed, &crypto, 512, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT_SUCCESS(key_give_and_take(env->tx->pool, bed.mkey));
	TEST_ASSERT(key_write(&bed, 47, CIPHER) >= 0);
	TEST_ASSERT(key_configure(&bed, NULL, PLAIN, 512, 1) >= 0);
	TEST_ASSERT_SUCCESS(rte_umr_submit(bed.dev_id, 0));
	TEST_ASSERT_EQUAL(at_collect(bed.dev_id, 0, done, 2), 2);
	TEST_ASSERT_EQUAL(done[0].status, RTE_UMR_STATUS_LOCAL_PROT);
	TEST_ASSERT_EQUAL(done[1].status, RTE_UMR_STATUS_FLUSHED);
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(bed.dev_id, 0));
	TEST_ASSERT_SUCCESS(write_ends_with(&bed, NULL, 512, RTE_UMR_STATUS_LOCAL_PROT));
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
		.access = ALL,
		.nb_entries = 1,
		.segs = &seg,
		.sig = sig,
		.crypto = crypto,
	};

	return at_mkey_configure(bed->dev_id, 0, bed->mkey, &conf, 0);
}

/* Data with their CRC in memory, ciphertext on the wire: a bad CRC is told, and data move. */
static int
signature_of_what_is_encrypted_is_checked(struct at_env *env)
{
	const struct rte_umr_sig sig = {
		.mem = { .type = RTE_UMR_SIG_CRC32C, .block_size = 512 },
		.check_mask = RTE_UMR_SIG_MASK_CRC32,
	};
	struct rte_umr_mkey_error error;
	struct rte_umr_crypto crypto;
	struct crypto_bed bed;
	uint8_t want[512];
	int ret = signed_bed_open(&bed, env);

	if (ret != TEST_SUCCESS)
		return ret;
	crypto = crypto_of(bed.dek, 512, true);
	crypto.order = RTE_UMR_CRYPTO_SIG_BEFORE;
	TEST_ASSERT(xts_ref_crypt(bed.key, KEY_LEN, crypto.tweak, crypto.data_unit_size,
				  env->tx->buf + PLAIN, want, 512, true));
	TEST_ASSERT(signed_configure(&bed, &sig, &crypto, PLAIN, 516) >= 0);
	TEST_ASSERT(key_write(&bed, 512, CIPHER) >= 0);
	TEST_ASSERT_SUCCESS(at_finish(env, 2));
	TEST_ASSERT_EQUAL(at_first_difference(env->tx->buf + CIPHER, want, 512), -1);
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
	struct rte_umr_seg local;

	crypto.order = RTE_UMR_CRYPTO_SIG_BEFORE;
	TEST_ASSERT(signed_configure(bed, &sig, &crypto, CIPHER, len) >= 0);
	local = at_key_seg(bed->mkey, 0, unit);
	TEST_ASSERT(rte_umr_read(bed->dev_id, 0, &local, at_addr(side, PLAIN), side->mr->rkey,
				 RTE_UMR_OP_F_FENCE) >= 0);
	TEST_ASSERT(rte_umr_write(bed->dev_id, 0, &local, at_addr(side, BACK), side->mr->rkey,
				  RTE_UMR_OP_F_FENCE) >= 0);
	TEST_ASSERT_SUCCESS(at_finish(bed->env, 3));
	TEST_ASSERT_EQUAL(at_first_difference(buf + BACK, buf + PLAIN, unit), -1);
	TEST_ASSERT_SUCCESS(rte_umr_mkey_check(bed->mkey, &error));
	TEST_ASSERT_EQUAL(error.type, RTE_UMR_MKEY_ERROR_NONE);
	/* The wire had PLAIN; memory has it decrypted or encrypted. */
	TEST_ASSERT(xts_ref_crypt(bed->key, KEY_LEN, crypto.tweak, unit, buf + PLAIN, want, unit,
				  !encrypt_on_tx));
	for (i = 0; i < unit / block; i++)
		TEST_ASSERT_EQUAL(at_first_difference(buf + CIPHER + i * (block + 8u),
						      want + i * block, block), -1);
	/* A byte more would be another data unit. */
	if (!bed->is_multi)
		TEST_ASSERT_EQUAL(signed_configure(bed, &sig, &crypto, CIPHER, len + 1), -ERANGE);
	return TEST_SUCCESS;
}

/* data+sig | enc(data) and enc(data)+sig | data: a data unit, although memory is longer. */
static int
signature_that_is_not_encrypted_takes_no_room(struct at_env *env)
{
	struct crypto_bed bed;
	int ret = signed_bed_open(&bed, env);

	if (ret != TEST_SUCCESS)
		return ret;
	TEST_ASSERT_SUCCESS(signed_round_trip(&bed, 512, 512, true));
	TEST_ASSERT_SUCCESS(signed_round_trip(&bed, 512, 512, false));
	TEST_ASSERT_SUCCESS(signed_round_trip(&bed, 520, 520, true));
	TEST_ASSERT_SUCCESS(signed_round_trip(&bed, 4096, 512, true));
	TEST_ASSERT_SUCCESS(signed_round_trip(&bed, 4096, 512, false));
	TEST_ASSERT_SUCCESS(rte_umr_dek_destroy(bed.dek));
	return rte_umr_crypto_login_destroy(bed.login);
}

/* data | enc(data+sig): a signature that passes the cipher does take room. */
static int
signature_that_is_encrypted_takes_room(struct at_env *env)
{
	const struct rte_umr_sig sig = {
		.wire = { .type = RTE_UMR_SIG_T10DIF_CRC, .block_size = 512 },
		.check_mask = RTE_UMR_SIG_MASK_T10DIF,
	};
	struct rte_umr_crypto crypto;
	struct crypto_bed bed;
	int ret = signed_bed_open(&bed, env);

	if (ret != TEST_SUCCESS)
		return ret;
	crypto = crypto_of(bed.dek, 512, true);
	crypto.order = RTE_UMR_CRYPTO_SIG_BEFORE;
	if (!bed.is_multi)
		TEST_ASSERT_EQUAL(signed_configure(&bed, &sig, &crypto, PLAIN, 512), -ERANGE);
	crypto.data_unit_size = 520;
	TEST_ASSERT(signed_configure(&bed, &sig, &crypto, PLAIN, 512) >= 0);
	TEST_ASSERT(key_write(&bed, 520, CIPHER) >= 0);
	TEST_ASSERT_SUCCESS(at_finish(env, 2));
	TEST_ASSERT_SUCCESS(rte_umr_dek_destroy(bed.dek));
	return rte_umr_crypto_login_destroy(bed.login);
}

static int
what_cannot_be_encrypted_is_refused(struct at_env *env)
{
	struct rte_umr_crypto crypto;
	struct rte_umr_mkey *plain, *keep;
	struct crypto_bed bed;
	int ret = bed_open(&bed, env);

	if (ret != TEST_SUCCESS)
		return ret;
	crypto = crypto_of(bed.dek, 1024, true);
	TEST_ASSERT_EQUAL(key_configure(&bed, &crypto, PLAIN, 512, 1), -EINVAL);
	crypto = crypto_of(NULL, 512, true);
	TEST_ASSERT_EQUAL(key_configure(&bed, &crypto, PLAIN, 512, 1), -EINVAL);
	crypto = crypto_of(bed.dek, 512, true);
	if (!bed.is_multi)
		TEST_ASSERT_EQUAL(key_configure(&bed, &crypto, PLAIN, 528, 1), -ERANGE);
	bed.dek->state = RTE_UMR_DEK_ERROR;
	TEST_ASSERT_EQUAL(key_configure(&bed, &crypto, PLAIN, 512, 1), -EKEYREJECTED);
	bed.dek->state = RTE_UMR_DEK_READY;
	plain = at_key(env->tx);
	TEST_ASSERT(plain != NULL);
	keep = bed.mkey;
	bed.mkey = plain;
	TEST_ASSERT_EQUAL(key_configure(&bed, &crypto, PLAIN, 512, 1), -ENOTSUP);
	bed.mkey = keep;
	/* None of it left a trace. */
	TEST_ASSERT_SUCCESS(round_trip(&bed, 512, 512, 1));
	return bed_close(&bed);
}

static int
pool_needs_the_capability(struct at_env *env)
{
	const struct at_conf conf = { .topology = AT_LOOPBACK };
	struct rte_umr_mkey_pool *pool;
	struct rte_umr_dev_info info;
	int ret = at_env_build(env, &conf);

	if (ret != TEST_SUCCESS)
		return ret;
	TEST_ASSERT_SUCCESS(rte_umr_dev_info_get(env->tx->dev_id, &info));
	pool = rte_umr_mkey_pool_create(env->tx->dev_id, &crypto_pool);
	if ((info.dev_capa & RTE_UMR_CAPA_MKEY_CRYPTO) == 0) {
		TEST_ASSERT(pool == NULL);
		TEST_ASSERT_EQUAL(rte_errno, ENOTSUP);
		return TEST_SUCCESS;
	}
	TEST_ASSERT(pool != NULL);
	return rte_umr_mkey_pool_destroy(pool);
}

static const struct autotest_case cases[] = {
	AUTOTEST_CASE(pool_needs_the_capability),
	AUTOTEST_CASE(data_are_encrypted_and_decrypted_as_openssl_does),
	AUTOTEST_CASE(long_lists_are_encrypted),
	AUTOTEST_CASE(wrong_key_or_tweak_gives_other_bytes),
	AUTOTEST_CASE(transfer_fails_without_the_right_dek),
	AUTOTEST_CASE(transfer_fails_unless_it_is_data_units),
	AUTOTEST_CASE(new_owner_finds_no_encryption),
	AUTOTEST_CASE(flushed_encryption_is_made_up_for),
	AUTOTEST_CASE(flushed_configuration_leaves_no_encryption),
	AUTOTEST_CASE(signature_of_what_is_encrypted_is_checked),
	AUTOTEST_CASE(signature_that_is_not_encrypted_takes_no_room),
	AUTOTEST_CASE(signature_that_is_encrypted_takes_room),
	AUTOTEST_CASE(what_cannot_be_encrypted_is_refused),
};

AUTOTEST_SUITE(crypto, cases);
