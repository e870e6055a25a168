/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "wqe/simd/head.h"
#include "wqe/simd/klm.h"
#include "wqe/wqe.h"

#define ON(a)	(-UINT32_C(a))
#define ON_2(a)	(-UINT64_C(a)), (-UINT64_C(a))
#define ALL(a, b, c, d)	{ ON_2(a), ON_2(b), ON_2(c), ON_2(d) }
#define LEN(a, b, c, d)	{ 0, 0, ON(a), 0, 0, 0, ON(b), 0, 0, 0, ON(c), 0, 0, 0, ON(d), 0 }

const struct mlx5_umr_lanes mlx5_umr_quad_lanes[PRM_KLM_ALIGN] = {
	{ ALL(1, 0, 0, 0), LEN(1, 0, 0, 0), { 0 } },
	{ ALL(1, 1, 0, 0), LEN(1, 1, 0, 0), { ON(1) } },
	{ ALL(1, 1, 1, 0), LEN(1, 1, 1, 0), { ON(1), 0, 0, 0, 0, 0, ON(1) } },
	{ ALL(1, 1, 1, 1), LEN(1, 1, 1, 1), { 0 } },
};

#define SIZE(nb_blocks)	MLX5_UMR_SIZE_INLINE(nb_blocks)

const struct mlx5_umr_size mlx5_umr_inline_sizes[] = {
	SIZE(0), SIZE(1), SIZE(2), SIZE(3), SIZE(4), SIZE(5), SIZE(6), SIZE(7), SIZE(8), SIZE(9),
	SIZE(10), SIZE(11), SIZE(12), SIZE(13),
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
