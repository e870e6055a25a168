/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_BF_H
#define MLX5_UMR_BF_H

/**
 * @file
 * Doorbells in a write-combined page (BlueField, also BlueFlame). A WQE that is submitted alone can
 * be written there completely, so that the device need not fetch it. The WQE is also in the ring:
 * the device decides which copy it reads.
 *
 * A register has two halves that are used alternately, so that two writes do not share a buffer.
 */

#include "ring/queue.h"

/** Condition for writing a whole WQE, instead of its first 8 bytes. */
enum mlx5_umr_bf_mode {
	MLX5_UMR_BF_OFF,	/* never */
	MLX5_UMR_BF_INLINE,	/* if its data is inline */
	MLX5_UMR_BF_SINGLE,	/* always */
};

/** Ring the doorbell for a WQE, the last one of a submit; includes the memory barriers. */
void mlx5_umr_bf_ring(struct mlx5_umr_queue *queue, const void *wqe, mlx5_umr_idx_t last);

#endif /* MLX5_UMR_BF_H */
