/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <time.h>

#include "engine/engine.h"
#include "base/timer.h"

void
swhca_timer_update(struct swhca_hca *hca)
{
	uint64_t *page = (uint64_t *)(hca->bar + swhca_timer_bar_offset(hca));
	uint64_t now = htobe64(swhca_now_ns());
	struct swhca_timer *timer;

	/* Both halves at once; software reads the upper one twice. */
	__atomic_store_n(page, now, __ATOMIC_RELEASE);
	LIST_FOREACH(timer, &hca->timers, link)
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
