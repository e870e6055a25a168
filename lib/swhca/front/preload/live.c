/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "front/preload/live.h"
#include "front/preload/preload.h"
#include "front/uverbs/call/uverbs.h"
#include "host/sysfs.h"
#include "host/sysfs_attr.h"

/* Most files are others, and not to be looked at twice. */
static bool
is_candidate(const char *path)
{
	const char *slash = strrchr(path, '/');

	return swhca_sysfs_attr_may_be(slash != NULL ? slash + 1 : path);
}

/* Where it is, whatever links and folders led there. By number, as all calls here. */
static bool
path_of_fd(int fd, char path[static PATH_MAX])
{
	char link[32];
	long len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX - 1);
	if (len < 0)
		return false;
	path[len] = '\0';
	return true;
}

static bool
attr_read(const char *path, char text[static SWHCA_SYSFS_TEXT])
{
	struct swhca_sysfs_dev dev = { .conf = swhca_conf_get() };
	struct swhca_hca_stats stats;
	const char *name;
	bool is_attr;
	int state;

	name = swhca_sysfs_attr_of_path(path, &dev.index);
	if (name == NULL || dev.index >= dev.conf->nb_devices)
		return false;
	state = swhca_preload_cancel_disable();
	/* Nothing has happened to a device that nobody has opened. */
	if (swhca_uverbs_stats(dev.index, &stats) == 0)
		dev.stats = stats.wire;
	dev.is_port_down = swhca_uverbs_port_is_down(dev.index);
	is_attr = swhca_sysfs_attr(&dev, name, text);
	pthread_setcancelstate(state, NULL);
	return is_attr;
}

/* A file of its own in memory, open for reading alone. @return Descriptor, or negative. */
static int
text_open(const char *text)
{
	int fd = (int)syscall(SYS_memfd_create, "swhca-attribute", MFD_CLOEXEC);
	size_t len = strlen(text);
	char path[32];
	int out = -1;

	if (fd < 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (syscall(SYS_pwrite64, fd, text, len, 0) == (long)len)
		out = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	swhca_fd_close(fd);
	return out;
}

void
swhca_live_opened(const char *path, int fd)
{
	char real_path[PATH_MAX], text[SWHCA_SYSFS_TEXT];
	int saved = errno, new_fd;
	long flags;

	if (fd >= 0 && is_candidate(path) && path_of_fd(fd, real_path) &&
	    attr_read(real_path, text)) {
		new_fd = text_open(text);
		flags = syscall(SYS_fcntl, fd, F_GETFD);
		if (new_fd >= 0) {
			syscall(SYS_dup3, new_fd, fd, (flags & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0);
			swhca_fd_close(new_fd);
		}
	}
	errno = saved;
}
