/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_KEY_CRYPTO_H
#define MLX5_UMR_KEY_CRYPTO_H

/**
 * @file
 * State of the encryption of a key between configurations.
 *
 * A configuration that does not set an encryption keeps the existing one. The device keeps it too,
 * so its BSF is written only when it changes, or when the BSF before it (of a signature) changes. A
 * new owner of a key must not get the encryption of the last one; configurations without one then
 * disable BSFs. After flushed operations the state of the device is unknown: the next configuration
 * writes the BSF again (struct mlx5_umr_sig_keys, epoch).
 */

#include <stdbool.h>
#include <stdint.h>

#include "ring/mkey.h"
#include "wqe/crypto.h"

struct mlx5_umr_plan;
struct mlx5_umr_queue;
struct rte_umr_mkey_op;

/** Encryption of a key, without its BSF. */
struct mlx5_umr_crypto_state {
	bool is_set;		/* configured by the owner; order and unit are valid */
	uint8_t order;		/* enum prm_bsf_enc_order */
	uint16_t unit_size;	/* bytes of a data unit */
	/* Always valid: */
	uint32_t epoch;		/* of the device, when the key was last configured */
	uint64_t len;		/* bytes of the key */
	/* Longest key with this unit and order, without and with the last signature of the key. */
	uint32_t len_max;
	uint32_t len_max_signed;
	bool has_bsf;	/* the device had a BSF, possibly of a previous owner */
};

/** Encryption of a key. */
struct mlx5_umr_key_crypto {
	struct mlx5_umr_crypto_state state;
	struct mlx5_umr_crypto_what what; /* input of bsf, without tweak and tag */
	struct mlx5_umr_crypto_bsf bsf;
} __rte_cache_aligned;

/** Encryption of a key whose pool supports it. */
static inline struct mlx5_umr_key_crypto *
mlx5_umr_mkey_crypto(const struct rte_umr_mkey *mkey)
{
	struct mlx5_umr_mkey_priv *priv = rte_umr_mkey_priv(mkey);

	if ((mkey->flags & RTE_UMR_MKEY_POOL_F_SIG) != 0)
		return (struct mlx5_umr_key_crypto *)(mlx5_umr_mkey_sig(mkey) + 1);
	return (struct mlx5_umr_key_crypto *)(priv + 1);
}

/**
 * Plan the encryption, after layout and signature.
 *
 * @return
 *   0, or a negative errno as rte_umr_mkey_configure() returns it (logged and counted).
 */
int mlx5_umr_plan_crypto(struct mlx5_umr_plan *plan, const struct rte_umr_mkey_op *conf);

/** Record the new encryption of the key after the operation was accepted. */
void mlx5_umr_key_crypto_commit(const struct mlx5_umr_plan *plan);

/** Record a new, valid encryption whose BSF is written. */
void mlx5_umr_key_crypto_set(struct mlx5_umr_key_crypto *key_crypto,
			     const struct mlx5_umr_crypto_caps *caps,
			     const struct rte_umr_crypto *crypto, bool has_sig);

/**
 * Update the maximum length of the key for a signature.
 *
 * @param sig
 *   Current mlx5_umr_key_sig::sig.
 */
void mlx5_umr_key_crypto_sign(struct mlx5_umr_key_crypto *key_crypto,
			      const struct mlx5_umr_crypto_caps *caps,
			      const struct rte_umr_sig *sig);

/** Reset the state when a new owner takes the key from its pool. */
static inline void
mlx5_umr_key_crypto_recycle(struct mlx5_umr_key_crypto *crypto)
{
	crypto->state.is_set = false;
	crypto->state.len = 0;
}

#endif /* MLX5_UMR_KEY_CRYPTO_H */
