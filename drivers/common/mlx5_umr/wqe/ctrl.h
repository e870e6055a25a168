/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_CTRL_H
#define MLX5_UMR_CTRL_H

/**
 * @file
 * Control segment of all WQEs, and helpers for their bytes.
 */

#include <assert.h>
#include <stdint.h>

#include <infiniband/mlx5dv.h>

#include <rte_byteorder.h>
#include <rte_common.h>

#include <mlx5_prm_wqe.h>
#include <rte_umr.h>

#include "wqe/index.h"

#if RTE_BYTE_ORDER != RTE_LITTLE_ENDIAN
#error "mlx5_umr: little-endian hosts only"
#endif

/** Fields of the control segment of a WQE without opcode and size. */
struct mlx5_umr_ctrl {
	mlx5_umr_idx_t pi; /* of its first block */
	uint32_t qpn_ds; /* QP number << 8 */
	uint32_t imm;	/* host byte order */
	uint8_t fm_ce_se;
};

/* The mkey context segment has the access bits of the API, in the same order. */
#define MLX5_UMR_ACCESS_SHIFT 3
#define MLX5_UMR_ACCESS_MKC                                                                     \
	(RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_READ | RTE_UMR_ACCESS_REMOTE_WRITE |   \
	 RTE_UMR_ACCESS_REMOTE_ATOMIC)

static_assert(RTE_UMR_ACCESS_LOCAL_WRITE << MLX5_UMR_ACCESS_SHIFT ==
	      MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_LOCAL_WRITE, "LW");
static_assert(RTE_UMR_ACCESS_REMOTE_READ << MLX5_UMR_ACCESS_SHIFT ==
	      MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_REMOTE_READ, "RR");
static_assert(RTE_UMR_ACCESS_REMOTE_WRITE << MLX5_UMR_ACCESS_SHIFT ==
	      MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_REMOTE_WRITE, "RW");
static_assert(RTE_UMR_ACCESS_REMOTE_ATOMIC << MLX5_UMR_ACCESS_SHIFT ==
	      MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_ATOMIC, "A");

/* Fields of a key that a layout changes. */
#define MLX5_UMR_LAYOUT_MKEY_MASK                                                                  \
	((uint64_t)MLX5_WQE_UMR_CTRL_MKEY_MASK_FREE | MLX5_WQE_UMR_CTRL_MKEY_MASK_MKEY |           \
	 MLX5_WQE_UMR_CTRL_MKEY_MASK_LEN | MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_LOCAL_WRITE |        \
	 MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_REMOTE_READ |                                          \
	 MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_REMOTE_WRITE |                                         \
	 MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_ATOMIC)

/* Fields of a key that an invalidation changes. */
#define MLX5_UMR_INVAL_MKEY_MASK                                                                   \
	((uint64_t)MLX5_WQE_UMR_CTRL_MKEY_MASK_FREE | MLX5_WQE_UMR_CTRL_MKEY_MASK_MKEY |           \
	 MLX5_WQE_UMR_CTRL_MKEY_MASK_QPN)

#define MLX5_UMR_LOG_DS_SIZE	4u
static_assert(1u << MLX5_UMR_LOG_DS_SIZE == PRM_WQE_DS_SIZE, "DS");

/* Segments in DS. */
#define MLX5_UMR_SIZE_DS(size)	((uint32_t)(size) / PRM_WQE_DS_SIZE)
#define MLX5_UMR_CTRL_DS	MLX5_UMR_SIZE_DS(sizeof(struct mlx5_wqe_ctrl_seg))
#define MLX5_UMR_HDR_DS                                                                            \
	MLX5_UMR_SIZE_DS(sizeof(struct mlx5_wqe_ctrl_seg) + sizeof(struct mlx5_wqe_umr_ctrl_seg) + \
			 sizeof(struct mlx5_wqe_mkey_context_seg))
#define MLX5_UMR_HDR_WQEBB	(MLX5_UMR_HDR_DS / PRM_WQE_DS_PER_BB)

static_assert(MLX5_UMR_HDR_DS + PRM_UMR_INLINE_KLM_MAX <= PRM_WQE_MAX_DS,
	      "the longest inline layout fits ctrl.ds");
static_assert(sizeof(struct mlx5_wqe_ctrl_seg) + sizeof(struct mlx5_wqe_umr_ctrl_seg) ==
	      PRM_WQE_BB_SIZE, "control segments are block 0");
static_assert(sizeof(struct mlx5_wqe_mkey_context_seg) == PRM_WQE_BB_SIZE,
	      "the key context is block 1");

/** KLM slots of n entries, with padding. */
static inline uint32_t
mlx5_umr_klm_align(uint32_t nb_klm)
{
	return RTE_ALIGN_CEIL(nb_klm, PRM_KLM_ALIGN);
}

/** Blocks of an inline UMR of that many KLM slots, before padding. */
static inline uint32_t
mlx5_umr_layout_nb_wqebb(uint32_t nb_klm)
{
	return MLX5_UMR_HDR_WQEBB + mlx5_umr_klm_align(nb_klm) / PRM_WQE_DS_PER_BB;
}

/**
 * Convert to big endian in a way that the compiler can optimize: rte_cpu_to_be_32() is volatile on
 * x86.
 */
static __rte_always_inline rte_be32_t
mlx5_umr_be32(uint32_t value)
{
	return __builtin_bswap32(value);
}

static __rte_always_inline rte_be64_t
mlx5_umr_be64(uint64_t value)
{
	return __builtin_bswap64(value);
}

/** Byte of a big-endian dword, as a dword in memory order. */
static __rte_always_inline rte_be32_t
mlx5_umr_be_byte(uint32_t value, unsigned int at)
{
	return value << 8 * at;
}

/** Combine two dwords that are in memory order. */
static __rte_always_inline uint64_t
mlx5_umr_be_2dw(rte_be32_t first, rte_be32_t second)
{
	return (uint64_t)second << 32 | first;
}

/** Store two big-endian dwords at once. */
static inline void
mlx5_umr_store_2dw(void *dst, uint32_t first, uint32_t second)
{
	*(uint64_t *)dst = mlx5_umr_be64((uint64_t)first << 32 | second);
}

/** First dword of a control segment: 0, index 2, opcode. */
static __rte_always_inline rte_be32_t
mlx5_umr_ctrl_first(uint8_t opcode, mlx5_umr_idx_t pi)
{
	const uint16_t low = mlx5_umr_idx_low(pi);

	return (uint32_t)opcode << 24 | (uint32_t)__builtin_bswap16(low) << 8;
}

/**
 * Write the control segment. Each field is computed separately: in a burst most of them are the
 * same for all operations.
 */
static __rte_always_inline void
mlx5_umr_ctrl_build(uint64_t *dst, uint8_t opcode, uint32_t nb_ds,
		    const struct mlx5_umr_ctrl *ctrl)
{
	dst[0] = mlx5_umr_be_2dw(mlx5_umr_ctrl_first(opcode, ctrl->pi),
				 mlx5_umr_be32(ctrl->qpn_ds) | mlx5_umr_be_byte(nb_ds, 3));
	dst[1] = mlx5_umr_be_2dw(mlx5_umr_be_byte(ctrl->fm_ce_se, 3), mlx5_umr_be32(ctrl->imm));
}

#endif /* MLX5_UMR_CTRL_H */
