/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A build without the connection manager (meson option swhca_cm): as on a kernel without the module
 * rdma_ucm, there is no such device file.
 */

#include <errno.h>
#include <string.h>

#include "front/ucma/ucma.h"

bool
swhca_ucma_path(const char *path)
{
	(void)path;
	return false;
}

void
swhca_ucma_stat(struct stat *st)
{
	memset(st, 0, sizeof(*st));
}

int
swhca_ucma_open(int flags)
{
	(void)flags;
	return -ENOENT;
}

bool
swhca_ucma_is(int fd)
{
	(void)fd;
	return false;
}

ssize_t
swhca_ucma_write(int fd, const void *buf, size_t len)
{
	(void)fd;
	(void)buf;
	(void)len;
	return -EBADF;
}

void
swhca_ucma_removed(unsigned int index)
{
	(void)index;
}

void
swhca_ucma_exit(void)
{
}

void
swhca_ucma_forget(void)
{
}
