/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Event queues: create, write, interrupt, doorbell, overrun. The core raises an event by the seam
 * that all its rooms use.
 */

#include "queue/eq.h"
#include "types.h"

static void
raise_event(struct pair *p, uint8_t type, uint32_t num)
{
	swhca_fabric_lock(p->w.fabric);
	swhca_event_raise(p->w.dev[0].hca, type, num);
	swhca_fabric_unlock(p->w.fabric);
}

CASES(events_are_written_where_the_prm_says)
{
	struct pair *p = next_case(state, "number");
	const uint8_t *eqe;

	raise_event(p, 0x02, 0x123456);
	expect_event(&p->w, 0, 0x02, 0x123456);
	assert_null(world_eqe(&p->w, 0));

	p = next_case(state, "CQ error and port");
	swhca_fabric_lock(p->w.fabric);
	swhca_event_raise_cq_error(p->w.dev[0].hca, 0x321, 1);
	swhca_event_raise_port(p->w.dev[0].hca, 1, 4);
	swhca_fabric_unlock(p->w.fabric);
	eqe = NOT_NULL(world_eqe(&p->w, 0));
	assert_int_equal(eqe[1], 0x04);
	assert_int_equal(world_get(eqe, 8), 0x321);
	assert_int_equal(eqe[43], 1);
	eqe = NOT_NULL(world_eqe(&p->w, 0));
	assert_int_equal(eqe[1], 0x09);
	assert_int_equal(eqe[3], 4);
	assert_int_equal(eqe[40] >> 4, 1);
}

CASES(only_an_armed_queue_interrupts_and_once)
{
	struct pair *p = next_case(state, "armed before");

	raise_event(p, 0x02, 1);
	assert_int_equal(p->w.dev[0].nb_interrupts, 0);
	assert_non_null(world_eqe(&p->w, 0));
	world_eq_ring(&p->w, 0, true);
	world_run(&p->w);
	assert_int_equal(p->w.dev[0].nb_interrupts, 0);
	raise_event(p, 0x02, 1);
	raise_event(p, 0x02, 1);
	assert_int_equal(p->w.dev[0].nb_interrupts, 1);
	assert_int_equal(p->w.dev[1].nb_interrupts, 0);

	p = next_case(state, "armed behind");
	raise_event(p, 0x02, 1);
	raise_event(p, 0x02, 2);
	assert_non_null(world_eqe(&p->w, 0));
	world_eq_ring(&p->w, 0, false);
	world_run(&p->w);
	assert_int_equal(p->w.dev[0].nb_interrupts, 0);
	world_eq_ring(&p->w, 0, true);
	world_run(&p->w);
	assert_int_equal(p->w.dev[0].nb_interrupts, 1);
}

static uint32_t
query_eq(struct pair *p, unsigned int dw)
{
	uint8_t out[0x50];

	assert_int_equal(world_query(p->a.hca, 0x303, 0, p->w.dev[0].eqn, out, sizeof(out)), 0);
	return world_get(out, 4 + dw);
}

CASES(ring_wraps_and_overrun_stops_it)
{
	struct pair *p = next_case(state, "wrap");

	for (uint32_t i = 0; i < 3 * WORLD_EQ_EQES; i++) {
		raise_event(p, 0x14, i);
		expect_event(&p->w, 0, 0x14, i);
		world_eq_ring(&p->w, 0, false);
	}

	p = next_case(state, "overrun");
	assert_int_equal(query_eq(p, 0) >> 28, 0);
	for (uint32_t i = 0; i < WORLD_EQ_EQES + 2; i++)
		raise_event(p, 0x14, i);
	assert_int_equal(query_eq(p, 0) >> 28, 0xa);
	assert_int_equal(query_eq(p, 11), WORLD_EQ_EQES);
	for (uint32_t i = 0; i < WORLD_EQ_EQES; i++)
		expect_event(&p->w, 0, 0x14, i);
	assert_null(world_eqe(&p->w, 0));
}

PAIR_CASE(queues_that_cannot_work_are_rejected)
{
	struct world_dev *dev = &p->w.dev[0];
	uint8_t in[WORLD_EQ_BOX];

	world_eq_box(dev, in, 7, dev->eq);	/* 8 KiB in one page */
	assert_int_equal(world_exec(dev->hca, in, sizeof(in)), 0x40);
	world_eq_box(dev, in, 23, dev->eq);
	assert_int_equal(world_exec(dev->hca, in, sizeof(in)), 0x08);
	world_eq_box(dev, in, 6, dev->eq);
	world_put(in, 7, 0, 0xffff);		/* no such UAR */
	assert_int_equal(world_exec(dev->hca, in, sizeof(in)), 0x05);
	assert_int_equal(world_cmd(dev->hca, 0x803, dev->eq_uarn, NULL), 0x06);
}

CASE(events_of_a_destroyed_queue_are_lost)
{
	struct pair p = { 0 };

	world_create(&p.w);
	assert_int_equal(world_cmd(p.w.dev[0].hca, 0x302, p.w.dev[0].eqn, NULL), 0);
	raise_event(&p, 0x14, 1);
	assert_null(world_eqe(&p.w, 0));
	world_destroy(&p.w);
}
