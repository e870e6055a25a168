/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_CRYPTO_H
#define MLX5_UMR_CRYPTO_H

/**
 * @file
 * Encryption of a key: checks and bytes out of arguments. No I/O, no queue policy.
 *
 * An encryption is a byte stream format (BSF) of 64 bytes behind the KLMs of an UMR and, if the
 * key has a place for a signature, behind the BSF of that. The bytes are those that libmlx5 writes
 * for the same request (rdma-core 44, providers/mlx5/qp.c: mlx5_umr_fill_crypto_bsf()).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mlx5_prm_sig.h>
#include <rte_umr.h>

#include "mlx5_umr_devx.h"

/** Longest key with a BSF: raw_data_size has 32 bits. */
#define MLX5_UMR_BSF_MAX_LEN UINT32_MAX

/**
 * Whether a device can do an encryption.
 *
 * @param dev_id
 *   Device of the key.
 * @param why
 *   Written on error: what is wrong, with the value and the limit.
 * @return
 *   0, -EINVAL, -EXDEV for a DEK of another device, -EKEYREJECTED for one in error, or -ENOTSUP
 *   for what other devices can.
 */
int mlx5_umr_crypto_check(const struct mlx5_umr_crypto_caps *caps, int16_t dev_id,
			  const struct rte_umr_crypto *crypto, char *why, size_t why_size);

/** Where the cipher works. */
enum prm_bsf_enc_order mlx5_umr_crypto_order(const struct rte_umr_crypto *crypto);

/**
 * Whether an encryption goes with a signature; sig is NULL if there is none.
 *
 * @return
 *   0 or -EINVAL; why as above.
 */
int mlx5_umr_crypto_sig_check(enum prm_bsf_enc_order order, const struct rte_umr_sig *sig,
			      char *why, size_t why_size);

/**
 * Whether a key of len bytes can have data units of unit_size bytes.
 *
 * @return
 *   0 or -ERANGE; why as above.
 */
int mlx5_umr_crypto_len_check(const struct mlx5_umr_crypto_caps *caps, uint16_t unit_size,
			      uint64_t len, char *why, size_t why_size);

/**
 * Crypto BSF, PRM_BSF_SIZE bytes; all of them are written.
 *
 * @param crypto
 *   Checked.
 * @param has_sig
 *   It is behind the BSF of a signature.
 */
void mlx5_umr_crypto_bsf_build(uint8_t *bsf, const struct mlx5_umr_crypto_caps *caps,
			       const struct rte_umr_crypto *crypto, bool has_sig);

#endif /* MLX5_UMR_CRYPTO_H */
