/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Completions: every accepted operation comes back exactly once, whatever CQEs the device writes.
 */

#include "budget.h"
#include "test_queue.h"

QUEUE_CASE(nothing_is_done_before_a_cqe)
{
	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	TEST_COMPLETED(t, 4, 0, 0, false);
	TEST_SENT_NONE(t);
	assert_int_equal(t->cq_dbr[0], 0);
}

QUEUE_CASE(one_cqe_completes_all_in_front)
{
	test_list(t, 1, 0);
	test_write(t, 8, 0);
	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	test_write(t, 8, 0);
	test_cqe_write(t, 4, MLX5_CQE_REQ, 0);
	TEST_COMPLETED(t, 10, 3, 2, false);
	assert_int_equal(mlx5_umr_desc_avail(&t->queue), TEST_NB_WQEBB - 1);
	assert_int_equal(rte_be_to_cpu_32(t->cq_dbr[0]), 1);
	TEST_COMPLETED(t, 10, 0, 0, false);
	assert_int_equal(t->queue.nb_completed, 3);
}

QUEUE_CASE(nb_max_limits_what_is_collected)
{
	for (int i = 0; i < 6; i++)
		test_write(t, 8 + i, 0);
	mlx5_umr_submit(&t->queue);
	test_cqe_write(t, 5, MLX5_CQE_REQ, 0);
	TEST_COMPLETED(t, 2, 2, 1, false);
	assert_int_equal(mlx5_umr_desc_avail(&t->queue), TEST_NB_WQEBB - 4);
	TEST_COMPLETED(t, 0, 0, 0, false);
	TEST_SENT(t, 3, 2, OK, OK, OK);
	assert_int_equal(t->done[0].length, 10);
	assert_int_equal(t->done[0].op, RTE_UMR_OP_WRITE);
	TEST_SENT(t, 8, 5, OK);
	assert_int_equal(mlx5_umr_desc_avail(&t->queue), TEST_NB_WQEBB);
}

QUEUE_CASE(owner_bit_and_indices_wrap)
{
	unsigned int i, n, wqe = 0;
	int idx = 0;

	t->cq_pi = 0xffffff0;	/* past the 24 bits that the device sees */
	mlx5_umr_cq_seek(&t->queue.cq, t->cq_pi);
	t->queue.op_pi = t->queue.op_submitted = t->queue.op_done = t->queue.op_ci = 0xff00;
	/* Owner of the entries that were never written: not ours. */
	for (i = 0; i < TEST_NB_WQEBB; i++)
		t->cqes[i].op_own = MLX5_CQE_REQ << 4 | ((t->cq_pi / TEST_NB_WQEBB + 1) % 2);
	for (i = 0; i < 70000; i++) {
		for (n = 0; n < i % 7 + 1; n++, wqe++)
			idx = test_write(t, 8, 0);
		mlx5_umr_submit(&t->queue);
		TEST_COMPLETED(t, 16, 0, 0, false);
		test_cqe_write(t, wqe - 1, MLX5_CQE_REQ, 0);
		TEST_COMPLETED(t, 16, n, idx, false);
	}
	assert_int_equal(rte_be_to_cpu_32(t->cq_dbr[0]), t->cq_pi & 0xffffff);
}

/** What a queue should be doing, in operations and CQEs. */
struct counts {
	uint32_t built, submitted, done, collected;
	uint32_t ends[TEST_NB_WQEBB];	/* operations behind each submit */
	uint32_t nb_submits, nb_cqes;
};

static void
random_post(struct test_queue *t, struct counts *c)
{
	for (int n = rand() % 4; n > 0 && mlx5_umr_desc_avail(&t->queue) != 0; n--, c->built++)
		test_write(t, 8, 0);
	if (rand() % 3 == 0 || c->submitted == c->built)
		return;
	mlx5_umr_submit(&t->queue);
	c->submitted = c->built;
	c->ends[c->nb_submits++ % TEST_NB_WQEBB] = c->built;
}

static void
random_cqes(struct test_queue *t, struct counts *c)
{
	for (; c->nb_cqes != c->nb_submits && rand() % 3 != 0; c->nb_cqes++) {
		c->done = c->ends[c->nb_cqes % TEST_NB_WQEBB];
		test_cqe_write(t, (uint16_t)(c->done - 1), MLX5_CQE_REQ, 0);
	}
}

/* One submit at the device or several, all of it taken or a part, more built behind it or not. */
QUEUE_CASE(all_ways_take_what_is_done)
{
	const uint32_t nb_steps = 80 * test_nb_cases();
	struct counts c = { 0 };
	uint32_t nb, nb_max;

	srand(test_seed());
	for (unsigned int i = 0; i < nb_steps; i++) {
		random_post(t, &c);
		random_cqes(t, &c);
		nb_max = rand() % 2 == 0 ? TEST_NB_WQEBB : (uint32_t)rand() % 4;
		nb = RTE_MIN(nb_max, c.done - c.collected);
		c.collected += nb;
		TEST_COMPLETED(t, nb_max, nb, c.collected - 1, false);
		assert_int_equal(t->queue.nb_completed, c.collected);
		assert_int_equal(mlx5_umr_desc_avail(&t->queue),
				 TEST_NB_WQEBB - (c.built - c.collected));
		/* It may not have looked yet, but never says more than there was. */
		assert_uint_in_range(rte_be_to_cpu_32(t->cq_dbr[0]), 0, c.nb_cqes & 0xffffff);
		if (nb_max == TEST_NB_WQEBB)
			assert_int_equal(rte_be_to_cpu_32(t->cq_dbr[0]), c.nb_cqes & 0xffffff);
	}
}

/** Operations 0 to 4 in two submits, 5 only enqueued; 2 fails. */
static void
fail_third_of_six(struct test_queue *t)
{
	for (int i = 0; i < 6; i++)
		assert_int_equal(test_write(t, 8, i == 3 || i == 4 ? RTE_UMR_OP_F_SUBMIT : 0), i);
	test_cqe_write(t, 2, MLX5_CQE_REQ_ERR, SYND_PROT);
}

static void
check_six(struct test_queue *t)
{
	TEST_SENT(t, 16, 0, OK, OK, PROT, FLUSHED, FLUSHED, FLUSHED);
	assert_int_equal(t->done[2].syndrome, SYND_PROT);
	assert_int_equal(t->done[2].vendor_syndrome, SYND_PROT + 0x40);
	assert_int_equal(t->done[2].length, 0);
	assert_int_equal(t->done[1].length, 8);
	assert_int_equal(t->done[3].syndrome, 0);
	assert_int_equal(t->queue.nb_errors, 4);
	assert_int_equal(t->queue.nb_failed, 0);
	TEST_SENT_NONE(t);
	assert_int_equal(mlx5_umr_desc_avail(&t->queue), TEST_NB_WQEBB);
	assert_int_equal(test_write(t, 8, 0), -EIO);
}

QUEUE_CASE(error_with_all_flush_cqes_returns_every_op_once)
{
	fail_third_of_six(t);
	test_cqe_write(t, 3, MLX5_CQE_REQ_ERR, SYND_FLUSH);
	test_cqe_write(t, 4, MLX5_CQE_REQ_ERR, SYND_FLUSH);
	check_six(t);
}

/* So does one without: those that come late change nothing. */
QUEUE_CASE(error_without_flush_cqes_returns_every_op_once)
{
	fail_third_of_six(t);
	check_six(t);
	for (uint16_t wqe = 3; wqe <= 4; wqe++) {
		test_cqe_write(t, wqe, MLX5_CQE_REQ_ERR, SYND_FLUSH);
		TEST_SENT_NONE(t);
		assert_int_equal(t->queue.nb_failed, 0);
		assert_int_equal(t->queue.op_done, t->queue.op_pi);
		assert_int_equal(t->queue.cq.ci, t->cq_pi);
	}
}

QUEUE_CASE(late_flush_cqes_leave_what_is_known)
{
	fail_third_of_six(t);
	TEST_SENT(t, 1, 0, OK);
	test_cqe_write(t, 3, MLX5_CQE_REQ_ERR, SYND_FLUSH);
	TEST_SENT(t, 8, 1, OK, PROT, FLUSHED, FLUSHED, FLUSHED);
}

QUEUE_CASE(completed_stops_in_front_of_an_error)
{
	fail_third_of_six(t);
	TEST_COMPLETED(t, 1, 1, 0, false);
	TEST_COMPLETED(t, 1, 1, 1, true);
	TEST_COMPLETED(t, 8, 0, 0, true);
	TEST_SENT(t, 8, 2, PROT, FLUSHED, FLUSHED, FLUSHED);
	TEST_COMPLETED(t, 8, 0, 0, false);
}

QUEUE_CASE(flush_first_tells_nothing_of_those_in_front)
{
	/* The device went to error for another reason: ops 0..2 may or may not have run. */
	for (int i = 0; i < 6; i++)
		test_write(t, 8, i == 3 || i == 4 ? RTE_UMR_OP_F_SUBMIT : 0);
	test_cqe_write(t, 3, MLX5_CQE_REQ_ERR, SYND_FLUSH);
	TEST_SENT(t, 8, 0, FLUSHED, FLUSHED, FLUSHED, FLUSHED, FLUSHED, FLUSHED);
}

QUEUE_CASE(success_in_front_of_an_error_in_one_poll)
{
	for (int i = 0; i < 6; i++)
		test_write(t, 8, i == 3 || i == 4 ? RTE_UMR_OP_F_SUBMIT : 0);
	test_cqe_write(t, 3, MLX5_CQE_REQ, 0);
	test_cqe_write(t, 4, MLX5_CQE_REQ_ERR, 0x7e);
	TEST_SENT(t, 8, 0, OK, OK, OK, OK, RTE_UMR_STATUS_UNKNOWN, FLUSHED);
	assert_int_equal(t->done[4].syndrome, 0x7e);
}

QUEUE_CASE(every_syndrome_has_a_status)
{
	static const uint8_t map[][2] = {
		{ 0x01, RTE_UMR_STATUS_LOCAL_LENGTH }, { 0x02, RTE_UMR_STATUS_LOCAL_QP_OP },
		{ 0x04, RTE_UMR_STATUS_LOCAL_PROT }, { 0x05, RTE_UMR_STATUS_FLUSHED },
		{ 0x06, RTE_UMR_STATUS_MKEY_CONFIG }, { 0x10, RTE_UMR_STATUS_BAD_RESPONSE },
		{ 0x11, RTE_UMR_STATUS_LOCAL_ACCESS }, { 0x12, RTE_UMR_STATUS_REMOTE_INVALID },
		{ 0x13, RTE_UMR_STATUS_REMOTE_ACCESS }, { 0x14, RTE_UMR_STATUS_REMOTE_OP },
		{ 0x15, RTE_UMR_STATUS_RETRY_EXCEEDED },
		{ 0x16, RTE_UMR_STATUS_RNR_RETRY_EXCEEDED },
		{ 0x22, RTE_UMR_STATUS_REMOTE_ABORTED }, { 0x33, RTE_UMR_STATUS_UNKNOWN },
	};

	for (size_t i = 0; i < RTE_DIM(map); i++) {
		mlx5_umr_queue_restart(&t->queue);
		t->queue.error = 0;
		test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
		test_cqe_write(t, 0, MLX5_CQE_REQ_ERR, map[i][0]);
		TEST_SENT(t, 2, 0, map[i][1]);
	}
}

QUEUE_CASE(receives_come_back_in_order)
{
	for (int i = 0; i < 4; i++)
		mlx5_umr_recv(&t->queue, &test_seg, 1, 0);
	TEST_RECEIVED_NONE(t);
	test_rq_cqe_write(t, MLX5_CQE_RESP_SEND, 100, 0, 0);
	test_rq_cqe_write(t, MLX5_CQE_RESP_SEND_IMM, 3, RTE_BE32(0x01020304), 0);
	test_rq_cqe_write(t, MLX5_CQE_RESP_WR_IMM, 55, RTE_BE32(7), 0);
	TEST_RECEIVED(t, 4, 0, OK, OK, OK);
	assert_int_equal(t->done[0].op, RTE_UMR_OP_RECV);
	assert_int_equal(t->done[0].length, 100);
	assert_int_equal(t->done[0].flags, 0);
	assert_int_equal(t->done[1].op, RTE_UMR_OP_RECV);
	assert_int_equal(t->done[1].flags, RTE_UMR_COMPLETION_F_IMM);
	assert_int_equal(t->done[1].imm, RTE_BE32(0x01020304));
	assert_int_equal(t->done[2].op, RTE_UMR_OP_RECV_WRITE_IMM);
	assert_int_equal(t->done[2].length, 55);
	assert_int_equal(rte_be_to_cpu_32(t->rq_cq_dbr[0]), 3);
	assert_int_equal(t->queue.rq.nb_completed, 3);
}

QUEUE_CASE(receive_indices_wrap_at_16_bits)
{
	for (unsigned int i = 0; i < 70000; i++) {
		assert_int_equal(mlx5_umr_recv(&t->queue, NULL, 0, 0), (uint16_t)i);
		TEST_RECEIVED_NONE(t);
		test_rq_cqe_write(t, MLX5_CQE_RESP_SEND, 0, 0, 0);
		TEST_RECEIVED(t, 4, i, OK);
	}
}

QUEUE_CASE(error_of_a_receive_flushes_both_sides)
{
	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	test_write(t, 8, 0);
	for (int i = 0; i < 3; i++)
		mlx5_umr_recv(&t->queue, NULL, 0, 0);
	test_rq_cqe_write(t, MLX5_CQE_RESP_ERR, 0, 0, SYND_LENGTH);
	test_rq_cqe_write(t, MLX5_CQE_RESP_ERR, 0, 0, SYND_FLUSH);
	test_rq_cqe_write(t, MLX5_CQE_RESP_ERR, 0, 0, SYND_FLUSH);
	TEST_RECEIVED(t, 8, 0, RTE_UMR_STATUS_LOCAL_LENGTH, FLUSHED, FLUSHED);
	TEST_RECEIVED_NONE(t);
	/* What the device has reported as done stays done. */
	test_cqe_write(t, 0, MLX5_CQE_REQ, 0);
	TEST_SENT(t, 8, 0, OK, FLUSHED);
}

/* The CQ of receives is another one: what the device has of the send side tells how it ended. */
QUEUE_CASE(sends_behind_a_failed_receive_are_waited_for)
{
	for (int i = 0; i < 4; i++)
		test_write(t, 8, i < 3 ? RTE_UMR_OP_F_SUBMIT : 0);
	mlx5_umr_recv(&t->queue, NULL, 0, 0);
	test_rq_cqe_write(t, MLX5_CQE_RESP_ERR, 0, 0, SYND_LENGTH);
	TEST_RECEIVED(t, 8, 0, RTE_UMR_STATUS_LOCAL_LENGTH);
	TEST_SENT_NONE(t);
	assert_int_equal(test_write(t, 8, 0), -EIO);
	test_cqe_write(t, 0, MLX5_CQE_REQ, 0);
	TEST_SENT(t, 8, 0, OK);
	test_cqe_write(t, 1, MLX5_CQE_REQ_ERR, SYND_PROT);
	test_cqe_write(t, 2, MLX5_CQE_REQ_ERR, SYND_FLUSH);
	TEST_SENT(t, 8, 1, PROT, FLUSHED, FLUSHED);
}

/* On a device that is lost there is nobody who would tell. */
QUEUE_CASE(sends_behind_a_failed_receive_come_back_without_the_device)
{
	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	mlx5_umr_recv(&t->queue, NULL, 0, 0);
	test_rq_cqe_write(t, MLX5_CQE_RESP_ERR, 0, 0, SYND_LENGTH);
	TEST_RECEIVED(t, 8, 0, RTE_UMR_STATUS_LOCAL_LENGTH);
	TEST_SENT_NONE(t);
	t->queue.is_lost = true;
	TEST_SENT(t, 8, 0, FLUSHED);
}

QUEUE_CASE(error_of_a_send_flushes_receives)
{
	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	mlx5_umr_recv(&t->queue, NULL, 0, 0);
	test_cqe_write(t, 0, MLX5_CQE_REQ_ERR, SYND_PROT);
	TEST_SENT(t, 8, 0, PROT);
	test_rq_cqe_write(t, MLX5_CQE_RESP_ERR, 0, 0, SYND_FLUSH);
	TEST_RECEIVED(t, 8, 0, FLUSHED);
}

QUEUE_CASE(receives_wait_for_their_cqe_or_for_reset)
{
	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	mlx5_umr_recv(&t->queue, NULL, 0, 0);
	mlx5_umr_recv(&t->queue, NULL, 0, 0);
	test_cqe_write(t, 0, MLX5_CQE_REQ_ERR, SYND_PROT);
	TEST_SENT(t, 8, 0, PROT);
	/* A message that came in front of the error is still on its way. */
	TEST_RECEIVED_NONE(t);
	test_rq_cqe_write(t, MLX5_CQE_RESP_SEND, 77, 0, 0);
	TEST_RECEIVED(t, 8, 0, OK);
	assert_int_equal(t->done[0].length, 77);
	t->queue.is_reset = true;
	TEST_RECEIVED(t, 8, 1, FLUSHED);
}

QUEUE_CASE(queue_without_receives_has_none)
{
	t->queue.has_rq = false;
	TEST_RECEIVED_NONE(t);
}

QUEUE_CASE(unexpected_success_is_logged_with_both_counters)
{
	test_write(t, 8, 0);
	test_write(t, 8, 0);
	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	test_cqe_write(t, 1, MLX5_CQE_REQ, 0);
	test_log_start(RTE_LOG_ERR);
	TEST_SENT(t, 4, 0, OK, OK, FLUSHED);
	test_log_expect(TEST_LOG_QUEUE "CQE 0: unexpected completion for WQE 0x1, "
			"expected WQE 0x2\n");
	assert_int_equal(test_write(t, 8, 0), -EIO);
	/* The one that was due comes late: the queue is in error, no more need be said. */
	test_cqe_write(t, 2, MLX5_CQE_REQ, 0);
	test_log_start(RTE_LOG_ERR);
	TEST_SENT_NONE(t);
	test_log_expect("");
}

/* A CQE that is missing in front of it is no success, also when the latest is looked for first. */
QUEUE_CASE(success_of_the_latest_submit_is_none_of_another)
{
	uint16_t last;
	bool has_error;

	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	test_cqe_write(t, 1, MLX5_CQE_REQ, 0);
	mlx5_umr_completed(&t->queue, 2, &last, &has_error);
	assert_int_equal(t->queue.error, -EIO);
	assert_int_equal(test_write(t, 8, 0), -EIO);
}

QUEUE_CASE(success_of_nothing_is_logged)
{
	test_cqe_write(t, 0x77, MLX5_CQE_REQ, 0);
	test_log_start(RTE_LOG_ERR);
	TEST_SENT_NONE(t);
	test_log_expect(TEST_LOG_QUEUE "CQE 0: unexpected completion for WQE 0x77, "
			"no WQE is outstanding\n");
	assert_int_equal(test_write(t, 8, 0), -EIO);
}

int
main(void)
{
	return test_run_isas();
}
