/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "swhca_folder.h"

#define PREFIX "swhca."
/* Behind the name of a folder that is being removed. */
#define GONE ".gone"
#define LOCK_NAME "lock"
/* 10 s. */
#define HOLD_TRIES 10000
#define HOLD_PAUSE_US 1000

/* Who a process is: its number may be given to another one later, or in another namespace. */
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

/* Field 22 of /proc/PID/stat, behind a name in parentheses that may hold anything. */
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

/* Of another namespace nothing can be told from here. */
static bool
owner_is_gone(const struct owner *owner)
{
	unsigned long long start;

	if (owner->ns != pid_namespace())
		return false;
	return !start_time(owner->pid, &start) || start != owner->start;
}

int
swhca_folder_name(char *path, size_t size, const char *parent, pid_t pid)
{
	unsigned long long start = 0;
	int len;

	start_time(pid, &start);
	len = snprintf(path, size, "%s/" PREFIX "%lu-%ld-%llu.XXXXXX", parent, pid_namespace(),
		       (long)pid, start);
	return len < 0 || (size_t)len >= size ? -ENAMETOOLONG : 0;
}

int
swhca_folder_create(char *path)
{
	return mkdtemp(path) == NULL ? -errno : 0;
}

/* @return Descriptor of the folder, which is this user's, or a negative errno. */
static int
folder_open(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return errno == ELOOP || errno == ENOTDIR ? -EPERM : -errno;
	if (fstat(fd, &st) != 0 || st.st_uid != geteuid()) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

/* @return Descriptor of the lock, locked, or a negative errno; -EBUSY if another has it. */
static int
lock_open(int dirfd, int operation)
{
	int fd = openat(dirfd, LOCK_NAME, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return -errno;
	if (flock(fd, operation | LOCK_NB) != 0) {
		close(fd);
		return -EBUSY;
	}
	return fd;
}

/* Does a path still name an open folder? It may have been renamed meanwhile. */
static bool
is_path_of(const char *path, int dirfd)
{
	struct stat by_path, by_fd;

	return lstat(path, &by_path) == 0 && fstat(dirfd, &by_fd) == 0 &&
	       by_path.st_dev == by_fd.st_dev && by_path.st_ino == by_fd.st_ino;
}

int
swhca_folder_hold(const char *path)
{
	int dirfd, fd, i;

	/* Whoever removes it is done soon, unless it has just lost its CPU. */
	for (i = 0; i < HOLD_TRIES; i++) {
		if (mkdir(path, 0700) != 0 && errno != EEXIST)
			return -errno;
		dirfd = folder_open(path);
		if (dirfd == -ENOENT)
			continue;
		if (dirfd < 0)
			return dirfd;
		fd = lock_open(dirfd, LOCK_SH);
		if (fd >= 0 && !is_path_of(path, dirfd)) {
			close(fd);
			fd = -EBUSY;
		}
		close(dirfd);
		if (fd != -EBUSY)
			return fd;
		usleep(HOLD_PAUSE_US);
	}
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

int
swhca_folder_reap(const char *path, bool is_owner_gone)
{
	const char *slash = strrchr(path, '/');
	char gone[PATH_MAX];
	struct owner owner;
	int dirfd, fd, ret = 0;

	if (!is_owner_gone && (!owner_parse(slash != NULL ? slash + 1 : path, &owner) ||
			       !owner_is_gone(&owner)))
		return -EBUSY;
	if (snprintf(gone, sizeof(gone), "%s" GONE, path) >= (int)sizeof(gone))
		return -ENAMETOOLONG;
	dirfd = folder_open(path);
	if (dirfd < 0)
		return dirfd;
	fd = lock_open(dirfd, LOCK_EX);
	if (fd < 0) {
		close(dirfd);
		return fd;
	}
	/* With the lock held nobody begins to use it; once renamed, nobody finds it. */
	if (!has_suffix(path, GONE) && rename(path, gone) != 0)
		ret = -errno;
	if (ret == 0)
		swhca_folder_remove(has_suffix(path, GONE) ? path : gone);
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
