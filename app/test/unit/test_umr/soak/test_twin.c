/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Memory that is not as it must be is found, whatever is in doubt beside it. */

#include "cases.h"
#include "soak/ledger/twin.h"

#define SIZE 64u

static uint8_t memory[SIZE];
static struct soak_twin twin;
static uint32_t first_bad; /* of the last settle() */

/* Two pieces, in the other order than in memory. */
static const struct layout pieces = {
	.repeat = 1, .nb_pieces = 2, .pieces = { { 8, 2, 0 }, { 2, 3, 0 } },
};
static const struct layout flat = { .repeat = 1, .nb_pieces = 1, .pieces = { { 0, 16, 0 } } };

static int
setup(void **state)
{
	for (unsigned int i = 0; i < SIZE; i++)
		memory[i] = (uint8_t)i;
	assert_true(soak_twin_create(&twin, memory, SIZE));
	return 0;
}

static int
teardown(void **state)
{
	soak_twin_destroy(&twin);
	return 0;
}

/* As the case began. */
static void
anew(void)
{
	teardown(NULL);
	setup(NULL);
}

/* @return Bytes that are wrong. */
static uint32_t
settle(void)
{
	return soak_twin_settle(&twin, &first_bad);
}

/* Bytes [32, 37) go under the pieces at 16: 32, 33 to 24, 25; 34 to 36 to 18 to 20. */
static const struct soak_part src = { &twin, 32, &flat, 0 };
static const struct soak_part dst = { &twin, 16, &pieces, 0 };

static void
device_moves(unsigned int nb)
{
	static const uint8_t order[] = { 24, 25, 18, 19, 20 };

	for (unsigned int i = 0; i < nb; i++)
		memory[order[i]] = (uint8_t)(32 + i);
}

CASE_WITH(what_was_executed_is_good, setup, teardown)
{
	soak_twin_move(&dst, &src, 5, false);
	device_moves(5);
	assert_int_equal(settle(), 0);
	soak_twin_write(&twin, 3, "abc", 3);
	assert_int_equal(settle(), 0);
}

CASE_WITH(what_a_layout_is_filled_with_is_good, setup, teardown)
{
	static const uint8_t order[] = { 25, 18, 19, 20 };
	struct soak_part part = dst;

	part.from = 1;
	soak_twin_fill(&part, "abcd", 4);
	for (unsigned int i = 0; i < sizeof(order); i++)
		assert_int_equal(memory[order[i]], 'a' + i);
	assert_int_equal(memory[24], 24);
	assert_int_equal(settle(), 0);
	memory[18] ^= 1;
	assert_int_equal(settle(), 1);
}

CASE_WITH(what_was_not_executed_is_found, setup, teardown)
{
	soak_twin_move(&dst, &src, 5, false);
	device_moves(4);
	assert_int_equal(settle(), 1);
	assert_int_equal(first_bad, 20);
	/* It is told once. */
	assert_int_equal(settle(), 0);
}

CASE_WITH(a_byte_beside_is_found, setup, teardown)
{
	soak_twin_move(&dst, &src, 5, false);
	device_moves(5);
	memory[SIZE - 1] ^= 0x10;
	memory[0] ^= 1;
	first_bad = SIZE;
	assert_int_equal(settle(), 2);
	assert_int_equal(first_bad, 0);
}

CASE_WITH(doubt_allows_both_and_nothing_else, setup, teardown)
{
	for (unsigned int nb = 0; nb <= 5; nb++) {
		anew();
		soak_twin_move(&dst, &src, 5, true);
		device_moves(nb);
		assert_int_equal(settle(), 0);
		/* From here on it is what it is. */
		memory[24] ^= 0x80;
		assert_int_equal(settle(), 1);
	}
	anew();
	soak_twin_move(&dst, &src, 5, true);
	memory[25] = 99;
	assert_int_equal(settle(), 1);
}

CASE_WITH(doubt_of_what_follows_from_doubt, setup, teardown)
{
	const struct soak_part again = { &twin, 48, &flat, 0 };

	soak_twin_move(&dst, &src, 5, true);
	soak_twin_move(&again, &dst, 5, true);
	device_moves(5);
	memory[48] = 32;
	assert_int_equal(settle(), 0);
	memory[48] = 24;
	assert_int_equal(settle(), 1);
}

static void
trace_is(bool is_touched, bool is_complete)
{
	bool touched, complete;

	soak_twin_trace(&dst, 5, &touched, &complete);
	assert_int_equal(touched, is_touched);
	assert_int_equal(complete, is_complete);
}

CASE_WITH(traces_tell_what_was_executed, setup, teardown)
{
	soak_twin_move(&dst, &src, 5, true);
	trace_is(false, false);
	device_moves(3);
	trace_is(true, false);
	device_moves(5);
	trace_is(true, true);
}
