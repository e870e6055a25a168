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
 * operations.
 *
 * With wide vectors each half of a block is assembled in a register and stored at once: a CPU
 * executes one store per cycle, regardless of its width. Values come from memory or from vectors;
 * moving one from a general register would take longer than a separate store.
 */

#include <stdint.h>

#include <infiniband/mlx5dv.h>

#include <mlx5_prm_wqe.h>

#include "wqe/ctrl.h"
#include "wqe/simd/entry.h"
#include "wqe/simd/klm.h"

/** Constants that depend only on the size of an UMR. */
struct mlx5_umr_size {
	/* Added to the prefix: size in DS, 0; UMR control segment, as in memory. */
	uint64_t prefix[4] __rte_aligned(32);
	uint64_t step[4];	/* difference to the prefix of the next WQE */
	uint32_t nb_wqebb;
	uint32_t nb_bytes;	/* of all blocks */
} __rte_aligned(128);	/* a power of two simplifies indexing */

/* Access and free bit in the first dword of a key context. */
#define MLX5_UMR_MKC_ACCESS_SHIFT	(8 + MLX5_UMR_ACCESS_SHIFT)
#define MLX5_UMR_MKC_FREE		((uint32_t)MLX5_WQE_MKEY_CONTEXT_FREE << 24)

/* Position of the index in the first half of a control segment. */
#define MLX5_UMR_INDEX_SHIFT	40

/** Initializer for an UMR with that many DS. */
#define MLX5_UMR_SIZE(nb_ds, flags, nb_klm, mkey_mask)                                             \
	{                                                                                          \
		.prefix = { (nb_ds), 0,                                                            \
			  RTE_BE64((uint64_t)(flags) << 56 | (uint64_t)(nb_klm) << 16),            \
			  RTE_BE64(mkey_mask) },                                                   \
		.step = { (uint64_t)MLX5_UMR_NB_WQEBB(nb_ds) << MLX5_UMR_INDEX_SHIFT },            \
		.nb_wqebb = MLX5_UMR_NB_WQEBB(nb_ds),                                              \
		.nb_bytes = MLX5_UMR_NB_WQEBB(nb_ds) * PRM_WQE_BB_SIZE,                            \
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

/** Indexed by blocks of KLMs in the WQE. */
extern const struct mlx5_umr_size
	mlx5_umr_inline_sizes[PRM_UMR_INLINE_KLM_MAX / PRM_KLM_ALIGN + 1]
	__attribute__((visibility("hidden")));

/** Size for a layout of nb_klm slots before padding. */
static __rte_always_inline const struct mlx5_umr_size *
mlx5_umr_inline_size(uint32_t nb_klm)
{
	return &mlx5_umr_inline_sizes[(nb_klm + PRM_KLM_ALIGN - 1) / PRM_KLM_ALIGN];
}

/**
 * Control segment, and UMR control segment up to its mask, complete except the key. Both halves of
 * the control segment are in host byte order: an addition advances the index, and one swap converts
 * a whole half.
 */
struct mlx5_umr_prefix {
#if MLX5_UMR_VEC_SIZE == 32u
	__m256i v;
#else
	uint64_t first;		/* index, opcode, QP number, size */
	uint64_t second;	/* fence */
	uint64_t umr[2];
#endif
};

/** Prefix of a queue, without a size. */
static __rte_always_inline struct mlx5_umr_prefix
mlx5_umr_prefix_of(uint32_t qpn_ds, uint8_t fm_ce_se, mlx5_umr_idx_t pi)
{
	const uint64_t first = (uint64_t)mlx5_umr_idx_low(pi) << MLX5_UMR_INDEX_SHIFT |
			       (uint64_t)MLX5_OPCODE_UMR << 32 | qpn_ds;
	const uint64_t second = (uint64_t)fm_ce_se << 32;

#if MLX5_UMR_VEC_SIZE == 32u
	return (struct mlx5_umr_prefix){
		_mm256_zextsi128_si256(_mm_set_epi64x((long long)second, (long long)first)),
	};
#else
	return (struct mlx5_umr_prefix){ .first = first, .second = second };
#endif
}

/** Prefix for a WQE of a size. */
static __rte_always_inline struct mlx5_umr_prefix
mlx5_umr_prefix_sized(const struct mlx5_umr_prefix *prefix, const struct mlx5_umr_size *size)
{
#if MLX5_UMR_VEC_SIZE == 32u
	return (struct mlx5_umr_prefix){
		_mm256_or_si256(prefix->v, *(const __m256i *)size->prefix),
	};
#else
	return (struct mlx5_umr_prefix){
		.first = prefix->first | size->prefix[0],
		.second = prefix->second,
		.umr = { size->prefix[2], size->prefix[3] },
	};
#endif
}

/** Set the UMR control segment, as in memory, if the size is stored with the QP number. */
static __rte_always_inline void
mlx5_umr_prefix_set_umr(struct mlx5_umr_prefix *prefix, uint64_t word, uint64_t mkey_mask)
{
#if MLX5_UMR_VEC_SIZE == 32u
	prefix->v = _mm256_inserti128_si256(prefix->v, _mm_set_epi64x((long long)mkey_mask,
								      (long long)word), 1);
#else
	prefix->umr[0] = word;
	prefix->umr[1] = mkey_mask;
#endif
}

/** Advance to the WQE after one of that size. Its index must not wrap. */
static __rte_always_inline void
mlx5_umr_prefix_next(struct mlx5_umr_prefix *prefix, const struct mlx5_umr_size *size)
{
#if MLX5_UMR_VEC_SIZE == 32u
	prefix->v = _mm256_add_epi64(prefix->v, *(const __m256i *)size->step);
#else
	prefix->first += size->step[0];
#endif
}

/** A dword in the form that the builder needs. */
struct mlx5_umr_dw {
#if MLX5_UMR_VEC_SIZE == 32u
	__m256i v;
#else
	uint32_t n;
#endif
};

static __rte_always_inline struct mlx5_umr_dw
mlx5_umr_dw_of(uint32_t value)
{
#if MLX5_UMR_VEC_SIZE == 32u
	return (struct mlx5_umr_dw){ _mm256_set1_epi32((int)value) };
#else
	return (struct mlx5_umr_dw){ value };
#endif
}

/** Load it from memory, without using a general register. */
static __rte_always_inline struct mlx5_umr_dw
mlx5_umr_dw_load(const uint32_t *src)
{
#if MLX5_UMR_VEC_SIZE == 32u
	return (struct mlx5_umr_dw){ mlx5_umr_dw_broadcast(src) };
#else
	return (struct mlx5_umr_dw){ *src };
#endif
}

/** Access at its position in the first dword of a key context. */
static __rte_always_inline struct mlx5_umr_dw
mlx5_umr_dw_access(struct mlx5_umr_dw access)
{
#if MLX5_UMR_VEC_SIZE == 32u
	return (struct mlx5_umr_dw){ _mm256_slli_epi32(access.v, MLX5_UMR_MKC_ACCESS_SHIFT) };
#else
	return (struct mlx5_umr_dw){ access.n << MLX5_UMR_MKC_ACCESS_SHIFT };
#endif
}

/** Store the length of an UMR. */
static __rte_always_inline void
mlx5_umr_head_store_len(uint8_t *wqe, uint64_t len)
{
	((uint64_t *)wqe)[11] = mlx5_umr_be64(len);
}

/**
 * Build blocks 0 and 1. Only the lowest byte of the tag is used: it becomes the tag of the key. len
 * is NULL if it is stored afterwards. Returns block 2.
 */
static __rte_always_inline uint8_t *
mlx5_umr_head_store(uint8_t *wqe, const struct mlx5_umr_prefix *prefix, struct mlx5_umr_dw key,
		    struct mlx5_umr_dw tag, struct mlx5_umr_dw mkc_dw0,
		    const struct mlx5_umr_len *len)
{
	uint64_t *dst = (uint64_t *)wqe;

#if MLX5_UMR_VEC_SIZE == 32u
	/* Swap the control segment; keep the UMR control segment. */
	const __m256i swap = _mm256_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8,
					      0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
	/* The first dword; the last byte of qpn_mkey is the tag; the length is last. */
	const __m256i mkc = _mm256_setr_epi8(3, 2, 1, 0, -1, -1, -1, 4, -1, -1, -1, -1, -1, -1,
					     -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 15, 14, 13, 12,
					     11, 10, 9, 8);
	const __m256i any_qpn = _mm256_setr_epi32(0, (int)RTE_BE32(PRM_MKC_QPN_ANY << 8), 0, 0, 0,
						  0, 0, 0);
	__m256i v = _mm256_blend_epi32(prefix->v, key.v, 0x04);

	_mm256_store_si256((__m256i *)&dst[0], _mm256_shuffle_epi8(v, swap));
	mlx5_umr_zero_32(&dst[4]);
	v = _mm256_blend_epi32(mkc_dw0.v, tag.v, 0x02);
	if (len != NULL)
		v = _mm256_blend_epi32(v, len->v, 0xc0);
	_mm256_store_si256((__m256i *)&dst[8],
			   _mm256_or_si256(_mm256_shuffle_epi8(v, mkc), any_qpn));
	mlx5_umr_zero_32(&dst[12]);
#else
	dst[0] = mlx5_umr_be64(prefix->first);
	dst[1] = mlx5_umr_be64(prefix->second) | mlx5_umr_be64(key.n);
	/* struct mlx5_wqe_umr_ctrl_seg */
	*(mlx5_umr_2x64 *)&dst[2] = *(const mlx5_umr_2x64 *)prefix->umr;
	mlx5_umr_zero_32(&dst[4]);
	/* struct mlx5_wqe_mkey_context_seg: access_flags, qpn_mkey; start_addr, len */
	dst[8] = mlx5_umr_be_2dw(mlx5_umr_be32(mkc_dw0.n), 0) | mlx5_umr_be64(tag.n) |
		 RTE_BE64((uint64_t)PRM_MKC_QPN_ANY << 8);
	mlx5_umr_zero_16(&dst[9]);
	if (len != NULL)
		dst[11] = mlx5_umr_be64(len->n);
	mlx5_umr_zero_32(&dst[12]);
#endif
	return wqe + MLX5_UMR_HDR_WQEBB * PRM_WQE_BB_SIZE;
}

/** Head of an UMR that sets layout and access of a key. */
static __rte_always_inline uint8_t *
mlx5_umr_layout_head_store(uint8_t *wqe, const struct mlx5_umr_prefix *prefix,
			   struct mlx5_umr_dw key, struct mlx5_umr_dw access,
			   const struct mlx5_umr_len *len)
{
	return mlx5_umr_head_store(wqe, prefix, key, key, mlx5_umr_dw_access(access), len);
}

/** Build a complete UMR that frees a key. */
static __rte_always_inline void
mlx5_umr_free_store(uint8_t *wqe, const struct mlx5_umr_prefix *prefix, struct mlx5_umr_dw key)
{
	const struct mlx5_umr_len len = mlx5_umr_len_of(0);

	mlx5_umr_head_store(wqe, prefix, key, mlx5_umr_dw_of(0), mlx5_umr_dw_of(MLX5_UMR_MKC_FREE),
			    &len);
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
	const uint64_t umr_word = mlx5_umr_be64(umr_flags << 56 | (uint64_t)nb_klm << 16 | bsf_ds);
	const uint32_t qpn_ds = ctrl->qpn_ds | (MLX5_UMR_HDR_DS + tail_ds);
	const struct mlx5_umr_dw key = mlx5_umr_dw_load(&ctrl->imm);
	const struct mlx5_umr_len len = mlx5_umr_len_of(head->len);
	struct mlx5_umr_prefix prefix = mlx5_umr_prefix_of(qpn_ds, ctrl->fm_ce_se, ctrl->pi);
	uint64_t *dst = (uint64_t *)wqe;

	mlx5_umr_prefix_set_umr(&prefix, umr_word, mlx5_umr_be64(head->mkey_mask));
	mlx5_umr_head_store(wqe, &prefix, key, key, mlx5_umr_dw_of(head->mkc_dw0), &len);
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
