/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Lists, patterns, invalidations and transfers: the same bytes as libmlx5.
 */

#include "transfer.h"

CASE(random_lists_have_the_same_bytes)
{
	const uint32_t nb_cases = test_nb_cases();
	struct ibv_sge sges[WB_MAX_ENTRIES];
	uint32_t i, j, nb, access;
	struct wb_pair pair;
	unsigned int verbs;

	for (i = 0; i < nb_cases; i++) {
		nb = i < WB_MAX_ENTRIES ? i + 1 : wb_random32() % WB_MAX_ENTRIES + 1;
		for (j = 0; j < nb; j++)
			sges[j] = wb_random_sge(WB_MAX_LEN);
		access = wb_random_access(&verbs);
		wb_pair_begin(&pair);
		wb_libmlx5_begin(true);
		mlx5dv_wr_mr_list(wb.dvqp, wb.mkey, verbs, (uint16_t)nb, sges);
		wb_libmlx5_end(&pair.theirs);
		wb_driver_end(rte_umr_mkey_list(wb.dev_id, 0, wb.key, access,
						(const struct rte_umr_seg *)sges, nb, 0),
			      pair.our_pi, &pair.ours);
		wb_compare_umr(&pair);
	}
}

CASE(random_interleavings_have_the_same_bytes)
{
	const uint32_t nb_cases = test_nb_cases();
	struct mlx5dv_mr_interleaved entries[WB_MAX_ENTRIES];
	uint32_t i, j, nb, access, repeat;
	struct wb_pair pair;
	unsigned int verbs;

	for (i = 0; i < nb_cases; i++) {
		nb = i < WB_MAX_ENTRIES - 1 ? i + 1 : wb_random32() % (WB_MAX_ENTRIES - 1) + 1;
		for (j = 0; j < nb; j++)
			entries[j] = wb_random_interleaved();
		access = wb_random_access(&verbs);
		repeat = wb_random32() | 1;
		wb_pair_begin(&pair);
		wb_libmlx5_begin(true);
		mlx5dv_wr_mr_interleaved(wb.dvqp, wb.mkey, verbs, repeat, (uint16_t)nb, entries);
		wb_libmlx5_end(&pair.theirs);
		wb_driver_end(rte_umr_mkey_interleaved(wb.dev_id, 0, wb.key, access, repeat,
						       (const struct rte_umr_interleaved *)entries,
						       nb, 0), pair.our_pi, &pair.ours);
		wb_compare_umr(&pair);
	}
}

CASE(invalidations_have_the_same_bytes)
{
	const uint32_t nb_cases = test_nb_cases();
	uint32_t i;

	for (i = 0; i < nb_cases; i++)
		wb_compare_invalidation();
}

/* A transfer of the same memory by both sides. */
static void
compare_rdma(bool is_read)
{
	struct wb_xfer x = {
		.op = is_read ? WB_READ : WB_WRITE,
		.their_rkey = wb.mr->rkey, .our_rkey = wb.umr_mr->rkey,
	};
	struct wb_pair pair;

	x.addr = (uintptr_t)wb.mem + wb_random32() % (WB_MEM_SIZE / 2);
	x.raddr = (uintptr_t)wb.mem + WB_MEM_SIZE / 2 + wb_random32() % 1024;
	x.len = wb_random32() % 1024 + 1;
	wb_pair_begin(&pair);
	wb_libmlx5_xfer(&x);
	wb_libmlx5_end(&pair.theirs);
	wb_driver_end(wb_driver_xfer(&x), pair.our_pi, &pair.ours);
	wb_compare_xfer(&x, &pair, 0);
}

CASE(transfers_have_the_same_bytes)
{
	const uint32_t nb_cases = test_nb_cases();
	uint32_t i;

	for (i = 0; i < nb_cases; i++)
		compare_rdma(i % 2 != 0);
}

CASE(transfer_behind_an_umr_has_the_same_fence)
{
	struct ibv_sge sge = { .addr = 0, .length = 8, .lkey = 1 };

	wb_libmlx5_begin(true);
	mlx5dv_wr_mr_list(wb.dvqp, wb.mkey, 0, 1, &sge);
	wb_libmlx5_end(&(struct wb_wqe){ 0 });
	assert_true(rte_umr_mkey_list(wb.dev_id, 0, wb.key, 0, (struct rte_umr_seg *)&sge, 1,
				      RTE_UMR_OP_F_SUBMIT) >= 0);
	wb_driver_wait(1);
	compare_rdma(false);	/* compares the fence bits; both must have set one */
	compare_rdma(false);	/* and none behind it */
}

CASE(completion_is_requested_on_the_last_wqe_of_a_submit_only)
{
	struct rte_umr_seg seg = { .addr = 0, .length = 8, .lkey = 1 };
	uint16_t pi, first;
	struct wb_wqe wqe;
	int i, batch;

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
	return wb_setup(&(struct wb_conf){ 0 });
}

int
main(int argc, char **argv)
{
	return wb_run(argc, argv, setup, wb_teardown);
}
