/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include <rte_pause.h>

#include "bench/measure/threads.h"

/* Return 0, also if nothing had to change, or a negative errno. */
static int
thread_keep_off(struct bench_threads *threads, pid_t tid, const cpu_set_t *cpus)
{
	cpu_set_t allowed, elsewhere;

	if (sched_getaffinity(tid, sizeof(allowed), &allowed) != 0)
		return errno == ESRCH ? 0 : -errno;
	CPU_AND(&elsewhere, &allowed, cpus);	/* intersection */
	if (CPU_COUNT(&elsewhere) == 0)
		return 0;
	CPU_XOR(&elsewhere, &elsewhere, &allowed);
	if (CPU_COUNT(&elsewhere) == 0)
		return 0;
	if (threads->nb == BENCH_MAX_THREADS)
		return -ENOSPC;
	if (sched_setaffinity(tid, sizeof(elsewhere), &elsewhere) != 0)
		return errno == ESRCH ? 0 : -errno;
	threads->moved[threads->nb].tid = tid;
	threads->moved[threads->nb++].cpus = allowed;
	return 0;
}

int
bench_threads_keep_off(struct bench_threads *threads, const cpu_set_t *cpus)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;
	int ret = 0;
	pid_t tid;

	threads->nb = 0;
	if (dir == NULL)
		return -errno;
	while (ret == 0 && (entry = readdir(dir)) != NULL) {
		tid = (pid_t)strtol(entry->d_name, NULL, 10);	/* 0: "." and ".." */
		if (tid != 0)
			ret = thread_keep_off(threads, tid, cpus);
	}
	closedir(dir);
	return ret;
}

void
bench_threads_give_back(struct bench_threads *threads)
{
	for (uint32_t i = 0; i < threads->nb; i++)
		/* Fails for threads that have ended and for CPUs that are offline. */
		sched_setaffinity(threads->moved[i].tid, sizeof(threads->moved[i].cpus),
				  &threads->moved[i].cpus);
	threads->nb = 0;
}

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
