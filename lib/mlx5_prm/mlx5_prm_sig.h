/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_PRM_SIG_H
#define MLX5_PRM_SIG_H

/**
 * @file
 * Signature and crypto: byte stream format (BSF), persistent signature value (PSV), signature
 * error CQE.
 *
 * Sources: rdma-core (providers/mlx5/wqe.h, qp.c, cq.c), Linux (include/linux/mlx5/qp.h) and, for
 * the transaction signature, SPDK (lib/mlx5/mlx5_umr.c).
 */

#include "mlx5_prm.h"

/*
 * Signature BSF, 64 bytes:
 *
 *   0x00 basic     sizes, masks, block sizes, block format selector and PSV of each domain
 *   0x10 extended  transaction signature: one over all the data
 *   0x20 inline    T10-DIF of the wire domain
 *   0x30 inline    T10-DIF of the memory domain
 */
#define PRM_BSF_SIZE			64u
#define PRM_BSF_W_INL_BYTE		0x20u
#define PRM_BSF_M_INL_BYTE		0x30u
#define PRM_BSF_LEN			PRM_FIELD(0, 30, 2)	/* enum prm_bsf_len */
#define PRM_BSF_SBS			PRM_FIELD(0, 28, 1)	/* same block structure */
#define PRM_BSF_TYPE			PRM_FIELD(0, 24, 4)	/* enum prm_bsf_type */
#define PRM_BSF_CHECK_BYTE_MASK		PRM_FIELD(0, 16, 8)
/* Wire domain: with sbs the bytes to copy, else the block size. */
#define PRM_BSF_W_COPY_BYTE_MASK	PRM_FIELD(0, 8, 8)
#define PRM_BSF_W_BS_SELECTOR		PRM_FIELD(0, 8, 8)
#define PRM_BSF_M_BS_SELECTOR		PRM_FIELD(0, 0, 8)
#define PRM_BSF_RAW_DATA_SIZE		PRM_FIELD(1, 0, 32)
#define PRM_BSF_W_BFS			PRM_FIELD(2, 24, 8)
#define PRM_BSF_W_PSV			PRM_FIELD(2, 0, 24)
#define PRM_BSF_M_BFS			PRM_FIELD(3, 24, 8)
#define PRM_BSF_M_PSV			PRM_FIELD(3, 0, 24)
/*
 * Extended part, for each domain: whether the sum restarts with the first byte (init), whether its
 * field follows the last byte (check_gen), the format selector (tfs) and the PSV, which stores the
 * sum in between (Linux: struct mlx5_bsf_ext; SPDK: mlx5_set_umr_sig_bsf_seg()).
 */
#define PRM_BSF_W_T_INIT		PRM_FIELD(4, 29, 1)
#define PRM_BSF_W_T_CHECK_GEN		PRM_FIELD(4, 28, 1)
#define PRM_BSF_M_T_INIT		PRM_FIELD(4, 25, 1)
#define PRM_BSF_M_T_CHECK_GEN		PRM_FIELD(4, 24, 1)
#define PRM_BSF_PRO_SIZE		PRM_FIELD(4, 0, 24)
#define PRM_BSF_EPI_SIZE		PRM_FIELD(5, 0, 24)
#define PRM_BSF_W_TFS			PRM_FIELD(6, 24, 8)
#define PRM_BSF_W_T_PSV			PRM_FIELD(6, 0, 24)
#define PRM_BSF_M_TFS			PRM_FIELD(7, 24, 8)
#define PRM_BSF_M_T_PSV			PRM_FIELD(7, 0, 24)

/* Inline section, 16 bytes. */
#define PRM_BSF_INL_VALID		PRM_FIELD(0, 31, 1)
#define PRM_BSF_INL_REFRESH_DIF		PRM_FIELD(0, 30, 1)
#define PRM_BSF_INL_APP_TAG		PRM_FIELD(0, 0, 16)
#define PRM_BSF_INL_REF_TAG		PRM_FIELD(1, 0, 32)
#define PRM_BSF_INL_SIG_TYPE		PRM_FIELD(2, 24, 8)	/* PRM_BSF_INL_T10DIF_* */
#define PRM_BSF_INL_REPEAT		PRM_FIELD(2, 23, 1)
#define PRM_BSF_INL_SEED		PRM_FIELD(2, 19, 1)
#define PRM_BSF_INL_INC_REF		PRM_FIELD(3, 22, 1)
#define PRM_BSF_INL_APPREF_ESCAPE	PRM_FIELD(3, 17, 1)
#define PRM_BSF_INL_APP_ESCAPE		PRM_FIELD(3, 16, 1)
#define PRM_BSF_INL_APP_MASK		PRM_FIELD(3, 0, 16)

#define PRM_BSF_INL_T10DIF_CRC		0x1u
#define PRM_BSF_INL_T10DIF_CSUM		0x2u

/* Crypto BSF, 64 bytes, alone or after a signature BSF. */
#define PRM_BSF_ENC_ORDER		PRM_FIELD(0, 16, 8)	/* enum prm_bsf_enc_order */
#define PRM_BSF_ENC_STANDARD		PRM_FIELD(0, 0, 8)	/* 0: AES-XTS */
#define PRM_BSF_UNIT_SELECTOR		PRM_FIELD(2, 24, 8)
#define PRM_BSF_TWEAK_BYTE		0x10u
#define PRM_BSF_TWEAK_SIZE		16u
#define PRM_BSF_DEK			PRM_FIELD(8, 0, 24)
#define PRM_BSF_KEYTAG_BYTE		0x28u
#define PRM_BSF_KEYTAG_SIZE		8u

enum prm_bsf_len {
	PRM_BSF_LEN_BASIC = 0x0,
	PRM_BSF_LEN_EXTENDED = 0x1,
	PRM_BSF_LEN_WITH_INLINE = 0x2,
	PRM_BSF_LEN_SIG_AND_CRYPTO = 0x3,
};

enum prm_bsf_type {
	PRM_BSF_TYPE_SIGNATURE = 0x0,
	PRM_BSF_TYPE_CRYPTO = 0x1,
};

/* bs_selector */
enum prm_bsf_bs {
	PRM_BSF_BS_NONE = 0,
	PRM_BSF_BS_512 = 1,
	PRM_BSF_BS_520 = 2,
	PRM_BSF_BS_4096 = 3,
	PRM_BSF_BS_4160 = 4,
	PRM_BSF_BS_1G = 5,
	PRM_BSF_BS_4048 = 6,
};

/* Block format selector: bits 7..4 select the sum; same for a transaction. */
#define PRM_BFS_NONE			0x00u
#define PRM_BFS_CRC32			0x20u
#define PRM_BFS_CRC32C			0x40u
#define PRM_BFS_CRC64_XP10		0x50u
#define PRM_BFS_SUM_MASK		0xf0u
#define PRM_BFS_CRC_REPEAT		0x02u
#define PRM_BFS_CRC_SEED_ZERO		0x01u

/* Position of the cipher in a transfer; transmit is memory to wire. */
enum prm_bsf_enc_order {
	PRM_BSF_ENC_WIRE_SIGNATURE = 0x0,	/* the wire with its signature is encrypted */
	PRM_BSF_ENC_MEMORY_SIGNATURE = 0x1,	/* the memory with its signature is encrypted */
	PRM_BSF_ENC_RAW_WIRE = 0x2,		/* data on the wire are encrypted, not the sum */
	PRM_BSF_ENC_RAW_MEMORY = 0x3,		/* data in memory are encrypted, not the sum */
};

/* CREATE_PSV and DESTROY_PSV. */
#define PRM_CREATE_PSV_IN_NUM_PSV	PRM_FIELD(2, 28, 4)
#define PRM_CREATE_PSV_IN_PD		PRM_FIELD(2, 0, 24)
#define PRM_CREATE_PSV_OUT_SIZE		0x20
#define PRM_CREATE_PSV_OUT_PSV(n)	PRM_FIELD(4 + (n), 0, 24)
#define PRM_CREATE_PSV_MAX		4u

/* SET_PSV WQE: control segment and one octoword. */
#define PRM_OPCODE_SET_PSV		0x20u
#define PRM_SET_PSV_INDEX		PRM_FIELD(0, 0, 24)
#define PRM_SET_PSV_SYNDROME		PRM_FIELD(1, 16, 16)
#define PRM_SET_PSV_TRANSIENT		PRM_FIELD(2, 0, 64)
#define PRM_SET_PSV_SIZE		16u

/* Transient signature of a T10-DIF domain. */
#define PRM_PSV_GUARD(ts)		((uint16_t)((ts) >> 48))
#define PRM_PSV_APP_TAG(ts)		((uint16_t)((ts) >> 32))
#define PRM_PSV_REF_TAG(ts)		((uint32_t)(ts))
/*
 * Transient signature of a 32-bit CRC: the sum, not inverted (libmlx5: psv_transient_signature()).
 */
#define PRM_PSV_CRC32(sum)		((uint64_t)(uint32_t)(sum) << 32)
#define PRM_PSV_CRC32_SUM(ts)		((uint32_t)((ts) >> 32))

/* Signature error CQE. */
#define PRM_SIGERR_EXPECTED		PRM_FIELD(4, 0, 32)
#define PRM_SIGERR_ACTUAL		PRM_FIELD(5, 0, 32)
#define PRM_SIGERR_EXPECTED_LOW		PRM_FIELD(6, 0, 32)	/* ref tag, or low half of CRC64 */
#define PRM_SIGERR_ACTUAL_LOW		PRM_FIELD(7, 0, 32)
#define PRM_SIGERR_SYNDROME		PRM_FIELD(8, 16, 16)
#define PRM_SIGERR_SIG_TYPE		PRM_FIELD(8, 8, 8)	/* PRM_SIGERR_TYPE_* */
#define PRM_SIGERR_DOMAIN		PRM_FIELD(8, 0, 8)
#define PRM_SIGERR_MKEY			PRM_FIELD(9, 0, 32)
#define PRM_SIGERR_OFFSET		PRM_FIELD(10, 0, 64)
#define PRM_SIGERR_QPN			PRM_FIELD(14, 0, 24)

#define PRM_SIGERR_SYNDROME_REFTAG	0x0800u
#define PRM_SIGERR_SYNDROME_APPTAG	0x1000u
#define PRM_SIGERR_SYNDROME_GUARD	0x2000u
/* rdma-core, verbs.c: MLX5_SIGERR_CQE_SIG_TYPE_* */
#define PRM_SIGERR_TYPE_BLOCK		0u
#define PRM_SIGERR_TYPE_TRANSACTION	1u
#define PRM_SIGERR_DOMAIN_WIRE		0u
#define PRM_SIGERR_DOMAIN_MEMORY	1u

/* mkey_mask bit of the UMR control segment: mkc.expected_sigerr_count. */
#define PRM_UMR_MKEY_MASK_SIGERR	(UINT64_C(1) << 9)

#endif /* MLX5_PRM_SIG_H */
