/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_SG_H
#define MLX5_UMR_SG_H

/**
 * @file
 * State of a queue for rte_umr_write_sg() and rte_umr_read_sg(): thresholds, and its keys.
 *
 * Keys belong to the queue and are used in turn. Operations complete in order, so the next key is
 * the one that becomes free first: when its operation has been collected, whatever its status.
 * Nothing is recorded at that time; the use of a key is compared with the indices of the queue.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wqe/index.h"

struct mlx5dv_devx_obj;
struct mlx5_umr_queue;
struct rte_umr_seg;

/** Move a list with a key, or else without one; how: fast/sg.h. */
typedef int (*mlx5_umr_sg_by_key_t)(struct mlx5_umr_queue *queue, const struct rte_umr_seg *segs,
				    uint32_t nb_segs, uint64_t remote_addr, uint32_t rkey,
				    uint64_t how);

/** How a list is moved. */
enum mlx5_umr_sg_way {
	MLX5_UMR_SG_INLINE,	/* bytes in a WQE */
	MLX5_UMR_SG_WQE,	/* segments in a WQE */
	MLX5_UMR_SG_WQES,	/* segments in several WQEs */
	MLX5_UMR_SG_KEY,	/* a WQE that maps them to a key, and one for all bytes */
	MLX5_UMR_SG_NB_WAYS,
};

/** A key; its value never changes, because no peer gets it. */
struct mlx5_umr_sg_key {
	uint32_t key;
	mlx5_umr_idx_t op;	/* its latest operation, */
	bool is_used;		/* if it had one since the queue was reset */
	struct mlx5dv_devx_obj *obj;
};

/** Thresholds of a direction. */
struct mlx5_umr_sg_limits {
	uint32_t max_segs;	/* what fits the empty ring, or a key */
	uint32_t min_key;	/* segments from which a key is used; UINT32_MAX: none */
};

struct mlx5_umr_sg {
	struct mlx5_umr_sg_limits write;
	struct mlx5_umr_sg_limits read;
	uint32_t max_inline;	/* bytes of a write that is copied */
	uint32_t max_entries;	/* of a key */
	uint32_t nb_keys;
	uint32_t next;		/* key */
	struct mlx5_umr_sg_key *keys;
	mlx5_umr_sg_by_key_t by_key;	/* for the instruction set of the CPU */
	uint64_t nb_ops[MLX5_UMR_SG_NB_WAYS];	/* counters */
};

/**
 * Get the next key if its operation was collected, else NULL. An operation is outstanding if its
 * index is in [op_ci, op_pi). A much older use may look so for a moment, each time that the index
 * has wrapped; a use that is outstanding always does.
 */
static inline struct mlx5_umr_sg_key *
mlx5_umr_sg_key_peek(const struct mlx5_umr_sg *sg, mlx5_umr_idx_t op_ci, mlx5_umr_idx_t op_pi)
{
	struct mlx5_umr_sg_key *key = &sg->keys[sg->next];

	if (key->is_used && mlx5_umr_idx_dist(op_ci, key->op) < mlx5_umr_idx_dist(op_ci, op_pi))
		return NULL;
	return key;
}

/** Take the key that was peeked at, for an operation. */
static inline void
mlx5_umr_sg_key_take(struct mlx5_umr_sg *sg, mlx5_umr_idx_t op)
{
	sg->keys[sg->next].op = op;
	sg->keys[sg->next].is_used = true;
	sg->next = sg->next + 1 == sg->nb_keys ? 0 : sg->next + 1;
}

/** All operations were collected. */
static inline void
mlx5_umr_sg_reset(struct mlx5_umr_sg *sg)
{
	for (uint32_t i = 0; i < sg->nb_keys; i++)
		sg->keys[i].is_used = false;
}

#endif /* MLX5_UMR_SG_H */
