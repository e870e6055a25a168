/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "wqe/simd/head.h"

#define SIZE(nb_blocks)	MLX5_UMR_SIZE_INLINE(nb_blocks)

const struct mlx5_umr_size mlx5_umr_inline_sizes[] = {
	SIZE(0), SIZE(1), SIZE(2), SIZE(3), SIZE(4), SIZE(5), SIZE(6), SIZE(7), SIZE(8), SIZE(9),
	SIZE(10), SIZE(11), SIZE(12), SIZE(13),
};
