/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PRELOAD_H
#define SWHCA_PRELOAD_H

/**
 * @file
 * Common functions of the files with intercepted libc calls.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#if !defined(__has_feature)
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#define HAS_TSAN 1
#else
#define HAS_TSAN 0
#endif

#if HAS_TSAN
/*
 * The runtime of ThreadSanitizer calls libc while it starts, and while it writes a report:
 * functions called by it must not enter it again.
 */
#define NOT_SANITIZED __attribute__((no_sanitize("thread")))
#define PASS_RUNTIME(...)                                                                          \
	do {                                                                                       \
		if (swhca_preload_is_runtime(__builtin_return_address(0)))                         \
			return real(__VA_ARGS__);                                                  \
	} while (0)
/** Check whether code belongs to the runtime, or the runtime is not ready. */
bool swhca_preload_is_runtime(const void *code);
#else
#define NOT_SANITIZED
#define PASS_RUNTIME(...) ((void)0)
#endif

#define EXPORT __attribute__((visibility("default"))) NOT_SANITIZED

/**
 * Declare "real", the next definition of an intercepted function. Two concurrent first calls store
 * the same pointer twice.
 */
#define REAL(ret_type, name, ...)                                                                  \
	static ret_type (*real)(__VA_ARGS__);                                                      \
	if (real == NULL)                                                                          \
		real = (ret_type (*)(__VA_ARGS__))swhca_preload_find(#name)

/** Find the next definition of a symbol, which exists if it is called. */
void *swhca_preload_find(const char *name);

/**
 * Disable cancellation of this thread: functions of the devices hold locks and call cancellation
 * points, which the intercepted system call may not be.
 *
 * @return
 *   Previous state, for pthread_setcancelstate().
 */
int swhca_preload_cancel_disable(void);

/** read(2) and write(2) of a socket of RDMA netlink. */
ssize_t swhca_preload_netlink_read(int fd, void *buf, size_t len);
ssize_t swhca_preload_netlink_write(int fd, const void *buf, size_t len);

struct swhca_pages_change;

/**
 * Called before something else is mapped there.
 *
 * @return
 *   Whether to call swhca_preload_pages_end().
 */
bool swhca_preload_replace(struct swhca_pages_change *change, void *addr, size_t len);
/** swhca_uverbs_pages_end(), preserving errno. */
void swhca_preload_pages_end(struct swhca_pages_change *changes, unsigned int nb, bool is_done);

/** Result of a call: a negative errno becomes -1 and errno. */
int swhca_preload_result(int ret);

#endif /* SWHCA_PRELOAD_H */
