/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_KEY_CHECK_H
#define MLX5_UMR_KEY_CHECK_H

/**
 * @file
 * Common checks of functions that configure plain keys.
 */

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "ring/queue.h"
#include "wqe/wqe.h"

static_assert(offsetof(struct rte_umr_mkey, flags) ==
	      offsetof(struct rte_umr_mkey, dev_id) + sizeof(uint16_t), "one load");

/* A flag of keys, which is in the upper half. */
#define MLX5_UMR_DEV_FLAG(flag)	((uint32_t)(flag) << 16)

/** Device and flags of a key. */
static inline uint32_t
mlx5_umr_mkey_dev_flags(const struct rte_umr_mkey *mkey)
{
	uint32_t both;

	memcpy(&both, (const uint8_t *)mkey + offsetof(struct rte_umr_mkey, dev_id), sizeof(both));
	return both;
}

/** Device and flags of a key without flags, of the queue's device. */
static inline uint32_t
mlx5_umr_queue_dev_flags(const struct mlx5_umr_queue *queue)
{
	return (uint16_t)queue->fp.dev_id;
}

/**
 * Whether a common check fails, or the key or its access is not plain (keys that a peer may
 * invalidate are plain): the general function distinguishes these cases.
 */
static inline bool
mlx5_umr_is_common_bad(const struct mlx5_umr_queue *queue, const struct rte_umr_mkey *mkey,
		       uint32_t access)
{
	return access > MLX5_UMR_ACCESS_MKC ||
	       (mlx5_umr_mkey_dev_flags(mkey) &
		~MLX5_UMR_DEV_FLAG(RTE_UMR_MKEY_POOL_F_REMOTE_INVALIDATE)) !=
		       mlx5_umr_queue_dev_flags(queue);
}

static_assert((MLX5_UMR_ACCESS_MKC & (MLX5_UMR_ACCESS_MKC + 1)) == 0, "no gap in the bits");
static_assert((RTE_UMR_OP_F_ALL & (RTE_UMR_OP_F_ALL + 1)) == 0, "no gap in the bits");

#endif /* MLX5_UMR_KEY_CHECK_H */
