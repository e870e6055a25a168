/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A device that is lost: what it has written counts, what it has not comes back as flushed, and
 * what it writes afterwards comes back no more.
 */

#include <errno.h>

#include <rte_log.h>

#include "ring/log.h"
#include "test_queue.h"

static int
recv_post(struct test_queue *t)
{
	const struct rte_umr_seg seg = { 0x3000, 64, 0x100 };

	return mlx5_umr_recv(&t->queue, &seg, 1, 0);
}

static void
what_was_written_counts_and_the_rest_is_flushed(void **state)
{
	struct test_queue *t = *state;
	struct rte_umr_completion done[8];
	unsigned int i;

	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	test_write(t, 8, 0);
	test_cqe_write(t, 0, MLX5_CQE_REQ, 0);
	t->queue.is_lost = true;
	assert_int_equal(mlx5_umr_completed_status(&t->queue, 8, done), 1);
	assert_int_equal(done[0].status, RTE_UMR_STATUS_SUCCESS);
	assert_int_equal(mlx5_umr_completed_status(&t->queue, 8, done), 2);
	for (i = 0; i < 2; i++) {
		assert_int_equal(done[i].idx, 1 + i);
		assert_int_equal(done[i].status, RTE_UMR_STATUS_FLUSHED);
	}
	/* Nothing new, and nothing twice. */
	assert_int_equal(test_write(t, 8, 0), -EIO);
	assert_int_equal(mlx5_umr_completed_status(&t->queue, 8, done), 0);
	assert_int_equal(mlx5_umr_desc_avail(&t->queue), TEST_NB_WQEBB);
}

/* The other way to collect. */
static void
completed_stops_in_front_of_what_is_lost(void **state)
{
	struct test_queue *t = *state;
	struct rte_umr_completion done;
	uint16_t last = 77;
	bool has_error = false;

	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	assert_int_equal(mlx5_umr_completed(&t->queue, 8, &last, &has_error), 0);
	assert_false(has_error);
	t->queue.is_lost = true;
	assert_int_equal(mlx5_umr_completed(&t->queue, 8, &last, &has_error), 0);
	assert_true(has_error);
	assert_int_equal(mlx5_umr_completed_status(&t->queue, 1, &done), 1);
	assert_int_equal(done.status, RTE_UMR_STATUS_FLUSHED);
}

/* A device that was only slow: what it tells late has been given back. */
static void
late_completions_come_back_no_more(void **state)
{
	struct test_queue *t = *state;
	struct rte_umr_completion done[8];
	uint16_t last;
	bool has_error;
	unsigned int i;

	rte_log_set_level(mlx5_umr_logtype, RTE_LOG_CRIT);
	for (i = 0; i < 4; i++)
		test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	t->queue.is_lost = true;
	assert_int_equal(mlx5_umr_completed_status(&t->queue, 8, done), 4);
	for (i = 0; i < 4; i++) {
		test_cqe_write(t, i, i < 3 ? MLX5_CQE_REQ : MLX5_CQE_REQ_ERR,
			       MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
		assert_int_equal(mlx5_umr_completed(&t->queue, 8, &last, &has_error), 0);
		assert_false(has_error);
		assert_int_equal(mlx5_umr_completed_status(&t->queue, 8, done), 0);
	}
	assert_int_equal(t->queue.nb_completed, 4);
	assert_int_equal(t->queue.nb_errors, 4);
}

static void
receives_are_flushed_once(void **state)
{
	struct test_queue *t = *state;
	struct rte_umr_completion done[8];
	unsigned int i;

	for (i = 0; i < 3; i++)
		assert_int_equal(recv_post(t), i);
	test_rq_cqe_write(t, MLX5_CQE_RESP_SEND, 16, 0, 0);
	t->queue.is_lost = true;
	assert_int_equal(mlx5_umr_recv_completed(&t->queue, 8, done), 3);
	assert_int_equal(done[0].status, RTE_UMR_STATUS_SUCCESS);
	assert_int_equal(done[0].length, 16);
	for (i = 1; i < 3; i++) {
		assert_int_equal(done[i].idx, i);
		assert_int_equal(done[i].status, RTE_UMR_STATUS_FLUSHED);
	}
	assert_int_equal(recv_post(t), -EIO);
	/* A message that comes late. */
	test_rq_cqe_write(t, MLX5_CQE_RESP_SEND, 16, 0, 0);
	assert_int_equal(mlx5_umr_recv_completed(&t->queue, 8, done), 0);
	assert_int_equal(t->queue.rq.nb_completed, 3);
	assert_int_equal(t->queue.rq.nb_errors, 2);
}

/* A queue that only receives takes nothing new from then on, either. */
static void
empty_poll_is_enough_to_know(void **state)
{
	struct test_queue *t = *state;
	struct rte_umr_completion done;

	assert_int_equal(recv_post(t), 0);
	assert_int_equal(mlx5_umr_completed_status(&t->queue, 1, &done), 0);
	t->queue.is_lost = true;
	assert_int_equal(test_write(t, 8, RTE_UMR_OP_F_SUBMIT), 0);
	assert_int_equal(mlx5_umr_recv_completed(&t->queue, 1, &done), 1);
	assert_int_equal(test_write(t, 8, 0), -EIO);
	assert_int_equal(mlx5_umr_completed_status(&t->queue, 1, &done), 1);
	assert_int_equal(done.status, RTE_UMR_STATUS_FLUSHED);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, test_queue_setup, test_queue_teardown)
		TEST(what_was_written_counts_and_the_rest_is_flushed),
		TEST(completed_stops_in_front_of_what_is_lost),
		TEST(late_completions_come_back_no_more),
		TEST(receives_are_flushed_once),
		TEST(empty_poll_is_enough_to_know),
	};

	return cmocka_run_group_tests_name("mlx5_umr_lost", tests, NULL, NULL);
}
