/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/sysfs_tree.h"

void
swhca_tree_mkdir(struct swhca_tree *tree, const char *format, ...)
{
	char path[SWHCA_TREE_PATH];
	va_list ap;

	va_start(ap, format);
	vsnprintf(path, sizeof(path), format, ap);
	va_end(ap);
	if (tree->ret == 0 && mkdirat(tree->dirfd, path, 0755) != 0 && errno != EEXIST)
		tree->ret = -errno;
}

void
swhca_tree_symlink(struct swhca_tree *tree, const char *target, const char *format, ...)
{
	char path[SWHCA_TREE_PATH];
	va_list ap;

	va_start(ap, format);
	vsnprintf(path, sizeof(path), format, ap);
	va_end(ap);
	if (tree->ret == 0 && symlinkat(target, tree->dirfd, path) != 0)
		tree->ret = -errno;
}

void
swhca_tree_bytes(struct swhca_tree *tree, const char *dir, const char *name, const void *bytes,
		 size_t len)
{
	char path[SWHCA_TREE_PATH];
	int fd;

	if (tree->ret != 0)
		return;
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	errno = 0;
	fd = openat(tree->dirfd, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
	if (fd < 0 || write(fd, bytes, len) != (ssize_t)len)
		tree->ret = -(errno != 0 ? errno : EIO);
	if (fd >= 0)
		close(fd);
}

void
swhca_tree_file(struct swhca_tree *tree, const char *dir, const char *name, const char *format,
		...)
{
	char text[1024];
	va_list ap;
	int len;

	va_start(ap, format);
	len = vsnprintf(text, sizeof(text) - 1, format, ap);
	va_end(ap);
	text[len++] = '\n';
	swhca_tree_bytes(tree, dir, name, text, (size_t)len);
}
