/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_RECV_INLINE_H
#define MLX5_UMR_RECV_INLINE_H

/**
 * @file
 * Scatter to CQE: a message that is short enough comes in the completion of its receive, instead of
 * in memory. The device looks neither at the segments of the receive nor at their keys; both are
 * looked at here, when the bytes are copied to where they belong.
 */

#include "ring/key_table.h"
#include "ring/queue.h"

/** Most bytes that a CQE of 64 bytes carries (libmlx5: MLX5_INLINE_SCATTER_32). */
#define MLX5_UMR_RECV_INLINE_MAX 32u

/** op_own of a CQE: where its bytes are, if it has some (mlx5dv.h). */
#define MLX5_UMR_CQE_SCATTER_MASK (MLX5_INLINE_SCATTER_32 | MLX5_INLINE_SCATTER_64)

/** Whether the CPU can put bytes behind the key of a segment. */
static inline bool
mlx5_umr_recv_is_opaque(const struct mlx5_umr_rq *rq, const struct rte_umr_seg *seg)
{
	return mlx5_umr_key_is_opaque(mlx5_umr_key_table_get(rq->keys, seg->lkey));
}

/**
 * Copy the bytes of a completion to the segments of the oldest receive.
 *
 * @return
 *   RTE_UMR_STATUS_SUCCESS; _LOCAL_LENGTH: they are more; _LOCAL_PROT: a key is not one of a region
 *   that holds its segment and may be written.
 */
enum rte_umr_status mlx5_umr_recv_inline_copy(const struct mlx5_umr_rq *rq, const uint8_t *data,
					      uint32_t len);

#endif /* MLX5_UMR_RECV_INLINE_H */
