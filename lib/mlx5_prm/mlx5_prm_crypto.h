/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_PRM_CRYPTO_H
#define MLX5_PRM_CRYPTO_H

/**
 * @file
 * Crypto: capabilities, data encryption keys and login sessions as general objects.
 *
 * Sources: rdma-core (providers/mlx5/mlx5_ifc.h) and DPDK (mlx5_prm.h).
 */

#include "mlx5_prm.h"

#define PRM_OBJ_TYPE_DEK		0x0cu
#define PRM_OBJ_TYPE_CRYPTO_LOGIN	0x1fu

/* General device capabilities (op_mod 0) that belong to the crypto page. */
#define PRM_CAP_AES_XTS_SINGLE_BLOCK_LE_TWEAK	PRM_FIELD(31, 14, 1)
#define PRM_CAP_AES_XTS_MULTI_BLOCK_BE_TWEAK	PRM_FIELD(31, 13, 1)

/* Crypto capabilities (op_mod 0x1a). */
#define PRM_CRYPTO_CAP_WRAPPED_OPERATIONAL	PRM_FIELD(0, 31, 1)
#define PRM_CRYPTO_CAP_WRAPPED_COMMISSIONING	PRM_FIELD(0, 30, 1)
#define PRM_CRYPTO_CAP_WRAPPED_IMPORT_METHOD	PRM_FIELD(0, 0, 8)
#define PRM_CRYPTO_CAP_LOG_MAX_NUM_DEKS		PRM_FIELD(1, 16, 5)
#define PRM_CRYPTO_CAP_LOG_MAX_NUM_IMPORT_KEKS	PRM_FIELD(1, 8, 5)
#define PRM_CRYPTO_CAP_LOG_MAX_NUM_CREDS	PRM_FIELD(1, 0, 5)
#define PRM_CRYPTO_CAP_FAILED_SELFTESTS		PRM_FIELD(2, 16, 16)
#define PRM_CRYPTO_CAP_NUM_NV_IMPORT_KEKS	PRM_FIELD(2, 8, 8)
#define PRM_CRYPTO_CAP_NUM_NV_CREDENTIALS	PRM_FIELD(2, 0, 8)

/* wrapped_import_method: keys for AES-XTS are wrapped. */
#define PRM_CRYPTO_CAP_IMPORT_METHOD_AES_XTS	0x4u

/* Data encryption key, 256 bytes. */
#define PRM_DEK_SIZE			256u
#define PRM_DEK_STATE			PRM_FIELD(2, 24, 8)	/* 0: ready, 1: error */
#define PRM_DEK_KEY_SIZE		PRM_FIELD(2, 8, 4)	/* enum prm_dek_key_size */
#define PRM_DEK_HAS_KEYTAG		PRM_FIELD(2, 7, 1)
#define PRM_DEK_KEY_PURPOSE		PRM_FIELD(2, 0, 4)
#define PRM_DEK_PD			PRM_FIELD(3, 0, 24)
#define PRM_DEK_OPAQUE			PRM_FIELD(12, 0, 64)
#define PRM_DEK_KEY_BYTE		0x40u
#define PRM_DEK_KEY_MAX			128u

#define PRM_DEK_STATE_READY		0x0u
#define PRM_DEK_STATE_ERROR		0x1u
#define PRM_DEK_PURPOSE_AES_XTS		0x3u

enum prm_dek_key_size {
	PRM_DEK_KEY_SIZE_128 = 0x0,
	PRM_DEK_KEY_SIZE_256 = 0x1,
};

/* Login session, 256 bytes. */
#define PRM_LOGIN_SIZE			256u
#define PRM_LOGIN_STATE			PRM_FIELD(4, 24, 4)
#define PRM_LOGIN_CREDENTIAL_POINTER	PRM_FIELD(4, 0, 24)
#define PRM_LOGIN_IMPORT_KEK_PTR	PRM_FIELD(5, 0, 24)
#define PRM_LOGIN_CREDENTIAL_BYTE	0x40u
#define PRM_LOGIN_CREDENTIAL_SIZE	48u	/* wrapped; contains 40 bytes */

#define PRM_LOGIN_STATE_VALID		0x0u
#define PRM_LOGIN_STATE_INVALID		0x1u

static_assert(PRM_DEK_KEY_BYTE + PRM_DEK_KEY_MAX <= PRM_DEK_SIZE, "the key is in the object");
static_assert(PRM_LOGIN_CREDENTIAL_BYTE + PRM_LOGIN_CREDENTIAL_SIZE <= PRM_LOGIN_SIZE,
	      "the credential is in the object");

#endif /* MLX5_PRM_CRYPTO_H */
