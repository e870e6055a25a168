/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "transfer.h"

bool
wb_takes_recv(enum wb_op op)
{
	return op >= WB_SEND || op == WB_WRITE_IMM;
}

static bool
is_atomic(enum wb_op op)
{
	return op == WB_FETCH_ADD || op == WB_CMP_SWAP;
}

void
wb_libmlx5_xfer(const struct wb_xfer *x)
{
	wb_libmlx5_begin(false);
	switch (x->op) {
	case WB_WRITE:
		ibv_wr_rdma_write(wb.qpx, x->their_rkey, x->raddr);
		break;
	case WB_WRITE_IMM:
		ibv_wr_rdma_write_imm(wb.qpx, x->their_rkey, x->raddr, x->imm);
		break;
	case WB_READ:
		ibv_wr_rdma_read(wb.qpx, x->their_rkey, x->raddr);
		break;
	case WB_FETCH_ADD:
		ibv_wr_atomic_fetch_add(wb.qpx, x->their_rkey, x->raddr, x->operand);
		break;
	case WB_CMP_SWAP:
		ibv_wr_atomic_cmp_swp(wb.qpx, x->their_rkey, x->raddr, x->compare, x->operand);
		break;
	case WB_SEND:
		ibv_wr_send(wb.qpx);
		break;
	case WB_SEND_IMM:
		ibv_wr_send_imm(wb.qpx, x->imm);
		break;
	case WB_SEND_INV:
		ibv_wr_send_inv(wb.qpx, x->their_rkey);
	}
	if (x->is_inline)
		ibv_wr_set_inline_data(wb.qpx, (void *)(uintptr_t)x->addr, x->len);
	else
		ibv_wr_set_sge(wb.qpx, wb.mr->lkey, x->addr, x->len);
}

int
wb_driver_xfer(const struct wb_xfer *x)
{
	const struct rte_umr_seg seg = { x->addr, x->len, wb.umr_mr->lkey };
	const uint64_t flags = x->is_inline ? RTE_UMR_OP_F_INLINE : 0;
	const uint32_t rkey = x->our_rkey;
	const int16_t dev = wb.dev_id;

	switch (x->op) {
	case WB_WRITE:
		return rte_umr_write(dev, 0, &seg, x->raddr, rkey, flags);
	case WB_WRITE_IMM:
		return rte_umr_write_imm(dev, 0, &seg, x->raddr, rkey, x->imm, flags);
	case WB_READ:
		return rte_umr_read(dev, 0, &seg, x->raddr, rkey, flags);
	case WB_FETCH_ADD:
		return rte_umr_fetch_add(dev, 0, &seg, x->raddr, rkey, x->operand, flags);
	case WB_CMP_SWAP:
		return rte_umr_cmp_swap(dev, 0, &seg, x->raddr, rkey, x->compare, x->operand,
					flags);
	case WB_SEND:
		return rte_umr_send(dev, 0, &seg, flags);
	case WB_SEND_IMM:
		return rte_umr_send_imm(dev, 0, &seg, x->imm, flags);
	case WB_SEND_INV:
		return rte_umr_send_inv(dev, 0, &seg, rkey, flags);
	}
	return -EINVAL;
}

/* libmlx5 leaves what an older WQE had behind inline data in the last octoword. */
static void
mask_padding(struct wb_wqe *theirs, size_t end)
{
	assert_uint_in_range(theirs->len - end, 0, 15);
	memset(theirs->bytes + end, 0, theirs->len - end);
}

void
wb_compare_xfer(const struct wb_xfer *x, struct wb_pair *pair, size_t av_size)
{
	size_t at = sizeof(struct mlx5_wqe_ctrl_seg) + av_size;

	wb_pair_mask_ctrls(pair);
	if (x->op == WB_SEND_INV) {
		wb_mask_imm(&pair->theirs, x->their_rkey);
		wb_mask_imm(&pair->ours, x->our_rkey);
	} else if (x->op != WB_WRITE_IMM && x->op != WB_SEND_IMM) {
		((struct mlx5_wqe_ctrl_seg *)pair->theirs.bytes)->imm = 0;
	}
	if (x->op < WB_SEND) {
		wb_pair_mask_be32(pair, at + offsetof(struct mlx5_wqe_raddr_seg, rkey),
				  x->their_rkey, x->our_rkey);
		at += sizeof(struct mlx5_wqe_raddr_seg);
	}
	/* A fetch and add has no second operand; libmlx5 leaves what an older WQE had there. */
	if (x->op == WB_FETCH_ADD)
		memset(pair->theirs.bytes + at + sizeof(uint64_t), 0, sizeof(uint64_t));
	if (is_atomic(x->op))
		at += sizeof(struct mlx5_wqe_atomic_seg);
	if (x->is_inline)
		mask_padding(&pair->theirs, x->len == 0 ? at : at + sizeof(uint32_t) + x->len);
	else if (x->len != 0)
		wb_pair_mask_be32(pair, at + offsetof(struct mlx5_wqe_data_seg, lkey),
				  wb.mr->lkey, wb.umr_mr->lkey);
	wb_assert_same(&pair->theirs, &pair->ours);
}
