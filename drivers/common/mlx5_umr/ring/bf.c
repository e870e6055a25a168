/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <rte_atomic.h>

#include "ring/bf.h"
#include "wqe/wqe.h"

/**
 * Whether the WQE may be written instead of its doorbell: it is the only one since the last
 * doorbell, has more than a control segment and fits (libmlx5: post_send_db()).
 */
static bool
is_bf_write(const struct mlx5_umr_queue *queue, mlx5_umr_idx_t last, uint32_t len)
{
	return mlx5_umr_idx_is(last, queue->bf_pi) &&
	       len > PRM_WQE_DS_SIZE && len <= queue->bf_size &&
	       (queue->bf_mode == MLX5_UMR_BF_SINGLE ||
		(queue->has_inline && mlx5_umr_idx_is(last, queue->inline_pi)));
}

/* Copy in order; memcpy() may store in any order. */
static void
blocks_write(volatile uint64_t *reg, const uint64_t *wqe, uint32_t len)
{
	uint32_t i;

	for (i = 0; i < RTE_ALIGN_CEIL(len, PRM_WQE_BB_SIZE) / sizeof(*wqe); i++)
		reg[i] = wqe[i];
}

void
mlx5_umr_bf_ring(struct mlx5_umr_queue *queue, const void *wqe, mlx5_umr_idx_t last)
{
	const struct mlx5_wqe_ctrl_seg *ctrl = wqe;
	uint32_t len = (rte_be_to_cpu_32(ctrl->qpn_ds) & PRM_WQE_MAX_DS) * PRM_WQE_DS_SIZE;
	volatile uint64_t *reg = queue->doorbell + queue->bf_offset / sizeof(uint64_t);

	rte_wmb();	/* DBR before the doorbell, which is write combined. */
	if (is_bf_write(queue, last, len)) {
		blocks_write(reg, wqe, len);
		queue->nb_bf++;
	} else {
		*reg = *(const uint64_t *)wqe;
	}
	rte_wmb();	/* Out of the write-combining buffer, now. */
	queue->bf_offset ^= queue->bf_size;
	queue->bf_pi = queue->sq_pi;
	queue->has_inline = false;
}
