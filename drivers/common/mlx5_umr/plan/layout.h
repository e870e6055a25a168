/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_LAYOUT_H
#define MLX5_UMR_LAYOUT_H

/**
 * @file
 * Layouts of all types off the fast path: check them, measure them, and write their entries to
 * wherever they go, the ring or memory that a WQE points to.
 */

#include <stdint.h>

#include <rte_umr.h>

#include "ring/queue.h"

/** KLM byte counts end at 2 GiB (mlx5dv.h); to the device 0 stands for this value. */
#define MLX5_UMR_KLM_LEN_MAX	(UINT32_C(1) << 31)

/** A layout that was checked. The arrays are still the caller's. */
struct mlx5_umr_layout {
	enum rte_umr_layout_type type;
	/* A pattern that the device cannot repeat: repeat times nb_entries entries of a list. */
	bool is_unrolled;
	uint8_t log_entry_size;	/* of RTE_UMR_LAYOUT_FIXED */
	uint32_t nb_entries;
	uint32_t repeat;
	uint32_t block_len;	/* bytes of a pattern each time */
	uint32_t nb_klm;	/* octowords, filled up to PRM_KLM_ALIGN */
	uint64_t len;
	const uint8_t *image;	/* not NULL: its octowords are there already, nothing else counts */
	union {
		const struct rte_umr_seg *segs;
		const struct rte_umr_interleaved *interleaved;
		const struct rte_umr_fixed *fixed;
	};
};

/**
 * Check a layout for a key and measure it.
 *
 * @return
 *   0, or a negative errno as rte_umr_mkey_configure() returns it (logged and counted)
 */
int mlx5_umr_layout_init(struct mlx5_umr_layout *layout, struct mlx5_umr_queue *queue,
			 const struct rte_umr_mkey *mkey, const struct rte_umr_mkey_op *conf);

/** Write its nb_klm octowords. */
void mlx5_umr_layout_store(const struct mlx5_umr_layout *layout, uint8_t *dst);

/** Number of entries of the list that a key with this layout has; 0: it has no list. */
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

/** A segment whose length is bad is rejected: log it. @return -EINVAL or -ERANGE. */
int mlx5_umr_reject_length(struct mlx5_umr_queue *queue, const struct rte_umr_mkey *mkey,
			   uint32_t i, uint32_t length);

/** Most octowords of a layout on that queue, whatever the key holds. */
uint32_t mlx5_umr_max_klm(const struct mlx5_umr_queue *queue);

#endif /* MLX5_UMR_LAYOUT_H */
