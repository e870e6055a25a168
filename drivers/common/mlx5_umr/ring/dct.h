/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_DCT_H
#define MLX5_UMR_DCT_H

/**
 * @file
 * A DC target: its receives and device objects.
 *
 * Messages of several initiators arrive at the same time, so receives do not complete in the order
 * in which they were posted. They are a list, not a ring: each WQE refers to the next one, and any
 * collected WQE goes to the end of the free list. (UCX: a ring would wait for the oldest receive,
 * that is, for the slowest initiator.)
 *
 *     posted                       free
 *     [slot] -> [slot] -> ...  ->  [head] -> [slot] -> ... -> [tail]
 *
 * The device walks the same list, and reads the link when it takes a WQE: the driver may change the
 * link of a collected WQE. A slot must have a link before it is posted, so the last free slot is
 * not posted: a list of N slots has room for N - 1 receives. (libmlx5 does the same: srq.c.)
 */

#include "ring/queue.h"

struct mlx5_umr_dct_slot {
	uint16_t idx;		/* ring index of its receive */
	bool is_posted;
};

struct mlx5_umr_dct {
	struct mlx5dv_devx_obj *rmp;	/* the list: a receive memory pool */
	struct mlx5dv_devx_obj *obj;
	uint16_t head;			/* slot of the next receive */
	uint16_t tail;			/* last free slot */
	/* For flushed receives: expected slot of the next one, and its ring index. */
	uint16_t back_slot;
	uint16_t back_idx;
	struct mlx5_umr_dct_slot slots[];
};

/* Data path, like mlx5_umr_recv() and so on. Receives complete in the order of their messages. */
int mlx5_umr_dct_recv(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
		      uint64_t flags);
int mlx5_umr_dct_recv_burst(void *queue, const struct rte_umr_seg *segs, uint16_t nb_segs,
			    uint64_t flags);
uint16_t mlx5_umr_dct_recv_completed(void *queue, uint16_t nb_max,
				     struct rte_umr_completion *done);

/** Last slot; slots have 16 bits, as in the list of the device. */
static inline uint16_t
mlx5_umr_dct_last_slot(const struct mlx5_umr_queue *queue)
{
	return (uint16_t)queue->rq.mask;
}

static inline struct mlx5_wqe_srq_next_seg *
mlx5_umr_dct_wqe(const struct mlx5_umr_queue *queue, uint16_t slot)
{
	return (void *)(queue->rq.ring + ((size_t)slot << queue->rq.log_stride));
}

/** Free the slot of a completed receive. Returns its ring index. */
static inline uint16_t
mlx5_umr_dct_put(struct mlx5_umr_queue *queue, uint16_t slot)
{
	struct mlx5_umr_dct *dct = queue->dct;

	slot &= mlx5_umr_dct_last_slot(queue);
	mlx5_umr_dct_wqe(queue, dct->tail)->next_wqe_index = rte_cpu_to_be_16(slot);
	dct->tail = slot;
	dct->slots[slot].is_posted = false;
	return dct->slots[slot].idx;
}

/** Slot of the oldest receive; at least one exists. */
static inline uint16_t
mlx5_umr_dct_find_oldest(const struct mlx5_umr_queue *queue)
{
	const uint16_t newest = mlx5_umr_idx_low(queue->rq.idx_base + queue->rq.pi - 1);
	const uint16_t last = mlx5_umr_dct_last_slot(queue);
	const struct mlx5_umr_dct_slot *slots = queue->dct->slots;
	uint32_t slot, oldest = UINT32_MAX;

	for (slot = 0; slot <= last; slot++)
		if (slots[slot].is_posted &&
		    (oldest == UINT32_MAX || (uint16_t)(newest - slots[slot].idx) >
						     (uint16_t)(newest - slots[oldest].idx)))
			oldest = slot;
	return (uint16_t)oldest;
}

/**
 * Slot of the oldest receive, to flush it; at least one exists. Usually the next slot in the list
 * belongs to the next call, which avoids a search each time.
 */
static inline uint16_t
mlx5_umr_dct_next_back(struct mlx5_umr_queue *queue)
{
	struct mlx5_umr_dct *dct = queue->dct;
	uint16_t slot = dct->back_slot;

	if (slot > mlx5_umr_dct_last_slot(queue) || !dct->slots[slot].is_posted ||
	    dct->slots[slot].idx != dct->back_idx)
		slot = mlx5_umr_dct_find_oldest(queue);
	dct->back_slot = rte_be_to_cpu_16(mlx5_umr_dct_wqe(queue, slot)->next_wqe_index);
	dct->back_idx = (uint16_t)(dct->slots[slot].idx + 1);
	return slot;
}

#endif /* MLX5_UMR_DCT_H */
