/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_HIGH_FD_H
#define SWHCA_HIGH_FD_H

/**
 * @file
 * Descriptors of the library get high numbers that the program does not use: a program started with
 * its standard streams closed opens others there later, and those that close a range often start at
 * 3.
 */

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__)
/* Runtime of ThreadSanitizer, for system calls that bypass libc. */
void __sanitizer_syscall_pre_impl_close(long fd);
#endif

/** Close by system call, as close(2) of libc may be intercepted. */
static inline void
swhca_fd_close(int fd)
{
#if defined(__SANITIZE_THREAD__)
	__sanitizer_syscall_pre_impl_close(fd);
#endif
	syscall(SYS_close, fd);
}

/** First high number, if the program may have that many: most tables have 1024 entries. */
#define SWHCA_FD_FLOOR 768

/** Move a descriptor to a high number, or leave it if none is free. It is closed on exec(2). */
static inline int
swhca_fd_raise(int fd)
{
	struct rlimit limit;
	int floor = SWHCA_FD_FLOOR, high;

	if (fd < 0)
		return fd;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur / 4 * 3 < SWHCA_FD_FLOOR)
		floor = (int)(limit.rlim_cur / 4 * 3);
	/* By system call number, as fcntl(2) may be intercepted, too. */
	high = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, floor);
	if (high < 0)
		return fd;
	swhca_fd_close(fd);
	return high;
}

#endif /* SWHCA_HIGH_FD_H */
