/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Counters of a queue beside those that every driver has: names, and what moves them. */

#include <stdio.h>

#include <rte_log.h>

#include "ring/log.h"
#include "test_queue.h"

#define NB_MAX	100u

static uint64_t
counter(const struct test_queue *t, const char *name)
{
	struct rte_umr_drv_xstat xstats[NB_MAX];
	uint32_t nb, i;

	nb = mlx5_umr_queue_xstats_get(&t->queue, xstats, NB_MAX);
	assert_uint_in_range(nb, 1, NB_MAX);
	for (i = 0; i < nb; i++)
		if (strcmp(xstats[i].name, name) == 0)
			return xstats[i].value;
	fail_msg("no counter %s", name);
	return 0;
}

static uint64_t
sum(const struct test_queue *t)
{
	struct rte_umr_drv_xstat xstats[NB_MAX];
	uint64_t all = 0;
	uint32_t nb, i;

	nb = mlx5_umr_queue_xstats_get(&t->queue, xstats, NB_MAX);
	for (i = 0; i < nb; i++)
		all += xstats[i].value;
	return all;
}

static void
names_are_told_all_or_none(void **state)
{
	struct rte_umr_drv_xstat xstats[NB_MAX], poison;
	struct test_queue *t = *state;
	uint32_t nb, i, j;

	memset(&poison, TEST_POISON, sizeof(poison));
	nb = mlx5_umr_queue_xstats_get(&t->queue, NULL, 0);
	assert_uint_in_range(nb, MLX5_UMR_NB_STATUSES, NB_MAX);
	xstats[0] = poison;
	assert_int_equal(mlx5_umr_queue_xstats_get(&t->queue, xstats, nb - 1), nb);
	assert_memory_equal(&xstats[0], &poison, sizeof(poison));
	assert_int_equal(mlx5_umr_queue_xstats_get(&t->queue, xstats, nb), nb);
	for (i = 0; i < nb; i++) {
		/* What telemetry accepts. */
		assert_int_equal(strspn(xstats[i].name, "abcdefghijklmnopqrstuvwxyz_0123456789"),
				 strlen(xstats[i].name));
		assert_null(strstr(xstats[i].name, "unknown_"));
		for (j = 0; j < i; j++)
			assert_string_not_equal(xstats[i].name, xstats[j].name);
	}
}

static void
polls_that_find_nothing_are_counted(void **state)
{
	struct test_queue *t = *state;
	struct rte_umr_completion done[4];
	uint16_t last;
	bool has_error;

	mlx5_umr_completed(&t->queue, 4, &last, &has_error);
	mlx5_umr_completed_status(&t->queue, 4, done);
	assert_int_equal(counter(t, "empty_polls"), 2);
	mlx5_umr_recv_completed(&t->queue, 4, done);
	assert_int_equal(counter(t, "recv_empty_polls"), 1);
	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	test_cqe_write(t, 0, MLX5_CQE_REQ, 0);
	assert_int_equal(mlx5_umr_completed(&t->queue, 4, &last, &has_error), 1);
	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	test_cqe_write(t, 1, MLX5_CQE_REQ, 0);
	assert_int_equal(mlx5_umr_completed_status(&t->queue, 4, done), 1);
	assert_int_equal(counter(t, "empty_polls"), 2);
	assert_int_equal(sum(t), 3);
}

/* One that is in front of an error is no empty poll: there is something to collect. */
static void
poll_that_stops_at_an_error_is_not_empty(void **state)
{
	struct test_queue *t = *state;
	uint16_t last;
	bool has_error;

	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	test_cqe_write(t, 0, MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	assert_int_equal(mlx5_umr_completed(&t->queue, 4, &last, &has_error), 0);
	assert_true(has_error);
	assert_int_equal(sum(t), 0);
}

static void
each_status_has_its_counter(void **state)
{
	static const struct {
		uint8_t syndrome;
		const char *name;
	} cases[] = {
		{ MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR, "local_length" },
		{ MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR, "local_qp_op" },
		{ MLX5_CQE_SYNDROME_LOCAL_PROT_ERR, "local_protection" },
		{ MLX5_CQE_SYNDROME_WR_FLUSH_ERR, "flushed" },
		{ MLX5_CQE_SYNDROME_MW_BIND_ERR, "mkey_config" },
		{ MLX5_CQE_SYNDROME_BAD_RESP_ERR, "bad_response" },
		{ MLX5_CQE_SYNDROME_LOCAL_ACCESS_ERR, "local_access" },
		{ MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR, "remote_invalid" },
		{ MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR, "remote_access" },
		{ MLX5_CQE_SYNDROME_REMOTE_OP_ERR, "remote_operation" },
		{ MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR, "retry_exceeded" },
		{ MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR, "rnr_retry_exceeded" },
		{ MLX5_CQE_SYNDROME_REMOTE_ABORTED_ERR, "remote_aborted" },
		{ 0xee, "unknown" },
	};
	const struct rte_umr_seg seg = { 0x1000, 16, 0x100 };
	struct rte_umr_completion done[4];
	struct test_queue *t = *state;
	char name[64];
	size_t i;

	assert_int_equal(RTE_DIM(cases), MLX5_UMR_NB_STATUSES - 1);
	for (i = 0; i < RTE_DIM(cases); i++) {
		mlx5_umr_queue_restart(&t->queue);
		t->queue.error = 0;
		test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
		test_cqe_write(t, 0, MLX5_CQE_REQ_ERR, cases[i].syndrome);
		assert_int_equal(mlx5_umr_completed_status(&t->queue, 4, done), 1);
		snprintf(name, sizeof(name), "errors_%s", cases[i].name);
		assert_int_equal(counter(t, name), 1);
		assert_int_equal(sum(t), 1);

		mlx5_umr_queue_restart(&t->queue);
		t->queue.error = 0;
		assert_int_equal(mlx5_umr_recv(&t->queue, &seg, 1, 0), 0);
		test_rq_cqe_write(t, MLX5_CQE_RESP_ERR, 0, 0, cases[i].syndrome);
		assert_int_equal(mlx5_umr_recv_completed(&t->queue, 4, done), 1);
		snprintf(name, sizeof(name), "recv_errors_%s", cases[i].name);
		assert_int_equal(counter(t, name), 1);
		assert_int_equal(sum(t), 1);
	}
}

static int
run(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, test_queue_setup, test_queue_teardown)
	const struct CMUnitTest tests[] = {
		T(names_are_told_all_or_none),
		T(polls_that_find_nothing_are_counted),
		T(poll_that_stops_at_an_error_is_not_empty),
		T(each_status_has_its_counter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

int
main(void)
{
	rte_log_set_level(mlx5_umr_logtype, RTE_LOG_CRIT);
	return test_isas_run(run);
}
