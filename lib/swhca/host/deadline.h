/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_HOST_DEADLINE_H
#define SWHCA_HOST_DEADLINE_H

/**
 * @file
 * Deadlines of waits, in milliseconds of CLOCK_MONOTONIC.
 */

#include <limits.h>
#include <stdint.h>
#include <time.h>

static inline int64_t
swhca_deadline_in(unsigned int ms)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000 + (int64_t)ms;
}

/** @return Milliseconds left, for poll(2); 0 if it has passed. */
static inline int
swhca_deadline_left_ms(int64_t deadline)
{
	int64_t left = deadline - swhca_deadline_in(0);

	return left <= 0 ? 0 : left > INT_MAX ? INT_MAX : (int)left;
}

#endif /* SWHCA_HOST_DEADLINE_H */
