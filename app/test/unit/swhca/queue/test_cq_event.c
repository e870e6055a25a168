/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Completion events: arm any and solicited, missed completions, sequence numbers, shared doorbell
 * pages, and the error that a CQ raises.
 */

#include "types.h"

#define SE	0x02
#define ARM_SOLICITED (1u << 24)
#define EVENT_COMP 0x00
#define EVENT_CQ_ERROR 0x04
#define EVENT_QP_CATAS 0x05

/* Write the record only, as if the doorbell had been overwritten by another. */
static void
arm_record(struct world_qp *qp, bool is_send, uint32_t value)
{
	world_store(qp->page + WORLD_DBR_OFF + (is_send ? 64 : 128) + 4, value);
}

static void
arm(struct world_qp *qp, bool is_send, uint32_t sn, uint32_t flags, uint32_t ci)
{
	uint32_t value = sn << 28 | flags | ci;
	uint32_t cqn = is_send ? qp->scqn : qp->rcqn;
	uint64_t be = htobe64((uint64_t)value << 32 | cqn);

	arm_record(qp, is_send, value);
	memcpy(qp->uar + 0x20, &be, 8);
}

static void
arm_run(struct pair *p, bool is_send, uint32_t sn, uint32_t flags, uint32_t ci)
{
	arm(&p->a, is_send, sn, flags, ci);
	world_run(&p->w);
}

static void
expect_comp(struct pair *p, uint32_t cqn)
{
	expect_event(&p->w, 0, EVENT_COMP, cqn);
}

static void
send_to_a(struct pair *p, uint8_t flags)
{
	uint8_t body[32];

	world_recv(&p->a, p->w.mem_key[0], p->w.mem, 64);
	world_rdma_body(body, 0, 0, p->w.mem + 4096, p->w.mem_key[1], 64);
	world_post(&p->b, OP_SEND, CE | flags, 0, body + 16, 1);
	ring_run(p, &p->b);
}

CASES(armed_cq_tells_once)
{
	struct pair *p = next_case(state, "armed");

	run_nops(p, &p->a, 1);
	assert_null(world_eqe(&p->w, 0));
	arm_run(p, true, 0, 0, 1);
	assert_null(world_eqe(&p->w, 0));
	run_nops(p, &p->a, 1);
	run_nops(p, &p->a, 1);
	expect_comp(p, p->a.scqn);
	assert_null(world_eqe(&p->w, 0));

	p = next_case(state, "completion before");
	run_nops(p, &p->a, 1);
	arm_run(p, true, 0, 0, 0);
	expect_comp(p, p->a.scqn);
	assert_null(world_eqe(&p->w, 0));

	p = next_case(state, "old arm");
	arm_run(p, true, 0, 0, 0);
	run_nops(p, &p->a, 1);
	expect_comp(p, p->a.scqn);
	arm_run(p, true, 0, 0, 0);
	run_nops(p, &p->a, 1);
	assert_null(world_eqe(&p->w, 0));
	arm_run(p, true, 1, 0, 0);
	expect_comp(p, p->a.scqn);
}

CASES(solicited_arm_waits_for_a_solicited_completion_or_error)
{
	struct pair *p = next_case(state, "completion");
	const struct mlx5_cqe64 *cqe;

	arm_run(p, false, 0, ARM_SOLICITED, 0);
	send_to_a(p, 0);
	assert_null(world_eqe(&p->w, 0));
	send_to_a(p, SE);
	expect_comp(p, p->a.rcqn);
	for (int i = 0; i < 2; i++) {
		cqe = NOT_NULL(world_recv_cqe(&p->a));
		assert_int_equal(cqe->op_own & SE, i == 0 ? 0 : SE);
	}
	/* The solicited one is behind us; what follows is not. */
	arm_run(p, false, 1, ARM_SOLICITED, 2);
	send_to_a(p, 0);
	assert_null(world_eqe(&p->w, 0));
	/* An arm for any overrides, and the last one has been missed. */
	arm_run(p, false, 1, 0, 2);
	expect_comp(p, p->a.rcqn);

	p = next_case(state, "error");
	arm_run(p, true, 0, ARM_SOLICITED, 0);
	run_nops(p, &p->a, 1);
	assert_null(world_eqe(&p->w, 0));
	post_transfer(&p->a, OP_WRITE, CE, 0, 0, p->w.mem, 0, 8);
	ring_run(p, &p->a);
	expect_comp(p, p->a.scqn);
}

static void
expect_overrun(struct pair *p, uint32_t cqn)
{
	const uint8_t *eqe = NOT_NULL(world_eqe(&p->w, 0));

	assert_int_equal(eqe[1], EVENT_CQ_ERROR);
	assert_int_equal(world_get(eqe, 8), cqn);
	assert_int_equal(eqe[43], 1);
	expect_event(&p->w, 0, EVENT_QP_CATAS, p->a.qpn);
	assert_null(world_eqe(&p->w, 0));
	assert_int_equal(world_qp_state(&p->a), 6);
}

CASES(overrun_fails_cq_and_qp)
{
	struct pair *p = next_case(state, "send CQ");

	run_nops(p, &p->a, 32);
	run_nops(p, &p->a, 32);
	run_nops(p, &p->a, WORLD_CQ_CQES + 1 - 64);
	expect_overrun(p, p->a.scqn);

	p = next_case(state, "receive CQ");
	for (unsigned int i = 0; i < WORLD_CQ_CQES + 1; i++)
		send_to_a(p, 0);
	expect_overrun(p, p->a.rcqn);
}

CASES(doorbells_of_a_shared_page_are_for_one_cq)
{
	struct pair *p = next_case(state, "lost");
	uint64_t be;

	arm_record(&p->a, false, 0);
	arm_run(p, true, 0, 0, 0);
	send_to_a(p, 0);
	expect_comp(p, p->a.rcqn);
	assert_null(world_eqe(&p->w, 0));

	p = next_case(state, "not armed");
	arm_run(p, true, 0, 0, 0);
	send_to_a(p, 0);
	assert_non_null(world_recv_cqe(&p->a));
	assert_null(world_eqe(&p->w, 0));

	/* A doorbell that names a CQ of nobody, or of another page, arms nothing. */
	p = next_case(state, "no CQ");
	be = htobe64(0xabcdef);
	memcpy(p->a.uar + 0x20, &be, 8);
	world_run(&p->w);
	run_nops(p, &p->a, 1);
	assert_null(world_eqe(&p->w, 0));
}

PAIR_CASE(cq_lets_go_of_its_page_of_doorbells)
{
	struct swhca_hca *hca = p->a.hca;
	uint32_t own = p->w.dev[0].uarn, uarn, cqn;
	uint8_t in[WORLD_BOX];

	uarn = world_alloc(hca, 0x802);
	p->w.dev[0].uarn = uarn;
	world_cq_box(&p->w, 0, in, p->a.umem, WORLD_SCQ_OFF, WORLD_DBR_OFF + 192);
	p->w.dev[0].uarn = own;
	cqn = world_exec_create(hca, in, sizeof(in));
	assert_int_equal(world_cmd(hca, 0x803, uarn, NULL), 0x06);
	assert_int_equal(world_cmd(hca, 0x401, cqn, NULL), 0);
	assert_int_equal(world_cmd(hca, 0x803, uarn, NULL), 0);
}
