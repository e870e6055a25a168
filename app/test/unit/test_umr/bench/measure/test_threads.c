/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Threads of a process and the CPUs that they are kept off; takes two CPUs. */

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "cases.h"
#include "bench/measure/threads.h"

/* A thread that waits until it is told to end. */
struct waiter {
	pthread_t thread;
	pthread_barrier_t barrier;
};

static cpu_set_t all;	/* what this process may use */
static int first, second;	/* two of them, or -1 */

static void *
waiter_main(void *arg)
{
	struct waiter *waiter = arg;

	pthread_barrier_wait(&waiter->barrier);
	return NULL;
}

static void
waiter_start(struct waiter *waiter, const cpu_set_t *cpus)
{
	pthread_barrier_init(&waiter->barrier, NULL, 2);
	assert_int_equal(pthread_create(&waiter->thread, NULL, waiter_main, waiter), 0);
	assert_int_equal(pthread_setaffinity_np(waiter->thread, sizeof(*cpus), cpus), 0);
}

static void
waiter_stop(struct waiter *waiter)
{
	pthread_barrier_wait(&waiter->barrier);
	assert_int_equal(pthread_join(waiter->thread, NULL), 0);
	pthread_barrier_destroy(&waiter->barrier);
}

static void
runs_on(const struct waiter *waiter, const cpu_set_t *expected)
{
	cpu_set_t cpus;

	assert_int_equal(pthread_getaffinity_np(waiter->thread, sizeof(cpus), &cpus), 0);
	assert_true(CPU_EQUAL(&cpus, expected));
}

static cpu_set_t
one_cpu(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	return cpus;
}

static int
setup(void **state)
{
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	first = second = -1;
	for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--)
		if (CPU_ISSET(cpu, &all)) {
			second = first;
			first = cpu;
		}
	return 0;
}

/* Cases may have moved this thread. */
static int
teardown(void **state)
{
	return sched_setaffinity(0, sizeof(all), &all);
}

CASE_WITH(keeps_off_who_may_run_elsewhere, setup, teardown)
{
	cpu_set_t lcore = one_cpu(first), others = all, cpus;
	struct bench_threads threads;
	struct waiter waiter;

	if (second < 0)
		skip();
	CPU_CLR(first, &others);
	assert_int_equal(sched_setaffinity(0, sizeof(lcore), &lcore), 0);
	waiter_start(&waiter, &all);
	assert_int_equal(bench_threads_keep_off(&threads, &lcore), 0);
	assert_int_equal(threads.nb, 1);
	runs_on(&waiter, &others);
	/* This thread is the lcore. */
	assert_int_equal(sched_getaffinity(0, sizeof(cpus), &cpus), 0);
	assert_true(CPU_EQUAL(&cpus, &lcore));
	bench_threads_give_back(&threads);
	assert_int_equal(threads.nb, 0);
	runs_on(&waiter, &all);
	waiter_stop(&waiter);
	assert_int_equal(bench_threads_keep_off(&threads, &lcore), 0);
	assert_int_equal(threads.nb, 0);
}

/* A thread on some CPUs stays there when others are to be kept free. */
static void
leaves(const cpu_set_t *cpus, const cpu_set_t *lcores)
{
	struct bench_threads threads;
	struct waiter waiter;

	waiter_start(&waiter, cpus);
	assert_int_equal(bench_threads_keep_off(&threads, lcores), 0);
	assert_int_equal(threads.nb, 0);
	runs_on(&waiter, cpus);
	waiter_stop(&waiter);
}

CASE_WITH(leaves_who_has_no_other_cpu, setup, teardown)
{
	const cpu_set_t lcore = one_cpu(first);

	leaves(&lcore, &all);
}

CASE_WITH(leaves_who_is_elsewhere, setup, teardown)
{
	cpu_set_t lcore = one_cpu(first), other;

	if (second < 0)
		skip();
	other = one_cpu(second);
	assert_int_equal(sched_setaffinity(0, sizeof(lcore), &lcore), 0);
	leaves(&other, &lcore);
}
