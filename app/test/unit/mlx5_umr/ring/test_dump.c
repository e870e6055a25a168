/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Rings as text: the last entries, whatever they are, and what made a queue fail. */

#include "budget.h"
#include "ring/dump.h"
#include "test_queue.h"

/* What was logged or dumped last. */
static char *text;

/** How often something is in the text. */
static unsigned int
count(const char *what)
{
	const char *at = text;
	unsigned int nb = 0;

	for (; (at = strstr(at, what)) != NULL; at++)
		nb++;
	return nb;
}

static void
expect_count(const char *what, unsigned int nb)
{
	if (count(what) != nb)
		print_message("%u times \"%s\" expected in:\n%s\n", nb, what, text);
	assert_int_equal(count(what), nb);
}

static FILE *
text_open(void)
{
	static size_t len;
	FILE *f;

	free(text);
	f = open_memstream(&text, &len);
	assert_non_null(f);
	return f;
}

static void
dump(const struct mlx5_umr_queue *queue, uint32_t nb_ops)
{
	FILE *f = text_open();

	mlx5_umr_ring_dump(queue, nb_ops, f);
	fclose(f);
}

static void
failure_dump(const struct mlx5_umr_queue *queue)
{
	FILE *f = text_open();

	mlx5_umr_failure_dump(queue, f);
	fclose(f);
}

static void
log_end(void)
{
	free(text);
	text = test_log_end();
}

static int
teardown(void **state)
{
	free(text);
	text = NULL;
	return test_queue_teardown(state);
}

/** Three writes, of which the one in the middle fails and the last is flushed; take all. */
static void
fail_in_the_middle(struct test_queue *t)
{
	const uint16_t first = mlx5_umr_idx_low(t->queue.sq_pi);

	test_write(t, 111, 0);
	test_write(t, 222, 0);
	test_write(t, 333, RTE_UMR_OP_F_SUBMIT);
	test_cqe_write(t, first + 1, MLX5_CQE_REQ_ERR, SYND_PROT);
	test_cqe_write(t, first + 2, MLX5_CQE_REQ_ERR, SYND_FLUSH);
	assert_int_equal(mlx5_umr_completed_status(&t->queue, 8, t->done), 3);
	assert_int_equal(t->done[1].status, RTE_UMR_STATUS_LOCAL_PROT);
	TEST_SENT_NONE(t);
}

QUEUE_CASE_WITH(failure_is_logged_once_at_info, test_queue_setup, teardown)
{
	test_log_start(RTE_LOG_INFO);
	fail_in_the_middle(t);
	log_end();
	expect_count(TEST_LOG_QUEUE "has failed:\n", 1);
	expect_count(" <-- failed\n", 1);
	expect_count("operation 1: write, done, local-protection, WQE 1, 1 descriptors <-- failed",
		     1);
	/* All three are shown, as one line each; the CQE once. */
	expect_count("opcode: 0x08 (RDMA_WRITE)", 3);
	expect_count("byte_count: 222", 1);
	expect_count("LOCAL_PROT_ERR", 1);
	expect_count("WR_FLUSH_ERR", 0);
	expect_count("\n", count(TEST_LOG_QUEUE));
}

QUEUE_CASE_WITH(failure_is_not_logged_by_default, test_queue_setup, teardown)
{
	test_log_start(RTE_LOG_NOTICE);
	fail_in_the_middle(t);
	log_end();
	assert_string_equal(text, "");
	/* But kept, for whoever asks. */
	failure_dump(&t->queue);
	expect_count("failed by operation 1", 1);
	expect_count(" <-- failed\n", 1);
}

QUEUE_CASE_WITH(each_failure_is_logged, test_queue_setup, teardown)
{
	test_log_start(RTE_LOG_INFO);
	/* At every place of the ring. */
	for (unsigned int i = 0; i < 2 * TEST_NB_WQEBB; i++) {
		fail_in_the_middle(t);
		mlx5_umr_queue_reset(&t->queue);
		t->queue.error = 0;
		t->queue.sq_pi = i;
		t->queue.sq_end = i + TEST_NB_WQEBB;
	}
	log_end();
	expect_count("has failed:", 2 * TEST_NB_WQEBB);
	expect_count(" <-- failed\n", 2 * TEST_NB_WQEBB);
	expect_count("used again", 0);
	mlx5_umr_failure_dump(&t->queue, stdout);
	assert_false(t->queue.failure.is_set);
}

QUEUE_CASE_WITH(failure_of_a_receive_is_logged_once, test_queue_setup, teardown)
{
	const struct rte_umr_seg seg = { 0xabc000, 77, 0x1234 };

	test_log_start(RTE_LOG_INFO);
	assert_int_equal(mlx5_umr_recv(&t->queue, &seg, 1, 0), 0);
	assert_int_equal(mlx5_umr_recv(&t->queue, &seg, 1, 0), 1);
	test_rq_cqe_write(t, MLX5_CQE_RESP_ERR, 0, 0, SYND_LENGTH);
	test_rq_cqe_write(t, MLX5_CQE_RESP_ERR, 0, 0, SYND_FLUSH);
	TEST_RECEIVED(t, 4, 0, RTE_UMR_STATUS_LOCAL_LENGTH, FLUSHED);
	log_end();
	expect_count("has failed:", 1);
	expect_count("failed by receive 0, CQE:", 1);
	expect_count("LOCAL_LENGTH_ERR", 1);
	expect_count("data: byte_count 77 lkey 0x00001234 addr 0x0000000000abc000", 1);
}

QUEUE_CASE_WITH(success_that_nobody_waits_for_is_dumped, test_queue_setup, teardown)
{
	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	test_log_start(RTE_LOG_INFO);
	test_cqe_write(t, 9, MLX5_CQE_REQ, 0);
	mlx5_umr_completed_status(&t->queue, 4, t->done);
	log_end();
	expect_count("has failed:", 1);
	expect_count("wqe_counter: 9\n", 1);
}

/* Operations of 1 and several blocks, at each place of the ring: the last ones, all of them. */
QUEUE_CASE_WITH(last_operations_are_shown_wherever_they_are, test_queue_setup, teardown)
{
	char newest[32];

	for (unsigned int i = 0; i < 3 * TEST_NB_WQEBB; i++) {
		assert_true(test_list(t, 8, 0) >= 0);
		assert_true(test_write(t, 1000 + i, RTE_UMR_OP_F_SUBMIT) >= 0);
		dump(&t->queue, 2);
		expect_count("    operation ", 2);
		expect_count(", submitted, ", 2);
		expect_count("klm[7]", 1);
		expect_count("may have changed", 0);
		test_cqe_write(t, mlx5_umr_idx_low(t->queue.sq_pi - 1), MLX5_CQE_REQ, 0);
		dump(&t->queue, 1);
		expect_count("send CQE", 1 + (i != 0));
		expect_count("waits to be polled", 1);
		TEST_SENT(t, 4, 2 * i, OK, OK);
		dump(&t->queue, 2);
		expect_count("collected, ", 2);
	}
	/* No more than the ring has, whatever is asked for. */
	dump(&t->queue, UINT32_MAX);
	assert_uint_in_range(count("    operation "), 2, TEST_NB_WQEBB);
	/* Up to the newest one. */
	snprintf(newest, sizeof(newest), "send CQE %u: taken\n", t->queue.cq.ci - 1);
	expect_count(newest, 1);
}

/* Indices of operations begin again at 2^32, and half of that is behind the first one. */
QUEUE_CASE_WITH(operations_are_shown_as_well_behind_half_of_all_indices, test_queue_setup, teardown)
{
	static const uint32_t starts[] = { 0x7ffffffe, 0x80000000, 0x90000000, 0xfffffffe };
	struct mlx5_umr_queue *q = &t->queue;

	for (size_t i = 0; i < RTE_DIM(starts); i++) {
		q->op_pi = q->op_submitted = q->op_done = q->op_ci = starts[i];
		q->op_first = 0;
		assert_true(test_write(t, 8, RTE_UMR_OP_F_SUBMIT) >= 0);
		dump(q, 1);
		expect_count("    operation ", 1);
		expect_count("may have changed", 0);
		test_cqe_write(t, mlx5_umr_idx_low(q->sq_pi - 1), MLX5_CQE_REQ, 0);
		TEST_SENT(t, 4, starts[i], OK);
	}
}

QUEUE_CASE_WITH(nothing_from_before_a_reset_is_shown, test_queue_setup, teardown)
{
	fail_in_the_middle(t);
	mlx5_umr_queue_reset(&t->queue);
	t->queue.error = 0;
	dump(&t->queue, 8);
	expect_count("    operation ", 0);
	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	dump(&t->queue, 8);
	expect_count("    operation 3: write, submitted, WQE 0, 1 descriptors\n", 1);
	expect_count("    operation ", 1);
}

static void
random_fill(void *dst, size_t len)
{
	for (size_t i = 0; i < len; i++)
		((uint8_t *)dst)[i] = (uint8_t)rand();
}

/* A ring that is written to in the middle of it has anything; nothing beside it is read. */
QUEUE_CASE_WITH(any_bytes_are_shown, test_queue_setup, teardown)
{
	struct mlx5_umr_queue *q = &t->queue;
	const uint32_t nb = test_nb_cases();

	srand(test_seed());
	for (unsigned int i = 0; i < nb; i++) {
		random_fill(t->sq, sizeof(t->sq));
		random_fill(t->rq, sizeof(t->rq));
		random_fill(t->ops, sizeof(t->ops));
		random_fill(t->cqes, sizeof(t->cqes));
		q->op_pi = (uint32_t)rand();
		q->op_first = q->op_pi - (uint32_t)rand() % 40;
		q->op_ci = q->op_pi - (uint32_t)rand() % 40;
		q->op_done = (uint32_t)rand();
		q->sq_pi = (uint32_t)rand();
		q->rq.pi = (uint32_t)rand();
		q->failure.is_set = true;
		q->failure.is_recv = i % 3 == 0;
		q->failure.has_op = i % 3 == 1;
		q->failure.idx = q->op_pi - (uint32_t)rand() % 40;
		mlx5_umr_cq_seek(&q->cq, (uint32_t)rand());
		dump(q, (uint32_t)rand() % 70);
		failure_dump(q);
	}
}

int
main(void)
{
	return test_run();
}
