/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Batches are posted, waited for and taken. The completion of this one is in a page that can only
 * be read when somebody may look at it.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <bench/collect.h>
#include <bench_clock.h>

#define NB_OPS	32u

/* A path whose completions are in a page. */
struct fake {
	volatile uint8_t *cqe;
	uint32_t nb_looks;
	uint32_t nb_takes;
	uint32_t nb_early;	/* takes that find nothing */
	int nb_at_once;		/* operations of a take; 0: all */
};

static uint32_t nb_errors;

/* What would be of the EAL and of the tool. A second is short here: deadlines are, too. */
uint64_t
rte_get_tsc_hz(void)
{
	return 1000;
}

void
tool_error(const char *format, ...)
{
	(void)format;
	nb_errors++;
}

static bool
fake_post(void *ctx, const struct bench_row *row, struct bench_sample *sample)
{
	(void)ctx;
	(void)row;
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
	nb_errors = 0;
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
batch_is_looked_for_first(void **state)
{
	struct bench_sample sample = { 0 };
	struct fake *fake = *state;

	page_open(fake);
	assert_true(bench_batch(&fake_path, fake, &row, &sample));
	assert_int_equal(fake->nb_looks, 1);
	assert_int_equal(fake->nb_takes, 1);
}

static void
batch_is_taken_in_parts(void **state)
{
	struct bench_sample sample = { 0 };
	struct fake *fake = *state;

	page_open(fake);
	fake->nb_at_once = NB_OPS / 4;
	assert_true(bench_batch(&fake_path, fake, &row, &sample));
	assert_int_equal(fake->nb_takes, 4);
	assert_int_equal(sample.poll, 4);
}

static void
batch_that_never_comes_is_an_error(void **state)
{
	struct bench_sample sample = { 0 };
	struct fake *fake = *state;

	page_open(fake);
	*fake->cqe = 0;
	assert_false(bench_batch(&fake_path, fake, &row, &sample));
	assert_int_equal(fake->nb_takes, 0);
	assert_int_equal(nb_errors, 1);
	/* Nor is a CQE enough that stays and brings nothing. */
	*fake->cqe = 1;
	fake->nb_early = UINT32_MAX;
	assert_false(bench_batch(&fake_path, fake, &row, &sample));
	assert_int_equal(nb_errors, 2);
}

static void
keys_of_a_pool_wait_for_nobody(void **state)
{
	const struct bench_row keyget = { .layout = BENCH_KEYGET, .batch = NB_OPS };
	struct bench_sample sample = { 0 };
	struct fake *fake = *state;

	assert_true(bench_batch(&fake_path, fake, &keyget, &sample));
	assert_int_equal(fake->nb_takes + fake->nb_looks, 0);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(batch_is_looked_for_first),
		TEST(batch_is_taken_in_parts),
		TEST(batch_that_never_comes_is_an_error),
		TEST(keys_of_a_pool_wait_for_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
