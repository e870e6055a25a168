/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_INDEX_H
#define MLX5_UMR_INDEX_H

/**
 * @file
 * Indices of rings. All of them - operations, WQEBBs, submits, CQEs, receives, lists - have one
 * type, run free over its 32 bits and are masked where they are used.
 *
 * The device and the API have 16 bits of them. These are no indices: they are made by
 * mlx5_umr_idx_low(), and become one again by mlx5_umr_idx_widen(). C compares a number of 16 bits
 * with one of 32 without a word, and finds them different once the second has gone beyond the
 * first: so indices are compared by what does not compile with another type.
 */

#include <stdbool.h>
#include <stdint.h>

typedef uint32_t mlx5_umr_idx_t;

/** Bits of an index that the device and the API know. */
#define MLX5_UMR_IDX_LOW_MASK	UINT32_C(0xffff)

/** Of two indices only: any other type has no association. */
#define MLX5_UMR_IDX_OF(a, b, value)								\
	_Generic((a), mlx5_umr_idx_t: _Generic((b), mlx5_umr_idx_t: (value)))

/** Whether two indices are the same one. */
#define mlx5_umr_idx_is(a, b)		MLX5_UMR_IDX_OF(a, b, (a) == (b))

/** From one index up to another one that is not in front of it. */
#define mlx5_umr_idx_dist(begin, end)	MLX5_UMR_IDX_OF(begin, end, (end) - (begin))

/** Whether an index is in front of another one; less than half of their range is between them. */
#define mlx5_umr_idx_is_before(a, b)	MLX5_UMR_IDX_OF(a, b, (int32_t)((a) - (b)) < 0)

/** What the device and the API see of an index. */
static inline uint16_t
mlx5_umr_idx_low(mlx5_umr_idx_t idx)
{
	return (uint16_t)idx;
}

/** The index that ends with those bits and is not behind a known one, as near to it as can be. */
static inline mlx5_umr_idx_t
mlx5_umr_idx_widen(mlx5_umr_idx_t end, uint16_t low)
{
	return end - ((end - low) & MLX5_UMR_IDX_LOW_MASK);
}

#endif /* MLX5_UMR_INDEX_H */
