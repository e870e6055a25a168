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
 * MAC address of a RoCE peer: what it told, or what the kernel finds for its GID. Returns 0 or a
 * negative errno (logged).
 */
int mlx5_umr_conn_path_mac(const struct mlx5_umr_device *dev,
			   const struct rte_umr_endpoint *remote, uint8_t *mac);

/**
 * RESET to INIT; a loopback and a DC initiator go on to RTS. A DC target is created. Returns 0 or a
 * negative errno (logged).
 */
int mlx5_umr_conn_open(struct mlx5_umr_queue *queue);

/** INIT to RTS. Returns 0, -EINVAL for a senseless peer, or a negative errno (logged). */
int mlx5_umr_conn_connect(struct mlx5_umr_queue *queue, const struct rte_umr_endpoint *remote);

/**
 * Any state to RESET, unless it is there, by way of an error in which the device gives back what it
 * has; a DC target is destroyed. Takes bounded time, but for that of commands. Returns 0,
 * -ETIMEDOUT if the device did not give it back in time (logged; it is in RESET), or another
 * negative errno (logged; it may not be).
 */
int mlx5_umr_conn_close(struct mlx5_umr_queue *queue);

#endif /* MLX5_UMR_CONN_H */
