/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A device that is lost: what it has written counts, what it has not comes back as flushed, and
 * what it writes afterwards comes back no more.
 */

#include "test_queue.h"

QUEUE_CASE(what_was_written_counts_and_the_rest_is_flushed)
{
	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	test_write(t, 8, 0);
	test_cqe_write(t, 0, MLX5_CQE_REQ, 0);
	t->queue.is_lost = true;
	TEST_SENT(t, 8, 0, OK);
	TEST_SENT(t, 8, 1, FLUSHED, FLUSHED);
	/* Nothing new, and nothing twice. */
	assert_int_equal(test_write(t, 8, 0), -EIO);
	TEST_SENT_NONE(t);
	assert_int_equal(mlx5_umr_desc_avail(&t->queue), TEST_NB_WQEBB);
}

/* The other way to collect. */
QUEUE_CASE(completed_stops_in_front_of_what_is_lost)
{
	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	TEST_COMPLETED(t, 8, 0, 0, false);
	t->queue.is_lost = true;
	TEST_COMPLETED(t, 8, 0, 0, true);
	TEST_SENT(t, 1, 0, FLUSHED);
}

/* A device that was only slow: what it tells late has been given back. */
QUEUE_CASE(late_completions_come_back_no_more)
{
	for (unsigned int i = 0; i < 4; i++)
		test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	t->queue.is_lost = true;
	TEST_SENT(t, 8, 0, FLUSHED, FLUSHED, FLUSHED, FLUSHED);
	for (unsigned int i = 0; i < 4; i++) {
		test_cqe_write(t, i, i < 3 ? MLX5_CQE_REQ : MLX5_CQE_REQ_ERR, SYND_FLUSH);
		TEST_COMPLETED(t, 8, 0, 0, false);
		TEST_SENT_NONE(t);
	}
	assert_int_equal(t->queue.nb_completed, 4);
	assert_int_equal(t->queue.nb_errors, 4);
}

QUEUE_CASE(receives_are_flushed_once)
{
	for (int i = 0; i < 3; i++)
		assert_int_equal(mlx5_umr_recv(&t->queue, &test_seg, 1, 0), i);
	test_rq_cqe_write(t, MLX5_CQE_RESP_SEND, 16, 0, 0);
	t->queue.is_lost = true;
	TEST_RECEIVED(t, 8, 0, OK, FLUSHED, FLUSHED);
	assert_int_equal(t->done[0].length, 16);
	assert_int_equal(mlx5_umr_recv(&t->queue, &test_seg, 1, 0), -EIO);
	/* A message that comes late. */
	test_rq_cqe_write(t, MLX5_CQE_RESP_SEND, 16, 0, 0);
	TEST_RECEIVED_NONE(t);
	assert_int_equal(t->queue.rq.nb_completed, 3);
	assert_int_equal(t->queue.rq.nb_errors, 2);
}

/* A queue that only receives takes nothing new from then on, either. */
QUEUE_CASE(empty_poll_is_enough_to_know)
{
	assert_int_equal(mlx5_umr_recv(&t->queue, &test_seg, 1, 0), 0);
	TEST_SENT_NONE(t);
	t->queue.is_lost = true;
	assert_int_equal(test_write(t, 8, RTE_UMR_OP_F_SUBMIT), 0);
	TEST_RECEIVED(t, 1, 0, FLUSHED);
	assert_int_equal(test_write(t, 8, 0), -EIO);
	TEST_SENT(t, 1, 0, FLUSHED);
}

int
main(void)
{
	return test_run();
}
