/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Who waits for a batch leaves its CQE alone: here it is in a page that cannot be read until the
 * batch is taken.
 */

#include <sys/mman.h>
#include <unistd.h>

#include "unit.h"
#include "bench/path/collect.h"
#include "bench/measure/clock.h"

#define NB_OPS	32u

/* A path whose completions are in a page. */
struct fake {
	volatile uint8_t *cqe;
	uint32_t nb_looks;
	uint32_t nb_takes;
	uint32_t nb_early;	/* takes that find nothing */
	int nb_at_once;		/* operations of a take; 0: all */
};

static uint32_t nb_yields;
static uint32_t nb_errors;

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
tool_error(const char *format __rte_unused, ...)
{
	nb_errors++;
}

static bool
fake_post(void *ctx __rte_unused, const struct bench_row *row __rte_unused,
	  struct bench_sample *sample)
{
	sample->posted = rte_rdtsc();
	return true;
}

static bool
fake_has_completion(const void *ctx)
{
	struct fake *fake = (struct fake *)(uintptr_t)ctx;

	fake->nb_looks++;
	return *fake->cqe != 0;
}

static int
fake_take(void *ctx, uint32_t nb, struct bench_sample *sample)
{
	struct fake *fake = ctx;

	assert_int_equal(mprotect((void *)(uintptr_t)fake->cqe, (size_t)sysconf(_SC_PAGESIZE),
				  PROT_READ), 0);
	fake->nb_takes++;
	sample->poll++;
	if (fake->nb_early != 0) {
		fake->nb_early--;
		return 0;
	}
	return fake->nb_at_once != 0 ? fake->nb_at_once : (int)nb;
}

static const struct bench_path fake_path = {
	.name = "fake",
	.post = fake_post,
	.has_completion = fake_has_completion,
	.take = fake_take,
};

/* With a completion, and a page that nobody can read. */
static int
fake_setup(void **state)
{
	static struct fake fake;
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			     0);

	assert_ptr_not_equal(page, MAP_FAILED);
	page[0] = 1;
	assert_int_equal(mprotect(page, size, PROT_NONE), 0);
	fake = (struct fake){ .cqe = page };
	nb_yields = nb_errors = 0;
	*state = &fake;
	return 0;
}

static int
fake_teardown(void **state)
{
	struct fake *fake = *state;

	return munmap((void *)(uintptr_t)fake->cqe, (size_t)sysconf(_SC_PAGESIZE));
}

/* For what looks. */
static void
page_open(struct fake *fake)
{
	assert_int_equal(mprotect((void *)(uintptr_t)fake->cqe, (size_t)sysconf(_SC_PAGESIZE),
				  PROT_READ | PROT_WRITE), 0);
}

static const struct bench_row row = { .layout = BENCH_LIST, .batch = NB_OPS };

static void
cold_batch_is_taken_without_a_look(void **state)
{
	struct bench_sample sample = { 0 };
	struct bench_wait wait = { 0 };
	struct fake *fake = *state;

	bench_wait_learn(&wait, 10);
	assert_true(bench_batch(&fake_path, fake, &row, &wait, &sample));
	assert_int_equal(fake->nb_looks, 0);
	assert_int_equal(fake->nb_takes, 1);
	assert_int_equal(sample.poll, 1);
	assert_false(sample.is_late);
	assert_int_equal(wait.nb_late, 0);
}

static void
warm_batch_is_looked_for_first(void **state)
{
	struct bench_sample sample = { .is_late = true };
	struct fake *fake = *state;

	page_open(fake);
	assert_true(bench_batch(&fake_path, fake, &row, NULL, &sample));
	assert_int_equal(fake->nb_looks, 1);
	assert_int_equal(fake->nb_takes, 1);
	assert_false(sample.is_late);
}

static void
late_batch_is_waited_for_and_told(void **state)
{
	struct bench_sample sample = { 0 };
	struct bench_wait wait = { 0 };
	struct fake *fake = *state;
	uint64_t cycles;

	bench_wait_learn(&wait, 10);
	cycles = wait.cycles;
	fake->nb_early = 1;
	assert_true(bench_batch(&fake_path, fake, &row, &wait, &sample));
	assert_true(sample.is_late);
	assert_int_equal(fake->nb_looks, 1);
	assert_int_equal(fake->nb_takes, 2);
	assert_int_equal(wait.nb_late, 1);
	assert_int_equal(wait.cycles, cycles);
	/* The next one is another matter. */
	assert_true(bench_batch(&fake_path, fake, &row, &wait, &sample));
	assert_false(sample.is_late);
	assert_int_equal(wait.nb_late, 1);
	assert_int_equal(wait.nb_late_in_row, 0);
}

static void
rest_of_a_batch_is_no_late_one(void **state)
{
	struct bench_sample sample = { 0 };
	struct bench_wait wait = { 0 };
	struct fake *fake = *state;

	bench_wait_learn(&wait, 10);
	fake->nb_at_once = NB_OPS / 4;
	assert_true(bench_batch(&fake_path, fake, &row, &wait, &sample));
	assert_int_equal(fake->nb_takes, 4);
	assert_int_equal(sample.poll, 4);
	assert_false(sample.is_late);
}

static void
batch_that_never_comes_is_an_error(void **state)
{
	struct bench_sample sample = { 0 };
	struct fake *fake = *state;

	page_open(fake);
	*fake->cqe = 0;
	assert_false(bench_batch(&fake_path, fake, &row, NULL, &sample));
	assert_int_equal(fake->nb_takes, 0);
	assert_int_equal(nb_errors, 1);
	/* Nor is a CQE enough that stays and brings nothing. */
	*fake->cqe = 1;
	fake->nb_early = UINT32_MAX;
	assert_false(bench_batch(&fake_path, fake, &row, NULL, &sample));
	assert_int_equal(nb_errors, 2);
}

static void
keys_of_a_pool_wait_for_nobody(void **state)
{
	const struct bench_row keyget = { .layout = BENCH_KEYGET, .batch = NB_OPS };
	struct bench_sample sample = { .is_late = true };
	struct bench_wait wait = { 0 };
	struct fake *fake = *state;

	bench_wait_learn(&wait, 10);
	assert_true(bench_batch(&fake_path, fake, &keyget, &wait, &sample));
	assert_int_equal(fake->nb_takes + fake->nb_looks, 0);
	assert_false(sample.is_late);
}

static void
wait_follows_the_shortest_time(void **state __rte_unused)
{
	struct bench_wait wait = { 0 }, other = { 0 };

	bench_wait_learn(&wait, 5000);
	bench_wait_learn(&wait, 3000);
	bench_wait_learn(&wait, UINT64_C(1) << 40);
	bench_wait_learn(&other, 3000);
	assert_int_equal(wait.cycles, other.cycles);
	assert_true(wait.cycles > 2 * 3000);
}

static void
wait_becomes_long_enough(void **state __rte_unused)
{
	struct bench_wait wait = { 0 };

	bench_wait_learn(&wait, 10);
	/* A device that has become 10 million times slower; a minute would be too long. */
	while (wait.cycles < 100000000)
		bench_wait_judge(&wait, true);
	assert_true(wait.nb_late < 100);
}

static void
late_batch_now_and_then_changes_nothing(void **state __rte_unused)
{
	struct bench_wait wait = { 0 };
	uint64_t cycles;

	bench_wait_learn(&wait, 10);
	cycles = wait.cycles;
	/* On a machine with much else to do, each wait would be longer than a time slice soon. */
	for (uint32_t i = 0; i < 1000; i++)
		bench_wait_judge(&wait, i % 2 == 0);
	assert_int_equal(wait.nb_late, 500);
	assert_int_equal(wait.cycles, cycles);
}

static void
wait_that_became_long_gets_short_again(void **state __rte_unused)
{
	struct bench_wait wait = { 0 };
	uint64_t cycles;

	bench_wait_learn(&wait, 10);
	cycles = wait.cycles;
	while (wait.cycles < 100000000)
		bench_wait_judge(&wait, true);
	for (uint32_t i = 0; i < 1000; i++) {
		assert_true(wait.cycles >= cycles);
		bench_wait_judge(&wait, false);
	}
	assert_int_equal(wait.cycles, cycles);
}

static void
wait_begins_with_the_doorbell(void **state __rte_unused)
{
	struct bench_wait wait = { .cycles = 1000000 };
	uint64_t start = rte_rdtsc();

	bench_wait_until(&wait, start);
	assert_true(rte_rdtsc() - start >= wait.cycles);
	/* Long ago: at once, or this would not end. */
	wait.cycles = start / 2;
	bench_wait_until(&wait, 0);
}

static void
device_that_is_always_late_gets_this_cpu(void **state __rte_unused)
{
	struct bench_wait wait = { .cycles = 1 };

	for (uint32_t i = 0; i < BENCH_WAIT_MAX_IN_ROW; i++) {
		bench_wait_until(&wait, 0);
		assert_int_equal(nb_yields, 0);
		bench_wait_judge(&wait, true);
	}
	bench_wait_until(&wait, 0);
	assert_int_equal(nb_yields, 1);
	bench_wait_judge(&wait, false);
	bench_wait_until(&wait, 0);
	assert_int_equal(nb_yields, 1);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(cold_batch_is_taken_without_a_look),
		TEST(warm_batch_is_looked_for_first),
		TEST(late_batch_is_waited_for_and_told),
		TEST(rest_of_a_batch_is_no_late_one),
		TEST(batch_that_never_comes_is_an_error),
		TEST(keys_of_a_pool_wait_for_nobody),
		TEST(wait_follows_the_shortest_time),
		TEST(wait_becomes_long_enough),
		TEST(late_batch_now_and_then_changes_nothing),
		TEST(wait_that_became_long_gets_short_again),
		TEST(wait_begins_with_the_doorbell),
		TEST(device_that_is_always_late_gets_this_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
