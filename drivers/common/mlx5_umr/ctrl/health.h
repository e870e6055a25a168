/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_HEALTH_H
#define MLX5_UMR_HEALTH_H

/**
 * @file
 * Detection of a lost device, in two ways, both in EAL's interrupt thread:
 *
 *   - the kernel reports a fatal error, or the removal of the device, as an asynchronous event. A
 *     queue that finds a failure also reads events, so that the status of the device is correct
 *     before the failed operation is returned.
 *   - the device does not respond: while it is started, a queue of the driver posts a NOP every
 *     quarter of the time of the option silence_ms, and four of them have no response
 *
 * Silence is counted in beats, not in time: a process that was stopped has not missed four. A beat
 * does not count if it is late, as on a machine without a free CPU, or while other queues get
 * completions.
 *
 * A flag notifies queues. Their next poll checks it if the device has written nothing, and then
 * flushes all outstanding operations.
 */

#include <pthread.h>
#include <stdbool.h>
#include <sys/queue.h>

#include "ring/device.h"

struct mlx5_umr_device;
struct mlx5_umr_queue;

/** Default and maximum of the option silence_ms. */
#define MLX5_UMR_SILENCE_MS	60000u
#define MLX5_UMR_MAX_SILENCE_MS	3600000u

/** Start monitoring events of an open device. @return 0 or a negative errno (logged). */
int mlx5_umr_health_init(struct mlx5_umr_device *dev);
/** Stop monitoring events. No notification is sent after the return. */
void mlx5_umr_health_fini(struct mlx5_umr_device *dev);
/** Start posting NOPs, if enabled. @return 0 or a negative errno (logged). */
int mlx5_umr_health_start(struct mlx5_umr_device *dev);
/** Stop posting NOPs, also on error. @return 0 or a negative errno (logged). */
int mlx5_umr_health_stop(struct mlx5_umr_device *dev);

/** The automatic recovery of a queue failed: the interrupt thread notifies the application. */
void mlx5_umr_health_recovery_failed(struct mlx5_umr_device *dev);

/** Add a queue to notify when the device is lost; it may already be lost. */
void mlx5_umr_health_add(struct mlx5_umr_device *dev, struct mlx5_umr_queue *queue);
/** Remove a queue before it is destroyed. */
void mlx5_umr_health_remove(struct mlx5_umr_device *dev, struct mlx5_umr_queue *queue);

#endif /* MLX5_UMR_HEALTH_H */
