/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A queue in error is drained when the device has completed the last thing that it was given, and
 * not before: behind a reset, a completion that comes late is taken for that of another operation.
 */

#include <errno.h>

#include <rte_log.h>

#include "ring/log.h"
#include "test_queue.h"

static void
flushed(struct test_queue *t, uint16_t wqe_counter)
{
	test_cqe_write(t, wqe_counter, MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
}

static void
recv_flushed(struct test_queue *t)
{
	test_rq_cqe_write(t, MLX5_CQE_RESP_ERR, 0, 0, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
}

/** Three doorbells and something that was not submitted; the first operation fails. */
static void
fail_first_of_four(struct test_queue *t, struct rte_umr_completion *done)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		assert_int_equal(test_write(t, 8, i < 3 ? RTE_UMR_OP_F_SUBMIT : 0), i);
	test_cqe_write(t, 0, MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	/* They do not wait for the device. */
	assert_int_equal(mlx5_umr_completed_status(&t->queue, 8, done), 4);
	assert_int_equal(t->queue.error, -EIO);
}

static void
last_work_request_is_the_barrier(void **state)
{
	struct rte_umr_completion done[8];
	struct test_queue *t = *state;

	fail_first_of_four(t, done);
	assert_true(t->queue.is_failed);
	assert_false(mlx5_umr_queue_drain(&t->queue));
	flushed(t, 1);
	assert_false(mlx5_umr_queue_drain(&t->queue));
	flushed(t, 2);
	assert_true(mlx5_umr_queue_drain(&t->queue));
	/* It stays so, and nothing comes back twice. */
	assert_true(mlx5_umr_queue_drain(&t->queue));
	assert_int_equal(mlx5_umr_completed_status(&t->queue, 8, done), 0);
	assert_int_equal(t->queue.cq.ci, 3);
}

/* What would happen to a queue that is not drained. */
static void
late_completion_is_taken_for_a_new_one(void **state)
{
	struct rte_umr_completion done[8];
	struct test_queue *t = *state;
	unsigned int is_drained;

	for (is_drained = 0; is_drained < 2; is_drained++) {
		test_queue_teardown(state);
		test_queue_setup(state);
		t = *state;
		fail_first_of_four(t, done);
		flushed(t, 1);
		if (is_drained) {
			flushed(t, 2);
			assert_true(mlx5_umr_queue_drain(&t->queue));
		}
		mlx5_umr_queue_reset(&t->queue);
		t->queue.error = 0;
		assert_int_equal(test_write(t, 8, 0), 4);
		assert_int_equal(test_write(t, 8, 0), 5);
		assert_int_equal(test_write(t, 8, RTE_UMR_OP_F_SUBMIT), 6);
		if (!is_drained)
			flushed(t, 2);
		/* They are at the device, and well. */
		assert_int_equal(mlx5_umr_completed_status(&t->queue, 8, done), is_drained ? 0 : 3);
	}
}

/* A queue that is brought into error has what succeeded before. */
static void
what_was_executed_comes_back_with_success(void **state)
{
	struct rte_umr_completion done[8];
	struct test_queue *t = *state;
	unsigned int i;

	for (i = 0; i < 3; i++)
		assert_int_equal(test_write(t, 8, RTE_UMR_OP_F_SUBMIT), i);
	t->queue.error = -EIO;
	test_cqe_write(t, 0, MLX5_CQE_REQ, 0);
	assert_false(mlx5_umr_queue_drain(&t->queue));
	test_cqe_write(t, 1, MLX5_CQE_REQ, 0);
	flushed(t, 2);
	assert_true(mlx5_umr_queue_drain(&t->queue));
	assert_int_equal(mlx5_umr_completed_status(&t->queue, 8, done), 3);
	for (i = 0; i < 3; i++)
		assert_int_equal(done[i].status, i < 2 ? RTE_UMR_STATUS_SUCCESS :
							 RTE_UMR_STATUS_FLUSHED);
}

/* The last operation succeeded, or there never was one. */
static void
queue_with_nothing_outstanding_is_drained(void **state)
{
	struct rte_umr_completion done[8];
	struct test_queue *t = *state;

	t->queue.error = -EIO;
	assert_true(mlx5_umr_queue_drain(&t->queue));
	t->queue.error = 0;
	assert_int_equal(test_write(t, 8, RTE_UMR_OP_F_SUBMIT), 0);
	test_cqe_write(t, 0, MLX5_CQE_REQ, 0);
	assert_int_equal(mlx5_umr_completed_status(&t->queue, 8, done), 1);
	t->queue.error = -EIO;
	assert_true(mlx5_umr_queue_drain(&t->queue));
	/* What the device was not given is nobody's to wait for. */
	t->queue.error = 0;
	assert_int_equal(test_write(t, 8, 0), 1);
	t->queue.error = -EIO;
	assert_true(mlx5_umr_queue_drain(&t->queue));
}

/* A receive is its own barrier; a signature error stands for none. */
static void
every_receive_is_waited_for(void **state)
{
	const struct rte_umr_seg seg = { 0x3000, 64, 0x100 };
	struct rte_umr_completion done[TEST_NB_RECV];
	struct test_queue *t = *state;
	unsigned int i;

	for (i = 0; i < 3; i++)
		assert_int_equal(mlx5_umr_recv(&t->queue, &seg, 1, 0), i);
	t->queue.error = -EIO;
	for (i = 0; i < 3; i++) {
		assert_false(mlx5_umr_queue_drain(&t->queue));
		if (i == 1) {
			test_rq_cqe_write(t, PRM_CQE_OPCODE_SIGERR, 0, 0, 0);
			assert_false(mlx5_umr_queue_drain(&t->queue));
		}
		recv_flushed(t);
	}
	assert_true(mlx5_umr_queue_drain(&t->queue));
	/* They were left for who collects them. */
	assert_int_equal(mlx5_umr_recv_completed(&t->queue, TEST_NB_RECV, done), 3);
	assert_true(mlx5_umr_queue_drain(&t->queue));
}

/* At every place of a completion ring that goes round. */
static void
barrier_is_found_at_every_index(void **state)
{
	struct rte_umr_completion done[8];
	struct test_queue *t = *state;
	unsigned int i;

	for (i = 0; i < 5 * TEST_NB_WQEBB; i++) {
		assert_true(test_write(t, 8, RTE_UMR_OP_F_SUBMIT) >= 0);
		assert_true(test_write(t, 8, RTE_UMR_OP_F_SUBMIT) >= 0);
		test_cqe_write(t, 0, MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
		assert_int_equal(mlx5_umr_completed_status(&t->queue, 8, done), 2);
		assert_false(mlx5_umr_queue_drain(&t->queue));
		flushed(t, 1);
		assert_true(mlx5_umr_queue_drain(&t->queue));
		mlx5_umr_queue_reset(&t->queue);
		t->queue.error = 0;
		assert_false(t->queue.is_failed || t->queue.is_drained);
	}
}

static unsigned int nb_self_recoveries;

static void
self_recover(struct mlx5_umr_queue *queue)
{
	nb_self_recoveries++;
	queue->can_self_recover = false;
	mlx5_umr_queue_reset(queue);
	queue->error = 0;
}

/* Only when all has been given back, by the poll or submit behind it; once. */
static void
queue_recovers_by_itself_when_it_is_empty(void **state)
{
	const struct rte_umr_seg seg = { 0x3000, 64, 0x100 };
	struct rte_umr_completion done[8];
	struct test_queue *t = *state;
	unsigned int by_submit;

	t->dev.self_recover = self_recover;
	for (by_submit = 0; by_submit < 2; by_submit++) {
		nb_self_recoveries = 0;
		t->queue.can_self_recover = true;
		assert_true(mlx5_umr_recv(&t->queue, &seg, 1, 0) >= 0);
		assert_true(test_write(t, 8, RTE_UMR_OP_F_SUBMIT) >= 0);
		test_cqe_write(t, 0, MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
		assert_int_equal(mlx5_umr_completed_status(&t->queue, 8, done), 1);
		assert_int_equal(test_write(t, 8, 0), -EIO);
		/* There is a receive. */
		assert_int_equal(mlx5_umr_completed_status(&t->queue, 8, done), 0);
		assert_int_equal(mlx5_umr_submit(&t->queue), -EIO);
		recv_flushed(t);
		assert_int_equal(mlx5_umr_recv_completed(&t->queue, 4, done), 1);
		assert_int_equal(nb_self_recoveries, 0);
		if (by_submit)
			assert_int_equal(mlx5_umr_submit(&t->queue), 0);
		else
			assert_int_equal(mlx5_umr_completed_status(&t->queue, 8, done), 0);
		assert_int_equal(nb_self_recoveries, 1);
		assert_int_equal(mlx5_umr_completed_status(&t->queue, 8, done), 0);
		assert_int_equal(mlx5_umr_submit(&t->queue), 0);
		assert_int_equal(nb_self_recoveries, 1);
		t->cq_pi = t->queue.cq.ci;
	}
	/* Not one that is not told to, nor one of a device that is lost. */
	t->queue.error = -EIO;
	assert_int_equal(mlx5_umr_submit(&t->queue), -EIO);
	t->queue.can_self_recover = true;
	t->queue.is_lost = true;
	assert_int_equal(mlx5_umr_submit(&t->queue), -EIO);
	assert_int_equal(nb_self_recoveries, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, test_queue_setup, test_queue_teardown)
		TEST(last_work_request_is_the_barrier),
		TEST(late_completion_is_taken_for_a_new_one),
		TEST(what_was_executed_comes_back_with_success),
		TEST(queue_with_nothing_outstanding_is_drained),
		TEST(every_receive_is_waited_for),
		TEST(barrier_is_found_at_every_index),
		TEST(queue_recovers_by_itself_when_it_is_empty),
	};

	rte_log_set_level(mlx5_umr_logtype, RTE_LOG_CRIT);
	return cmocka_run_group_tests_name("mlx5_umr_drain", tests, NULL, NULL);
}
