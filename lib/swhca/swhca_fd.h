/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_FD_H
#define SWHCA_FD_H

/**
 * @file
 * Descriptors that the program did not ask for get numbers that it does not use: a program that
 * begins with its standard streams closed puts others there later, and those that close a range
 * often begin at 3.
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/** Where our numbers begin, if the program may have that many: most tables have 1024 entries. */
#define SWHCA_FD_FLOOR 768

/** Give a descriptor a high number, or leave it if there is none. It is closed on exec(2). */
static inline int
swhca_fd_raise(int fd)
{
	struct rlimit limit;
	int floor = SWHCA_FD_FLOOR, high;

	if (fd < 0)
		return fd;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur / 4 * 3 < SWHCA_FD_FLOOR)
		floor = (int)(limit.rlim_cur / 4 * 3);
	/* By number, for fcntl(2) and close(2) are among the calls that may be intercepted. */
	high = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, floor);
	if (high < 0)
		return fd;
	syscall(SYS_close, fd);
	return high;
}

/**
 * Accept a connection of a listener that does not block. Waiting in accept4(2) itself would hold a
 * number, the lowest one that is free, which nobody else could then use.
 *
 * @return
 *   Descriptor, or -1 if the listener is gone.
 */
static inline int
swhca_fd_accept(int listener)
{
	struct pollfd poll_fd = { .fd = listener, .events = POLLIN };
	int fd;

	for (;;) {
		if (poll(&poll_fd, 1, -1) < 0 && errno != EINTR)
			return -1;
		if ((poll_fd.revents & ~POLLIN) != 0)
			return -1;
		fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (fd >= 0)
			return fd;
		if (errno != EINTR && errno != EAGAIN && errno != ECONNABORTED)
			return -1;
	}
}

#endif /* SWHCA_FD_H */
