/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_KEY_CRYPTO_H
#define MLX5_UMR_KEY_CRYPTO_H

/**
 * @file
 * Encryption of a key from one configuration to the next.
 *
 * A configuration that does not set an encryption keeps the one that the key has. The device keeps
 * it, too, so its BSF is written only when it changes, or when the BSF in front of it does:
 * a signature has the first place. A new owner of a key from a pool must not find the encryption
 * of the last one; configurations without one switch BSFs off then. Behind operations that
 * were flushed nobody knows what the device has: the next configuration writes the BSF again
 * (struct mlx5_umr_sig_keys, epoch).
 */

#include <stdbool.h>
#include <stdint.h>

#include "wqe/crypto.h"

struct mlx5_umr_plan;
struct mlx5_umr_queue;
struct rte_umr_mkey_op;

/** What a key is encrypted with, but for its BSF. */
struct mlx5_umr_crypto_state {
	bool is_set;		/* its owner has configured one; order and unit are valid */
	uint8_t order;		/* enum prm_bsf_enc_order */
	uint16_t unit_size;	/* bytes of a data unit */
	/* Whatever is set: */
	uint32_t epoch;		/* of the device, when the key was last configured */
	uint64_t len;		/* bytes under the key */
	/* Longest key with that unit and order; the same with the last signature of the key. */
	uint32_t len_max;
	uint32_t len_max_signed;
	bool has_bsf;	/* the device had a BSF, maybe of an owner before */
};

/** Encryption of a key. */
struct mlx5_umr_key_crypto {
	struct mlx5_umr_crypto_state state;
	struct mlx5_umr_crypto_what what; /* that bsf was made of, but for tweak and tag */
	struct mlx5_umr_crypto_bsf bsf;
} __rte_cache_aligned;

/**
 * What a configuration does about encryption; behind layout and signature of the plan.
 *
 * @return
 *   0, or a negative errno as rte_umr_mkey_configure() returns it (logged and counted).
 */
int mlx5_umr_plan_crypto(struct mlx5_umr_plan *plan, const struct rte_umr_mkey_op *conf);

/** The operation is accepted: note what the encryption of the key has become. */
void mlx5_umr_key_crypto_commit(const struct mlx5_umr_plan *plan);

/** Note another encryption: it is good. The BSF is going to the device. */
void mlx5_umr_key_crypto_set(struct mlx5_umr_key_crypto *key_crypto,
			     const struct mlx5_umr_crypto_caps *caps,
			     const struct rte_umr_crypto *crypto, bool has_sig);

/**
 * How long a signature lets the key be.
 *
 * @param sig
 *   What mlx5_umr_key_sig::sig is now.
 */
void mlx5_umr_key_crypto_sign(struct mlx5_umr_key_crypto *key_crypto,
			      const struct mlx5_umr_crypto_caps *caps,
			      const struct rte_umr_sig *sig);

/** A new owner has taken the key from its pool. */
static inline void
mlx5_umr_key_crypto_recycle(struct mlx5_umr_key_crypto *crypto)
{
	crypto->state.is_set = false;
	crypto->state.len = 0;
}

#endif /* MLX5_UMR_KEY_CRYPTO_H */
