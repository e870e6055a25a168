/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Send queue drain: RTS to SQD and back, the event, what is and is not executed meanwhile.
 */

#include "types.h"

#define CMD_RTS2SQD 0x508
#define CMD_SQD2RTS 0x50c
#define CMD_2ERR 0x507
#define STATE_RTS 3
#define STATE_SQD 5
#define STATE_ERR 6
#define STATE_DRAINING 7
#define EVENT_SQ_DRAINED 0x03

static uint8_t
modify(struct world_qp *qp, uint16_t opcode)
{
	uint8_t in[WORLD_BOX] = { 0 };

	world_put(in, 0, 16, opcode);
	world_put(in, 2, 0, qp->qpn);
	return world_exec(qp->hca, in, sizeof(in));
}

static void
drain(struct pair *p)
{
	assert_int_equal(modify(&p->a, CMD_RTS2SQD), 0);
	world_run(&p->w);
}

PAIR_CASE(what_is_posted_before_is_executed)
{
	post_nops(&p->a, 5);
	world_ring(&p->a);
	assert_int_equal(modify(&p->a, CMD_RTS2SQD), 0);
	assert_int_equal(world_qp_state(&p->a), STATE_DRAINING);
	post_nops(&p->a, 3);
	world_ring(&p->a);
	assert_null(world_eqe(&p->w, 0));
	world_run(&p->w);
	expect_dones(&p->a, 0, 5);
	assert_int_equal(world_qp_state(&p->a), STATE_SQD);
	expect_event(&p->w, 0, EVENT_SQ_DRAINED, p->a.qpn);
	assert_null(world_eqe(&p->w, 0));
	assert_int_equal(modify(&p->a, CMD_SQD2RTS), 0);
	world_run(&p->w);
	expect_dones(&p->a, 5, 3);
	assert_int_equal(world_qp_state(&p->a), STATE_RTS);
}

PAIR_CASE(idle_queue_is_drained_at_once_and_still_answers)
{
	drain(p);
	expect_event(&p->w, 0, EVENT_SQ_DRAINED, p->a.qpn);
	assert_int_equal(world_qp_state(&p->a), STATE_SQD);
	memcpy(p->w.mem, "drained", 8);
	post_mem(p, &p->b, OP_WRITE, 4096, 0, 8);
	expect_run(p, &p->b, 0);
	assert_string_equal((char *)p->w.mem + 4096, "drained");
}

CASES(drain_ends_as_its_queue_does)
{
	struct pair *p = next_case(state, "WQE rewritten");
	uint8_t *wqe = p->a.page + WORLD_SQ_OFF + (size_t)(p->a.pi % WORLD_SQ_BB) * 64;
	const uint8_t *eqe;

	drain(p);
	/* Whoever executed this would lose the QP: key 0 is nobody's. */
	post_transfer(&p->a, OP_WRITE, CE, 0, 0, p->w.mem, 0, 8);
	ring_run(p, &p->a);
	wqe[3] = OP_NOP;
	assert_int_equal(modify(&p->a, CMD_SQD2RTS), 0);
	world_run(&p->w);
	expect_last(&p->a, 0);
	assert_int_equal(world_qp_state(&p->a), STATE_RTS);

	p = next_case(state, "error");
	post_transfer(&p->a, OP_WRITE, CE, 0, 0, p->w.mem, 0, 8);
	post_nops(&p->a, 1);
	world_ring(&p->a);
	drain(p);
	assert_int_equal(world_qp_state(&p->a), STATE_ERR);
	while ((eqe = world_eqe(&p->w, 0)) != NULL)
		assert_int_not_equal(eqe[1], EVENT_SQ_DRAINED);
}

PAIR_CASE(transitions_out_of_order_are_rejected)
{
	assert_int_equal(modify(&p->a, CMD_SQD2RTS), 0x10);
	assert_int_equal(modify(&p->a, CMD_RTS2SQD), 0);
	assert_int_equal(modify(&p->a, CMD_RTS2SQD), 0x10);
	assert_int_equal(modify(&p->a, CMD_SQD2RTS), 0x10);	/* still draining */
	world_run(&p->w);
	assert_int_equal(modify(&p->a, CMD_RTS2SQD), 0x10);
	assert_int_equal(modify(&p->a, CMD_2ERR), 0);
	assert_int_equal(modify(&p->a, CMD_SQD2RTS), 0x10);
}
