/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* What the device rejects, and with which words. */

#include "include/command.h"
#include "pair.h"

static void
free_key_is_rejected(void **state)
{
	struct pair *p = *state;
	uint32_t key = world_klm_key(&p->w, 0, 4);

	expect_write_rejected(p, key, 0, 1, p->w.mem_key[1], MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
}

static void
stale_tag_is_rejected(void **state)
{
	struct pair *p = *state;
	uint32_t key = world_klm_key(&p->w, 0, 4);
	const struct world_klm klm = { 64, p->w.mem_key[0], (uintptr_t)p->w.mem };

	post_umr(p, key | 1, ALL_ACCESS, 64, &klm, 1);
	post_umr(p, key | 2, ALL_ACCESS, 64, &klm, 1);
	expect_write_rejected(p, key | 1, 0, 1, p->w.mem_key[1], MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
}

static void
access_beyond_the_length_is_rejected(void **state)
{
	struct pair *p = *state;
	uint32_t key = world_klm_key(&p->w, 0, 4);
	const struct world_klm klm = { 64, p->w.mem_key[0], (uintptr_t)p->w.mem };

	post_umr(p, key, ALL_ACCESS, 64, &klm, 1);
	expect_write_rejected(p, key, 60, 5, p->w.mem_key[1], MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
}

static void
layout_shorter_than_its_length_is_rejected(void **state)
{
	struct pair *p = *state;
	uint32_t key = world_klm_key(&p->w, 0, 4);
	const struct world_klm klm = { 64, p->w.mem_key[0], (uintptr_t)p->w.mem };

	post_umr(p, key, ALL_ACCESS, 100, &klm, 1);
	expect_write_rejected(p, key, 0, 65, p->w.mem_key[1], MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
}

static void
remote_key_without_write_access_is_rejected(void **state)
{
	struct pair *p = *state;
	uint32_t key = world_mtt_key(&p->w, 1, p->w.mem, 4096, WORLD_LR | WORLD_LW | WORLD_RR);

	expect_write_rejected(p, p->w.mem_key[0], (uintptr_t)p->w.mem, 8, key,
			      MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	assert_int_equal(world_qp_state(&p->b), 6);
}

static void
local_key_without_write_access_is_rejected(void **state)
{
	struct pair *p = *state;
	uint32_t key = world_mtt_key(&p->w, 0, p->w.mem, 4096, WORLD_LR);

	post_transfer(&p->a, OP_READ, CE, (uintptr_t)p->w.mem, p->w.mem_key[1], p->w.mem, key, 8);
	world_ring(&p->a);
	world_run(&p->w);
	expect_error(world_send_cqe(&p->a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
}

static void
key_of_another_pd_is_rejected(void **state)
{
	struct pair *p = *state;
	uint32_t pdn = p->w.dev[0].pdn, key;

	assert_int_equal(world_cmd(p->w.dev[0].hca, 0x800, 0, &p->w.dev[0].pdn), 0);
	key = world_mtt_key(&p->w, 0, p->w.mem, 4096, WORLD_LR | WORLD_LW);
	p->w.dev[0].pdn = pdn;
	expect_write_rejected(p, key, (uintptr_t)p->w.mem, 8, p->w.mem_key[1],
			      MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
}

static void
wqe_longer_than_what_is_posted_is_rejected(void **state)
{
	struct pair *p = *state;

	world_post(&p->a, OP_NOP, CE, 0, NULL, 0);
	p->a.page[WORLD_SQ_OFF + 7] = 63;	/* DS */
	world_ring(&p->a);
	world_run(&p->w);
	expect_error(world_send_cqe(&p->a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
}

static void
unknown_opcode_is_rejected(void **state)
{
	struct pair *p = *state;

	world_post(&p->a, 0x3e, CE, 0, NULL, 0);
	world_ring(&p->a);
	world_run(&p->w);
	expect_error(world_send_cqe(&p->a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
}

static void
umr_of_more_klms_than_the_key_holds_is_rejected(void **state)
{
	struct pair *p = *state;
	uint32_t key = world_klm_key(&p->w, 0, 4);
	struct world_klm klms[5] = { { 0 } };

	post_umr(p, key, ALL_ACCESS, 5, klms, 5);
	world_ring(&p->a);
	world_run(&p->w);
	expect_error(world_send_cqe(&p->a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_MW_BIND_ERR);
}

static void
umr_of_a_registered_region_is_rejected(void **state)
{
	struct pair *p = *state;
	const struct world_klm klm = { 64, p->w.mem_key[0], (uintptr_t)p->w.mem };

	post_umr(p, p->w.mem_key[0], ALL_ACCESS, 64, &klm, 1);
	world_ring(&p->a);
	world_run(&p->w);
	expect_error(world_send_cqe(&p->a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_MW_BIND_ERR);
}

static void
key_that_points_to_itself_does_not_hang(void **state)
{
	struct pair *p = *state;
	uint32_t key = world_klm_key(&p->w, 0, 52), i;
	struct world_klm klms[52];

	for (i = 0; i < 52; i++)
		klms[i] = (struct world_klm){ i == 51 ? 1u << 20 : 0, key, 0 };
	post_umr(p, key, ALL_ACCESS, 1u << 20, klms, 52);
	expect_write_rejected(p, key, 0, 1u << 20, p->w.mem_key[1],
			      MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
}

static void
commands_are_rejected_with_a_status(void **state)
{
	struct pair *p = *state;
	struct swhca_hca *hca = p->w.dev[0].hca;
	uint8_t in[16] = { 0x02, 0x00 }, out[16];

	assert_int_equal(world_cmd(hca, 0x7ff, 0, NULL), 0x02);			/* BAD_OP */
	assert_int_equal(world_cmd(hca, 0x801, 0xfff, NULL), 0x05);		/* BAD_RES */
	assert_int_equal(world_cmd(hca, 0x801, p->w.dev[0].pdn, NULL), 0x06);	/* RES_BUSY */
	assert_int_equal(world_cmd(hca, 0x401, p->a.scqn, NULL), 0x06);
	assert_int_equal(world_cmd(hca, 0xa0a, p->a.umem, NULL), 0x06);
	assert_int_equal(world_cmd(hca, 0x803, p->w.dev[0].uarn, NULL), 0x06);
	/* CREATE_MKEY in 16 bytes: BAD_INP_LEN, with a syndrome, for any shorter output too. */
	assert_int_equal(swhca_hca_cmd_exec(hca, in, 16, out, 16), 0x50);
	assert_int_equal(out[0], 0x50);
	assert_int_equal(swhca_hca_cmd_exec(hca, in, 3, out, 16), 0x50);
	assert_int_equal(swhca_hca_cmd_exec(hca, in, 16, out, 4), 0x51);
}

static void
qp_transitions_out_of_order_are_rejected(void **state)
{
	struct pair *p = *state;
	uint8_t in[0x110] = { 0x05, 0x03 }, out[16];

	memcpy(in + 8, &(uint32_t){ htobe32(p->a.qpn) }, 4);
	/* INIT2RTR of a QP in RTS: BAD_QP_STATE */
	assert_int_equal(swhca_hca_cmd_exec(p->a.hca, in, sizeof(in), out, sizeof(out)), 0x10);
	assert_int_equal(world_qp_state(&p->a), 3);
}

static void
free_bit_alone_makes_a_key_unusable(void **state)
{
	struct pair *p = *state;
	uint32_t key = world_klm_key(&p->w, 0, 4);
	const struct world_klm klm = { 64, p->w.mem_key[0], (uintptr_t)p->w.mem };
	uint8_t body[112] = { 0 };

	post_umr(p, key, ALL_ACCESS, 64, &klm, 1);
	body[0] = 0x80;			/* inline, no KLMs */
	world_put(body, 3, 29, 1);	/* mkey_mask: free */
	world_put(body, 12, 30, 1);	/* free */
	world_post(&p->a, OP_UMR, FENCE, key, body, 7);
	expect_write_rejected(p, key, 0, 8, p->w.mem_key[1], MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
}

/* relaxed_ordering_write of a key in bit 0, relaxed_ordering_read in bit 1, as QUERY_MKEY says. */
static unsigned int
relaxed_of(struct pair *p, uint32_t key)
{
	uint8_t in[16] = { 0 }, out[0x110];

	world_put(in, 0, 16, 0x201);
	world_put(in, 2, 0, key >> 8);
	assert_int_equal(swhca_hca_cmd_exec(p->a.hca, in, sizeof(in), out, sizeof(out)), 0);
	return (out[0x11] >> 2 & 1) | (out[0x4b] >> 6 & 1) << 1;
}

/* Neither is a right, and only what the mask names changes. */
static void
umr_sets_relaxed_ordering(void **state)
{
	struct pair *p = *state;
	uint32_t key = world_klm_key(&p->w, 0, 4);
	uint8_t body[112] = { 0 };

	body[0] = 0x80;			/* inline, no KLMs */
	world_put(body, 3, 25, 1);	/* mkey_mask: relaxed_ordering_write */
	world_put(body, 12, 18, 1);	/* relaxed_ordering_write */
	world_put(body, 26, 6, 1);	/* relaxed_ordering_read, which the mask does not name */
	world_post(&p->a, OP_UMR, CE, key, body, 7);
	world_ring(&p->a);
	world_run(&p->w);
	assert_int_equal(relaxed_of(p, key), 1);
	world_put(body, 2, 15, 1);	/* mkey_mask: relaxed_ordering_read */
	body[12 * 4 + 1] = 0;		/* relaxed_ordering_write */
	world_post(&p->a, OP_UMR, CE, key, body, 7);
	world_ring(&p->a);
	world_run(&p->w);
	assert_int_equal(relaxed_of(p, key), 2);
}

static void
umr_beyond_the_low_bits_of_the_offset_is_rejected(void **state)
{
	struct pair *p = *state;
	uint32_t key = world_klm_key(&p->w, 0, 8);
	const struct world_klm klm = { 64, p->w.mem_key[0], (uintptr_t)p->w.mem };
	uint8_t body[1008];
	uint32_t nb_ds = world_umr_list(body, key, ALL_ACCESS, 64, &klm, 1);

	body[0] |= 0x10;		/* translation offset */
	world_put(body, 4, 0, 1);	/* 65536 octowords */
	world_post(&p->a, OP_UMR, 0, key, body, nb_ds);
	world_ring(&p->a);
	world_run(&p->w);
	expect_error(world_send_cqe(&p->a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_MW_BIND_ERR);
}

static void
read_into_inline_data_is_rejected(void **state)
{
	struct pair *p = *state;
	uint8_t body[32];

	world_rdma_body(body, (uintptr_t)p->w.mem, p->w.mem_key[1], NULL, 0, 0x80000004);
	world_post(&p->a, OP_READ, CE, 0, body, 2);
	world_ring(&p->a);
	world_run(&p->w);
	expect_error(world_send_cqe(&p->a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
}

static void
queues_that_cannot_work_are_rejected(void **state)
{
	struct pair *p = *state;
	struct swhca_hca *hca = p->a.hca;
	uint8_t in[WORLD_BOX];

	world_cq_box(&p->w, 0, in, p->a.umem, WORLD_SCQ_OFF, WORLD_DBR_OFF);
	world_put(in, 4, 20, 1);			/* collapsed */
	assert_int_equal(world_exec(hca, in, sizeof(in)), 0x03);
	world_cq_box(&p->w, 0, in, p->a.umem, WORLD_SCQ_OFF + 32, WORLD_DBR_OFF);
	assert_int_equal(world_exec(hca, in, sizeof(in)), 0x03);
	world_cq_box(&p->w, 0, in, p->a.umem, WORLD_QP_BYTES - 4032, WORLD_DBR_OFF);
	assert_int_equal(world_exec(hca, in, sizeof(in)), 0x40);
	world_cq_box(&p->w, 0, in, p->a.umem, WORLD_SCQ_OFF, UINT64_MAX - 7);
	assert_int_equal(world_exec(hca, in, sizeof(in)), 0x40);
	world_qp_box(&p->w, 0, in, &p->a);
	world_put(in, 8, 16, 6);			/* receive WQEs of 1 KiB */
	assert_int_equal(world_exec(hca, in, sizeof(in)), 0x08);
	world_qp_box(&p->w, 0, in, &p->a);
	world_put(in, 8, 11, 15);			/* a ring longer than its umem */
	assert_int_equal(world_exec(hca, in, sizeof(in)), 0x40);
}

static void
transition_with_unknown_options_is_rejected(void **state)
{
	struct pair *p = *state;
	uint8_t in[WORLD_BOX] = { 0 };

	world_put(in, 0, 16, 0x505);			/* RTS2RTS */
	world_put(in, 2, 0, p->a.qpn);
	assert_int_equal(world_exec(p->a.hca, in, sizeof(in)), 0);
	world_put(in, 4, 0, 1u << 30);
	assert_int_equal(world_exec(p->a.hca, in, sizeof(in)), 0x03);
}

static void
request_that_the_peer_does_not_allow_is_invalid(void **state)
{
	struct pair *p = *state;
	struct world_qp qp;

	world_qp_create(&p->w, 0, &qp);
	world_qp_modify(&qp, 0x502, 0, 0, 0);
	world_qp_modify(&qp, 0x503, qp.qpn, 1, 0);
	world_qp_modify(&qp, 0x504, 0, 0, 0);
	post_transfer(&qp, OP_WRITE, CE, (uintptr_t)p->w.mem, p->w.mem_key[0], p->w.mem,
		      p->w.mem_key[0], 8);
	world_ring(&qp);
	world_run(&p->w);
	expect_error(world_send_cqe(&qp), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR);
	world_qp_destroy(&qp);
}

/* The table of commands, as front ends see it. */
static void
commands_for_objects_name_their_creators(void **state)
{
	const struct swhca_cmd_info *info;
	unsigned int op, nb = 0;

	(void)state;
	for (op = 0; op <= UINT16_MAX; op++) {
		info = swhca_cmd_info((uint16_t)op);
		nb += info->destroy_op != 0;
		assert_true(info->destroy_op == 0 || info->create_op == 0);
		assert_int_equal(swhca_cmd_info(info->destroy_op)->devx, SWHCA_DEVX_NONE);
		assert_int_equal(info->create_op != 0, info->devx == SWHCA_DEVX_MODIFY ||
						       info->devx == SWHCA_DEVX_QUERY);
		assert_true(info->create_op == 0 ||
			    swhca_cmd_info(info->create_op)->destroy_op != 0);
	}
	assert_int_equal(nb, 24);
	assert_int_equal(swhca_cmd_info(0x90c)->destroy_op, 0x90e);	/* CREATE_RMP */
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(free_key_is_rejected),
		CASE(stale_tag_is_rejected),
		CASE(access_beyond_the_length_is_rejected),
		CASE(layout_shorter_than_its_length_is_rejected),
		CASE(remote_key_without_write_access_is_rejected),
		CASE(local_key_without_write_access_is_rejected),
		CASE(key_of_another_pd_is_rejected),
		CASE(wqe_longer_than_what_is_posted_is_rejected),
		CASE(unknown_opcode_is_rejected),
		CASE(umr_of_more_klms_than_the_key_holds_is_rejected),
		CASE(umr_of_a_registered_region_is_rejected),
		CASE(key_that_points_to_itself_does_not_hang),
		CASE(commands_are_rejected_with_a_status),
		CASE(qp_transitions_out_of_order_are_rejected),
		CASE(free_bit_alone_makes_a_key_unusable),
		CASE(umr_sets_relaxed_ordering),
		CASE(umr_beyond_the_low_bits_of_the_offset_is_rejected),
		CASE(read_into_inline_data_is_rejected),
		CASE(queues_that_cannot_work_are_rejected),
		CASE(transition_with_unknown_options_is_rejected),
		CASE(request_that_the_peer_does_not_allow_is_invalid),
		cmocka_unit_test(commands_for_objects_name_their_creators),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
