/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/high_fd.h"
#include "base/random.h"

int
swhca_random_fill(void *buf, size_t len)
{
	int ret, fd;
	long done;

	if (getrandom(buf, len, 0) == (ssize_t)len)
		return 0;
	ret = -errno;
	/* By system call number: libc's function may redirect the path. */
	fd = (int)syscall(SYS_openat, AT_FDCWD, "/dev/urandom", O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return ret;
	done = syscall(SYS_read, fd, buf, len);
	swhca_fd_close(fd);
	return done == (long)len ? 0 : ret;
}
