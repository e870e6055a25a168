/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef VERIFY_CRYPTO_H
#define VERIFY_CRYPTO_H

/**
 * @file
 * Shared by the modes crypto and sigcrypto: known data encryption keys, keys that can encrypt, and
 * encryption by OpenSSL.
 */

#include "model/layout.h"
#include "model/xts_ref.h"
#include "verify/bed/mode.h"

/** DEKs of a device: 128 and 256 bits, with and without a tag. */
#define CRYPTO_NB_DEKS	4u
/** Minimum number of bytes that AES-XTS can encrypt. */
#define CRYPTO_BLOCK	16u
/** Maximum size of both AES keys together. */
#define CRYPTO_MAX_KEY	64u

/** A DEK and its contents. */
struct crypto_dek {
	struct rte_umr_dek *dek;
	uint8_t key[CRYPTO_MAX_KEY];
	uint8_t key_len;
	uint8_t keytag[RTE_UMR_KEYTAG_LEN];
};

/** Of each device of the bed, in verify_env::mode_private. */
struct crypto_side {
	int16_t dev_id;
	bool is_wrapped;
	struct rte_umr_crypto_login *login; /**< NULL for plaintext keys. */
	struct crypto_dek deks[CRYPTO_NB_DEKS];
};

/** Keys of the modes; other flags may be added. */
#define CRYPTO_POOL(other_flags)                                                                   \
	{ .nb_mkeys = BED_NB_MKEYS, .max_entries = LAYOUT_MAX_PIECES,                              \
	  .flags = RTE_UMR_MKEY_POOL_F_CRYPTO | (other_flags) }

/** Encryption parameters chosen by a case. */
struct crypto_choice {
	uint32_t dek;		/**< Index in crypto_side::deks. */
	uint16_t unit;		/**< Bytes of a data unit. */
	bool encrypt_on_tx;
	enum rte_umr_crypto_order order;
	uint8_t tweak[RTE_UMR_TWEAK_LEN];
};

/** As verify_mode::is_supported. */
bool crypto_is_supported(const struct rte_umr_dev_info *info, char *why);

/** As verify_mode::setup and ::teardown: create logins and DEKs. */
bool crypto_setup(struct verify_env *env);
void crypto_teardown(struct verify_env *env);

/** State of a side of the bed. */
struct crypto_side *crypto_side_of(const struct verify_env *env, const struct bed_side *side);

/** Create another DEK; returns false on failure. */
bool crypto_dek_create(const struct crypto_side *side, struct prng *prng,
		       enum rte_umr_dek_size size, bool has_keytag, struct crypto_dek *dek);

/** Choose encryption parameters for a device. */
void crypto_choice_gen(struct crypto_choice *choice, const struct rte_umr_dev_info *info,
		       struct prng *prng);

/** Describe the parameters without a trailing newline. */
void crypto_choice_print(FILE *f, const struct crypto_choice *choice);

/** Convert the parameters to those of the API. */
struct rte_umr_crypto crypto_conf(const struct crypto_side *side,
				  const struct crypto_choice *choice);

/**
 * Whether one transfer can move len bytes from the start of a data unit
 * (mlx5dv_wr_set_mkey_crypto(3)).
 */
bool crypto_is_job(uint64_t len, uint32_t unit);

/** Longest such transfer of at most len bytes; 0 if there is none. */
uint64_t crypto_job_fit(uint64_t len, uint32_t unit);

/**
 * Encrypt or decrypt len bytes, starting at byte "from" of the data that passes the cipher. Bytes
 * that do not form a job remain unchanged: cases that must fail have such bytes.
 */
void crypto_apply(const struct crypto_side *side, const struct crypto_choice *choice,
		  uint64_t from, const uint8_t *in, uint8_t *out, uint64_t len, bool encrypt);

#endif /* VERIFY_CRYPTO_H */
