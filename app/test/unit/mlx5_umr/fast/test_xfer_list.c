/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * WQEs of lists of segments against bytes that were written by hand from the PRM's layouts, limits,
 * and lists over the end of the ring.
 */

#define TEST_NB_WQEBB 32u

#include "wqe/xfer.h"
#include "test_queue.h"

#define MAX_SEGS	61u
#define MAX_READ_SEGS	30u
#define MAX_INLINE	100u

static int
setup(void **state)
{
	struct test_queue *t = *state = test_queue_new();

	t->queue.max_segs = MAX_SEGS;
	t->queue.max_read_segs = MAX_READ_SEGS;
	t->queue.max_inline = MAX_INLINE;
	return 0;
}

QUEUE_CASE_WITH(write_of_three_segments_has_these_bytes, setup, test_queue_teardown)
{
	/* The empty one is left out. */
	const struct rte_umr_seg segs[] = {
		{ 0x1000, 8, 0x100 }, { 0x2000, 0, 0x200 }, { 0x3000, 32, 0x300 },
	};

	assert_int_equal(mlx5_umr_write_list(&t->queue, segs, 3, UINT64_C(0x1122334455667788),
					     0xaabbccdd, 0), 0);
	TEST_BYTES(t->sq,
		   0x00, 0x00, 0x00, 0x08, 0x12, 0x34, 0x56, 0x04,	/* write, 4 DS */
		   0, 0, 0, 0, 0, 0, 0, 0,
		   0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,	/* remote address */
		   0xaa, 0xbb, 0xcc, 0xdd, 0, 0, 0, 0,			/* rkey */
		   0, 0, 0, 0x08, 0, 0, 0x01, 0x00, 0, 0, 0, 0, 0, 0, 0x10, 0x00,
		   0, 0, 0, 0x20, 0, 0, 0x03, 0x00, 0, 0, 0, 0, 0, 0, 0x30, 0x00);
	assert_int_equal(t->queue.sq_pi, 1);
	mlx5_umr_submit(&t->queue);
	test_cqe_write(t, 0, MLX5_CQE_REQ, 0);
	TEST_SENT(t, 1, 0, OK);
	assert_int_equal(t->done[0].op, RTE_UMR_OP_WRITE);
	assert_int_equal(t->done[0].length, 40);
}

QUEUE_CASE_WITH(inline_send_of_three_segments_has_these_bytes, setup, test_queue_teardown)
{
	const struct rte_umr_seg segs[] = {
		{ (uintptr_t)"fourteen", 8, 0xbad }, { 0, 0, 0 },
		{ (uintptr_t)" bytes and more", 6, 0xbad },
	};

	assert_int_equal(mlx5_umr_send_list(&t->queue, segs, 3,
					    RTE_UMR_OP_F_INLINE | RTE_UMR_OP_F_FENCE), 0);
	TEST_BYTES(t->sq,
		   0x00, 0x00, 0x00, 0x0a, 0x12, 0x34, 0x56, 0x03,	/* send, 3 DS */
		   0, 0, 0, 0x40, 0, 0, 0, 0,				/* fence */
		   0x80, 0x00, 0x00, 0x0e, 'f', 'o', 'u', 'r', 't', 'e', 'e', 'n', ' ', 'b', 'y',
		   't', 'e', 's', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
	assert_int_equal(t->queue.sq_pi, 1);
	assert_true(t->queue.has_inline);
}

QUEUE_CASE_WITH(empty_list_moves_nothing, setup, test_queue_teardown)
{
	assert_int_equal(mlx5_umr_read_list(&t->queue, NULL, 0, 0x2000, 0x200, 0), 0);
	TEST_BYTES(t->sq,
		   0x00, 0x00, 0x00, 0x10, 0x12, 0x34, 0x56, 0x02,	/* read, 2 DS */
		   0, 0, 0, 0, 0, 0, 0, 0,
		   0, 0, 0, 0, 0, 0, 0x20, 0x00, 0, 0, 0x02, 0x00, 0, 0, 0, 0);
	assert_int_equal(t->queue.sq_pi, 1);
}

QUEUE_CASE_WITH(rejected_lists_leave_no_trace, setup, test_queue_teardown)
{
	struct rte_umr_seg segs[MAX_SEGS + 1];
	struct mlx5_umr_queue *q = &t->queue;

	for (uint32_t i = 0; i < RTE_DIM(segs); i++)
		segs[i] = (struct rte_umr_seg){ 0x1000 * i, 2, 0x100 };
	assert_int_equal(mlx5_umr_write_list(q, segs, MAX_SEGS + 1, 0, 0, 0), -E2BIG);
	assert_int_equal(mlx5_umr_send_list(q, segs, MAX_SEGS + 1, 0), -E2BIG);
	assert_int_equal(mlx5_umr_read_list(q, segs, MAX_READ_SEGS + 1, 0, 0, 0), -E2BIG);
	/* Nothing is read. */
	assert_int_equal(mlx5_umr_write_list(q, NULL, UINT32_MAX, 0, 0, 0), -E2BIG);
	assert_int_equal(mlx5_umr_write_list(q, segs, MAX_INLINE / 2 + 1, 0, 0,
					     RTE_UMR_OP_F_INLINE), -EMSGSIZE);
	assert_int_equal(mlx5_umr_read_list(q, segs, 2, 0, 0, RTE_UMR_OP_F_INLINE), -EINVAL);
	assert_int_equal(mlx5_umr_send_list(q, segs, 2, RTE_BIT64(9)), -EINVAL);
	/* The sum has more than 32 bits. */
	for (uint32_t i = 0; i < 4; i++)
		segs[i].length = 1u << 30;
	assert_int_equal(mlx5_umr_write_list(q, segs, 4, 0, 0, 0), -EMSGSIZE);
	assert_int_equal(mlx5_umr_write_list(q, segs, 2, 0, 0, 0), -EMSGSIZE);
	assert_int_equal(test_nb_rejected(q), 9);
	q->sq_end = q->sq_pi + 14;
	assert_int_equal(mlx5_umr_write_list(q, &segs[4], MAX_SEGS - 3, 0, 0, 0), -ENOSPC);
	q->error = -EIO;
	assert_int_equal(mlx5_umr_write_list(q, segs, 1, 0, 0, 0), -EIO);
	assert_int_equal(q->sq_pi, 0);
	assert_int_equal(q->op_pi, 0);
	test_filled(t->sq, TEST_POISON, sizeof(t->sq));
}

/* Where a list begins does not matter to what the device reads. */
QUEUE_CASE_WITH(lists_go_over_the_end_of_the_ring, setup, test_queue_teardown)
{
	const uint32_t nb_wqebb = (2 + MAX_SEGS + 3) / 4, size = TEST_NB_WQEBB * PRM_WQE_BB_SIZE;
	struct rte_umr_seg segs[MAX_SEGS];
	uint8_t first[16 * PRM_WQE_BB_SIZE], read[sizeof(first)];
	struct mlx5_umr_queue *q = &t->queue;

	for (uint32_t i = 0; i < MAX_SEGS; i++)
		segs[i] = (struct rte_umr_seg){ 0x1000 * i, i + 1, 0x100 + i };
	for (uint32_t start = 0; start < TEST_NB_WQEBB; start++) {
		q->sq_pi = start;
		q->sq_end = start + TEST_NB_WQEBB;
		assert_true(mlx5_umr_write_list(q, segs, MAX_SEGS, 0x2000, 0x200, 0) >= 0);
		assert_int_equal(q->sq_pi - start, nb_wqebb);
		for (uint32_t i = 0; i < nb_wqebb * PRM_WQE_BB_SIZE; i++)
			read[i] = t->sq[(start * PRM_WQE_BB_SIZE + i) % size];
		/* The index differs; the last octoword is not part of the WQE. */
		memset(read, 0, 4);
		if (start == 0)
			memcpy(first, read, sizeof(first));
		assert_memory_equal(read, first, (2 + MAX_SEGS) * PRM_WQE_DS_SIZE);
	}
}

QUEUE_CASE_WITH(initiator_has_the_address_before_the_list, setup, test_queue_teardown)
{
	const struct rte_umr_seg segs[] = { { 0x1000, 8, 0x100 }, { 0x3000, 32, 0x300 } };
	struct mlx5_umr_queue *q = &t->queue;
	struct mlx5_wqe_ctrl_seg *ctrl = (void *)t->sq;
	uint64_t klm[4];

	q->is_dci = true;
	assert_int_equal(mlx5_umr_write_list(q, segs, 2, 0x2000, 0x200, 0), -EDESTADDRREQ);
	assert_int_equal(mlx5_umr_read_list(q, segs, 2, 0x2000, 0x200, 0), -EDESTADDRREQ);
	assert_int_equal(mlx5_umr_send_list(q, segs, 2, 0), -EDESTADDRREQ);
	assert_int_equal(q->sq_pi, 0);
	q->has_av = true;
	memset(q->av, 0x77, sizeof(q->av));
	assert_int_equal(mlx5_umr_write_list(q, segs, 2, 0x2000, 0x200, 0), 0);
	assert_int_equal(rte_be_to_cpu_32(ctrl->qpn_ds), TEST_QPN << 8 | 7);
	assert_memory_equal(t->sq + 16, q->av, sizeof(q->av));
	mlx5_umr_klm_store(&klm[0], &segs[0]);
	mlx5_umr_klm_store(&klm[2], &segs[1]);
	assert_memory_equal(t->sq + 80, klm, sizeof(klm));
}

int
main(void)
{
	return test_run();
}
