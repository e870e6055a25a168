/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/high_fd.h"
#include "base/file_lock.h"
#include "base/kept_fd.h"
#include "base/log.h"
#include "wire/link/capture_file.h"
#include "wire/link/pcapng.h"

struct swhca_capture_file {
	LIST_ENTRY(swhca_capture_file) next;
	unsigned int nb_users;
	uint32_t nb_interfaces;
	bool is_over;
	int fd;
	off_t len;
	char path[PATH_MAX];
	char name[PATH_MAX];	/* Requested name. */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static LIST_HEAD(, swhca_capture_file) files = LIST_HEAD_INITIALIZER(files);

/* A child of fork(2) has its own files, and a thread of its parent may hold the lock. */
static void
child_forget(void)
{
	pthread_mutex_init(&lock, NULL);
	LIST_INIT(&files);
}

static void
fork_watch(void)
{
	pthread_atfork(NULL, NULL, child_forget);
}

/* "%p" is the process id. @return -ENAMETOOLONG if it does not fit. */
static int
path_make(const char *name, char path[PATH_MAX])
{
	const char *mark = strstr(name, "%p");
	int len;

	if (mark == NULL)
		len = snprintf(path, PATH_MAX, "%s", name);
	else
		len = snprintf(path, PATH_MAX, "%.*s%ld%s", (int)(mark - name), name,
			       (long)getpid(), mark + 2);
	return len < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* Insert "-PID" before the suffix. */
static int
path_of_process(const char *path, char other[PATH_MAX])
{
	const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
	size_t len;

	if (dot == NULL || (slash != NULL && dot < slash))
		dot = path + strlen(path);
	len = (size_t)(dot - path);
	if (snprintf(other, PATH_MAX, "%.*s-%ld%s", (int)len, path, (long)getpid(), dot) >=
	    PATH_MAX)
		return -ENAMETOOLONG;
	return 0;
}

/* Check whether an existing file may be overwritten. */
static int
old_check(int fd)
{
	struct stat st;
	uint32_t word = 0;

	if (fstat(fd, &st) != 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_nlink != 1)
		return -EEXIST;
	if (st.st_uid != geteuid())
		return -EPERM;
	if (st.st_size > 0 && (pread(fd, &word, sizeof(word), 0) != (ssize_t)sizeof(word) ||
			       word != SWHCA_PCAPNG_SHB))
		return -EEXIST;
	return 0;
}

/* @return A locked and empty file, or a negative errno; -EBUSY: locked by another process. */
static int
path_open(const char *path)
{
	int fd, ret;

	/* By system call number: names and descriptors may be intercepted in libc. */
	fd = (int)syscall(SYS_openat, AT_FDCWD, path,
			  O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
	if (fd < 0)
		return errno == ELOOP ? -EEXIST : -errno;
	fd = swhca_fd_raise(fd);
	ret = old_check(fd);
	if (ret == 0)
		ret = swhca_file_lock(fd, true);
	if (ret == 0 && (fchmod(fd, 0600) != 0 || ftruncate(fd, 0) != 0))
		ret = -errno;
	if (ret == 0)
		return fd;
	swhca_fd_close(fd);
	return ret;
}

static int
file_open(struct swhca_capture_file *file)
{
	int ret = path_make(file->name, file->path);
	char other[PATH_MAX];

	if (ret == 0)
		ret = path_open(file->path);
	if (ret == -EBUSY) {
		ret = path_of_process(file->path, other);
		if (ret == 0) {
			strcpy(file->path, other);
			ret = path_open(file->path);
		}
	}
	if (ret < 0) {
		SWHCA_LOG(ERR, "capture %s: %s", file->path,
			  ret == -EEXIST ? "what is there is no capture, and is not overwritten" :
					   strerror(-ret));
		return ret;
	}
	file->fd = ret;
	swhca_fd_keep_here(file->fd);
	SWHCA_LOG(DEBUG, "capture: packets are written to %s", file->path);
	return 0;
}

/* With the lock. Write all, or nothing and then stop. */
static void
file_write(struct swhca_capture_file *file, const struct iovec *iovs, int nb)
{
	size_t len = 0;
	ssize_t ret;
	int i;

	if (file->is_over)
		return;
	for (i = 0; i < nb; i++)
		len += iovs[i].iov_len;
	do {
		ret = syscall(SYS_writev, file->fd, iovs, nb);
	} while (ret < 0 && errno == EINTR);
	if (ret == (ssize_t)len) {
		file->len += ret;
		return;
	}
	SWHCA_LOG(ERR, "capture %s: ends after %lld bytes: %s", file->path, (long long)file->len,
		  strerror(ret < 0 ? errno : ENOSPC));
	file->is_over = true;
	if (ftruncate(file->fd, file->len) != 0)
		SWHCA_LOG(ERR, "capture %s: its last packet is not whole", file->path);
}

/* Open a file and write its first block. */
static int
file_create(const char *name, struct swhca_capture_file **out)
{
	uint8_t shb[SWHCA_PCAPNG_SHB_MAX];
	struct iovec iov = { .iov_base = shb };
	struct swhca_capture_file *file;
	int ret;

	if (strlen(name) >= sizeof(file->name)) {
		SWHCA_LOG(ERR, "capture: the name has %zu bytes, at most %zu", strlen(name),
			  sizeof(file->name) - 1);
		return -ENAMETOOLONG;
	}
	file = calloc(1, sizeof(*file));
	if (file == NULL)
		return -ENOMEM;
	strcpy(file->name, name);
	ret = file_open(file);
	if (ret != 0) {
		free(file);
		return ret;
	}
	iov.iov_len = swhca_pcapng_shb(shb);
	file_write(file, &iov, 1);
	LIST_INSERT_HEAD(&files, file, next);
	*out = file;
	return 0;
}

static struct swhca_capture_file *
file_find(const char *name)
{
	struct swhca_capture_file *file;

	LIST_FOREACH(file, &files, next) {
		if (strcmp(file->name, name) == 0)
			return file;
	}
	return NULL;
}

int
swhca_capture_file_open(const char *name, const char *interface_name, const char *description,
			struct swhca_capture_file **out, uint32_t *interface)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	uint8_t idb[SWHCA_PCAPNG_IDB_MAX];
	struct iovec iov = { .iov_base = idb };
	struct swhca_capture_file *file;
	int ret = 0;

	pthread_once(&once, fork_watch);
	pthread_mutex_lock(&lock);
	file = file_find(name);
	if (file == NULL)
		ret = file_create(name, &file);
	if (ret == 0) {
		iov.iov_len = swhca_pcapng_idb(interface_name, description, idb);
		file_write(file, &iov, 1);
		file->nb_users++;
		*interface = file->nb_interfaces++;
		*out = file;
	}
	pthread_mutex_unlock(&lock);
	return ret;
}

void
swhca_capture_file_close(struct swhca_capture_file *file)
{
	pthread_mutex_lock(&lock);
	file->nb_users--;
	if (file->nb_users == 0) {
		LIST_REMOVE(file, next);
		swhca_fd_release(file->fd);
		free(file);
	}
	pthread_mutex_unlock(&lock);
}

void
swhca_capture_file_write(struct swhca_capture_file *file, const struct iovec *iovs, int nb)
{
	pthread_mutex_lock(&lock);
	file_write(file, iovs, nb);
	pthread_mutex_unlock(&lock);
}
