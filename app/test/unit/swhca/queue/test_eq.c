/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Event queues: create, write, interrupt, doorbell, overrun. The core raises an event by the seam
 * that all its rooms use.
 */

#include "queue/eq.h"
#include "types.h"

static int
eq_setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	world_create(w);
	*state = w;
	return 0;
}

static int
eq_teardown(void **state)
{
	world_destroy(*state);
	free(*state);
	return 0;
}

#define EQ_CASE(name) cmocka_unit_test_setup_teardown(name, eq_setup, eq_teardown)

static void
raise_event(struct world *w, uint8_t type, uint32_t num)
{
	swhca_fabric_lock(w->fabric);
	swhca_event_raise(w->dev[0].hca, type, num);
	swhca_fabric_unlock(w->fabric);
}

static void
event_is_written_where_the_prm_says(void **state)
{
	struct world *w = *state;

	raise_event(w, 0x02, 0x123456);
	expect_event(w, 0, 0x02, 0x123456);
	assert_null(world_eqe(w, 0));
}

static void
cq_error_names_queue_and_syndrome(void **state)
{
	struct world *w = *state;
	const uint8_t *eqe;

	swhca_fabric_lock(w->fabric);
	swhca_event_raise_cq_error(w->dev[0].hca, 0x321, 1);
	swhca_event_raise_port(w->dev[0].hca, 1, 4);
	swhca_fabric_unlock(w->fabric);
	eqe = world_eqe(w, 0);
	assert_non_null(eqe);
	assert_int_equal(eqe[1], 0x04);
	assert_int_equal(world_get(eqe, 8), 0x321);
	assert_int_equal(eqe[43], 1);
	eqe = world_eqe(w, 0);
	assert_non_null(eqe);
	assert_int_equal(eqe[1], 0x09);
	assert_int_equal(eqe[3], 4);
	assert_int_equal(eqe[40] >> 4, 1);
}

static void
only_an_armed_queue_interrupts_and_once(void **state)
{
	struct world *w = *state;

	raise_event(w, 0x02, 1);
	assert_int_equal(w->dev[0].nb_interrupts, 0);
	assert_non_null(world_eqe(w, 0));
	world_eq_ring(w, 0, true);
	world_run(w);
	assert_int_equal(w->dev[0].nb_interrupts, 0);
	raise_event(w, 0x02, 1);
	raise_event(w, 0x02, 1);
	assert_int_equal(w->dev[0].nb_interrupts, 1);
	assert_int_equal(w->dev[1].nb_interrupts, 0);
}

static void
arming_behind_an_event_interrupts_at_once(void **state)
{
	struct world *w = *state;

	raise_event(w, 0x02, 1);
	raise_event(w, 0x02, 2);
	assert_non_null(world_eqe(w, 0));
	world_eq_ring(w, 0, false);
	world_run(w);
	assert_int_equal(w->dev[0].nb_interrupts, 0);
	world_eq_ring(w, 0, true);
	world_run(w);
	assert_int_equal(w->dev[0].nb_interrupts, 1);
}

static void
ring_wraps_with_the_owner(void **state)
{
	struct world *w = *state;
	uint32_t i;

	for (i = 0; i < 3 * WORLD_EQ_EQES; i++) {
		raise_event(w, 0x14, i);
		expect_event(w, 0, 0x14, i);
		world_eq_ring(w, 0, false);
	}
}

static uint32_t
query_eq(struct world *w, unsigned int dw)
{
	uint8_t out[0x50];

	assert_int_equal(world_query(w->dev[0].hca, 0x303, 0, w->dev[0].eqn, out, sizeof(out)), 0);
	return world_get(out, 4 + dw);
}

static void
overrun_stops_the_queue(void **state)
{
	struct world *w = *state;
	uint32_t i;

	assert_int_equal(query_eq(w, 0) >> 28, 0);
	for (i = 0; i < WORLD_EQ_EQES + 2; i++)
		raise_event(w, 0x14, i);
	assert_int_equal(query_eq(w, 0) >> 28, 0xa);
	assert_int_equal(query_eq(w, 11), WORLD_EQ_EQES);
	for (i = 0; i < WORLD_EQ_EQES; i++)
		expect_event(w, 0, 0x14, i);
	assert_null(world_eqe(w, 0));
}

static void
queues_that_cannot_work_are_rejected(void **state)
{
	struct world *w = *state;
	struct world_dev *dev = &w->dev[0];
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

static void
events_of_a_destroyed_queue_are_lost(void **state)
{
	struct world *w = *state;

	assert_int_equal(world_cmd(w->dev[0].hca, 0x302, w->dev[0].eqn, NULL), 0);
	raise_event(w, 0x14, 1);
	assert_null(world_eqe(w, 0));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		EQ_CASE(event_is_written_where_the_prm_says),
		EQ_CASE(cq_error_names_queue_and_syndrome),
		EQ_CASE(only_an_armed_queue_interrupts_and_once),
		EQ_CASE(arming_behind_an_event_interrupts_at_once),
		EQ_CASE(ring_wraps_with_the_owner),
		EQ_CASE(overrun_stops_the_queue),
		EQ_CASE(queues_that_cannot_work_are_rejected),
		EQ_CASE(events_of_a_destroyed_queue_are_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
