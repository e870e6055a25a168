/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdlib.h>
#include <string.h>

#include "crypto/crypto.h"
#include "model/xts_ref.h"

const uint8_t crypto_tag[RTE_UMR_KEYTAG_LEN] = "key-tag";

const struct rte_umr_mkey_pool_conf crypto_pool = {
	.nb_mkeys = 1, .max_entries = 64, .socket_id = -1, .flags = RTE_UMR_MKEY_POOL_F_CRYPTO,
};

void
crypto_key_fill(uint8_t *key, uint8_t seed)
{
	for (uint32_t i = 0; i < KEY_LEN; i++)
		key[i] = (uint8_t)(i * 29 + seed);
}

struct rte_umr_dek *
crypto_dek_create(const struct crypto_bed *bed, const uint8_t *key, bool has_keytag,
		  struct rte_umr_pd *pd)
{
	uint8_t plain[KEY_LEN + RTE_UMR_KEYTAG_LEN], wrapped[RTE_UMR_DEK_KEY_MAX];
	struct rte_umr_dek_conf conf = {
		.key = plain, .key_len = KEY_LEN + (has_keytag ? RTE_UMR_KEYTAG_LEN : 0),
		.size = RTE_UMR_DEK_256, .has_keytag = has_keytag, .login = bed->login, .pd = pd,
	};

	memcpy(plain, key, KEY_LEN);
	memcpy(plain + KEY_LEN, crypto_tag, sizeof(crypto_tag));
	if (bed->login != NULL) {
		if (!xts_ref_wrap(plain, conf.key_len, wrapped))
			return NULL;
		conf.key = wrapped;
		conf.key_len += RTE_UMR_KEY_WRAP_LEN;
	}
	struct rte_umr_dek *const dek = rte_umr_dek_create(bed->dev_id, &conf);
	/* Who searches memory for keys is to find what others left. */
	explicit_bzero(plain, sizeof(plain));
	explicit_bzero(wrapped, sizeof(wrapped));
	return dek;
}

int
crypto_bed_login(struct crypto_bed *bed)
{
	uint8_t credential[RTE_UMR_CREDENTIAL_LEN];
	const struct rte_umr_crypto_login_conf conf = { .credential = credential };

	if ((bed->info.dev_capa & RTE_UMR_CAPA_DEK_WRAPPED) == 0)
		return TEST_SUCCESS;
	if (getenv("SWHCA_LIB") == NULL)
		TEST_SKIP("needs the credential of the device");
	TEST_ASSERT(xts_ref_credential(credential));
	bed->login = rte_umr_crypto_login_create(bed->dev_id, &conf);
	TEST_ASSERT(bed->login != NULL);
	return TEST_SUCCESS;
}

int
crypto_bed_build(struct crypto_bed *bed, struct at_env *env, uint64_t capa,
		 const struct at_conf *conf)
{
	TEST_NEED(at_env_build_capable(env, RTE_UMR_CAPA_MKEY_CRYPTO | capa, conf));
	*bed = (struct crypto_bed){
		.env = env, .dev_id = env->tx->dev_id, .info = env->tx->info,
		.is_multi = (env->tx->info.dev_capa & RTE_UMR_CAPA_CRYPTO_MULTI_UNIT) != 0,
	};
	TEST_NEED(crypto_bed_login(bed));
	crypto_key_fill(bed->key, 1);
	bed->dek = crypto_dek_create(bed, bed->key, true, NULL);
	TEST_ASSERT(bed->dek != NULL);
	return TEST_SUCCESS;
}

int
crypto_bed_open(struct crypto_bed *bed, struct at_env *env)
{
	TEST_NEED(crypto_bed_build(bed, env, 0, &(struct at_conf){ .topology = AT_LOOPBACK }));
	bed->pool = rte_umr_mkey_pool_create(bed->dev_id, &crypto_pool);
	TEST_ASSERT(bed->pool != NULL);
	bed->mkey = rte_umr_mkey_get(bed->pool);
	TEST_ASSERT(bed->mkey != NULL);
	return TEST_SUCCESS;
}

int
crypto_bed_close(struct crypto_bed *bed)
{
	rte_umr_mkey_put(bed->pool, bed->mkey);
	TEST_ASSERT_SUCCESS(rte_umr_mkey_pool_destroy(bed->pool));
	TEST_ASSERT_SUCCESS(rte_umr_dek_destroy(bed->dek));
	TEST_ASSERT_SUCCESS(rte_umr_crypto_login_destroy(bed->login));
	return TEST_SUCCESS;
}

struct rte_umr_crypto
crypto_of(const struct rte_umr_dek *dek, uint16_t unit, bool encrypt_on_tx)
{
	struct rte_umr_crypto crypto = {
		.dek = dek, .encrypt_on_tx = encrypt_on_tx, .data_unit_size = unit,
		.tweak = { 0xfe, 0xff, 0xff },
	};

	memcpy(crypto.keytag, crypto_tag, sizeof(crypto_tag));
	return crypto;
}

/* Enqueue: len bytes of memory from a place on, in pieces, under the key. */
int
crypto_key_configure(const struct crypto_bed *bed, const struct rte_umr_crypto *crypto,
		     uint32_t place, uint32_t len, uint32_t nb_segs)
{
	struct rte_umr_seg segs[64];
	const struct rte_umr_mkey_op conf = {
		.setters = RTE_UMR_MKEY_SET_ACCESS | RTE_UMR_MKEY_SET_LAYOUT |
			   (crypto != NULL ? RTE_UMR_MKEY_SET_CRYPTO : 0),
		.access = CRYPTO_ACCESS,
		.layout = RTE_UMR_LAYOUT_LIST,
		.nb_entries = nb_segs,
		.segs = segs,
		.crypto = crypto,
	};
	uint32_t i, piece = len / nb_segs;

	for (i = 0; i < nb_segs; i++)
		segs[i] = at_seg(bed->env->tx, place + i * piece, i + 1 < nb_segs ? piece :
				 len - i * piece);
	return at_mkey_configure(bed->dev_id, 0, bed->mkey, &conf, 0);
}

/* Write len bytes through the key to a place. */
int
crypto_key_write(const struct crypto_bed *bed, uint32_t len, uint32_t place)
{
	const struct rte_umr_seg local = at_key_seg(bed->mkey, 0, len);
	const struct at_side *side = bed->env->tx;

	return rte_umr_write(bed->dev_id, 0, &local, at_addr(side, place), side->mr->rkey, 0);
}

/* A write of len bytes through the key ends so; the queue recovers. */
int
crypto_write_ends_with(struct crypto_bed *bed, const struct rte_umr_crypto *crypto,
		       uint32_t len, enum rte_umr_status status)
{
	TEST_ACCEPT(crypto_key_configure(bed, crypto, PLAIN, 512, 1));
	TEST_ACCEPT(crypto_key_write(bed, len, CIPHER));
	TEST_ASSERT_SUCCESS(at_finish_status(bed->env, 2, status));
	if (status != RTE_UMR_STATUS_SUCCESS)
		TEST_ASSERT_SUCCESS(rte_umr_queue_recover(bed->dev_id, 0));
	return TEST_SUCCESS;
}
