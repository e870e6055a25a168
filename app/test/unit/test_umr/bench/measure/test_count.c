/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Counters of sections, with an event that every kernel counts: page faults of user space.
 *
 * Both events count what others cause, too. A fault more may come from a page that the kernel has
 * moved or taken away, or from a sanitizer's shadow; an instruction more from every interrupt, on
 * some CPUs. Nothing takes an event away. So a count that is too small is always a defect, and one
 * that is too large is one only if it is so every time.
 */

#include <unistd.h>

#include <linux/perf_event.h>
#include <sys/mman.h>

#include "cases.h"
#include "bench/measure/count.h"

#define NB_PAGES	16u
#define NB_ATTEMPTS	20u

/* Pages that nobody has touched, and will not come in larger ones. */
static uint8_t *
pages_map(size_t page_size)
{
	void *pages = mmap(NULL, NB_PAGES * page_size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(pages != MAP_FAILED);
	/* Fails where the kernel has no larger ones. */
	madvise(pages, NB_PAGES * page_size, MADV_NOHUGEPAGE);
	return pages;
}

/*
 * One fault for each page. A sanitizer would look at its shadow before each store, and the shadow
 * of pages that nobody has touched is one that nobody has touched either: a fault of its own.
 */
static __attribute__((noinline, no_sanitize("address", "thread"))) void
pages_touch(uint8_t *pages, size_t page_size, uint32_t first, uint32_t nb)
{
	for (uint32_t i = first; i < first + nb; i++)
		*(volatile uint8_t *)&pages[i * page_size] = 1;
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

/* Five faults in sections, and eleven that are not; returns how many were counted. */
static uint64_t
faults_count(size_t page_size)
{
	uint8_t *pages = pages_map(page_size);
	uint64_t sum;

	bench_count_reset();
	pages_touch(pages, page_size, 0, 5);
	bench_count_section_start();
	pages_touch(pages, page_size, 5, 3);
	bench_count_section_end();
	pages_touch(pages, page_size, 8, 6);
	bench_count_section_start();
	pages_touch(pages, page_size, 14, 2);
	bench_count_section_end();
	sum = bench_counter.sum;
	assert_int_equal(bench_counter.nb_sections, 2);
	assert_false(bench_counter.has_failed);
	bench_count_reset();
	assert_int_equal(bench_counter.sum, 0);
	assert_int_equal(bench_counter.nb_sections, 0);
	munmap(pages, NB_PAGES * page_size);
	return sum;
}

CASE(only_what_is_in_sections_counts)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t least = UINT64_MAX;

	faults_open();
	for (uint32_t i = 0; i < NB_ATTEMPTS && least != 5; i++) {
		uint64_t sum = faults_count(page_size);

		assert_true(sum >= 5);
		if (sum < least)
			least = sum;
	}
	assert_int_equal(least, 5);
	bench_count_close();
}

CASE(counter_that_cannot_be_read_is_noticed)
{
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

CASE(unknown_event_is_an_errno)
{
	int ret = bench_count_open_event(PERF_TYPE_SOFTWARE, UINT64_MAX);

	assert_true(ret < 0);
	assert_int_equal(bench_counter.fd, -1);
	assert_true(strlen(bench_count_strerror(ret)) > 0);
}

/* How much a section with so many rounds of a loop adds to the counter. */
static uint64_t
loop_count(uint32_t nb_rounds)
{
	bench_count_reset();
	bench_count_section_start();
	for (volatile uint32_t i = 0; i < nb_rounds; i++)
		;
	bench_count_section_end();
	return bench_counter.sum;
}

/*
 * How many instructions a round has is up to the compiler and its sanitizers, but it is one at
 * least, and ten times the rounds are ten times the instructions.
 */
static bool
loops_are_counted(void)
{
	uint64_t empty = loop_count(0);
	uint64_t few = loop_count(1000);
	uint64_t many = loop_count(10000);

	return few >= empty + 1000 && many - empty >= 9 * (few - empty) &&
	       many - empty <= 11 * (few - empty);
}

/* Where they cannot be counted, there is a reason, which a run of the tests shows. */
CASE(instructions_are_counted_or_there_is_a_reason)
{
	int ret = bench_count_open();
	bool is_counted = false;

	if (ret != 0) {
		assert_int_equal(bench_counter.fd, -1);
		assert_true(strlen(bench_count_strerror(ret)) > 0);
		print_message("no instructions: %s\n", bench_count_strerror(ret));
		skip();
	}
	for (uint32_t i = 0; i < NB_ATTEMPTS && !is_counted; i++) {
		is_counted = loops_are_counted();
		/* Others have the counters of this CPU, and may take them at any time. */
		if (bench_counter.has_failed) {
			print_message("no instructions: %s\n", bench_count_strerror(-EIO));
			bench_count_close();
			skip();
		}
	}
	assert_true(is_counted);
	bench_count_close();
}

CASE(paused_counter_goes_on_as_it_was)
{
	bench_counter.is_on = true;
	assert_true(bench_count_pause());
	assert_false(bench_counter.is_on);
	assert_false(bench_count_pause());
	bench_count_resume(true);
	assert_true(bench_counter.is_on);
	bench_count_close();
	assert_false(bench_counter.is_on);
}

CASE(reasons_differ)
{
	assert_non_null(strstr(bench_count_strerror(-ENOENT), "no counter"));
	assert_non_null(strstr(bench_count_strerror(-EACCES), "perf_event_paranoid"));
	assert_non_null(strstr(bench_count_strerror(-ENOSYS), "kernel"));
	assert_non_null(strstr(bench_count_strerror(-EIO), "read"));
	assert_string_equal(bench_count_strerror(-EMFILE), strerror(EMFILE));
}
