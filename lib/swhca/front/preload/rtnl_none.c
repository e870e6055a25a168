/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A build in which Ethernet ports have no net devices for programs (meson option swhca_netlink):
 * libc and the kernel know those of the machine only.
 */

#include "front/preload/preload_netdev_ioctl.h"
#include "front/preload/rtnl.h"

void
swhca_rtnl_opened(int fd)
{
	(void)fd;
}

bool
swhca_rtnl_has(int fd)
{
	(void)fd;
	return false;
}

void
swhca_rtnl_requests(int fd, const void *buf, size_t len)
{
	(void)fd;
	(void)buf;
	(void)len;
}

bool
swhca_rtnl_receive(int fd, struct msghdr *msg, int flags, ssize_t *ret)
{
	(void)fd;
	(void)msg;
	(void)flags;
	(void)ret;
	return false;
}

void
swhca_rtnl_close_range(unsigned int first, unsigned int last)
{
	(void)first;
	(void)last;
}

void
swhca_rtnl_forget(void)
{
}

bool
swhca_netdev_ioctl(int fd, unsigned long request, void *arg, int *ret)
{
	(void)fd;
	(void)request;
	(void)arg;
	(void)ret;
	return false;
}
