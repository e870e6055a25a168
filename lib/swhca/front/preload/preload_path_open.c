/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* libc calls that open a path. Attributes are read-only, also for root. */

/* open() and open64() are two symbols here; with 64-bit offsets by default they would be one. */
#undef _FILE_OFFSET_BITS

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/sysfs.h"
#include "front/preload/control.h"
#include "front/preload/live.h"
#include "front/preload/netlink.h"
#include "front/preload/preload_node.h"
#include "front/preload/preload_path.h"
#include "front/preload/preload.h"
#include "front/preload/signal_share.h"
#include "front/ucma/ucma.h"
#include "front/uverbs/call/uverbs.h"

static bool
flags_have_mode(int flags)
{
	return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

#define MODE_OF(flags, last)                                                                       \
	({                                                                                         \
		mode_t mode_ = 0;                                                                  \
		if (flags_have_mode(flags)) {                                                      \
			va_list ap_;                                                               \
			va_start(ap_, last);                                                       \
			mode_ = va_arg(ap_, mode_t);                                               \
			va_end(ap_);                                                               \
		}                                                                                  \
		mode_;                                                                             \
	})

static void
devices_forget(void)
{
	swhca_signal_after_fork();
	swhca_ucma_forget();
	swhca_netlink_forget();
	swhca_control_forget();
}

static void
devices_init(void)
{
	const struct swhca_uverbs_host host = {
		.prepare = swhca_signal_install,
		.start = swhca_control_start,
		.forget = devices_forget,
		.catches_faults = true,
	};

	swhca_uverbs_init(&host);
}

static int
device_open(int node, int flags)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int ret, state;

	state = swhca_preload_cancel_disable();
	pthread_once(&once, devices_init);
	/* Commands are copied by loads that may fault; the engine may not exist yet. */
	swhca_signal_install();
	ret = node == SWHCA_NODE_CM ? swhca_ucma_open(flags) :
				      swhca_uverbs_open((unsigned int)node, flags);
	pthread_setcancelstate(state, NULL);
	return swhca_preload_result(ret);
}

/* sysfs creates no files, and denies writes (kernfs_fop_open()); a folder is no file. */
static int
write_reject(const char *path, int flags)
{
	struct stat st;

	if (syscall(SYS_newfstatat, AT_FDCWD, path, &st, 0) != 0)
		return (flags & O_CREAT) != 0 ? -EACCES : -errno;
	return S_ISDIR(st.st_mode) ? -EISDIR : -EACCES;
}

/* @return A descriptor or -1 with errno, or -2: let the kernel open it. */
static int
path_open(const struct swhca_path *to, int flags)
{
	if (to->device >= 0)
		return device_open(to->device, flags);
	if (to->is_ours && ((flags & O_ACCMODE) != O_RDONLY || flags_have_mode(flags)))
		return swhca_preload_result(write_reject(to->path, flags));
	return -2;
}

/* Called after the kernel opened a file, possibly an attribute for reading. @return fd. */
static int
file_opened(const char *path, int flags, int fd)
{
	if ((flags & (O_ACCMODE | O_PATH | O_DIRECTORY)) == O_RDONLY)
		swhca_live_opened(path, fd);
	return fd;
}

#define OPEN(name)                                                                                 \
	EXPORT int name(const char *path, int flags, ...)                                          \
	{                                                                                          \
		REAL(int, name, const char *, int, ...);                                           \
		mode_t mode = MODE_OF(flags, flags);                                               \
		PASS_RUNTIME(path, flags, mode);                                                   \
		SWHCA_PATH_FIND(AT_FDCWD, path);                                                   \
		int fd = path_open(&to, flags);                                                    \
		return fd != -2 ? fd : file_opened(path, flags, real(to.path, flags, mode));       \
	}
#define OPENAT(name)                                                                               \
	EXPORT int name(int dirfd, const char *path, int flags, ...)                               \
	{                                                                                          \
		REAL(int, name, int, const char *, int, ...);                                      \
		mode_t mode = MODE_OF(flags, flags);                                               \
		SWHCA_PATH_FIND(dirfd, path);                                                      \
		int fd = path_open(&to, flags);                                                    \
		return fd != -2 ? fd :                                                             \
				  file_opened(path, flags, real(dirfd, to.path, flags, mode));     \
	}
/* Variants of open() used by _FORTIFY_SOURCE; glibc declares them in a separate header. */
#define OPEN_2(name)                                                                               \
	int name(const char *path, int flags);                                                     \
	EXPORT int name(const char *path, int flags)                                               \
	{                                                                                          \
		REAL(int, name, const char *, int);                                                \
		SWHCA_PATH_FIND(AT_FDCWD, path);                                                   \
		int fd = path_open(&to, flags);                                                    \
		return fd != -2 ? fd : file_opened(path, flags, real(to.path, flags));             \
	}
#define OPENAT_2(name)                                                                             \
	int name(int dirfd, const char *path, int flags);                                          \
	EXPORT int name(int dirfd, const char *path, int flags)                                    \
	{                                                                                          \
		REAL(int, name, int, const char *, int);                                           \
		SWHCA_PATH_FIND(dirfd, path);                                                      \
		int fd = path_open(&to, flags);                                                    \
		return fd != -2 ? fd : file_opened(path, flags, real(dirfd, to.path, flags));      \
	}
#define CREAT(name)                                                                                \
	EXPORT int name(const char *path, mode_t mode)                                             \
	{                                                                                          \
		REAL(int, name, const char *, mode_t);                                             \
		SWHCA_PATH_FIND(AT_FDCWD, path);                                                   \
		int fd = path_open(&to, O_CREAT | O_WRONLY | O_TRUNC);                             \
		return fd != -2 ? fd : real(to.path, mode);                                        \
	}

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
OPEN_2(__open_2)
OPEN_2(__open64_2)
OPENAT_2(__openat_2)
OPENAT_2(__openat64_2)
CREAT(creat)
CREAT(creat64)

/* Streams. One of a device would have nothing to read. */

static bool
stream_is_rejected(const struct swhca_path *to, const char *mode)
{
	int flags = mode[0] == 'r' ? 0 : O_CREAT;

	if (!to->is_ours || (flags == 0 && strchr(mode, '+') == NULL))
		return false;
	swhca_preload_result(write_reject(to->path, flags));
	return true;
}

static FILE *
stream_opened(const char *path, const char *mode, FILE *stream)
{
	if (stream != NULL && path != NULL && mode[0] == 'r' && strchr(mode, '+') == NULL)
		swhca_live_opened(path, fileno(stream));
	return stream;
}

#define FOPEN(name)                                                                                \
	EXPORT FILE *name(const char *restrict path, const char *restrict mode)                    \
	{                                                                                          \
		REAL(FILE *, name, const char *, const char *);                                    \
		PASS_RUNTIME(path, mode);                                                          \
		SWHCA_PATH_FIND(AT_FDCWD, path);                                                   \
		return stream_is_rejected(&to, mode) ?                                             \
			       NULL :                                                              \
			       stream_opened(path, mode, real(to.path, mode));                     \
	}
#define FREOPEN(name)                                                                              \
	EXPORT FILE *name(const char *restrict path, const char *restrict mode,                    \
			  FILE *restrict stream)                                                   \
	{                                                                                          \
		REAL(FILE *, name, const char *, const char *, FILE *);                            \
		SWHCA_PATH_FIND(AT_FDCWD, path);                                                   \
		return stream_is_rejected(&to, mode) ?                                             \
			       NULL :                                                              \
			       stream_opened(path, mode, real(to.path, mode, stream));             \
	}

FOPEN(fopen)
FOPEN(fopen64)
FREOPEN(freopen)
FREOPEN(freopen64)

/* Folders */

EXPORT DIR *
opendir(const char *path)
{
	REAL(DIR *, opendir, const char *);
	SWHCA_PATH_FIND(AT_FDCWD, path);
	int ret = swhca_sysfs_has(path) ? swhca_sysfs_create() : 0;

	/* An existing folder may belong to another user. */
	if (ret != 0) {
		errno = -ret;
		return NULL;
	}
	return real(to.path);
}

#define SCANDIR(name, entry)                                                                       \
	EXPORT int name(const char *restrict path, struct entry ***restrict list,                  \
			int (*pick)(const struct entry *),                                         \
			int (*order)(const struct entry **, const struct entry **))                \
	{                                                                                          \
		REAL(int, name, const char *, struct entry ***, int (*)(const struct entry *),     \
		     int (*)(const struct entry **, const struct entry **));                       \
		SWHCA_PATH_FIND(AT_FDCWD, path);                                                   \
		return real(to.path, list, pick, order);                                           \
	}
#define SCANDIRAT(name, entry)                                                                     \
	EXPORT int name(int dirfd, const char *restrict path, struct entry ***restrict list,       \
			int (*pick)(const struct entry *),                                         \
			int (*order)(const struct entry **, const struct entry **))                \
	{                                                                                          \
		REAL(int, name, int, const char *, struct entry ***,                               \
		     int (*)(const struct entry *),                                                \
		     int (*)(const struct entry **, const struct entry **));                       \
		SWHCA_PATH_FIND(dirfd, path);                                                      \
		return real(dirfd, to.path, list, pick, order);                                    \
	}

SCANDIR(scandir, dirent)
SCANDIR(scandir64, dirent64)
SCANDIRAT(scandirat, dirent)
SCANDIRAT(scandirat64, dirent64)

/* glob(3) opens and looks up inside libc, unless the caller provides functions: use ours. */

static void *
glob_opendir(const char *path)
{
	return opendir(path);
}

static void
glob_closedir(void *dir)
{
	closedir(dir);
}

#define GLOB(name, glob_type, dir_read, entry, look, look_link)                                    \
	static struct entry *name##_readdir(void *dir)                                             \
	{                                                                                          \
		return dir_read(dir);                                                              \
	}                                                                                          \
	EXPORT int name(const char *restrict pattern, int flags,                                   \
			int (*fail)(const char *, int), glob_type *restrict found)                 \
	{                                                                                          \
		REAL(int, name, const char *, int, int (*)(const char *, int), glob_type *);       \
		int ret;                                                                           \
		if ((flags & GLOB_ALTDIRFUNC) != 0)                                                \
			return real(pattern, flags, fail, found);                                  \
		found->gl_opendir = glob_opendir;                                                  \
		found->gl_closedir = glob_closedir;                                                \
		found->gl_readdir = name##_readdir;                                                \
		found->gl_stat = look;                                                             \
		found->gl_lstat = look_link;                                                       \
		ret = real(pattern, flags | GLOB_ALTDIRFUNC, fail, found);                         \
		found->gl_flags &= ~GLOB_ALTDIRFUNC;                                               \
		return ret;                                                                        \
	}

GLOB(glob, glob_t, readdir, dirent, stat, lstat)
GLOB(glob64, glob64_t, readdir64, dirent64, stat64, lstat64)
