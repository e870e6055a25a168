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

#include "bytes.h"

#define NB_RECV_DESC	16u
/* Bytes at the end of the memory that receives are posted for. */
#define RECV_LEN	1024u

static struct {
	struct ibv_mr *mr;		/* regions that windows can be bound to */
	struct rte_umr_mr *umr_mr;
} mw;

/* Both sides of one request. */
struct pair {
	uint16_t their_pi, our_pi;
	struct wb_wqe theirs, ours;
};

static void
begin(struct pair *pair)
{
	pair->their_pi = wb.pi;
	pair->our_pi = wb.queue->sq_pi;
	wb_libmlx5_begin(false);
}

static void
mask_ctrls(struct pair *pair, bool has_imm)
{
	wb_mask_ctrl(&pair->theirs, wb.qp->qp_num, pair->their_pi);
	wb_mask_ctrl(&pair->ours, wb.queue->qpn, pair->our_pi);
	if (!has_imm)
		((struct mlx5_wqe_ctrl_seg *)pair->theirs.bytes)->imm = 0;
}

/* The region is registered once by each side. */
static void
mask_be32(struct pair *pair, size_t offset, uint32_t their_key, uint32_t our_key)
{
	uint32_t value;

	memcpy(&value, pair->theirs.bytes + offset, sizeof(value));
	assert_int_equal(be32toh(value), their_key);
	memcpy(&value, pair->ours.bytes + offset, sizeof(value));
	assert_int_equal(be32toh(value), our_key);
	memcpy(pair->theirs.bytes + offset, &value, sizeof(value));
}

static uint64_t
random64(void)
{
	return (uint64_t)wb_random32() << 32 | wb_random32();
}

static void
atomics_have_the_same_bytes(void **state)
{
	struct rte_umr_seg local = { .length = RTE_UMR_ATOMIC_LEN, .lkey = wb.umr_mr->lkey };
	uint64_t raddr, operand, compare;
	struct pair pair;
	const uint32_t nb = test_nb_cases();
	uint32_t i;
	int ret;

	(void)state;
	for (i = 0; i < nb; i++) {
		local.addr = (uintptr_t)wb.mem + wb_random32() % 4096;
		raddr = (uintptr_t)wb.mem + 8192 + wb_random32() % 512 * 8;
		operand = random64();
		compare = random64();
		begin(&pair);
		if (i % 2 == 0) {
			ibv_wr_atomic_fetch_add(wb.qpx, wb.mr->rkey, raddr, operand);
			ibv_wr_set_sge(wb.qpx, wb.mr->lkey, local.addr, local.length);
			wb_libmlx5_end(&pair.theirs);
			ret = rte_umr_fetch_add(wb.dev_id, 0, &local, raddr, wb.umr_mr->rkey,
						operand, 0);
		} else {
			ibv_wr_atomic_cmp_swp(wb.qpx, wb.mr->rkey, raddr, compare, operand);
			ibv_wr_set_sge(wb.qpx, wb.mr->lkey, local.addr, local.length);
			wb_libmlx5_end(&pair.theirs);
			ret = rte_umr_cmp_swap(wb.dev_id, 0, &local, raddr, wb.umr_mr->rkey,
					       compare, operand, 0);
		}
		wb_driver_end(ret, pair.our_pi, &pair.ours);
		mask_ctrls(&pair, false);
		mask_be32(&pair, 24, wb.mr->rkey, wb.umr_mr->rkey);
		mask_be32(&pair, 52, wb.mr->lkey, wb.umr_mr->lkey);
		if (i % 2 == 0)
			memset(pair.theirs.bytes + 40, 0, sizeof(uint64_t));
		wb_assert_same(&pair.theirs, &pair.ours);
	}
}

/* What is behind the data in the last octoword; data begins behind its length at offset. */
static void
mask_padding(struct pair *pair, size_t offset, uint32_t len)
{
	size_t end = offset + (len == 0 ? 0 : sizeof(uint32_t) + len);

	assert_uint_in_range(pair->theirs.len - end, 0, 15);
	memset(pair->theirs.bytes + end, 0, pair->theirs.len - end);
}

static void
inline_writes_have_the_same_bytes(void **state)
{
	struct rte_umr_seg local = { 0 };
	struct pair pair;
	uint64_t raddr;
	int ret;

	(void)state;
	for (local.length = 0; local.length <= 800; local.length++) {
		local.addr = (uintptr_t)wb.mem + wb_random32() % 4096;
		raddr = (uintptr_t)wb.mem + 8192 + wb_random32() % 4096;
		begin(&pair);
		ibv_wr_rdma_write(wb.qpx, wb.mr->rkey, raddr);
		ibv_wr_set_inline_data(wb.qpx, (void *)(uintptr_t)local.addr, local.length);
		wb_libmlx5_end(&pair.theirs);
		ret = rte_umr_write(wb.dev_id, 0, &local, raddr, wb.umr_mr->rkey,
				    RTE_UMR_OP_F_INLINE);
		wb_driver_end(ret, pair.our_pi, &pair.ours);
		mask_ctrls(&pair, false);
		mask_be32(&pair, 24, wb.mr->rkey, wb.umr_mr->rkey);
		mask_padding(&pair, 32, local.length);
		wb_assert_same(&pair.theirs, &pair.ours);
	}
}

/* A send or write with immediate of memory that both have registered, or inline. */
static int
immediate_post(struct pair *pair, bool is_write, bool is_inline, const struct rte_umr_seg *local,
	       rte_be32_t imm)
{
	const uint64_t flags = is_inline ? RTE_UMR_OP_F_INLINE : 0;
	const uint64_t raddr = (uintptr_t)wb.mem + 8192;

	begin(pair);
	if (is_write)
		ibv_wr_rdma_write_imm(wb.qpx, wb.mr->rkey, raddr, imm);
	else
		ibv_wr_send_imm(wb.qpx, imm);
	if (is_inline)
		ibv_wr_set_inline_data(wb.qpx, (void *)(uintptr_t)local->addr, local->length);
	else
		ibv_wr_set_sge(wb.qpx, wb.mr->lkey, local->addr, local->length);
	wb_libmlx5_end(&pair->theirs);
	if (is_write)
		return rte_umr_write_imm(wb.dev_id, 0, local, raddr, wb.umr_mr->rkey, imm, flags);
	return rte_umr_send_imm(wb.dev_id, 0, local, imm, flags);
}

static void
immediates_have_the_same_bytes(void **state)
{
	struct rte_umr_seg local = { .lkey = wb.umr_mr->lkey };
	bool is_write, is_inline;
	struct pair pair;
	const uint32_t nb = test_nb_cases();
	uint32_t i;
	int ret;

	(void)state;
	for (i = 0; i < nb; i++) {
		is_write = i % 2 != 0;
		is_inline = i % 4 / 2 != 0;
		local.addr = (uintptr_t)wb.mem + wb_random32() % 4096;
		local.length = wb_random32() % 700 + 1;
		wb_receives_post(RECV_LEN);
		ret = immediate_post(&pair, is_write, is_inline, &local, wb_random32());
		wb_driver_end(ret, pair.our_pi, &pair.ours);
		wb_receives_wait();
		mask_ctrls(&pair, true);
		if (is_write)
			mask_be32(&pair, 24, wb.mr->rkey, wb.umr_mr->rkey);
		if (is_inline)
			mask_padding(&pair, is_write ? 32 : 16, local.length);
		else
			mask_be32(&pair, is_write ? 36 : 20, wb.mr->lkey, wb.umr_mr->lkey);
		wb_assert_same(&pair.theirs, &pair.ours);
	}
}

static void
sends_have_the_same_bytes(void **state)
{
	struct rte_umr_seg local = { .lkey = wb.umr_mr->lkey };
	struct pair pair;
	bool is_inline;
	const uint32_t nb = test_nb_cases();
	uint32_t i;
	int ret;

	(void)state;
	for (i = 0; i < nb; i++) {
		is_inline = i % 2 != 0;
		local.addr = (uintptr_t)wb.mem + wb_random32() % 4096;
		local.length = wb_random32() % 700 + 1;
		wb_receives_post(RECV_LEN);
		begin(&pair);
		ibv_wr_send(wb.qpx);
		if (is_inline)
			ibv_wr_set_inline_data(wb.qpx, (void *)(uintptr_t)local.addr,
					       local.length);
		else
			ibv_wr_set_sge(wb.qpx, wb.mr->lkey, local.addr, local.length);
		wb_libmlx5_end(&pair.theirs);
		ret = rte_umr_send(wb.dev_id, 0, &local, is_inline ? RTE_UMR_OP_F_INLINE : 0);
		wb_driver_end(ret, pair.our_pi, &pair.ours);
		wb_receives_wait();
		mask_ctrls(&pair, false);
		if (is_inline)
			mask_padding(&pair, 16, local.length);
		else
			mask_be32(&pair, 20, wb.mr->lkey, wb.umr_mr->lkey);
		wb_assert_same(&pair.theirs, &pair.ours);
	}
}

/* Only what a bind or an invalidation writes of the key context. */
static void
mask_window(struct pair *pair, uint32_t their_owner, uint32_t our_owner, bool is_bind)
{
	struct mlx5_wqe_mkey_context_seg *mkc = (void *)(pair->theirs.bytes + PRM_WQE_BB_SIZE);

	*mkc = (struct mlx5_wqe_mkey_context_seg){
		.free = mkc->free,
		.access_flags = is_bind ? mkc->access_flags : 0,
		.qpn_mkey = mkc->qpn_mkey,
		.start_addr = is_bind ? mkc->start_addr : 0,
		.len = is_bind ? mkc->len : 0,
	};
	mask_be32(pair, PRM_WQE_BB_SIZE + offsetof(struct mlx5_wqe_mkey_context_seg, qpn_mkey),
		  their_owner, our_owner);
	if (is_bind)
		mask_be32(pair, 2 * PRM_WQE_BB_SIZE + 4, mw.mr->lkey, mw.umr_mr->lkey);
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
		.mr = mw.umr_mr,
		.addr = (uintptr_t)wb.mem + first,
		.length = wb_random32() % (WB_MEM_SIZE - first) + 1,
	};
	unsigned int verbs;

	range.access = random_rights(&verbs);
	*info = (struct ibv_mw_bind_info){
		.mr = mw.mr, .addr = range.addr, .length = range.length,
		.mw_access_flags = verbs,
	};
	return range;
}

static void
type_2_bind(struct ibv_mw *theirs, struct rte_umr_mw *ours)
{
	uint32_t their_key = theirs->rkey, our_key = ours->rkey;
	struct ibv_mw_bind_info info;
	struct rte_umr_mw_range range = random_range(&info);
	struct pair pair;

	if ((wb_random32() & 1) != 0) {
		range.flags = RTE_UMR_MW_BIND_F_ZERO_BASED;
		info.mw_access_flags |= IBV_ACCESS_ZERO_BASED;
	}
	begin(&pair);
	ibv_wr_bind_mw(wb.qpx, theirs, ibv_inc_rkey(their_key), &info);
	wb_libmlx5_end(&pair.theirs);
	theirs->rkey = ibv_inc_rkey(their_key);
	wb_driver_end(rte_umr_mw_bind(wb.dev_id, 0, ours, &range, 0), pair.our_pi, &pair.ours);
	assert_int_equal(ours->rkey, ibv_inc_rkey(our_key));
	mask_ctrls(&pair, true);
	wb_mask_imm(&pair.theirs, their_key);
	wb_mask_imm(&pair.ours, our_key);
	mask_window(&pair, wb.qp->qp_num << 8 | (theirs->rkey & 0xff),
		    wb.queue->qpn << 8 | (ours->rkey & 0xff), true);
	wb_assert_same(&pair.theirs, &pair.ours);
}

static void
type_2_invalidate(struct ibv_mw *theirs, struct rte_umr_mw *ours)
{
	struct pair pair;

	begin(&pair);
	ibv_wr_local_inv(wb.qpx, theirs->rkey);
	wb_libmlx5_end(&pair.theirs);
	wb_driver_end(rte_umr_mw_invalidate(wb.dev_id, 0, ours, 0), pair.our_pi, &pair.ours);
	mask_ctrls(&pair, true);
	wb_mask_imm(&pair.theirs, theirs->rkey);
	wb_mask_imm(&pair.ours, ours->rkey);
	mask_window(&pair, UINT32_C(0xffffff00), UINT32_C(0xffffff00), false);
	wb_assert_same(&pair.theirs, &pair.ours);
}

/* To itself: the window of each side is what its send invalidates. */
static void
send_inv(const struct ibv_mw *theirs, const struct rte_umr_mw *ours, bool is_inline)
{
	const struct rte_umr_seg local = {
		.addr = (uintptr_t)wb.mem + 64, .length = wb_random32() % 200 + 1,
		.lkey = wb.umr_mr->lkey,
	};
	struct pair pair;
	int ret;

	wb_receives_post(RECV_LEN);
	begin(&pair);
	ibv_wr_send_inv(wb.qpx, theirs->rkey);
	if (is_inline)
		ibv_wr_set_inline_data(wb.qpx, (void *)(uintptr_t)local.addr, local.length);
	else
		ibv_wr_set_sge(wb.qpx, wb.mr->lkey, local.addr, local.length);
	wb_libmlx5_end(&pair.theirs);
	ret = rte_umr_send_inv(wb.dev_id, 0, &local, ours->rkey,
			       is_inline ? RTE_UMR_OP_F_INLINE : 0);
	wb_driver_end(ret, pair.our_pi, &pair.ours);
	wb_receives_wait();
	mask_ctrls(&pair, true);
	wb_mask_imm(&pair.theirs, theirs->rkey);
	wb_mask_imm(&pair.ours, ours->rkey);
	if (is_inline)
		mask_padding(&pair, 16, local.length);
	else
		mask_be32(&pair, 20, wb.mr->lkey, wb.umr_mr->lkey);
	wb_assert_same(&pair.theirs, &pair.ours);
}

static void
windows_of_type_2_have_the_same_bytes(void **state)
{
	struct ibv_mw *theirs = ibv_alloc_mw(wb.pd, IBV_MW_TYPE_2);
	struct rte_umr_mw *ours = rte_umr_mw_create(wb.dev_id, NULL, RTE_UMR_MW_TYPE_2B);
	const uint32_t nb = test_nb_cases();
	uint32_t i;

	(void)state;
	assert_non_null(theirs);
	assert_non_null(ours);
	for (i = 0; i < nb; i++) {
		type_2_bind(theirs, ours);
		if (i % 3 == 0)
			type_2_invalidate(theirs, ours);
		else
			send_inv(theirs, ours, i % 3 == 1);
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
	struct pair pair = { .their_pi = wb.pi, .our_pi = wb.queue->sq_pi };
	int ret;

	if (is_bind)
		range = random_range(&bind.bind_info);
	assert_int_equal(ibv_bind_mw(wb.qp, theirs, &bind), 0);
	wb.pi = wb_wqe_copy(wb.dv.sq.buf, wb.dv.sq.wqe_cnt, wb.pi, &pair.theirs);
	wb_libmlx5_wait();
	ret = is_bind ? rte_umr_mw_bind(wb.dev_id, 0, ours, &range, 0) :
			rte_umr_mw_invalidate(wb.dev_id, 0, ours, 0);
	wb_driver_end(ret, pair.our_pi, &pair.ours);
	mask_ctrls(&pair, true);
	wb_mask_imm(&pair.theirs, their_key);
	wb_mask_imm(&pair.ours, our_key);
	mask_window(&pair, UINT32_C(0xffffff00) | (theirs->rkey & 0xff),
		    UINT32_C(0xffffff00) | (ours->rkey & 0xff), is_bind);
	wb_assert_same(&pair.theirs, &pair.ours);
}

static void
windows_of_type_1_have_the_same_bytes(void **state)
{
	struct ibv_mw *theirs = ibv_alloc_mw(wb.pd, IBV_MW_TYPE_1);
	struct rte_umr_mw *ours = rte_umr_mw_create(wb.dev_id, NULL, RTE_UMR_MW_TYPE_1);
	const uint32_t nb = test_nb_cases();
	uint32_t i;

	(void)state;
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

	(void)state;
	wb_setup(&conf);
	mw.mr = ibv_reg_mr(wb.pd, wb.mem, WB_MEM_SIZE,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
	mw.umr_mr = rte_umr_mr_register(wb.dev_id, &(struct rte_umr_mr_conf){
		.addr = wb.mem,
		.len = WB_MEM_SIZE,
		.access = RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_MW_BIND,
	});
	return mw.mr != NULL && mw.umr_mr != NULL ? 0 : -1;
}

static int
teardown(void **state)
{
	(void)state;
	rte_umr_mr_deregister(mw.umr_mr);
	ibv_dereg_mr(mw.mr);
	return wb_teardown();
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(atomics_have_the_same_bytes),
		cmocka_unit_test(inline_writes_have_the_same_bytes),
		cmocka_unit_test(sends_have_the_same_bytes),
		cmocka_unit_test(immediates_have_the_same_bytes),
		cmocka_unit_test(windows_of_type_2_have_the_same_bytes),
		cmocka_unit_test(windows_of_type_1_have_the_same_bytes),
	};

	return wb_run(argc, argv, tests, setup, teardown);
}
