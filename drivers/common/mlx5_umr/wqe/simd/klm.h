/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_KLM_H
#define MLX5_UMR_KLM_H

/**
 * @file
 * Converts segments to KLMs. Only the code in this folder depends on the instruction set.
 *
 * A segment is {addr 8, length 4, lkey 4} in host byte order, a KLM is {byte_count 4, key 4, addr
 * 8} in big endian: on a little-endian CPU that is one shuffle of the 16 bytes. A list is loaded,
 * stored, added up and checked in one pass: it is stored to a part of the ring that the device does
 * not read yet, so nothing is lost if an entry turns out to be invalid.
 *
 * Whole blocks use vectors of 32 bytes in files that are compiled for AVX2 (fast/isa.h), and of 16
 * bytes otherwise. Everything else uses 16 bytes: the compiler has such vectors for every CPU.
 * MLX5_UMR_ISA_SCALAR disables the instructions that a CPU may lack.
 */

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include <infiniband/mlx5dv.h>

#include <rte_branch_prediction.h>
#include <rte_byteorder.h>
#include <rte_common.h>
#include <rte_vect.h>

#include <mlx5_prm_wqe.h>
#include <rte_umr.h>

/* 16 bytes; and with the alignment of segments. */
typedef uint8_t mlx5_umr_16x8 __attribute__((vector_size(16), may_alias));
typedef uint32_t mlx5_umr_4x32 __attribute__((vector_size(16), may_alias));
typedef uint64_t mlx5_umr_2x64 __attribute__((vector_size(16), may_alias));
typedef uint64_t mlx5_umr_2x64_u __attribute__((vector_size(16), aligned(8), may_alias));
typedef uint8_t mlx5_umr_32x8 __attribute__((vector_size(32), may_alias));
typedef uint64_t mlx5_umr_4x64 __attribute__((vector_size(32), aligned(8), may_alias));

/* In an order of bytes: zero. */
#define MLX5_UMR_Z	0xff

/** Put the bytes of a vector in an order, which is constant. */
static __rte_always_inline mlx5_umr_2x64
mlx5_umr_shuffle(mlx5_umr_2x64 v, mlx5_umr_16x8 order)
{
#if defined(__SSSE3__) && !defined(MLX5_UMR_ISA_SCALAR)
	return (mlx5_umr_2x64)_mm_shuffle_epi8((__m128i)v, (__m128i)order);
#elif defined(__ARM_NEON) && !defined(MLX5_UMR_ISA_SCALAR)
	return (mlx5_umr_2x64)vqtbl1q_u8((uint8x16_t)v, (uint8x16_t)order);
#else
	const mlx5_umr_16x8 src = (mlx5_umr_16x8)v;
	mlx5_umr_16x8 dst = { 0 };

	for (unsigned int i = 0; i < sizeof(v); i++)
		dst[i] = order[i] == MLX5_UMR_Z ? 0 : src[order[i]];
	return (mlx5_umr_2x64)dst;
#endif
}

/* Store zeros as wide as the instruction set allows. */
static inline void
mlx5_umr_zero_16(void *dst)
{
	*(mlx5_umr_2x64_u *)dst = (mlx5_umr_2x64_u){ 0 };
}

static inline void
mlx5_umr_zero_32(void *dst)
{
	*(mlx5_umr_4x64 *)dst = (mlx5_umr_4x64){ 0 };
}

/*
 * Vectors of whole blocks. The second qword of each segment contains its length, and its key, which
 * additions of dwords do not disturb.
 */
#if defined(__AVX2__) && !defined(MLX5_UMR_ISA_SCALAR)
#define MLX5_UMR_VEC_SIZE 32u
#define MLX5_UMR_VEC(first, second)	{ first, second, first, second }
#else
#define MLX5_UMR_VEC_SIZE 16u
#define MLX5_UMR_VEC(first, second)	{ first, second }
#endif

typedef uint32_t mlx5_umr_vec_dw __attribute__((vector_size(MLX5_UMR_VEC_SIZE), may_alias));
typedef uint64_t mlx5_umr_vec __attribute__((vector_size(MLX5_UMR_VEC_SIZE), may_alias));
typedef uint64_t mlx5_umr_vec_u
	__attribute__((vector_size(MLX5_UMR_VEC_SIZE), aligned(8), may_alias));

#define MLX5_UMR_KLM_ORDER	11, 10, 9, 8, 15, 14, 13, 12, 7, 6, 5, 4, 3, 2, 1, 0

/** Store two vectors of 16 bytes, to an address that is aligned to 32. */
static __rte_always_inline void
mlx5_umr_store_2(void *dst, mlx5_umr_2x64 first, mlx5_umr_2x64 second)
{
#if MLX5_UMR_VEC_SIZE == 32u
	_mm256_store_si256(dst, _mm256_inserti128_si256(_mm256_castsi128_si256((__m128i)first),
							(__m128i)second, 1));
#else
	mlx5_umr_2x64 *half = dst;

	half[0] = first;
	half[1] = second;
#endif
}

/** Convert the segments of a vector to KLMs. */
static __rte_always_inline mlx5_umr_vec
mlx5_umr_vec_klm(mlx5_umr_vec segs)
{
#if MLX5_UMR_VEC_SIZE == 32u
	return (mlx5_umr_vec)_mm256_shuffle_epi8((__m256i)segs,
						 _mm256_setr_epi8(MLX5_UMR_KLM_ORDER,
								  MLX5_UMR_KLM_ORDER));
#else
	return mlx5_umr_shuffle(segs, (mlx5_umr_16x8){ MLX5_UMR_KLM_ORDER });
#endif
}

/** Lengths of segments, in the second qword of each. */
struct mlx5_umr_lens {
	mlx5_umr_vec less;	/* OR of all (length - 1), whose bit 31 must be 0 */
	mlx5_umr_vec sum;	/* of all (length - 1) */
};

/* A length is 1 to 2 GiB, which the device encodes as 0. */
#define MLX5_UMR_LEN_BAD	(UINT64_C(1) << 31)
#define MLX5_UMR_LEN_MASK	((uint64_t)UINT32_MAX)

/** Add two vectors of segments: two valid (length - 1) together fit a dword. */
static __rte_always_inline void
mlx5_umr_lens_add(struct mlx5_umr_lens *lens, mlx5_umr_vec a, mlx5_umr_vec b)
{
	const mlx5_umr_vec mask = MLX5_UMR_VEC(0, MLX5_UMR_LEN_MASK);

	/* Adds -1 to the dword of the length. */
	a = (mlx5_umr_vec)((mlx5_umr_vec_dw)a + (mlx5_umr_vec_dw)mask);
	b = (mlx5_umr_vec)((mlx5_umr_vec_dw)b + (mlx5_umr_vec_dw)mask);
	lens->less |= a | b;
	lens->sum += (mlx5_umr_vec)((mlx5_umr_vec_dw)a + (mlx5_umr_vec_dw)b) & mask;
}

/** Store PRM_KLM_ALIGN segments to a block that is aligned to its size. */
static __rte_always_inline void
mlx5_umr_klm_block_store(void *dst, const struct rte_umr_seg *segs, struct mlx5_umr_lens *lens)
{
	const mlx5_umr_vec_u *src = (const mlx5_umr_vec_u *)segs;
	mlx5_umr_vec *klm = dst;
	unsigned int i;

#pragma GCC unroll 2
	for (i = 0; i < PRM_WQE_BB_SIZE / sizeof(*klm); i += 2) {
		const mlx5_umr_vec a = src[i], b = src[i + 1];

		klm[i] = mlx5_umr_vec_klm(a);
		klm[i + 1] = mlx5_umr_vec_klm(b);
		mlx5_umr_lens_add(lens, a, b);
	}
}

/** Sum of the lengths of whole blocks, each 1 less, and of a part of a block. */
static __rte_always_inline mlx5_umr_2x64
mlx5_umr_lens_total(const struct mlx5_umr_lens *lens, mlx5_umr_2x64 sum)
{
#if MLX5_UMR_VEC_SIZE == 32u
	const __m256i all = (__m256i)lens->sum;

	return sum + (mlx5_umr_2x64)_mm256_castsi256_si128(all) +
	       (mlx5_umr_2x64)_mm256_extracti128_si256(all, 1);
#else
	return sum + lens->sum;
#endif
}

/** Whether all lengths of whole blocks and of a part of a block are valid. */
static __rte_always_inline bool
mlx5_umr_lens_are_good(const struct mlx5_umr_lens *lens, mlx5_umr_2x64 less)
{
#if MLX5_UMR_VEC_SIZE == 32u
	const mlx5_umr_vec bad = MLX5_UMR_VEC(0, MLX5_UMR_LEN_BAD);

	return _mm256_testz_si256(_mm256_or_si256((__m256i)lens->less,
						  _mm256_zextsi128_si256((__m128i)less)),
				  (__m256i)bad);
#else
	less |= lens->less;
	return (less[1] & MLX5_UMR_LEN_BAD) == 0;
#endif
}

/** Load a segment as a KLM, and add its length. */
static __rte_always_inline mlx5_umr_2x64
mlx5_umr_klm_of(const struct rte_umr_seg *segs, mlx5_umr_2x64 *less, mlx5_umr_2x64 *sum)
{
	const mlx5_umr_2x64 mask = { 0, MLX5_UMR_LEN_MASK };
	const mlx5_umr_2x64 seg = *(const mlx5_umr_2x64_u *)segs;
	const mlx5_umr_2x64 one_less = (mlx5_umr_2x64)((mlx5_umr_4x32)seg + (mlx5_umr_4x32)mask);

	*less |= one_less;
	*sum += one_less & mask;
	return mlx5_umr_shuffle(seg, (mlx5_umr_16x8){ MLX5_UMR_KLM_ORDER });
}

/** Store less than PRM_KLM_ALIGN segments, at least one, to a block, and add their lengths. */
static __rte_always_inline void
mlx5_umr_klm_part_store(uint8_t *dst, const struct rte_umr_seg *segs, uint32_t nb,
			mlx5_umr_2x64 *less, mlx5_umr_2x64 *sum)
{
	const mlx5_umr_2x64 first = mlx5_umr_klm_of(segs, less, sum);
	mlx5_umr_2x64 second = { 0 }, third = { 0 };

	if (nb > 1)
		second = mlx5_umr_klm_of(&segs[1], less, sum);
	if (nb > 2)
		third = mlx5_umr_klm_of(&segs[2], less, sum);
	mlx5_umr_store_2(dst, first, second);
	mlx5_umr_store_2(dst + 2 * PRM_KLM_SIZE, third, (mlx5_umr_2x64){ 0 });
}

/** Length of a layout, in the second qword; the first is undefined. */
typedef mlx5_umr_2x64 mlx5_umr_len_t;

static __rte_always_inline mlx5_umr_len_t
mlx5_umr_len_of(uint64_t len)
{
	return (mlx5_umr_len_t){ len, len };
}

/**
 * Store nb segments as KLMs, at least one. The destination is aligned to a block, and the last
 * block is padded with zeros. No byte after the segments is read.
 *
 * @param nb_blocks
 *   Constant: number of blocks, or 0 for any.
 * @param[out] len
 *   Sum of the lengths.
 * @return
 *   Whether all lengths are valid.
 */
static __rte_always_inline bool
mlx5_umr_klms_store(uint8_t *dst, const struct rte_umr_seg *segs, uint32_t nb,
		    const uint32_t nb_blocks, mlx5_umr_len_t *len)
{
	mlx5_umr_2x64 less = { 0 }, sum = { 0, nb };
	struct mlx5_umr_lens lens = { 0 };
	uint32_t i, nb_last = nb % PRM_KLM_ALIGN;

#pragma GCC unroll 4
	for (i = 1; i < nb_blocks; i++) {
		mlx5_umr_klm_block_store(dst, segs, &lens);
		segs += PRM_KLM_ALIGN;
		dst += PRM_WQE_BB_SIZE;
	}
	if (nb_blocks != 0) {
		nb_last = nb - (nb_blocks - 1) * PRM_KLM_ALIGN;
		if (likely(nb_last == PRM_KLM_ALIGN)) {
			mlx5_umr_klm_block_store(dst, segs, &lens);
			/* A constant. */
			sum = (mlx5_umr_2x64){ 0, nb_blocks * PRM_KLM_ALIGN };
			*len = mlx5_umr_lens_total(&lens, sum);
			return mlx5_umr_lens_are_good(&lens, less);
		}
	} else {
		for (i = nb / PRM_KLM_ALIGN; i != 0; i--) {
			mlx5_umr_klm_block_store(dst, segs, &lens);
			segs += PRM_KLM_ALIGN;
			dst += PRM_WQE_BB_SIZE;
		}
	}
	if (nb_last != 0)
		mlx5_umr_klm_part_store(dst, segs, nb_last, &less, &sum);
	*len = mlx5_umr_lens_total(&lens, sum);
	return mlx5_umr_lens_are_good(&lens, less);
}

/**
 * Store segments one after the other to an address that is aligned to 16, except empty ones: the
 * device interprets a length of 0 as 2 GiB.
 */
static __rte_always_inline void
mlx5_umr_segs_store(void *dst, const struct rte_umr_seg *segs, uint32_t nb)
{
	const struct rte_umr_seg *end = segs + nb;
	mlx5_umr_2x64 *klm = dst;

	for (; segs != end; segs++) {
		if (unlikely(segs->length == 0))
			continue;
		*klm++ = mlx5_umr_shuffle(*(const mlx5_umr_2x64_u *)segs,
					  (mlx5_umr_16x8){ MLX5_UMR_KLM_ORDER });
	}
}

/**
 * Store one segment to any address: the data segment of a transfer, which has the layout of a KLM.
 */
static inline void
mlx5_umr_klm_store(void *dst, const struct rte_umr_seg *seg)
{
	uint64_t *klm = dst;

	klm[0] = rte_cpu_to_be_64((uint64_t)seg->length << 32 | seg->lkey);
	klm[1] = rte_cpu_to_be_64(seg->addr);
}

#endif /* MLX5_UMR_KLM_H */
