/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * How far the counter of a doorbell record may be ahead of the send queue.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "world.h"

/* The largest WQE, 1024 bytes, in WQEBBs. */
#define LARGEST_BB 16u
#define ERR 6

static int
setup(void **state)
{
	struct world *w = malloc(sizeof(*w));

	assert_non_null(w);
	world_create(w);
	*state = w;
	return 0;
}

static int
teardown(void **state)
{
	world_destroy(*state);
	free(*state);
	return 0;
}

/* NOPs of one WQEBB; only the last one gives a CQE. @return That CQE. */
static const struct mlx5_cqe64 *
post_nops(struct world *w, struct world_qp *qp, uint32_t nb)
{
	uint32_t i;

	world_qp_create(w, 0, qp);
	world_qp_connect(w, qp, qp);
	for (i = 0; i < nb; i++)
		world_post(qp, MLX5_OPCODE_NOP, i == nb - 1 ? MLX5_WQE_CTRL_CQ_UPDATE : 0, 0, NULL,
			   0);
	world_ring(qp);
	world_run(w);
	return world_send_cqe(qp);
}

static void
room_of_a_silent_wqe_may_be_used_early(void **state)
{
	const struct mlx5_cqe64 *cqe;
	struct world_qp qp;

	cqe = post_nops(*state, &qp, WORLD_SQ_BB + LARGEST_BB);
	assert_non_null(cqe);
	assert_int_equal(cqe->op_own >> 4, MLX5_CQE_REQ);
	world_qp_destroy(&qp);
}

static void
counter_beyond_the_ring_fails_the_queue(void **state)
{
	const struct mlx5_cqe64 *cqe;
	struct world_qp qp;

	cqe = post_nops(*state, &qp, WORLD_SQ_BB + LARGEST_BB + 1);
	assert_non_null(cqe);
	assert_int_equal(cqe->op_own >> 4, MLX5_CQE_REQ_ERR);
	assert_int_equal(((const struct mlx5_err_cqe *)(const void *)cqe)->syndrome,
			 MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
	assert_int_equal(world_qp_state(&qp), ERR);
	world_qp_destroy(&qp);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(room_of_a_silent_wqe_may_be_used_early, setup,
						teardown),
		cmocka_unit_test_setup_teardown(counter_beyond_the_ring_fails_the_queue, setup,
						teardown),
	};

	return cmocka_run_group_tests_name("swhca_ring", tests, NULL, NULL);
}
