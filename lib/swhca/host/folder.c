/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_lock.h"
#include "base/random.h"
#include "host/folder.h"

#define PREFIX "swhca."
/* Suffix of a folder that is being removed. */
#define GONE ".gone"
#define LOCK_NAME "lock"
/* 10 s. */
#define HOLD_TRIES 10000
#define HOLD_PAUSE_US 1000

/* Identity of a process: its number may be reused later, or exist in another namespace. */
struct owner {
	unsigned long ns;
	long pid;
	unsigned long long start;
};

static unsigned long
pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 ? (unsigned long)st.st_ino : 0;
}

/* Field 22 of /proc/PID/stat, after a name in parentheses with arbitrary content. */
static bool
start_time(long pid, unsigned long long *start)
{
	char path[64], text[1024], *p;
	ssize_t len;
	int fd, i;

	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	len = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (len <= 0)
		return false;
	text[len] = '\0';
	p = strrchr(text, ')');
	for (i = 2; p != NULL && i < 22; i++)
		p = strchr(p + 1, ' ');
	return p != NULL && sscanf(p, "%llu", start) == 1;
}

static bool
owner_parse(const char *name, struct owner *owner)
{
	return sscanf(name, PREFIX "%lu-%ld-%llu.", &owner->ns, &owner->pid, &owner->start) == 3;
}

/* Processes of another namespace cannot be checked, and without /proc none can. */
static bool
owner_is_gone(const struct owner *owner)
{
	unsigned long long start;

	if (owner->ns == 0 || owner->ns != pid_namespace() || !start_time(getpid(), &start))
		return false;
	return !start_time(owner->pid, &start) || start != owner->start;
}

/* Write the name up to the dot before the random part. */
static int
name_begin(char *path, size_t size, const char *parent, pid_t pid)
{
	unsigned long long start = 0;
	int len;

	start_time(pid, &start);
	len = snprintf(path, size, "%s/" PREFIX "%lu-%ld-%llu.", parent, pid_namespace(), (long)pid,
		       start);
	return len < 0 || (size_t)len >= size ? -ENAMETOOLONG : len;
}

int
swhca_folder_name(char *path, size_t size, const char *parent, pid_t pid)
{
	int len = name_begin(path, size, parent, pid), random_len, ret;
	uint64_t nonce;

	if (len < 0)
		return len;
	ret = swhca_random_fill(&nonce, sizeof(nonce));
	if (ret != 0)
		return ret;
	random_len = snprintf(path + len, size - (size_t)len, "%016" PRIx64, nonce);
	return random_len < 0 || (size_t)(len + random_len) >= size ? -ENAMETOOLONG : 0;
}

int
swhca_folder_create(char *path, size_t size, const char *parent, pid_t pid)
{
	static const char random[] = "XXXXXX";
	int len = name_begin(path, size, parent, pid);

	if (len < 0)
		return len;
	if ((size_t)len + sizeof(random) > size)
		return -ENAMETOOLONG;
	memcpy(path + len, random, sizeof(random));
	return mkdtemp(path) == NULL ? -errno : 0;
}

const char *
swhca_folder_parent(unsigned int index)
{
	/* Six hundred small files are made: in memory within 0.1 s, on many a disk within one. */
	static const char *const parents[] = { "$TMPDIR",          "/dev/shm", "/tmp",
					       "$XDG_RUNTIME_DIR", "/var/tmp", "/run" };
	const char *dir;

	if (index >= sizeof(parents) / sizeof(parents[0]))
		return NULL;
	if (parents[index][0] == '/')
		return parents[index];
	dir = secure_getenv(parents[index] + 1);
	return dir != NULL && dir[0] == '/' ? dir : "";
}

int
swhca_folder_open(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	/* An unreadable folder was not created by us. */
	if (fd < 0)
		return errno == ELOOP || errno == ENOTDIR || errno == EACCES ? -EPERM : -errno;
	if (fstat(fd, &st) != 0 || st.st_uid != geteuid() ||
	    (st.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

/* @return Descriptor of the lock, locked, or a negative errno; -EBUSY if it is taken. */
static int
lock_open(int dirfd, bool is_exclusive, const char **call)
{
	int fd = openat(dirfd, LOCK_NAME, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	int ret;

	*call = "open";
	if (fd < 0)
		return -errno;
	*call = SWHCA_FILE_LOCK_CALL;
	ret = swhca_file_lock(fd, is_exclusive);
	if (ret == 0)
		return fd;
	close(fd);
	return ret;
}

/* Check whether a path still names an open folder, which may have been renamed. */
static bool
is_path_of(const char *path, int dirfd)
{
	struct stat by_path, by_fd;

	return lstat(path, &by_path) == 0 && fstat(dirfd, &by_fd) == 0 &&
	       by_path.st_dev == by_fd.st_dev && by_path.st_ino == by_fd.st_ino;
}

/* @return Descriptor of the lock, or a negative errno; -EBUSY: retry, the lock may be replaced. */
static int
hold_try(const char *path, const char **call)
{
	int dirfd, fd;

	*call = "mkdir";
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		return -errno;
	dirfd = swhca_folder_open(path);
	if (dirfd < 0) {
		*call = dirfd == -EPERM ? NULL : "open";
		return dirfd == -ENOENT ? -EBUSY : dirfd;
	}
	fd = lock_open(dirfd, false, call);
	if (fd >= 0 && !is_path_of(path, dirfd)) {
		close(fd);
		fd = -EBUSY;
	}
	close(dirfd);
	return fd;
}

int
swhca_folder_hold(const char *path, const char **call)
{
	int fd, i;

	/* A removal takes little time, unless the remover has just lost its CPU. */
	for (i = 0; i < HOLD_TRIES; i++) {
		fd = hold_try(path, call);
		if (fd != -EBUSY)
			return fd;
		usleep(HOLD_PAUSE_US);
	}
	*call = "waiting for its lock";
	return -EBUSY;
}

static int
entry_remove(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void
swhca_folder_remove(const char *path)
{
	nftw(path, entry_remove, 16, FTW_DEPTH | FTW_PHYS);
}

static bool
has_suffix(const char *text, const char *suffix)
{
	size_t len = strlen(text), suffix_len = strlen(suffix);

	return len > suffix_len && strcmp(text + len - suffix_len, suffix) == 0;
}

/* Unpredictable name of a folder during removal, so that others cannot create it. */
static int
gone_name(char *gone, size_t size, const char *path)
{
	unsigned int nonce;
	int len, ret;

	ret = swhca_random_fill(&nonce, sizeof(nonce));
	if (ret != 0)
		return ret;
	len = snprintf(gone, size, "%s.%08x" GONE, path, nonce);
	return len < 0 || (size_t)len >= size ? -ENAMETOOLONG : 0;
}

/* While locked it has no new users; after the rename it cannot be found. */
static int
locked_reap(const char *path)
{
	char gone[PATH_MAX];
	int ret;

	if (has_suffix(path, GONE)) {
		swhca_folder_remove(path);
		return 0;
	}
	ret = gone_name(gone, sizeof(gone), path);
	if (ret != 0)
		return ret;
	if (rename(path, gone) != 0)
		return -errno;
	swhca_folder_remove(gone);
	return 0;
}

int
swhca_folder_reap(const char *path, bool is_owner_gone)
{
	const char *slash = strrchr(path, '/');
	struct owner owner;
	const char *call;
	int dirfd, fd, ret;

	if (!is_owner_gone &&
	    (!owner_parse(slash != NULL ? slash + 1 : path, &owner) || !owner_is_gone(&owner)))
		return -EBUSY;
	dirfd = swhca_folder_open(path);
	if (dirfd < 0)
		return dirfd;
	fd = lock_open(dirfd, true, &call);
	ret = fd < 0 ? fd : locked_reap(path);
	if (fd >= 0)
		close(fd);
	close(dirfd);
	return ret;
}

void
swhca_folder_sweep(const char *parent)
{
	const struct dirent *entry;
	char path[PATH_MAX];
	struct owner owner;
	DIR *dir = opendir(parent);

	if (dir == NULL)
		return;
	while ((entry = readdir(dir)) != NULL) {
		if (strncmp(entry->d_name, PREFIX, sizeof(PREFIX) - 1) != 0 ||
		    !owner_parse(entry->d_name, &owner))
			continue;
		if (snprintf(path, sizeof(path), "%s/%s", parent, entry->d_name) <
		    (int)sizeof(path))
			swhca_folder_reap(path, false);
	}
	closedir(dir);
}
