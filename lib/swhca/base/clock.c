/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Clock for waits of the HCA. It is in a separate file because the linker can redirect only calls
 * from other files to the clock of a test.
 */

#include <time.h>

#include "base/clock.h"

uint64_t
swhca_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}
