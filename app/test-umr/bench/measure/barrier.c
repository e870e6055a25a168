/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <sched.h>

#include <rte_pause.h>

#include "bench/measure/barrier.h"

/* Some 100 us; a missing lcore then has no CPU and may be waiting for this one. */
#define MAX_SPINS	10000u

void
bench_barrier_init(struct bench_barrier *barrier, uint32_t nb)
{
	*barrier = (struct bench_barrier){ .nb = nb };
}

void
bench_barrier_fail(struct bench_barrier *barrier)
{
	__atomic_store_n(&barrier->has_failed, true, __ATOMIC_RELEASE);
}

/*
 * The last lcore to arrive decides for all. Otherwise another failure could follow before every
 * lcore checks, and the lcore that saw it would wait for the others at the next barrier.
 */
bool
bench_barrier_wait(struct bench_barrier *barrier, enum bench_barrier_mode mode)
{
	uint32_t phase = __atomic_load_n(&barrier->phase, __ATOMIC_ACQUIRE);
	uint32_t nb_spins = 0;

	if (__atomic_add_fetch(&barrier->nb_waiting, 1, __ATOMIC_ACQ_REL) == barrier->nb) {
		__atomic_store_n(&barrier->nb_waiting, 0, __ATOMIC_RELAXED);
		barrier->has_stopped = __atomic_load_n(&barrier->has_failed, __ATOMIC_ACQUIRE);
		__atomic_store_n(&barrier->phase, phase + 1, __ATOMIC_RELEASE);
		return !barrier->has_stopped;
	}
	while (__atomic_load_n(&barrier->phase, __ATOMIC_ACQUIRE) == phase)
		if (mode == BENCH_BARRIER_SPIN && nb_spins++ < MAX_SPINS)
			rte_pause();
		else
			sched_yield();
	return !barrier->has_stopped;
}
