/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef VERIFY_CRYPTO_H
#define VERIFY_CRYPTO_H

/**
 * @file
 * What the modes crypto and sigcrypto share: data encryption keys that the cases know, keys that
 * can be encrypted, and what OpenSSL makes of the bytes.
 */

#include "verify/bed/mode.h"
#include "model/xts_ref.h"

/** DEKs of a device: of 128 and 256 bits, with and without a tag. */
#define CRYPTO_NB_DEKS	4u
/** Least data that AES-XTS can encrypt. */
#define CRYPTO_BLOCK	16u
/** Bytes of both AES keys together, at most. */
#define CRYPTO_MAX_KEY	64u

/** A DEK and what is in it. */
struct crypto_dek {
	struct rte_umr_dek *dek;
	uint8_t key[CRYPTO_MAX_KEY];
	uint8_t key_len;
	uint8_t keytag[RTE_UMR_KEYTAG_LEN];
};

struct crypto_side {
	int16_t dev_id;
	bool is_wrapped;
	struct rte_umr_crypto_login *login; /**< NULL if keys come plain. */
	struct rte_umr_mkey_pool *pool;
	struct crypto_dek deks[CRYPTO_NB_DEKS];
};

/** verify_env::mode_private; sides are those of the bed. */
struct crypto_bed {
	uint16_t nb_sides;
	struct crypto_side sides[TOOL_MAX_DEVICES];
};

/** How data are encrypted, chosen by a case. */
struct crypto_choice {
	uint32_t dek;		/**< Index in crypto_side::deks. */
	uint16_t unit;		/**< Bytes of a data unit. */
	bool encrypt_on_tx;
	enum rte_umr_crypto_order order;
	uint8_t tweak[RTE_UMR_TWEAK_LEN];
};

/** As verify_mode::is_supported. */
bool crypto_is_supported(const struct rte_umr_dev_info *info, char *why);

/**
 * Make logins, DEKs and pools of keys with RTE_UMR_MKEY_POOL_F_CRYPTO and other flags; complains
 * and returns false. crypto_bed_destroy() is to be called in any case.
 */
bool crypto_bed_create(struct verify_env *env, uint32_t pool_flags);
void crypto_bed_destroy(struct verify_env *env);

/** What belongs to a side of the bed. */
struct crypto_side *crypto_side_of(const struct verify_env *env, const struct bed_side *side);

/** One more DEK; false if it could not be made. */
bool crypto_dek_create(const struct crypto_side *side, struct prng *prng,
		       enum rte_umr_dek_size size, bool has_keytag, struct crypto_dek *dek);

/** Choose how to encrypt on a device. */
void crypto_choice_gen(struct crypto_choice *choice, const struct rte_umr_dev_info *info,
		       struct prng *prng);

/** The same in words, without an end of line. */
void crypto_choice_print(FILE *f, const struct crypto_choice *choice);

/** What the API takes for it. */
struct rte_umr_crypto crypto_conf(const struct crypto_side *side,
				  const struct crypto_choice *choice);

/** Whether one transfer can move len bytes from a data unit on (mlx5dv_wr_set_mkey_crypto(3)). */
bool crypto_is_job(uint64_t len, uint32_t unit);

/** Longest such transfer of at most len bytes; 0 if there is none. */
uint64_t crypto_job_fit(uint64_t len, uint32_t unit);

/**
 * Encrypt or decrypt len bytes, of which the first is byte from of what passes the cipher. What is
 * no job comes out as it is: cases that must fail have such bytes.
 */
void crypto_apply(const struct crypto_side *side, const struct crypto_choice *choice,
		  uint64_t from, const uint8_t *in, uint8_t *out, uint64_t len, bool encrypt);

#endif /* VERIFY_CRYPTO_H */
