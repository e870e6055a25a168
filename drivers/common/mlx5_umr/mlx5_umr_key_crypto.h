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
 * it, too, so its format is written only when it changes, or when the format in front of it does:
 * a signature has the first place. A new owner of a key from a pool must not find the encryption
 * of the last one; configurations without one switch formats off then. Behind operations that
 * were flushed nobody knows what the device has: the next configuration writes the format again
 * (struct mlx5_umr_sig_keys, epoch).
 */

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "mlx5_umr_crypto.h"

struct mlx5_umr_plan;
struct mlx5_umr_queue;
struct rte_umr_mkey_conf;

/** Encryption of a key. */
struct mlx5_umr_key_crypto {
	bool is_set;		/* its owner has configured one; the rest is valid */
	uint8_t order;		/* enum prm_bsf_enc_order */
	uint16_t unit_size;	/* bytes of a data unit */
	uint8_t bsf[PRM_BSF_SIZE] __rte_aligned(8);
	/* Whatever is set: */
	bool has_format;	/* the device had a format, maybe of an owner before */
	uint32_t epoch;		/* of the device, when the key was last configured */
	uint64_t len;		/* bytes under the key */
};

/**
 * What a configuration does about encryption; behind layout and signature of the plan.
 *
 * @return
 *   0, or a negative errno as rte_umr_mkey_configure() returns it (logged and counted).
 */
int mlx5_umr_plan_crypto(struct mlx5_umr_plan *plan, const struct rte_umr_mkey_conf *conf);

/** The operation was accepted. */
void mlx5_umr_key_crypto_commit(const struct mlx5_umr_plan *plan);

/** Returned for what the general way has to do; never seen by an application. */
#define MLX5_UMR_CRYPTO_UNUSUAL	INT_MIN

/**
 * Rights, a list in the ring and an encryption for a key of nothing else: what storage does for
 * each request.
 *
 * @return
 *   As rte_umr_mkey_configure(), or MLX5_UMR_CRYPTO_UNUSUAL: nothing was done.
 */
int mlx5_umr_crypto_list(struct mlx5_umr_queue *queue, struct rte_umr_mkey *mkey,
			 const struct rte_umr_mkey_conf *conf, uint64_t flags);

/** A new owner has taken the key from its pool. */
static inline void
mlx5_umr_key_crypto_recycle(struct mlx5_umr_key_crypto *crypto)
{
	crypto->is_set = false;
	crypto->len = 0;
}

#endif /* MLX5_UMR_KEY_CRYPTO_H */
