/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PRELOAD_H
#define SWHCA_PRELOAD_H

/**
 * @file
 * What the files with intercepted libc calls have in common.
 */

#define EXPORT __attribute__((visibility("default")))

/**
 * Declare "real", the next definition of an intercepted function. A race of two first calls
 * stores the same pointer twice.
 */
#define REAL(ret_type, name, ...)                                                                  \
	static ret_type (*real)(__VA_ARGS__);                                                      \
	if (real == NULL)                                                                          \
		real = (ret_type (*)(__VA_ARGS__))swhca_preload_find(#name)

/** The next definition of a symbol; there is one, or nobody could have called it. */
void *swhca_preload_find(const char *name);

/**
 * Cancel this thread later: what the devices do holds locks, and calls what a thread can be
 * cancelled in, which the system call that is asked for is not.
 *
 * @return
 *   State of before, for pthread_setcancelstate().
 */
int swhca_preload_cancel_disable(void);

/** Result of a call: a negative errno becomes -1 and errno. */
int swhca_preload_result(int ret);

#endif /* SWHCA_PRELOAD_H */
