/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Lists, patterns, invalidations and transfers: the same bytes as libmlx5.
 */

#include "bytes.h"

static void
random_lists_have_the_same_bytes(void **state)
{
	const uint32_t nb_cases = test_nb_cases();
	struct ibv_sge sges[WB_MAX_ENTRIES];
	uint16_t their_pi, our_pi;
	struct wb_wqe theirs, ours;
	unsigned int verbs;
	uint32_t i, j, nb, access;

	(void)state;
	for (i = 0; i < nb_cases; i++) {
		nb = i < WB_MAX_ENTRIES ? i + 1 : wb_random32() % WB_MAX_ENTRIES + 1;
		/* 2 GiB together at most: libmlx5 44 counts in an int (fixed in rdma-core 61). */
		for (j = 0; j < nb; j++)
			sges[j] = (struct ibv_sge){
				.addr = (uint64_t)wb_random32() << 32 | wb_random32(),
				.length = wb_random32() % (INT32_MAX / WB_MAX_ENTRIES) + 1,
				.lkey = wb_random32(),
			};
		access = wb_random_access(&verbs);
		their_pi = wb.pi;
		wb_libmlx5_begin(true);
		mlx5dv_wr_mr_list(wb.dvqp, wb.mkey, verbs, (uint16_t)nb, sges);
		wb_libmlx5_end(&theirs);
		our_pi = wb.queue->sq_pi;
		wb_driver_end(rte_umr_mkey_list(wb.dev_id, 0, wb.key, access,
					     (const struct rte_umr_seg *)sges, nb, 0),
			   our_pi, &ours);
		wb_compare_umr(&theirs, their_pi, &ours, our_pi);
	}
}

static void
random_interleavings_have_the_same_bytes(void **state)
{
	const uint32_t nb_cases = test_nb_cases();
	struct mlx5dv_mr_interleaved entries[WB_MAX_ENTRIES];
	uint16_t their_pi, our_pi;
	struct wb_wqe theirs, ours;
	uint32_t i, j, nb, access, repeat;
	unsigned int verbs;

	(void)state;
	for (i = 0; i < nb_cases; i++) {
		nb = i < WB_MAX_ENTRIES - 1 ? i + 1 : wb_random32() % (WB_MAX_ENTRIES - 1) + 1;
		for (j = 0; j < nb; j++) {
			uint32_t count = wb_random32() % UINT16_MAX + 1;

			entries[j] = (struct mlx5dv_mr_interleaved){
				.addr = (uint64_t)wb_random32() << 32 | wb_random32(),
				.bytes_count = count,
				.bytes_skip = wb_random32() % (UINT16_MAX - count + 1),
				.lkey = wb_random32(),
			};
		}
		access = wb_random_access(&verbs);
		repeat = wb_random32() | 1;
		their_pi = wb.pi;
		wb_libmlx5_begin(true);
		mlx5dv_wr_mr_interleaved(wb.dvqp, wb.mkey, verbs, repeat, (uint16_t)nb, entries);
		wb_libmlx5_end(&theirs);
		our_pi = wb.queue->sq_pi;
		wb_driver_end(rte_umr_mkey_interleaved(wb.dev_id, 0, wb.key, access, repeat,
						    (const struct rte_umr_interleaved *)entries,
						    nb, 0),
			   our_pi, &ours);
		wb_compare_umr(&theirs, their_pi, &ours, our_pi);
	}
}

static void
invalidations_have_the_same_bytes(void **state)
{
	const uint32_t nb_cases = test_nb_cases();
	struct mlx5_wqe_mkey_context_seg *mkc;
	uint16_t their_pi, our_pi;
	struct wb_wqe theirs, ours;
	uint32_t i;

	(void)state;
	for (i = 0; i < nb_cases; i++) {
		their_pi = wb.pi;
		wb_libmlx5_begin(false);
		ibv_wr_local_inv(wb.qpx, wb.mkey->rkey);
		wb_libmlx5_end(&theirs);
		our_pi = wb.queue->sq_pi;
		wb_driver_end(rte_umr_mkey_invalidate(wb.dev_id, 0, wb.key, 0), our_pi, &ours);
		wb_mask_ctrl(&theirs, wb.qp->qp_num, their_pi);
		wb_mask_ctrl(&ours, wb.queue->qpn, our_pi);
		wb_mask_imm(&theirs, wb.mkey->rkey);
		wb_mask_imm(&ours, wb.key->key);
		mkc = (void *)(theirs.bytes + PRM_WQE_BB_SIZE);
		*mkc = (struct mlx5_wqe_mkey_context_seg){
			.free = mkc->free,
			.qpn_mkey = mkc->qpn_mkey,
		};
		wb_assert_same(&theirs, &ours);
	}
}

/* A transfer of the same memory by both sides. */
static void
compare_rdma(bool is_read)
{
	uint64_t addr = (uintptr_t)wb.mem + wb_random32() % (WB_MEM_SIZE / 2);
	uint64_t raddr = (uintptr_t)wb.mem + WB_MEM_SIZE / 2 + wb_random32() % 1024;
	uint32_t len = wb_random32() % 1024 + 1;
	struct rte_umr_seg seg = { .addr = addr, .length = len, .lkey = wb.umr_mr->lkey };
	uint16_t their_pi = wb.pi, our_pi = wb.queue->sq_pi;
	struct wb_wqe theirs, ours;
	struct mlx5_wqe_raddr_seg *their_raddr = (void *)(theirs.bytes + 16);
	struct mlx5_wqe_raddr_seg *our_raddr = (void *)(ours.bytes + 16);
	struct mlx5_wqe_data_seg *their_data = (void *)(theirs.bytes + 32);
	struct mlx5_wqe_data_seg *our_data = (void *)(ours.bytes + 32);
	int ret;

	wb_libmlx5_begin(false);
	if (is_read)
		ibv_wr_rdma_read(wb.qpx, wb.mr->rkey, raddr);
	else
		ibv_wr_rdma_write(wb.qpx, wb.mr->rkey, raddr);
	ibv_wr_set_sge(wb.qpx, wb.mr->lkey, addr, len);
	wb_libmlx5_end(&theirs);
	if (is_read)
		ret = rte_umr_read(wb.dev_id, 0, &seg, raddr, wb.umr_mr->rkey, 0);
	else
		ret = rte_umr_write(wb.dev_id, 0, &seg, raddr, wb.umr_mr->rkey, 0);
	wb_driver_end(ret, our_pi, &ours);
	wb_mask_ctrl(&theirs, wb.qp->qp_num, their_pi);
	wb_mask_ctrl(&ours, wb.queue->qpn, our_pi);
	/* The region is registered once by each side. */
	assert_int_equal(be32toh(their_raddr->rkey), wb.mr->rkey);
	assert_int_equal(be32toh(our_raddr->rkey), wb.umr_mr->rkey);
	assert_int_equal(be32toh(their_data->lkey), wb.mr->lkey);
	assert_int_equal(be32toh(our_data->lkey), wb.umr_mr->lkey);
	((struct mlx5_wqe_ctrl_seg *)theirs.bytes)->imm = 0;
	their_raddr->rkey = our_raddr->rkey;
	their_data->lkey = our_data->lkey;
	wb_assert_same(&theirs, &ours);
}

static void
transfers_have_the_same_bytes(void **state)
{
	const uint32_t nb_cases = test_nb_cases();
	uint32_t i;

	(void)state;
	for (i = 0; i < nb_cases; i++)
		compare_rdma(i % 2 != 0);
}

static void
transfer_behind_an_umr_has_the_same_fence(void **state)
{
	struct ibv_sge sge = { .addr = 0, .length = 8, .lkey = 1 };

	(void)state;
	wb_libmlx5_begin(true);
	mlx5dv_wr_mr_list(wb.dvqp, wb.mkey, 0, 1, &sge);
	wb_libmlx5_end(&(struct wb_wqe){ 0 });
	assert_true(rte_umr_mkey_list(wb.dev_id, 0, wb.key, 0, (struct rte_umr_seg *)&sge, 1,
				      RTE_UMR_OP_F_SUBMIT) >= 0);
	wb_driver_wait(1);
	compare_rdma(false);	/* compares the fence bits; both must have set one */
	compare_rdma(false);	/* and none behind it */
}

static void
completion_is_requested_on_the_last_wqe_of_a_submit_only(void **state)
{
	struct rte_umr_seg seg = { .addr = 0, .length = 8, .lkey = 1 };
	uint16_t pi, first;
	struct wb_wqe wqe;
	int i, batch;

	(void)state;
	for (batch = 1; batch <= 32; batch++) {
		first = pi = wb.queue->sq_pi;
		for (i = 0; i < batch; i++)
			assert_true(rte_umr_mkey_list(wb.dev_id, 0, wb.key, 0, &seg, 1, 0) >= 0);
		assert_int_equal(rte_umr_submit(wb.dev_id, 0), 0);
		for (i = 0; i < batch; i++) {
			const struct mlx5_wqe_ctrl_seg *ctrl = (void *)wqe.bytes;

			pi = wb_wqe_copy(wb.queue->sq_ring, wb.queue->sq_mask + 1u, pi, &wqe);
			assert_int_equal(ctrl->fm_ce_se & PRM_CTRL_CE_MASK,
					 i == batch - 1 ? PRM_CTRL_CE_ALWAYS : 0);
		}
		assert_int_equal((uint16_t)(pi - first), batch * 3);
		wb_driver_wait((uint16_t)batch);
	}
}

static int
setup(void **state)
{
	(void)state;
	return wb_setup(&(struct wb_conf){ 0 });
}

static int
teardown(void **state)
{
	(void)state;
	return wb_teardown();
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_lists_have_the_same_bytes),
		cmocka_unit_test(random_interleavings_have_the_same_bytes),
		cmocka_unit_test(invalidations_have_the_same_bytes),
		cmocka_unit_test(transfers_have_the_same_bytes),
		cmocka_unit_test(transfer_behind_an_umr_has_the_same_fence),
		cmocka_unit_test(completion_is_requested_on_the_last_wqe_of_a_submit_only),
	};

	return wb_run(argc, argv, tests, setup, teardown);
}
