/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A queue whose queue pair was brought to RESET is as new, but for what counts on.
 */

#include "ring/bf.h"
#include "test_queue.h"

#define NB_CHUNKS	4u
#define NB_LONG		60u	/* segments that no WQE holds */
#define FM_MASK		0xe0	/* fence in the last byte of the third dword */

static uint8_t memory[NB_CHUNKS * MLX5_UMR_KLM_CHUNK_SIZE]
	__rte_aligned(MLX5_UMR_KLM_CHUNK_SIZE);
static uint64_t bf_register[512 / sizeof(uint64_t)];
static const struct rte_umr_seg local = { 0x1000, 8, 0x100 };

static int
setup(void **state)
{
	struct test_queue *t = *state = test_queue_new();

	t->queue.has_atomic = true;
	t->queue.max_inline = 64;
	test_klm_mem_set(t, memory, NB_CHUNKS);
	return 0;
}

/* The operations that change a key; behind them the device must wait. */

static int
list(struct test_queue *t)
{
	return test_list(t, 1, 0);
}

static int
list_in_memory(struct test_queue *t)
{
	return test_list(t, NB_LONG, 0);
}

static int
interleaved(struct test_queue *t)
{
	const struct rte_umr_interleaved entry = { .addr = 0x1000, .bytes_count = 8, .lkey = 1 };
	struct rte_umr_mkey mkey = test_mkey(4);

	return test_isa->mkey_interleaved(&t->queue, &mkey, 0, 2, &entry, 1, 0);
}

static int
list_burst(struct test_queue *t)
{
	struct rte_umr_mkey mkey = test_mkey(4);
	const struct rte_umr_mkey_op op = test_list_op(&mkey, &local, 1, 0);

	return test_isa->mkey_configure_burst(&t->queue, &op, 1, 0) - 1;
}

static int
invalidate(struct test_queue *t)
{
	struct rte_umr_mkey mkey = test_mkey(4);

	return mlx5_umr_mkey_invalidate(&t->queue, &mkey, 0);
}

static int (*const umrs[])(struct test_queue *t) = {
	list, list_in_memory, interleaved, list_burst, invalidate,
};

static int
write_one(struct test_queue *t)
{
	return test_write(t, 8, 0);
}

static int
fetch_add(struct test_queue *t)
{
	return mlx5_umr_fetch_add(&t->queue, &local, 0x2000, 0x200, 1, 0);
}

static int (*const others[])(struct test_queue *t) = {
	write_one, fetch_add, list, list_in_memory, interleaved, list_burst, invalidate,
};

static uint8_t
fence_at(struct test_queue *t, mlx5_umr_idx_t pi)
{
	return test_wqe_at(t, pi)[offsetof(struct mlx5_wqe_ctrl_seg, fm_ce_se)] & FM_MASK;
}

/** The oldest operation, which is at the device, fails; the queue is empty and in error. */
static void
fail_all(struct test_queue *t)
{
	test_cqe_write(t, t->ops[t->queue.op_ci % TEST_NB_WQEBB].pi, MLX5_CQE_REQ_ERR, SYND_PROT);
	mlx5_umr_completed_status(&t->queue, TEST_NB_WQEBB, t->done);
	t->queue.is_reset = true;
	mlx5_umr_recv_completed(&t->queue, TEST_NB_RECV, t->done);
	assert_int_equal(t->queue.error, -EIO);
	assert_true(mlx5_umr_queue_is_empty(&t->queue));
}

QUEUE_CASE_WITH(fence_of_a_key_does_not_outlive_the_reset, setup, test_queue_teardown)
{
	mlx5_umr_idx_t pi;

	for (size_t i = 0; i < RTE_DIM(umrs); i++) {
		for (size_t j = 0; j < RTE_DIM(others); j++) {
			/* It has one without a reset. */
			assert_true(umrs[i](t) >= 0);
			pi = t->queue.sq_pi;
			assert_true(others[j](t) >= 0);
			assert_int_equal(fence_at(t, pi), t->queue.fm_umr);
			assert_true(umrs[i](t) >= 0);
			assert_int_equal(mlx5_umr_submit(&t->queue), 0);
			fail_all(t);
			mlx5_umr_queue_reset(&t->queue);
			t->queue.error = 0;
			assert_true(others[j](t) >= 0);
			assert_int_equal(fence_at(t, 0), PRM_CTRL_FM_NONE);
			assert_int_equal(mlx5_umr_submit(&t->queue), 0);
			fail_all(t);
			mlx5_umr_queue_restart(&t->queue);
			t->queue.error = 0;
		}
	}
}

/** All that a queue can have: keys, inline bytes, lists, receives, a failure, late CQEs. */
static void
use_all(struct test_queue *t, bool is_collected)
{
	const struct rte_umr_seg here = { (uintptr_t)memory, 40, 0 };

	assert_true(list_in_memory(t) >= 0);
	assert_true(mlx5_umr_submit(&t->queue) == 0);
	assert_true(mlx5_umr_write(&t->queue, &here, 0x2000, 0x200, RTE_UMR_OP_F_INLINE) >= 0);
	assert_true(list(t) >= 0);
	t->queue.multi_pi = t->queue.sq_pi;
	assert_true(list(t) >= 0);
	assert_true(mlx5_umr_recv(&t->queue, &local, 1, 0) >= 0);
	assert_true(mlx5_umr_recv(&t->queue, &local, 1, 0) >= 0);
	test_rq_cqe_write(t, MLX5_CQE_RESP_SEND, 8, 0, 0);
	t->queue.nb_rejects[RTE_UMR_REJECT_RING_FULL] = 3;
	t->queue.nb_rejects[RTE_UMR_REJECT_ADDRESS] = 4;
	if (is_collected)
		fail_all(t);
	/* As if a failure had not been read. */
	t->queue.nb_failed = 1;
	test_cqe_write(t, 0, MLX5_CQE_REQ_ERR, SYND_FLUSH);
	test_rq_cqe_write(t, MLX5_CQE_RESP_ERR, 0, 0, SYND_FLUSH);
}

/** What may differ from a new queue: indices that count on, statistics, the last error. */
static void
forget_what_counts_on(struct mlx5_umr_queue *q)
{
	assert_int_equal(q->op_pi, q->op_ci);
	assert_int_equal(q->op_done, q->op_ci);
	assert_int_equal(q->op_submitted, q->op_ci);
	assert_int_equal(q->submit_ci, q->submit_pi);
	assert_int_equal(q->op_first, q->op_ci);
	assert_int_equal(q->klm_mem.use_ci, q->klm_mem.use_pi);
	q->op_first = 0;
	q->op_pi = q->op_ci = q->op_done = q->op_submitted = 0;
	q->submit_pi = q->submit_ci = 0;
	q->submit_last = 0;
	q->klm_mem.use_pi = q->klm_mem.use_ci = 0;
	mlx5_umr_cq_seek(&q->cq, 0);
	mlx5_umr_cq_seek(&q->rq.cq, 0);
	q->rq.idx_base = 0;
	q->bf_offset = 0;
	q->syndrome = q->vendor_syndrome = 0;
	mlx5_umr_queue_stats_reset(q);
}

static void
as_new_behind(void (*reset)(struct mlx5_umr_queue *queue), bool is_restart, struct test_queue *t)
{
	struct mlx5_umr_queue fresh, used;
	uint32_t epoch;

	t->queue.bf_size = 256;
	t->queue.bf_mode = MLX5_UMR_BF_SINGLE;
	t->queue.is_db_nc = false;
	t->queue.doorbell = bf_register;
	fresh = t->queue;
	fresh.error = -ENOTCONN;
	fresh.is_reset = true;
	/* The device is started again whatever is outstanding. */
	use_all(t, !is_restart);
	epoch = t->dev.sig_keys.epoch;
	t->queue.is_reset = true;
	reset(&t->queue);
	used = t->queue;
	/* What flushed operations were to do to signatures has not been done. */
	assert_true(t->dev.sig_keys.epoch != epoch);
	if (is_restart) {
		assert_int_equal(used.op_pi, 0);
		assert_int_equal(used.rq.idx_base, 0);
		assert_int_equal(used.nb_completed + test_nb_full(&used) +
				 test_nb_rejected(&used), 0);
		assert_int_equal(used.rq.nb_posted + used.rq.nb_errors + used.nb_bf, 0);
	} else {
		assert_int_equal(used.op_pi, 4);
		assert_int_equal(used.rq.idx_base, 2);
		assert_int_equal(used.nb_completed, 4);
		assert_int_equal(used.rq.nb_posted, 2);
	}
	/* All CQEs have been given back, and the device is told that it has nothing. */
	assert_int_equal(used.cq.ci, t->cq_pi);
	assert_int_equal(used.rq.cq.ci, t->rq_cq_pi);
	assert_int_equal(t->dbr[PRM_DBR_SQ], 0);
	assert_int_equal(t->dbr[PRM_DBR_RQ], 0);
	forget_what_counts_on(&used);
	assert_memory_equal(&used, &fresh, sizeof(used));
}

CASE_WITH(queue_is_as_new_behind_a_reset, setup, test_queue_teardown)
{
	as_new_behind(mlx5_umr_queue_reset, false, *state);
}

CASE_WITH(queue_is_as_new_behind_a_restart, setup, test_queue_teardown)
{
	as_new_behind(mlx5_umr_queue_restart, true, *state);
}

/* CQEs that nobody has read do not speak of what comes behind the reset. */
QUEUE_CASE_WITH(old_completions_are_not_taken_for_new_ones, setup, test_queue_teardown)
{
	assert_int_equal(test_write(t, 8, RTE_UMR_OP_F_SUBMIT), 0);
	fail_all(t);
	test_cqe_write(t, 0, MLX5_CQE_REQ, 0);
	mlx5_umr_queue_reset(&t->queue);
	t->queue.error = 0;
	assert_int_equal(test_write(t, 8, RTE_UMR_OP_F_SUBMIT), 1);
	TEST_COMPLETED(t, 1, 0, 0, false);
	TEST_SENT_NONE(t);
	test_cqe_write(t, 0, MLX5_CQE_REQ, 0);
	TEST_COMPLETED(t, 1, 1, 1, false);
}

int
main(void)
{
	return test_run_isas();
}
