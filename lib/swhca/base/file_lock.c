/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file_lock.h"

/* @return 0, -EBUSY if it is locked, or a negative errno: such locks are unavailable. */
static int
flock_take(int fd, bool is_exclusive)
{
	if (flock(fd, (is_exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0)
		return 0;
	return errno == EWOULDBLOCK ? -EBUSY : -errno;
}

static int
ofd_lock_take(int fd, bool is_exclusive)
{
	struct flock lock = {
		.l_type = is_exclusive ? F_WRLCK : F_RDLCK,
		.l_whence = SEEK_SET,
	};

	if (syscall(SYS_fcntl, fd, F_OFD_SETLK, &lock) == 0)
		return 0;
	return errno == EAGAIN ? -EBUSY : -errno;
}

int
swhca_file_lock(int fd, bool is_exclusive)
{
	int ret = flock_take(fd, is_exclusive), ofd_ret;

	if (ret == -EBUSY || (ret == 0 && !is_exclusive))
		return ret;
	ofd_ret = ofd_lock_take(fd, is_exclusive);
	return ofd_ret == 0 || ofd_ret == -EBUSY ? ofd_ret : ret;
}
