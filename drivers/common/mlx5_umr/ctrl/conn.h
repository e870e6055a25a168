/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_CONN_H
#define MLX5_UMR_CONN_H

/**
 * @file
 * State changes of a queue pair: RESET, INIT, and to a peer or itself RTR and RTS.
 */

#include <rte_umr.h>

#include "ring/queue.h"

/** Address of the queue. */
void mlx5_umr_conn_local(const struct mlx5_umr_queue *queue, struct rte_umr_endpoint *local);

/**
 * MAC address of a RoCE peer: from its endpoint, or resolved by the kernel from its GID. Returns 0
 * or a negative errno (logged).
 */
int mlx5_umr_conn_path_mac(const struct mlx5_umr_device *dev,
			   const struct rte_umr_endpoint *remote, uint8_t *mac);

/**
 * RESET to INIT; loopback queues and DC initiators continue to RTS. A DC target is created. Returns
 * 0 or a negative errno (logged).
 */
int mlx5_umr_conn_open(struct mlx5_umr_queue *queue);

/** INIT to RTS. Returns 0, -EINVAL for an invalid peer, or a negative errno (logged). */
int mlx5_umr_conn_connect(struct mlx5_umr_queue *queue, const struct rte_umr_endpoint *remote);

/**
 * Any other state to RESET, through the error state, in which the device completes outstanding
 * work; a DC target is destroyed. Takes limited time, in addition to that of commands. Returns 0,
 * -ETIMEDOUT if the device did not complete the work in time (logged; it is in RESET), or another
 * negative errno (logged; it may not be in RESET).
 */
int mlx5_umr_conn_close(struct mlx5_umr_queue *queue);

#endif /* MLX5_UMR_CONN_H */
