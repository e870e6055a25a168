/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "mlx5_umr_klm.h"
#include "mlx5_umr_wqe.h"

#define ALL(a, b, c, d)	{ -(a), -(a), -(b), -(b), -(c), -(c), -(d), -(d) }
#define LEN(a, b, c, d)	{ 0, 0, -(a), 0, 0, 0, -(b), 0, 0, 0, -(c), 0, 0, 0, -(d), 0 }

const struct mlx5_umr_lanes mlx5_umr_quad_lanes[PRM_KLM_ALIGN] = {
	{ ALL(1, 0, 0, 0), LEN(1, 0, 0, 0), { 0 } },
	{ ALL(1, 1, 0, 0), LEN(1, 1, 0, 0), { -1 } },
	{ ALL(1, 1, 1, 0), LEN(1, 1, 1, 0), { -1, 0, 0, 0, 0, 0, -1 } },
	{ ALL(1, 1, 1, 1), LEN(1, 1, 1, 1), { 0 } },
};

#define INLINE(nb_blocks)                                                                          \
	MLX5_UMR_SHAPE(MLX5_UMR_HDR_DS + (nb_blocks) * PRM_KLM_ALIGN,                              \
		       MLX5_WQE_UMR_CTRL_FLAG_INLINE, (nb_blocks) * PRM_KLM_ALIGN)

const struct mlx5_umr_shape mlx5_umr_inline_shapes[] = {
	INLINE(0), INLINE(1), INLINE(2), INLINE(3), INLINE(4), INLINE(5), INLINE(6), INLINE(7),
	INLINE(8), INLINE(9), INLINE(10), INLINE(11), INLINE(12), INLINE(13),
};

struct mlx5_umr_sum
mlx5_umr_segs_sum_exact(const struct rte_umr_seg *segs, uint32_t nb)
{
	struct mlx5_umr_sum sum = { 0 };
	uint32_t i;

	for (i = 0; i < nb; i++) {
		sum.len += segs[i].length;
		sum.bad |= ((uint64_t)segs[i].length - 1) >> 31;
	}
	return sum;
}
