/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_BARRIER_H
#define BENCH_BARRIER_H

/**
 * @file
 * Lcores wait for each other, until one of them fails.
 *
 * There is no deadline here: what they do between two barriers has one of its own, and who fails
 * still comes to the next barrier, where all leave.
 */

#include <stdbool.h>
#include <stdint.h>

/** One for all who wait for each other. */
struct bench_barrier {
	uint32_t nb;		/**< How many they are. */
	uint32_t nb_waiting;
	uint32_t phase;
	bool has_failed;
	bool has_stopped;	/**< The same when the latest barrier opened. */
};

/** How to wait. */
enum bench_barrier_mode {
	BENCH_BARRIER_SPIN,	/**< Go on at once, and keep the CPU, but not for long. */
	BENCH_BARRIER_YIELD,	/**< Let others have the CPU. */
};

void bench_barrier_init(struct bench_barrier *barrier, uint32_t nb);
/** Tell the others at the next barrier. */
void bench_barrier_fail(struct bench_barrier *barrier);
/** Wait for all of them. False, the same for all, if one has failed before. */
bool bench_barrier_wait(struct bench_barrier *barrier, enum bench_barrier_mode mode);

#endif /* BENCH_BARRIER_H */
