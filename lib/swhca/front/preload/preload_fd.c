/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * libc calls that close and duplicate descriptors: the table of device files is updated, and
 * descriptors that the devices need are kept.
 */

/* fcntl() and fcntl64() are two symbols here; with 64-bit offsets by default they would be one. */
#undef _FILE_OFFSET_BITS

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "front/preload/rtnl.h"
#include "base/kept_fd.h"
#include "base/log.h"
#include "front/preload/netlink.h"
#include "front/preload/preload.h"
#include "front/uverbs/call/uverbs.h"

#if HAS_TSAN

/* From the runtime, which is in the same file as this function. */
void __tsan_init(void);

static bool is_ready;

__attribute__((constructor)) static void
ready_set(void)
{
	is_ready = true;
}

NOT_SANITIZED bool
swhca_preload_is_runtime(const void *code)
{
	Dl_info caller, runtime;

	return !is_ready || (dladdr(code, &caller) != 0 && dladdr(__tsan_init, &runtime) != 0 &&
			     caller.dli_fbase == runtime.dli_fbase);
}

#endif

NOT_SANITIZED void *
swhca_preload_find(const char *name)
{
	void *sym = dlsym(RTLD_NEXT, name);

	if (sym == NULL)
		abort();
	return sym;
}

int
swhca_preload_cancel_disable(void)
{
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	return state;
}

int
swhca_preload_result(int ret)
{
	if (ret >= 0)
		return ret;
	errno = -ret;
	return -1;
}

/* Update the state of netlink sockets. */
static void
sockets_close_range(unsigned int first, unsigned int last)
{
	swhca_netlink_close_range(first, last);
	swhca_rtnl_close_range(first, last);
}

static void
socket_close(int fd)
{
	if (fd >= 0)
		sockets_close_range((unsigned int)fd, (unsigned int)fd);
}

EXPORT int
close(int fd)
{
	REAL(int, close, int);
	int state;

	PASS_RUNTIME(fd);
	if (swhca_fd_is_kept(fd))
		return swhca_preload_result(-EBADF);
	state = swhca_preload_cancel_disable();
	swhca_uverbs_close(fd);
	socket_close(fd);
	pthread_setcancelstate(state, NULL);
	return real(fd);
}

/* Close or mark what is not kept. By system call number: libc may lack this call and the next. */
static int
range_close(unsigned int first, unsigned int last, int flags)
{
	int kept;

	for (;;) {
		kept = swhca_fd_kept_first(first, last);
		if (kept < 0)
			return (int)syscall(SYS_close_range, first, last, flags);
		if ((unsigned int)kept > first &&
		    syscall(SYS_close_range, first, (unsigned int)kept - 1, flags) != 0)
			return -1;
		if ((unsigned int)kept == last)
			return 0;
		first = (unsigned int)kept + 1;
	}
}

EXPORT int
close_range(unsigned int first, unsigned int last, int flags)
{
	/* With flags they are not closed, or not for other threads. */
	if (flags == 0 && first <= last) {
		swhca_uverbs_close_range(first, last);
		sockets_close_range(first, last);
	}
	return range_close(first, last, flags);
}

EXPORT void
closefrom(int first)
{
	REAL(void, closefrom, int);

	first = first < 0 ? 0 : first;
	/* Old kernel: libc uses another method, which closes ours, too. */
	if (close_range((unsigned int)first, UINT32_MAX, 0) != 0)
		real(first);
}

/* Register the duplicate made by libc; the replaced descriptor was closed. */
static int
dup_done(int oldfd, int newfd)
{
	int ret;

	if (newfd < 0 || newfd == oldfd)
		return newfd;
	socket_close(newfd);
	ret = swhca_uverbs_dup(oldfd, newfd);
	if (ret == 0)
		return newfd;
	close(newfd);
	return swhca_preload_result(ret);
}

EXPORT int
dup(int oldfd)
{
	REAL(int, dup, int);

	return dup_done(oldfd, real(oldfd));
}

/* Check whether a program may replace this descriptor; not if the devices need it. */
static bool
may_replace(int fd)
{
	if (!swhca_fd_is_kept(fd))
		return true;
	SWHCA_LOG(WARNING, "dup2: descriptor %d is one of the devices'", fd);
	errno = EBUSY;
	return false;
}

EXPORT int
dup2(int oldfd, int newfd)
{
	REAL(int, dup2, int, int);

	if (!may_replace(newfd))
		return -1;
	return dup_done(oldfd, real(oldfd, newfd));
}

EXPORT int
dup3(int oldfd, int newfd, int flags)
{
	REAL(int, dup3, int, int, int);

	if (!may_replace(newfd))
		return -1;
	return dup_done(oldfd, real(oldfd, newfd, flags));
}

/* All commands of fcntl(2) take one argument of at most pointer size. */
EXPORT int
fcntl(int fd, int cmd, ...)
{
	REAL(int, fcntl, int, int, ...);
	void *arg;
	va_list ap;
	int ret;

	va_start(ap, cmd);
	arg = va_arg(ap, void *);
	va_end(ap);
	PASS_RUNTIME(fd, cmd, arg);
	ret = real(fd, cmd, arg);
	return cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC ? dup_done(fd, ret) : ret;
}

EXPORT int
fcntl64(int fd, int cmd, ...)
{
	REAL(int, fcntl64, int, int, ...);
	void *arg;
	va_list ap;
	int ret;

	va_start(ap, cmd);
	arg = va_arg(ap, void *);
	va_end(ap);
	ret = real(fd, cmd, arg);
	return cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC ? dup_done(fd, ret) : ret;
}
