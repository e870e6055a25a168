/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_LOG_H
#define MLX5_UMR_LOG_H

/**
 * @file
 * Log type of the driver, and a text that its rooms share.
 */

#include <stddef.h>
#include <stdint.h>

#include <rte_log.h>

extern int mlx5_umr_logtype;

/** Log one line that is about no device. */
#define MLX5_UMR_LOG(level, fmt, ...)                                                              \
	rte_log(RTE_LOG_##level, (uint32_t)mlx5_umr_logtype, "mlx5_umr: " fmt "\n", ##__VA_ARGS__)

/** Log one line about a device, by its name: MLX5_UMR_DEV_LOG(ERR, umr_dev->name, "..."). */
#define MLX5_UMR_DEV_LOG(level, name, fmt, ...)                                                    \
	MLX5_UMR_LOG(level, "%s: " fmt, name, ##__VA_ARGS__)

/** Log one line about a queue: MLX5_UMR_QUEUE_LOG(ERR, queue, "..."). */
#define MLX5_UMR_QUEUE_LOG(level, queue, fmt, ...)                                                 \
	MLX5_UMR_DEV_LOG(level, (queue)->dev->umr_dev->name, "queue %u: " fmt,                     \
			 (queue)->fp.queue_id, ##__VA_ARGS__)

#define MLX5_UMR_PIN_ERROR_SIZE 160u

/**
 * Describe why memory cannot be registered, with the limit of locked memory if it is the usual
 * cause of the error. @return text
 */
const char *mlx5_umr_pin_error(int error, char text[MLX5_UMR_PIN_ERROR_SIZE]);

#endif /* MLX5_UMR_LOG_H */
