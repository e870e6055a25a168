/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_BARRIER_H
#define BENCH_BARRIER_H

/**
 * @file
 * Barriers for lcores, which all leave when one of them fails.
 *
 * There is no deadline here: the work between two barriers has its own deadline, and an lcore that
 * fails still reaches the next barrier, where all leave.
 */

#include <stdbool.h>
#include <stdint.h>

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

#endif /* BENCH_BARRIER_H */
