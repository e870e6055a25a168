/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_INDEX_H
#define MLX5_UMR_INDEX_H

/**
 * @file
 * Indices of rings. All of them (operations, WQEBBs, submits, CQEs, receives, lists) have one type,
 * are free running with 32 bits and are masked where they are used.
 *
 * The device and the API use their low 16 bits. These are not indices: mlx5_umr_idx_low() converts
 * to them, and mlx5_umr_idx_widen() converts back. C silently compares a 16-bit number with a
 * 32-bit one, and they differ once the second exceeds 16 bits: so indices are compared with macros
 * that do not compile with another type.
 */

#include <stdbool.h>
#include <stdint.h>

typedef uint32_t mlx5_umr_idx_t;

/** Bits of an index that the device and the API use. */
#define MLX5_UMR_IDX_LOW_MASK	UINT32_C(0xffff)

/** For two indices only: any other type has no association. */
#define MLX5_UMR_IDX_OF(a, b, value)								\
	_Generic((a), mlx5_umr_idx_t: _Generic((b), mlx5_umr_idx_t: (value)))

/** Whether two indices are equal. */
#define mlx5_umr_idx_is(a, b)		MLX5_UMR_IDX_OF(a, b, (a) == (b))

/** Distance from one index to another one that is not before it. */
#define mlx5_umr_idx_dist(begin, end)	MLX5_UMR_IDX_OF(begin, end, (end) - (begin))

/** Whether an index is before another one; their distance is less than half of the range. */
#define mlx5_umr_idx_is_before(a, b)	MLX5_UMR_IDX_OF(a, b, (int32_t)((a) - (b)) < 0)

/** Low bits of an index, for the device and the API. */
static inline uint16_t
mlx5_umr_idx_low(mlx5_umr_idx_t idx)
{
	return (uint16_t)idx;
}

/** Nearest index with those low bits that is not after a known one. */
static inline mlx5_umr_idx_t
mlx5_umr_idx_widen(mlx5_umr_idx_t end, uint16_t low)
{
	return end - ((end - low) & MLX5_UMR_IDX_LOW_MASK);
}

#endif /* MLX5_UMR_INDEX_H */
