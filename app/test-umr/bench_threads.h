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

/**
 * Keep the threads of this process off some CPUs.
 *
 * Only threads that may run elsewhere, too, are told to; those that are pinned to these CPUs, as
 * lcores are, stay where they are. A thread may end, or begin, meanwhile: who begins has the CPUs
 * of the thread that created it.
 *
 * @param cpus
 *   CPUs of lcores.
 * @return
 *   Threads that were kept off, or a negative errno: threads cannot be listed (opendir(3)), or one
 *   cannot be moved (sched_setaffinity(2)).
 */
int bench_threads_keep_off(const cpu_set_t *cpus);

#endif /* BENCH_THREADS_H */
