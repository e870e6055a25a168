/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_ENTRY_H
#define MLX5_UMR_ENTRY_H

/**
 * @file
 * Converts entries of an interleaved layout to those of a WQE.
 *
 * An entry is {addr 8, count 4, skip 4, lkey 4, not used 4} in host byte order. In the WQE it is
 * {stride 2, count 2, key 4, addr 8} in big endian (mlx5dv.h, mlx5_wqe_umr_repeat_ent_seg), where
 * stride is count + skip.
 */

#include "wqe/simd/klm.h"

#if defined(__SSSE3__) && !defined(MLX5_UMR_ISA_SCALAR)
#define MLX5_UMR_ENTRY_VEC 1
#else
#define MLX5_UMR_ENTRY_VEC 0
#endif

#if MLX5_UMR_ENTRY_VEC
/* Moves the count to the position of the skip; zero elsewhere. */
#define MLX5_UMR_COUNT_BYTES	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 8, 9, 10, 11
/* {addr, count, stride} to {stride 2, count 2, 0 4, addr 8} */
#define MLX5_UMR_ENTRY_BYTES	13, 12, 9, 8, -1, -1, -1, -1, 7, 6, 5, 4, 3, 2, 1, 0
/* Moves a key, which is the first or the third dword, to its position. */
#define MLX5_UMR_KEY_0_BYTES	-1, -1, -1, -1, 3, 2, 1, 0, -1, -1, -1, -1, -1, -1, -1, -1
#define MLX5_UMR_KEY_2_BYTES	-1, -1, -1, -1, 11, 10, 9, 8, -1, -1, -1, -1, -1, -1, -1, -1

/** {addr, count, skip} to {addr, count, stride} */
static __rte_always_inline __m128i
mlx5_umr_entry_stride(__m128i raw)
{
	return _mm_add_epi32(raw, _mm_shuffle_epi8(raw, _mm_setr_epi8(MLX5_UMR_COUNT_BYTES)));
}

static __rte_always_inline void
mlx5_umr_entry_store(void *dst, const struct rte_umr_interleaved *entry)
{
	const __m128i v = mlx5_umr_entry_stride(_mm_loadu_si128((const __m128i *)entry));
	const __m128i key = _mm_cvtsi32_si128((int)entry->lkey);

	_mm_store_si128(dst, _mm_or_si128(
		_mm_shuffle_epi8(v, _mm_setr_epi8(MLX5_UMR_ENTRY_BYTES)),
		_mm_shuffle_epi8(key, _mm_setr_epi8(MLX5_UMR_KEY_0_BYTES))));
}
#else
static __rte_always_inline void
mlx5_umr_entry_store(void *dst, const struct rte_umr_interleaved *entry)
{
	const uint32_t stride = entry->bytes_count + entry->bytes_skip;
	uint64_t *ent = dst;

	ent[0] = rte_cpu_to_be_64((uint64_t)(stride << 16 | entry->bytes_count) << 32 |
				  entry->lkey);
	ent[1] = rte_cpu_to_be_64(entry->addr);
}
#endif

#if MLX5_UMR_VEC_SIZE == 32u
/** Two entries: {addr, count, skip} of both. */
static __rte_always_inline __m256i
mlx5_umr_entry_pair_load(const struct rte_umr_interleaved *entry)
{
	return _mm256_inserti128_si256(
		_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)&entry[0])),
		_mm_loadu_si128((const __m128i *)&entry[1]), 1);
}

static __rte_always_inline __m256i
mlx5_umr_entry_pair_stride(__m256i raw)
{
	return _mm256_add_epi32(raw, _mm256_shuffle_epi8(raw, _mm256_setr_epi8(
		MLX5_UMR_COUNT_BYTES, MLX5_UMR_COUNT_BYTES)));
}

static __rte_always_inline void
mlx5_umr_entry_pair_store(void *dst, const struct rte_umr_interleaved *entry)
{
	/* From the key of the first entry to the end of the second. */
	const __m256i keys = _mm256_loadu_si256((const __m256i *)&entry->lkey);
	const __m256i v = mlx5_umr_entry_pair_stride(mlx5_umr_entry_pair_load(entry));

	_mm256_store_si256(dst, _mm256_or_si256(
		_mm256_shuffle_epi8(v, _mm256_setr_epi8(MLX5_UMR_ENTRY_BYTES,
							MLX5_UMR_ENTRY_BYTES)),
		_mm256_shuffle_epi8(keys, _mm256_setr_epi8(MLX5_UMR_KEY_0_BYTES,
							   MLX5_UMR_KEY_2_BYTES))));
}
#endif

/**
 * Bytes of each repetition of a pattern. With wide vectors, the third dword of both halves; the
 * other dwords are undefined.
 */
struct mlx5_umr_block_len {
#if MLX5_UMR_VEC_SIZE == 32u
	__m256i v;
#else
	uint32_t n;
#endif
};

/** Convert to a number. */
static __rte_always_inline uint32_t
mlx5_umr_block_len_get(const struct mlx5_umr_block_len *len)
{
#if MLX5_UMR_VEC_SIZE == 32u
	return (uint32_t)_mm256_extract_epi32(len->v, 2);
#else
	return len->n;
#endif
}

/** Length of a pattern for a number of repetitions. */
static __rte_always_inline struct mlx5_umr_len
mlx5_umr_block_len_mul(const struct mlx5_umr_block_len *len, const uint32_t *repeat)
{
#if MLX5_UMR_VEC_SIZE == 32u
	return (struct mlx5_umr_len){
		_mm256_mul_epu32(len->v, mlx5_umr_dw_broadcast(repeat)),
	};
#else
	return (struct mlx5_umr_len){ (uint64_t)len->n * *repeat };
#endif
}

/**
 * Repeat block header of a pattern: struct mlx5_wqe_umr_repeat_block_seg (byte_count, op,
 * repeat_count, num_ent).
 */
static __rte_always_inline void
mlx5_umr_repeat_store(void *dst, const struct mlx5_umr_block_len *len, uint32_t nb_entries,
		      uint32_t repeat)
{
#if MLX5_UMR_VEC_SIZE == 32u
	const __m128i counts = _mm_insert_epi32(_mm_cvtsi32_si128((int)nb_entries), (int)repeat, 1);
	const __m128i order = _mm_setr_epi8(11, 10, 9, 8, -1, -1, -1, -1, 7, 6, 5, 4, 3, 2, 1, 0);
	const __m128i op = _mm_setr_epi32(0, (int)RTE_BE32(PRM_UMR_REPEAT_BLOCK_OP), 0, 0);
	__m128i v = _mm_blend_epi32(counts, _mm256_castsi256_si128(len->v), 0x4);

	_mm_store_si128(dst, _mm_or_si128(_mm_shuffle_epi8(v, order), op));
#else
	uint64_t *seg = dst;

	seg[0] = rte_cpu_to_be_64((uint64_t)len->n << 32 | PRM_UMR_REPEAT_BLOCK_OP);
	seg[1] = rte_cpu_to_be_64((uint64_t)repeat << 32 | nb_entries);
#endif
}

/**
 * Sum and check the counts of nb entries: the device has 16 bits for a count and for a stride, and
 * a count of 0 would move nothing. The checks for excess bits use count + skip, count - 1, and the
 * skip alone, since count + skip can wrap. Returns false if an entry is invalid.
 */
static __rte_always_inline bool
mlx5_umr_entries_len(const struct rte_umr_interleaved *entries, uint32_t nb,
		     struct mlx5_umr_block_len *len)
{
	const struct rte_umr_interleaved *end = entries + nb;
#if MLX5_UMR_ENTRY_VEC
	/* In the third and fourth dword of each 16 bytes: for the count and the stride. */
	__m128i total, bits, raw, v;
#if MLX5_UMR_VEC_SIZE == 32u
	__m256i total_2 = _mm256_setzero_si256(), bits_2 = total_2, raw_2, v_2;

	for (; end - entries > 1; entries += 2) {
		raw_2 = mlx5_umr_entry_pair_load(entries);
		v_2 = mlx5_umr_entry_pair_stride(raw_2);
		total_2 = _mm256_add_epi32(total_2, v_2);
		raw_2 = _mm256_add_epi32(raw_2, _mm256_setr_epi32(0, 0, -1, 0, 0, 0, -1, 0));
		bits_2 = _mm256_or_si256(bits_2, _mm256_or_si256(v_2, raw_2));
	}
	total = _mm_add_epi32(_mm256_castsi256_si128(total_2),
			      _mm256_extracti128_si256(total_2, 1));
	bits = _mm_or_si128(_mm256_castsi256_si128(bits_2), _mm256_extracti128_si256(bits_2, 1));
#else

	total = _mm_setzero_si128();
	bits = total;
#endif
	for (; entries != end; entries++) {
		raw = _mm_loadu_si128((const __m128i *)entries);
		v = mlx5_umr_entry_stride(raw);
		total = _mm_add_epi32(total, v);
		raw = _mm_add_epi32(raw, _mm_setr_epi32(0, 0, -1, 0));
		bits = _mm_or_si128(bits, _mm_or_si128(v, raw));
	}
#if MLX5_UMR_VEC_SIZE == 32u
	len->v = _mm256_broadcastsi128_si256(total);
#else
	len->n = (uint32_t)_mm_extract_epi32(total, 2);
#endif
	return ((uint64_t)_mm_extract_epi64(bits, 1) & UINT64_C(0xffff0000ffff0000)) == 0;
#else
	uint64_t sum = 0, bits = 0, count;

	for (; entries != end; entries++) {
		count = entries->bytes_count;
		sum += count;
		bits |= (count + entries->bytes_skip) | (count - 1);
	}
	len->n = (uint32_t)sum;
	return bits >> 16 == 0;
#endif
}

/**
 * Store nb entries, at least one, after the repeat block header: dst is 16 bytes into a block. The
 * last block is padded with zeros.
 */
static __rte_always_inline void
mlx5_umr_entries_store(uint8_t *dst, const struct rte_umr_interleaved *entries, uint32_t nb)
{
	const struct rte_umr_interleaved *end = entries + nb;
	uint64_t *last = (uint64_t *)(dst - PRM_KLM_SIZE +
				      nb / PRM_WQE_DS_PER_BB * PRM_WQE_BB_SIZE);

	/* Zero the part of the last block that may be padding; entries overwrite their part. */
	mlx5_umr_zero_16(&last[2]);
	mlx5_umr_zero_32(&last[4]);
	mlx5_umr_entry_store(dst, entries);
	entries++;
	dst += PRM_KLM_SIZE;
#if MLX5_UMR_VEC_SIZE == 32u
	for (; end - entries > 1; entries += 2, dst += 2 * PRM_KLM_SIZE)
		mlx5_umr_entry_pair_store(dst, entries);
#endif
	for (; entries != end; entries++, dst += PRM_KLM_SIZE)
		mlx5_umr_entry_store(dst, entries);
}

/** Maximum entries of a short layout: with the repeat block header they fill one block. */
#define MLX5_UMR_SHORT_ENTRIES	(PRM_KLM_ALIGN - 1)

/** A short layout; with wide vectors, in registers. */
struct mlx5_umr_short {
#if MLX5_UMR_VEC_SIZE == 32u
	__m128i raw;	/* of the first */
	__m128i v;
	__m256i raw_2;	/* of the others, zero if none */
	__m256i v_2;
	__m256i keys;
	const struct mlx5_umr_lanes *lanes;
#endif
	const struct rte_umr_interleaved *entries;
};

/** Load [1, MLX5_UMR_SHORT_ENTRIES] entries. No byte after them is read. */
static __rte_always_inline struct mlx5_umr_short
mlx5_umr_short_load(const struct rte_umr_interleaved *entries, uint32_t nb)
{
	struct mlx5_umr_short layout = { .entries = entries };

#if MLX5_UMR_VEC_SIZE == 32u
	const struct mlx5_umr_lanes *lanes = mlx5_umr_lanes_of(nb);
	const __m128i *mask = (const __m128i *)lanes->all;

	layout.lanes = lanes;
	layout.raw = _mm_loadu_si128((const __m128i *)entries);
	layout.raw_2 = _mm256_inserti128_si256(
		_mm256_castsi128_si256(_mm_maskload_epi64((const long long *)&entries[1], mask[1])),
		_mm_maskload_epi64((const long long *)&entries[2], mask[2]), 1);
	layout.keys = _mm256_maskload_epi32((const int *)&entries[1].lkey,
					    *(const __m256i *)lanes->key);
	layout.v = mlx5_umr_entry_stride(layout.raw);
	layout.v_2 = mlx5_umr_entry_pair_stride(layout.raw_2);
#else
	RTE_SET_USED(nb);
#endif
	return layout;
}

/** Same as mlx5_umr_entries_len(). */
static __rte_always_inline bool
mlx5_umr_short_len(const struct mlx5_umr_short *layout, uint32_t nb,
		   struct mlx5_umr_block_len *len)
{
#if MLX5_UMR_VEC_SIZE == 32u
	const struct mlx5_umr_lanes *lanes = layout->lanes;
	const __m256i high = _mm256_set1_epi64x((long long)UINT64_C(0xffff0000ffff0000));
	const __m256i odd = _mm256_setr_epi64x(0, -1, 0, -1);
	__m128i bits = _mm_or_si128(layout->v, _mm_add_epi32(layout->raw,
							     *(const __m128i *)&lanes->len[0]));
	__m256i bits_2 = _mm256_or_si256(layout->v_2, _mm256_add_epi32(
		layout->raw_2, _mm256_loadu_si256((const __m256i *)&lanes->len[4])));

	RTE_SET_USED(nb);
	bits_2 = _mm256_or_si256(bits_2, _mm256_zextsi128_si256(bits));
	/* The value of the first entry is added in both halves. */
	len->v = _mm256_add_epi32(
		_mm256_add_epi32(layout->v_2, _mm256_broadcastsi128_si256(layout->v)),
		_mm256_permute2x128_si256(layout->v_2, layout->v_2, 0x01));
	return _mm256_testz_si256(bits_2, _mm256_and_si256(high, odd));
#else
	return mlx5_umr_entries_len(layout->entries, nb, len);
#endif
}

/** Same as mlx5_umr_entries_store(). */
static __rte_always_inline void
mlx5_umr_short_store(uint8_t *dst, const struct mlx5_umr_short *layout, uint32_t nb)
{
#if MLX5_UMR_VEC_SIZE == 32u
	const __m128i key = _mm_cvtsi32_si128((int)layout->entries->lkey);

	RTE_SET_USED(nb);
	_mm_store_si128((__m128i *)dst, _mm_or_si128(
		_mm_shuffle_epi8(layout->v, _mm_setr_epi8(MLX5_UMR_ENTRY_BYTES)),
		_mm_shuffle_epi8(key, _mm_setr_epi8(MLX5_UMR_KEY_0_BYTES))));
	_mm256_store_si256((__m256i *)(dst + PRM_KLM_SIZE), _mm256_or_si256(
		_mm256_shuffle_epi8(layout->v_2, _mm256_setr_epi8(MLX5_UMR_ENTRY_BYTES,
								  MLX5_UMR_ENTRY_BYTES)),
		_mm256_shuffle_epi8(layout->keys, _mm256_setr_epi8(MLX5_UMR_KEY_0_BYTES,
								   MLX5_UMR_KEY_2_BYTES))));
#else
	mlx5_umr_entries_store(dst, layout->entries, nb);
#endif
}

#endif /* MLX5_UMR_ENTRY_H */
