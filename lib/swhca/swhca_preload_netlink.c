/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * The libc calls by which a program asks RDMA netlink and reads the answers. libnl, libmnl and
 * DPDK bind a socket, send messages and look at the address that an answer comes from.
 */

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "swhca_netlink.h"
#include "swhca_preload.h"

static ssize_t
netlink_send(int fd, const void *buf, size_t len)
{
	int state = swhca_preload_cancel_disable();
	ssize_t ret = swhca_netlink_send(fd, buf, len);

	pthread_setcancelstate(state, NULL);
	return ret >= 0 ? ret : swhca_preload_result((int)ret);
}

/* A message in pieces. */
static ssize_t
netlink_send_pieces(int fd, const struct iovec *iov, size_t nb)
{
	size_t len = 0, at = 0, i;
	uint8_t *whole;
	ssize_t ret;

	if (nb == 1)
		return netlink_send(fd, iov->iov_base, iov->iov_len);
	for (i = 0; i < nb; i++)
		len += iov[i].iov_len;
	whole = malloc(len + 1);
	if (whole == NULL)
		return swhca_preload_result(-ENOBUFS);
	for (i = 0; i < nb; at += iov[i++].iov_len)
		memcpy(whole + at, iov[i].iov_base, iov[i].iov_len);
	ret = netlink_send(fd, whole, len);
	free(whole);
	return ret;
}

/* Answers come from the kernel, whose number is 0. *len: room, then the size of the address. */
static void
kernel_address(void *addr, socklen_t *len)
{
	const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };

	if (addr == NULL || len == NULL)
		return;
	memcpy(addr, &kernel, *len < sizeof(kernel) ? *len : sizeof(kernel));
	*len = sizeof(kernel);
}

EXPORT int
bind(int fd, const struct sockaddr *addr, socklen_t len)
{
	REAL(int, bind, int, const struct sockaddr *, socklen_t);
	struct sockaddr_nl nl = { 0 };

	if (!swhca_netlink_has(fd))
		return real(fd, addr, len);
	memcpy(&nl, addr, len < sizeof(nl) ? len : sizeof(nl));
	return swhca_preload_result(swhca_netlink_bind(fd, &nl, len));
}

EXPORT int
getsockname(int fd, struct sockaddr *restrict addr, socklen_t *restrict len)
{
	REAL(int, getsockname, int, struct sockaddr *, socklen_t *);
	struct sockaddr_nl nl;
	int ret;

	if (!swhca_netlink_has(fd))
		return real(fd, addr, len);
	ret = swhca_netlink_name(fd, &nl);
	if (ret != 0)
		return swhca_preload_result(ret);
	memcpy(addr, &nl, *len < sizeof(nl) ? *len : sizeof(nl));
	*len = sizeof(nl);
	return 0;
}

EXPORT ssize_t
send(int fd, const void *buf, size_t len, int flags)
{
	REAL(ssize_t, send, int, const void *, size_t, int);

	return swhca_netlink_has(fd) ? netlink_send(fd, buf, len) : real(fd, buf, len, flags);
}

EXPORT ssize_t
sendto(int fd, const void *buf, size_t len, int flags, const struct sockaddr *to, socklen_t to_len)
{
	REAL(ssize_t, sendto, int, const void *, size_t, int, const struct sockaddr *, socklen_t);

	return swhca_netlink_has(fd) ? netlink_send(fd, buf, len) :
				       real(fd, buf, len, flags, to, to_len);
}

EXPORT ssize_t
sendmsg(int fd, const struct msghdr *msg, int flags)
{
	REAL(ssize_t, sendmsg, int, const struct msghdr *, int);

	return swhca_netlink_has(fd) ? netlink_send_pieces(fd, msg->msg_iov, msg->msg_iovlen) :
				       real(fd, msg, flags);
}

EXPORT ssize_t
recvfrom(int fd, void *restrict buf, size_t len, int flags, struct sockaddr *restrict from,
	 socklen_t *restrict from_len)
{
	REAL(ssize_t, recvfrom, int, void *, size_t, int, struct sockaddr *, socklen_t *);
	ssize_t ret;

	if (from == NULL || !swhca_netlink_has(fd))
		return real(fd, buf, len, flags, from, from_len);
	ret = real(fd, buf, len, flags, NULL, NULL);
	if (ret >= 0)
		kernel_address(from, from_len);
	return ret;
}

EXPORT ssize_t
recvmsg(int fd, struct msghdr *msg, int flags)
{
	REAL(ssize_t, recvmsg, int, struct msghdr *, int);
	socklen_t len;
	ssize_t ret;

	if (!swhca_netlink_has(fd))
		return real(fd, msg, flags);
	len = msg->msg_namelen;
	ret = real(fd, msg, flags);
	if (ret < 0 || msg->msg_name == NULL)
		return ret;
	kernel_address(msg->msg_name, &len);
	msg->msg_namelen = len;
	return ret;
}
