/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Completion events: arm any and solicited, missed completions, sequence numbers, shared doorbell
 * pages, and the error that a CQ raises.
 */

#include "pair.h"

#define SE	0x02
#define ARM_SOLICITED (1u << 24)
#define EVENT_COMP 0x00
#define EVENT_CQ_ERROR 0x04
#define EVENT_QP_CATAS 0x05

static uint32_t
be32_at(const uint8_t *eqe, size_t at)
{
	uint32_t be;

	memcpy(&be, eqe + at, 4);
	return be32toh(be);
}

/* Write the record only, as if the doorbell had been overwritten by another. */
static void
arm_record(struct world_qp *qp, bool is_send, uint32_t value)
{
	uint32_t be = htobe32(value);

	memcpy(qp->page + WORLD_DBR_OFF + (is_send ? 64 : 128) + 4, &be, 4);
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
post_nop(struct pair *p)
{
	world_post(&p->a, OP_NOP, CE, 0, NULL, 0);
	world_ring(&p->a);
	world_run(&p->w);
}

static void
expect_comp(struct pair *p, int dev, uint32_t cqn)
{
	const uint8_t *eqe = world_eqe(&p->w, dev);

	assert_non_null(eqe);
	assert_int_equal(eqe[1], EVENT_COMP);
	assert_int_equal(be32_at(eqe, 56), cqn);
}

static void
only_an_armed_cq_tells_and_once(void **state)
{
	struct pair *p = *state;

	post_nop(p);
	assert_null(world_eqe(&p->w, 0));
	arm(&p->a, true, 0, 0, 1);
	world_run(&p->w);
	assert_null(world_eqe(&p->w, 0));
	post_nop(p);
	post_nop(p);
	expect_comp(p, 0, p->a.scqn);
	assert_null(world_eqe(&p->w, 0));
}

static void
completion_before_the_arm_is_told_at_once(void **state)
{
	struct pair *p = *state;

	post_nop(p);
	arm(&p->a, true, 0, 0, 0);
	world_run(&p->w);
	expect_comp(p, 0, p->a.scqn);
	assert_null(world_eqe(&p->w, 0));
}

static void
arm_of_before_the_last_event_is_ignored(void **state)
{
	struct pair *p = *state;

	arm(&p->a, true, 0, 0, 0);
	world_run(&p->w);
	post_nop(p);
	expect_comp(p, 0, p->a.scqn);
	arm(&p->a, true, 0, 0, 0);
	world_run(&p->w);
	post_nop(p);
	assert_null(world_eqe(&p->w, 0));
	arm(&p->a, true, 1, 0, 0);
	world_run(&p->w);
	expect_comp(p, 0, p->a.scqn);
}

static void
lost_doorbell_of_a_shared_page_is_found_in_the_record(void **state)
{
	struct pair *p = *state;

	arm_record(&p->a, false, 0);
	arm(&p->a, true, 0, 0, 0);
	world_run(&p->w);
	world_recv(&p->a, p->w.mem_key[0], p->w.mem, 64);
	post_send(&p->b, p->w.mem_key[1], p->w.mem + 4096, 64);
	world_ring(&p->b);
	world_run(&p->w);
	expect_comp(p, 0, p->a.rcqn);
	assert_null(world_eqe(&p->w, 0));
}

static void
cq_that_nobody_armed_stays_silent(void **state)
{
	struct pair *p = *state;

	arm(&p->a, true, 0, 0, 0);
	world_run(&p->w);
	world_recv(&p->a, p->w.mem_key[0], p->w.mem, 64);
	post_send(&p->b, p->w.mem_key[1], p->w.mem + 4096, 64);
	world_ring(&p->b);
	world_run(&p->w);
	assert_non_null(world_recv_cqe(&p->a));
	assert_null(world_eqe(&p->w, 0));
}

static void
send_to_a(struct pair *p, uint8_t flags)
{
	uint8_t body[32];

	world_recv(&p->a, p->w.mem_key[0], p->w.mem, 64);
	world_rdma_body(body, 0, 0, p->w.mem + 4096, p->w.mem_key[1], 64);
	world_post(&p->b, OP_SEND, CE | flags, 0, body + 16, 1);
	world_ring(&p->b);
	world_run(&p->w);
}

static void
solicited_arm_waits_for_a_solicited_completion(void **state)
{
	struct pair *p = *state;
	const struct mlx5_cqe64 *cqe;

	arm(&p->a, false, 0, ARM_SOLICITED, 0);
	world_run(&p->w);
	send_to_a(p, 0);
	assert_null(world_eqe(&p->w, 0));
	send_to_a(p, SE);
	expect_comp(p, 0, p->a.rcqn);
	cqe = world_recv_cqe(&p->a);
	assert_non_null(cqe);
	assert_int_equal(cqe->op_own & SE, 0);
	cqe = world_recv_cqe(&p->a);
	assert_non_null(cqe);
	assert_int_equal(cqe->op_own & SE, SE);
	/* The solicited one is behind us; what follows is not. */
	arm(&p->a, false, 1, ARM_SOLICITED, 2);
	world_run(&p->w);
	send_to_a(p, 0);
	assert_null(world_eqe(&p->w, 0));
	/* An arm for any overrides, and the last one has been missed. */
	arm(&p->a, false, 1, 0, 2);
	world_run(&p->w);
	expect_comp(p, 0, p->a.rcqn);
}

static void
error_is_a_solicited_completion(void **state)
{
	struct pair *p = *state;

	arm(&p->a, true, 0, ARM_SOLICITED, 0);
	world_run(&p->w);
	post_nop(p);
	assert_null(world_eqe(&p->w, 0));
	post_transfer(&p->a, OP_WRITE, CE, 0, 0, p->w.mem, 0, 8);
	world_ring(&p->a);
	world_run(&p->w);
	expect_comp(p, 0, p->a.scqn);
}

static void
overrun_raises_errors_of_cq_and_qp(void **state)
{
	struct pair *p = *state;
	const uint8_t *eqe;
	unsigned int i;

	for (i = 0; i < WORLD_CQ_CQES + 1; i++) {
		world_post(&p->a, OP_NOP, CE, 0, NULL, 0);
		if (i % 32 == 31 || i == WORLD_CQ_CQES) {
			world_ring(&p->a);
			world_run(&p->w);
		}
	}
	eqe = world_eqe(&p->w, 0);
	assert_non_null(eqe);
	assert_int_equal(eqe[1], EVENT_CQ_ERROR);
	assert_int_equal(be32_at(eqe, 32), p->a.scqn);
	assert_int_equal(eqe[43], 1);
	eqe = world_eqe(&p->w, 0);
	assert_non_null(eqe);
	assert_int_equal(eqe[1], EVENT_QP_CATAS);
	assert_int_equal(be32_at(eqe, 56), p->a.qpn);
	assert_int_equal(world_qp_state(&p->a), 6);
}

static void
overrun_of_a_receive_cq_fails_the_receiver(void **state)
{
	struct pair *p = *state;
	const uint8_t *eqe;
	unsigned int i;

	for (i = 0; i < WORLD_CQ_CQES + 1; i++)
		send_to_a(p, 0);
	eqe = world_eqe(&p->w, 0);
	assert_non_null(eqe);
	assert_int_equal(eqe[1], EVENT_CQ_ERROR);
	assert_int_equal(be32_at(eqe, 32), p->a.rcqn);
	eqe = world_eqe(&p->w, 0);
	assert_non_null(eqe);
	assert_int_equal(eqe[1], EVENT_QP_CATAS);
	assert_int_equal(be32_at(eqe, 56), p->a.qpn);
	assert_null(world_eqe(&p->w, 0));
	assert_int_equal(world_qp_state(&p->a), 6);
}

/* A doorbell that names a CQ of nobody, or of another page, arms nothing. */
static void
doorbell_for_no_cq_of_the_page_is_ignored(void **state)
{
	struct pair *p = *state;
	uint64_t be = htobe64(0xabcdef);

	memcpy(p->a.uar + 0x20, &be, 8);
	world_run(&p->w);
	post_nop(p);
	assert_null(world_eqe(&p->w, 0));
}

static void
cq_lets_go_of_its_page_of_doorbells(void **state)
{
	struct pair *p = *state;
	uint32_t own = p->w.dev[0].uarn;
	uint8_t in[WORLD_BOX], out[16];

	assert_int_equal(world_cmd(p->a.hca, 0x802, 0, &p->w.dev[0].uarn), 0);
	world_cq_box(&p->w, 0, in, p->a.umem, WORLD_SCQ_OFF, WORLD_DBR_OFF + 192);
	assert_int_equal(swhca_hca_cmd_exec(p->a.hca, in, sizeof(in), out, sizeof(out)), 0);
	assert_int_equal(world_cmd(p->a.hca, 0x803, p->w.dev[0].uarn, NULL), 0x06);
	assert_int_equal(world_cmd(p->a.hca, 0x401, be32_at(out, 8), NULL), 0);
	assert_int_equal(world_cmd(p->a.hca, 0x803, p->w.dev[0].uarn, NULL), 0);
	p->w.dev[0].uarn = own;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(only_an_armed_cq_tells_and_once),
		CASE(completion_before_the_arm_is_told_at_once),
		CASE(arm_of_before_the_last_event_is_ignored),
		CASE(lost_doorbell_of_a_shared_page_is_found_in_the_record),
		CASE(cq_that_nobody_armed_stays_silent),
		CASE(solicited_arm_waits_for_a_solicited_completion),
		CASE(error_is_a_solicited_completion),
		CASE(overrun_raises_errors_of_cq_and_qp),
		CASE(overrun_of_a_receive_cq_fails_the_receiver),
		CASE(doorbell_for_no_cq_of_the_page_is_ignored),
		CASE(cq_lets_go_of_its_page_of_doorbells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
