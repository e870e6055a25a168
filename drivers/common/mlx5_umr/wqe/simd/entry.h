/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_ENTRY_H
#define MLX5_UMR_ENTRY_H

/**
 * @file
 * Converts entries of an interleaved layout to those of a WQE, in one pass like klm.h.
 *
 * An entry is {addr 8, count 4, skip 4, lkey 4, not used 4} in host byte order. In the WQE it is
 * {stride 2, count 2, key 4, addr 8} in big endian (mlx5dv.h, mlx5_wqe_umr_repeat_ent_seg), where
 * stride is count + skip.
 */

#include "wqe/simd/klm.h"

/** Counts of entries, in dwords. */
struct mlx5_umr_counts {
	mlx5_umr_4x32 total;	/* {sum of counts, the rest undefined} */
	mlx5_umr_4x32 bits;	/* OR of {count, count + skip} and {count - 1, skip} */
};

/* Bytes of {count, stride, lkey, not used} and of the address, as the WQE has them. */
#define MLX5_UMR_Z8		MLX5_UMR_Z, MLX5_UMR_Z, MLX5_UMR_Z, MLX5_UMR_Z, \
				MLX5_UMR_Z, MLX5_UMR_Z, MLX5_UMR_Z, MLX5_UMR_Z
#define MLX5_UMR_ENTRY_ORDER	5, 4, 1, 0, 11, 10, 9, 8, MLX5_UMR_Z8
#define MLX5_UMR_FIRST_ORDER	MLX5_UMR_Z8, 7, 6, 5, 4, 3, 2, 1, 0
#define MLX5_UMR_SECOND_ORDER	MLX5_UMR_Z8, 15, 14, 13, 12, 11, 10, 9, 8

/** Convert an entry, and add its counts. */
static __rte_always_inline mlx5_umr_2x64
mlx5_umr_entry_of(const struct rte_umr_interleaved *entry, struct mlx5_umr_counts *counts)
{
	/* {count, skip, lkey, not used}; the count is added to the skip. */
	const mlx5_umr_2x64 raw = *(const mlx5_umr_2x64_u *)&entry->bytes_count;
	const mlx5_umr_4x32 v = (mlx5_umr_4x32)raw + (mlx5_umr_4x32)(raw << 32);
	const mlx5_umr_2x64 addr = { entry->addr, entry->addr };

	counts->total += (mlx5_umr_4x32)raw;
	counts->bits |= v | ((mlx5_umr_4x32)raw + (mlx5_umr_4x32){ UINT32_MAX, 0, 0, 0 });
	return mlx5_umr_shuffle((mlx5_umr_2x64)v, (mlx5_umr_16x8){ MLX5_UMR_ENTRY_ORDER }) |
	       mlx5_umr_shuffle(addr, (mlx5_umr_16x8){ MLX5_UMR_FIRST_ORDER });
}

/**
 * The same for pairs of entries, if there are vectors for two; the destination is aligned to 32.
 *
 * @return
 *   Number of entries.
 */
static __rte_always_inline uint32_t
mlx5_umr_entry_pairs_store(mlx5_umr_2x64 *dst, const struct rte_umr_interleaved *entries,
			   uint32_t nb, struct mlx5_umr_counts *counts)
{
#if MLX5_UMR_VEC_SIZE == 32u
	const mlx5_umr_32x8 order = { MLX5_UMR_ENTRY_ORDER, MLX5_UMR_ENTRY_ORDER };
	const mlx5_umr_32x8 addr_order = { MLX5_UMR_FIRST_ORDER, MLX5_UMR_SECOND_ORDER };
	const __m256i less = _mm256_setr_epi32(-1, 0, 0, 0, -1, 0, 0, 0);
	__m256i total = _mm256_setzero_si256(), bits = total;
	uint32_t i;

	for (i = nb / 2; i != 0; i--, entries += 2, dst += 2) {
		/* Half 0 starts with the first address, half 1 ends with the second. */
		const __m256i addr = _mm256_loadu_si256((const void *)entries);
		const __m256i raw = _mm256_loadu2_m128i((const void *)&entries[1].bytes_count,
							(const void *)&entries[0].bytes_count);
		const __m256i v = _mm256_add_epi32(raw, _mm256_slli_epi64(raw, 32));

		total = _mm256_add_epi32(total, raw);
		bits = _mm256_or_si256(bits, _mm256_or_si256(v, _mm256_add_epi32(raw, less)));
		_mm256_store_si256((void *)dst,
				   _mm256_or_si256(_mm256_shuffle_epi8(v, (__m256i)order),
						   _mm256_shuffle_epi8(addr,
								       (__m256i)addr_order)));
	}
	counts->total += (mlx5_umr_4x32)_mm_add_epi32(_mm256_castsi256_si128(total),
						      _mm256_extracti128_si256(total, 1));
	counts->bits |= (mlx5_umr_4x32)_mm_or_si128(_mm256_castsi256_si128(bits),
						    _mm256_extracti128_si256(bits, 1));
	return nb & ~1u;
#else
	RTE_SET_USED(dst);
	RTE_SET_USED(entries);
	RTE_SET_USED(nb);
	RTE_SET_USED(counts);
	return 0;
#endif
}

/**
 * Repeat block header of a pattern: struct mlx5_wqe_umr_repeat_block_seg (byte_count, op,
 * repeat_count, num_ent).
 */
static __rte_always_inline void
mlx5_umr_repeat_store(void *dst, uint32_t block_len, uint32_t nb_entries, uint32_t repeat)
{
	uint64_t *seg = dst;

	seg[0] = __builtin_bswap64((uint64_t)block_len << 32 | PRM_UMR_REPEAT_BLOCK_OP);
	seg[1] = __builtin_bswap64((uint64_t)repeat << 32 | nb_entries);
}

/**
 * Store a pattern: its header and nb entries, at least one. The destination is aligned to a block,
 * and the last block is padded with zeros.
 *
 * @param is_short
 *   Constant: there is one block.
 * @param[out] len
 *   Length of the layout.
 * @return
 *   Whether all entries are valid: the device has 16 bits for a count and for a stride, and a count
 *   of 0 would move nothing. The checks for excess bits use count + skip, count - 1, and the skip
 *   alone, since count + skip can wrap.
 */
static __rte_always_inline bool
mlx5_umr_pattern_store(uint8_t *dst, const struct rte_umr_interleaved *entries, uint32_t nb,
		       uint32_t repeat, const bool is_short, mlx5_umr_len_t *len)
{
	/* The part of the last block that may be padding; entries overwrite their part. */
	uint8_t *last = dst + nb / PRM_WQE_DS_PER_BB * PRM_WQE_BB_SIZE;
	mlx5_umr_2x64 second = { 0 }, third = { 0 };
	struct mlx5_umr_counts counts = { 0 };
	mlx5_umr_2x64 *entry = (mlx5_umr_2x64 *)dst;
	uint32_t i;

	if (is_short) {
		entry[1] = mlx5_umr_entry_of(entries, &counts);
		if (nb > 1)
			second = mlx5_umr_entry_of(&entries[1], &counts);
		if (nb > 2)
			third = mlx5_umr_entry_of(&entries[2], &counts);
		mlx5_umr_store_2(&entry[2], second, third);
	} else {
		mlx5_umr_zero_16(last + PRM_KLM_SIZE);
		mlx5_umr_zero_32(last + 2 * PRM_KLM_SIZE);
		/* Pairs start at a multiple of 32 bytes. */
		entry[1] = mlx5_umr_entry_of(entries, &counts);
		i = 1 + mlx5_umr_entry_pairs_store(&entry[2], &entries[1], nb - 1, &counts);
		for (; i < nb; i++)
			entry[i + 1] = mlx5_umr_entry_of(&entries[i], &counts);
	}
	mlx5_umr_repeat_store(dst, counts.total[0], nb, repeat);
	*len = mlx5_umr_len_of((uint64_t)counts.total[0] * repeat);
	return (((mlx5_umr_2x64)counts.bits)[0] & UINT64_C(0xffff0000ffff0000)) == 0;
}

#endif /* MLX5_UMR_ENTRY_H */
