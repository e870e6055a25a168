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

static int
ack_setup(void **state)
{
	struct ack *t = calloc(1, sizeof(*t));
	struct swhca_hca_conf conf[2];

	swhca_log_level = SWHCA_LOG_NONE;
	assert_non_null(t);
	world_conf(conf);
	conf[0].is_ack_only = true;
	conf[1].is_ack_only = true;
	world_create_conf(&t->p.w, conf);
	world_qp_create(&t->p.w, 0, &t->p.a);
	world_qp_create(&t->p.w, 1, &t->p.b);
	world_qp_connect(&t->p.w, &t->p.a, &t->p.b);
	world_qp_create(&t->p.w, 0, &t->c);
	world_qp_connect(&t->p.w, &t->c, &t->c);
	*state = t;
	return 0;
}

static int
ack_teardown(void **state)
{
	struct ack *t = *state;

	world_qp_destroy(&t->c);
	return teardown(state);
}

static void
post_writes(struct ack *t, struct world_qp *qp, unsigned int nb, uint8_t flags)
{
	while (nb-- > 0)
		post_transfer(qp, OP_WRITE, flags, (uintptr_t)t->p.w.mem + 4096, t->p.w.mem_key[1],
			      t->p.w.mem, t->p.w.mem_key[0], 64);
}

static void
doorbell_completes_its_last_wqe(void **state)
{
	struct ack *t = *state;
	struct world_qp *qp = &t->p.a;

	fill(t->p.w.mem, 64);
	post_writes(t, qp, 3, 0);
	world_ring(qp);
	world_run(&t->p.w);
	expect_done(world_send_cqe(qp), 2);
	assert_null(world_send_cqe(qp));
	assert_int_equal(t->p.w.mem[4096 + 1], 0);
}

/* A UMR of several WQEBBs in each doorbell, until index and CQ have come round. */
static void
indices_stay_right_around_the_rings(void **state)
{
	struct ack *t = *state;
	struct world_qp *qp = &t->p.a;
	const struct world_klm klms[5] = { { 64, t->p.w.mem_key[0], (uintptr_t)t->p.w.mem } };
	uint32_t key = world_klm_key(&t->p.w, 0, 8);
	unsigned int i;

	for (i = 0; i < 20000; i++) {
		post_umr(&t->p, key, WORLD_LR, 320, klms, 5);
		post_writes(t, qp, i % 3, 0);
		world_ring(qp);
		world_run(&t->p.w);
		expect_done(world_send_cqe(qp), qp->last);
		assert_null(world_send_cqe(qp));
	}
	assert_int_equal(world_qp_state(qp), 3);
}

static void
wqes_are_not_looked_at(void **state)
{
	struct ack *t = *state;
	struct world_qp *qp = &t->p.a;

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

static void
overwritten_doorbell_is_found_in_the_record(void **state)
{
	struct ack *t = *state;

	/* Two signaled WQEs of three: the CE bits count, because they have to be read. */
	post_writes(t, &t->p.a, 1, CE);
	post_writes(t, &t->p.a, 1, 0);
	post_writes(t, &t->p.a, 1, CE);
	world_ring(&t->p.a);
	post_writes(t, &t->c, 2, 0);
	world_ring(&t->c);
	world_run(&t->p.w);
	expect_done(world_send_cqe(&t->c), 1);
	assert_null(world_send_cqe(&t->c));
	expect_done(world_send_cqe(&t->p.a), 0);
	expect_done(world_send_cqe(&t->p.a), 2);
	assert_null(world_send_cqe(&t->p.a));
	/* And it goes on from there. */
	post_writes(t, &t->p.a, 4, 0);
	world_ring(&t->p.a);
	world_run(&t->p.w);
	expect_done(world_send_cqe(&t->p.a), 6);
	assert_null(world_send_cqe(&t->p.a));
}

/* The later one in the first register. */
static void
doorbells_of_two_registers_complete_in_order(void **state)
{
	struct ack *t = *state;
	struct world_qp *qp = &t->p.a;

	post_writes(t, qp, 2, 0);
	world_ring(qp);
	memcpy(qp->uar + 0x800 + BF_HALF, qp->uar + 0x800, 8);
	post_writes(t, qp, 2, 0);
	world_ring(qp);
	world_run(&t->p.w);
	expect_done(world_send_cqe(qp), 1);
	expect_done(world_send_cqe(qp), 3);
	assert_null(world_send_cqe(qp));
}

static void
doorbell_that_comes_twice_completes_once(void **state)
{
	struct ack *t = *state;
	struct world_qp *qp = &t->p.a;

	post_writes(t, qp, 1, CE);
	world_ring(qp);
	world_run(&t->p.w);
	expect_done(world_send_cqe(qp), 0);
	world_ring(qp);
	world_run(&t->p.w);
	assert_null(world_send_cqe(qp));
	assert_int_equal(world_qp_state(qp), 3);
}

/* Values no driver writes: unknown queue, no length, an index that is nowhere near. */
static void
senseless_doorbells_do_no_harm(void **state)
{
	struct ack *t = *state;
	struct world_qp *qp = &t->p.a;
	const uint32_t values[][2] = {
		{ OP_WRITE, 0xffffff03 },
		{ OP_WRITE, qp->qpn << 8 },
		{ 1000 << 8 | OP_WRITE, qp->qpn << 8 | 3 },
		{ 0xff00 << 8 | OP_WRITE, qp->qpn << 8 | 63 },
	};
	unsigned int i;
	uint32_t be[2];

	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		be[0] = htobe32(values[i][0]);
		be[1] = htobe32(values[i][1]);
		memcpy(qp->uar + 0x800, be, sizeof(be));
		world_run(&t->p.w);
		assert_null(world_send_cqe(qp));
	}
	post_writes(t, qp, 2, 0);
	world_ring(qp);
	world_run(&t->p.w);
	expect_done(world_send_cqe(qp), 1);
}

static void
queue_in_error_flushes(void **state)
{
	struct ack *t = *state;
	struct world_qp *qp = &t->p.a;

	assert_int_equal(world_cmd(qp->hca, 0x507, qp->qpn, NULL), 0);
	post_writes(t, qp, 2, 0);
	world_ring(qp);
	world_run(&t->p.w);
	expect_error(world_send_cqe(qp), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	expect_error(world_send_cqe(qp), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	assert_null(world_send_cqe(qp));
}

/* A queue that is reset before the engine has looked, and then has the same page again. */
static void
doorbell_of_before_a_reset_is_gone(void **state)
{
	struct ack *t = *state;
	struct world_qp *qp = &t->c;
	const struct mlx5_cqe64 *cqe;

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
	post_writes(t, qp, 1, 0);
	world_ring(qp);
	world_run(&t->p.w);
	expect_done(world_send_cqe(qp), 0);
	assert_int_equal(world_qp_state(qp), 3);
}

#define ACK_CASE(f) cmocka_unit_test_setup_teardown(f, ack_setup, ack_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		ACK_CASE(doorbell_completes_its_last_wqe),
		ACK_CASE(indices_stay_right_around_the_rings),
		ACK_CASE(wqes_are_not_looked_at),
		ACK_CASE(overwritten_doorbell_is_found_in_the_record),
		ACK_CASE(doorbells_of_two_registers_complete_in_order),
		ACK_CASE(doorbell_that_comes_twice_completes_once),
		ACK_CASE(senseless_doorbells_do_no_harm),
		ACK_CASE(queue_in_error_flushes),
		ACK_CASE(doorbell_of_before_a_reset_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
