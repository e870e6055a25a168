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

/* How the two halves of a register are used in turn. */
static const struct way {
	uint32_t uar_type;
	size_t half, nb_bytes;
} ways[] = {
	{ MLX5DV_UAR_ALLOC_TYPE_NC, 0, 8 },
	{ MLX5DV_UAR_ALLOC_TYPE_BF, 256, 8 },
	{ MLX5DV_UAR_ALLOC_TYPE_BF, 256, 64 },
};

static void
uar_rings(void **state)
{
	const struct way *way = *state;
	struct queue q;
	uint32_t i;

	if (way->uar_type == MLX5DV_UAR_ALLOC_TYPE_BF)
		skip_without_bluefield();
	queue_create(&q, way->uar_type);
	/* Rings wrap, too. */
	for (i = 0; i < 5 * NB_BB; i++) {
		ring(&q, post_nop(&q, MLX5_WQE_CTRL_CQ_UPDATE), i % 2 * way->half, way->nb_bytes);
		expect_nop_done(&q, (uint16_t)i);
	}
	queue_destroy(&q);
}

static void
one_doorbell_serves_a_burst_with_one_completion(void **state)
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

static void
bad_mailboxes_come_back_with_a_syndrome(void **state)
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

static void
closing_the_context_frees_what_is_left(void **state)
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

#define WAY(name, i) { name, uar_rings, NULL, NULL, (void *)(uintptr_t)&ways[i] }

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WAY("non_cached_uar_rings", 0),
		WAY("bluefield_uar_rings_by_doorbell", 1),
		WAY("bluefield_uar_takes_whole_wqes", 2),
		cmocka_unit_test(one_doorbell_serves_a_burst_with_one_completion),
		cmocka_unit_test(bad_mailboxes_come_back_with_a_syndrome),
		cmocka_unit_test(closing_the_context_frees_what_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
