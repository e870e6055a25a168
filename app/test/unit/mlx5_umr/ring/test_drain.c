/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A queue in error is drained when the device has completed the last thing that it was given, and
 * not before: behind a reset, a completion that comes late is taken for that of another operation.
 */

#include "test_queue.h"

static void
flushed(struct test_queue *t, uint16_t wqe_counter)
{
	test_cqe_write(t, wqe_counter, MLX5_CQE_REQ_ERR, SYND_FLUSH);
}

static void
recv_flushed(struct test_queue *t)
{
	test_rq_cqe_write(t, MLX5_CQE_RESP_ERR, 0, 0, SYND_FLUSH);
}

/** Three doorbells and something that was not submitted; the first operation fails. */
static void
fail_first_of_four(struct test_queue *t)
{
	for (int i = 0; i < 4; i++)
		assert_int_equal(test_write(t, 8, i < 3 ? RTE_UMR_OP_F_SUBMIT : 0), i);
	test_cqe_write(t, 0, MLX5_CQE_REQ_ERR, SYND_PROT);
	/* They do not wait for the device. */
	TEST_SENT(t, 8, 0, PROT, FLUSHED, FLUSHED, FLUSHED);
	assert_int_equal(t->queue.error, -EIO);
}

QUEUE_CASE(last_work_request_is_the_barrier)
{
	fail_first_of_four(t);
	assert_true(t->queue.is_failed);
	assert_false(mlx5_umr_queue_drain(&t->queue));
	flushed(t, 1);
	assert_false(mlx5_umr_queue_drain(&t->queue));
	flushed(t, 2);
	assert_true(mlx5_umr_queue_drain(&t->queue));
	/* It stays so, and nothing comes back twice. */
	assert_true(mlx5_umr_queue_drain(&t->queue));
	TEST_SENT_NONE(t);
	assert_int_equal(t->queue.cq.ci, 3);
}

/* What would happen to a queue that is not drained. */
CASE_WITH(late_completion_is_taken_for_a_new_one, test_queue_setup, test_queue_teardown)
{
	for (unsigned int is_drained = 0; is_drained < 2; is_drained++) {
		struct test_queue *t = test_queue_new();

		free(*state);
		*state = t;
		fail_first_of_four(t);
		flushed(t, 1);
		if (is_drained) {
			flushed(t, 2);
			assert_true(mlx5_umr_queue_drain(&t->queue));
		}
		mlx5_umr_queue_reset(&t->queue);
		t->queue.error = 0;
		for (int i = 4; i < 7; i++)
			assert_int_equal(test_write(t, 8, i < 6 ? 0 : RTE_UMR_OP_F_SUBMIT), i);
		if (!is_drained)
			flushed(t, 2);
		/* They are at the device, and well. */
		assert_int_equal(mlx5_umr_completed_status(&t->queue, 8, t->done),
				 is_drained ? 0 : 3);
	}
}

/* A queue that is brought into error has what succeeded before. */
QUEUE_CASE(what_was_executed_comes_back_with_success)
{
	for (int i = 0; i < 3; i++)
		assert_int_equal(test_write(t, 8, RTE_UMR_OP_F_SUBMIT), i);
	t->queue.error = -EIO;
	test_cqe_write(t, 0, MLX5_CQE_REQ, 0);
	assert_false(mlx5_umr_queue_drain(&t->queue));
	test_cqe_write(t, 1, MLX5_CQE_REQ, 0);
	flushed(t, 2);
	assert_true(mlx5_umr_queue_drain(&t->queue));
	TEST_SENT(t, 8, 0, OK, OK, FLUSHED);
}

/* The last operation succeeded, or there never was one. */
QUEUE_CASE(queue_with_nothing_outstanding_is_drained)
{
	t->queue.error = -EIO;
	assert_true(mlx5_umr_queue_drain(&t->queue));
	t->queue.error = 0;
	assert_int_equal(test_write(t, 8, RTE_UMR_OP_F_SUBMIT), 0);
	test_cqe_write(t, 0, MLX5_CQE_REQ, 0);
	TEST_SENT(t, 8, 0, OK);
	t->queue.error = -EIO;
	assert_true(mlx5_umr_queue_drain(&t->queue));
	/* What the device was not given is nobody's to wait for. */
	t->queue.error = 0;
	assert_int_equal(test_write(t, 8, 0), 1);
	t->queue.error = -EIO;
	assert_true(mlx5_umr_queue_drain(&t->queue));
}

/* A receive is its own barrier; a signature error stands for none. */
QUEUE_CASE(every_receive_is_waited_for)
{
	for (int i = 0; i < 3; i++)
		assert_int_equal(mlx5_umr_recv(&t->queue, &test_seg, 1, 0), i);
	t->queue.error = -EIO;
	for (int i = 0; i < 3; i++) {
		assert_false(mlx5_umr_queue_drain(&t->queue));
		if (i == 1) {
			test_rq_cqe_write(t, PRM_CQE_OPCODE_SIGERR, 0, 0, 0);
			assert_false(mlx5_umr_queue_drain(&t->queue));
		}
		recv_flushed(t);
	}
	assert_true(mlx5_umr_queue_drain(&t->queue));
	/* They were left for who collects them. */
	TEST_RECEIVED(t, TEST_NB_RECV, 0, FLUSHED, FLUSHED, FLUSHED);
	assert_true(mlx5_umr_queue_drain(&t->queue));
}

/* At every place of a completion ring that goes round. */
QUEUE_CASE(barrier_is_found_at_every_index)
{
	for (unsigned int i = 0; i < 5 * TEST_NB_WQEBB; i++) {
		assert_int_equal(test_write(t, 8, RTE_UMR_OP_F_SUBMIT), 2 * i);
		assert_int_equal(test_write(t, 8, RTE_UMR_OP_F_SUBMIT), 2 * i + 1);
		test_cqe_write(t, 0, MLX5_CQE_REQ_ERR, SYND_PROT);
		TEST_SENT(t, 8, 2 * i, PROT, FLUSHED);
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
QUEUE_CASE(queue_recovers_by_itself_when_it_is_empty)
{
	t->dev.self_recover = self_recover;
	for (int i = 0; i < 2; i++) {
		nb_self_recoveries = 0;
		t->queue.can_self_recover = true;
		assert_int_equal(mlx5_umr_recv(&t->queue, &test_seg, 1, 0), i);
		assert_int_equal(test_write(t, 8, RTE_UMR_OP_F_SUBMIT), i);
		test_cqe_write(t, 0, MLX5_CQE_REQ_ERR, SYND_PROT);
		TEST_SENT(t, 8, i, PROT);
		assert_int_equal(test_write(t, 8, 0), -EIO);
		/* There is a receive. */
		TEST_SENT_NONE(t);
		assert_int_equal(mlx5_umr_submit(&t->queue), -EIO);
		recv_flushed(t);
		TEST_RECEIVED(t, 4, i, FLUSHED);
		assert_int_equal(nb_self_recoveries, 0);
		if (i == 0)
			TEST_SENT_NONE(t);
		else
			assert_int_equal(mlx5_umr_submit(&t->queue), 0);
		assert_int_equal(nb_self_recoveries, 1);
		TEST_SENT_NONE(t);
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
	return test_run();
}
