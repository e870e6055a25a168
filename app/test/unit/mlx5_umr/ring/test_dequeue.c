/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Completions: every accepted operation comes back exactly once, whatever CQEs the device writes.
 */

#include <errno.h>
#include <stdio.h>

#include <rte_log.h>

#include "budget.h"
#include "ring/log.h"
#include "test_queue.h"

#define SYND_PROT	MLX5_CQE_SYNDROME_LOCAL_PROT_ERR
#define SYND_FLUSH	MLX5_CQE_SYNDROME_WR_FLUSH_ERR

/** Collect all; returns the number and checks that the indices follow each other. */
static unsigned int
collect(struct test_queue *t, struct rte_umr_completion *done, unsigned int nb_max, uint16_t first)
{
	unsigned int nb, i;

	nb = mlx5_umr_completed_status(&t->queue, nb_max, done);
	for (i = 0; i < nb; i++)
		assert_int_equal(done[i].idx, (uint16_t)(first + i));
	return nb;
}

static void
check_statuses(const struct rte_umr_completion *done, const uint8_t *statuses, unsigned int nb)
{
	unsigned int i;

	for (i = 0; i < nb; i++)
		assert_int_equal(done[i].status, statuses[i]);
}

static void
nothing_is_done_before_a_cqe(void **state)
{
	struct test_queue *t = *state;
	struct rte_umr_completion done[4];
	uint16_t last = 77;
	bool has_error = true;

	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	assert_int_equal(mlx5_umr_completed(&t->queue, 4, &last, &has_error), 0);
	assert_false(has_error);
	assert_int_equal(last, 77);
	assert_int_equal(mlx5_umr_completed_status(&t->queue, 4, done), 0);
	assert_int_equal(t->cq_dbr[0], 0);
}

static void
one_cqe_completes_all_in_front(void **state)
{
	struct test_queue *t = *state;
	struct rte_umr_mkey mkey = test_mkey(4);
	const struct rte_umr_seg seg = { 0x1000, 16, 0x100 };
	uint16_t last;
	bool has_error;

	test_isa->mkey_list(&t->queue, &mkey, 0, &seg, 1, 0);
	test_write(t, 8, 0);
	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	test_write(t, 8, 0);
	test_cqe_write(t, 4, MLX5_CQE_REQ, 0);
	assert_int_equal(mlx5_umr_completed(&t->queue, 10, &last, &has_error), 3);
	assert_int_equal(last, 2);
	assert_false(has_error);
	assert_int_equal(mlx5_umr_desc_avail(&t->queue), TEST_NB_WQEBB - 1);
	assert_int_equal(rte_be_to_cpu_32(t->cq_dbr[0]), 1);
	assert_int_equal(mlx5_umr_completed(&t->queue, 10, &last, &has_error), 0);
	assert_int_equal(t->queue.nb_completed, 3);
}

static void
nb_max_limits_what_is_collected(void **state)
{
	struct test_queue *t = *state;
	struct rte_umr_completion done[8];
	uint16_t last;
	bool has_error;
	int i;

	for (i = 0; i < 6; i++)
		test_write(t, 8 + i, 0);
	mlx5_umr_submit(&t->queue);
	test_cqe_write(t, 5, MLX5_CQE_REQ, 0);
	assert_int_equal(mlx5_umr_completed(&t->queue, 2, &last, &has_error), 2);
	assert_int_equal(last, 1);
	assert_int_equal(mlx5_umr_desc_avail(&t->queue), TEST_NB_WQEBB - 4);
	assert_int_equal(mlx5_umr_completed(&t->queue, 0, &last, &has_error), 0);
	assert_int_equal(collect(t, done, 3, 2), 3);
	assert_int_equal(done[0].length, 10);
	assert_int_equal(done[0].op, RTE_UMR_OP_WRITE);
	assert_int_equal(collect(t, done, 8, 5), 1);
	assert_int_equal(mlx5_umr_desc_avail(&t->queue), TEST_NB_WQEBB);
}

static void
owner_bit_and_indices_wrap(void **state)
{
	struct test_queue *t = *state;
	uint16_t last = 0;
	bool has_error;
	unsigned int i, n, wqe = 0;
	int idx;

	t->cq_pi = 0xffffff0;	/* past the 24 bits that the device sees */
	mlx5_umr_cq_seek(&t->queue.cq, t->cq_pi);
	t->queue.op_pi = t->queue.op_submitted = t->queue.op_done = t->queue.op_ci = 0xff00;
	/* Owner of the entries that were never written: not ours. */
	for (i = 0; i < TEST_NB_WQEBB; i++)
		t->cqes[i].op_own = MLX5_CQE_REQ << 4 | ((t->cq_pi / TEST_NB_WQEBB + 1) % 2);
	for (i = 0; i < 70000; i++) {
		n = i % 7 + 1;
		idx = 0;
		while (n-- != 0)
			idx = test_write(t, 8, 0);
		wqe += i % 7 + 1;
		mlx5_umr_submit(&t->queue);
		assert_int_equal(mlx5_umr_completed(&t->queue, 16, &last, &has_error), 0);
		test_cqe_write(t, wqe - 1, MLX5_CQE_REQ, 0);
		assert_int_equal(mlx5_umr_completed(&t->queue, 16, &last, &has_error), i % 7 + 1);
		assert_int_equal(last, idx);
		assert_false(has_error);
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
static void
all_ways_take_what_is_done(void **state)
{
	struct test_queue *t = *state;
	const uint32_t nb_steps = 80 * test_nb_cases();
	struct counts c = { 0 };
	uint32_t nb, nb_max;
	uint16_t last = UINT16_MAX;
	bool has_error;

	srand(test_seed());
	for (unsigned int i = 0; i < nb_steps; i++) {
		random_post(t, &c);
		random_cqes(t, &c);
		nb_max = rand() % 2 == 0 ? TEST_NB_WQEBB : (uint32_t)rand() % 4;
		nb = RTE_MIN(nb_max, c.done - c.collected);
		assert_int_equal(mlx5_umr_completed(&t->queue, nb_max, &last, &has_error), nb);
		assert_false(has_error);
		c.collected += nb;
		assert_int_equal((uint16_t)(last + 1), (uint16_t)c.collected);
		assert_int_equal(t->queue.nb_completed, c.collected);
		assert_int_equal(mlx5_umr_desc_avail(&t->queue),
				 TEST_NB_WQEBB - (c.built - c.collected));
		/* It may not have looked yet, but never says more than there was. */
		assert_uint_in_range(rte_be_to_cpu_32(t->cq_dbr[0]), 0, c.nb_cqes & 0xffffff);
		if (nb_max == TEST_NB_WQEBB)
			assert_int_equal(rte_be_to_cpu_32(t->cq_dbr[0]), c.nb_cqes & 0xffffff);
	}
}

/** Ops 0..4 in two submits, 5 only enqueued; op 2 fails. Statuses that all must get. */
static const uint8_t op_2_failed[] = {
	RTE_UMR_STATUS_SUCCESS, RTE_UMR_STATUS_SUCCESS, RTE_UMR_STATUS_LOCAL_PROT,
	RTE_UMR_STATUS_FLUSHED, RTE_UMR_STATUS_FLUSHED, RTE_UMR_STATUS_FLUSHED,
};

static void
enqueue_six(struct test_queue *t)
{
	int i;

	for (i = 0; i < 6; i++)
		assert_int_equal(test_write(t, 8, i == 3 || i == 4 ? RTE_UMR_OP_F_SUBMIT : 0), i);
}

static void
check_six(struct test_queue *t)
{
	struct rte_umr_completion done[16];

	assert_int_equal(collect(t, done, 16, 0), 6);
	check_statuses(done, op_2_failed, 6);
	assert_int_equal(done[2].syndrome, SYND_PROT);
	assert_int_equal(done[2].vendor_syndrome, SYND_PROT + 0x40);
	assert_int_equal(done[2].length, 0);
	assert_int_equal(done[1].length, 8);
	assert_int_equal(done[3].syndrome, 0);
	assert_int_equal(t->queue.nb_errors, 4);
	assert_int_equal(t->queue.nb_failed, 0);
	assert_int_equal(mlx5_umr_completed_status(&t->queue, 16, done), 0);
	assert_int_equal(mlx5_umr_desc_avail(&t->queue), TEST_NB_WQEBB);
	assert_int_equal(test_write(t, 8, 0), -EIO);
}

static void
error_without_flush_cqes_returns_every_op_once(void **state)
{
	struct test_queue *t = *state;

	enqueue_six(t);
	test_cqe_write(t, 2, MLX5_CQE_REQ_ERR, SYND_PROT);
	check_six(t);
}

static void
error_with_all_flush_cqes_returns_every_op_once(void **state)
{
	struct test_queue *t = *state;

	enqueue_six(t);
	test_cqe_write(t, 2, MLX5_CQE_REQ_ERR, SYND_PROT);
	test_cqe_write(t, 3, MLX5_CQE_REQ_ERR, SYND_FLUSH);
	test_cqe_write(t, 4, MLX5_CQE_REQ_ERR, SYND_FLUSH);
	check_six(t);
}

static void
late_flush_cqes_change_nothing(void **state)
{
	struct test_queue *t = *state;
	struct rte_umr_completion done[4];
	uint16_t wqe;

	enqueue_six(t);
	test_cqe_write(t, 2, MLX5_CQE_REQ_ERR, SYND_PROT);
	check_six(t);
	for (wqe = 3; wqe <= 4; wqe++) {
		test_cqe_write(t, wqe, MLX5_CQE_REQ_ERR, SYND_FLUSH);
		assert_int_equal(mlx5_umr_completed_status(&t->queue, 4, done), 0);
		assert_int_equal(t->queue.nb_failed, 0);
		assert_int_equal(t->queue.op_done, t->queue.op_pi);
		assert_int_equal(t->queue.cq.ci, t->cq_pi);
	}
}

static void
late_flush_cqes_leave_what_is_known(void **state)
{
	struct test_queue *t = *state;
	struct rte_umr_completion done[8];

	enqueue_six(t);
	test_cqe_write(t, 2, MLX5_CQE_REQ_ERR, SYND_PROT);
	assert_int_equal(collect(t, done, 1, 0), 1);
	test_cqe_write(t, 3, MLX5_CQE_REQ_ERR, SYND_FLUSH);
	assert_int_equal(collect(t, done, 8, 1), 5);
	check_statuses(done, op_2_failed + 1, 5);
}

static void
completed_stops_in_front_of_an_error(void **state)
{
	struct test_queue *t = *state;
	struct rte_umr_completion done[8];
	uint16_t last = 99;
	bool has_error = false;

	enqueue_six(t);
	test_cqe_write(t, 2, MLX5_CQE_REQ_ERR, SYND_PROT);
	assert_int_equal(mlx5_umr_completed(&t->queue, 1, &last, &has_error), 1);
	assert_int_equal(last, 0);
	assert_false(has_error);
	assert_int_equal(mlx5_umr_completed(&t->queue, 1, &last, &has_error), 1);
	assert_int_equal(last, 1);
	assert_true(has_error);
	assert_int_equal(mlx5_umr_completed(&t->queue, 8, &last, &has_error), 0);
	assert_true(has_error);
	assert_int_equal(collect(t, done, 8, 2), 4);
	check_statuses(done, op_2_failed + 2, 4);
	assert_int_equal(mlx5_umr_completed(&t->queue, 8, &last, &has_error), 0);
	assert_false(has_error);
}

static void
flush_first_tells_nothing_of_those_in_front(void **state)
{
	struct test_queue *t = *state;
	struct rte_umr_completion done[8];
	unsigned int i;

	/* The device went to error for another reason: ops 0..2 may or may not have run. */
	enqueue_six(t);
	test_cqe_write(t, 3, MLX5_CQE_REQ_ERR, SYND_FLUSH);
	assert_int_equal(collect(t, done, 8, 0), 6);
	for (i = 0; i < 6; i++)
		assert_int_equal(done[i].status, RTE_UMR_STATUS_FLUSHED);
}

static void
success_in_front_of_an_error_in_one_poll(void **state)
{
	struct test_queue *t = *state;
	struct rte_umr_completion done[8];

	enqueue_six(t);
	test_cqe_write(t, 3, MLX5_CQE_REQ, 0);
	test_cqe_write(t, 4, MLX5_CQE_REQ_ERR, 0x7e);
	assert_int_equal(collect(t, done, 8, 0), 6);
	assert_int_equal(done[3].status, RTE_UMR_STATUS_SUCCESS);
	assert_int_equal(done[4].status, RTE_UMR_STATUS_UNKNOWN);
	assert_int_equal(done[4].syndrome, 0x7e);
	assert_int_equal(done[5].status, RTE_UMR_STATUS_FLUSHED);
}

static void
every_syndrome_has_a_status(void **state)
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
	struct rte_umr_completion done[2];
	size_t i;

	for (i = 0; i < RTE_DIM(map); i++) {
		struct test_queue *t;

		test_queue_setup(state);
		t = *state;
		test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
		test_cqe_write(t, 0, MLX5_CQE_REQ_ERR, map[i][0]);
		assert_int_equal(mlx5_umr_completed_status(&t->queue, 2, done), 1);
		assert_int_equal(done[0].status, map[i][1]);
		test_queue_teardown(state);
	}
	*state = NULL;
}

static void
receives_come_back_in_order(void **state)
{
	struct test_queue *t = *state;
	const struct rte_umr_seg seg = { 0x1000, 100, 0x100 };
	struct rte_umr_completion done[4];
	unsigned int i;

	for (i = 0; i < 4; i++)
		mlx5_umr_recv(&t->queue, &seg, 1, 0);
	assert_int_equal(mlx5_umr_recv_completed(&t->queue, 4, done), 0);
	test_rq_cqe_write(t, MLX5_CQE_RESP_SEND, 100, 0, 0);
	test_rq_cqe_write(t, MLX5_CQE_RESP_SEND_IMM, 3, RTE_BE32(0x01020304), 0);
	test_rq_cqe_write(t, MLX5_CQE_RESP_WR_IMM, 55, RTE_BE32(7), 0);
	assert_int_equal(mlx5_umr_recv_completed(&t->queue, 4, done), 3);
	for (i = 0; i < 3; i++) {
		assert_int_equal(done[i].idx, i);
		assert_int_equal(done[i].status, RTE_UMR_STATUS_SUCCESS);
	}
	assert_int_equal(done[0].op, RTE_UMR_OP_RECV);
	assert_int_equal(done[0].length, 100);
	assert_int_equal(done[0].flags, 0);
	assert_int_equal(done[1].op, RTE_UMR_OP_RECV);
	assert_int_equal(done[1].flags, RTE_UMR_COMPLETION_F_IMM);
	assert_int_equal(done[1].imm, RTE_BE32(0x01020304));
	assert_int_equal(done[2].op, RTE_UMR_OP_RECV_WRITE_IMM);
	assert_int_equal(done[2].length, 55);
	assert_int_equal(rte_be_to_cpu_32(t->rq_cq_dbr[0]), 3);
	assert_int_equal(t->queue.rq.nb_completed, 3);
}

static void
receive_indices_wrap_at_16_bits(void **state)
{
	struct test_queue *t = *state;
	struct rte_umr_completion done[4];
	unsigned int i;

	for (i = 0; i < 70000; i++) {
		assert_int_equal(mlx5_umr_recv(&t->queue, NULL, 0, 0), (uint16_t)i);
		assert_int_equal(mlx5_umr_recv_completed(&t->queue, 4, done), 0);
		test_rq_cqe_write(t, MLX5_CQE_RESP_SEND, 0, 0, 0);
		assert_int_equal(mlx5_umr_recv_completed(&t->queue, 4, done), 1);
		assert_int_equal(done[0].idx, (uint16_t)i);
	}
}

static void
error_of_a_receive_flushes_both_sides(void **state)
{
	struct test_queue *t = *state;
	struct rte_umr_completion done[8];

	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	test_write(t, 8, 0);
	mlx5_umr_recv(&t->queue, NULL, 0, 0);
	mlx5_umr_recv(&t->queue, NULL, 0, 0);
	mlx5_umr_recv(&t->queue, NULL, 0, 0);
	test_rq_cqe_write(t, MLX5_CQE_RESP_ERR, 0, 0, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR);
	test_rq_cqe_write(t, MLX5_CQE_RESP_ERR, 0, 0, SYND_FLUSH);
	test_rq_cqe_write(t, MLX5_CQE_RESP_ERR, 0, 0, SYND_FLUSH);
	assert_int_equal(mlx5_umr_recv_completed(&t->queue, 8, done), 3);
	assert_int_equal(done[0].status, RTE_UMR_STATUS_LOCAL_LENGTH);
	assert_int_equal(done[1].status, RTE_UMR_STATUS_FLUSHED);
	assert_int_equal(done[2].status, RTE_UMR_STATUS_FLUSHED);
	assert_int_equal(done[2].idx, 2);
	assert_int_equal(mlx5_umr_recv_completed(&t->queue, 8, done), 0);
	/* What the device has reported as done stays done. */
	test_cqe_write(t, 0, MLX5_CQE_REQ, 0);
	assert_int_equal(collect(t, done, 8, 0), 2);
	assert_int_equal(done[0].status, RTE_UMR_STATUS_SUCCESS);
	assert_int_equal(done[1].status, RTE_UMR_STATUS_FLUSHED);
}

/* The CQ of receives is another one: what the device has of the send side tells how it ended. */
static void
sends_behind_a_failed_receive_are_waited_for(void **state)
{
	struct test_queue *t = *state;
	struct rte_umr_completion done[8];

	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	test_write(t, 8, 0);
	mlx5_umr_recv(&t->queue, NULL, 0, 0);
	test_rq_cqe_write(t, MLX5_CQE_RESP_ERR, 0, 0, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR);
	assert_int_equal(mlx5_umr_recv_completed(&t->queue, 8, done), 1);
	assert_int_equal(collect(t, done, 8, 0), 0);
	assert_int_equal(test_write(t, 8, 0), -EIO);
	test_cqe_write(t, 0, MLX5_CQE_REQ, 0);
	assert_int_equal(collect(t, done, 8, 0), 1);
	assert_int_equal(done[0].status, RTE_UMR_STATUS_SUCCESS);
	test_cqe_write(t, 1, MLX5_CQE_REQ_ERR, SYND_PROT);
	test_cqe_write(t, 2, MLX5_CQE_REQ_ERR, SYND_FLUSH);
	assert_int_equal(collect(t, done, 8, 1), 3);
	assert_int_equal(done[0].status, RTE_UMR_STATUS_LOCAL_PROT);
	assert_int_equal(done[1].status, RTE_UMR_STATUS_FLUSHED);
	assert_int_equal(done[2].status, RTE_UMR_STATUS_FLUSHED);
}

/* On a device that is lost there is nobody who would tell. */
static void
sends_behind_a_failed_receive_come_back_without_the_device(void **state)
{
	struct test_queue *t = *state;
	struct rte_umr_completion done[8];

	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	mlx5_umr_recv(&t->queue, NULL, 0, 0);
	test_rq_cqe_write(t, MLX5_CQE_RESP_ERR, 0, 0, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR);
	assert_int_equal(mlx5_umr_recv_completed(&t->queue, 8, done), 1);
	assert_int_equal(collect(t, done, 8, 0), 0);
	t->queue.is_lost = true;
	assert_int_equal(collect(t, done, 8, 0), 1);
	assert_int_equal(done[0].status, RTE_UMR_STATUS_FLUSHED);
}

static void
error_of_a_send_flushes_receives(void **state)
{
	struct test_queue *t = *state;
	struct rte_umr_completion done[8];

	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	mlx5_umr_recv(&t->queue, NULL, 0, 0);
	test_cqe_write(t, 0, MLX5_CQE_REQ_ERR, SYND_PROT);
	assert_int_equal(collect(t, done, 8, 0), 1);
	test_rq_cqe_write(t, MLX5_CQE_RESP_ERR, 0, 0, SYND_FLUSH);
	assert_int_equal(mlx5_umr_recv_completed(&t->queue, 8, done), 1);
	assert_int_equal(done[0].status, RTE_UMR_STATUS_FLUSHED);
}

static void
receives_wait_for_their_cqe_or_for_reset(void **state)
{
	struct test_queue *t = *state;
	struct rte_umr_completion done[8];

	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	mlx5_umr_recv(&t->queue, NULL, 0, 0);
	mlx5_umr_recv(&t->queue, NULL, 0, 0);
	test_cqe_write(t, 0, MLX5_CQE_REQ_ERR, SYND_PROT);
	assert_int_equal(collect(t, done, 8, 0), 1);
	/* A message that came in front of the error is still on its way. */
	assert_int_equal(mlx5_umr_recv_completed(&t->queue, 8, done), 0);
	test_rq_cqe_write(t, MLX5_CQE_RESP_SEND, 77, 0, 0);
	assert_int_equal(mlx5_umr_recv_completed(&t->queue, 8, done), 1);
	assert_int_equal(done[0].idx, 0);
	assert_int_equal(done[0].status, RTE_UMR_STATUS_SUCCESS);
	assert_int_equal(done[0].length, 77);
	t->queue.is_reset = true;
	assert_int_equal(mlx5_umr_recv_completed(&t->queue, 8, done), 1);
	assert_int_equal(done[0].idx, 1);
	assert_int_equal(done[0].status, RTE_UMR_STATUS_FLUSHED);
}

static void
queue_without_receives_has_none(void **state)
{
	struct test_queue *t = *state;
	struct rte_umr_completion done[1];

	t->queue.has_rq = false;
	assert_int_equal(mlx5_umr_recv_completed(&t->queue, 1, done), 0);
}

/* Collect all, and what is logged meanwhile; freed by the caller. */
static char *
collect_logged(struct test_queue *t, struct rte_umr_completion *done, unsigned int nb_expected)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	rte_log_set_level(mlx5_umr_logtype, RTE_LOG_ERR);
	assert_int_equal(rte_openlog_stream(f), 0);
	assert_int_equal(mlx5_umr_completed_status(&t->queue, nb_expected + 1, done), nb_expected);
	rte_openlog_stream(NULL);
	rte_log_set_level(mlx5_umr_logtype, RTE_LOG_CRIT);
	fclose(f);
	return text;
}

static void
unexpected_success_is_logged_with_both_counters(void **state)
{
	static const uint8_t statuses[] = {
		RTE_UMR_STATUS_SUCCESS, RTE_UMR_STATUS_SUCCESS, RTE_UMR_STATUS_FLUSHED,
	};
	struct test_queue *t = *state;
	struct rte_umr_completion done[4];
	char *text;

	test_write(t, 8, 0);
	test_write(t, 8, 0);
	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	test_cqe_write(t, 1, MLX5_CQE_REQ, 0);
	text = collect_logged(t, done, 3);
	check_statuses(done, statuses, 3);
	assert_string_equal(text, "mlx5_umr: queue 0: CQE 0: unexpected completion for WQE 0x1, "
			    "expected WQE 0x2\n");
	assert_int_equal(test_write(t, 8, 0), -EIO);
	free(text);
	/* The one that was due comes late: the queue is in error, no more need be said. */
	test_cqe_write(t, 2, MLX5_CQE_REQ, 0);
	text = collect_logged(t, done, 0);
	assert_string_equal(text, "");
	free(text);
}

/* A CQE that is missing in front of it is no success, also when the latest is looked for first. */
static void
success_of_the_latest_submit_is_none_of_another(void **state)
{
	struct test_queue *t = *state;
	uint16_t last;
	bool has_error;

	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	test_cqe_write(t, 1, MLX5_CQE_REQ, 0);
	mlx5_umr_completed(&t->queue, 2, &last, &has_error);
	assert_int_equal(t->queue.error, -EIO);
	assert_int_equal(test_write(t, 8, 0), -EIO);
}

static void
success_of_nothing_is_logged(void **state)
{
	struct test_queue *t = *state;
	struct rte_umr_completion done[4];
	char *text;

	test_cqe_write(t, 0x77, MLX5_CQE_REQ, 0);
	text = collect_logged(t, done, 0);
	assert_string_equal(text, "mlx5_umr: queue 0: CQE 0: unexpected completion for WQE 0x77, "
			    "no WQE is outstanding\n");
	assert_int_equal(test_write(t, 8, 0), -EIO);
	free(text);
}

static int
run(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, test_queue_setup, test_queue_teardown)
	const struct CMUnitTest tests[] = {
		T(nothing_is_done_before_a_cqe),
		T(one_cqe_completes_all_in_front),
		T(nb_max_limits_what_is_collected),
		T(owner_bit_and_indices_wrap),
		T(all_ways_take_what_is_done),
		T(error_without_flush_cqes_returns_every_op_once),
		T(error_with_all_flush_cqes_returns_every_op_once),
		T(late_flush_cqes_change_nothing),
		T(late_flush_cqes_leave_what_is_known),
		T(completed_stops_in_front_of_an_error),
		T(flush_first_tells_nothing_of_those_in_front),
		T(success_in_front_of_an_error_in_one_poll),
		T(unexpected_success_is_logged_with_both_counters),
		T(success_of_the_latest_submit_is_none_of_another),
		T(success_of_nothing_is_logged),
		cmocka_unit_test(every_syndrome_has_a_status),
		T(receives_come_back_in_order),
		T(receive_indices_wrap_at_16_bits),
		T(error_of_a_receive_flushes_both_sides),
		T(sends_behind_a_failed_receive_are_waited_for),
		T(sends_behind_a_failed_receive_come_back_without_the_device),
		T(error_of_a_send_flushes_receives),
		T(receives_wait_for_their_cqe_or_for_reset),
		T(queue_without_receives_has_none),
	};

	rte_log_set_level(mlx5_umr_logtype, RTE_LOG_CRIT);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

int
main(void)
{
	return test_isas_run(run);
}
