/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * View of a queue from another thread: read the indices, copy entries, read the indices again. The
 * lcore only writes to free descriptors, so descriptors of operations that are still uncollected at
 * the end are unchanged; others may have been reused. Sizes and addresses of rings are constant.
 */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <rte_atomic.h>

#include <dump/dump.h>

#include "ring/device.h"
#include "ring/dump.h"
#include "ring/log.h"
#include "ring/peek.h"
#include "wqe/wqe.h"

/* Operations shown on each side of a failed one. */
#define NB_AROUND	1u

/** Snapshot of the indices. */
struct view {
	mlx5_umr_idx_t op_pi;
	mlx5_umr_idx_t op_submitted;
	mlx5_umr_idx_t op_done;
	mlx5_umr_idx_t op_ci;
	mlx5_umr_idx_t op_first;
	mlx5_umr_idx_t sq_pi;
	mlx5_umr_idx_t sq_end;
};

/** Copy of an operation. */
struct op_copy {
	struct mlx5_umr_op info;
	mlx5_umr_idx_t begin;	/* its first WQEBB */
	uint32_t nb_wqebb;	/* 0: its descriptors were reused */
	uint8_t wqes[MLX5_UMR_OP_MAX_WQEBB * PRM_WQE_BB_SIZE];
};

static struct view
view_of(const struct mlx5_umr_queue *queue)
{
	struct view view = {
		.op_ci = MLX5_UMR_PEEK(queue->op_ci),
		.op_done = MLX5_UMR_PEEK(queue->op_done),
		.op_submitted = MLX5_UMR_PEEK(queue->op_submitted),
		.op_pi = MLX5_UMR_PEEK(queue->op_pi),
		.op_first = MLX5_UMR_PEEK(queue->op_first),
		.sq_pi = MLX5_UMR_PEEK(queue->sq_pi),
		.sq_end = MLX5_UMR_PEEK(queue->sq_end),
	};

	rte_smp_rmb();	/* Indices before the entries that they refer to. */
	return view;
}

/** Print a text with each line indented. */
static void
put_indented(FILE *f, const char *indent, const char *text)
{
	const char *end;

	for (; *text != '\0'; text = end + 1) {
		end = strchr(text, '\n');
		if (end == NULL)
			break;
		fprintf(f, "%s%.*s\n", indent, (int)(end - text), text);
	}
}

static enum prm_dump_service
service_of(const struct mlx5_umr_queue *queue)
{
	return queue->is_dci ? PRM_DUMP_DC : PRM_DUMP_CONNECTED;
}

/** Print the WQEs of an operation. */
static void
put_wqes(const struct mlx5_umr_queue *queue, const struct op_copy *op, FILE *f)
{
	const size_t len = (size_t)op->nb_wqebb * PRM_WQE_BB_SIZE;
	char *text = NULL;
	size_t text_len, at, size;
	FILE *mem;

	mem = open_memstream(&text, &text_len);
	if (mem == NULL) {
		fprintf(f, "      no memory\n");
		return;
	}
	for (at = 0; at < len; at += size) {
		size = prm_wqe_dump_as(mem, service_of(queue), op->wqes + at, len - at);
		if (size == 0)
			break;
	}
	if (fclose(mem) == 0)
		put_indented(f, "      ", text);
	free(text);
}

static void
put_cqe(const uint8_t *cqe, FILE *f)
{
	char *text = NULL;
	size_t text_len;
	FILE *mem;

	mem = open_memstream(&text, &text_len);
	if (mem == NULL) {
		fprintf(f, "      no memory\n");
		return;
	}
	prm_cqe_dump(mem, cqe, sizeof(struct mlx5_cqe64));
	if (fclose(mem) == 0)
		put_indented(f, "      ", text);
	free(text);
}

/** Copy an operation before op_pi. */
static void
op_copy(const struct mlx5_umr_queue *queue, const struct view *view, mlx5_umr_idx_t op,
	struct op_copy *copy)
{
	const struct mlx5_umr_op *next = &queue->ops[(op + 1) & queue->sq_mask];
	mlx5_umr_idx_t end = view->sq_pi;
	uint32_t i;

	copy->nb_wqebb = 0;
	copy->info.word = MLX5_UMR_PEEK(queue->ops[op & queue->sq_mask].word);
	copy->begin = mlx5_umr_idx_widen(view->sq_pi, copy->info.pi);
	if (!mlx5_umr_idx_is(op + 1, view->op_pi))
		end = mlx5_umr_idx_widen(view->sq_pi,
					 (uint16_t)(MLX5_UMR_PEEK(next->word) >>
						    MLX5_UMR_OP_PI_SHIFT));
	/* For entries that are no longer neighbors, this is an arbitrary number. */
	if (mlx5_umr_idx_dist(copy->begin, end) > MLX5_UMR_OP_MAX_WQEBB ||
	    mlx5_umr_idx_dist(copy->begin, view->sq_pi) > queue->sq_mask + 1)
		return;
	copy->nb_wqebb = mlx5_umr_idx_dist(copy->begin, end);
	for (i = 0; i < copy->nb_wqebb; i++)
		mlx5_umr_peek(copy->wqes + (size_t)i * PRM_WQE_BB_SIZE,
			      queue->sq_ring + (size_t)((copy->begin + i) & queue->sq_mask) *
				      PRM_WQE_BB_SIZE, PRM_WQE_BB_SIZE);
}

/** Whether the copied descriptors cannot have been reused meanwhile. */
static bool
is_whole(const struct mlx5_umr_queue *queue, const struct view *view, const struct op_copy *copy,
	 mlx5_umr_idx_t op)
{
	struct view now;

	rte_smp_rmb();	/* Copies before the indices. */
	now = view_of(queue);
	/* The rings were reset. */
	if (!mlx5_umr_idx_is(now.op_first, view->op_first))
		return false;
	if (!mlx5_umr_idx_is_before(op, now.op_ci))
		return true;
	/*
	 * Collected: it stays until an operation, possibly under construction, wraps around to it.
	 */
	return mlx5_umr_idx_dist(copy->begin, now.sq_pi) + MLX5_UMR_OP_MAX_WQEBB <=
	       queue->sq_mask + 1;
}

static const char *
state_of(const struct view *view, mlx5_umr_idx_t op)
{
	if (mlx5_umr_idx_is_before(op, view->op_ci))
		return "collected";
	if (mlx5_umr_idx_is_before(op, view->op_done))
		return "done";
	return mlx5_umr_idx_is_before(op, view->op_submitted) ? "submitted" : "built";
}

static void
put_operation(const struct mlx5_umr_queue *queue, const struct view *view, mlx5_umr_idx_t op,
	      const char *mark, FILE *f)
{
	struct op_copy copy;
	bool is_good;

	op_copy(queue, view, op, &copy);
	is_good = is_whole(queue, view, &copy, op);
	if (copy.nb_wqebb == 0) {
		fprintf(f, "    operation %u: its descriptors are used again\n",
			mlx5_umr_idx_low(op));
		return;
	}
	fprintf(f, "    operation %u: %s, %s%s%s, WQE %u, %u descriptors%s%s\n",
		mlx5_umr_idx_low(op), rte_umr_op_name(copy.info.type), state_of(view, op),
		copy.info.status == RTE_UMR_STATUS_SUCCESS ? "" : ", ",
		copy.info.status == RTE_UMR_STATUS_SUCCESS ? "" :
			rte_umr_status_name(copy.info.status),
		mlx5_umr_idx_low(copy.begin), copy.nb_wqebb,
		is_good ? "" : ", may have changed while it was read", mark);
	put_wqes(queue, &copy, f);
}

/**
 * Number of operations that can be shown: not before the first one, and no more than the ring has.
 */
static uint32_t
nb_ops_shown(const struct mlx5_umr_queue *queue, const struct view *view, mlx5_umr_idx_t end)
{
	uint32_t nb = mlx5_umr_idx_dist(view->op_first, end);

	return RTE_MIN(nb, queue->sq_mask + 1);
}

static const char *
cq_side(const struct mlx5_umr_queue *queue, const struct mlx5_umr_cq *cq)
{
	return cq == &queue->cq ? "send" : "receive";
}

/** Print the last consumed CQEs, and the pending ones. */
static void
put_cqes(const struct mlx5_umr_queue *queue, const struct mlx5_umr_cq *cq, uint32_t nb_ops, FILE *f)
{
	const uint32_t nb = RTE_MIN(nb_ops, cq->mask + 1);
	const mlx5_umr_idx_t ci = MLX5_UMR_PEEK(cq->ci);
	const uint32_t nb_old = RTE_MIN(nb, ci);
	struct mlx5_cqe64 cqe;
	mlx5_umr_idx_t i;

	for (i = ci - nb_old; !mlx5_umr_idx_is(i, ci + nb); i++) {
		mlx5_umr_peek(&cqe, &cq->ring[i & cq->mask], sizeof(cqe));
		if (PRM_CQE_OPCODE(cqe.op_own) == MLX5_CQE_INVALID ||
		    ((i & (cq->mask + 1)) != 0) != ((cqe.op_own & MLX5_CQE_OWNER_MASK) != 0)) {
			if (!mlx5_umr_idx_is_before(i, ci))
				return;
			fprintf(f, "    %s CQE %u: used again\n", cq_side(queue, cq), i);
			continue;
		}
		fprintf(f, "    %s CQE %u: %s\n", cq_side(queue, cq), i,
			mlx5_umr_idx_is_before(i, ci) ? "taken" : "waits to be polled");
		put_cqe((const uint8_t *)&cqe, f);
	}
}

/** Print a receive of a queue pair: segments up to the end of the list. */
static void
put_recv(const struct mlx5_umr_queue *queue, mlx5_umr_idx_t i, const char *mark, FILE *f)
{
	const struct mlx5_umr_rq *rq = &queue->rq;
	const uint8_t *wqe = rq->ring + ((size_t)(i & rq->mask) << rq->log_stride);
	const uint32_t nb_max = 1u << rq->log_stride >> MLX5_UMR_LOG_DS_SIZE;
	struct mlx5_wqe_data_seg seg;
	uint32_t s;

	fprintf(f, "    receive %u: WQE %u%s\n",
		mlx5_umr_idx_low(MLX5_UMR_PEEK(rq->idx_base) + i), mlx5_umr_idx_low(i), mark);
	for (s = 0; s < nb_max; s++) {
		mlx5_umr_peek(&seg, wqe + s * sizeof(seg), sizeof(seg));
		if (rte_be_to_cpu_32(seg.lkey) == MLX5_INVALID_LKEY)
			return;
		fprintf(f, "      data: byte_count %u lkey 0x%08x addr 0x%016" PRIx64 "\n",
			rte_be_to_cpu_32(seg.byte_count), rte_be_to_cpu_32(seg.lkey),
			rte_be_to_cpu_64(seg.addr));
	}
}

/** Print the last receives. A target has a list, not a ring. */
static void
put_recvs(const struct mlx5_umr_queue *queue, uint32_t nb, FILE *f)
{
	const mlx5_umr_idx_t pi = MLX5_UMR_PEEK(queue->rq.pi);
	mlx5_umr_idx_t i;

	if (queue->dct != NULL)
		return;
	nb = RTE_MIN(RTE_MIN(nb, pi), queue->rq.mask + 1);
	for (i = pi - nb; !mlx5_umr_idx_is(i, pi); i++)
		put_recv(queue, i, "", f);
}

/** Number of memory chunks that long lists use. */
static uint32_t
nb_chunks_used(const struct mlx5_umr_queue *queue)
{
	const struct mlx5_umr_klm_mem mem = {
		.head = MLX5_UMR_PEEK(queue->klm_mem.head),
		.tail = MLX5_UMR_PEEK(queue->klm_mem.tail),
		.nb_chunks = queue->klm_mem.nb_chunks,
	};

	return mlx5_umr_klm_mem_used(&mem, mem.head);
}

static void
put_indices(const struct mlx5_umr_queue *queue, const struct view *view, FILE *f)
{
	const struct mlx5_umr_rq *rq = &queue->rq;
	const mlx5_umr_idx_t rq_pi = MLX5_UMR_PEEK(rq->pi);

	fprintf(f, "    send: size %u pi %u ci %u free %u\n", queue->sq_mask + 1u, view->sq_pi,
		view->sq_end - queue->sq_mask - 1, mlx5_umr_idx_dist(view->sq_pi, view->sq_end));
	fprintf(f, "    operations: pi %u submitted %u done %u ci %u failed %u\n", view->op_pi,
		view->op_submitted, view->op_done, view->op_ci, MLX5_UMR_PEEK(queue->nb_failed));
	fprintf(f, "    lists in memory: %u of %u entries in use\n",
		nb_chunks_used(queue) * MLX5_UMR_KLM_CHUNK_NB,
		queue->klm_mem.nb_chunks * MLX5_UMR_KLM_CHUNK_NB);
	fprintf(f, "    send CQ: size %u ci %u\n", queue->cq.mask + 1, MLX5_UMR_PEEK(queue->cq.ci));
	if (!queue->has_rq)
		return;
	fprintf(f, "    receive: size %u stride %u pi %u ci %u index %u%s\n", rq->mask + 1u,
		1u << rq->log_stride, rq_pi, MLX5_UMR_PEEK(rq->ci),
		MLX5_UMR_PEEK(rq->idx_base) + rq_pi, rq->keys != NULL ? " inline" : "");
	fprintf(f, "    receive CQ: cqn 0x%x size %u ci %u\n", rq->cq.cqn, rq->cq.mask + 1,
		MLX5_UMR_PEEK(rq->cq.ci));
}

void
mlx5_umr_ring_dump(const struct mlx5_umr_queue *queue, uint32_t nb_ops, FILE *f)
{
	const struct view view = view_of(queue);
	const bool has_sq = queue->dct == NULL;
	struct view after;
	mlx5_umr_idx_t op;

	put_indices(queue, &view, f);
	if (nb_ops == 0)
		return;
	if (has_sq) {
		op = view.op_pi - RTE_MIN(nb_ops, nb_ops_shown(queue, &view, view.op_pi));
		for (; !mlx5_umr_idx_is(op, view.op_pi); op++)
			put_operation(queue, &view, op, "", f);
		put_cqes(queue, &queue->cq, nb_ops, f);
	}
	if (queue->has_rq) {
		put_recvs(queue, nb_ops, f);
		put_cqes(queue, &queue->rq.cq, nb_ops, f);
	}
	after = view_of(queue);
	fprintf(f, "    meanwhile: %u operations built, %u collected\n",
		mlx5_umr_idx_dist(view.op_pi, after.op_pi),
		mlx5_umr_idx_dist(view.op_ci, after.op_ci));
}

/** Print the failed operation, its neighbors, and the CQE that reported the failure. */
static void
put_failed_op(const struct mlx5_umr_queue *queue, mlx5_umr_idx_t failed, FILE *f)
{
	const struct view view = view_of(queue);
	const uint32_t nb_before = RTE_MIN(NB_AROUND, nb_ops_shown(queue, &view, failed));
	mlx5_umr_idx_t op;

	for (op = failed - nb_before; !mlx5_umr_idx_is(op, view.op_pi) &&
	     !mlx5_umr_idx_is(op, failed + NB_AROUND + 1); op++)
		put_operation(queue, &view, op,
			      mlx5_umr_idx_is(op, failed) ? " <-- failed" : "", f);
}

void
mlx5_umr_failure_dump(const struct mlx5_umr_queue *queue, FILE *f)
{
	struct mlx5_umr_failure failure;

	mlx5_umr_peek(&failure, &queue->failure, sizeof(failure));
	if (!failure.is_set)
		return;
	if (failure.is_recv)
		fprintf(f, "    failed by receive %u, CQE:\n",
			mlx5_umr_idx_low(MLX5_UMR_PEEK(queue->rq.idx_base) + failure.idx));
	else if (failure.has_op)
		fprintf(f, "    failed by operation %u, CQE:\n", mlx5_umr_idx_low(failure.idx));
	else
		fprintf(f, "    failed by a CQE of no operation that is outstanding:\n");
	put_cqe(failure.cqe, f);
	if (failure.is_recv)
		put_recv(queue, failure.idx, " <-- failed", f);
	else if (failure.has_op)
		put_failed_op(queue, failure.idx, f);
}

/** Log line by line, so that each line has the driver's prefix. Never called on the fast path. */
static void
failure_log(const struct mlx5_umr_queue *queue)
{
	char *text = NULL, *line, *rest;
	size_t len;
	FILE *f;

	if (!rte_log_can_log((uint32_t)mlx5_umr_logtype, RTE_LOG_INFO))
		return;
	f = open_memstream(&text, &len);
	if (f == NULL)
		return;
	mlx5_umr_ring_dump(queue, 0, f);
	mlx5_umr_failure_dump(queue, f);
	if (fclose(f) == 0) {
		MLX5_UMR_QUEUE_LOG(INFO, queue, "has failed:");
		for (line = strtok_r(text, "\n", &rest); line != NULL;
		     line = strtok_r(NULL, "\n", &rest))
			MLX5_UMR_QUEUE_LOG(INFO, queue, "%s", line);
	}
	free(text);
}

void
mlx5_umr_queue_failed(struct mlx5_umr_queue *queue, const volatile struct mlx5_cqe64 *cqe,
		      mlx5_umr_idx_t op)
{
	queue->failure = (struct mlx5_umr_failure){
		.is_set = true,
		.has_op = !mlx5_umr_idx_is(op, queue->op_submitted),
		.idx = op,
	};
	mlx5_umr_peek(queue->failure.cqe, cqe, sizeof(queue->failure.cqe));
	failure_log(queue);
}

void
mlx5_umr_queue_recv_failed(struct mlx5_umr_queue *queue, const volatile struct mlx5_cqe64 *cqe)
{
	queue->failure = (struct mlx5_umr_failure){
		.is_set = true,
		.is_recv = true,
		.idx = queue->rq.ci,
	};
	mlx5_umr_peek(queue->failure.cqe, cqe, sizeof(queue->failure.cqe));
	failure_log(queue);
}
