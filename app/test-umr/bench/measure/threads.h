/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_THREADS_H
#define BENCH_THREADS_H

/**
 * @file
 * CPUs of lcores for lcores alone.
 *
 * The EAL keeps its own control threads off the CPUs of lcores (rte_ctrl_thread_create()), but not
 * threads that a library below has started, such as the engine of a device of software. On the CPU
 * of an lcore, that one would run whenever the lcore waits for it, and leave its data in the cache.
 */

#include <sched.h>
#include <stdint.h>
#include <sys/types.h>

/** Most threads that can be kept off. */
#define BENCH_MAX_THREADS	64u

/** Threads that were kept off, and the CPUs that they had. Zeros: none. */
struct bench_threads {
	uint32_t nb;
	struct {
		pid_t tid;
		cpu_set_t cpus;
	} moved[BENCH_MAX_THREADS];
};

/**
 * Keep the threads of this process off some CPUs.
 *
 * Only threads that may run elsewhere, too, are told to; those that are pinned to these CPUs, as
 * lcores are, stay where they are. A thread may end, or begin, meanwhile: who begins has the CPUs
 * of the thread that created it.
 *
 * @param threads
 *   Written, with an error, too: for bench_threads_give_back().
 * @param cpus
 *   CPUs of lcores.
 * @return
 *   0, or a negative errno: threads cannot be listed (opendir(3)), one cannot be moved
 *   (sched_setaffinity(2)), or there are more than BENCH_MAX_THREADS (-ENOSPC).
 */
int bench_threads_keep_off(struct bench_threads *threads, const cpu_set_t *cpus);

/** Give those that are still there the CPUs that they had; none are left in it. */
void bench_threads_give_back(struct bench_threads *threads);

#endif /* BENCH_THREADS_H */
