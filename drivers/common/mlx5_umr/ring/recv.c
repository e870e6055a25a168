/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Receives. Every function checks everything first, then builds, then commits. */

#include <errno.h>
#include <inttypes.h>

#include <rte_io.h>

#include "ring/slot.h"
#include "ring/recv_inline.h"
#include "wqe/xfer.h"

/* Bytes received in a CQE could not be copied to memory of this key. */
static inline bool
is_recv_key_bad(const struct mlx5_umr_rq *rq, const struct rte_umr_seg *seg)
{
	return rq->keys != NULL && mlx5_umr_recv_is_opaque(rq, seg);
}

__rte_noinline __rte_cold int
mlx5_umr_reject_recv(struct mlx5_umr_queue *queue, const struct rte_umr_seg *segs,
		     uint32_t nb_segs, uint64_t flags)
{
	uint32_t i = 0;

	if (flags != 0)
		return REJECT(queue, FLAGS, -EINVAL, "receive: flags 0x%" PRIx64 " is not 0",
			      flags);
	if (nb_segs > queue->rq.max_segs)
		return REJECT(queue, ENTRIES, -E2BIG,
			      "receive: %u segments, the queue was set up for %u", nb_segs,
			      queue->rq.max_segs);
	while (segs[i].length - 1 < queue->rq.max_msg_len && !is_recv_key_bad(&queue->rq, &segs[i]))
		i++;
	if (segs[i].length == 0)
		return REJECT(queue, LENGTH, -EINVAL, "receive: length of segment %u is 0", i);
	if (segs[i].length <= queue->rq.max_msg_len)
		return REJECT(queue, KEY, -ENOTSUP,
			      "receive: key 0x%x of segment %u is not one of "
			      "mapped memory, and the queue has inline receives",
			      segs[i].lkey, i);
	return REJECT(queue, LENGTH, -ERANGE, "receive: length of segment %u is %u, at most %u", i,
		      segs[i].length, queue->rq.max_msg_len);
}

/** Check whether a receive can be posted; 0 or a negative errno. */
static __rte_always_inline int
recv_check(struct mlx5_umr_queue *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
	   uint64_t flags)
{
	const struct mlx5_umr_rq *rq = &queue->rq;
	uint32_t bad = 0;
	uint32_t i;

	if (unlikely(!queue->has_rq))
		return REJECT(queue, UNSUPPORTED, -ENOTSUP, "set up without receives");
	if (unlikely(flags != 0 || nb_segs > rq->max_segs))
		return mlx5_umr_reject_recv(queue, segs, nb_segs, flags);
	for (i = 0; i < nb_segs; i++)
		bad |= segs[i].length - 1 >= rq->max_msg_len || is_recv_key_bad(rq, &segs[i]);
	if (unlikely(bad != 0))
		return mlx5_umr_reject_recv(queue, segs, nb_segs, flags);
	if (unlikely(queue->error == -EIO || mlx5_umr_idx_dist(rq->ci, rq->pi) > rq->mask))
		return mlx5_umr_reject_recv_state(queue);
	return 0;
}

static __rte_always_inline void
recv_put(struct mlx5_umr_rq *rq, const struct rte_umr_seg *segs, uint32_t nb_segs)
{
	uint8_t *wqe = rq->ring + ((size_t)(rq->pi & rq->mask) << rq->log_stride);

	mlx5_umr_recv_build((struct mlx5_wqe_data_seg *)wqe,
			    1u << rq->log_stride >> MLX5_UMR_LOG_DS_SIZE, segs, nb_segs);
	rq->pi++;
	rq->nb_posted++;
}

static __rte_always_inline void
recv_ring(struct mlx5_umr_rq *rq)
{
	rte_io_wmb();	/* WQE before the DBR: the HCA may take it for any packet from here on. */
	*rq->dbr = rte_cpu_to_be_32(mlx5_umr_idx_low(rq->pi));
}

int
mlx5_umr_recv(void *q, const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags)
{
	struct mlx5_umr_queue *queue = q;
	struct mlx5_umr_rq *rq = &queue->rq;
	int ret;

	ret = recv_check(queue, segs, nb_segs, flags);
	if (unlikely(ret != 0))
		return ret;
	recv_put(rq, segs, nb_segs);
	recv_ring(rq);
	return mlx5_umr_idx_low(rq->idx_base + rq->pi - 1);
}

int
mlx5_umr_recv_burst(void *q, const struct rte_umr_seg *segs, uint16_t nb_segs, uint64_t flags)
{
	struct mlx5_umr_queue *queue = q;
	uint16_t nb;
	int ret = 0;

	if (unlikely(nb_segs == 0))
		return mlx5_umr_reject_no_ops(queue);
	for (nb = 0; nb < nb_segs; nb++) {
		ret = recv_check(queue, &segs[nb], 1, flags);
		if (unlikely(ret != 0))
			break;
		recv_put(&queue->rq, &segs[nb], 1);
	}
	if (unlikely(nb == 0))
		return ret;
	recv_ring(&queue->rq);
	return nb;
}
