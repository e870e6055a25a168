/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Receives of queue pairs and of DC targets. Every function that posts checks everything first,
 * then builds, then commits.
 *
 * A receive completes only when its CQE was written, also in the error state: a message may still
 * arrive in its buffer. Receives without a CQE are flushed only when the queue pair is in RESET, or
 * when the device is lost and will not respond (health.h). Receives of a queue pair complete in the
 * order in which they were posted, those of a DC target do not.
 */

#include <errno.h>
#include <inttypes.h>

#include <rte_io.h>

#include "ring/cq.h"
#include "ring/dct.h"
#include "ring/dump.h"
#include "ring/recv_inline.h"
#include "ring/reject.h"
#include "wqe/xfer.h"

/* Bytes received in a CQE could not be copied to memory of this key. */
static inline bool
is_recv_key_bad(const struct mlx5_umr_rq *rq, const struct rte_umr_seg *seg)
{
	return rq->keys != NULL && mlx5_umr_recv_is_opaque(rq, seg);
}

/** Log the reason why a receive is rejected. @return A negative errno (logged). */
static __rte_noinline __rte_cold int
reject_recv(struct mlx5_umr_queue *queue, const struct rte_umr_seg *segs,
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

/** Check whether a receive can be posted; 0 or a negative errno. Targets have none in CQEs. */
static __rte_always_inline int
recv_check(struct mlx5_umr_queue *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
	   uint64_t flags, const bool is_dct)
{
	const struct mlx5_umr_rq *rq = &queue->rq;
	uint32_t bad = 0;
	uint32_t i;

	if (unlikely(!queue->has_rq))
		return REJECT(queue, UNSUPPORTED, -ENOTSUP, "set up without receives");
	if (unlikely(flags != 0 || nb_segs > rq->max_segs))
		return reject_recv(queue, segs, nb_segs, flags);
	for (i = 0; i < nb_segs; i++)
		bad |= segs[i].length - 1 >= rq->max_msg_len ||
		       (!is_dct && is_recv_key_bad(rq, &segs[i]));
	if (unlikely(bad != 0))
		return reject_recv(queue, segs, nb_segs, flags);
	if (unlikely(queue->error == -EIO ||
		     (is_dct ? queue->dct->head == queue->dct->tail :
			       mlx5_umr_idx_dist(rq->ci, rq->pi) > rq->mask)))
		return mlx5_umr_reject_recv_state(queue);
	return 0;
}

/** Build the next receive of a target. */
static __rte_always_inline void
dct_put(struct mlx5_umr_queue *queue, const struct rte_umr_seg *segs, uint32_t nb_segs)
{
	const uint32_t nb_ds = 1u << queue->rq.log_stride >> MLX5_UMR_LOG_DS_SIZE;
	struct mlx5_umr_dct *dct = queue->dct;
	struct mlx5_wqe_srq_next_seg *wqe = mlx5_umr_dct_wqe(queue, dct->head);

	mlx5_umr_recv_build((struct mlx5_wqe_data_seg *)(wqe + 1), nb_ds - 1, segs, nb_segs);
	dct->slots[dct->head] = (struct mlx5_umr_dct_slot){
		.idx = mlx5_umr_idx_low(queue->rq.idx_base + queue->rq.pi), .is_posted = true,
	};
	dct->head = rte_be_to_cpu_16(wqe->next_wqe_index);
}

/** Build the next receive. */
static __rte_always_inline void
recv_put(struct mlx5_umr_queue *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
	 const bool is_dct)
{
	struct mlx5_umr_rq *rq = &queue->rq;
	uint8_t *wqe = rq->ring + ((size_t)(rq->pi & rq->mask) << rq->log_stride);

	if (is_dct)
		dct_put(queue, segs, nb_segs);
	else
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

/** Post one receive; returns its ring index or a negative errno. */
static __rte_always_inline int
recv_one(struct mlx5_umr_queue *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
	 uint64_t flags, const bool is_dct)
{
	struct mlx5_umr_rq *rq = &queue->rq;
	int ret;

	ret = recv_check(queue, segs, nb_segs, flags, is_dct);
	if (unlikely(ret != 0))
		return ret;
	recv_put(queue, segs, nb_segs, is_dct);
	recv_ring(rq);
	return mlx5_umr_idx_low(rq->idx_base + rq->pi - 1);
}

/** Post receives of one segment each; returns their number or a negative errno. */
static __rte_always_inline int
recv_many(struct mlx5_umr_queue *queue, const struct rte_umr_seg *segs, uint16_t nb_segs,
	  uint64_t flags, const bool is_dct)
{
	uint16_t nb;
	int ret = 0;

	if (unlikely(nb_segs == 0))
		return mlx5_umr_reject_no_ops(queue);
	for (nb = 0; nb < nb_segs; nb++) {
		ret = recv_check(queue, &segs[nb], 1, flags, is_dct);
		if (unlikely(ret != 0))
			break;
		recv_put(queue, &segs[nb], 1, is_dct);
	}
	if (unlikely(nb == 0))
		return ret;
	recv_ring(&queue->rq);
	return nb;
}

int
mlx5_umr_recv(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags)
{
	return recv_one(queue, segs, nb_segs, flags, false);
}

int
mlx5_umr_dct_recv(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags)
{
	return recv_one(queue, segs, nb_segs, flags, true);
}

int
mlx5_umr_recv_burst(void *queue, const struct rte_umr_seg *segs, uint16_t nb_segs, uint64_t flags)
{
	return recv_many(queue, segs, nb_segs, flags, false);
}

int
mlx5_umr_dct_recv_burst(void *queue, const struct rte_umr_seg *segs, uint16_t nb_segs,
			uint64_t flags)
{
	return recv_many(queue, segs, nb_segs, flags, true);
}

/** Get the next CQE of a receive; consumes signature errors before it. */
static inline volatile struct mlx5_cqe64 *
rq_next(struct mlx5_umr_queue *queue)
{
	struct mlx5_umr_cq *cq = &queue->rq.cq;
	volatile struct mlx5_cqe64 *cqe;

	while (unlikely((cqe = mlx5_umr_cq_next(cq)) != NULL && mlx5_umr_cqe_is_sigerr(cqe))) {
		mlx5_umr_sig_keys_take(&queue->dev->sig_keys, cqe);
		mlx5_umr_cq_seek(cq, cq->ci + 1);
	}
	return cqe;
}

/** Count a receive that did not succeed. */
static inline void
recv_count_error(struct mlx5_umr_rq *rq, uint8_t status)
{
	rq->nb_errors++;
	rq->nb_statuses[status]++;
}

/** Copy the bytes of a CQE to their destination. */
static __rte_noinline void
recv_inline(struct mlx5_umr_queue *queue, volatile struct mlx5_cqe64 *cqe,
	    struct rte_umr_completion *done)
{
	uint8_t data[MLX5_UMR_RECV_INLINE_MAX];

	/* After the barrier that follows op_own it is plain memory until mlx5_umr_cq_ring(). */
	memcpy(data, (const void *)(uintptr_t)cqe, sizeof(data));
	done->status = (uint8_t)mlx5_umr_recv_inline_copy(&queue->rq, data, done->length);
	if (likely(done->status == RTE_UMR_STATUS_SUCCESS))
		return;
	done->length = 0;
	recv_count_error(&queue->rq, done->status);
}

/** A receive failed, and with it the queue. A target continues with other messages. */
static __rte_noinline __rte_cold void
recv_fail(struct mlx5_umr_queue *queue, const volatile struct mlx5_cqe64 *cqe)
{
	const bool is_first = queue->error != -EIO;

	if (is_first)
		mlx5_umr_device_look(queue);
	queue->is_failed = true;
	if (queue->dct != NULL)
		return;
	queue->error = -EIO;
	if (is_first)
		mlx5_umr_queue_recv_failed(queue, cqe);
}

/** Fill in one receive from its CQE. */
static inline void
recv_fill(struct mlx5_umr_queue *queue, volatile struct mlx5_cqe64 *cqe,
	  struct rte_umr_completion *done)
{
	uint8_t opcode = PRM_CQE_OPCODE(cqe->op_own);

	switch (opcode) {
	case MLX5_CQE_RESP_WR_IMM:
		done->op = RTE_UMR_OP_RECV_WRITE_IMM;
		/* fallthrough */
	case MLX5_CQE_RESP_SEND_IMM:
		done->flags = RTE_UMR_COMPLETION_F_IMM;
		done->imm = cqe->imm_inval_pkey;
		/* fallthrough */
	case MLX5_CQE_RESP_SEND:
		done->length = rte_be_to_cpu_32(cqe->byte_cnt);
		return;
	case MLX5_CQE_RESP_SEND_INV:
		done->length = rte_be_to_cpu_32(cqe->byte_cnt);
		done->flags = RTE_UMR_COMPLETION_F_INVALIDATED;
		done->invalidated = rte_be_to_cpu_32(cqe->imm_inval_pkey);
		return;
	default:
		recv_fail(queue, cqe);
		done->syndrome = mlx5_umr_err_cqe(cqe)->syndrome;
		done->vendor_syndrome = mlx5_umr_err_cqe(cqe)->vendor_err_synd;
		done->status = (uint8_t)mlx5_umr_status_of(done->syndrome);
		recv_count_error(&queue->rq, done->status);
	}
}

/** Collect receives of a queue pair or a DC target. */
static __rte_always_inline uint16_t
recv_completed(struct mlx5_umr_queue *queue, uint16_t nb_max, struct rte_umr_completion *done,
	       const bool is_dct)
{
	struct mlx5_umr_rq *rq = &queue->rq;
	volatile struct mlx5_cqe64 *cqe;
	const mlx5_umr_idx_t ci = rq->cq.ci;
	uint16_t nb;

	if (unlikely(!queue->has_rq))
		return 0;
	for (nb = 0; nb < nb_max; nb++, rq->ci++) {
		/* Writes of a peer need no receive, but can cause signature errors. */
		cqe = rq_next(queue);
		if (mlx5_umr_idx_is(rq->ci, rq->pi))
			break;
		/*
		 * Until RESET the device may write to the buffer; in the error state it writes a
		 * CQE.
		 */
		if (cqe == NULL && likely(!queue->is_reset) && !mlx5_umr_queue_see_lost(queue))
			break;
		done[nb] = (struct rte_umr_completion){
			.idx = mlx5_umr_idx_low(rq->idx_base + rq->ci),
			.op = RTE_UMR_OP_RECV,
		};
		if (likely(cqe != NULL)) {
			recv_fill(queue, cqe, &done[nb]);
			if (is_dct)
				done[nb].idx = mlx5_umr_dct_put(
					queue, rte_be_to_cpu_16(cqe->wqe_counter));
			else if ((cqe->op_own & MLX5_UMR_CQE_SCATTER_MASK) != 0)
				recv_inline(queue, cqe, &done[nb]);
			mlx5_umr_cq_seek(&rq->cq, rq->cq.ci + 1);
		} else {
			done[nb].status = RTE_UMR_STATUS_FLUSHED;
			recv_count_error(rq, RTE_UMR_STATUS_FLUSHED);
			if (is_dct)
				done[nb].idx = mlx5_umr_dct_put(queue,
								mlx5_umr_dct_next_back(queue));
		}
	}
	if (!mlx5_umr_idx_is(rq->cq.ci, ci))
		mlx5_umr_cq_ring(&rq->cq);
	rq->nb_completed += nb;
	if (nb == 0)
		rq->nb_empty_polls++;
	return nb;
}

uint16_t
mlx5_umr_recv_completed(void *q, uint16_t nb_max, struct rte_umr_completion *done)
{
	return recv_completed(q, nb_max, done, false);
}

uint16_t
mlx5_umr_dct_recv_completed(void *q, uint16_t nb_max, struct rte_umr_completion *done)
{
	return recv_completed(q, nb_max, done, true);
}
