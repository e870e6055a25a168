/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Counters of sections, with an event that every kernel counts: page faults of user space.
 */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <linux/perf_event.h>
#include <sys/mman.h>

#include <bench_count.h>

#define NB_PAGES	16u
#define PAGE_SIZE	4096u

/* Pages that nobody has touched, and will not come in larger ones. */
static uint8_t *
pages_map(void)
{
	void *pages = mmap(NULL, NB_PAGES * PAGE_SIZE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(pages != MAP_FAILED);
	madvise(pages, NB_PAGES * PAGE_SIZE, MADV_NOHUGEPAGE);
	return pages;
}

static void
pages_touch(uint8_t *pages, uint32_t first, uint32_t nb)
{
	for (uint32_t i = first; i < first + nb; i++)
		*(volatile uint8_t *)&pages[i * PAGE_SIZE] = 1;
}

/* Page faults are counted, or the case is skipped: containers may forbid it. */
static void
faults_open(void)
{
	int ret = bench_count_open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);

	if (ret == -EACCES || ret == -EPERM || ret == -ENOSYS)
		skip();
	assert_int_equal(ret, 0);
}

static void
only_what_is_in_sections_counts(void **state)
{
	uint8_t *pages = pages_map();

	(void)state;
	faults_open();
	/* The first section may touch what the counter itself needs. */
	bench_count_section_start();
	bench_count_section_end();
	bench_count_reset();
	pages_touch(pages, 0, 5);
	bench_count_section_start();
	pages_touch(pages, 5, 3);
	bench_count_section_end();
	pages_touch(pages, 8, 6);
	bench_count_section_start();
	pages_touch(pages, 14, 2);
	bench_count_section_end();
	assert_int_equal(bench_counter.sum, 5);
	assert_int_equal(bench_counter.nb_sections, 2);
	assert_false(bench_counter.has_failed);
	bench_count_reset();
	assert_int_equal(bench_counter.sum, 0);
	assert_int_equal(bench_counter.nb_sections, 0);
	bench_count_close();
	munmap(pages, NB_PAGES * PAGE_SIZE);
}

static void
counter_that_cannot_be_read_is_noticed(void **state)
{
	(void)state;
	faults_open();
	close(bench_counter.fd);
	bench_count_section_start();
	bench_count_section_end();
	assert_true(bench_counter.has_failed);
	bench_count_reset();
	assert_false(bench_counter.has_failed);
	/* The descriptor is gone already. */
	bench_counter.fd = -1;
	bench_count_close();
}

static void
unknown_event_is_an_errno(void **state)
{
	int ret = bench_count_open_event(PERF_TYPE_SOFTWARE, UINT64_MAX);

	(void)state;
	assert_true(ret < 0);
	assert_int_equal(bench_counter.fd, -1);
	assert_true(strlen(bench_count_strerror(ret)) > 0);
}

/* Either they are counted, or there is a reason that tells what is missing. */
static void
instructions_are_counted_or_there_is_a_reason(void **state)
{
	int ret = bench_count_open();
	uint64_t nb_empty;

	(void)state;
	if (ret != 0) {
		assert_int_equal(bench_counter.fd, -1);
		assert_string_not_equal(bench_count_strerror(ret), strerror(-ret));
		return;
	}
	bench_count_section_start();
	bench_count_section_end();
	nb_empty = bench_counter.sum;
	bench_count_reset();
	bench_count_section_start();
	for (volatile uint32_t i = 0; i < 1000; i++)
		;
	bench_count_section_end();
	assert_in_range(bench_counter.sum - nb_empty, 3000, 20000);
	bench_count_close();
}

static void
paused_counter_goes_on_as_it_was(void **state)
{
	(void)state;
	bench_counter.is_on = true;
	assert_true(bench_count_pause());
	assert_false(bench_counter.is_on);
	assert_false(bench_count_pause());
	bench_count_resume(true);
	assert_true(bench_counter.is_on);
	bench_count_close();
	assert_false(bench_counter.is_on);
}

static void
reasons_differ(void **state)
{
	(void)state;
	assert_non_null(strstr(bench_count_strerror(-ENOENT), "no counter"));
	assert_non_null(strstr(bench_count_strerror(-EACCES), "perf_event_paranoid"));
	assert_non_null(strstr(bench_count_strerror(-ENOSYS), "kernel"));
	assert_non_null(strstr(bench_count_strerror(-EIO), "read"));
	assert_string_equal(bench_count_strerror(-EMFILE), strerror(EMFILE));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_is_in_sections_counts),
		cmocka_unit_test(counter_that_cannot_be_read_is_noticed),
		cmocka_unit_test(unknown_event_is_an_errno),
		cmocka_unit_test(instructions_are_counted_or_there_is_a_reason),
		cmocka_unit_test(paused_counter_goes_on_as_it_was),
		cmocka_unit_test(reasons_differ),
	};

	return cmocka_run_group_tests_name("umr_bench_count", tests, NULL, NULL);
}
