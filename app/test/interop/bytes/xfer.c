/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Atomics, inline data, immediates, sends that invalidate and memory windows, as libmlx5 posts
 * them.
 *
 * Beside what bytes.h names, libmlx5 leaves as older WQEs had them: the operand that a fetch
 * and add does not compare with, what is behind inline data in its last octoword, and what a bind
 * does not change of the key context.
 */

#include "transfer.h"

#define NB_RECV_DESC	16u
/* Bytes at the end of the memory that receives are posted for. */
#define RECV_LEN	1024u

static struct {
	struct ibv_mr *mr;		/* regions that windows can be bound to */
	struct rte_umr_mr *umr_mr;
} mw;

/* To this process itself, in registered memory. */
static void
compare(struct wb_xfer *x)
{
	struct wb_pair pair;

	if (x->op != WB_SEND_INV) {
		x->their_rkey = wb.mr->rkey;
		x->our_rkey = wb.umr_mr->rkey;
	}
	if (wb_takes_recv(x->op))
		wb_receives_post(RECV_LEN);
	wb_pair_begin(&pair);
	wb_libmlx5_xfer(x);
	wb_libmlx5_end(&pair.theirs);
	wb_driver_end(wb_driver_xfer(x), pair.our_pi, &pair.ours);
	if (wb_takes_recv(x->op))
		wb_receives_wait();
	wb_compare_xfer(x, &pair, 0);
}

CASE(atomics_have_the_same_bytes)
{
	const uint32_t nb = test_nb_cases();
	uint32_t i;

	for (i = 0; i < nb; i++) {
		struct wb_xfer x = { .op = i % 2 == 0 ? WB_FETCH_ADD : WB_CMP_SWAP,
				     .len = RTE_UMR_ATOMIC_LEN };

		x.addr = (uintptr_t)wb.mem + wb_random32() % 4096;
		x.raddr = (uintptr_t)wb.mem + 8192 + wb_random32() % 512 * 8;
		x.operand = wb_random64();
		x.compare = wb_random64();
		compare(&x);
	}
}

CASE(inline_writes_have_the_same_bytes)
{
	struct wb_xfer x = { .op = WB_WRITE, .is_inline = true };

	for (x.len = 0; x.len <= 800; x.len++) {
		x.addr = (uintptr_t)wb.mem + wb_random32() % 4096;
		x.raddr = (uintptr_t)wb.mem + 8192 + wb_random32() % 4096;
		compare(&x);
	}
}

/* Of memory that both have registered, or inline. */
CASE(immediates_have_the_same_bytes)
{
	const uint32_t nb = test_nb_cases();
	uint32_t i;

	for (i = 0; i < nb; i++) {
		struct wb_xfer x = {
			.op = i % 2 != 0 ? WB_WRITE_IMM : WB_SEND_IMM,
			.is_inline = i % 4 / 2 != 0, .raddr = (uintptr_t)wb.mem + 8192,
		};

		x.addr = (uintptr_t)wb.mem + wb_random32() % 4096;
		x.len = wb_random32() % 700 + 1;
		x.imm = wb_random32();
		compare(&x);
	}
}

CASE(sends_have_the_same_bytes)
{
	const uint32_t nb = test_nb_cases();
	uint32_t i;

	for (i = 0; i < nb; i++) {
		struct wb_xfer x = { .op = WB_SEND, .is_inline = i % 2 != 0 };

		x.addr = (uintptr_t)wb.mem + wb_random32() % 4096;
		x.len = wb_random32() % 700 + 1;
		compare(&x);
	}
}

/* Only what a bind or an invalidation writes of the key context. */
static void
mask_window(struct wb_pair *pair, uint32_t their_owner, uint32_t our_owner, bool is_bind)
{
	struct mlx5_wqe_mkey_context_seg *mkc = (void *)(pair->theirs.bytes + PRM_WQE_BB_SIZE);

	*mkc = (struct mlx5_wqe_mkey_context_seg){
		.free = mkc->free, .access_flags = is_bind ? mkc->access_flags : 0,
		.qpn_mkey = mkc->qpn_mkey, .start_addr = is_bind ? mkc->start_addr : 0,
		.len = is_bind ? mkc->len : 0,
	};
	wb_pair_mask_be32(pair, PRM_WQE_BB_SIZE +
			  offsetof(struct mlx5_wqe_mkey_context_seg, qpn_mkey),
			  their_owner, our_owner);
	if (is_bind)
		wb_pair_mask_be32(pair, 2 * PRM_WQE_BB_SIZE + 4, mw.mr->lkey, mw.umr_mr->lkey);
}

/* A bind or an invalidation of the windows with these keys. */
static void
compare_window(struct wb_pair *pair, const uint32_t keys[2], const uint32_t owners[2], bool is_bind)
{
	wb_pair_mask_ctrls(pair);
	wb_mask_imm(&pair->theirs, keys[0]);
	wb_mask_imm(&pair->ours, keys[1]);
	mask_window(pair, owners[0], owners[1], is_bind);
	wb_assert_same(&pair->theirs, &pair->ours);
}

static uint32_t
random_rights(unsigned int *verbs)
{
	const uint32_t local = RTE_UMR_ACCESS_LOCAL_WRITE;
	uint32_t access = wb_random_access(verbs);

	*verbs &= ~(unsigned int)IBV_ACCESS_LOCAL_WRITE;
	return access & ~local;
}

/* The same range for both, of up to all of the memory. */
static struct rte_umr_mw_range
random_range(struct ibv_mw_bind_info *info)
{
	uint32_t first = wb_random32() % WB_MEM_SIZE;
	struct rte_umr_mw_range range = {
		.mr = mw.umr_mr, .addr = (uintptr_t)wb.mem + first,
		.length = wb_random32() % (WB_MEM_SIZE - first) + 1,
	};
	unsigned int verbs;

	range.access = random_rights(&verbs);
	*info = (struct ibv_mw_bind_info){
		.mr = mw.mr, .addr = range.addr, .length = range.length, .mw_access_flags = verbs,
	};
	return range;
}

static void
type_2_bind(struct ibv_mw *theirs, struct rte_umr_mw *ours)
{
	uint32_t their_key = theirs->rkey, our_key = ours->rkey;
	struct ibv_mw_bind_info info;
	struct rte_umr_mw_range range = random_range(&info);
	struct wb_pair pair;

	if ((wb_random32() & 1) != 0) {
		range.flags = RTE_UMR_MW_BIND_F_ZERO_BASED;
		info.mw_access_flags |= IBV_ACCESS_ZERO_BASED;
	}
	wb_pair_begin(&pair);
	wb_libmlx5_begin(false);
	ibv_wr_bind_mw(wb.qpx, theirs, ibv_inc_rkey(their_key), &info);
	wb_libmlx5_end(&pair.theirs);
	theirs->rkey = ibv_inc_rkey(their_key);
	wb_driver_end(rte_umr_mw_bind(wb.dev_id, 0, ours, &range, 0), pair.our_pi, &pair.ours);
	assert_int_equal(ours->rkey, ibv_inc_rkey(our_key));
	compare_window(&pair, (uint32_t[]){ their_key, our_key },
		       (uint32_t[]){ wb.qp->qp_num << 8 | (theirs->rkey & 0xff),
				     wb.queue->qpn << 8 | (ours->rkey & 0xff) }, true);
}

static void
type_2_invalidate(struct ibv_mw *theirs, struct rte_umr_mw *ours)
{
	struct wb_pair pair;

	wb_pair_begin(&pair);
	wb_libmlx5_begin(false);
	ibv_wr_local_inv(wb.qpx, theirs->rkey);
	wb_libmlx5_end(&pair.theirs);
	wb_driver_end(rte_umr_mw_invalidate(wb.dev_id, 0, ours, 0), pair.our_pi, &pair.ours);
	compare_window(&pair, (uint32_t[]){ theirs->rkey, ours->rkey },
		       (uint32_t[]){ UINT32_C(0xffffff00), UINT32_C(0xffffff00) }, false);
}

CASE(windows_of_type_2_have_the_same_bytes)
{
	struct ibv_mw *theirs = ibv_alloc_mw(wb.pd, IBV_MW_TYPE_2);
	struct rte_umr_mw *ours = rte_umr_mw_create(wb.dev_id, NULL, RTE_UMR_MW_TYPE_2B);
	const uint32_t nb = test_nb_cases();
	uint32_t i;

	assert_non_null(theirs);
	assert_non_null(ours);
	for (i = 0; i < nb; i++) {
		type_2_bind(theirs, ours);
		if (i % 3 == 0) {
			type_2_invalidate(theirs, ours);
			continue;
		}
		/* To itself: the window of each side is what its send invalidates. */
		compare(&(struct wb_xfer){
			.op = WB_SEND_INV, .is_inline = i % 3 == 1,
			.addr = (uintptr_t)wb.mem + 64, .len = wb_random32() % 200 + 1,
			.their_rkey = theirs->rkey, .our_rkey = ours->rkey });
	}
	assert_int_equal(rte_umr_mw_destroy(ours), 0);
	assert_int_equal(ibv_dealloc_mw(theirs), 0);
}

/* Of libmlx5 by the older call, the only one for this type; length 0 takes the window back. */
static void
type_1_bind(struct ibv_mw *theirs, struct rte_umr_mw *ours, bool is_bind)
{
	struct ibv_mw_bind bind = { .send_flags = IBV_SEND_SIGNALED };
	uint32_t their_key = theirs->rkey, our_key = ours->rkey;
	struct rte_umr_mw_range range = { 0 };
	struct wb_pair pair;
	int ret;

	if (is_bind)
		range = random_range(&bind.bind_info);
	wb_pair_begin(&pair);
	assert_int_equal(ibv_bind_mw(wb.qp, theirs, &bind), 0);
	wb.pi = wb_wqe_copy(wb.dv.sq.buf, wb.dv.sq.wqe_cnt, wb.pi, &pair.theirs);
	wb_libmlx5_wait();
	ret = is_bind ? rte_umr_mw_bind(wb.dev_id, 0, ours, &range, 0) :
			rte_umr_mw_invalidate(wb.dev_id, 0, ours, 0);
	wb_driver_end(ret, pair.our_pi, &pair.ours);
	compare_window(&pair, (uint32_t[]){ their_key, our_key },
		       (uint32_t[]){ UINT32_C(0xffffff00) | (theirs->rkey & 0xff),
				     UINT32_C(0xffffff00) | (ours->rkey & 0xff) }, is_bind);
}

CASE(windows_of_type_1_have_the_same_bytes)
{
	struct ibv_mw *theirs = ibv_alloc_mw(wb.pd, IBV_MW_TYPE_1);
	struct rte_umr_mw *ours = rte_umr_mw_create(wb.dev_id, NULL, RTE_UMR_MW_TYPE_1);
	const uint32_t nb = test_nb_cases();
	uint32_t i;

	assert_non_null(theirs);
	assert_non_null(ours);
	for (i = 0; i < nb; i++)
		type_1_bind(theirs, ours, i % 3 != 2);
	assert_int_equal(rte_umr_mw_destroy(ours), 0);
	assert_int_equal(ibv_dealloc_mw(theirs), 0);
}

static int
setup(void **state)
{
	const struct wb_conf conf = {
		.ibv_ops = IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD |
			   IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM |
			   IBV_QP_EX_WITH_SEND_WITH_INV | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM |
			   IBV_QP_EX_WITH_BIND_MW,
		.nb_recv_desc = NB_RECV_DESC,
	};

	wb_setup(&conf);
	mw.mr = ibv_reg_mr(wb.pd, wb.mem, WB_MEM_SIZE,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
	mw.umr_mr = rte_umr_mr_register(wb.dev_id, &(struct rte_umr_mr_conf){
		.addr = wb.mem, .len = WB_MEM_SIZE,
		.access = RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_MW_BIND,
	});
	return mw.mr != NULL && mw.umr_mr != NULL ? 0 : -1;
}

static int
teardown(void **state)
{
	rte_umr_mr_deregister(mw.umr_mr);
	ibv_dereg_mr(mw.mr);
	return wb_teardown(state);
}

int
main(int argc, char **argv)
{
	return wb_run(argc, argv, setup, teardown);
}
