/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Rejected operations: what is counted, and what is logged. */

#include "test_queue.h"

QUEUE_CASE(first_of_a_reason_is_logged)
{
	struct mlx5_umr_queue *q = &t->queue, other = *q;

	test_log_start(RTE_LOG_ERR);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(REJECT(q, LENGTH, -ERANGE, "length %d", i), -ERANGE);
		assert_int_equal(REJECT(q, FLAGS, -EINVAL, "flags %d", i), -EINVAL);
	}
	/* Each queue for itself. */
	assert_int_equal(REJECT(&other, LENGTH, -EINVAL, "length %d", 7), -EINVAL);
	test_log_expect(TEST_LOG_QUEUE "length 0\n" TEST_LOG_QUEUE "flags 0\n"
			TEST_LOG_QUEUE "length 7\n");
	assert_int_equal(q->nb_rejects[RTE_UMR_REJECT_LENGTH], 3);
	assert_int_equal(q->nb_rejects[RTE_UMR_REJECT_FLAGS], 3);
	assert_int_equal(test_nb_rejected(q), 6);
	assert_int_equal(test_nb_full(q), 0);
}

QUEUE_CASE(reset_of_statistics_logs_anew)
{
	test_log_start(RTE_LOG_ERR);
	for (int i = 0; i < 2; i++) {
		REJECT(&t->queue, BURST, -EINVAL, "%d", 2 * i);
		REJECT(&t->queue, BURST, -EINVAL, "%d", 2 * i + 1);
		mlx5_umr_queue_stats_reset(&t->queue);
	}
	test_log_expect(TEST_LOG_QUEUE "0\n" TEST_LOG_QUEUE "2\n");
	assert_int_equal(test_nb_rejected(&t->queue), 0);
}

QUEUE_CASE(full_rings_are_silent)
{
	struct mlx5_umr_queue *q = &t->queue;

	test_log_start(RTE_LOG_ERR);
	assert_int_equal(mlx5_umr_reject_state(q), -ENOSPC);
	assert_int_equal(mlx5_umr_reject_list(q), -ENOSPC);
	assert_int_equal(mlx5_umr_reject_recv_state(q), -ENOSPC);
	test_log_expect("");
	assert_int_equal(q->nb_rejects[RTE_UMR_REJECT_RING_FULL], 2);
	assert_int_equal(q->nb_rejects[RTE_UMR_REJECT_LIST_FULL], 1);
	assert_int_equal(test_nb_full(q), 3);
	assert_int_equal(test_nb_rejected(q), 0);
}

QUEUE_CASE(states_have_their_reason)
{
	static const struct {
		int16_t error;
		enum rte_umr_reject reason;
	} states[] = {
		{ -EIO, RTE_UMR_REJECT_QUEUE_ERROR },
		{ -ENOTCONN, RTE_UMR_REJECT_NOT_CONNECTED },
		{ -ENOTSUP, RTE_UMR_REJECT_UNSUPPORTED },
	};
	struct mlx5_umr_queue *q = &t->queue;

	for (size_t i = 0; i < RTE_DIM(states); i++) {
		mlx5_umr_queue_stats_reset(q);
		q->error = states[i].error;
		assert_int_equal(mlx5_umr_reject_state(q), states[i].error);
		assert_int_equal(mlx5_umr_reject_list(q), states[i].error);
		/* A queue that is not connected takes receives, as long as there is room. */
		assert_int_equal(mlx5_umr_reject_recv_state(q), i == 0 ? -EIO : -ENOSPC);
		assert_int_equal(q->nb_rejects[states[i].reason], i == 0 ? 3 : 2);
		assert_int_equal(test_nb_rejected(q) + test_nb_full(q), 3);
	}
}

int
main(void)
{
	return test_run();
}
