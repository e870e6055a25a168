/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_RECOVER_H
#define MLX5_UMR_RECOVER_H

/**
 * @file
 * Recovery of queues from the error state:
 *
 *     error -- 2ERR --> device flushes -- last CQE --> RESET -- all collected --> INIT ... RTS
 *             unless it                    (or 2 s)             (else -EBUSY)
 *             is in error
 *
 * Each step runs once; the next call continues after the last completed step.
 */

struct mlx5_umr_queue;

/** rte_umr_queue_recover() of the driver. */
int mlx5_umr_queue_recover(void *queue);
/** Automatic recovery of a queue; the device's self_recover. */
void mlx5_umr_self_recover(struct mlx5_umr_queue *queue);

#endif /* MLX5_UMR_RECOVER_H */
