/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* libc calls that look up a path. */

/* stat() and stat64() are two symbols here; with 64-bit offsets by default they would be one. */
#undef _FILE_OFFSET_BITS

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "front/preload/preload_node.h"
#include "front/preload/preload_path.h"
#include "front/preload/preload.h"

/* Status of files; struct stat and struct stat64 are the same on 64-bit machines. */

_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "64-bit machines only");

static bool
device_stat(int index, void *st)
{
	if (index >= 0)
		swhca_node_stat(index, st);
	return index >= 0;
}

#define STAT_BY_PATH(name, type)                                                                   \
	EXPORT int name(const char *restrict path, type *restrict st)                              \
	{                                                                                          \
		REAL(int, name, const char *, type *);                                             \
		PASS_RUNTIME(path, st);                                                            \
		SWHCA_PATH_FIND(AT_FDCWD, path);                                                   \
		return device_stat(to.device, st) ? 0 : real(to.path, st);                         \
	}
#define STAT_AT(name, type)                                                                        \
	EXPORT int name(int fd, const char *restrict path, type *restrict st, int flags)           \
	{                                                                                          \
		REAL(int, name, int, const char *, type *, int);                                   \
		SWHCA_PATH_FIND(fd, path);                                                         \
		if (device_stat(to.device, st))                                                    \
			return 0;                                                                  \
		if ((flags & AT_EMPTY_PATH) != 0 && path[0] == '\0' &&                             \
		    device_stat(swhca_node_of_fd(fd), st))                                       \
			return 0;                                                                  \
		return real(fd, to.path, st, flags);                                               \
	}
/* Up to glibc 2.32 programs call these, with the version of struct stat. */
#define XSTAT_BY_PATH(name, type)                                                                  \
	int name(int version, const char *path, type *st);                                         \
	EXPORT int name(int version, const char *path, type *st)                                   \
	{                                                                                          \
		REAL(int, name, int, const char *, type *);                                        \
		SWHCA_PATH_FIND(AT_FDCWD, path);                                                   \
		return device_stat(to.device, st) ? 0 : real(version, to.path, st);                \
	}
#define XSTAT_AT(name, type)                                                                       \
	int name(int version, int fd, const char *path, type *st, int flags);                      \
	EXPORT int name(int version, int fd, const char *path, type *st, int flags)                \
	{                                                                                          \
		REAL(int, name, int, int, const char *, type *, int);                              \
		SWHCA_PATH_FIND(fd, path);                                                         \
		return device_stat(to.device, st) ? 0 : real(version, fd, to.path, st, flags);     \
	}

STAT_BY_PATH(stat, struct stat)
STAT_BY_PATH(stat64, struct stat64)
STAT_BY_PATH(lstat, struct stat)
STAT_BY_PATH(lstat64, struct stat64)
STAT_AT(fstatat, struct stat)
STAT_AT(fstatat64, struct stat64)
XSTAT_BY_PATH(__xstat, struct stat)
XSTAT_BY_PATH(__xstat64, struct stat64)
XSTAT_BY_PATH(__lxstat, struct stat)
XSTAT_BY_PATH(__lxstat64, struct stat64)
XSTAT_AT(__fxstatat, struct stat)
XSTAT_AT(__fxstatat64, struct stat64)

static void
device_statx(int index, struct statx *stx)
{
	struct stat st;

	swhca_node_stat(index, &st);
	*stx = (struct statx){
		.stx_mask = STATX_BASIC_STATS,
		.stx_mode = (uint16_t)st.st_mode,
		.stx_nlink = (uint32_t)st.st_nlink,
		.stx_ino = st.st_ino,
		.stx_blksize = (uint32_t)st.st_blksize,
		.stx_rdev_major = major(st.st_rdev),
		.stx_rdev_minor = minor(st.st_rdev),
	};
}

EXPORT int
statx(int fd, const char *restrict path, int flags, unsigned int mask, struct statx *restrict stx)
{
	REAL(int, statx, int, const char *, int, unsigned int, struct statx *);
	SWHCA_PATH_FIND(fd, path);

	if (to.device < 0 && (flags & AT_EMPTY_PATH) != 0 && path[0] == '\0')
		to.device = swhca_node_of_fd(fd);
	if (to.device < 0)
		return real(fd, to.path, flags, mask, stx);
	device_statx(to.device, stx);
	return 0;
}

/* Access: all users may use a device, and read our files. */

static int
access_check(const struct swhca_path *to, int mode)
{
	if (to->device >= 0)
		return (mode & X_OK) != 0 ? swhca_preload_result(-EACCES) : 0;
	return to->is_ours && (mode & W_OK) != 0 ? swhca_preload_result(-EACCES) : 1;
}

EXPORT int
access(const char *path, int mode)
{
	REAL(int, access, const char *, int);
	SWHCA_PATH_FIND(AT_FDCWD, path);
	int ret = access_check(&to, mode);

	/* Missing files are not writable either. */
	if (ret != 1 && to.device < 0)
		return real(to.path, F_OK) != 0 ? -1 : swhca_preload_result(-EACCES);
	return ret != 1 ? ret : real(to.path, mode);
}

EXPORT int
faccessat(int dirfd, const char *path, int mode, int flags)
{
	REAL(int, faccessat, int, const char *, int, int);
	SWHCA_PATH_FIND(dirfd, path);
	int ret = access_check(&to, mode);

	if (ret != 1 && to.device < 0)
		return real(dirfd, to.path, F_OK, flags) != 0 ? -1 : swhca_preload_result(-EACCES);
	return ret != 1 ? ret : real(dirfd, to.path, mode, flags);
}

/* Links have the content of sysfs, except for those from the machine's folders to ours. */

static ssize_t
link_done(const struct swhca_path *to, char *buf, ssize_t len, size_t size)
{
	char target[SWHCA_VIEW_PATH];

	if (!to->is_ours || len <= 0 || buf[0] != '/' || (size_t)len >= sizeof(target))
		return len;
	memcpy(target, buf, (size_t)len);
	target[len] = '\0';
	if (!swhca_path_name(target, sizeof(target)))
		return len;
	len = (ssize_t)strlen(target);
	len = (size_t)len < size ? len : (ssize_t)size;
	memcpy(buf, target, (size_t)len);
	return len;
}

ssize_t __readlink_chk(const char *path, char *buf, size_t len, size_t size);
ssize_t __readlinkat_chk(int dirfd, const char *path, char *buf, size_t len, size_t size);

EXPORT ssize_t
readlink(const char *restrict path, char *restrict buf, size_t size)
{
	REAL(ssize_t, readlink, const char *, char *, size_t);
	PASS_RUNTIME(path, buf, size);
	SWHCA_PATH_FIND(AT_FDCWD, path);

	return to.device >= 0 ? swhca_preload_result(-EINVAL) :
				link_done(&to, buf, real(to.path, buf, size), size);
}

EXPORT ssize_t
readlinkat(int dirfd, const char *restrict path, char *restrict buf, size_t size)
{
	REAL(ssize_t, readlinkat, int, const char *, char *, size_t);
	SWHCA_PATH_FIND(dirfd, path);

	return to.device >= 0 ? swhca_preload_result(-EINVAL) :
				link_done(&to, buf, real(dirfd, to.path, buf, size), size);
}

EXPORT ssize_t
__readlink_chk(const char *path, char *buf, size_t len, size_t size)
{
	REAL(ssize_t, __readlink_chk, const char *, char *, size_t, size_t);
	SWHCA_PATH_FIND(AT_FDCWD, path);

	return to.device >= 0 ? swhca_preload_result(-EINVAL) :
				link_done(&to, buf, real(to.path, buf, len, size), len);
}

EXPORT ssize_t
__readlinkat_chk(int dirfd, const char *path, char *buf, size_t len, size_t size)
{
	REAL(ssize_t, __readlinkat_chk, int, const char *, char *, size_t, size_t);
	SWHCA_PATH_FIND(dirfd, path);

	return to.device >= 0 ? swhca_preload_result(-EINVAL) :
				link_done(&to, buf, real(dirfd, to.path, buf, len, size), len);
}

/* A device file of ours has only one name. */
static char *
device_name(const char *path, char *resolved)
{
	if (resolved == NULL)
		return strdup(path);
	return strlen(path) < PATH_MAX ? strcpy(resolved, path) : NULL;
}

static char *
real_name(const struct swhca_path *to, char *name)
{
	if (name != NULL && to->is_ours)
		swhca_path_name(name, strlen(name) + 1);
	return name;
}

char *__realpath_chk(const char *path, char *resolved, size_t size);

EXPORT char *
realpath(const char *restrict path, char *restrict resolved)
{
	REAL(char *, realpath, const char *, char *);
	SWHCA_PATH_FIND(AT_FDCWD, path);

	return to.device >= 0 ? device_name(path, resolved) :
				real_name(&to, real(to.path, resolved));
}

EXPORT char *
__realpath_chk(const char *path, char *resolved, size_t size)
{
	REAL(char *, __realpath_chk, const char *, char *, size_t);
	SWHCA_PATH_FIND(AT_FDCWD, path);

	return to.device >= 0 ? device_name(path, resolved) :
				real_name(&to, real(to.path, resolved, size));
}

EXPORT char *
canonicalize_file_name(const char *path)
{
	return realpath(path, NULL);
}

/* After a change to a redirected path, in our folder, getcwd() returns the original path. */

EXPORT int
chdir(const char *path)
{
	REAL(int, chdir, const char *);
	SWHCA_PATH_FIND(AT_FDCWD, path);

	return to.device >= 0 ? swhca_preload_result(-ENOTDIR) : real(to.path);
}

EXPORT char *
getcwd(char *buf, size_t size)
{
	REAL(char *, getcwd, char *, size_t);
	char *cwd = real(buf, size);

	if (cwd != NULL)
		swhca_path_name(cwd, strlen(cwd) + 1);
	return cwd;
}

/* File system attributes: ls(1) queries permissions beyond the mode. */

#define GETXATTR(name)                                                                             \
	EXPORT ssize_t name(const char *path, const char *attr, void *value, size_t size)          \
	{                                                                                          \
		REAL(ssize_t, name, const char *, const char *, void *, size_t);                   \
		SWHCA_PATH_FIND(AT_FDCWD, path);                                                   \
		return to.device >= 0 ? swhca_preload_result(-ENOTSUP) :                           \
					real(to.path, attr, value, size);                          \
	}
#define LISTXATTR(name)                                                                            \
	EXPORT ssize_t name(const char *path, char *list, size_t size)                             \
	{                                                                                          \
		REAL(ssize_t, name, const char *, char *, size_t);                                 \
		SWHCA_PATH_FIND(AT_FDCWD, path);                                                   \
		return to.device >= 0 ? 0 : real(to.path, list, size);                             \
	}

GETXATTR(getxattr)
GETXATTR(lgetxattr)
LISTXATTR(listxattr)
LISTXATTR(llistxattr)
