/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Configure keys, many with one call. What is usual is built in runs: operations that follow each
 * other in the ring, with the state of the queue in registers. Where a run ends before the burst
 * does (the end of the ring, a list in memory, no room, a bad argument), the function for one
 * operation takes the next: it can do all of that, or says why not.
 *
 * This file is compiled once for each instruction set, as mlx5_umr_enqueue_key.c is.
 */

#include <errno.h>
#include <inttypes.h>

#include "mlx5_umr_enqueue.h"
#include "mlx5_umr_isa.h"
#include "mlx5_umr_key_check.h"

/** Fewest segments of a list that takes more than one block. */
#define MIN_LONG	(PRM_KLM_ALIGN + 1)

/**
 * Where the operations of a run go: as many as there are places in the ring of operations up to
 * its end, and blocks in the send ring that are free and not beyond its end.
 */
struct run {
	uint8_t *wqe;		/* of the next operation */
	uint8_t *wqe_end;	/* behind the last block */
	struct mlx5_umr_op *slot;	/* of the next operation */
	struct mlx5_umr_ctrl ctrl;
	/* What stays. */
	struct mlx5_umr_ctrl_first {
		uint8_t *wqe;
		uint8_t fm_ce_se;
	} first;
	struct mlx5_umr_op *slot_first;
	uint16_t max;		/* most operations */
	uint32_t dev_flags;	/* of plain keys of this device */
};

static __rte_always_inline struct run
run_begin(const struct mlx5_umr_queue *queue, uint16_t nb_ops, uint64_t flags)
{
	const uint32_t size = queue->sq_mask + 1;
	const uint32_t at = queue->sq_pi & queue->sq_mask, op_at = queue->op_pi & queue->sq_mask;
	const uint32_t room = RTE_MIN(mlx5_umr_sq_wqebb_avail(queue), size - at);
	uint8_t *wqe = queue->sq_ring + (size_t)at * PRM_WQE_BB_SIZE;

	return (struct run){
		.wqe = wqe,
		.wqe_end = wqe + (queue->error != 0 ? 0 : (size_t)room * PRM_WQE_BB_SIZE),
		.slot = &queue->ops[op_at],
		.ctrl = {
			.pi = queue->sq_pi,
			.qpn_ds = queue->qpn_ds,
			.fm_ce_se = queue->fm_umr,
		},
		.first = { .wqe = wqe, .fm_ce_se = mlx5_umr_fence_mode(queue, flags) },
		.slot_first = &queue->ops[op_at],
		.max = (uint16_t)RTE_MIN(nb_ops, size - op_at),
		.dev_flags = mlx5_umr_queue_dev_flags(queue),
	};
}

/** Whether there is room for a WQE of that many blocks. */
static __rte_always_inline bool
run_has_room(const struct run *run, uint32_t nb_wqebb)
{
	return run->wqe + nb_wqebb * PRM_WQE_BB_SIZE <= run->wqe_end;
}

/** An operation of that many blocks has been built. */
static __rte_always_inline void
run_advance(struct run *run, uint32_t nb_wqebb, uint8_t type)
{
	run->slot->word = mlx5_umr_op_word(run->ctrl.pi, type, 0);
	run->slot++;
	run->ctrl.pi += nb_wqebb;
	run->wqe += nb_wqebb * PRM_WQE_BB_SIZE;
}

/** Tell the queue what was built; returns the number of operations. */
static __rte_always_inline uint16_t
run_end(struct mlx5_umr_queue *queue, const struct run *run)
{
	const uint16_t nb = run->slot - run->slot_first;

	if (nb == 0)
		return 0;
	/* All have the fence that comes behind an UMR; what is in front of the first is not one. */
	((struct mlx5_wqe_ctrl_seg *)run->first.wqe)->fm_ce_se = run->first.fm_ce_se;
	queue->sq_pi = run->ctrl.pi;
	queue->op_pi += nb;
	queue->fm_next = queue->fm_umr;
	return nb;
}

/** Lists of one block of entries. */
static __rte_noinline uint16_t
list_run(struct mlx5_umr_queue *queue, const struct rte_umr_list_op *ops, uint16_t nb_ops,
	 uint64_t flags)
{
	const uint32_t nb_wqebb = MLX5_UMR_HDR_WQEBB + 1;
	struct run run = run_begin(queue, nb_ops, flags);
	const struct rte_umr_list_op *end = ops + run.max;
	struct mlx5_umr_quad quad;
	struct mlx5_umr_sum sum;
	uint8_t *klms;

	for (; ops != end; ops++) {
		const struct rte_umr_list_op op = *ops;

		if (unlikely(op.nb_segs - 1 >= PRM_KLM_ALIGN ||
			     op.nb_segs > op.mkey->max_entries ||
			     op.access > MLX5_UMR_ACCESS_RIGHTS ||
			     mlx5_umr_mkey_dev_flags(op.mkey) != run.dev_flags))
			break;
		run.ctrl.imm = op.mkey->key;
		quad = mlx5_umr_quad_load(op.segs, op.nb_segs);
		sum = mlx5_umr_quad_sum(&quad, op.nb_segs);
		if (unlikely(sum.bad != 0 || !run_has_room(&run, nb_wqebb)))
			break;
		klms = mlx5_umr_inline_hdr_build(run.wqe, &run.ctrl, op.access, PRM_KLM_ALIGN,
						 sum.len);
		mlx5_umr_quad_store(klms, &quad);
		run_advance(&run, nb_wqebb, RTE_UMR_OP_MKEY_LIST);
	}
	return run_end(queue, &run);
}

/** Lists of more than one, which the WQE holds. */
static __rte_noinline uint16_t
long_list_run(struct mlx5_umr_queue *queue, const struct rte_umr_list_op *ops, uint16_t nb_ops,
	      uint64_t flags)
{
	struct run run = run_begin(queue, nb_ops, flags);
	const struct rte_umr_list_op *end = ops + run.max;
	struct mlx5_umr_long list;
	struct mlx5_umr_sum sum;
	uint32_t nb_wqebb;

	for (; ops != end; ops++) {
		const struct rte_umr_list_op op = *ops;

		if (unlikely(op.nb_segs > op.mkey->max_entries ||
			     op.nb_segs - MIN_LONG > PRM_UMR_INLINE_KLM_MAX - MIN_LONG ||
			     op.access > MLX5_UMR_ACCESS_RIGHTS ||
			     mlx5_umr_mkey_dev_flags(op.mkey) != run.dev_flags))
			break;
		run.ctrl.imm = op.mkey->key;
		nb_wqebb = mlx5_umr_layout_nb_wqebb(op.nb_segs);
		list = mlx5_umr_long_load(op.segs, op.nb_segs);
		sum = mlx5_umr_long_sum(&list, op.nb_segs);
		if (unlikely(sum.bad != 0 || !run_has_room(&run, nb_wqebb)))
			break;
		mlx5_umr_list_build(run.wqe, &run.ctrl, op.access, &list, op.nb_segs, sum.len);
		run_advance(&run, nb_wqebb, RTE_UMR_OP_MKEY_LIST);
	}
	return run_end(queue, &run);
}

/** Patterns of one block of entries. */
static __rte_noinline uint16_t
interleaved_run(struct mlx5_umr_queue *queue, const struct rte_umr_interleaved_op *ops,
		uint16_t nb_ops, uint64_t flags)
{
	struct run run = run_begin(queue, nb_ops, flags);
	const struct rte_umr_interleaved_op *end = ops + run.max;
	const uint32_t max = RTE_MIN(queue->max_interleaved, MLX5_UMR_SHORT_ENTRIES);
	const uint32_t nb_wqebb = MLX5_UMR_HDR_WQEBB + 1;
	struct mlx5_umr_short layout;
	struct mlx5_umr_sum sum;
	uint8_t *entries;

	for (; ops != end; ops++) {
		const struct rte_umr_interleaved_op op = *ops;

		if (unlikely(op.nb_entries - 1 >= max || op.nb_entries >= op.mkey->max_entries ||
			     op.access > MLX5_UMR_ACCESS_RIGHTS ||
			     mlx5_umr_mkey_dev_flags(op.mkey) != run.dev_flags))
			break;
		run.ctrl.imm = op.mkey->key;
		layout = mlx5_umr_short_load(op.entries, op.nb_entries);
		sum = mlx5_umr_short_sum(&layout, op.nb_entries);
		if (unlikely(sum.bad != 0 || op.repeat == 0 || !run_has_room(&run, nb_wqebb)))
			break;
		entries = mlx5_umr_interleaved_hdr_build(run.wqe, &run.ctrl, op.access, op.repeat,
							 PRM_KLM_ALIGN, op.nb_entries, sum.len);
		mlx5_umr_short_store(entries, &layout, op.nb_entries);
		run_advance(&run, nb_wqebb, RTE_UMR_OP_MKEY_INTERLEAVED);
	}
	return run_end(queue, &run);
}

/** Patterns of more. */
static __rte_noinline uint16_t
long_interleaved_run(struct mlx5_umr_queue *queue, const struct rte_umr_interleaved_op *ops,
		     uint16_t nb_ops, uint64_t flags)
{
	struct run run = run_begin(queue, nb_ops, flags);
	const struct rte_umr_interleaved_op *end = ops + run.max;
	const uint32_t max = queue->max_interleaved;
	struct mlx5_umr_sum sum;
	uint32_t nb_wqebb;

	for (; ops != end; ops++) {
		const struct rte_umr_interleaved_op op = *ops;

		if (unlikely(op.nb_entries - 1 >= max || op.nb_entries >= op.mkey->max_entries ||
			     op.access > MLX5_UMR_ACCESS_RIGHTS ||
			     mlx5_umr_mkey_dev_flags(op.mkey) != run.dev_flags))
			break;
		run.ctrl.imm = op.mkey->key;
		nb_wqebb = mlx5_umr_layout_nb_wqebb(op.nb_entries + 1);
		sum = mlx5_umr_entries_sum(op.entries, op.nb_entries);
		if (unlikely(sum.bad != 0 || op.repeat == 0 || !run_has_room(&run, nb_wqebb)))
			break;
		mlx5_umr_interleaved_build(run.wqe, &run.ctrl, op.access, op.repeat, op.entries,
					   op.nb_entries, sum.len);
		run_advance(&run, nb_wqebb, RTE_UMR_OP_MKEY_INTERLEAVED);
	}
	return run_end(queue, &run);
}

static __rte_noinline uint16_t
invalidate_run(struct mlx5_umr_queue *queue, struct rte_umr_mkey *const *mkeys, uint16_t nb_mkeys,
	       uint64_t flags)
{
	struct run run = run_begin(queue, nb_mkeys, flags);
	struct rte_umr_mkey *const *end = mkeys + run.max;

	for (; mkeys != end; mkeys++) {
		const struct rte_umr_mkey *mkey = *mkeys;

		if (unlikely(mlx5_umr_mkey_dev_flags(mkey) != run.dev_flags ||
			     !run_has_room(&run, MLX5_UMR_HDR_WQEBB)))
			break;
		run.ctrl.imm = mkey->key;
		mlx5_umr_invalidate_build(run.wqe, &run.ctrl);
		run_advance(&run, MLX5_UMR_HDR_WQEBB, RTE_UMR_OP_MKEY_INVALIDATE);
	}
	return run_end(queue, &run);
}

static __rte_noinline __rte_cold int
refuse_burst(struct mlx5_umr_queue *queue, uint64_t flags)
{
	if ((flags & ~RTE_UMR_OP_F_ALL) != 0)
		return REFUSE(queue, -EINVAL, "burst: flags 0x%" PRIx64 " has bits beyond 0x%"
			      PRIx64, flags, RTE_UMR_OP_F_ALL);
	return REFUSE(queue, -EINVAL, "burst: 0 operations, at least 1 is needed");
}

/* What they have in common: run() builds what is usual, one() the operation that run() left. */
#define BURST(queue, nb, flags, run, one)                                                          \
	({                                                                                         \
		struct mlx5_umr_queue *const q_ = (queue);                                         \
		uint64_t fence_ = (flags) & RTE_UMR_OP_F_FENCE;                                    \
		uint16_t done_ = 0;                                                                \
		int ret_ = 0;                                                                      \
\
		if (unlikely((nb) == 0 || (flags) > RTE_UMR_OP_F_ALL))                             \
			return refuse_burst(q_, flags);                                            \
		while (done_ != (nb)) {                                                            \
			uint16_t nb_ = run(done_, fence_);                                         \
\
			if (unlikely(nb_ == 0)) {                                                  \
				ret_ = one(done_, fence_);                                         \
				if (ret_ < 0)                                                      \
					break;                                                     \
				nb_ = 1;                                                           \
			}                                                                          \
			done_ += nb_;                                                              \
			fence_ = 0;                                                                \
		}                                                                                  \
		if (((flags) & RTE_UMR_OP_F_SUBMIT) != 0 && done_ != 0)                            \
			mlx5_umr_submit(q_);                                                       \
		done_ != 0 ? done_ : ret_;                                                         \
	})

int
ISA(mlx5_umr_mkey_list_burst)(void *q, const struct rte_umr_list_op *ops, uint16_t nb_ops,
			      uint64_t flags)
{
#define RUN(i, fence)                                                                              \
	(ops[i].nb_segs <= PRM_KLM_ALIGN ? list_run(q, &ops[i], nb_ops - (i), fence) :             \
					   long_list_run(q, &ops[i], nb_ops - (i), fence))
#define ONE(i, fence)                                                                              \
	ISA(mlx5_umr_mkey_list)(q, ops[i].mkey, ops[i].access, ops[i].segs, ops[i].nb_segs, fence)
	return BURST(q, nb_ops, flags, RUN, ONE);
#undef RUN
#undef ONE
}

int
ISA(mlx5_umr_mkey_interleaved_burst)(void *q, const struct rte_umr_interleaved_op *ops,
				     uint16_t nb_ops, uint64_t flags)
{
#define RUN(i, fence)                                                                              \
	(ops[i].nb_entries <= MLX5_UMR_SHORT_ENTRIES ?                                             \
		 interleaved_run(q, &ops[i], nb_ops - (i), fence) :                                \
		 long_interleaved_run(q, &ops[i], nb_ops - (i), fence))
#define ONE(i, fence)                                                                              \
	ISA(mlx5_umr_mkey_interleaved)(q, ops[i].mkey, ops[i].access, ops[i].repeat,               \
				       ops[i].entries, ops[i].nb_entries, fence)
	return BURST(q, nb_ops, flags, RUN, ONE);
#undef RUN
#undef ONE
}

int
ISA(mlx5_umr_mkey_invalidate_burst)(void *q, struct rte_umr_mkey *const *mkeys, uint16_t nb_mkeys,
				    uint64_t flags)
{
#define RUN(i, fence) invalidate_run(q, &mkeys[i], nb_mkeys - (i), fence)
#define ONE(i, fence) ISA(mlx5_umr_mkey_invalidate)(q, mkeys[i], fence)
	return BURST(q, nb_mkeys, flags, RUN, ONE);
#undef RUN
#undef ONE
}
