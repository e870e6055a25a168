/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Strict devices: a doorbell that is ahead of its record is an error of its queue, everything else
 * is none. The engine runs when a case says so, so that a doorbell is seen at a chosen moment.
 */

#include <signal.h>

#include "object/hca_state.h"
#include "pair.h"

#define BF_HALF		0x100u
#define SEND_DOORBELL	0x800u
#define CQ_DOORBELL	0x20u
#define EVENT_CQ_ERROR	0x04
#define EVENT_WQ_CATAS	0x05
#define STATE_RTS	3
#define STATE_ERR	6

/* As next_case(), with strict devices. */
static struct pair *
strict_case(void **state, const char *name)
{
	struct swhca_hca_conf conf[2];

	world_conf(conf);
	conf[0].is_strict = conf[1].is_strict = true;
	return next_case_conf(state, name, conf);
}

static int
strict_setup(void **state)
{
	*state = NULL;
	strict_case(state, NULL);
	return 0;
}

#define STRICT_CASE(f) CASE_OF(struct pair, p, f, strict_setup, teardown)

static uint64_t
nb_errors(const struct pair *p)
{
	struct swhca_hca_stats stats;

	swhca_hca_stats_get(p->w.dev[0].hca, &stats);
	return stats.nb_doorbell_errors;
}

static bool
has_event(struct pair *p, uint8_t type)
{
	const uint8_t *eqe;
	bool is_found = false;

	while ((eqe = world_eqe(&p->w, 0)) != NULL)
		is_found = is_found || eqe[1] == type;
	world_eq_ring(&p->w, 0, false);
	return is_found;
}

static void
record_write(struct world_qp *qp, uint32_t pi)
{
	world_store(qp->page + WORLD_DBR_OFF + 4, pi);
}

static uint64_t
doorbell_of(const struct world_qp *qp, uint16_t index)
{
	uint64_t value;

	memcpy(&value, qp->page + WORLD_SQ_OFF + (size_t)(index % WORLD_SQ_BB) * 64, 8);
	return value;
}

/* To the memory of the BAR, where the engine finds it, or as a store that is seen. */
static void
doorbell_write(struct pair *p, struct world_qp *qp, size_t at, uint64_t value, bool is_seen)
{
	uint64_t page = (uint64_t)(qp->uar - p->w.dev[0].bar);

	if (is_seen)
		swhca_hca_uar_store(qp->hca, page + at, &value, sizeof(value));
	else
		memcpy(qp->uar + at, &value, sizeof(value));
}

/* The send doorbell of the WQE of that index. */
static void
ring_index(struct pair *p, uint16_t index, bool is_seen)
{
	doorbell_write(p, &p->a, SEND_DOORBELL, doorbell_of(&p->a, index), is_seen);
}

static void
expect_all_done(struct pair *p, uint16_t first, unsigned int nb)
{
	world_run(&p->w);
	expect_dones(&p->a, first, nb);
	assert_int_equal(nb_errors(p), 0);
}

static void
expect_caught(struct pair *p, unsigned int nb_posted)
{
	const uint64_t nb = nb_errors(p);

	assert_int_equal(nb, 1);
	world_run(&p->w);
	assert_int_equal(nb_errors(p), nb);
	assert_int_equal(world_qp_state(&p->a), STATE_ERR);
	assert_true(has_event(p, EVENT_WQ_CATAS));
	for (; nb_posted > 0; nb_posted--)
		assert_int_equal(next_syndrome(&p->a), MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	assert_null(world_send_cqe(&p->a));
}

CASES(doorbells_before_their_record_are_caught)
{
	struct pair *p = strict_case(state, "seen");
	struct world_klm klms[5] = { 0 };

	post_nops(&p->a, 1);
	ring_index(p, 0, true);
	record_write(&p->a, 1);
	expect_caught(p, 1);

	/* Before anybody looks, the record is there: the engine alone cannot know. */
	p = strict_case(state, "not seen");
	post_nops(&p->a, 1);
	ring_index(p, 0, false);
	record_write(&p->a, 1);
	expect_all_done(p, 0, 1);

	p = strict_case(state, "without record");
	post_nops(&p->a, 2);
	record_write(&p->a, 1);
	doorbell_write(p, &p->a, SEND_DOORBELL + BF_HALF, doorbell_of(&p->a, 1), false);
	world_run(&p->w);
	expect_caught(p, 1);
	/* What its record covers at last comes back as well. */
	record_write(&p->a, 2);
	world_wait(1000000);
	ring_index(p, 1, false);
	world_run(&p->w);
	assert_int_equal(next_syndrome(&p->a), MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	assert_null(world_send_cqe(&p->a));

	/* A WQE of several basic blocks, the last of which the record does not count. */
	p = strict_case(state, "within the WQE");
	klms[0] = (struct world_klm){ 64, p->w.mem_key[0], (uintptr_t)p->w.mem };
	post_umr(p, world_klm_key(&p->w, 0, 8), WORLD_LR, 320, klms, 5);
	assert_true(p->a.pi > 1);
	record_write(&p->a, p->a.pi - 1u);
	ring_index(p, 0, true);
	assert_int_equal(nb_errors(p), 1);
}

/* At every index of ring and counter, the doorbell of the last of two or of the first of them. */
STRICT_CASE(records_that_are_written_first_are_good)
{
	for (uint32_t i = 0; i < 0x10000 + 200; i += 2) {
		post_nops(&p->a, 2);
		record_write(&p->a, p->a.pi);
		doorbell_write(p, &p->a, SEND_DOORBELL + i / 2 % 2 * BF_HALF,
			       doorbell_of(&p->a, (uint16_t)(i + i / 4 % 2)), i / 8 % 2);
		expect_all_done(p, (uint16_t)i, 2);
	}
	assert_int_equal(world_qp_state(&p->a), STATE_RTS);
}

/* A queue that has done nb WQEs. */
static void
queue_at(struct pair *p, uint32_t nb)
{
	world_qp_destroy(&p->a);
	world_qp_create(&p->w, 0, &p->a);
	world_qp_connect(&p->w, &p->a, &p->a);
	for (; nb > 0; nb--) {
		world_post(&p->a, OP_NOP, 0, 0, NULL, 0);
		if (nb % WORLD_SQ_BB == 1) {
			world_ring(&p->a);
			world_run(&p->w);
		}
	}
}

STRICT_CASE(records_that_are_behind_are_caught_anywhere)
{
	static const uint32_t done[] = { 0, 1, 63, 64, 0x7fff, 0x8000, 0xfffe, 0xffff, 0x10000 };
	bool is_seen;

	for (size_t i = 0; i < 2 * NB_OF(done); i++) {
		is_seen = i % 2 == 0;
		queue_at(p, done[i / 2]);
		/* One is missing, or all that a ring holds. */
		post_nops(&p->a, is_seen ? 1 : WORLD_SQ_BB);
		ring_index(p, p->a.last, is_seen);
		world_run(&p->w);
		assert_int_equal(nb_errors(p), i + 1);
		assert_int_equal(world_qp_state(&p->a), STATE_ERR);
		assert_true(has_event(p, EVENT_WQ_CATAS));
	}
}

/* It was seen late: its WQE is done, and the ring was filled again behind it. */
CASES(doorbells_of_other_times_and_places_are_good)
{
	struct pair *p = strict_case(state, "old");
	uint64_t old, page;
	struct world_qp *qp;
	uint8_t wqe[64];

	post_nops(&p->a, 1);
	old = doorbell_of(&p->a, 0);
	world_ring(&p->a);
	expect_all_done(p, 0, 1);
	post_nops(&p->a, WORLD_SQ_BB - 1);
	record_write(&p->a, p->a.pi);
	doorbell_write(p, &p->a, SEND_DOORBELL, old, false);
	expect_all_done(p, 1, WORLD_SQ_BB - 1);
	doorbell_write(p, &p->a, SEND_DOORBELL, old, true);
	expect_all_done(p, 0, 0);

	p = strict_case(state, "before a reset");
	qp = &p->a;
	post_nops(qp, 9);
	world_ring(qp);
	assert_int_equal(world_cmd(qp->hca, 0x50a, qp->qpn, NULL), 0);
	qp->pi = 0;
	memset(qp->page + WORLD_DBR_OFF, 0, 8);
	world_qp_connect(&p->w, qp, qp);
	world_run(&p->w);
	assert_int_equal(nb_errors(p), 0);
	assert_int_equal(world_qp_state(qp), STATE_RTS);

	p = strict_case(state, "strangers and parts");
	page = (uint64_t)(p->a.uar - p->w.dev[0].bar);
	post_nops(&p->a, 1);
	/* No such queue; not the beginning of a register; less than a doorbell; no page. */
	doorbell_write(p, &p->a, SEND_DOORBELL, UINT64_MAX, true);
	doorbell_write(p, &p->a, SEND_DOORBELL + 8, doorbell_of(&p->a, 0), true);
	swhca_hca_uar_store(p->a.hca, page + SEND_DOORBELL, p->a.page + WORLD_SQ_OFF, 4);
	swhca_hca_uar_store(p->a.hca, 200 * SWHCA_UAR_SIZE + SEND_DOORBELL,
			    p->a.page + WORLD_SQ_OFF, 8);
	assert_int_equal(nb_errors(p), 0);
	/* A whole WQE is a doorbell as well. */
	record_write(&p->a, 1);
	memcpy(wqe, p->a.page + WORLD_SQ_OFF, sizeof(wqe));
	swhca_hca_uar_store(p->a.hca, page + SEND_DOORBELL, wqe, sizeof(wqe));
	assert_memory_equal(p->a.uar + SEND_DOORBELL, wqe, sizeof(wqe));
	expect_all_done(p, 0, 1);
}

PAIR_CASE(lenient_device_says_nothing)
{
	post_nops(&p->a, 1);
	ring_index(p, 0, true);
	world_run(&p->w);
	assert_null(world_send_cqe(&p->a));
	record_write(&p->a, 1);
	ring_index(p, 0, true);
	expect_all_done(p, 0, 1);
}

/* Arming */

static void
arm_record_write(struct world_qp *qp, uint32_t value)
{
	world_store(qp->page + WORLD_DBR_OFF + 64 + 4, value);
}

static uint64_t
arm_doorbell_of(const struct world_qp *qp, uint32_t value)
{
	return htobe64((uint64_t)value << 32 | qp->scqn);
}

CASES(arms_need_a_record)
{
	struct pair *p = strict_case(state, "without");
	const uint32_t values[][2] = {	/* doorbell, record */
		{ 0, 0 }, { 0, 1 }, { 0xffffff, 0xffffff }, { 0xffffff, 0 },
		{ 0x01000007, 0x01000007 }, { 7, 0x01000007 }, { 7, 0x10000009 },
		{ 0x30000007, 0x00000008 },
	};

	/* Seen before its record, */
	doorbell_write(p, &p->a, CQ_DOORBELL, arm_doorbell_of(&p->a, 0), true);
	arm_record_write(&p->a, 0);
	assert_int_equal(nb_errors(p), 1);
	assert_true(has_event(p, EVENT_CQ_ERROR));
	world_run(&p->w);
	assert_int_equal(nb_errors(p), 1);
	/* and found by the engine, of another queue. */
	world_qp_destroy(&p->a);
	world_qp_create(&p->w, 0, &p->a);
	arm_record_write(&p->a, 5);
	doorbell_write(p, &p->a, CQ_DOORBELL, arm_doorbell_of(&p->a, 6), false);
	world_run(&p->w);
	assert_int_equal(nb_errors(p), 2);
	assert_true(has_event(p, EVENT_CQ_ERROR));

	/* Counters wrap, and another thread may have armed behind it. */
	p = strict_case(state, "with");
	for (size_t i = 0; i < NB_OF(values); i++) {
		arm_record_write(&p->a, values[i][1]);
		doorbell_write(p, &p->a, CQ_DOORBELL, arm_doorbell_of(&p->a, values[i][0]),
			       i % 2 == 0);
		world_run(&p->w);
		assert_int_equal(nb_errors(p), 0);
	}
}

/* The engine's view of the page, and what is rung when it is about to write there. */
static struct {
	struct pair *p;
	uint8_t *page;
	uint64_t value;
	unsigned int nb_faults;
} trap;

static void
on_fault(int sig)
{
	trap.nb_faults++;
	mprotect(trap.page, SWHCA_UAR_SIZE, PROT_READ | PROT_WRITE);
	doorbell_write(trap.p, &trap.p->a, SEND_DOORBELL, trap.value, false);
}

/* Read and cleared at once: what comes in between would be lost. Its record says too little. */
STRICT_CASE(doorbell_that_comes_when_one_is_taken_is_heard)
{
	const struct sigaction act = { .sa_handler = on_fault };
	struct sigaction old;

	post_nops(&p->a, 2);
	record_write(&p->a, 1);
	trap.nb_faults = 0;
	trap.p = p;
	trap.page = p->a.hca->bar + (p->a.uar - p->w.dev[0].bar);
	trap.value = doorbell_of(&p->a, 1);
	ring_index(p, 0, false);
	assert_int_equal(sigaction(SIGSEGV, &act, &old), 0);
	assert_int_equal(mprotect(trap.page, SWHCA_UAR_SIZE, PROT_READ), 0);
	world_run(&p->w);
	assert_int_equal(sigaction(SIGSEGV, &old, NULL), 0);
	assert_int_equal(trap.nb_faults, 1);
	assert_int_equal(nb_errors(p), 1);
	assert_int_equal(world_qp_state(&p->a), STATE_ERR);
	assert_true(has_event(p, EVENT_WQ_CATAS));
}
