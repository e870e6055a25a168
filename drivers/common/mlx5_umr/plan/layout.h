/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_LAYOUT_H
#define MLX5_UMR_LAYOUT_H

/**
 * @file
 * Layouts of all types off the fast path: check them, compute their size, and write their entries
 * to the ring or to memory that a WQE points to.
 */

#include <stdint.h>

#include <rte_umr.h>

#include "ring/queue.h"

/** Maximum KLM byte count: 2 GiB (mlx5dv.h), which the device encodes as 0. */
#define MLX5_UMR_KLM_LEN_MAX	(UINT32_C(1) << 31)

/** A checked layout. The caller owns the arrays. */
struct mlx5_umr_layout {
	enum rte_umr_layout_type type;
	/* A pattern that the device cannot repeat: a list of repeat times nb_entries entries. */
	bool is_unrolled;
	uint8_t log_entry_size;	/* of RTE_UMR_LAYOUT_FIXED */
	uint32_t nb_entries;
	uint32_t repeat;
	uint32_t block_len;	/* bytes of each repetition of a pattern */
	uint32_t nb_klm;	/* octowords, padded to PRM_KLM_ALIGN */
	uint64_t len;
	const uint8_t *image;	/* not NULL: existing octowords, the rest is ignored */
	union {
		const struct rte_umr_seg *segs;
		const struct rte_umr_interleaved *interleaved;
		const struct rte_umr_fixed *fixed;
	};
};

/**
 * Check a layout for a key and compute its size.
 *
 * @return
 *   0, or a negative errno as rte_umr_mkey_configure() returns it (logged and counted)
 */
int mlx5_umr_layout_init(struct mlx5_umr_layout *layout, struct mlx5_umr_queue *queue,
			 const struct rte_umr_mkey *mkey, const struct rte_umr_mkey_op *conf);

/** Write the nb_klm octowords, to an address that is aligned to a block of the ring. */
void mlx5_umr_layout_store(const struct mlx5_umr_layout *layout, uint8_t *dst);

/** Number of list entries of a key with this layout; 0: it has no list. */
static inline uint32_t
mlx5_umr_layout_nb_list(const struct mlx5_umr_layout *layout)
{
	return layout->type == RTE_UMR_LAYOUT_INTERLEAVED ? 0 : layout->nb_entries;
}

/** 1 if len is 0 or more than 2 GiB. */
static inline uint32_t
mlx5_umr_is_klm_len_bad(uint32_t len)
{
	return (len - 1) >> 31;
}

/** Reject and log an invalid segment length. @return -EINVAL or -ERANGE. */
int mlx5_umr_reject_length(struct mlx5_umr_queue *queue, const struct rte_umr_mkey *mkey,
			   uint32_t i, uint32_t length);

/** Maximum octowords of a layout on a queue, regardless of the key. */
uint32_t mlx5_umr_max_klm(const struct mlx5_umr_queue *queue);

#endif /* MLX5_UMR_LAYOUT_H */
