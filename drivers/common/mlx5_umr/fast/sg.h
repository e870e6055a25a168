/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_FAST_SG_H
#define MLX5_UMR_FAST_SG_H

/**
 * @file
 * Writes and reads of lists of any length, with a key and without: sg_key.c, which is compiled for
 * each instruction set, and sg.c.
 */

#include <stdint.h>

#include <infiniband/mlx5dv.h>

#include "ring/queue.h"

/** Opcode, in the upper bits of checked flags: one argument for both. */
#define MLX5_UMR_SG_HOW(flags, opcode)	((flags) | (uint64_t)(opcode) << 56)
#define MLX5_UMR_SG_OPCODE(how)		((uint8_t)((how) >> 56))

static inline const struct mlx5_umr_sg_limits *
mlx5_umr_sg_limits_of(const struct mlx5_umr_queue *queue, uint8_t opcode)
{
	return opcode == MLX5_OPCODE_RDMA_READ ? &queue->sg.read : &queue->sg.write;
}

/** Move a list without a key: flags and number of segments were checked. */
int mlx5_umr_sg_plain(struct mlx5_umr_queue *queue, const struct rte_umr_seg *segs,
		      uint32_t nb_segs, uint64_t remote_addr, uint32_t rkey, uint64_t how);

#endif /* MLX5_UMR_FAST_SG_H */
