/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_BF_H
#define MLX5_UMR_BF_H

/**
 * @file
 * Doorbells in a write-combined page (BlueField, also BlueFlame). A WQE that is submitted alone can
 * be written there as a whole, which saves the device from fetching it. It stands in the ring all
 * the same: the device decides what it reads.
 *
 * A register has two halves that are used in turn, so that two writes do not meet in one buffer.
 */

#include "ring/queue.h"

/** When a WQE is written, instead of its first 8 bytes. */
enum mlx5_umr_bf_mode {
	MLX5_UMR_BF_OFF,	/* never */
	MLX5_UMR_BF_INLINE,	/* if its data is inline */
	MLX5_UMR_BF_SINGLE,	/* always */
};

/** Ring for a WQE that begins there, the last one of a submit; memory is ordered here. */
void mlx5_umr_bf_ring(struct mlx5_umr_queue *queue, const void *wqe, mlx5_umr_idx_t last);

#endif /* MLX5_UMR_BF_H */
