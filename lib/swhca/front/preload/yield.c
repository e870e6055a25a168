/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * sched_yield(2): who polls and yields has nothing to do, and gives the CPU to whom it waits for.
 * With devices on a wire that is their engine, and instead of a switch to its thread and back this
 * one does what there is to do.
 */

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "front/preload/preload.h"
#include "front/uverbs/call/uverbs.h"

/* The calls of this library and of signal handlers that interrupt them cannot be cancelled. */
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
