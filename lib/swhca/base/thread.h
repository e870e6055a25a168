/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_THREAD_H
#define SWHCA_THREAD_H

/**
 * @file
 * Threads of the devices in somebody else's program.
 */

#include <pthread.h>

/**
 * Start a thread that takes none of the program's signals, and wait until it runs.
 *
 * A thread that just begins may hold a lock of the allocator (that of a sanitizer does not know
 * fork(2)): in a child that is forked at that moment nobody would release it.
 *
 * @param thread
 *   To be joined or detached by the caller, unless attr says that it is detached.
 * @param attr
 *   Attributes, or NULL.
 * @param name
 *   What ps(1) and debuggers show, up to 15 characters.
 * @return
 *   0, or a negative errno of pthread_create(3).
 */
int swhca_thread_start(pthread_t *thread, const pthread_attr_t *attr, const char *name,
		       void *(*function)(void *), void *arg);

#endif /* SWHCA_THREAD_H */
