/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Addresses of DC initiators and receives of targets. Every function checks everything first, then
 * builds, then commits.
 */

#include <errno.h>
#include <inttypes.h>

#include <rte_io.h>

#include "fast/dc.h"
#include "fast/ops.h"
#include "ring/dct.h"
#include "ring/slot.h"
#include "wqe/xfer.h"

int
mlx5_umr_dc_addr_set(void *q, const struct rte_umr_dc_addr *addr)
{
	struct mlx5_umr_queue *queue = q;

	static_assert(sizeof(addr->av) == sizeof(struct mlx5_wqe_av), "address vector");
	if (unlikely(!queue->is_dci))
		return REJECT(queue, UNSUPPORTED, -ENOTSUP,
			      "no DC initiator: no address vector");
	if (unlikely(addr->is_filled != 1))
		return REJECT(queue, ADDRESS, -EINVAL,
			      "the address is not from rte_umr_dc_addr_fill(), is_filled is %u",
			      addr->is_filled);
	if (unlikely(addr->dev_id != queue->fp.dev_id))
		return REJECT(queue, OWNER, -EXDEV, "the address is of %s",
			      rte_umr_dev_label(addr->dev_id));
	memcpy(queue->av, addr->av, sizeof(queue->av));
	queue->has_av = true;
	return 0;
}

static inline bool
is_recv_bad(const struct mlx5_umr_queue *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
	    uint64_t flags)
{
	uint32_t bad = 0;
	uint32_t i;

	if (flags != 0 || nb_segs > queue->rq.max_segs)
		return true;
	for (i = 0; i < nb_segs; i++)
		bad |= segs[i].length - 1 >= queue->rq.max_msg_len;
	return bad != 0;
}

/* Post a receive of a target. */
static int
dct_recv(void *q, const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags)
{
	struct mlx5_umr_queue *queue = q;
	struct mlx5_umr_dct *dct = queue->dct;
	struct mlx5_umr_rq *rq = &queue->rq;
	struct mlx5_wqe_srq_next_seg *wqe;
	uint16_t idx, slot = dct->head;

	if (unlikely(is_recv_bad(queue, segs, nb_segs, flags)))
		return mlx5_umr_reject_recv(queue, segs, nb_segs, flags);
	if (unlikely(queue->error == -EIO || slot == dct->tail))
		return mlx5_umr_reject_recv_state(queue);

	wqe = mlx5_umr_dct_wqe(queue, slot);
	mlx5_umr_recv_build((struct mlx5_wqe_data_seg *)(wqe + 1),
			    (1u << rq->log_stride >> MLX5_UMR_LOG_DS_SIZE) - 1, segs, nb_segs);
	idx = mlx5_umr_idx_low(rq->idx_base + rq->pi++);
	dct->slots[slot] = (struct mlx5_umr_dct_slot){ .idx = idx, .is_posted = true };
	dct->head = rte_be_to_cpu_16(wqe->next_wqe_index);
	rte_io_wmb();	/* WQE before the DBR: the HCA may take it for any packet from here on. */
	*rq->dbr = rte_cpu_to_be_32(mlx5_umr_idx_low(rq->pi));
	rq->nb_posted++;
	return idx;
}

static int
dct_recv_burst(void *q, const struct rte_umr_seg *segs, uint16_t nb_segs, uint64_t flags)
{
	uint16_t nb;
	int ret = 0;

	if (unlikely(nb_segs == 0))
		return mlx5_umr_reject_no_ops(q);
	for (nb = 0; nb < nb_segs; nb++) {
		ret = dct_recv(q, &segs[nb], 1, flags);
		if (ret < 0)
			break;
	}
	return nb == 0 ? ret : nb;
}

void
mlx5_umr_fp_ops_dct_fill(struct rte_umr_fp_ops *ops)
{
	ops->recv = dct_recv;
	ops->recv_burst = dct_recv_burst;
	ops->recv_completed = mlx5_umr_dct_recv_completed;
}
