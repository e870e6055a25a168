/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_DC_H
#define MLX5_UMR_DC_H

/**
 * @file
 * Data path of DC targets.
 */

#include <rte_umr_pmd.h>

#include "ring/queue.h"

/** Set the functions of DC targets that differ from other queues. */
void mlx5_umr_fp_ops_dct_fill(struct rte_umr_fp_ops *ops);

#endif /* MLX5_UMR_DC_H */
