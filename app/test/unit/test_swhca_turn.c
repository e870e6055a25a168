/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* What the engine does at once is bounded, and others have their turn in between. */

#include <assert.h>

#include "swhca_pair.h"

#define DUMP_FILL_KEY	0x300u
#define LARGE		(16u << 20)
#define NB_LARGE	6u

/* Memory on device 1 that is as large as one likes. */
static uint32_t
large_key(struct pair *p)
{
	const struct world_klm klm = { .len = LARGE, .key = DUMP_FILL_KEY };
	uint32_t key = world_klm_key(&p->w, 1, 4);
	uint8_t body[1008];
	uint32_t nb_ds = world_umr_list(body, key, ALL_RIGHTS, LARGE, &klm, 1);

	world_post(&p->b, OP_UMR, CE, key, body, nb_ds);
	world_ring(&p->b);
	world_run(&p->w);
	expect_done(world_send_cqe(&p->b), p->b.last);
	return key;
}

static void
post_large(struct pair *p, uint32_t key)
{
	uint32_t i;

	for (i = 0; i < NB_LARGE; i++)
		post_transfer(&p->a, OP_WRITE, CE, 0, key, NULL, DUMP_FILL_KEY, LARGE);
	world_ring(&p->a);
}

static void
large_transfer_ends_the_turn(void **state)
{
	struct pair *p = *state;
	uint32_t key = large_key(p), i;

	post_large(p, key);
	for (i = 0; i < NB_LARGE; i++) {
		assert_int_not_equal(swhca_fabric_poll(p->w.fabric), 0);
		assert_non_null(world_send_cqe(&p->a));
		assert_null(world_send_cqe(&p->a));
	}
	world_run(&p->w);
	assert_int_equal(swhca_fabric_poll(p->w.fabric), 0);
}

static void
others_have_their_turn_in_between(void **state)
{
	struct pair *p = *state;
	uint32_t key = large_key(p);

	post_large(p, key);
	world_post(&p->b, OP_NOP, CE, 0, NULL, 0);
	world_ring(&p->b);
	assert_int_not_equal(swhca_fabric_poll(p->w.fabric), 0);
	assert_int_not_equal(swhca_fabric_poll(p->w.fabric), 0);
	expect_done(world_send_cqe(&p->b), p->b.last);
	assert_non_null(world_send_cqe(&p->a));
	world_run(&p->w);
	expect_done(world_send_cqe(&p->a), 1);
}

/* Entries that have no bytes cost something, too. */
static void
long_translation_ends_the_turn(void **state)
{
	struct pair *p = *state;
	uint32_t key = world_klm_key(&p->w, 0, 4);
	struct {
		struct mlx5_wqe_umr_repeat_block_seg block;
		struct mlx5_wqe_umr_repeat_ent_seg empty;
		struct mlx5_wqe_umr_klm_seg one;
		uint8_t padding[16];
	} list = {
		.block = { .op = htobe32(0x400), .repeat_count = htobe32(1u << 20),
			   .byte_count = htobe32(1), .num_ent = htobe16(1) },
		.empty = { .memkey = htobe32(p->w.mem_key[0]) },
		.one = { .byte_count = htobe32(8), .mkey = htobe32(p->w.mem_key[0]),
			 .address = htobe64((uintptr_t)p->w.mem) },
	};
	const struct world_klm klms[4] = { { 0 } };
	uint8_t body[1008];
	uint32_t nb_ds = world_umr_list(body, key, ALL_RIGHTS, 8, klms, 4), i;

	static_assert(sizeof(list) == 64, "four octowords");
	memcpy(body + 48 + 64, &list, sizeof(list));
	world_post(&p->a, OP_UMR, 0, key, body, nb_ds);
	for (i = 0; i < 3; i++)
		post_transfer(&p->a, OP_WRITE, CE | FENCE, (uintptr_t)p->w.mem + 4096,
			      p->w.mem_key[1], NULL, key, 8);
	world_ring(&p->a);
	for (i = 0; i < 3; i++) {
		assert_int_not_equal(swhca_fabric_poll(p->w.fabric), 0);
		assert_int_equal(world_send_cqe(&p->a)->op_own >> 4, MLX5_CQE_REQ);
		assert_null(world_send_cqe(&p->a));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(large_transfer_ends_the_turn),
		CASE(others_have_their_turn_in_between),
		CASE(long_translation_ends_the_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
