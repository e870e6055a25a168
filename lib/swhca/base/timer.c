/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <endian.h>
#include <time.h>

#include "base/clock.h"
#include "base/timer.h"

void
swhca_timers_update(const struct swhca_timers *timers)
{
	uint64_t now = htobe64(swhca_now_ns());
	struct swhca_timer *timer;

	/* Both halves at once; software reads the upper one twice. */
	LIST_FOREACH(timer, timers, link)
		__atomic_store_n(timer->page, now, __ATOMIC_RELEASE);
}

uint64_t
swhca_timer_stamp(bool is_real_time)
{
	struct timespec ts;

	if (!is_real_time)
		return swhca_now_ns();
	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec << 32 | (uint64_t)ts.tv_nsec;
}
