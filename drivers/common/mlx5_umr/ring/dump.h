/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_DUMP_H
#define MLX5_UMR_DUMP_H

/**
 * @file
 * Prints the rings of a queue as text: from another thread while it is in use, and when it fails.
 *
 * Data that another thread reads can change meanwhile. Reads stay within the rings, and an
 * operation whose descriptors may have been reused is marked.
 */

#include <stdint.h>
#include <stdio.h>

#include "ring/queue.h"

/** Print indices, and with nb_ops the last operations, receives and CQEs, decoded. Any thread. */
void mlx5_umr_ring_dump(const struct mlx5_umr_queue *queue, uint32_t nb_ops, FILE *f);

/**
 * Print the failure of a queue, and the operations around it; nothing if there is none. Any thread.
 */
void mlx5_umr_failure_dump(const struct mlx5_umr_queue *queue, FILE *f);

/**
 * Store the CQE by which the queue failed and its operation (op_submitted: none), and log the ring
 * at level INFO. The lcore of the queue calls this once, before the ring is reused.
 */
void mlx5_umr_queue_failed(struct mlx5_umr_queue *queue, const volatile struct mlx5_cqe64 *cqe,
			   mlx5_umr_idx_t op);
/** The same for the CQE of a receive, the oldest one. */
void mlx5_umr_queue_recv_failed(struct mlx5_umr_queue *queue,
				const volatile struct mlx5_cqe64 *cqe);

#endif /* MLX5_UMR_DUMP_H */
