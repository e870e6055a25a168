/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/high_fd.h"
#include "front/preload/live.h"
#include "front/preload/preload.h"
#include "front/uverbs/call/uverbs.h"
#include "host/sysfs_attr.h"
#include "host/sysfs_tree.h"

#define MEMFD "swhca-attribute:"
#define MAX_FDS 65536
#define WORD_BITS 64

/* Bit mask of descriptors that were attributes when they were opened. */
static _Atomic uint64_t live[MAX_FDS / WORD_BITS];

/* Fast check: most files are others. */
static bool
is_candidate(const char *path)
{
	const char *slash = strrchr(path, '/');

	return swhca_sysfs_attr_may_be(slash != NULL ? slash + 1 : path);
}

/* Path of a descriptor, with links resolved. By system call number, as all calls here. */
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

/* Get the current text of an attribute. */
static bool
attr_read(unsigned int index, const char *name, char text[static SWHCA_SYSFS_TEXT])
{
	struct swhca_sysfs_dev dev = { .conf = swhca_conf_get(), .index = index };
	struct swhca_hca_stats stats;
	bool is_attr;
	int state;

	if (index >= dev.conf->nb_devices)
		return false;
	state = swhca_preload_cancel_disable();
	/* An unused device has no events. */
	if (swhca_uverbs_stats(index, &stats) == 0)
		dev.stats = stats.wire;
	dev.is_port_down = swhca_uverbs_port_is_down(index);
	dev.rate = swhca_uverbs_port_rate(index);
	is_attr = swhca_sysfs_attr(&dev, name, text);
	pthread_setcancelstate(state, NULL);
	return is_attr;
}

/* Open an open file again. @return Descriptor, or negative. */
static int
fd_reopen(int fd, int flags)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0);
}

static void
text_write(int fd, const char *text)
{
	size_t len = strlen(text);

	if (syscall(SYS_pwrite64, fd, text, len, 0) == (long)len)
		syscall(SYS_ftruncate, fd, len);
}

/* Create a read-only memory file whose name identifies the attribute. */
static int
text_open(unsigned int index, const char *name, const char *text)
{
	char memfd[sizeof(MEMFD) + SWHCA_TREE_PATH];
	int fd, out;

	snprintf(memfd, sizeof(memfd), MEMFD "%u:%s", index, name);
	fd = (int)syscall(SYS_memfd_create, memfd, MFD_CLOEXEC);
	if (fd < 0)
		return fd;
	text_write(fd, text);
	out = fd_reopen(fd, O_RDONLY);
	swhca_fd_close(fd);
	return out;
}

static void
fd_replace(int fd, int new_fd)
{
	long flags = syscall(SYS_fcntl, fd, F_GETFD);

	if (new_fd < 0)
		return;
	syscall(SYS_dup3, new_fd, fd, (flags & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0);
	swhca_fd_close(new_fd);
	if (fd < MAX_FDS)
		atomic_fetch_or(&live[fd / WORD_BITS], UINT64_C(1) << fd % WORD_BITS);
}

void
swhca_live_opened(const char *path, int fd)
{
	char real_path[PATH_MAX], text[SWHCA_SYSFS_TEXT];
	int saved = errno;
	unsigned int index;
	const char *name;

	if (fd >= 0 && is_candidate(path) && path_of_fd(fd, real_path)) {
		name = swhca_sysfs_attr_of_path(real_path, &index);
		if (name != NULL && attr_read(index, name, text))
			fd_replace(fd, text_open(index, name, text));
	}
	errno = saved;
}

/* "/memfd:NAME (deleted)" (proc(5), memfd_create(2)) */
static bool
memfd_parse(char *path, unsigned int *index, const char **name)
{
	static const char prefix[] = "/memfd:" MEMFD;
	char *end = strstr(path, " (deleted)");
	int len = 0;

	if (strncmp(path, prefix, sizeof(prefix) - 1) != 0 || end == NULL)
		return false;
	*end = '\0';
	path += sizeof(prefix) - 1;
	if (sscanf(path, "%2u:%n", index, &len) != 1 || len == 0)
		return false;
	*name = path + len;
	return true;
}

static void
text_renew(int fd)
{
	char path[PATH_MAX], text[SWHCA_SYSFS_TEXT];
	unsigned int index;
	const char *name;
	int out;

	if (!path_of_fd(fd, path) || !memfd_parse(path, &index, &name)) {
		/* It was closed, and its number reused. */
		atomic_fetch_and(&live[fd / WORD_BITS], ~(UINT64_C(1) << fd % WORD_BITS));
		return;
	}
	out = attr_read(index, name, text) ? fd_reopen(fd, O_WRONLY) : -1;
	if (out < 0)
		return;
	text_write(out, text);
	swhca_fd_close(out);
}

void
swhca_live_reading(int fd, off_t offset)
{
	int saved = errno;

	if (fd < 0 || fd >= MAX_FDS ||
	    (atomic_load_explicit(&live[fd / WORD_BITS], memory_order_relaxed) &
	     UINT64_C(1) << fd % WORD_BITS) == 0)
		return;
	if (offset < 0)
		offset = syscall(SYS_lseek, fd, 0, SEEK_CUR);
	if (offset <= 0)
		text_renew(fd);
	errno = saved;
}
