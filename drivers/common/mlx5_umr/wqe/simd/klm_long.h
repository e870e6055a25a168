/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_KLM_LONG_H
#define MLX5_UMR_KLM_LONG_H

/**
 * @file
 * Lists of several blocks of KLMs in the WQE, based on klm.h.
 */

#include "wqe/simd/klm.h"

/**
 * Constants that depend only on the number of segments of a list, more than PRM_KLM_ALIGN and at
 * most PRM_UMR_INLINE_KLM_MAX: whole blocks, and a last one, which may be padded.
 */
struct mlx5_umr_long {
	uint32_t nb;		/* segments */
	size_t whole_len;	/* bytes of whole blocks, same for segments and KLMs */
	uint32_t nb_last;	/* segments of the last block */
#if MLX5_UMR_VEC_SIZE == 32u
	__m256i mask_lo;	/* of the last block */
	__m256i mask_hi;
	const struct mlx5_umr_lanes *lanes;
#endif
	mlx5_umr_vec_dw nb_whole;	/* segments of whole blocks, at the positions of lengths */
};

static __rte_always_inline struct mlx5_umr_long
mlx5_umr_long_of(uint32_t nb)
{
	const uint32_t nb_blocks = (nb - 1) / PRM_KLM_ALIGN;
	const uint32_t nb_last = nb - nb_blocks * PRM_KLM_ALIGN;
#if MLX5_UMR_VEC_SIZE == 32u
	const struct mlx5_umr_lanes *lanes = mlx5_umr_lanes_of(nb_last);
	const __m256i *masks = (const __m256i *)lanes->all;
#endif

	return (struct mlx5_umr_long){
		.nb = nb,
		.whole_len = (size_t)nb_blocks * PRM_WQE_BB_SIZE,
		.nb_last = nb_last,
#if MLX5_UMR_VEC_SIZE == 32u
		.mask_lo = masks[0],
		.mask_hi = masks[1],
		.lanes = lanes,
#endif
		.nb_whole = { 0, 0, nb_blocks * PRM_KLM_ALIGN },
	};
}

/** Load the last block. */
static __rte_always_inline struct mlx5_umr_quad
mlx5_umr_long_load(const struct mlx5_umr_long *list, const struct rte_umr_seg *segs)
{
	segs = RTE_PTR_ADD(segs, list->whole_len);
#if MLX5_UMR_VEC_SIZE == 32u
	return (struct mlx5_umr_quad){
		.lo = _mm256_maskload_epi64((const long long *)&segs[0], list->mask_lo),
		.hi = _mm256_maskload_epi64((const long long *)&segs[2], list->mask_hi),
		.lanes = list->lanes,
	};
#else
	return mlx5_umr_quad_load(segs, list->nb_last);
#endif
}

/* Call DO for each of nb whole blocks, [1, 12]; one jump, no loop. */
#define MLX5_UMR_BLOCKS(nb, DO)                                                                    \
	do {                                                                                       \
		switch (nb) {                                                                      \
		case 12: DO(11); /* fallthrough */                                                 \
		case 11: DO(10); /* fallthrough */                                                 \
		case 10: DO(9); /* fallthrough */                                                  \
		case 9: DO(8); /* fallthrough */                                                   \
		case 8: DO(7); /* fallthrough */                                                   \
		case 7: DO(6); /* fallthrough */                                                   \
		case 6: DO(5); /* fallthrough */                                                   \
		case 5: DO(4); /* fallthrough */                                                   \
		case 4: DO(3); /* fallthrough */                                                   \
		case 3: DO(2); /* fallthrough */                                                   \
		case 2: DO(1); /* fallthrough */                                                   \
		case 1: DO(0); break;                                                              \
		default: __builtin_unreachable();                                                  \
		}                                                                                  \
	} while (0)

static_assert((PRM_UMR_INLINE_KLM_MAX - 1) / PRM_KLM_ALIGN == 12, "whole blocks");

/** Store a list; blocks are aligned to their size. */
static __rte_always_inline void
mlx5_umr_long_store(uint8_t *dst, const struct mlx5_umr_long *list, const struct rte_umr_seg *segs,
		    const struct mlx5_umr_quad *last)
{
#define STORE(i)                                                                                   \
	mlx5_umr_klm_block_store(dst + (i) * PRM_WQE_BB_SIZE, &segs[(i) * PRM_KLM_ALIGN])
	MLX5_UMR_BLOCKS(list->whole_len / PRM_WQE_BB_SIZE, STORE);
#undef STORE
	mlx5_umr_quad_store(dst + list->whole_len, last);
}

/**
 * Lengths of many segments. The OR of all (length - 1) shows whether a length was 0 (all bits are
 * set then), and whether all were small enough for a 32-bit sum of a WQE.
 */
struct mlx5_umr_lens {
	mlx5_umr_vec_dw less;
	mlx5_umr_vec_dw sum;
};

#define MLX5_UMR_LONG_LIMIT	(UINT32_C(1) << 26)
static_assert(PRM_UMR_INLINE_KLM_MAX <= UINT32_MAX / MLX5_UMR_LONG_LIMIT, "the sum fits");

/** Add the lengths of the last block. */
static __rte_always_inline void
mlx5_umr_lens_add(struct mlx5_umr_lens *lens, mlx5_umr_vec_dw v, mlx5_umr_vec_dw minus_one)
{
	lens->less |= v + minus_one;
	lens->sum += v;
}

/** Add (length - 1) of a whole block: each value is read once. */
static __rte_always_inline void
mlx5_umr_lens_add_less(struct mlx5_umr_lens *lens, mlx5_umr_vec_dw less)
{
	lens->less |= less;
	lens->sum += less;
}

/** The same for two vectors. */
static __rte_always_inline void
mlx5_umr_lens_add_less_2(struct mlx5_umr_lens *lens, mlx5_umr_vec_dw a, mlx5_umr_vec_dw b)
{
	mlx5_umr_lens_add_less(lens, a);
	mlx5_umr_lens_add_less(lens, b);
}

static __rte_always_inline void
mlx5_umr_lens_add_block(struct mlx5_umr_lens *lens, const struct rte_umr_seg *segs)
{
	const mlx5_umr_vec_dw *v = (const mlx5_umr_vec_dw *)segs;
	const mlx5_umr_vec_dw minus_one = MLX5_UMR_VEC_LENS(UINT32_MAX);

	mlx5_umr_lens_add_less_2(lens, v[0] + minus_one, v[1] + minus_one);
#if MLX5_UMR_VEC_SIZE == 16u
	mlx5_umr_lens_add_less_2(lens, v[2] + minus_one, v[3] + minus_one);
#endif
}

/** Start with the last block, and with the ones that (length - 1) of whole blocks will lack. */
static __rte_always_inline struct mlx5_umr_lens
mlx5_umr_lens_of_last(const struct mlx5_umr_long *list, const struct mlx5_umr_quad *quad)
{
#if MLX5_UMR_VEC_SIZE == 32u
	const struct mlx5_umr_lanes *lanes = quad->lanes;
#else
	const struct mlx5_umr_lanes *lanes = mlx5_umr_lanes_of(list->nb_last);
#endif
	const mlx5_umr_vec_dw *minus_one = (const mlx5_umr_vec_dw *)lanes->len;
	struct mlx5_umr_lens lens = { .sum = list->nb_whole };
#if MLX5_UMR_VEC_SIZE == 32u
	mlx5_umr_lens_add(&lens, (mlx5_umr_vec_dw)quad->lo, minus_one[0]);
	mlx5_umr_lens_add(&lens, (mlx5_umr_vec_dw)quad->hi, minus_one[1]);
#else
	mlx5_umr_lens_add(&lens, (mlx5_umr_vec_dw)quad->a, minus_one[0]);
	mlx5_umr_lens_add(&lens, (mlx5_umr_vec_dw)quad->b, minus_one[1]);
	mlx5_umr_lens_add(&lens, (mlx5_umr_vec_dw)quad->c, minus_one[2]);
	mlx5_umr_lens_add(&lens, (mlx5_umr_vec_dw)quad->d, minus_one[3]);
#endif
	return lens;
}

/** Whether a length was 0 or too large for the sum. */
static __rte_always_inline bool
mlx5_umr_lens_is_big(const struct mlx5_umr_lens *lens)
{
	const mlx5_umr_vec_dw high = MLX5_UMR_VEC_LENS(~(MLX5_UMR_LONG_LIMIT - 1));
#if MLX5_UMR_VEC_SIZE == 32u
	return !_mm256_testz_si256((__m256i)lens->less, (__m256i)high);
#else
	return (lens->less[MLX5_UMR_LEN_DW] & high[MLX5_UMR_LEN_DW]) != 0;
#endif
}

static __rte_always_inline struct mlx5_umr_len
mlx5_umr_lens_total(const struct mlx5_umr_lens *lens)
{
#if MLX5_UMR_VEC_SIZE == 16u
	return mlx5_umr_len_of(lens->sum[MLX5_UMR_LEN_DW]);
#elif MLX5_UMR_VEC_SIZE == 32u
	return mlx5_umr_len_of_halves((__m256i)lens->sum);
#else
	return mlx5_umr_len_of_halves(_mm256_add_epi32(
		_mm512_castsi512_si256((__m512i)lens->sum),
		_mm512_extracti64x4_epi64((__m512i)lens->sum, 1)));
#endif
}

/** Length of a list; false as for mlx5_umr_quad_len_short(). */
static __rte_always_inline bool
mlx5_umr_long_len_short(const struct mlx5_umr_long *list, const struct rte_umr_seg *segs,
			const struct mlx5_umr_quad *last, struct mlx5_umr_len *len)
{
	struct mlx5_umr_lens lens = mlx5_umr_lens_of_last(list, last);

#define ADD(i) mlx5_umr_lens_add_block(&lens, &segs[(i) * PRM_KLM_ALIGN])
	MLX5_UMR_BLOCKS(list->whole_len / PRM_WQE_BB_SIZE, ADD);
#undef ADD
	*len = mlx5_umr_lens_total(&lens);
	return !mlx5_umr_lens_is_big(&lens);
}

/** Length of a list; false if a length is invalid. */
static __rte_always_inline bool
mlx5_umr_long_len(const struct mlx5_umr_long *list, const struct rte_umr_seg *segs,
		  const struct mlx5_umr_quad *last, struct mlx5_umr_len *len)
{
	return likely(mlx5_umr_long_len_short(list, segs, last, len)) ||
	       mlx5_umr_segs_len_exact(segs, list->nb, len);
}

/*
 * Lists of a few whole blocks, with a compile-time number: registers hold them from the length
 * check to the stores, and memory is read once. This requires wide vectors.
 */
#if MLX5_UMR_VEC_SIZE == 32u
/** Maximum whole blocks of a list; each takes two of 16 registers. */
#define MLX5_UMR_HELD_BLOCKS	3u

/** A list in registers. */
struct mlx5_umr_held {
	mlx5_umr_vec_dw half[2 * MLX5_UMR_HELD_BLOCKS];
	struct mlx5_umr_quad last;
};

/** Load a list: [1, MLX5_UMR_HELD_BLOCKS] whole blocks, and the last one. */
static __rte_always_inline struct mlx5_umr_held
mlx5_umr_held_load(const struct mlx5_umr_long *list, const struct rte_umr_seg *segs)
{
	const mlx5_umr_vec_dw *v = (const mlx5_umr_vec_dw *)segs;
	struct mlx5_umr_held held;
	uint32_t i;

	held.last = mlx5_umr_long_load(list, segs);
#pragma GCC unroll 6
	for (i = 0; i < list->whole_len / sizeof(*v); i++)
		held.half[i] = v[i];
	return held;
}

/** Length of a list; false as for mlx5_umr_quad_len_short(). */
static __rte_always_inline bool
mlx5_umr_held_len_short(const struct mlx5_umr_held *held, const struct mlx5_umr_long *list,
			struct mlx5_umr_len *len)
{
	const mlx5_umr_vec_dw minus_one = MLX5_UMR_VEC_LENS(UINT32_MAX);
	struct mlx5_umr_lens lens = mlx5_umr_lens_of_last(list, &held->last);
	uint32_t i;

#pragma GCC unroll 6
	for (i = 0; i < list->whole_len / sizeof(minus_one); i++) {
		mlx5_umr_lens_add_less(&lens, held->half[i] + minus_one);
		/* Force the order: the compiler would keep all terms and add them at the end. */
		__asm__("" : "+v"(lens.less), "+v"(lens.sum));
	}
	*len = mlx5_umr_lens_total(&lens);
	return !mlx5_umr_lens_is_big(&lens);
}

/** Store a list; blocks are aligned to their size. */
static __rte_always_inline void
mlx5_umr_held_store(uint8_t *dst, const struct mlx5_umr_held *held,
		    const struct mlx5_umr_long *list)
{
	const __m256i order = _mm256_setr_epi8(MLX5_UMR_KLM_BYTES, MLX5_UMR_KLM_BYTES);
	__m256i *klm = (__m256i *)dst;
	uint32_t i;

#pragma GCC unroll 6
	for (i = 0; i < list->whole_len / sizeof(*klm); i++)
		_mm256_store_si256(&klm[i], _mm256_shuffle_epi8((__m256i)held->half[i], order));
	mlx5_umr_quad_store(dst + list->whole_len, &held->last);
}
#else
/* None: handled like any long list. */
#define MLX5_UMR_HELD_BLOCKS	0u

struct mlx5_umr_held {
	const struct rte_umr_seg *segs;
	struct mlx5_umr_quad last;
};

static __rte_always_inline struct mlx5_umr_held
mlx5_umr_held_load(const struct mlx5_umr_long *list, const struct rte_umr_seg *segs)
{
	return (struct mlx5_umr_held){ segs, mlx5_umr_long_load(list, segs) };
}

static __rte_always_inline bool
mlx5_umr_held_len_short(const struct mlx5_umr_held *held, const struct mlx5_umr_long *list,
			struct mlx5_umr_len *len)
{
	return mlx5_umr_long_len_short(list, held->segs, &held->last, len);
}

static __rte_always_inline void
mlx5_umr_held_store(uint8_t *dst, const struct mlx5_umr_held *held,
		    const struct mlx5_umr_long *list)
{
	mlx5_umr_long_store(dst, list, held->segs, &held->last);
}
#endif

#endif /* MLX5_UMR_KLM_LONG_H */
