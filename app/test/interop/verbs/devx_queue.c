/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A queue pair made of DevX commands through an unmodified libmlx5, as SPDK, DPDK or pyverbs make
 * theirs, rung through UAR pages of both kinds. Mailboxes are filled by dword and bit.
 */

#include "devx_queue.h"

/* A kernel that finds its machine's write combining wanting has none (mlx5_wc_support_get()). */
static void
skip_without_bluefield(void)
{
	struct queue q = { 0 };
	bool is_there;

	context_open(&q);
	errno = 0;
	q.uar = mlx5dv_devx_alloc_uar(q.ctx, MLX5DV_UAR_ALLOC_TYPE_BF);
	is_there = q.uar != NULL;
	if (is_there)
		mlx5dv_devx_free_uar(q.uar);
	else
		assert_int_equal(errno, EOPNOTSUPP);
	context_close(&q);
	if (!is_there)
		skip();
}

/* Requests that ring through the two halves of a register in turn, by that many bytes. */
static void
expect_rings(uint32_t uar_type, size_t half, size_t nb_bytes)
{
	struct queue q;
	uint32_t i;

	if (uar_type == MLX5DV_UAR_ALLOC_TYPE_BF)
		skip_without_bluefield();
	queue_create(&q, uar_type);
	/* Rings wrap, too. */
	for (i = 0; i < 5 * NB_BB; i++) {
		ring(&q, post_nop(&q, MLX5_WQE_CTRL_CQ_UPDATE), i % 2 * half, nb_bytes);
		expect_nop_done(&q, (uint16_t)i);
	}
	queue_destroy(&q);
}

CASE(non_cached_uar_rings)
{
	expect_rings(MLX5DV_UAR_ALLOC_TYPE_NC, 0, 8);
}

CASE(bluefield_uar_rings_by_doorbell)
{
	expect_rings(MLX5DV_UAR_ALLOC_TYPE_BF, 256, 8);
}

CASE(bluefield_uar_takes_whole_wqes)
{
	expect_rings(MLX5DV_UAR_ALLOC_TYPE_BF, 256, 64);
}

CASE(one_doorbell_serves_a_burst_with_one_completion)
{
	const struct mlx5_wqe_ctrl_seg *last = NULL;
	struct queue q;
	int i;

	queue_create(&q, MLX5DV_UAR_ALLOC_TYPE_NC);
	for (i = 0; i < 50; i++)
		last = post_nop(&q, i == 49 ? MLX5_WQE_CTRL_CQ_UPDATE : 0);
	ring(&q, last, 0, 8);
	expect_nop_done(&q, 49);
	assert_int_equal(q.mem[CQ_OFFSET + 64 + 63], 0xf1);
	queue_destroy(&q);
}

CASE(bad_mailboxes_come_back_with_a_syndrome)
{
	uint8_t in[0x110] = { 0 }, out[16] = { 0 };
	struct queue q = { 0 };
	uint32_t syndrome;

	context_open(&q);
	put(in, 0, 16, 0x500);	/* CREATE_QP without PD, CQ and memory */
	assert_null(mlx5dv_devx_obj_create(q.ctx, in, sizeof(in), out, sizeof(out)));
	memcpy(&syndrome, out + 4, sizeof(syndrome));
	assert_int_not_equal(out[0], 0);
	assert_int_not_equal(syndrome, 0);
	put(in, 0, 16, 0x0a0a);	/* an opcode that creates nothing */
	assert_null(mlx5dv_devx_obj_create(q.ctx, in, sizeof(in), out, sizeof(out)));
	context_close(&q);
}

CASE(closing_the_context_frees_what_is_left)
{
	/* Far more than the device has UAR pages; a kernel need not show what it has long shown. */
	int i, nb = getenv("SWHCA_LIB") != NULL ? 600 : 20;
	struct queue q;

	for (i = 0; i < nb; i++) {
		queue_create(&q, MLX5DV_UAR_ALLOC_TYPE_NC);
		nop_ring(&q);
		expect_nop_done(&q, 0);
		/* As the end of a process would. */
		close(q.ctx->async_fd);
		close(q.ctx->cmd_fd);
		q.ctx->cmd_fd = -1;
		free(q.mem);
	}
}
