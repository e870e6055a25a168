/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef TEST_PATIENCE_H
#define TEST_PATIENCE_H

/*
 * Timeouts of waits in C tests. They are long, because they only protect against hangs.
 * UMR_TEST_TIMEOUT_FACTOR multiplies them on slow or busy machines. interop/programs/patience.py
 * does the same for tests in Python, devtools/ci/patience.sh for scripts.
 */

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PATIENCE_S 60u
#define PATIENCE_MAX_FACTOR 1000

/** The factor from the environment, default 1. An invalid one ends the program. */
static inline double
patience_factor(void)
{
	const char *text = getenv("UMR_TEST_TIMEOUT_FACTOR");
	double factor;
	char *end;

	if (text == NULL)
		return 1;
	factor = strtod(text, &end);
	if (*text == '\0' || text[strspn(text, "0123456789.")] != '\0' || *end != '\0' ||
	    factor < 1 || factor > PATIENCE_MAX_FACTOR) {
		fprintf(stderr, "UMR_TEST_TIMEOUT_FACTOR: \"%s\" is not a number from 1 to %d\n",
			text, PATIENCE_MAX_FACTOR);
		exit(2);
	}
	return factor;
}

/** Timeout of a wait in seconds. */
static inline unsigned int
patience_s(void)
{
	return (unsigned int)(PATIENCE_S * patience_factor());
}

/** The same for poll(2). */
static inline int
patience_ms(void)
{
	return (int)patience_s() * 1000;
}

/* The real clock, also in tests with a simulated clock. */
static inline uint64_t
patience_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/** Deadline of a wait that starts now. */
static inline uint64_t
patience_end(void)
{
	return patience_now_ns() + patience_s() * UINT64_C(1000000000);
}

/* Calls that yield before later calls sleep. */
#define PATIENCE_NB_YIELDS 8u

/**
 * Whether the deadline has passed. The awaited thread may need this CPU, so yield first and sleep
 * later. On a busy machine, a thread that yields waits for the time slices of all others; a thread
 * that sleeps gets a CPU when it wakes up.
 */
static inline bool
patience_is_over(uint64_t end)
{
	static __thread struct {
		uint64_t end;
		unsigned int nb;
	} wait;

	if (wait.end != end) {
		wait.end = end;
		wait.nb = 0;
	}
	if (wait.nb++ < PATIENCE_NB_YIELDS)
		sched_yield();
	else
		nanosleep(&(struct timespec){ .tv_nsec = 20000 }, NULL);
	return patience_now_ns() >= end;
}

#endif /* TEST_PATIENCE_H */
