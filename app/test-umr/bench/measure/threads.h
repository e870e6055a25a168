/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_THREADS_H
#define BENCH_THREADS_H

/**
 * @file
 * Reserve the CPUs of lcores for lcores.
 *
 * EAL keeps its own control threads off the CPUs of lcores (rte_ctrl_thread_create()), but not
 * threads that a lower library started, such as the engine of a software device. On the CPU of an
 * lcore, the engine would run whenever the lcore waits for it, and leave its data in the cache.
 *
 * Barriers for lcores, which all leave when one of them fails.
 *
 * There is no deadline here: the work between two barriers has its own deadline, and an lcore that
 * fails still reaches the next barrier, where all leave.
 */

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/** Maximum number of threads to move. */
#define BENCH_MAX_THREADS	64u

/** Threads that were moved, and their original CPUs. Zeros: none. */
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
 * Only threads that may also run elsewhere are moved. Threads pinned to these CPUs, such as
 * lcores, stay. Threads may start or end meanwhile; a new thread inherits the CPUs of its creator.
 *
 * @param threads
 *   Output for bench_threads_give_back(), also valid after an error.
 * @param cpus
 *   CPUs of lcores.
 * @return
 *   0, or a negative errno: threads cannot be listed (opendir(3)), one cannot be moved
 *   (sched_setaffinity(2)), or there are more than BENCH_MAX_THREADS (-ENOSPC).
 */
int bench_threads_keep_off(struct bench_threads *threads, const cpu_set_t *cpus);

/** Restore the CPUs of the remaining threads and empty the list. */
void bench_threads_give_back(struct bench_threads *threads);

/** State shared by the lcores. */
struct bench_barrier {
	uint32_t nb;		/**< How many they are. */
	uint32_t nb_waiting;
	uint32_t phase;
	bool has_failed;
	bool has_stopped;	/**< Value of the failure flag when the latest barrier opened. */
};

/** How to wait. */
enum bench_barrier_mode {
	BENCH_BARRIER_SPIN,	/**< Keep the CPU and continue at once; only for short waits. */
	BENCH_BARRIER_YIELD,	/**< Yield the CPU. */
};

void bench_barrier_init(struct bench_barrier *barrier, uint32_t nb);
/** Make the next barrier return false for all lcores. */
void bench_barrier_fail(struct bench_barrier *barrier);
/** Wait for all lcores. Return false for all of them if one has failed before. */
bool bench_barrier_wait(struct bench_barrier *barrier, enum bench_barrier_mode mode);

#endif /* BENCH_THREADS_H */
