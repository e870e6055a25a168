/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Acknowledge-only devices: a doorbell has one completion, nothing is executed, indices are right.
 */

#include "pair.h"

#define BF_HALF 0x100

/* As setup(), with devices that acknowledge only; a second queue pair on the first one. */
struct ack {
	struct pair p;
	struct world_qp c;
};

static void
ack_destroy(void *arg)
{
	struct ack *t = arg;

	world_qp_destroy(&t->c);
	pair_destroy(&t->p);
}

/* As next_case(). */
static struct ack *
ack_case(void **state, const char *name)
{
	struct swhca_hca_conf conf[2];
	struct ack *t;

	world_conf(conf);
	conf[0].is_ack_only = conf[1].is_ack_only = true;
	case_name(state, name);
	t = pair_create(sizeof(*t), conf);
	world_qp_create(&t->p.w, 0, &t->c);
	world_qp_connect(&t->p.w, &t->c, &t->c);
	return case_begin(state, t, ack_destroy);
}

static void
post_writes(struct ack *t, struct world_qp *qp, unsigned int nb, uint8_t flags)
{
	while (nb-- > 0)
		post_transfer(qp, OP_WRITE, flags, (uintptr_t)t->p.w.mem + 4096, t->p.w.mem_key[1],
			      t->p.w.mem, t->p.w.mem_key[0], 64);
}

/* Of those the last one completes, alone. */
static void
expect_writes(struct ack *t, struct world_qp *qp, unsigned int nb)
{
	post_writes(t, qp, nb, 0);
	expect_run(&t->p, qp, 0);
	assert_null(world_send_cqe(qp));
}

CASES(doorbell_completes_its_last_wqe_unseen)
{
	struct ack *t = ack_case(state, "last WQE");
	struct world_qp *qp = &t->p.a;
	struct world_klm klms[5] = { 0 };
	uint32_t key;

	fill(t->p.w.mem, 64);
	expect_writes(t, qp, 3);
	assert_int_equal(qp->last, 2);
	assert_int_equal(t->p.w.mem[4096 + 1], 0);

	/* A UMR of several WQEBBs in each doorbell, until index and CQ have come round. */
	t = ack_case(state, "around the rings");
	qp = &t->p.a;
	key = world_klm_key(&t->p.w, 0, 8);
	klms[0] = (struct world_klm){ 64, t->p.w.mem_key[0], (uintptr_t)t->p.w.mem };
	for (unsigned int i = 0; i < 20000; i++) {
		post_umr(&t->p, key, WORLD_LR, 320, klms, 5);
		expect_writes(t, qp, i % 3);
	}
	assert_int_equal(world_qp_state(qp), 3);

	t = ack_case(state, "WQEs are not read");
	qp = &t->p.a;
	/* Of two queues on a page the records are. */
	world_qp_destroy(&t->c);
	world_run(&t->p.w);
	post_writes(t, qp, 2, 0);
	world_ring(qp);
	memset(qp->page + WORLD_SQ_OFF, 0xff, (size_t)WORLD_SQ_BB * 64);
	memset(qp->page + WORLD_DBR_OFF, 0xff, 8);
	world_run(&t->p.w);
	expect_done(world_send_cqe(qp), 1);
	assert_int_equal(world_qp_state(qp), 3);
	world_qp_create(&t->p.w, 0, &t->c);
}

CASES(doorbells_that_overlap_complete_once)
{
	struct ack *t = ack_case(state, "overwritten");
	struct world_qp *qp;

	/* Two signaled WQEs of three: the CE bits count, because they have to be read. */
	post_writes(t, &t->p.a, 1, CE);
	post_writes(t, &t->p.a, 1, 0);
	post_writes(t, &t->p.a, 1, CE);
	world_ring(&t->p.a);
	post_writes(t, &t->c, 2, 0);
	ring_run(&t->p, &t->c);
	expect_done(world_send_cqe(&t->c), 1);
	assert_null(world_send_cqe(&t->c));
	expect_done(world_send_cqe(&t->p.a), 0);
	expect_done(world_send_cqe(&t->p.a), 2);
	assert_null(world_send_cqe(&t->p.a));
	/* And it goes on from there. */
	expect_writes(t, &t->p.a, 4);

	/* The later one in the first register. */
	t = ack_case(state, "two registers");
	qp = &t->p.a;
	post_writes(t, qp, 2, 0);
	world_ring(qp);
	memcpy(qp->uar + 0x800 + BF_HALF, qp->uar + 0x800, 8);
	post_writes(t, qp, 2, 0);
	ring_run(&t->p, qp);
	expect_done(world_send_cqe(qp), 1);
	expect_done(world_send_cqe(qp), 3);
	assert_null(world_send_cqe(qp));

	t = ack_case(state, "twice");
	qp = &t->p.a;
	post_writes(t, qp, 1, CE);
	ring_run(&t->p, qp);
	expect_done(world_send_cqe(qp), 0);
	ring_run(&t->p, qp);
	assert_null(world_send_cqe(qp));
	assert_int_equal(world_qp_state(qp), 3);
}

/* Values no driver writes: unknown queue, no length, an index that is nowhere near. */
CASES(doorbells_of_no_use_do_no_harm)
{
	struct ack *t = ack_case(state, "senseless");
	struct world_qp *qp = &t->p.a;
	const uint32_t values[][2] = {
		{ OP_WRITE, 0xffffff03 },
		{ OP_WRITE, qp->qpn << 8 },
		{ 1000 << 8 | OP_WRITE, qp->qpn << 8 | 3 },
		{ 0xff00 << 8 | OP_WRITE, qp->qpn << 8 | 63 },
	};
	uint32_t be[2];
	const struct mlx5_cqe64 *cqe;

	for (unsigned int i = 0; i < NB_OF(values); i++) {
		be[0] = htobe32(values[i][0]);
		be[1] = htobe32(values[i][1]);
		memcpy(qp->uar + 0x800, be, sizeof(be));
		world_run(&t->p.w);
		assert_null(world_send_cqe(qp));
	}
	expect_writes(t, qp, 2);

	t = ack_case(state, "queue in error");
	qp = &t->p.a;
	assert_int_equal(world_cmd(qp->hca, 0x507, qp->qpn, NULL), 0);
	post_writes(t, qp, 2, 0);
	ring_run(&t->p, qp);
	assert_int_equal(next_syndrome(qp), MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	assert_int_equal(next_syndrome(qp), MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	assert_null(world_send_cqe(qp));

	/* A queue that is reset before the engine has looked, and then has the same page again. */
	t = ack_case(state, "before a reset");
	qp = &t->c;
	post_writes(t, qp, 3, 0);
	world_ring(qp);
	assert_int_equal(world_cmd(qp->hca, 0x50a, qp->qpn, NULL), 0);
	qp->pi = 0;
	memset(qp->page + WORLD_DBR_OFF, 0, 8);
	world_qp_connect(&t->p.w, qp, qp);
	world_run(&t->p.w);
	while ((cqe = world_send_cqe(qp)) != NULL)
		expect_done(cqe, 2);
	assert_int_equal(world_qp_state(qp), 3);
	expect_writes(t, qp, 1);
	assert_int_equal(world_qp_state(qp), 3);
}
