/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* SPDK's headers include the result of its configure; lib/mlx5 needs nothing of it. */
