/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_PRM_WQE_H
#define MLX5_PRM_WQE_H

/**
 * @file
 * Work and completion queue entries: definitions that are not in mlx5dv.h.
 *
 * mlx5dv.h defines the segments: mlx5_wqe_ctrl_seg, _umr_ctrl_seg, _mkey_context_seg, _raddr_seg,
 * _data_seg, _umr_klm_seg, _umr_repeat_block_seg, mlx5_cqe64, mlx5_err_cqe.
 */

#include <stddef.h>

#include <infiniband/mlx5dv.h>

#include "mlx5_prm.h"

/* Units of a WQE. */
#define PRM_WQE_DS_SIZE		16u	/* data segment, also "octoword" */
#define PRM_WQE_BB_SIZE		64u	/* basic block */
#define PRM_WQE_DS_PER_BB	4u
#define PRM_WQE_MAX_DS		63u	/* ctrl.ds has 6 bits */
#define PRM_KLM_SIZE		16u
#define PRM_KLM_ALIGN		4u	/* KLMs come in groups of 64 bytes */

/* Inline UMR: 52 KLMs are 60 DS; 56 would be 64, which 6 bits cannot hold. */
#define PRM_UMR_INLINE_KLM_MAX		52u
/* An interleaved layout needs one entry for the repeat block header. */
#define PRM_UMR_INLINE_STRIDED_MAX	(PRM_UMR_INLINE_KLM_MAX - 1)

/* Dword 1 of a KLM contains an mkey; this value marks a repeat block (mlx5dv: rb->op). */
#define PRM_UMR_REPEAT_BLOCK_OP		0x400u

/* ctrl.fm_ce_se: fence mode in bits 7..5, completion mode in bits 3..2, solicited in bit 1. */
#define PRM_CTRL_FM_MASK		0xe0u
#define PRM_CTRL_FM_NONE		0x00u
#define PRM_CTRL_FM_INITIATOR_SMALL	0x20u	/* wait for previous UMRs */
#define PRM_CTRL_FM_FENCE		0x40u	/* wait for previous reads and atomics */
#define PRM_CTRL_FM_STRONG_ORDERING	0x60u
#define PRM_CTRL_FM_FENCE_AND_SMALL	0x80u
#define PRM_CTRL_CE_MASK		0x0cu
#define PRM_CTRL_CE_ON_ERROR		0x00u
#define PRM_CTRL_CE_ON_FIRST_ERROR	0x04u
#define PRM_CTRL_CE_ALWAYS		0x08u
#define PRM_CTRL_CE_ALWAYS_EQE		0x0cu
#define PRM_CTRL_SE			0x02u

/* dqp_dct of an address vector: it has 48 bytes, not 16 (libmlx5: MLX5_EXTENDED_UD_AV). */
#define PRM_AV_EXT		0x80000000u

/* CQE, flags_rqpn of a datagram (libmlx5: handle_responder()). */
#define PRM_CQE_FLAGS_RQPN_GRH	(1u << 28)
#define PRM_CQE_FLAGS_RQPN_SL(sl)	((uint32_t)(sl) << 24)
/* The same bits on RoCE: header before the payload. */
#define PRM_CQE_FLAGS_RQPN_L3(type)	((uint32_t)(type) << 24)
#define PRM_CQE_L3_GRH		0x0u
#define PRM_CQE_L3_IPV6		0x1u
#define PRM_CQE_L3_IPV4		0x2u

/** XRC segment, after the control segment: shared receive queue that receives the message. */
struct prm_wqe_xrc_seg {
	uint32_t xrc_srqn_be;
	uint8_t reserved[12];
};

/* mkey_mask bits of the UMR control segment that are not in mlx5dv.h. */
#define PRM_UMR_MKEY_MASK_PAGE_SIZE	(UINT64_C(1) << 1)
#define PRM_UMR_MKEY_MASK_PD		(UINT64_C(1) << 7)
#define PRM_UMR_MKEY_MASK_EN_RINVAL	(UINT64_C(1) << 8)
#define PRM_UMR_MKEY_MASK_LR		(UINT64_C(1) << 17)
/* Linux: MLX5_MKEY_MASK_SMALL_FENCE; here the following WQE waits for the key in any case. */
#define PRM_UMR_MKEY_MASK_SMALL_FENCE	(UINT64_C(1) << 23)
#define PRM_UMR_MKEY_MASK_RELAXED_ORDERING_WRITE	(UINT64_C(1) << 25)
#define PRM_UMR_MKEY_MASK_RELAXED_ORDERING_READ		(UINT64_C(1) << 47)

/* UMR control flags that are not in mlx5dv.h. */
#define PRM_UMR_FLAG_CHECK_NOT_FREE	(2u << 5)

/* ctrl.opmod of MLX5_OPCODE_MMO (libmlx5: MLX5_OPC_MOD_MMO_DMA). */
#define PRM_MMO_OPMOD_DMA	0x1u

/* First byte of the mkey context segment of an UMR (mlx5dv: mkey_context_seg.free). */
#define PRM_MKEY_SEG_FREE		0x40u

/* Receive CQE (Linux: struct mlx5_cqe64): hash and checksum of a packet. */
#define PRM_CQE_RX_HASH_BYTE	12u
#define PRM_CQE_CHECK_SUM_BYTE	20u

/* CQE op_own: opcode in bits 7..4, format in bits 3..2, solicited in bit 1, owner in bit 0. */
#define PRM_CQE_OPCODE(op_own)	((op_own) >> 4)
#define PRM_CQE_SE			0x02u
#define PRM_CQE_FORMAT_MASK		0x0cu
#define PRM_CQE_FORMAT_COMPRESSED	0x0cu
#define PRM_CQE_OPCODE_INVALID	0xfu
#define PRM_CQE_OPCODE_SIGERR	0xcu

/** Number of 64-byte basic blocks of a WQE with that many DS. */
static inline uint32_t
prm_ds_to_wqebb(uint32_t nb_ds)
{
	return (nb_ds + PRM_WQE_DS_PER_BB - 1) / PRM_WQE_DS_PER_BB;
}

/*
 * Error CQE (PRM, "CQE with error"): its codes are at the position of the timestamp of a successful
 * one.
 */
static_assert(sizeof(struct mlx5_wqe_ctrl_seg) == 16, "control segment is 1 DS");
static_assert(sizeof(struct mlx5_wqe_av) == 48, "address vector is 3 DS");
static_assert(sizeof(struct mlx5_wqe_atomic_seg) == 16, "atomic segment is 1 DS");
static_assert(sizeof(struct prm_wqe_xrc_seg) == 16, "XRC segment is 1 DS");
static_assert(sizeof(struct mlx5_wqe_srq_next_seg) == 16, "next segment is 1 DS");
static_assert(sizeof(struct mlx5_wqe_umr_ctrl_seg) == 48, "UMR control segment is 3 DS");
static_assert(sizeof(struct mlx5_wqe_mkey_context_seg) == 64, "mkey context segment is 4 DS");
static_assert(offsetof(struct mlx5_wqe_mkey_context_seg, len) == 24, "mkc.len is dword 6");
static_assert(sizeof(struct mlx5_wqe_umr_klm_seg) == PRM_KLM_SIZE, "KLM is 1 DS");
static_assert(sizeof(struct mlx5_wqe_umr_repeat_ent_seg) == PRM_KLM_SIZE, "entry is 1 DS");
static_assert(offsetof(struct mlx5_wqe_umr_repeat_block_seg, entries) == 16, "header is 1 DS");
static_assert(sizeof(struct mlx5_cqe64) == 64, "CQE");
static_assert(offsetof(struct mlx5_err_cqe, vendor_err_synd) == 54, "error CQE");
static_assert(offsetof(struct mlx5_err_cqe, syndrome) == 55, "error CQE");
static_assert(offsetof(struct mlx5_cqe64, op_own) == 63, "CQE");

#endif /* MLX5_PRM_WQE_H */
