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
 * 8} in big endian: on a little-endian CPU that is one shuffle of the 16 bytes. Vectors are as wide
 * as the set that a file is compiled for (fast/enqueue_key.c: once for each), but at most 32 bytes:
 * in measurements, wider ones, and AVX-512 with vectors of 32 bytes, gain less than 10 %.
 * MLX5_UMR_ISA_SCALAR disables vectors.
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

/** Sum of the lengths of segments. */
struct mlx5_umr_sum {
	uint64_t len;
	/** Not 0: a length is 0 or more than 2 GiB (the device encodes 2 GiB as 0). */
	uint64_t bad;
};

/**
 * Masks for 1 to PRM_KLM_ALIGN segments: all their lanes, and only their lengths. Entries of
 * interleaved layouts have their counts at the same positions; their keys use key, from the key of
 * the second entry to the end of the third.
 */
struct mlx5_umr_lanes {
	uint64_t all[2 * PRM_KLM_ALIGN];
	uint32_t len[4 * PRM_KLM_ALIGN];
	uint32_t key[8];
} __rte_aligned(256);	/* a power of two simplifies indexing */

extern const struct mlx5_umr_lanes mlx5_umr_quad_lanes[PRM_KLM_ALIGN]
	__attribute__((visibility("hidden")));

/** Masks for nb segments or entries. */
static __rte_always_inline const struct mlx5_umr_lanes *
mlx5_umr_lanes_of(uint32_t nb)
{
	const struct mlx5_umr_lanes *lanes = &mlx5_umr_quad_lanes[nb - 1];

	/* Use one register: the compiler would compute the address of each member separately. */
	__asm__("" : "+r"(lanes));
	return lanes;
}

#if defined(MLX5_UMR_ISA_SCALAR)
#define MLX5_UMR_VEC_SIZE 16u
#elif defined(__AVX2__)
#define MLX5_UMR_VEC_SIZE 32u
#else
#define MLX5_UMR_VEC_SIZE 16u
#endif

/* Whole segments: the second of each pair of 64-bit lanes contains the length and the key. */
typedef uint64_t mlx5_umr_vec __attribute__((vector_size(MLX5_UMR_VEC_SIZE), may_alias));
typedef uint64_t mlx5_umr_vec_u
	__attribute__((vector_size(MLX5_UMR_VEC_SIZE), aligned(8), may_alias));

/* The same in dwords: the third of each segment is its length. */
typedef uint32_t mlx5_umr_vec_dw
	__attribute__((vector_size(MLX5_UMR_VEC_SIZE), aligned(8), may_alias));

#define MLX5_UMR_LEN_DW		2u

/* A value for the length of each segment. */
#if MLX5_UMR_VEC_SIZE == 32u
#define MLX5_UMR_VEC_LENS(value) ((mlx5_umr_vec_dw){ 0, 0, value, 0, 0, 0, value, 0 })
#else
#define MLX5_UMR_VEC_LENS(value) ((mlx5_umr_vec_dw){ 0, 0, value, 0 })
#endif

#define MLX5_UMR_LEN_MASK	((uint64_t)UINT32_MAX)

#if defined(__SSSE3__)
#define MLX5_UMR_KLM_BYTES	11, 10, 9, 8, 15, 14, 13, 12, 7, 6, 5, 4, 3, 2, 1, 0
#endif

#if MLX5_UMR_VEC_SIZE == 16u
/** Length of a segment. */
static inline uint64_t
mlx5_umr_vec_len(mlx5_umr_vec seg)
{
	return seg[1] & MLX5_UMR_LEN_MASK;
}

/** Convert a segment to a KLM. */
static inline mlx5_umr_vec
mlx5_umr_vec_klm(mlx5_umr_vec seg)
{
#if defined(__SSSE3__) && !defined(MLX5_UMR_ISA_SCALAR)
	return (mlx5_umr_vec)_mm_shuffle_epi8((__m128i)seg,
					      _mm_setr_epi8(MLX5_UMR_KLM_BYTES));
#elif defined(__ARM_NEON) && !defined(MLX5_UMR_ISA_SCALAR)
	static const uint8_t order[16] = { 11, 10, 9, 8, 15, 14, 13, 12, 7, 6, 5, 4, 3, 2, 1, 0 };

	return (mlx5_umr_vec)vqtbl1q_u8((uint8x16_t)seg, vld1q_u8(order));
#else
	uint64_t length = mlx5_umr_vec_len(seg);
	uint64_t lkey = seg[1] >> 32;

	return (mlx5_umr_vec){ rte_cpu_to_be_64(length << 32 | lkey), rte_cpu_to_be_64(seg[0]) };
#endif
}
#endif

#if MLX5_UMR_VEC_SIZE == 32u
/* A dword for the instruction that takes floats. */
typedef float mlx5_umr_dw_float __attribute__((may_alias));

/** Broadcast a dword of memory, without using a general register. */
static __rte_always_inline __m256i
mlx5_umr_dw_broadcast(const uint32_t *src)
{
	const mlx5_umr_dw_float *value = (const mlx5_umr_dw_float *)src;

#if defined(__clang__)
	/* The intrinsic reads a float, which must not alias an integer. */
	return _mm256_castps_si256(_mm256_set1_ps(*value));
#else
	return _mm256_castps_si256(_mm256_broadcast_ss(value));
#endif
}
#endif

/**
 * Length of a layout. With wide vectors it stays in the register in which lengths were added: in
 * the last qword, the others are undefined.
 */
struct mlx5_umr_len {
#if MLX5_UMR_VEC_SIZE == 32u
	__m256i v;
#else
	uint64_t n;
#endif
};

static __rte_always_inline struct mlx5_umr_len
mlx5_umr_len_of(uint64_t len)
{
#if MLX5_UMR_VEC_SIZE == 32u
	return (struct mlx5_umr_len){ _mm256_set1_epi64x((long long)len) };
#else
	return (struct mlx5_umr_len){ len };
#endif
}

/** Convert to a number. */
static __rte_always_inline uint64_t
mlx5_umr_len_get(const struct mlx5_umr_len *len)
{
#if MLX5_UMR_VEC_SIZE == 32u
	return (uint64_t)_mm256_extract_epi64(len->v, 3);
#else
	return len->n;
#endif
}

#if MLX5_UMR_VEC_SIZE == 32u
/** Add both halves: each has a sum in its third dword. */
static __rte_always_inline struct mlx5_umr_len
mlx5_umr_len_of_halves(__m256i sum)
{
	sum = _mm256_add_epi32(sum, _mm256_permute2x128_si256(sum, sum, 0x01));
	return (struct mlx5_umr_len){
		_mm256_and_si256(sum, _mm256_setr_epi64x(0, 0, 0, UINT32_MAX)),
	};
}
#endif

/**
 * Four segments in registers. For a shorter list, the others are zero and no byte after the list is
 * read.
 */
struct mlx5_umr_quad {
#if MLX5_UMR_VEC_SIZE == 32u
	__m256i lo;
	__m256i hi;
	const struct mlx5_umr_lanes *lanes;	/* masks for its segments */
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
#if MLX5_UMR_VEC_SIZE == 32u
	const struct mlx5_umr_lanes *lanes = mlx5_umr_lanes_of(nb);
	const __m256i *mask = (const __m256i *)lanes->all;
	const long long *src = (const long long *)segs;

	quad.lanes = lanes;
	quad.lo = _mm256_maskload_epi64(src, mask[0]);
	quad.hi = _mm256_maskload_epi64(src + 4, mask[1]);
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

/** Same as mlx5_umr_segs_sum(), for a quad of nb segments. */
static inline struct mlx5_umr_sum
mlx5_umr_quad_sum(const struct mlx5_umr_quad *quad, uint32_t nb)
{
#if MLX5_UMR_VEC_SIZE == 32u
	const __m256i *minus_one = (const __m256i *)mlx5_umr_quad_lanes[nb - 1].len;
	const __m256i lens = _mm256_setr_epi64x(0, UINT32_MAX, 0, UINT32_MAX);
	/* Bit 31 of length - 1 is set if the length is 0, or more than 2 GiB. */
	const __m256i high = _mm256_setr_epi64x(0, UINT32_C(1) << 31, 0, UINT32_C(1) << 31);
	__m256i less = _mm256_or_si256(_mm256_add_epi32(quad->lo, minus_one[0]),
				       _mm256_add_epi32(quad->hi, minus_one[1]));
	__m256i all = _mm256_add_epi64(_mm256_and_si256(quad->lo, lens),
				       _mm256_and_si256(quad->hi, lens));
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

/** Exact sum, for sums that do not fit 32 bits: klm.c. */
struct mlx5_umr_sum mlx5_umr_segs_sum_exact(const struct rte_umr_seg *segs, uint32_t nb);

/** The same as length; false if a segment is invalid. */
static __rte_always_inline bool
mlx5_umr_segs_len_exact(const struct rte_umr_seg *segs, uint32_t nb, struct mlx5_umr_len *len)
{
	const struct mlx5_umr_sum sum = mlx5_umr_segs_sum_exact(segs, nb);

	*len = mlx5_umr_len_of(sum.len);
	return sum.bad == 0;
}

/* The sum of four lengths below it fits 32 bits. */
#define MLX5_UMR_QUAD_LIMIT	(UINT32_C(1) << 29)

/**
 * Length of a quad of nb segments; false if a length is invalid, or too large for this sum: use
 * mlx5_umr_segs_len_exact().
 */
static __rte_always_inline bool
mlx5_umr_quad_len_short(const struct mlx5_umr_quad *quad, uint32_t nb, struct mlx5_umr_len *len)
{
#if MLX5_UMR_VEC_SIZE == 32u
	/* length - 1 has a high bit set if the length is 0, or too large for this sum. */
	const mlx5_umr_vec_dw high = MLX5_UMR_VEC_LENS(~(MLX5_UMR_QUAD_LIMIT - 1));
	const __m256i *minus_one = (const __m256i *)quad->lanes->len;
	const __m256i less = _mm256_or_si256(_mm256_add_epi32(quad->lo, minus_one[0]),
					     _mm256_add_epi32(quad->hi, minus_one[1]));
	const __m256i sum = _mm256_add_epi32(quad->lo, quad->hi);

	RTE_SET_USED(nb);
	*len = mlx5_umr_len_of_halves(sum);
	return _mm256_testz_si256(less, (__m256i)high);
#else
	const uint64_t a = mlx5_umr_vec_len(quad->a), b = mlx5_umr_vec_len(quad->b);
	const uint64_t c = mlx5_umr_vec_len(quad->c), d = mlx5_umr_vec_len(quad->d);

	*len = mlx5_umr_len_of(a + b + c + d);
	return ((a - 1) | (b - (nb > 1)) | (c - (nb > 2)) | (d - (nb > 3))) >> 31 == 0;
#endif
}

/** Length of a quad of nb segments; false if a length is invalid. */
static __rte_always_inline bool
mlx5_umr_quad_len(const struct mlx5_umr_quad *quad, const struct rte_umr_seg *segs, uint32_t nb,
		  struct mlx5_umr_len *len)
{
	return likely(mlx5_umr_quad_len_short(quad, nb, len)) ||
	       mlx5_umr_segs_len_exact(segs, nb, len);
}

/** Store a quad as KLMs; zeros stay zeros. */
static inline void
mlx5_umr_quad_store(void *dst, const struct mlx5_umr_quad *quad)
{
#if MLX5_UMR_VEC_SIZE == 32u
	const __m256i order = _mm256_setr_epi8(MLX5_UMR_KLM_BYTES, MLX5_UMR_KLM_BYTES);
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

#if MLX5_UMR_VEC_SIZE == 32u
/** Load two segments as KLMs. */
static __rte_always_inline __m256i
mlx5_umr_klm_load_2(const struct rte_umr_seg *segs)
{
	const __m256i v = _mm256_loadu_si256((const __m256i *)segs);

	return _mm256_shuffle_epi8(v, _mm256_setr_epi8(MLX5_UMR_KLM_BYTES, MLX5_UMR_KLM_BYTES));
}
#endif

/** Store PRM_KLM_ALIGN segments to a block that is aligned to its size. */
static __rte_always_inline void
mlx5_umr_klm_block_store(void *dst, const struct rte_umr_seg *segs)
{
#if MLX5_UMR_VEC_SIZE == 32u
	__m256i *klm = dst;

	_mm256_store_si256(&klm[0], mlx5_umr_klm_load_2(&segs[0]));
	_mm256_store_si256(&klm[1], mlx5_umr_klm_load_2(&segs[2]));
#else
	const struct mlx5_umr_quad quad = mlx5_umr_quad_load(segs, PRM_KLM_ALIGN);

	mlx5_umr_quad_store(dst, &quad);
#endif
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

/* Store zeros as wide as the instruction set allows; the compiler chooses. */
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
 * Store segments to a list in memory, nb > PRM_KLM_ALIGN, padded to whole blocks, and return the
 * sum of their lengths. The destination is aligned to a block.
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

#endif /* MLX5_UMR_KLM_H */
