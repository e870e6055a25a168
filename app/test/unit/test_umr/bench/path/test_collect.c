/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Who waits for a batch leaves its CQE alone: here it is in a page that cannot be read until the
 * batch is taken.
 */

#include <sys/mman.h>
#include <unistd.h>

#include "cases.h"
#include "bench/path/collect.h"
#include "bench/measure/clock.h"

#define NB_OPS	32u

/* A path whose completions are in a page. */
static struct fake {
	volatile uint8_t *cqe;
	uint32_t nb_looks, nb_takes;
	uint32_t nb_early;	/* takes that find nothing */
	int nb_at_once;		/* operations of a take; 0: all */
} fake;

static size_t page_size;
static struct bench_sample sample;
static struct bench_wait cold; /* has learned from 10 cycles */
static uint32_t nb_yields, nb_errors;

/* What would be of the EAL, of libc and of the tool. A second is short here: deadlines are, too. */
uint64_t
rte_get_tsc_hz(void)
{
	return 1000;
}

int
sched_yield(void)
{
	nb_yields++;
	return 0;
}

void
tool_error(const char *format, ...)
{
	nb_errors++;
}

static bool
fake_post(void *ctx, const struct bench_row *row,
	  struct bench_sample *of)
{
	of->posted = rte_rdtsc();
	return true;
}

static bool
fake_has_completion(const void *ctx)
{
	fake.nb_looks++;
	return *fake.cqe != 0;
}

static void
page_protect(int prot)
{
	assert_int_equal(mprotect((void *)(uintptr_t)fake.cqe, page_size, prot), 0);
}

static int
fake_take(void *ctx, uint32_t nb, struct bench_sample *of)
{
	page_protect(PROT_READ);
	fake.nb_takes++;
	of->poll++;
	if (fake.nb_early != 0) {
		fake.nb_early--;
		return 0;
	}
	return fake.nb_at_once != 0 ? fake.nb_at_once : (int)nb;
}

static const struct bench_path fake_path = {
	.name = "fake", .post = fake_post, .has_completion = fake_has_completion, .take = fake_take,
};

/* With a completion, and a page that nobody can read. */
static int
fake_setup(void **state)
{
	page_size = (size_t)sysconf(_SC_PAGESIZE);
	fake = (struct fake){ .cqe = mmap(NULL, page_size, PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) };
	assert_ptr_not_equal(fake.cqe, MAP_FAILED);
	*fake.cqe = 1;
	page_protect(PROT_NONE);
	nb_yields = nb_errors = 0;
	sample = (struct bench_sample){ 0 };
	cold = (struct bench_wait){ 0 };
	bench_wait_learn(&cold, 10);
	return 0;
}

static int
fake_teardown(void **state)
{
	return munmap((void *)(uintptr_t)fake.cqe, page_size);
}

static const struct bench_row row = { .layout = BENCH_LIST, .batch = NB_OPS };

/* A batch with, or without a time to wait, and what was called for all until now. */
static void
batch_is(struct bench_wait *with, bool is_good, bool is_late, uint32_t nb_looks, uint32_t nb_takes)
{
	assert_int_equal(bench_batch(&fake_path, &fake, &row, with, &sample), is_good);
	assert_int_equal(sample.is_late, is_late);
	assert_int_equal(fake.nb_looks, nb_looks);
	assert_int_equal(fake.nb_takes, nb_takes);
}

CASE_WITH(cold_batch_is_taken_without_a_look, fake_setup, fake_teardown)
{
	batch_is(&cold, true, false, 0, 1);
	assert_int_equal(sample.poll, 1);
	assert_int_equal(cold.nb_late, 0);
}

CASE_WITH(warm_batch_is_looked_for_first, fake_setup, fake_teardown)
{
	sample.is_late = true;
	page_protect(PROT_READ | PROT_WRITE);
	batch_is(NULL, true, false, 1, 1);
}

CASE_WITH(late_batch_is_waited_for_and_told, fake_setup, fake_teardown)
{
	const uint64_t cycles = cold.cycles;

	fake.nb_early = 1;
	batch_is(&cold, true, true, 1, 2);
	assert_int_equal(cold.nb_late, 1);
	assert_int_equal(cold.cycles, cycles);
	/* The next one is another matter. */
	batch_is(&cold, true, false, 1, 3);
	assert_int_equal(cold.nb_late, 1);
	assert_int_equal(cold.nb_late_in_row, 0);
}

CASE_WITH(rest_of_a_batch_is_no_late_one, fake_setup, fake_teardown)
{
	fake.nb_at_once = NB_OPS / 4;
	batch_is(&cold, true, false, 3, 4);
	assert_int_equal(sample.poll, 4);
}

CASE_WITH(batch_that_never_comes_is_an_error, fake_setup, fake_teardown)
{
	page_protect(PROT_READ | PROT_WRITE);
	*fake.cqe = 0;
	assert_false(bench_batch(&fake_path, &fake, &row, NULL, &sample));
	assert_int_equal(fake.nb_takes, 0);
	assert_int_equal(nb_errors, 1);
	/* Nor is a CQE enough that stays and brings nothing. */
	*fake.cqe = 1;
	fake.nb_early = UINT32_MAX;
	assert_false(bench_batch(&fake_path, &fake, &row, NULL, &sample));
	assert_int_equal(nb_errors, 2);
}

CASE_WITH(keys_of_a_pool_wait_for_nobody, fake_setup, fake_teardown)
{
	const struct bench_row keyget = { .layout = BENCH_KEYGET, .batch = NB_OPS };

	sample.is_late = true;
	assert_true(bench_batch(&fake_path, &fake, &keyget, &cold, &sample));
	assert_int_equal(fake.nb_takes + fake.nb_looks, 0);
	assert_false(sample.is_late);
}

CASE_WITH(wait_follows_the_shortest_time, fake_setup, fake_teardown)
{
	struct bench_wait some = { 0 }, other = { 0 };

	bench_wait_learn(&some, 5000);
	bench_wait_learn(&some, 3000);
	bench_wait_learn(&some, UINT64_C(1) << 40);
	bench_wait_learn(&other, 3000);
	assert_int_equal(some.cycles, other.cycles);
	assert_true(some.cycles > 2 * 3000);
}

/* A device that has become 10 million times slower; a minute would be too long. */
static void
wait_lengthen(void)
{
	while (cold.cycles < 100000000)
		bench_wait_judge(&cold, true);
}

CASE_WITH(wait_becomes_long_enough, fake_setup, fake_teardown)
{
	wait_lengthen();
	assert_true(cold.nb_late < 100);
}

CASE_WITH(late_batch_now_and_then_changes_nothing, fake_setup, fake_teardown)
{
	const uint64_t cycles = cold.cycles;

	/* On a machine with much else to do, each wait would be longer than a time slice soon. */
	for (uint32_t i = 0; i < 1000; i++)
		bench_wait_judge(&cold, i % 2 == 0);
	assert_int_equal(cold.nb_late, 500);
	assert_int_equal(cold.cycles, cycles);
}

CASE_WITH(wait_that_became_long_gets_short_again, fake_setup, fake_teardown)
{
	const uint64_t cycles = cold.cycles;

	wait_lengthen();
	for (uint32_t i = 0; i < 1000; i++) {
		assert_true(cold.cycles >= cycles);
		bench_wait_judge(&cold, false);
	}
	assert_int_equal(cold.cycles, cycles);
}

CASE_WITH(wait_begins_with_the_doorbell, fake_setup, fake_teardown)
{
	struct bench_wait long_one = { .cycles = 1000000 };
	uint64_t start = rte_rdtsc();

	bench_wait_until(&long_one, start);
	assert_true(rte_rdtsc() - start >= long_one.cycles);
	/* Long ago: at once, or this would not end. */
	long_one.cycles = start / 2;
	bench_wait_until(&long_one, 0);
}

CASE_WITH(device_that_is_always_late_gets_this_cpu, fake_setup, fake_teardown)
{
	struct bench_wait short_one = { .cycles = 1 };

	for (uint32_t i = 0; i < BENCH_WAIT_MAX_IN_ROW; i++) {
		bench_wait_until(&short_one, 0);
		assert_int_equal(nb_yields, 0);
		bench_wait_judge(&short_one, true);
	}
	bench_wait_until(&short_one, 0);
	assert_int_equal(nb_yields, 1);
	bench_wait_judge(&short_one, false);
	bench_wait_until(&short_one, 0);
	assert_int_equal(nb_yields, 1);
}
