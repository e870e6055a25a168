/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_RECV_INLINE_H
#define MLX5_UMR_RECV_INLINE_H

/**
 * @file
 * Scatter to CQE: the device writes a short message to the completion of its receive, instead of to
 * memory. It checks neither the segments of the receive nor their keys; this code checks both when
 * it copies the bytes to their destination.
 */

#include "ring/key_table.h"
#include "ring/queue.h"

/** Maximum bytes in a CQE of 64 bytes (libmlx5: MLX5_INLINE_SCATTER_32). */
#define MLX5_UMR_RECV_INLINE_MAX 32u

/** op_own of a CQE: location of its bytes, if any (mlx5dv.h). */
#define MLX5_UMR_CQE_SCATTER_MASK (MLX5_INLINE_SCATTER_32 | MLX5_INLINE_SCATTER_64)

/** Whether the CPU cannot write to memory of a segment's key. */
static inline bool
mlx5_umr_recv_is_opaque(const struct mlx5_umr_rq *rq, const struct rte_umr_seg *seg)
{
	return mlx5_umr_key_is_opaque(mlx5_umr_key_table_get(rq->keys, seg->lkey));
}

/**
 * Copy the bytes of a completion to the segments of the oldest receive.
 *
 * @return
 *   RTE_UMR_STATUS_SUCCESS; _LOCAL_LENGTH: the message is longer; _LOCAL_PROT: a key does not
 *   belong to a writable region that contains its segment.
 */
enum rte_umr_status mlx5_umr_recv_inline_copy(const struct mlx5_umr_rq *rq, const uint8_t *data,
					      uint32_t len);

#endif /* MLX5_UMR_RECV_INLINE_H */
