/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * libc calls that put the software HCA under libibverbs, for LD_PRELOAD.
 *
 * Calls that are not for our devices are passed on. libibverbs finds the devices by NETLINK_RDMA
 * (netlink.h), or in sysfs at $SYSFS_PATH; it calls stat, open, ioctl and mmap on a device file.
 */

/* open() and open64() are two symbols here; with 64-bit offsets by default they would be one. */
#undef _FILE_OFFSET_BITS

#include <errno.h>
#include <linux/netlink.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "front/preload/preload_netdev_ioctl.h"
#include "front/preload/live.h"
#include "front/preload/rtnl.h"
#include "base/log.h"
#include "include/pages.h"
#include "front/preload/netlink.h"
#include "front/preload/preload_node.h"
#include "front/preload/preload.h"
#include "host/links.h"
#include "host/sysfs.h"
#include "front/ucma/ucma.h"
#include "front/uverbs/call/uverbs.h"

__attribute__((constructor)) static void
preload_init(void)
{
	int saved = errno;

	swhca_log_level = swhca_conf_get()->log;
	swhca_links_start(swhca_conf_get());
	swhca_sysfs_init();
	errno = saved;
}

__attribute__((destructor)) static void
preload_fini(void)
{
	swhca_ucma_exit();
	swhca_sysfs_remove();
}

EXPORT int
socket(int domain, int type, int protocol)
{
	REAL(int, socket, int, int, int);
	int ret;

	if (domain == AF_NETLINK && protocol == NETLINK_ROUTE) {
		ret = real(domain, type, protocol);
		swhca_rtnl_opened(ret);
		return ret;
	}
	if (domain != AF_NETLINK || protocol != NETLINK_RDMA)
		return real(domain, type, protocol);
	/* Devices listed by netlink have their properties in sysfs. */
	ret = swhca_sysfs_create();
	return swhca_preload_result(ret == 0 ? swhca_netlink_open(type) : ret);
}

/* Calls on a descriptor */

EXPORT int
ioctl(int fd, unsigned long request, ...)
{
	REAL(int, ioctl, int, unsigned long, ...);
	bool is_device;
	int ret, state;
	void *arg;
	va_list ap;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (swhca_netdev_ioctl(fd, request, arg, &ret))
		return swhca_preload_result(ret);
	state = swhca_preload_cancel_disable();
	is_device = swhca_uverbs_ioctl(fd, request, arg, &ret);
	pthread_setcancelstate(state, NULL);
	return is_device ? swhca_preload_result(ret) : real(fd, request, arg);
}

static ssize_t
cm_write(int fd, const void *buf, size_t len)
{
	ssize_t ret = swhca_ucma_write(fd, buf, len);

	if (ret >= 0)
		return ret;
	errno = (int)-ret;
	return -1;
}

/*
 * The write ABI is older than ioctl; libibverbs uses it if ioctl lacks INVOKE_WRITE, which ours
 * has.
 */
EXPORT ssize_t
write(int fd, const void *buf, size_t len)
{
	REAL(ssize_t, write, int, const void *, size_t);

	if (swhca_uverbs_index(fd) >= 0)
		return swhca_preload_result(-EOPNOTSUPP);
	/* Such files are read-only (ib_core: UVERBS_TYPE_ALLOC_FD(), O_RDONLY). */
	if (swhca_uverbs_is_event(fd))
		return swhca_preload_result(-EBADF);
	if (swhca_ucma_is(fd))
		return cm_write(fd, buf, len);
	if (swhca_netlink_has(fd))
		return swhca_preload_netlink_write(fd, buf, len);
	if (swhca_rtnl_has(fd))
		swhca_rtnl_requests(fd, buf, len);
	return real(fd, buf, len);
}

static ssize_t
event_read(int fd, void *buf, size_t len)
{
	ssize_t ret = swhca_uverbs_read(fd, buf, len);

	if (ret >= 0)
		return ret;
	errno = (int)-ret;
	return -1;
}

EXPORT ssize_t
read(int fd, void *buf, size_t len)
{
	REAL(ssize_t, read, int, void *, size_t);

	if (swhca_uverbs_is_event(fd))
		return event_read(fd, buf, len);
	if (swhca_netlink_has(fd) || swhca_rtnl_has(fd))
		return swhca_preload_netlink_read(fd, buf, len);
	swhca_live_reading(fd, -1);
	/* A device file has no read operation. */
	return swhca_node_of_fd(fd) < 0 ? real(fd, buf, len) : swhca_preload_result(-EINVAL);
}

/* Variant of read() used by _FORTIFY_SOURCE. */
ssize_t __read_chk(int fd, void *buf, size_t len, size_t size);

EXPORT ssize_t
__read_chk(int fd, void *buf, size_t len, size_t size)
{
	REAL(ssize_t, __read_chk, int, void *, size_t, size_t);

	if (len <= size && swhca_uverbs_is_event(fd))
		return event_read(fd, buf, len);
	swhca_live_reading(fd, -1);
	return real(fd, buf, len, size);
}

/* Mapping */

/* @return 0 if the mapping is not ours, 1 if it is ours and allowed, or -1 with errno. */
static int
mmap_check(size_t len, int prot, int flags, int fd, off_t *offset)
{
	int ret, state;

	if ((flags & MAP_ANONYMOUS) != 0 || swhca_uverbs_index(fd) < 0)
		return 0;
	state = swhca_preload_cancel_disable();
	ret = swhca_uverbs_mmap(fd, len, prot, flags, offset);
	pthread_setcancelstate(state, NULL);
	return ret == 0 ? 1 : swhca_preload_result(ret);
}

/* Pages that are not mapped fault, and are then operations of the device. */
static void *
mmap_done(void *va, size_t len, int fd, off_t offset)
{
	int ret;

	if (va == MAP_FAILED)
		return va;
	ret = swhca_uverbs_mapped(fd, va, len, offset);
	if (ret == 0)
		return va;
	munmap(va, len);
	swhca_preload_result(ret);
	return MAP_FAILED;
}

EXPORT void *
mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
	REAL(void *, mmap, void *, size_t, int, int, int, off_t);
	struct swhca_pages_change change;
	bool is_told = false;
	void *va;
	int ours;

	PASS_RUNTIME(addr, len, prot, flags, fd, offset);
	ours = mmap_check(len, prot, flags, fd, &offset);
	if (ours < 0)
		return MAP_FAILED;
	if ((flags & MAP_FIXED) != 0)
		is_told = swhca_preload_replace(&change, addr, len);
	va = real(addr, len, prot, flags, fd, offset);
	if (is_told)
		swhca_preload_pages_end(&change, 1, va != MAP_FAILED);
	return ours ? mmap_done(va, len, fd, offset) : va;
}

EXPORT void *
mmap64(void *addr, size_t len, int prot, int flags, int fd, off64_t offset)
{
	REAL(void *, mmap64, void *, size_t, int, int, int, off64_t);
	off_t in_file = offset;
	struct swhca_pages_change change;
	bool is_told = false;
	void *va;
	int ours;

	ours = mmap_check(len, prot, flags, fd, &in_file);
	if (ours < 0)
		return MAP_FAILED;
	if ((flags & MAP_FIXED) != 0)
		is_told = swhca_preload_replace(&change, addr, len);
	va = real(addr, len, prot, flags, fd, in_file);
	if (is_told)
		swhca_preload_pages_end(&change, 1, va != MAP_FAILED);
	return ours ? mmap_done(va, len, fd, in_file) : va;
}

/* Status of files; struct stat and struct stat64 are the same on 64-bit machines. */

_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "64-bit machines only");

static bool
stat_fd(int fd, void *st)
{
	int node = swhca_node_of_fd(fd);

	if (node >= 0)
		swhca_node_stat(node, st);
	return node >= 0;
}

#define STAT_BY_FD(name, type)                                                                     \
	EXPORT int name(int fd, type *st)                                                          \
	{                                                                                          \
		REAL(int, name, int, type *);                                                      \
		return stat_fd(fd, st) ? 0 : real(fd, st);                                         \
	}
/* Up to glibc 2.32 programs call these, with the version of struct stat. */
#define XSTAT_BY_FD(name, type)                                                                    \
	int name(int version, int fd, type *st);                                                   \
	EXPORT int name(int version, int fd, type *st)                                             \
	{                                                                                          \
		REAL(int, name, int, int, type *);                                                 \
		return stat_fd(fd, st) ? 0 : real(version, fd, st);                                \
	}

STAT_BY_FD(fstat, struct stat)
STAT_BY_FD(fstat64, struct stat64)
XSTAT_BY_FD(__fxstat, struct stat)
XSTAT_BY_FD(__fxstat64, struct stat64)
