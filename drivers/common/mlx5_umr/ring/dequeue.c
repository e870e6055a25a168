/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * CQE poll of the send side, and status mapping.
 *
 * A successful CQE completes its operation and all before it: only the last WQE of a submit
 * requests a CQE. An error CQE completes its own operation; those before it succeeded, unless it is
 * a flush, which gives no information about them. After an error the device executes nothing, so
 * the rest is flushed at once, whether or not the device writes CQEs for it.
 */

#include <errno.h>
#include <stdio.h>

#include <rte_branch_prediction.h>
#include <rte_io.h>

#include "ring/cq.h"
#include "ring/dump.h"
#include "ring/key_table.h"
#include "ring/log.h"
#include "ring/mkey.h"
#include "ring/queue.h"
#include "wqe/wqe.h"

void
mlx5_umr_cq_drain(struct mlx5_umr_queue *queue, struct mlx5_umr_cq *cq)
{
	volatile struct mlx5_cqe64 *cqe;

	while ((cqe = mlx5_umr_cq_next(cq)) != NULL) {
		if (mlx5_umr_cqe_is_sigerr(cqe))
			mlx5_umr_sig_keys_take(&queue->dev->sig_keys, cqe);
		mlx5_umr_cq_seek(cq, cq->ci + 1);
	}
	mlx5_umr_cq_ring(cq);
}

/** Get the CQE at an offset, if the device has written it; else NULL. */
static volatile struct mlx5_cqe64 *
cq_peek(const struct mlx5_umr_cq *cq, uint32_t nb_ahead)
{
	struct mlx5_umr_cq at = *cq;

	mlx5_umr_cq_seek(&at, cq->ci + nb_ahead);
	return mlx5_umr_cq_next(&at);
}

enum rte_umr_status
mlx5_umr_status_of(uint8_t syndrome)
{
	switch (syndrome) {
	case MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR:
		return RTE_UMR_STATUS_LOCAL_LENGTH;
	case MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR:
		return RTE_UMR_STATUS_LOCAL_QP_OP;
	case MLX5_CQE_SYNDROME_LOCAL_PROT_ERR:
		return RTE_UMR_STATUS_LOCAL_PROT;
	case MLX5_CQE_SYNDROME_WR_FLUSH_ERR:
		return RTE_UMR_STATUS_FLUSHED;
	case MLX5_CQE_SYNDROME_MW_BIND_ERR:
		return RTE_UMR_STATUS_MKEY_CONFIG;
	case MLX5_CQE_SYNDROME_BAD_RESP_ERR:
		return RTE_UMR_STATUS_BAD_RESPONSE;
	case MLX5_CQE_SYNDROME_LOCAL_ACCESS_ERR:
		return RTE_UMR_STATUS_LOCAL_ACCESS;
	case MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR:
		return RTE_UMR_STATUS_REMOTE_INVALID;
	case MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR:
		return RTE_UMR_STATUS_REMOTE_ACCESS;
	case MLX5_CQE_SYNDROME_REMOTE_OP_ERR:
		return RTE_UMR_STATUS_REMOTE_OP;
	case MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR:
		return RTE_UMR_STATUS_RETRY_EXCEEDED;
	case MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR:
		return RTE_UMR_STATUS_RNR_RETRY_EXCEEDED;
	case MLX5_CQE_SYNDROME_REMOTE_ABORTED_ERR:
		return RTE_UMR_STATUS_REMOTE_ABORTED;
	default:
		return RTE_UMR_STATUS_UNKNOWN;
	}
}

/**
 * An operation on a key failed or was flushed. The state recorded at enqueue differs from that of
 * the device, which may still belong to the previous owner: properties of the key can only be set
 * with a new layout, and its list cannot be updated. Signatures and encryptions are sent again with
 * that layout, as for all other keys (sig_keys.epoch).
 */
static void
key_forget(const struct mlx5_umr_queue *queue, mlx5_umr_idx_t op)
{
	const struct mlx5_wqe_ctrl_seg *ctrl;
	struct mlx5_umr_mkey_priv *priv;
	struct rte_umr_mkey *mkey;
	uint32_t key;

	switch (queue->ops[op & queue->sq_mask].type) {
	case RTE_UMR_OP_MKEY_LIST:
	case RTE_UMR_OP_MKEY_INTERLEAVED:
	case RTE_UMR_OP_MKEY_CONFIGURE:
	case RTE_UMR_OP_MKEY_UPDATE:
		break;
	default:
		return;
	}
	if (queue->dev->keys == NULL)
		return;
	/* Their first WQE is the UMR, which contains the key. */
	ctrl = (const void *)(queue->sq_ring + (size_t)(mlx5_umr_op_begin(queue, op) &
							queue->sq_mask) * PRM_WQE_BB_SIZE);
	key = rte_be_to_cpu_32(ctrl->imm);
	mkey = mlx5_umr_key_mkey(mlx5_umr_key_table_get(queue->dev->keys, key));
	/* With another tag the key has a new owner, whose operation has not failed. */
	if (mkey == NULL || __atomic_load_n(&mkey->key, __ATOMIC_RELAXED) != key)
		return;
	mkey->is_laid = false;
	mkey->is_unknown = true;
	priv = rte_umr_mkey_priv(mkey);
	priv->nb_entries = 0;
}

/** Complete operations up to end (exclusive) without success. */
static void
sq_fail_until(struct mlx5_umr_queue *queue, mlx5_umr_idx_t end)
{
	for (; !mlx5_umr_idx_is(queue->op_done, end); queue->op_done++) {
		key_forget(queue, queue->op_done);
		queue->ops[queue->op_done & queue->sq_mask].status = RTE_UMR_STATUS_FLUSHED;
		queue->nb_failed++;
	}
}

void
mlx5_umr_queue_flush(struct mlx5_umr_queue *queue)
{
	mlx5_umr_sig_keys_flushed(&queue->dev->sig_keys);
	sq_fail_until(queue, queue->op_pi);
	queue->op_submitted = queue->op_pi;
}

/**
 * Find the submitted operation of a WQE by its counter: the last one that does not begin after it.
 * op_submitted if there is none.
 */
static mlx5_umr_idx_t
sq_find(const struct mlx5_umr_queue *queue, uint16_t wqe_counter)
{
	/* First WQEBB after the submitted ones. */
	const mlx5_umr_idx_t end = mlx5_umr_op_begin(queue, queue->op_submitted);
	const mlx5_umr_idx_t wqe = mlx5_umr_idx_widen(end, wqe_counter);
	mlx5_umr_idx_t found = queue->op_submitted, op;

	if (mlx5_umr_idx_is(wqe, end))
		return found;
	for (op = queue->op_done; !mlx5_umr_idx_is(op, queue->op_submitted); op++) {
		if (mlx5_umr_idx_is_before(wqe, mlx5_umr_op_begin(queue, op)))
			break;
		found = op;
	}
	return found;
}

/** The latest doorbell; at least one was rung. */
static const struct mlx5_umr_submit *
last_submit(const struct mlx5_umr_queue *queue)
{
	return &queue->submits[(queue->submit_pi - 1) & queue->sq_mask];
}

/** An unexpected successful CQE: the state of the rings and of the device differ. */
static void
log_unexpected(const struct mlx5_umr_queue *queue, uint16_t wqe_counter)
{
	const struct mlx5_umr_submit *submit = &queue->submits[queue->submit_ci & queue->sq_mask];
	char expected[32] = "no WQE is outstanding";

	if (!mlx5_umr_idx_is(queue->op_done, queue->op_submitted))
		snprintf(expected, sizeof(expected), "expected WQE 0x%x", submit->wqe_counter);
	MLX5_UMR_QUEUE_LOG(ERR, queue, "CQE %u: unexpected completion for WQE 0x%x, %s",
			   queue->cq.ci, wqe_counter, expected);
}

__rte_noinline __rte_cold void
mlx5_umr_device_look(const struct mlx5_umr_queue *queue)
{
	struct mlx5_umr_device *dev = queue->dev;

	if (dev->look != NULL && dev->health.heart != queue)
		dev->look(dev);
}

/** Process a CQE that is an error, follows one or was not expected; op: its operation. */
static void
sq_fail(struct mlx5_umr_queue *queue, const volatile struct mlx5_cqe64 *cqe, mlx5_umr_idx_t op)
{
	const volatile struct mlx5_err_cqe *err = mlx5_umr_err_cqe(cqe);
	const uint8_t syndrome = err->syndrome, vendor = err->vendor_err_synd;
	const enum rte_umr_status status = mlx5_umr_status_of(syndrome);

	/* Already flushed: the operation was returned before. */
	if (mlx5_umr_idx_is(op, queue->op_submitted))
		return;
	if (PRM_CQE_OPCODE(cqe->op_own) == MLX5_CQE_REQ) {
		queue->op_done = op + 1;
		return;
	}
	if (status == RTE_UMR_STATUS_FLUSHED) {
		sq_fail_until(queue, op + 1);
		return;
	}
	MLX5_UMR_QUEUE_LOG(DEBUG, queue, "operation %u (%s) failed: syndrome 0x%x, vendor 0x%x",
			   mlx5_umr_idx_low(op),
			   rte_umr_op_name(queue->ops[op & queue->sq_mask].type), syndrome, vendor);
	key_forget(queue, op);
	queue->ops[op & queue->sq_mask].status = (uint8_t)status;
	queue->op_done = op + 1;
	queue->nb_failed++;
	queue->syndrome = syndrome;
	queue->vendor_syndrome = vendor;
}

/**
 * Consume a CQE of the send side that is an error, follows one or was not expected. The queue
 * enters the error state. A signature error belongs to a key and completes no operation.
 */
static __rte_noinline __rte_cold void
sq_error(struct mlx5_umr_queue *queue, volatile struct mlx5_cqe64 *cqe)
{
	const uint16_t wqe_counter = rte_be_to_cpu_16(cqe->wqe_counter);
	const mlx5_umr_idx_t op = sq_find(queue, wqe_counter);
	const bool is_first = queue->error == 0;

	if (mlx5_umr_cqe_is_sigerr(cqe)) {
		mlx5_umr_sig_keys_take(&queue->dev->sig_keys, cqe);
		return;
	}
	mlx5_umr_sig_keys_flushed(&queue->dev->sig_keys);
	queue->is_failed |= PRM_CQE_OPCODE(cqe->op_own) == MLX5_CQE_REQ_ERR;
	queue->is_sq_failed |= is_first || PRM_CQE_OPCODE(cqe->op_own) == MLX5_CQE_REQ_ERR;
	queue->is_drained |= wqe_counter == last_submit(queue)->wqe_counter;
	if (PRM_CQE_OPCODE(cqe->op_own) == MLX5_CQE_REQ && is_first)
		log_unexpected(queue, wqe_counter);
	if (queue->error != -EIO)
		mlx5_umr_device_look(queue);
	queue->error = -EIO;
	sq_fail(queue, cqe, op);
	/* The ring is unchanged: it is not written before the queue has recovered. */
	if (is_first)
		mlx5_umr_queue_failed(queue, cqe, op);
}

/** Whether each receive of the device has a CQE. The CQEs are not consumed. */
static bool
rq_is_drained(const struct mlx5_umr_queue *queue)
{
	uint32_t nb = queue->has_rq ? mlx5_umr_idx_dist(queue->rq.ci, queue->rq.pi) : 0, i;
	const volatile struct mlx5_cqe64 *cqe;

	/* Usually the last one is missing. */
	if (nb != 0 && cq_peek(&queue->rq.cq, nb - 1) == NULL)
		return false;
	for (i = 0; i < nb; i++) {
		cqe = cq_peek(&queue->rq.cq, i);
		if (cqe == NULL)
			return false;
		nb += mlx5_umr_cqe_is_sigerr(cqe);
	}
	return true;
}

bool
mlx5_umr_queue_drain(struct mlx5_umr_queue *queue)
{
	struct mlx5_umr_cq *cq = &queue->cq;
	volatile struct mlx5_cqe64 *cqe;

	while ((cqe = mlx5_umr_cq_next(cq)) != NULL) {
		sq_error(queue, cqe);
		mlx5_umr_cq_seek(cq, cq->ci + 1);
	}
	mlx5_umr_cq_ring(cq);
	if (!mlx5_umr_idx_is(queue->submit_ci, queue->submit_pi) && !queue->is_drained)
		return false;
	return rq_is_drained(queue);
}

/**
 * The queue is in error because of a receive, which has a separate CQ. Submitted operations of the
 * send side may have succeeded, and their CQEs report this; operations that were not submitted
 * never will be.
 */
static inline bool
is_sq_awaited(const struct mlx5_umr_queue *queue)
{
	return !queue->is_sq_failed && !queue->is_reset && !mlx5_umr_queue_is_lost(queue) &&
	       !mlx5_umr_idx_is(queue->op_done, queue->op_submitted);
}

/**
 * The queue is in error. Complete outstanding operations; if there are none left, recover if
 * automatic recovery is enabled.
 */
static __rte_noinline __rte_cold void
sq_failed(struct mlx5_umr_queue *queue)
{
	if (mlx5_umr_idx_is(queue->op_done, queue->op_pi))
		mlx5_umr_queue_self_recover(queue);
	else if (!is_sq_awaited(queue))
		mlx5_umr_queue_flush(queue);
}

/**
 * Process new CQEs; advances op_done. Stops at the CQE of the last doorbell: the next entry of the
 * ring is in another cache line.
 */
static inline void
sq_poll(struct mlx5_umr_queue *queue)
{
	struct mlx5_umr_cq *cq = &queue->cq;
	const struct mlx5_umr_submit *submit;
	volatile struct mlx5_cqe64 *cqe = mlx5_umr_cq_next(cq);

	if (cqe == NULL) {
		mlx5_umr_queue_see_lost(queue);
		goto done;
	}
	do {
		submit = &queue->submits[queue->submit_ci & queue->sq_mask];
		if (likely(PRM_CQE_OPCODE(cqe->op_own) == MLX5_CQE_REQ && queue->error == 0 &&
			   rte_be_to_cpu_16(cqe->wqe_counter) == submit->wqe_counter)) {
			queue->op_done = submit->op_end;
			queue->submit_ci++;
			mlx5_umr_cq_seek(cq, cq->ci + 1);
			if (likely(mlx5_umr_idx_is(queue->submit_ci, queue->submit_pi)))
				break;
		} else {
			sq_error(queue, cqe);
			mlx5_umr_cq_seek(cq, cq->ci + 1);
		}
		cqe = mlx5_umr_cq_next(cq);
	} while (cqe != NULL);
	mlx5_umr_cq_ring(cq);
done:
	/* No earlier error is overwritten: all CQEs have been read. */
	if (unlikely(queue->error == -EIO))
		sq_failed(queue);
}

/** Count successful operations among the next nb done ones; reports whether the next one failed. */
static __rte_noinline __rte_cold uint16_t
nb_success(const struct mlx5_umr_queue *queue, uint16_t nb, bool *has_error)
{
	mlx5_umr_idx_t op = queue->op_ci;
	uint16_t i;

	for (i = 0; i < nb; i++, op++)
		if (queue->ops[op & queue->sq_mask].status != RTE_UMR_STATUS_SUCCESS)
			break;
	/* An operation remains: a done operation failed, and it is not among the first i. */
	*has_error = queue->ops[op & queue->sq_mask].status != RTE_UMR_STATUS_SUCCESS;
	return i;
}

/** Number of done operations, at most nb_max. */
static inline uint16_t
sq_nb_done(struct mlx5_umr_queue *queue, uint16_t nb_max)
{
	uint32_t nb = mlx5_umr_idx_dist(queue->op_ci, queue->op_done);

	if (nb < nb_max) {
		sq_poll(queue);
		nb = mlx5_umr_idx_dist(queue->op_ci, queue->op_done);
	}
	return nb < nb_max ? (uint16_t)nb : nb_max;
}

/** Collect the next nb operations, at least one. */
static inline void
sq_collect(struct mlx5_umr_queue *queue, uint16_t nb)
{
	queue->op_ci += nb;
	/* The ring is in use from the next operation on. */
	queue->sq_end = mlx5_umr_op_begin(queue, queue->op_ci) + queue->sq_mask + 1;
	queue->nb_completed += nb;
	if (unlikely(mlx5_umr_klm_mem_is_used(&queue->klm_mem)))
		mlx5_umr_klm_mem_collect(&queue->klm_mem, queue->op_ci);
}

static __rte_noinline uint16_t
completed_any(struct mlx5_umr_queue *queue, uint16_t nb_max, uint16_t *last_idx, bool *has_error)
{
	uint16_t nb = sq_nb_done(queue, nb_max);

	if (unlikely(queue->nb_failed != 0))
		nb = nb_success(queue, nb, has_error);
	if (nb == 0) {
		queue->nb_empty_polls += !*has_error;
		return 0;
	}
	sq_collect(queue, nb);
	*last_idx = mlx5_umr_idx_low(queue->op_ci - 1);
	return nb;
}

/** Bits of the last word of a CQE that identify success of the latest submit. */
#define CQE_LAST_MASK							\
	RTE_BE32(0xffffu << MLX5_UMR_CQE_LAST_COUNTER_SHIFT | 0xf0 | MLX5_CQE_OWNER_MASK)

static_assert(MLX5_CQE_REQ == 0, "nothing but a counter and the owner bit");

/** Whether the next CQE is available and reports success of the only outstanding submit. */
static __rte_always_inline bool
is_last_done(const struct mlx5_umr_queue *queue)
{
	rte_be32_t last = *(const volatile rte_be32_t *)((const volatile uint8_t *)queue->cq.next +
							 MLX5_UMR_CQE_LAST);

	return (last & CQE_LAST_MASK) == (queue->submit_last | queue->cq.own) &&
	       mlx5_umr_idx_is(queue->submit_ci + 1, queue->submit_pi);
}

/*
 * The common case comes first: all outstanding operations belong to one submit, have succeeded and
 * are collected at once. The results are then computed from indices, and depend neither on the CQE
 * nor on stores of this function.
 */
uint16_t
mlx5_umr_completed(void *q, uint16_t nb_max, uint16_t *last_idx, bool *has_error)
{
	struct mlx5_umr_queue *queue = q;
	const mlx5_umr_idx_t op_end = queue->op_submitted, cq_ci = queue->cq.ci + 1;
	const uint32_t nb = mlx5_umr_idx_dist(queue->op_ci, op_end);

	*has_error = false;
	if (unlikely(!is_last_done(queue) || nb > nb_max ||
		     !mlx5_umr_idx_is(op_end, queue->op_pi) || queue->error != 0 ||
		     queue->nb_failed != 0 || mlx5_umr_klm_mem_is_used(&queue->klm_mem)))
		return completed_any(queue, nb_max, last_idx, has_error);
	*last_idx = mlx5_umr_idx_low(op_end - 1);
	queue->submit_ci = queue->submit_pi;
	queue->op_done = op_end;
	queue->op_ci = op_end;
	queue->sq_end = queue->sq_pi + queue->sq_mask + 1;
	queue->nb_completed += nb;
	mlx5_umr_cq_seek(&queue->cq, cq_ci);
	rte_io_rmb();	/* CQEs are read before the HCA may write to them again. */
	*queue->cq.dbr = rte_cpu_to_be_32(cq_ci & MLX5_UMR_CQ_CI_MASK);
	return (uint16_t)nb;
}

static inline void
completion_fill(struct mlx5_umr_queue *queue, mlx5_umr_idx_t idx, struct rte_umr_completion *done)
{
	const struct mlx5_umr_op *op = &queue->ops[idx & queue->sq_mask];

	*done = (struct rte_umr_completion){
		.idx = mlx5_umr_idx_low(idx),
		.op = op->type,
		.status = op->status,
		.length = op->length,
	};
	if (likely(op->status == RTE_UMR_STATUS_SUCCESS))
		return;
	done->length = 0;
	queue->nb_failed--;
	queue->nb_errors++;
	queue->nb_statuses[op->status]++;
	if (op->status != RTE_UMR_STATUS_FLUSHED) {
		done->syndrome = queue->syndrome;
		done->vendor_syndrome = queue->vendor_syndrome;
	}
}

uint16_t
mlx5_umr_completed_status(void *q, uint16_t nb_max, struct rte_umr_completion *done)
{
	struct mlx5_umr_queue *queue = q;
	uint16_t nb = sq_nb_done(queue, nb_max);
	uint16_t i;

	for (i = 0; i < nb; i++)
		completion_fill(queue, queue->op_ci + i, &done[i]);
	if (nb != 0)
		sq_collect(queue, nb);
	else
		queue->nb_empty_polls++;
	return nb;
}
