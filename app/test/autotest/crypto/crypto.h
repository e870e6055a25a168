/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef AUTOTEST_CRYPTO_H
#define AUTOTEST_CRYPTO_H

/**
 * @file
 * A device, a data encryption key and a memory key for the suites crypto and sigcrypto. Functions
 * return TEST_SUCCESS, TEST_FAILED (printed) or TEST_SKIPPED (printed) unless noted otherwise.
 */

#include "autotest.h"
#include "env.h"

#define KEY_LEN		64u
/** Places in the memory of a side. */
#define PLAIN		0u
#define CIPHER		0x8000u
#define BACK		0x10000u
#define CRYPTO_ACCESS                                                                              \
	(RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_READ | RTE_UMR_ACCESS_REMOTE_WRITE)

/** State of a case; freed by crypto_bed_close(). */
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

extern const uint8_t crypto_tag[RTE_UMR_KEYTAG_LEN];
extern const struct rte_umr_mkey_pool_conf crypto_pool;

/** Fill in the bytes of a key. */
void crypto_key_fill(uint8_t *key, uint8_t seed);
/** Create a DEK, wrapped if the device requires it. NULL on failure. */
struct rte_umr_dek *crypto_dek_create(const struct crypto_bed *bed, const uint8_t *key,
				      bool has_keytag, struct rte_umr_pd *pd);
/** Log in if the device requires it. */
int crypto_bed_login(struct crypto_bed *bed);
/** An environment of a device with crypto and these capabilities, a login and a DEK. */
int crypto_bed_build(struct crypto_bed *bed, struct at_env *env, uint64_t capa,
		     const struct at_conf *conf);
/** Open the first device, with a key; skip if it does not support crypto. */
int crypto_bed_open(struct crypto_bed *bed, struct at_env *env);
int crypto_bed_close(struct crypto_bed *bed);
/** An encryption with a DEK. */
struct rte_umr_crypto crypto_of(const struct rte_umr_dek *dek, uint16_t unit, bool encrypt_on_tx);
/** Enqueue the key configuration: len bytes of memory at a place, in pieces. Returns as the API. */
int crypto_key_configure(const struct crypto_bed *bed, const struct rte_umr_crypto *crypto,
			 uint32_t place, uint32_t len, uint32_t nb_segs);
/** Write len bytes through the key to a place. Returns as the API. */
int crypto_key_write(const struct crypto_bed *bed, uint32_t len, uint32_t place);
/** Check the status of a write of len bytes through the key; the queue recovers. */
int crypto_write_ends_with(struct crypto_bed *bed, const struct rte_umr_crypto *crypto,
			   uint32_t len, enum rte_umr_status status);

#endif /* AUTOTEST_CRYPTO_H */
