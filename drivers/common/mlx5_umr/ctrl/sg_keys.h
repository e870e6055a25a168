/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_SG_KEYS_H
#define MLX5_UMR_SG_KEYS_H

/**
 * @file
 * Thresholds and keys of a queue for rte_umr_write_sg() and rte_umr_read_sg(). Control path.
 */

#include <stdbool.h>

#include "ring/queue.h"

/*
 * Defaults of the options sg_inline (bytes), sg_key and sg_read_key (segments, 0: no keys), as
 * dpdk-test-umr calibrate measures them.
 */
#define MLX5_UMR_SG_DEFAULT_INLINE	0u
#define MLX5_UMR_SG_DEFAULT_KEY		30u
#define MLX5_UMR_SG_DEFAULT_READ_KEY	30u

/** Whether the keys of the queue may need memory for lists. */
bool mlx5_umr_sg_needs_lists(const struct mlx5_umr_queue *queue);
/** Set the thresholds, and create the keys. @return 0 or a negative errno (logged). */
int mlx5_umr_sg_create(struct mlx5_umr_queue *queue);
/** Destroy the keys, which no queue pair uses; can be retried. @return Whether all are gone. */
bool mlx5_umr_sg_destroy(struct mlx5_umr_queue *queue);

#endif /* MLX5_UMR_SG_KEYS_H */
