/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * How far the counter of a doorbell record may be ahead of the send queue.
 */

#include "pair.h"

/* The largest WQE, 1024 bytes, in WQEBBs. */
#define LARGEST_BB 16u
#define ERR 6

/*
 * NOPs of one WQEBB. Only the last one is signaled; in a ring that is too small it has overwritten
 * one that the device reads before. @return The syndrome of the first CQE, 0 if it is good.
 */
static int
post_silent(struct pair *p, uint32_t nb)
{
	const struct mlx5_cqe64 *cqe;

	for (; nb > 1; nb--)
		world_post(&p->a, OP_NOP, 0, 0, NULL, 0);
	run_nops(p, &p->a, 1);
	cqe = NOT_NULL(world_send_cqe(&p->a));
	if (cqe->op_own >> 4 == MLX5_CQE_REQ)
		return 0;
	assert_int_equal(cqe->op_own >> 4, MLX5_CQE_REQ_ERR);
	return ((const struct mlx5_err_cqe *)cqe)->syndrome;
}

CASE_WITH(room_of_a_silent_wqe_may_be_used_early, setup, teardown)
{
	assert_int_equal(post_silent(*state, WORLD_SQ_BB + LARGEST_BB), 0);
}

PAIR_CASE(counter_beyond_the_ring_fails_the_queue)
{
	assert_int_equal(post_silent(p, WORLD_SQ_BB + LARGEST_BB + 1),
			 MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
	assert_int_equal(world_qp_state(&p->a), ERR);
}
