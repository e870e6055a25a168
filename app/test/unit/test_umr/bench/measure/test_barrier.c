/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Barriers of measurements: nobody goes ahead, and all leave at the same one when one has failed,
 * whenever that is.
 */

#include <pthread.h>
#include <unistd.h>

#include "cases.h"
#include "../../../../patience.h"
#include "bench/measure/threads.h"

#define NB_THREADS	3u
#define NB_PHASES	1000u
#define NB_RUNS		200u
/* A thread that waits for others who have left would wait for ever. */

struct thread {
	pthread_t id;
	uint32_t index;
	uint32_t nb_passed;	/* barriers; others look at it */
	uint32_t nb_ahead;	/* times that another one was ahead, or late */
	uint32_t fails_at;	/* from this barrier on */
};

static struct bench_barrier barrier;
static struct thread threads[NB_THREADS];

static enum bench_barrier_mode
mode_of(uint32_t phase)
{
	return phase % 2 == 0 ? BENCH_BARRIER_SPIN : BENCH_BARRIER_YIELD;
}

static void
threads_run(void *(*thread_fn)(void *thread))
{
	alarm(patience_s());
	bench_barrier_init(&barrier, NB_THREADS);
	for (uint32_t i = 0; i < NB_THREADS; i++) {
		threads[i].index = i;
		threads[i].nb_passed = 0;
		threads[i].nb_ahead = 0;
		assert_int_equal(pthread_create(&threads[i].id, NULL, thread_fn, &threads[i]), 0);
	}
	for (uint32_t i = 0; i < NB_THREADS; i++)
		assert_int_equal(pthread_join(threads[i].id, NULL), 0);
	alarm(0);
}

/* Behind a barrier, the others have come to it, and cannot have passed the next one. */
static void *
step_thread(void *arg)
{
	struct thread *self = arg;

	for (uint32_t phase = 0; phase < NB_PHASES; phase++) {
		__atomic_store_n(&self->nb_passed, phase + 1, __ATOMIC_RELAXED);
		if (!bench_barrier_wait(&barrier, mode_of(phase)))
			break;
		for (uint32_t i = 0; i < NB_THREADS; i++) {
			uint32_t other = __atomic_load_n(&threads[i].nb_passed, __ATOMIC_RELAXED);

			self->nb_ahead += other < phase + 1 || other > phase + 2;
		}
	}
	return NULL;
}

CASE(nobody_goes_ahead)
{
	threads_run(step_thread);
	for (uint32_t i = 0; i < NB_THREADS; i++) {
		assert_int_equal(threads[i].nb_passed, NB_PHASES);
		assert_int_equal(threads[i].nb_ahead, 0);
	}
}

/* Fails as soon as a barrier has opened, when others may still be in it. */
static void *
fail_thread(void *arg)
{
	struct thread *self = arg;

	while (bench_barrier_wait(&barrier, mode_of(self->nb_passed)))
		if (self->nb_passed++ >= self->fails_at)
			bench_barrier_fail(&barrier);
	return NULL;
}

CASE(all_leave_at_the_same_one)
{
	for (uint32_t run = 0; run < NB_RUNS; run++) {
		for (uint32_t i = 0; i < NB_THREADS; i++)
			threads[i].fails_at = i == run % NB_THREADS ? run % 7 : run % 7 + i % 2;
		threads_run(fail_thread);
		for (uint32_t i = 0; i < NB_THREADS; i++)
			assert_int_equal(threads[i].nb_passed, run % 7 + 1);
	}
}
