/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <sched.h>

#include <rte_branch_prediction.h>
#include <rte_cycles.h>

#include "bench/measure/wait.h"

/* Occasional additional delay between two CPUs, in TSC cycles. */
#define RESERVE		1000u

/* Expected time of a batch, derived from the shortest one. */
static uint64_t
expected(const struct bench_wait *wait)
{
	return 2 * wait->least + RESERVE;
}

void
bench_wait_learn(struct bench_wait *wait, uint64_t cycles)
{
	if (wait->least == 0 || cycles < wait->least)
		wait->least = cycles;
	wait->cycles = expected(wait);
}

void
bench_wait_until(const struct bench_wait *wait, uint64_t posted)
{
	const uint64_t end = posted + wait->cycles;

	/*
	 * Without a pause: a hypervisor may preempt a CPU that pauses all the time, and its data
	 * would replace the contents of the caches.
	 */
	do {
		if (unlikely(wait->nb_late_in_row >= BENCH_WAIT_MAX_IN_ROW))
			sched_yield();
	} while (rte_rdtsc() < end);
}

void
bench_wait_judge(struct bench_wait *wait, bool is_late)
{
	/*
	 * One late batch: the device had no CPU for a while, which happens again regardless of the
	 * wait. Several: the device became slower, so extend the wait, up to a limit: during a long
	 * wait, either side may lose its CPU.
	 */
	if (is_late) {
		wait->nb_late++;
		if (wait->nb_late_in_row++ != 0)
			wait->cycles += wait->cycles / 4 + 1;
		return;
	}
	wait->nb_late_in_row = 0;
	if (unlikely(wait->cycles > expected(wait)))
		wait->cycles -= (wait->cycles - expected(wait) + 7) / 8;
}
