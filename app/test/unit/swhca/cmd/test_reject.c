/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* What the device rejects, and with which words. */

#include "include/command.h"
#include "pair.h"

static struct world_klm
klm_of(const struct pair *p)
{
	return (struct world_klm){ 64, p->w.mem_key[0], (uintptr_t)p->w.mem };
}

CASES(local_access_that_no_key_allows_is_rejected)
{
	const uint8_t prot_err = MLX5_CQE_SYNDROME_LOCAL_PROT_ERR;
	struct pair *p = next_case(state, "free key");
	struct world_klm klm;
	uint32_t key = world_klm_key(&p->w, 0, 4), pdn;

	expect_write_rejected(p, key, 0, 1, p->w.mem_key[1], prot_err);

	p = next_case(state, "stale tag");
	key = world_klm_key(&p->w, 0, 4);
	klm = klm_of(p);
	post_umr(p, key | 1, ALL_ACCESS, 64, &klm, 1);
	post_umr(p, key | 2, ALL_ACCESS, 64, &klm, 1);
	expect_write_rejected(p, key | 1, 0, 1, p->w.mem_key[1], prot_err);

	p = next_case(state, "beyond the length");
	key = world_klm_key(&p->w, 0, 4);
	klm = klm_of(p);
	post_umr(p, key, ALL_ACCESS, 64, &klm, 1);
	expect_write_rejected(p, key, 60, 5, p->w.mem_key[1], prot_err);

	p = next_case(state, "layout shorter than its length");
	key = world_klm_key(&p->w, 0, 4);
	klm = klm_of(p);
	post_umr(p, key, ALL_ACCESS, 100, &klm, 1);
	expect_write_rejected(p, key, 0, 65, p->w.mem_key[1], prot_err);

	p = next_case(state, "key of another PD");
	pdn = p->w.dev[0].pdn;
	p->w.dev[0].pdn = world_alloc(p->a.hca, 0x800);
	key = world_mtt_key(&p->w, 0, p->w.mem, 4096, WORLD_LR | WORLD_LW);
	p->w.dev[0].pdn = pdn;
	expect_write_rejected(p, key, (uintptr_t)p->w.mem, 8, p->w.mem_key[1], prot_err);
}

CASES(keys_without_write_access_are_rejected)
{
	struct pair *p = next_case(state, "remote key");
	uint32_t key = world_mtt_key(&p->w, 1, p->w.mem, 4096, WORLD_LR | WORLD_LW | WORLD_RR);

	expect_write_rejected(p, p->w.mem_key[0], (uintptr_t)p->w.mem, 8, key,
			      MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	assert_int_equal(world_qp_state(&p->b), 6);

	p = next_case(state, "local key");
	key = world_mtt_key(&p->w, 0, p->w.mem, 4096, WORLD_LR);
	post_transfer(&p->a, OP_READ, CE, (uintptr_t)p->w.mem, p->w.mem_key[1], p->w.mem, key, 8);
	expect_run(p, &p->a, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
}

CASES(wqes_that_cannot_be_are_rejected)
{
	struct pair *p = next_case(state, "longer than what is posted");
	uint8_t body[32];

	post_nops(&p->a, 1);
	p->a.page[WORLD_SQ_OFF + 7] = 63;	/* DS */
	expect_run(p, &p->a, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);

	p = next_case(state, "unknown opcode");
	world_post(&p->a, 0x3e, CE, 0, NULL, 0);
	expect_run(p, &p->a, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);

	p = next_case(state, "read into inline data");
	world_rdma_body(body, (uintptr_t)p->w.mem, p->w.mem_key[1], NULL, 0, 0x80000004);
	world_post(&p->a, OP_READ, CE, 0, body, 2);
	expect_run(p, &p->a, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
}

CASES(umrs_that_do_not_fit_their_key_are_rejected)
{
	struct pair *p = next_case(state, "more KLMs than the key holds");
	struct world_klm klms[5] = { { 0 } };
	uint8_t body[1008];
	uint32_t nb_ds;

	post_umr(p, world_klm_key(&p->w, 0, 4), ALL_ACCESS, 5, klms, 5);
	expect_run(p, &p->a, MLX5_CQE_SYNDROME_MW_BIND_ERR);

	p = next_case(state, "registered region");
	klms[0] = klm_of(p);
	post_umr(p, p->w.mem_key[0], ALL_ACCESS, 64, klms, 1);
	expect_run(p, &p->a, MLX5_CQE_SYNDROME_MW_BIND_ERR);

	p = next_case(state, "beyond the low bits of the offset");
	klms[0] = klm_of(p);
	nb_ds = world_umr_list(body, 0, ALL_ACCESS, 64, klms, 1);
	body[0] |= 0x10;		/* translation offset */
	world_put(body, 4, 0, 1);	/* 65536 octowords */
	world_post(&p->a, OP_UMR, 0, world_klm_key(&p->w, 0, 8), body, nb_ds);
	expect_run(p, &p->a, MLX5_CQE_SYNDROME_MW_BIND_ERR);
}

PAIR_CASE(key_that_points_to_itself_does_not_hang)
{
	uint32_t key = world_klm_key(&p->w, 0, 52), i;
	struct world_klm klms[52];

	for (i = 0; i < 52; i++)
		klms[i] = (struct world_klm){ i == 51 ? 1u << 20 : 0, key, 0 };
	post_umr(p, key, ALL_ACCESS, 1u << 20, klms, 52);
	expect_write_rejected(p, key, 0, 1u << 20, p->w.mem_key[1],
			      MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
}

PAIR_CASE(commands_are_rejected_with_a_status)
{
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

PAIR_CASE(transitions_that_cannot_be_are_rejected)
{
	uint8_t in[WORLD_BOX] = { 0 };

	world_put(in, 0, 16, 0x503);
	world_put(in, 2, 0, p->a.qpn);
	/* INIT2RTR of a QP in RTS: BAD_QP_STATE */
	assert_int_equal(world_exec(p->a.hca, in, sizeof(in)), 0x10);
	assert_int_equal(world_qp_state(&p->a), 3);
	memset(in, 0, 4);
	world_put(in, 0, 16, 0x505);			/* RTS2RTS */
	assert_int_equal(world_exec(p->a.hca, in, sizeof(in)), 0);
	world_put(in, 4, 0, 1u << 30);			/* unknown option */
	assert_int_equal(world_exec(p->a.hca, in, sizeof(in)), 0x03);
}

PAIR_CASE(free_bit_alone_makes_a_key_unusable)
{
	uint32_t key = world_klm_key(&p->w, 0, 4);
	const struct world_klm klm = klm_of(p);
	uint8_t body[112] = { 0x80 };	/* inline, no KLMs */

	post_umr(p, key, ALL_ACCESS, 64, &klm, 1);
	world_put(body, 3, 29, 1);	/* mkey_mask: free */
	world_put(body, 12, 30, 1);	/* free */
	world_post(&p->a, OP_UMR, FENCE, key, body, 7);
	expect_write_rejected(p, key, 0, 8, p->w.mem_key[1], MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
}

/* relaxed_ordering_write of a key in bit 0, relaxed_ordering_read in bit 1, as QUERY_MKEY says. */
static unsigned int
relaxed_of(struct pair *p, uint32_t key)
{
	uint8_t out[WORLD_BOX];

	assert_int_equal(world_query(p->a.hca, 0x201, 0, key >> 8, out, sizeof(out)), 0);
	return (out[0x11] >> 2 & 1) | (out[0x4b] >> 6 & 1) << 1;
}

/* Neither is a right, and only what the mask names changes. */
PAIR_CASE(umr_sets_relaxed_ordering)
{
	uint32_t key = world_klm_key(&p->w, 0, 4);
	uint8_t body[112] = { 0x80 };	/* inline, no KLMs */

	world_put(body, 3, 25, 1);	/* mkey_mask: relaxed_ordering_write */
	world_put(body, 12, 18, 1);	/* relaxed_ordering_write */
	world_put(body, 26, 6, 1);	/* relaxed_ordering_read, which the mask does not name */
	world_post(&p->a, OP_UMR, CE, key, body, 7);
	ring_run(p, &p->a);
	assert_int_equal(relaxed_of(p, key), 1);
	world_put(body, 2, 15, 1);	/* mkey_mask: relaxed_ordering_read */
	body[12 * 4 + 1] = 0;		/* relaxed_ordering_write */
	world_post(&p->a, OP_UMR, CE, key, body, 7);
	ring_run(p, &p->a);
	assert_int_equal(relaxed_of(p, key), 2);
}

PAIR_CASE(queues_that_cannot_work_are_rejected)
{
	static const struct {
		const char *name;
		bool is_qp;
		uint32_t offset;	/* of the ring of a CQ */
		uint64_t dbr;
		unsigned int dw, lsb;
		uint32_t value;
		uint8_t status;
	} rows[] = {
		{ "collapsed", false, WORLD_SCQ_OFF, WORLD_DBR_OFF, 4, 20, 1, 0x03 },
		{ "offset", false, WORLD_SCQ_OFF + 32, WORLD_DBR_OFF, 0, 0, 0, 0x03 },
		{ "end of umem", false, WORLD_QP_BYTES - 4032, WORLD_DBR_OFF, 0, 0, 0, 0x40 },
		{ "record", false, WORLD_SCQ_OFF, UINT64_MAX - 7, 0, 0, 0, 0x40 },
		{ "receive WQEs of 1 KiB", true, 0, 0, 8, 16, 6, 0x08 },
		{ "a ring longer than its umem", true, 0, 0, 8, 11, 15, 0x40 },
	};
	uint8_t in[WORLD_BOX];

	for (size_t i = 0; i < NB_OF(rows); i++) {
		if (rows[i].is_qp)
			world_qp_box(&p->w, 0, in, &p->a);
		else
			world_cq_box(&p->w, 0, in, p->a.umem, rows[i].offset, rows[i].dbr);
		world_put(in, rows[i].dw, rows[i].lsb, rows[i].value);
		row_check(rows[i].name, world_exec(p->a.hca, in, sizeof(in)), rows[i].status);
	}
}

PAIR_CASE(request_that_the_peer_does_not_allow_is_invalid)
{
	struct world_qp qp;

	world_qp_create(&p->w, 0, &qp);
	world_qp_to_rts(&qp, qp.qpn, 1, 0);
	post_transfer(&qp, OP_WRITE, CE, (uintptr_t)p->w.mem, p->w.mem_key[0], p->w.mem,
		      p->w.mem_key[0], 8);
	expect_run(p, &qp, MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR);
	world_qp_destroy(&qp);
}

/* The table of commands, as front ends see it. */
CASE(commands_for_objects_name_their_creators)
{
	const struct swhca_cmd_info *info;
	unsigned int op, nb = 0;

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
