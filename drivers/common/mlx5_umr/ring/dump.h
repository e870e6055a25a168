/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_DUMP_H
#define MLX5_UMR_DUMP_H

/**
 * @file
 * The rings of a queue as text: while it works, by another thread, and when it fails.
 *
 * What is read from another thread can change meanwhile. Nothing outside of the rings is read then,
 * and an operation whose descriptors may have been used again is marked.
 */

#include <stdint.h>
#include <stdio.h>

#include "ring/queue.h"

/** Indices, and with nb_ops the last operations, receives and CQEs, decoded. By any thread. */
void mlx5_umr_ring_dump(const struct mlx5_umr_queue *queue, uint32_t nb_ops, FILE *f);

/** What made the queue fail, and the operations around it; nothing if it has not. By any thread. */
void mlx5_umr_failure_dump(const struct mlx5_umr_queue *queue, FILE *f);

/**
 * The queue has failed by the CQE of an operation, or of none: op_submitted. Keep it, and write the
 * ring to the log, at level INFO. Its lcore calls this once, before anything of the ring is reused.
 */
void mlx5_umr_queue_failed(struct mlx5_umr_queue *queue, const volatile struct mlx5_cqe64 *cqe,
			   mlx5_umr_idx_t op);
/** The same by the CQE of a receive, the oldest one. */
void mlx5_umr_queue_recv_failed(struct mlx5_umr_queue *queue,
				const volatile struct mlx5_cqe64 *cqe);

#endif /* MLX5_UMR_DUMP_H */
