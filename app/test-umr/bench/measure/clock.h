/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

/**
 * @file
 * Measure the time of a section of code, or its instructions instead (count.h).
 *
 * A plain read of the TSC may execute before the preceding code completes. A cache miss at the end
 * of a section would then not count, unless the section contains a serializing instruction such as
 * a lock. Fences make all sections count their whole contents.
 */

#include <rte_branch_prediction.h>
#include <rte_cycles.h>

#include "bench/measure/count.h"

/** The time after everything before, and before everything after; not all CPUs have RDTSCP. */
static inline uint64_t
bench_time(void)
{
#if defined(__x86_64__)
	uint64_t tsc;

	__asm__ volatile("lfence" : : : "memory");
	tsc = rte_rdtsc();
	__asm__ volatile("lfence" : : : "memory");
	return tsc;
#else
	return rte_rdtsc_precise();
#endif
}

static inline uint64_t
bench_section_start(void)
{
	if (unlikely(bench_counter.is_on)) {
		bench_count_section_start();
		return 0;
	}
	return bench_time();
}

/** Read the time first, so that the section ends before the check of what is measured. */
static inline uint64_t
bench_section_end(void)
{
	uint64_t tsc = bench_time();

	if (unlikely(bench_counter.is_on))
		bench_count_section_end();
	return tsc;
}

/** Deadline of a wait that starts now. */
static inline uint64_t
bench_deadline(uint64_t timeout_ms)
{
	return rte_rdtsc() + rte_get_tsc_hz() / 1000 * timeout_ms;
}

#endif /* BENCH_CLOCK_H */
