/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <semaphore.h>
#include <signal.h>

#include "base/log.h"
#include "base/thread.h"

struct start {
	void *(*function)(void *);
	void *arg;
	const char *name;
	sem_t is_running;
};

static void *
thread_main(void *arg)
{
	struct start *start = arg;
	void *(*function)(void *) = start->function;
	void *function_arg = start->arg;

	pthread_setname_np(pthread_self(), start->name);
	/* start is invalid from here on. */
	sem_post(&start->is_running);
	return function(function_arg);
}

int
swhca_thread_start(pthread_t *thread, const pthread_attr_t *attr, const char *name,
		   void *(*function)(void *), void *arg)
{
	struct start start = { .function = function, .arg = arg, .name = name };
	sigset_t all, old;
	int ret;

	sem_init(&start.is_running, 0, 0);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	ret = pthread_create(thread, attr, thread_main, &start);
	if (ret != 0) {
		errno = ret;
		swhca_call_error("pthread_create");
	}
	/* Signals are blocked, but a stop and a continuation may also end the wait. */
	while (ret == 0 && sem_wait(&start.is_running) != 0)
		;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	sem_destroy(&start.is_running);
	return -ret;
}
