/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Counters of a queue beside those that every driver has: names, and what moves them. */

#include "test_queue.h"

#define NB_MAX	100u

/* The counter, which must exist; of no name the sum of all. */
static uint64_t
counter(const struct test_queue *t, const char *prefix, const char *name)
{
	struct rte_umr_drv_xstat xstats[NB_MAX];
	const size_t len = strlen(prefix);
	uint64_t value = 0;
	uint32_t nb, nb_found = 0;

	nb = mlx5_umr_queue_xstats_get(&t->queue, xstats, NB_MAX);
	assert_uint_in_range(nb, 1, NB_MAX);
	for (uint32_t i = 0; i < nb; i++) {
		if (name != NULL && (strncmp(xstats[i].name, prefix, len) != 0 ||
				     strcmp(xstats[i].name + len, name) != 0))
			continue;
		value += xstats[i].value;
		nb_found++;
	}
	if (nb_found == 0)
		fail_msg("no counter %s%s", prefix, name);
	return value;
}

static uint64_t
sum(const struct test_queue *t)
{
	return counter(t, "", NULL);
}

QUEUE_CASE(names_are_told_all_or_none)
{
	struct rte_umr_drv_xstat xstats[NB_MAX];
	uint32_t nb, i, j;

	nb = mlx5_umr_queue_xstats_get(&t->queue, NULL, 0);
	assert_uint_in_range(nb, MLX5_UMR_NB_STATUSES, NB_MAX);
	memset(xstats, TEST_POISON, sizeof(xstats));
	assert_int_equal(mlx5_umr_queue_xstats_get(&t->queue, xstats, nb - 1), nb);
	test_filled(xstats, TEST_POISON, sizeof(xstats));
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

QUEUE_CASE(polls_that_find_nothing_are_counted)
{
	TEST_COMPLETED(t, 4, 0, 0, false);
	TEST_SENT_NONE(t);
	assert_int_equal(counter(t, "", "empty_polls"), 2);
	TEST_RECEIVED_NONE(t);
	assert_int_equal(counter(t, "", "recv_empty_polls"), 1);
	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	test_cqe_write(t, 0, MLX5_CQE_REQ, 0);
	TEST_COMPLETED(t, 4, 1, 0, false);
	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	test_cqe_write(t, 1, MLX5_CQE_REQ, 0);
	TEST_SENT(t, 4, 1, OK);
	assert_int_equal(counter(t, "", "empty_polls"), 2);
	assert_int_equal(sum(t), 3);
}

/* One that is in front of an error is no empty poll: there is something to collect. */
QUEUE_CASE(poll_that_stops_at_an_error_is_not_empty)
{
	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	test_cqe_write(t, 0, MLX5_CQE_REQ_ERR, SYND_PROT);
	TEST_COMPLETED(t, 4, 0, 0, true);
	assert_int_equal(sum(t), 0);
}

QUEUE_CASE(each_status_has_its_counter)
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

	assert_int_equal(RTE_DIM(cases), MLX5_UMR_NB_STATUSES - 1);
	for (size_t i = 0; i < 2 * RTE_DIM(cases); i++) {
		const uint8_t syndrome = cases[i / 2].syndrome;
		const bool is_recv = i % 2 != 0;

		mlx5_umr_queue_restart(&t->queue);
		t->queue.error = 0;
		if (is_recv) {
			assert_int_equal(mlx5_umr_recv(&t->queue, &test_seg, 1, 0), 0);
			test_rq_cqe_write(t, MLX5_CQE_RESP_ERR, 0, 0, syndrome);
			assert_int_equal(mlx5_umr_recv_completed(&t->queue, 4, t->done), 1);
		} else {
			test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
			test_cqe_write(t, 0, MLX5_CQE_REQ_ERR, syndrome);
			assert_int_equal(mlx5_umr_completed_status(&t->queue, 4, t->done), 1);
		}
		if (counter(t, is_recv ? "recv_errors_" : "errors_", cases[i / 2].name) != 1)
			fail_msg("errors_%s is not 1", cases[i / 2].name);
		assert_int_equal(sum(t), 1);
	}
}

int
main(void)
{
	return test_run_isas();
}
