/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_CTRL_QUEUE_H
#define MLX5_UMR_CTRL_QUEUE_H

/**
 * @file
 * Creating and destroying queues. Functions that return int return 0 or a negative errno (logged).
 */

#include <stdint.h>
#include <stdio.h>

#include "ring/queue.h"

int mlx5_umr_queue_create(struct mlx5_umr_device *dev, uint16_t queue_id,
			  const struct rte_umr_queue_conf *conf, struct mlx5_umr_queue **queue);
/**
 * Destroy a queue. If the device does not release it, it is kept, with its memory, until the device
 * is closed.
 */
void mlx5_umr_queue_destroy(struct mlx5_umr_queue *queue);
/** Allocate memory for lists, unless there is some or no need. */
int mlx5_umr_queue_lists_alloc(struct mlx5_umr_queue *queue);
/** Retry destroying the queues that were kept, before the context is closed. */
void mlx5_umr_kept_queues_destroy(struct mlx5_umr_device *dev);
/** Free the queues that are left after the context was closed; mlx5_umr_mem_fini() frees memory. */
void mlx5_umr_kept_queues_free(struct mlx5_umr_device *dev);
/**
 * Choose a new first packet sequence number, so that packets of an old connection are not accepted.
 */
void mlx5_umr_queue_psn_draw(struct mlx5_umr_queue *queue);
/** Print the state of a queue and its last nb_ops operations: any thread, while it is in use. */
void mlx5_umr_queue_dump(const void *queue, uint32_t nb_ops, FILE *f);

/** Operations of the driver for completion events: event.c. */
int mlx5_umr_queue_event_fd(void *queue);
int mlx5_umr_queue_event_arm(void *queue);
int mlx5_umr_queue_event_clear(void *queue);
/** Close the descriptor, before the CQs are destroyed. */
void mlx5_umr_queue_event_fini(struct mlx5_umr_queue *queue);

/** Create the receives of a DC target. */
int mlx5_umr_dct_create(struct mlx5_umr_queue *queue);
/** Destroy all objects that create and open have created; missing ones are skipped. */
int mlx5_umr_dct_destroy(struct mlx5_umr_queue *queue);
/** Activate the target; sets its number (queue->qpn). */
int mlx5_umr_dct_open(struct mlx5_umr_queue *queue);
/** Deactivate the target: the device then accesses nothing. May be called again after an error. */
int mlx5_umr_dct_close(struct mlx5_umr_queue *queue);

#endif /* MLX5_UMR_CTRL_QUEUE_H */
