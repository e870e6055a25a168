/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Indices of rings at every place where a part of them begins again: a queue fails there, each of
 * its operations comes back once, and the queue can be brought back.
 */

#include "test_queue.h"

#define NB_OPS		6u
#define NB_CHUNKS	4u

/* 8 and 16 bits, the 24 of a CQ that the device sees, the sign, and all: behind that comes 0. */
static const mlx5_umr_idx_t wraps[] = {
	0x100, 0x10000, 0x20000, 0x1000000, 0x80000000, 0,
};

static uint8_t memory[NB_CHUNKS * MLX5_UMR_KLM_CHUNK_SIZE]
	__rte_aligned(MLX5_UMR_KLM_CHUNK_SIZE);

CASE(low_bits_become_the_nearest_index_in_front)
{
	mlx5_umr_idx_t end;

	for (uint32_t i = 0; i < RTE_DIM(wraps); i++) {
		for (uint32_t d = 0; d <= UINT16_MAX; d++) {
			end = wraps[i] + 0x1234;
			assert_int_equal(mlx5_umr_idx_widen(end, mlx5_umr_idx_low(end - d)),
					 end - d);
		}
	}
}

CASE(order_holds_over_every_wrap)
{
	mlx5_umr_idx_t a;

	for (uint32_t i = 0; i < RTE_DIM(wraps); i++) {
		for (uint32_t d = 1; d < 10; d++) {
			a = wraps[i] - 5;
			assert_true(mlx5_umr_idx_is_before(a, a + d));
			assert_false(mlx5_umr_idx_is_before(a + d, a));
			assert_false(mlx5_umr_idx_is_before(a, a));
			assert_int_equal(mlx5_umr_idx_dist(a, a + d), d);
			assert_false(mlx5_umr_idx_is(a, a + d));
			assert_true(mlx5_umr_idx_is(a, a + d - d));
		}
	}
}

/** A queue that has worked for so many WQEBBs, and so many of everything else. */
static void
queue_begin(struct test_queue *t, mlx5_umr_idx_t sq_pi, mlx5_umr_idx_t pi)
{
	struct mlx5_umr_queue *q = &t->queue;

	q->error = 0;
	q->is_reset = false;
	q->sq_pi = q->bf_pi = sq_pi;
	q->sq_end = sq_pi + TEST_NB_WQEBB;
	q->op_pi = q->op_submitted = q->op_done = q->op_ci = pi;
	q->submit_pi = q->submit_ci = pi;
	q->klm_mem.use_pi = q->klm_mem.use_ci = pi;
	q->rq.pi = q->rq.ci = pi;
	q->rq.idx_base = sq_pi;
	t->cq_pi = t->rq_cq_pi = pi;
	test_cq_init(&q->cq, t->cqes, TEST_NB_WQEBB, t->cq_dbr);
	test_cq_init(&q->rq.cq, t->rq_cqes, TEST_NB_RECV, t->rq_cq_dbr);
	mlx5_umr_cq_seek(&q->cq, pi);
	mlx5_umr_cq_seek(&q->rq.cq, pi);
}

static int
setup(void **state)
{
	*state = test_queue_new();
	test_klm_mem_set(*state, memory, NB_CHUNKS);
	return 0;
}

static int
setup_dci(void **state)
{
	struct test_queue *t;

	setup(state);
	t = *state;
	t->queue.is_dci = true;
	t->queue.has_av = true;
	return 0;
}

/** One of each kind: a block, a list in the WQE, a list in memory. */
static int
op_enqueue(struct test_queue *t, uint32_t i)
{
	if (i % 3 == 0)
		return mlx5_umr_write(&t->queue, &test_seg, 0x2000, 0x200, 0);
	return test_list(t, i % 3 == 1 ? 4 : MLX5_UMR_KLM_CHUNK_NB, 0);
}

static void
post(struct test_queue *t, mlx5_umr_idx_t first)
{
	for (uint32_t i = 0; i < NB_OPS; i++) {
		assert_int_equal(op_enqueue(t, i), mlx5_umr_idx_low(first + i));
		if (i == 2 || i == 4)
			assert_int_equal(mlx5_umr_submit(&t->queue), 0);
	}
}

/** The device comes to that operation, which fails; it may tell of what is behind it, too. */
static void
fail_at(struct test_queue *t, mlx5_umr_idx_t first, uint32_t bad, bool has_flush_cqes)
{
	const struct mlx5_umr_op *ops = t->ops;

	if (bad > 2)
		test_cqe_write(t, ops[(first + 2) % TEST_NB_WQEBB].pi, MLX5_CQE_REQ, 0);
	test_cqe_write(t, ops[(first + bad) % TEST_NB_WQEBB].pi, MLX5_CQE_REQ_ERR, SYND_PROT);
	for (uint32_t i = bad + 1; has_flush_cqes && i <= 4; i++)
		test_cqe_write(t, ops[(first + i) % TEST_NB_WQEBB].pi, MLX5_CQE_REQ_ERR,
			       SYND_FLUSH);
}

/** All come back, once, in order, with what became of them. */
static void
collect(struct test_queue *t, mlx5_umr_idx_t first, uint32_t bad, uint16_t nb_max)
{
	const struct rte_umr_completion *done = t->done;
	uint32_t nb = 0, i, n;

	while (nb != NB_OPS) {
		assert_false(mlx5_umr_queue_is_empty(&t->queue));
		n = mlx5_umr_completed_status(&t->queue, nb_max, t->done);
		assert_uint_in_range(n, 1, NB_OPS - nb);
		for (i = 0; i < n; i++, nb++) {
			assert_int_equal(done[i].idx, mlx5_umr_idx_low(first + nb));
			assert_int_equal(done[i].status,
					 nb < bad ? OK : nb == bad ? PROT : FLUSHED);
		}
	}
	assert_true(mlx5_umr_queue_is_empty(&t->queue));
}

/** Nothing is left to do: however often one looks, nothing is flushed again. */
static void
check_idle(struct test_queue *t)
{
	const uint32_t epoch = t->dev.sig_keys.epoch;

	TEST_SENT_NONE(t);
	TEST_COMPLETED(t, 1, 0, 0, false);
	assert_int_equal(t->dev.sig_keys.epoch, epoch);
	assert_int_equal(t->queue.nb_failed, 0);
	assert_int_equal(mlx5_umr_desc_avail(&t->queue), TEST_NB_WQEBB);
	assert_false(mlx5_umr_klm_mem_is_used(&t->queue.klm_mem));
	assert_int_equal(rte_be_to_cpu_32(t->cq_dbr[0]), t->cq_pi & 0xffffff);
}

/** What recovery does to the rings; then the queue works, and counts on. */
static void
recover(struct test_queue *t, mlx5_umr_idx_t next)
{
	/* Operations behind each submit. */
	static const uint32_t ends[] = { 3, 5, 6 };
	uint32_t begin = 0, last;

	mlx5_umr_queue_reset(&t->queue);
	assert_int_equal(t->queue.sq_pi, 0);
	t->queue.error = 0;
	post(t, next);
	for (size_t i = 0; i < RTE_DIM(ends); i++) {
		last = next + ends[i] - 1;
		if (i == 2)
			mlx5_umr_submit(&t->queue);
		test_cqe_write(t, t->ops[last % TEST_NB_WQEBB].pi, MLX5_CQE_REQ, 0);
		TEST_COMPLETED(t, TEST_NB_WQEBB, ends[i] - begin, last, false);
		begin = ends[i];
	}
	check_idle(t);
}

static void
fail_and_recover_from(struct test_queue *t, mlx5_umr_idx_t sq_pi, mlx5_umr_idx_t first)
{
	for (uint32_t bad = 0; bad < 5; bad++) {
		queue_begin(t, sq_pi, first);
		post(t, first);
		fail_at(t, first, bad, (bad + first) % 2 != 0);
		collect(t, first, bad, first % 3 == 0 ? 1 : TEST_NB_WQEBB);
		assert_int_equal(t->queue.error, -EIO);
		check_idle(t);
		recover(t, first + NB_OPS);
	}
}

/* The wrap is in front of, between and behind what fails, of operations and of blocks. */
static void
fail_and_recover_behind_every_wrap(struct test_queue *t)
{
	mlx5_umr_idx_t first;

	for (uint32_t i = 0; i < RTE_DIM(wraps); i++) {
		for (uint32_t d = 0; d < 2 * NB_OPS; d++) {
			first = wraps[i] - d;
			fail_and_recover_from(t, 0, first);
			for (uint32_t j = 0; j < RTE_DIM(wraps); j++)
				fail_and_recover_from(t, wraps[j] - 2 * d, first);
		}
	}
}

CASE_WITH(queue_fails_and_recovers_behind_every_wrap, setup, test_queue_teardown)
{
	fail_and_recover_behind_every_wrap(*state);
}

CASE_WITH(initiator_fails_and_recovers_behind_every_wrap, setup_dci, test_queue_teardown)
{
	fail_and_recover_behind_every_wrap(*state);
}

/* Some have their message, the others come back when the queue is in RESET. */
static void
receives_come_back_from(struct test_queue *t, mlx5_umr_idx_t pi)
{
	mlx5_umr_idx_t first;

	queue_begin(t, 0, pi);
	first = t->queue.rq.pi + t->queue.rq.idx_base;
	for (uint32_t n = 0; n < TEST_NB_RECV; n++)
		assert_int_equal(mlx5_umr_recv(&t->queue, &test_seg, 1, 0),
				 mlx5_umr_idx_low(first + n));
	assert_int_equal(mlx5_umr_recv(&t->queue, &test_seg, 1, 0), -ENOSPC);
	assert_int_equal(rte_be_to_cpu_32(t->dbr[PRM_DBR_RQ]), mlx5_umr_idx_low(t->queue.rq.pi));
	test_rq_cqe_write(t, MLX5_CQE_RESP_SEND, 7, 0, 0);
	TEST_RECEIVED(t, TEST_NB_RECV, first, OK);
	assert_false(mlx5_umr_queue_is_empty(&t->queue));
	t->queue.is_reset = true;
	TEST_RECEIVED(t, TEST_NB_RECV, first + 1, FLUSHED, FLUSHED, FLUSHED);
	assert_true(mlx5_umr_queue_is_empty(&t->queue));
	mlx5_umr_queue_reset(&t->queue);
	t->queue.error = 0;
	assert_int_equal(mlx5_umr_recv(&t->queue, &test_seg, 1, 0),
			 mlx5_umr_idx_low(first + TEST_NB_RECV));
	assert_int_equal(rte_be_to_cpu_32(t->dbr[PRM_DBR_RQ]), 1);
}

CASE_WITH(receives_come_back_over_every_wrap, setup, test_queue_teardown)
{
	for (uint32_t i = 0; i < RTE_DIM(wraps); i++)
		for (uint32_t d = 0; d < 2 * TEST_NB_RECV; d++)
			receives_come_back_from(*state, wraps[i] - d);
}

int
main(void)
{
	return test_run_isas();
}
