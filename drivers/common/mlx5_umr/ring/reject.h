/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_REJECT_H
#define MLX5_UMR_REJECT_H

/**
 * @file
 * Operations that a queue rejects: counted by reason, and the first of each reason is logged.
 */

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include <rte_common.h>
#include <rte_umr.h>

struct mlx5_umr_queue;

/**
 * Count a rejection, and log it if it is the first for its reason since the counters were reset:
 * REJECT(queue, LENGTH, -EINVAL, "length of segment %u is 0", i).
 *
 * @return error
 */
#define REJECT(queue, reason, error, ...)                                                          \
	mlx5_umr_reject(queue, RTE_UMR_REJECT_##reason, error, __VA_ARGS__)

int mlx5_umr_reject(struct mlx5_umr_queue *queue, enum rte_umr_reject reason, int error,
		    const char *fmt, ...) __rte_format_printf(4, 5) __rte_cold;

/** The send ring is full, or the queue currently accepts nothing. @return A negative errno. */
int mlx5_umr_reject_state(struct mlx5_umr_queue *queue);
/** The memory for long lists is full, or as above. @return A negative errno. */
int mlx5_umr_reject_list(struct mlx5_umr_queue *queue);
/** The receive ring is full, or the queue is in error. @return A negative errno. */
int mlx5_umr_reject_recv_state(struct mlx5_umr_queue *queue);
/** The flags have bits that the operation does not accept. @return -EINVAL */
int mlx5_umr_reject_flags(struct mlx5_umr_queue *queue, uint64_t flags, uint64_t accepted);
/** A burst of no operations. @return -EINVAL */
int mlx5_umr_reject_no_ops(struct mlx5_umr_queue *queue);
/** A DC initiator without an address. @return -EDESTADDRREQ */
int mlx5_umr_reject_no_addr(struct mlx5_umr_queue *queue);
/** Whether the reason is lack of room. */
static inline bool
mlx5_umr_is_full(enum rte_umr_reject reason)
{
	return reason == RTE_UMR_REJECT_RING_FULL || reason == RTE_UMR_REJECT_LIST_FULL;
}

#endif /* MLX5_UMR_REJECT_H */
