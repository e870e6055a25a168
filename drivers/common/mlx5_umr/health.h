/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_HEALTH_H
#define MLX5_UMR_HEALTH_H

/**
 * @file
 * Whether a device is lost. There are two ways to know it, both in EAL's interrupt thread:
 *
 *   - the kernel tells of a fatal error, or that the device is gone: an asynchronous event. A queue
 *     that finds a failure looks for it, too: the status of the device is true for whoever is given
 *     back what has failed.
 *   - the device is silent: while it is started, a queue of the driver asks it to do nothing (NOP)
 *     every quarter of the time that the option silence_ms gives, and it does not answer four times
 *
 * Silence is counted in beats, not in time: a process that was stopped has not heard four. A beat
 * does not count that comes late, as on a machine without a free CPU, and not while other queues
 * are given completions.
 *
 * Queues are told by a flag that their next poll sees if the device has written nothing; from there
 * on it is as if it had written that everything is flushed.
 */

#include <pthread.h>
#include <stdbool.h>
#include <sys/queue.h>

#include "ring/device.h"

struct mlx5_umr_device;
struct mlx5_umr_queue;

/** Default of the option silence_ms, and most of it. */
#define MLX5_UMR_SILENCE_MS	60000u
#define MLX5_UMR_MAX_SILENCE_MS	3600000u

/** Listen to events of an open device. @return 0 or a negative errno (logged). */
int mlx5_umr_health_init(struct mlx5_umr_device *dev);
/** Not any more. Nobody is told anything when it has returned. */
void mlx5_umr_health_fini(struct mlx5_umr_device *dev);
/** Ask it from now on, if it is to be asked. @return 0 or a negative errno (logged). */
int mlx5_umr_health_start(struct mlx5_umr_device *dev);
/** Ask it no more. @return 0 or a negative errno (logged); it is not asked in any case. */
int mlx5_umr_health_stop(struct mlx5_umr_device *dev);

/** A queue has not recovered by itself: the interrupt thread tells the application. */
void mlx5_umr_health_recovery_failed(struct mlx5_umr_device *dev);

/** A queue is to know when the device is lost; it may be so. */
void mlx5_umr_health_add(struct mlx5_umr_device *dev, struct mlx5_umr_queue *queue);
/** It is going to be destroyed. */
void mlx5_umr_health_remove(struct mlx5_umr_device *dev, struct mlx5_umr_queue *queue);

#endif /* MLX5_UMR_HEALTH_H */
