/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * sched_yield(2): a thread that polls and yields gives the CPU to the thread that it waits for.
 * With devices on a wire that is their engine; instead of switching to its thread and back, this
 * thread runs a pass of it.
 */

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "front/preload/preload.h"
#include "front/uverbs/call/uverbs.h"

/* Calls of this library, and of signal handlers that interrupt them, cannot be cancelled. */
static bool
lend(void)
{
	int state, saved = errno;
	bool is_done = false;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	if (state == PTHREAD_CANCEL_ENABLE) {
		is_done = swhca_uverbs_lend();
		pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	}
	errno = saved;
	return is_done;
}

EXPORT int
sched_yield(void)
{
	return lend() ? 0 : (int)syscall(SYS_sched_yield);
}
