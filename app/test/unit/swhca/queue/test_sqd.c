/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Send queue drain: RTS to SQD and back, the event, what is and is not executed meanwhile.
 */

#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pair.h"
#include "world.h"

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
post_nops(struct world_qp *qp, unsigned int nb)
{
	while (nb-- > 0)
		world_post(qp, OP_NOP, CE, 0, NULL, 0);
	world_ring(qp);
}

static unsigned int
nb_send_cqes(struct world_qp *qp)
{
	unsigned int nb = 0;

	while (world_send_cqe(qp) != NULL)
		nb++;
	return nb;
}

static void
expect_drained_event(struct pair *p, const struct world_qp *qp)
{
	const uint8_t *eqe = world_eqe(&p->w, 0);
	uint32_t be;

	assert_non_null(eqe);
	assert_int_equal(eqe[1], EVENT_SQ_DRAINED);
	memcpy(&be, eqe + 56, 4);
	assert_int_equal(be32toh(be), qp->qpn);
}

static void
what_is_posted_before_is_executed(void **state)
{
	struct pair *p = *state;

	post_nops(&p->a, 5);
	assert_int_equal(modify(&p->a, CMD_RTS2SQD), 0);
	assert_int_equal(world_qp_state(&p->a), STATE_DRAINING);
	post_nops(&p->a, 3);
	assert_null(world_eqe(&p->w, 0));
	world_run(&p->w);
	assert_int_equal(nb_send_cqes(&p->a), 5);
	assert_int_equal(world_qp_state(&p->a), STATE_SQD);
	expect_drained_event(p, &p->a);
	assert_null(world_eqe(&p->w, 0));
	assert_int_equal(modify(&p->a, CMD_SQD2RTS), 0);
	world_run(&p->w);
	assert_int_equal(nb_send_cqes(&p->a), 3);
	assert_int_equal(world_qp_state(&p->a), STATE_RTS);
}

static void
an_idle_queue_is_drained_at_once(void **state)
{
	struct pair *p = *state;

	assert_int_equal(modify(&p->a, CMD_RTS2SQD), 0);
	world_run(&p->w);
	expect_drained_event(p, &p->a);
	assert_int_equal(world_qp_state(&p->a), STATE_SQD);
}

static void
drained_queue_still_answers(void **state)
{
	struct pair *p = *state;

	assert_int_equal(modify(&p->a, CMD_RTS2SQD), 0);
	world_run(&p->w);
	memcpy(p->w.mem, "drained", 8);
	post_transfer(&p->b, OP_WRITE, CE, (uintptr_t)p->w.mem + 4096, p->w.mem_key[0], p->w.mem,
		      p->w.mem_key[1], 8);
	world_ring(&p->b);
	world_run(&p->w);
	expect_done(world_send_cqe(&p->b), 0);
	assert_string_equal((char *)p->w.mem + 4096, "drained");
}

static void
wqe_rewritten_while_drained_is_executed_as_it_is_then(void **state)
{
	struct pair *p = *state;
	uint8_t *wqe = p->a.page + WORLD_SQ_OFF + (size_t)(p->a.pi % WORLD_SQ_BB) * 64;

	assert_int_equal(modify(&p->a, CMD_RTS2SQD), 0);
	world_run(&p->w);
	/* Whoever executed this would lose the QP: key 0 is nobody's. */
	post_transfer(&p->a, OP_WRITE, CE, 0, 0, p->w.mem, 0, 8);
	world_ring(&p->a);
	world_run(&p->w);
	wqe[3] = OP_NOP;
	assert_int_equal(modify(&p->a, CMD_SQD2RTS), 0);
	world_run(&p->w);
	expect_done(world_send_cqe(&p->a), 0);
	assert_int_equal(world_qp_state(&p->a), STATE_RTS);
}

static void
error_ends_the_drain_without_event(void **state)
{
	struct pair *p = *state;
	const uint8_t *eqe;

	post_transfer(&p->a, OP_WRITE, CE, 0, 0, p->w.mem, 0, 8);
	post_nops(&p->a, 1);
	assert_int_equal(modify(&p->a, CMD_RTS2SQD), 0);
	world_run(&p->w);
	assert_int_equal(world_qp_state(&p->a), STATE_ERR);
	while ((eqe = world_eqe(&p->w, 0)) != NULL)
		assert_int_not_equal(eqe[1], EVENT_SQ_DRAINED);
}

static void
transitions_out_of_order_are_rejected(void **state)
{
	struct pair *p = *state;

	assert_int_equal(modify(&p->a, CMD_SQD2RTS), 0x10);
	assert_int_equal(modify(&p->a, CMD_RTS2SQD), 0);
	assert_int_equal(modify(&p->a, CMD_RTS2SQD), 0x10);
	assert_int_equal(modify(&p->a, CMD_SQD2RTS), 0x10);	/* still draining */
	world_run(&p->w);
	assert_int_equal(modify(&p->a, CMD_RTS2SQD), 0x10);
	assert_int_equal(modify(&p->a, CMD_2ERR), 0);
	assert_int_equal(modify(&p->a, CMD_SQD2RTS), 0x10);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(what_is_posted_before_is_executed),
		CASE(an_idle_queue_is_drained_at_once),
		CASE(drained_queue_still_answers),
		CASE(wqe_rewritten_while_drained_is_executed_as_it_is_then),
		CASE(error_ends_the_drain_without_event),
		CASE(transitions_out_of_order_are_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
