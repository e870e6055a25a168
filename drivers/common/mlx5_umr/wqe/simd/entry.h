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

/** Convert an entry, and add its counts. */
static __rte_always_inline mlx5_umr_2x64
mlx5_umr_entry_of(const struct rte_umr_interleaved *entry, struct mlx5_umr_counts *counts)
{
	/* {count, skip, lkey, not used}; the count is added to the skip. */
	const mlx5_umr_2x64 raw = *(const mlx5_umr_2x64_u *)&entry->bytes_count;
	const mlx5_umr_4x32 v = (mlx5_umr_4x32)raw +
		(mlx5_umr_4x32)mlx5_umr_shuffle(raw, (mlx5_umr_16x8){
			MLX5_UMR_Z, MLX5_UMR_Z, MLX5_UMR_Z, MLX5_UMR_Z, 0, 1, 2, 3, MLX5_UMR_Z,
			MLX5_UMR_Z, MLX5_UMR_Z, MLX5_UMR_Z, MLX5_UMR_Z, MLX5_UMR_Z, MLX5_UMR_Z,
			MLX5_UMR_Z });
	/* {count 2, stride 2, lkey}, the address */
	const mlx5_umr_2x64 head = mlx5_umr_shuffle((mlx5_umr_2x64)v, (mlx5_umr_16x8){
		0, 1, 4, 5, 8, 9, 10, 11, MLX5_UMR_Z, MLX5_UMR_Z, MLX5_UMR_Z, MLX5_UMR_Z,
		MLX5_UMR_Z, MLX5_UMR_Z, MLX5_UMR_Z, MLX5_UMR_Z });
	const mlx5_umr_2x64 whole = { head[0], entry->addr };

	counts->total += (mlx5_umr_4x32)raw;
	counts->bits |= v | ((mlx5_umr_4x32)raw + (mlx5_umr_4x32){ UINT32_MAX, 0, 0, 0 });
	return mlx5_umr_shuffle(whole, (mlx5_umr_16x8){
		3, 2, 1, 0, 7, 6, 5, 4, 15, 14, 13, 12, 11, 10, 9, 8 });
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
		for (i = 0; i < nb; i++)
			entry[i + 1] = mlx5_umr_entry_of(&entries[i], &counts);
	}
	mlx5_umr_repeat_store(dst, counts.total[0], nb, repeat);
	*len = mlx5_umr_len_of((uint64_t)counts.total[0] * repeat);
	return (((mlx5_umr_2x64)counts.bits)[0] & UINT64_C(0xffff0000ffff0000)) == 0;
}

#endif /* MLX5_UMR_ENTRY_H */
