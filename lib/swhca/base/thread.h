/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_THREAD_H
#define SWHCA_THREAD_H

/**
 * @file
 * Threads of the devices in the program that uses them.
 */

#include <pthread.h>

/**
 * Start a thread that blocks the program's signals, and wait until it runs.
 *
 * A starting thread may hold a lock of the allocator (a sanitizer's does not handle fork(2)), which
 * a child forked at that moment could never take.
 *
 * @param thread
 *   To be joined or detached by the caller, unless attr makes it detached.
 * @param attr
 *   Attributes, or NULL.
 * @param name
 *   Name for ps(1) and debuggers, up to 15 characters.
 * @return
 *   0, or a negative errno of pthread_create(3).
 */
int swhca_thread_start(pthread_t *thread, const pthread_attr_t *attr, const char *name,
		       void *(*function)(void *), void *arg);

#endif /* SWHCA_THREAD_H */
