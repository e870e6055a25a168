/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_KLM_H
#define MLX5_UMR_KLM_H

/**
 * @file
 * Segments to KLMs, the only code of the builder that differs between instruction sets.
 *
 * A segment is {addr 8, length 4, lkey 4} in host byte order, a KLM is {byte_count 4, key 4,
 * addr 8} in big endian: on a little-endian CPU that is one shuffle of the 16 bytes. Vectors are
 * as wide as the set that a file is compiled for (mlx5_umr_enqueue_key.c: once for each), and
 * MLX5_UMR_ISA_SCALAR asks for none.
 */

#include <stdint.h>

#include <infiniband/mlx5dv.h>

#include <rte_byteorder.h>
#include <rte_vect.h>

#include <mlx5_prm_wqe.h>
#include <rte_umr.h>

/** What the lengths of segments come to. */
struct mlx5_umr_sum {
	uint64_t len;
	uint64_t bad;	/**< Not 0: one is 0 or more than 2 GiB, which to the device is 0. */
};

#if defined(MLX5_UMR_ISA_SCALAR)
#define MLX5_UMR_VEC_SIZE 16u
#elif defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512DQ__)
#define MLX5_UMR_VEC_SIZE 64u
#elif defined(__AVX2__)
#define MLX5_UMR_VEC_SIZE 32u
#else
#define MLX5_UMR_VEC_SIZE 16u
#endif

/* Whole segments: of each pair of 64-bit lanes the second holds the length and the key. */
typedef uint64_t mlx5_umr_vec __attribute__((vector_size(MLX5_UMR_VEC_SIZE), may_alias));
typedef uint64_t mlx5_umr_vec_u
	__attribute__((vector_size(MLX5_UMR_VEC_SIZE), aligned(8), may_alias));

#define MLX5_UMR_VEC_LANES	(MLX5_UMR_VEC_SIZE / sizeof(uint64_t))
#define MLX5_UMR_VEC_SEGS	(MLX5_UMR_VEC_SIZE / sizeof(struct rte_umr_seg))

/* {0, value, 0, value, ...} */
#if MLX5_UMR_VEC_SIZE == 64u
#define MLX5_UMR_VEC_ODD(value) ((mlx5_umr_vec){ 0, value, 0, value, 0, value, 0, value })
#elif MLX5_UMR_VEC_SIZE == 32u
#define MLX5_UMR_VEC_ODD(value) ((mlx5_umr_vec){ 0, value, 0, value })
#else
#define MLX5_UMR_VEC_ODD(value) ((mlx5_umr_vec){ 0, value })
#endif

#if RTE_BYTE_ORDER == RTE_LITTLE_ENDIAN
#define MLX5_UMR_LEN_SHIFT	0
#define MLX5_UMR_LEN_MASK	((uint64_t)UINT32_MAX)
#else
#define MLX5_UMR_LEN_SHIFT	32
#define MLX5_UMR_LEN_MASK	((uint64_t)UINT32_MAX << 32)
#endif

#if defined(__SSSE3__)
#define MLX5_UMR_KLM_ORDER                                                                         \
	_mm_setr_epi8(11, 10, 9, 8, 15, 14, 13, 12, 7, 6, 5, 4, 3, 2, 1, 0)
#endif

#if MLX5_UMR_VEC_SIZE == 16u
/** Length of a segment. */
static inline uint64_t
mlx5_umr_vec_len(mlx5_umr_vec seg)
{
	return (seg[1] & MLX5_UMR_LEN_MASK) >> MLX5_UMR_LEN_SHIFT;
}

/** A segment as KLM. */
static inline mlx5_umr_vec
mlx5_umr_vec_klm(mlx5_umr_vec seg)
{
#if defined(__SSSE3__) && !defined(MLX5_UMR_ISA_SCALAR)
	return (mlx5_umr_vec)_mm_shuffle_epi8((__m128i)seg, MLX5_UMR_KLM_ORDER);
#elif defined(__ARM_NEON) && RTE_BYTE_ORDER == RTE_LITTLE_ENDIAN && !defined(MLX5_UMR_ISA_SCALAR)
	static const uint8_t order[16] = { 11, 10, 9, 8, 15, 14, 13, 12, 7, 6, 5, 4, 3, 2, 1, 0 };

	return (mlx5_umr_vec)vqtbl1q_u8((uint8x16_t)seg, vld1q_u8(order));
#else
	uint64_t length = mlx5_umr_vec_len(seg);
	uint64_t lkey = (seg[1] & ~MLX5_UMR_LEN_MASK) >> (32 - MLX5_UMR_LEN_SHIFT);

	return (mlx5_umr_vec){ rte_cpu_to_be_64(length << 32 | lkey), rte_cpu_to_be_64(seg[0]) };
#endif
}
#endif

/**
 * Four segments in registers. Of a list with fewer, the others are zero and no byte behind the
 * list is read.
 */
struct mlx5_umr_quad {
#if MLX5_UMR_VEC_SIZE == 64u
	__m512i v;
#elif MLX5_UMR_VEC_SIZE == 32u
	__m256i lo;
	__m256i hi;
#else
	mlx5_umr_vec a;
	mlx5_umr_vec b;
	mlx5_umr_vec c;
	mlx5_umr_vec d;
#endif
};

/** Load [1, PRM_KLM_ALIGN] segments. */
static inline struct mlx5_umr_quad
mlx5_umr_quad_load(const struct rte_umr_seg *segs, uint32_t nb)
{
	struct mlx5_umr_quad quad;
#if MLX5_UMR_VEC_SIZE == 64u
	quad.v = _mm512_maskz_loadu_epi64((__mmask8)((1u << 2 * nb) - 1), segs);
#elif MLX5_UMR_VEC_SIZE == 32u
	/* The lanes of nb segments begin at 2 * (4 - nb). */
	static const int64_t lanes[16] = { -1, -1, -1, -1, -1, -1, -1, -1 };
	const __m256i *mask = (const __m256i *)&lanes[2 * (PRM_KLM_ALIGN - nb)];
	const long long *src = (const long long *)segs;

	quad.lo = _mm256_maskload_epi64(src, _mm256_loadu_si256(&mask[0]));
	quad.hi = _mm256_maskload_epi64(src + 4, _mm256_loadu_si256(&mask[1]));
#else
	const mlx5_umr_vec_u *src = (const mlx5_umr_vec_u *)segs;

	quad = (struct mlx5_umr_quad){ .a = src[0] };
	if (nb > 1)
		quad.b = src[1];
	if (nb > 2)
		quad.c = src[2];
	if (nb > 3)
		quad.d = src[3];
#endif
	return quad;
}

/** As mlx5_umr_segs_sum(), of a quad of nb segments. */
static inline struct mlx5_umr_sum
mlx5_umr_quad_sum(const struct mlx5_umr_quad *quad, uint32_t nb)
{
#if MLX5_UMR_VEC_SIZE == 64u
	const __m512i lens = _mm512_set_epi64(UINT32_MAX, 0, UINT32_MAX, 0, UINT32_MAX, 0,
					      UINT32_MAX, 0);
	const __mmask8 odd = (__mmask8)(((1u << 2 * nb) - 1) & 0xaa);
	__m512i all = _mm512_and_si512(quad->v, lens);
	__m512i less = _mm512_sub_epi64(all, _mm512_set1_epi64(1));
	__m256i half = _mm256_add_epi64(_mm512_castsi512_si256(all),
					_mm512_extracti64x4_epi64(all, 1));
	__m128i sum = _mm_add_epi64(_mm256_castsi256_si128(half),
				    _mm256_extracti128_si256(half, 1));

	return (struct mlx5_umr_sum){
		.len = (uint64_t)_mm_extract_epi64(sum, 1),
		.bad = _mm512_mask_cmpgt_epu64_mask(odd, less, _mm512_set1_epi64(INT32_MAX)),
	};
#elif MLX5_UMR_VEC_SIZE == 32u
	static const int64_t units[16] = { 0, 1, 0, 1, 0, 1, 0, 1 };
	const __m256i *ones = (const __m256i *)&units[2 * (PRM_KLM_ALIGN - nb)];
	const __m256i lens = _mm256_setr_epi64x(0, UINT32_MAX, 0, UINT32_MAX);
	const __m256i high = _mm256_set1_epi64x(~INT64_C(0x7fffffff));
	__m256i lo = _mm256_and_si256(quad->lo, lens), hi = _mm256_and_si256(quad->hi, lens);
	__m256i less = _mm256_or_si256(_mm256_sub_epi64(lo, _mm256_loadu_si256(&ones[0])),
				       _mm256_sub_epi64(hi, _mm256_loadu_si256(&ones[1])));
	__m256i all = _mm256_add_epi64(lo, hi);
	__m128i sum = _mm_add_epi64(_mm256_castsi256_si128(all),
				    _mm256_extracti128_si256(all, 1));

	return (struct mlx5_umr_sum){
		.len = (uint64_t)_mm_extract_epi64(sum, 1),
		.bad = !_mm256_testz_si256(less, high),
	};
#else
	const uint64_t a = mlx5_umr_vec_len(quad->a), b = mlx5_umr_vec_len(quad->b);
	const uint64_t c = mlx5_umr_vec_len(quad->c), d = mlx5_umr_vec_len(quad->d);

	return (struct mlx5_umr_sum){
		.len = a + b + c + d,
		.bad = ((a - 1) | (b - (nb > 1)) | (c - (nb > 2)) | (d - (nb > 3))) >> 31,
	};
#endif
}

/** Store a quad as KLMs; zeros stay zeros. */
static inline void
mlx5_umr_quad_store(void *dst, const struct mlx5_umr_quad *quad)
{
#if MLX5_UMR_VEC_SIZE == 64u
	_mm512_store_si512(dst, _mm512_shuffle_epi8(quad->v,
						    _mm512_broadcast_i32x4(MLX5_UMR_KLM_ORDER)));
#elif MLX5_UMR_VEC_SIZE == 32u
	__m256i order = _mm256_broadcastsi128_si256(MLX5_UMR_KLM_ORDER);
	__m256i *klm = dst;

	_mm256_store_si256(&klm[0], _mm256_shuffle_epi8(quad->lo, order));
	_mm256_store_si256(&klm[1], _mm256_shuffle_epi8(quad->hi, order));
#else
	mlx5_umr_vec *klm = dst;

	klm[0] = mlx5_umr_vec_klm(quad->a);
	klm[1] = mlx5_umr_vec_klm(quad->b);
	klm[2] = mlx5_umr_vec_klm(quad->c);
	klm[3] = mlx5_umr_vec_klm(quad->d);
#endif
}

/** Store [1, PRM_KLM_ALIGN] segments to a block, which is aligned to its size. */
static inline void
mlx5_umr_klm_block_store(void *dst, const struct rte_umr_seg *segs, uint32_t nb)
{
	struct mlx5_umr_quad quad = mlx5_umr_quad_load(segs, nb);

	mlx5_umr_quad_store(dst, &quad);
}

/** One segment to anywhere: the data segment of a transfer, which is laid out as a KLM is. */
static inline void
mlx5_umr_klm_store(void *dst, const struct rte_umr_seg *seg)
{
	uint64_t *klm = dst;

	klm[0] = rte_cpu_to_be_64((uint64_t)seg->length << 32 | seg->lkey);
	klm[1] = rte_cpu_to_be_64(seg->addr);
}

/* Stores of zeros as wide as the instruction set has them; the compiler chooses. */
typedef uint64_t mlx5_umr_2x64 __attribute__((vector_size(16), aligned(8), may_alias));
typedef uint64_t mlx5_umr_4x64 __attribute__((vector_size(32), aligned(8), may_alias));

static inline void
mlx5_umr_zero_16(void *dst)
{
	*(mlx5_umr_2x64 *)dst = (mlx5_umr_2x64){ 0 };
}

static inline void
mlx5_umr_zero_32(void *dst)
{
	*(mlx5_umr_4x64 *)dst = (mlx5_umr_4x64){ 0 };
}

/**
 * Segments to a list in memory, nb > PRM_KLM_ALIGN, filled up to whole blocks; and the sum of
 * their lengths. The destination is aligned to a block.
 */
static inline struct mlx5_umr_sum
mlx5_umr_klm_list_store(void *dst, const struct rte_umr_seg *segs, uint32_t nb)
{
	struct mlx5_umr_sum sum = { 0 }, part;
	struct mlx5_umr_quad quad;
	uint8_t *klm = dst;

	for (; nb > PRM_KLM_ALIGN; nb -= PRM_KLM_ALIGN, segs += PRM_KLM_ALIGN) {
		quad = mlx5_umr_quad_load(segs, PRM_KLM_ALIGN);
		part = mlx5_umr_quad_sum(&quad, PRM_KLM_ALIGN);
		mlx5_umr_quad_store(klm, &quad);
		sum.len += part.len;
		sum.bad |= part.bad;
		klm += PRM_WQE_BB_SIZE;
	}
	quad = mlx5_umr_quad_load(segs, nb);
	part = mlx5_umr_quad_sum(&quad, nb);
	mlx5_umr_quad_store(klm, &quad);
	sum.len += part.len;
	sum.bad |= part.bad;
	return sum;
}

/** Sum and check of the lengths of nb segments, more than PRM_KLM_ALIGN. */
static inline struct mlx5_umr_sum
mlx5_umr_segs_sum(const struct rte_umr_seg *segs, uint32_t nb)
{
	const mlx5_umr_vec lens = MLX5_UMR_VEC_ODD(MLX5_UMR_LEN_MASK), ones = MLX5_UMR_VEC_ODD(1);
	const struct rte_umr_seg *end = segs + nb, *vec_end = end - nb % MLX5_UMR_VEC_SEGS;
	struct mlx5_umr_sum sum = { 0 };
	mlx5_umr_vec total = { 0 }, less = { 0 }, v;
	uint32_t i;

	for (; segs != vec_end; segs += MLX5_UMR_VEC_SEGS) {
		v = (*(const mlx5_umr_vec_u *)segs & lens) >> MLX5_UMR_LEN_SHIFT;
		total += v;
		less |= v - ones;
	}
	for (; segs != end; segs++) {
		sum.len += segs->length;
		sum.bad |= (uint64_t)segs->length - 1;
	}
	for (i = 1; i < MLX5_UMR_VEC_LANES; i += 2) {
		sum.len += total[i];
		sum.bad |= less[i];
	}
	sum.bad >>= 31;
	return sum;
}

#endif /* MLX5_UMR_KLM_H */
