/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_HEAD_H
#define MLX5_UMR_HEAD_H

/**
 * @file
 * Head of an UMR, blocks 0 and 1 of its WQE: control segment, UMR control segment, key context.
 * Used for all UMRs.
 *
 * The common part is prepared once, as a prefix; index, key, access and length differ between
 * operations. Values come from memory or from vectors where possible: moving one from a general
 * register takes as long as a separate store.
 */

#include <stdint.h>

#include <infiniband/mlx5dv.h>

#include <mlx5_prm_wqe.h>

#include "wqe/ctrl.h"
#include "wqe/simd/entry.h"
#include "wqe/simd/klm.h"

/** Constants that depend only on the size of an UMR. */
struct mlx5_umr_size {
	mlx5_umr_2x64 umr;	/* UMR control segment, as in memory */
	uint32_t nb_ds;
	uint16_t nb_wqebb;
	uint16_t nb_bytes;	/* of all blocks */
} __rte_aligned(32);

/* Access and free bit in the first dword of a key context. */
#define MLX5_UMR_MKC_ACCESS_SHIFT	(8 + MLX5_UMR_ACCESS_SHIFT)
#define MLX5_UMR_MKC_FREE		((uint32_t)MLX5_WQE_MKEY_CONTEXT_FREE << 24)

/* Position of the index in the first half of a control segment. */
#define MLX5_UMR_INDEX_SHIFT	40

/** Initializer for an UMR with that many DS. */
#define MLX5_UMR_SIZE(nb, flags, nb_klm, mkey_mask)                                                \
	{                                                                                          \
		.umr = { RTE_BE64((uint64_t)(flags) << 56 | (uint64_t)(nb_klm) << 16),             \
			 RTE_BE64(mkey_mask) },                                                    \
		.nb_ds = (nb),                                                                     \
		.nb_wqebb = MLX5_UMR_NB_WQEBB(nb),                                                 \
		.nb_bytes = MLX5_UMR_NB_WQEBB(nb) * PRM_WQE_BB_SIZE,                               \
	}
#define MLX5_UMR_NB_WQEBB(nb_ds)	(((nb_ds) + PRM_WQE_DS_PER_BB - 1) / PRM_WQE_DS_PER_BB)

/** Initializer for a layout with that many blocks of KLMs. */
#define MLX5_UMR_SIZE_INLINE(nb_blocks)                                                            \
	MLX5_UMR_SIZE(MLX5_UMR_HDR_DS + (nb_blocks) * PRM_KLM_ALIGN,                               \
		      MLX5_WQE_UMR_CTRL_FLAG_INLINE, (nb_blocks) * PRM_KLM_ALIGN,                  \
		      MLX5_UMR_LAYOUT_MKEY_MASK)

/** Size of an UMR that frees a key; its content is known to the compiler. */
static const struct mlx5_umr_size mlx5_umr_free_size =
	MLX5_UMR_SIZE(MLX5_UMR_HDR_DS,
		      MLX5_WQE_UMR_CTRL_FLAG_INLINE | MLX5_WQE_UMR_CTRL_FLAG_TRNSLATION_OFFSET |
			      MLX5_WQE_UMR_CTRL_FLAG_CHECK_QPN,
		      0, MLX5_UMR_INVAL_MKEY_MASK);

/** Indexed by blocks of KLMs in the WQE; its content is known to the compiler, too. */
static const struct mlx5_umr_size
	mlx5_umr_inline_sizes[PRM_UMR_INLINE_KLM_MAX / PRM_KLM_ALIGN + 1] = {
	MLX5_UMR_SIZE_INLINE(0), MLX5_UMR_SIZE_INLINE(1), MLX5_UMR_SIZE_INLINE(2),
	MLX5_UMR_SIZE_INLINE(3), MLX5_UMR_SIZE_INLINE(4), MLX5_UMR_SIZE_INLINE(5),
	MLX5_UMR_SIZE_INLINE(6), MLX5_UMR_SIZE_INLINE(7), MLX5_UMR_SIZE_INLINE(8),
	MLX5_UMR_SIZE_INLINE(9), MLX5_UMR_SIZE_INLINE(10), MLX5_UMR_SIZE_INLINE(11),
	MLX5_UMR_SIZE_INLINE(12), MLX5_UMR_SIZE_INLINE(13),
};

/** Size for a layout of nb_klm slots before padding. */
static __rte_always_inline const struct mlx5_umr_size *
mlx5_umr_inline_size(uint32_t nb_klm)
{
	return &mlx5_umr_inline_sizes[(nb_klm + PRM_KLM_ALIGN - 1) / PRM_KLM_ALIGN];
}

/**
 * Control segment without the key, {index, opcode, QP number, size; fence}. Both halves are in host
 * byte order: an addition advances the index, and one shuffle converts it.
 */
typedef mlx5_umr_2x64 mlx5_umr_prefix_t;

/** Prefix of a queue, for WQEs with that many DS. */
static __rte_always_inline mlx5_umr_prefix_t
mlx5_umr_prefix_of(uint32_t qpn_ds, uint8_t fm_ce_se, mlx5_umr_idx_t pi)
{
	return (mlx5_umr_prefix_t){
		(uint64_t)mlx5_umr_idx_low(pi) << MLX5_UMR_INDEX_SHIFT |
			(uint64_t)MLX5_OPCODE_UMR << 32 | qpn_ds,
		(uint64_t)fm_ce_se << 32,
	};
}

/** The same for a WQE of another size, if the prefix has none. */
static __rte_always_inline mlx5_umr_prefix_t
mlx5_umr_prefix_sized(mlx5_umr_prefix_t prefix, uint32_t nb_ds)
{
	return prefix | (mlx5_umr_prefix_t){ nb_ds };
}

/** Advance to the WQE after one of that many blocks. Its index must not wrap. */
static __rte_always_inline mlx5_umr_prefix_t
mlx5_umr_prefix_next(mlx5_umr_prefix_t prefix, uint32_t nb_wqebb)
{
	return prefix + (mlx5_umr_prefix_t){ (uint64_t)nb_wqebb << MLX5_UMR_INDEX_SHIFT };
}

/**
 * Build blocks 0 and 1. Only the lowest byte of the tag is used: it becomes the tag of the key.
 * Returns block 2.
 */
static __rte_always_inline uint8_t *
mlx5_umr_head_store(uint8_t *wqe, mlx5_umr_prefix_t prefix, mlx5_umr_2x64 umr,
		    const uint32_t *key, uint32_t tag, uint32_t mkc_dw0, mlx5_umr_len_t len)
{
	mlx5_umr_4x32 ctrl = (mlx5_umr_4x32)prefix;
	mlx5_umr_2x64 mkc, end;

	ctrl[2] = *key;
	/* With struct mlx5_wqe_umr_ctrl_seg. */
	mlx5_umr_store_2(wqe, mlx5_umr_shuffle((mlx5_umr_2x64)ctrl, (mlx5_umr_16x8){
		7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8 }),
			 umr);
	mlx5_umr_zero_32(wqe + 32);
	/* struct mlx5_wqe_mkey_context_seg: access_flags, qpn_mkey with the tag; start_addr, len */
	mkc = (mlx5_umr_2x64){ (uint64_t)tag << 56 | mlx5_umr_be32(mkc_dw0) |
			       RTE_BE64((uint64_t)PRM_MKC_QPN_ANY << 8) };
	end = mlx5_umr_shuffle(len, (mlx5_umr_16x8){
		MLX5_UMR_Z, MLX5_UMR_Z, MLX5_UMR_Z, MLX5_UMR_Z, MLX5_UMR_Z, MLX5_UMR_Z, MLX5_UMR_Z,
		MLX5_UMR_Z, 15, 14, 13, 12, 11, 10, 9, 8 });
	mlx5_umr_store_2(wqe + PRM_WQE_BB_SIZE, mkc, end);
	mlx5_umr_zero_32(wqe + PRM_WQE_BB_SIZE + 32);
	return wqe + MLX5_UMR_HDR_WQEBB * PRM_WQE_BB_SIZE;
}

/** Head of an UMR that sets layout and access of a key. */
static __rte_always_inline uint8_t *
mlx5_umr_layout_head_store(uint8_t *wqe, mlx5_umr_prefix_t prefix, mlx5_umr_2x64 umr,
			   const uint32_t *key, uint32_t access, mlx5_umr_len_t len)
{
	return mlx5_umr_head_store(wqe, prefix, umr, key, *key, access << MLX5_UMR_MKC_ACCESS_SHIFT,
				   len);
}

/** Build a complete UMR that frees a key. */
static __rte_always_inline void
mlx5_umr_free_store(uint8_t *wqe, mlx5_umr_prefix_t prefix, const uint32_t *key)
{
	mlx5_umr_head_store(wqe, prefix, mlx5_umr_free_size.umr, key, 0, MLX5_UMR_MKC_FREE,
			    mlx5_umr_len_of(0));
}

/** Head of an UMR that sets any properties; host byte order. */
struct mlx5_umr_head {
	uint64_t mkey_mask;
	uint64_t len;		/* of the key, if set in mkey_mask */
	uint32_t mkc_dw0;	/* access, ordering, free */
	uint32_t mkc_dw3;	/* BSF, signature errors */
	uint32_t mkc_dw14;	/* ordering */
};

/**
 * Head of any UMR, with the octowords of the list, and those of BSFs or the offset of a part of the
 * list. The key is ctrl->imm.
 * @return Address of its tail.
 */
static __rte_always_inline uint8_t *
mlx5_umr_head_build(uint8_t *wqe, const struct mlx5_umr_ctrl *ctrl,
		    const struct mlx5_umr_head *head, uint64_t umr_flags, uint32_t nb_klm,
		    uint32_t bsf_ds, uint32_t tail_ds)
{
	const mlx5_umr_2x64 umr = {
		mlx5_umr_be64(umr_flags << 56 | (uint64_t)nb_klm << 16 | bsf_ds),
		mlx5_umr_be64(head->mkey_mask),
	};
	const mlx5_umr_prefix_t prefix = mlx5_umr_prefix_of(
		ctrl->qpn_ds | (MLX5_UMR_HDR_DS + tail_ds), ctrl->fm_ce_se, ctrl->pi);
	uint64_t *dst = (uint64_t *)wqe;

	mlx5_umr_head_store(wqe, prefix, umr, &ctrl->imm, ctrl->imm, head->mkc_dw0,
			    mlx5_umr_len_of(head->len));
	if (head->mkc_dw3 != 0)
		dst[9] = mlx5_umr_be64(head->mkc_dw3);
	if (unlikely(head->mkc_dw14 != 0))
		dst[15] = mlx5_umr_be64((uint64_t)head->mkc_dw14 << 32);
	return wqe + MLX5_UMR_HDR_WQEBB * PRM_WQE_BB_SIZE;
}

/** Set afterwards: BSFs and signature errors, the fourth dword. */
static inline void
mlx5_umr_head_set_dw3(uint8_t *wqe, uint32_t mkc_dw3)
{
	((uint64_t *)wqe)[9] = mlx5_umr_be64(mkc_dw3);
}

/** Set afterwards: another owner and tag, the second dword of the key context. */
static inline void
mlx5_umr_head_set_owner(uint8_t *wqe, uint32_t mkc_dw1)
{
	((rte_be32_t *)wqe)[17] = mlx5_umr_be32(mkc_dw1);
}

/** Set afterwards: start address of the key. */
static inline void
mlx5_umr_head_set_start(uint8_t *wqe, uint64_t addr)
{
	((uint64_t *)wqe)[10] = mlx5_umr_be64(addr);
}

static_assert(PRM_WQE_BB_SIZE == 64 &&
	      offsetof(struct mlx5_wqe_mkey_context_seg, qpn_mkey) == 4 &&
	      offsetof(struct mlx5_wqe_mkey_context_seg, start_addr) == 16 &&
	      offsetof(struct mlx5_wqe_mkey_context_seg, len) == 24, "key context");

#endif /* MLX5_UMR_HEAD_H */
