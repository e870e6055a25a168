/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Bind and invalidate memory windows. Every function checks everything first, then builds, then
 * commits.
 */

#include <errno.h>
#include <inttypes.h>

#include <rte_umr_pmd.h>

#include "fast/ops.h"
#include "ring/slot.h"
#include "wqe/mw.h"

/* Access rights of a peer through a window; local access is meaningless there. */
#define MW_ACCESS                                                                                  \
	(RTE_UMR_ACCESS_REMOTE_READ | RTE_UMR_ACCESS_REMOTE_WRITE | RTE_UMR_ACCESS_REMOTE_ATOMIC)
#define MW_WRITE_ACCESS (RTE_UMR_ACCESS_REMOTE_WRITE | RTE_UMR_ACCESS_REMOTE_ATOMIC)

static int
op_check(struct mlx5_umr_queue *queue, const struct rte_umr_mw *mw, uint64_t flags)
{
	if ((flags & ~RTE_UMR_OP_F_ALL) != 0)
		return REJECT(queue, FLAGS, -EINVAL,
			      "window 0x%x: flags 0x%" PRIx64 " has bits beyond 0x%" PRIx64,
			      mw->rkey, flags, RTE_UMR_OP_F_ALL);
	if (mw->dev_id != queue->fp.dev_id)
		return REJECT(queue, OWNER, -EXDEV, "window 0x%x is of %s", mw->rkey,
			      rte_umr_dev_label(mw->dev_id));
	return 0;
}

/** Check the access of a window, and that its region allows it. */
static int
access_check(struct mlx5_umr_queue *queue, const struct rte_umr_mw *mw,
	     const struct rte_umr_mw_range *range)
{
	const struct rte_umr_mr *mr = range->mr;

	if ((range->access & ~MW_ACCESS) != 0)
		return REJECT(queue, ACCESS, -EINVAL,
			      "window 0x%x: access 0x%x has bits beyond 0x%x", mw->rkey,
			      range->access, MW_ACCESS);
	if ((mr->access & RTE_UMR_ACCESS_MW_BIND) == 0)
		return REJECT(queue, ACCESS, -EACCES, "window 0x%x: region 0x%x is not for windows",
			      mw->rkey, mr->lkey);
	if ((range->access & MW_WRITE_ACCESS) != 0 &&
	    (mr->access & RTE_UMR_ACCESS_LOCAL_WRITE) == 0)
		return REJECT(queue, ACCESS, -EACCES,
			      "window 0x%x: access 0x%x, but region 0x%x cannot be written",
			      mw->rkey, range->access, mr->lkey);
	return 0;
}

/** Check that the range is within its region, and not longer than a KLM. */
static int
range_check(struct mlx5_umr_queue *queue, const struct rte_umr_mw *mw,
	    const struct rte_umr_mw_range *range)
{
	const struct rte_umr_mr *mr = range->mr;
	uint64_t offset = range->addr - mr->iova;

	if (mr->dev_id != queue->fp.dev_id)
		return REJECT(queue, OWNER, -EXDEV, "window 0x%x: region 0x%x is of %s", mw->rkey,
			      mr->lkey, rte_umr_dev_label(mr->dev_id));
	if (mr->pd != mw->pd)
		return REJECT(queue, OWNER, -EXDEV, "window 0x%x: region 0x%x is of another PD",
			      mw->rkey, mr->lkey);
	if (range->length > RTE_UMR_MAX_MW_LEN)
		return REJECT(queue, LENGTH, -ERANGE,
			      "window 0x%x: length %" PRIu64 ", at most %" PRIu64, mw->rkey,
			      range->length, RTE_UMR_MAX_MW_LEN);
	if (range->length == 0 || offset > mr->len || range->length > mr->len - offset)
		return REJECT(queue, RANGE, -EINVAL,
			      "window 0x%x: %" PRIu64 " bytes at 0x%" PRIx64
			      " of region 0x%x, which has %zu at 0x%" PRIx64,
			      mw->rkey, range->length, range->addr, mr->lkey, mr->len, mr->iova);
	if ((range->reserved[0] | range->reserved[1]) != 0)
		return REJECT(queue, RESERVED, -EINVAL,
			      "window 0x%x: a reserved field of range is not 0", mw->rkey);
	if ((range->flags & ~RTE_UMR_MW_BIND_F_ZERO_BASED) != 0)
		return REJECT(queue, FLAGS, -EINVAL,
			      "window 0x%x: flags 0x%x of range have bits beyond 0x%x", mw->rkey,
			      range->flags, RTE_UMR_MW_BIND_F_ZERO_BASED);
	if (range->flags != 0 && mw->type == RTE_UMR_MW_TYPE_1)
		return REJECT(queue, FLAGS, -EINVAL,
			      "window 0x%x: one of type 1 cannot be zero based", mw->rkey);
	return 0;
}

int
mlx5_umr_mw_bind(void *q, struct rte_umr_mw *mw, const struct rte_umr_mw_range *range,
		 uint64_t flags)
{
	uint32_t key = mlx5_umr_mw_next_key(mw->rkey);
	struct mlx5_umr_queue *queue = q;
	struct mlx5_umr_slot slot;
	struct mlx5_umr_ctrl ctrl;
	int ret;

	ret = op_check(queue, mw, flags);
	if (ret == 0)
		ret = range_check(queue, mw, range);
	if (ret == 0)
		ret = access_check(queue, mw, range);
	if (unlikely(ret != 0))
		return ret;
	if (unlikely(!mlx5_umr_slot_get(queue, MLX5_UMR_MW_BIND_WQEBB, &slot)))
		return mlx5_umr_reject_state(queue);

	ctrl = mlx5_umr_ctrl_of(queue, &slot, mw->rkey, mlx5_umr_fence_mode_umr(queue, flags));
	mlx5_umr_mw_bind_build(slot.wqe, &ctrl, mw->type, key, range);
	mw->rkey = key;
	return mlx5_umr_op_commit(queue, &slot, MLX5_UMR_MW_BIND_WQEBB, RTE_UMR_OP_MW_BIND, 0,
				  queue->fm_umr, flags);
}

int
mlx5_umr_mw_invalidate(void *q, struct rte_umr_mw *mw, uint64_t flags)
{
	struct mlx5_umr_queue *queue = q;
	struct mlx5_umr_slot slot;
	struct mlx5_umr_ctrl ctrl;
	int ret;

	ret = op_check(queue, mw, flags);
	if (unlikely(ret != 0))
		return ret;
	if (unlikely(!mlx5_umr_slot_get(queue, MLX5_UMR_HDR_WQEBB, &slot)))
		return mlx5_umr_reject_state(queue);

	ctrl = mlx5_umr_ctrl_of(queue, &slot, mw->rkey, mlx5_umr_fence_mode_umr(queue, flags));
	if (mw->type == RTE_UMR_MW_TYPE_1) {
		mw->rkey = mlx5_umr_mw_next_key(mw->rkey);
		mlx5_umr_mw_unbind_build(slot.wqe, &ctrl, mw->rkey);
	} else {
		mlx5_umr_invalidate_build(slot.wqe, &ctrl);
	}
	return mlx5_umr_op_commit(queue, &slot, MLX5_UMR_HDR_WQEBB, RTE_UMR_OP_MW_INVALIDATE, 0,
				  queue->fm_umr, flags);
}
