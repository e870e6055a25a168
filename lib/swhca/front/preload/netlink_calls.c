/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * libc calls for requests and answers of RDMA netlink. libnl, libmnl and DPDK bind a socket, send
 * messages and check the sender address of an answer. Sockets of rtnetlink belong to the kernel,
 * and are only watched.
 */

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "front/preload/rtnl.h"
#include "front/preload/netlink.h"
#include "front/preload/preload.h"

/* Join a message from pieces. @return Memory to be freed, or NULL. */
static uint8_t *
pieces_join(const struct iovec *iov, size_t nb, size_t *len)
{
	size_t at = 0, i;
	uint8_t *whole;

	*len = 0;
	for (i = 0; i < nb; i++)
		*len += iov[i].iov_len;
	whole = malloc(*len + 1);
	for (i = 0; whole != NULL && i < nb; at += iov[i++].iov_len)
		memcpy(whole + at, iov[i].iov_base, iov[i].iov_len);
	return whole;
}

/* Examine requests of rtnetlink before they are sent to the kernel. */
static void
requests_watch(int fd, const struct iovec *iov, size_t nb)
{
	size_t len;
	uint8_t *whole;

	if (nb == 1) {
		swhca_rtnl_requests(fd, iov->iov_base, iov->iov_len);
		return;
	}
	whole = pieces_join(iov, nb, &len);
	if (whole != NULL)
		swhca_rtnl_requests(fd, whole, len);
	free(whole);
}

static ssize_t
netlink_send(int fd, const void *buf, size_t len)
{
	int state = swhca_preload_cancel_disable();
	ssize_t ret = swhca_netlink_send(fd, buf, len);

	pthread_setcancelstate(state, NULL);
	return ret >= 0 ? ret : swhca_preload_result((int)ret);
}

static ssize_t
netlink_send_pieces(int fd, const struct iovec *iov, size_t nb)
{
	uint8_t *whole;
	ssize_t ret;
	size_t len;

	if (nb == 1)
		return netlink_send(fd, iov->iov_base, iov->iov_len);
	whole = pieces_join(iov, nb, &len);
	if (whole == NULL)
		return swhca_preload_result(-ENOBUFS);
	ret = netlink_send(fd, whole, len);
	free(whole);
	return ret;
}

/* Answers come from the kernel, whose number is 0. *len: buffer size, then address size. */
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
connect(int fd, const struct sockaddr *addr, socklen_t len)
{
	REAL(int, connect, int, const struct sockaddr *, socklen_t);
	struct sockaddr_nl nl = { 0 };

	if (!swhca_netlink_has(fd))
		return real(fd, addr, len);
	memcpy(&nl, addr, len < sizeof(nl) ? len : sizeof(nl));
	return swhca_preload_result(swhca_netlink_connect(fd, &nl, len));
}

EXPORT int
setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	REAL(int, setsockopt, int, int, int, const void *, socklen_t);

	if (level != SOL_NETLINK || !swhca_netlink_has(fd))
		return real(fd, level, name, value, len);
	return swhca_preload_result(swhca_netlink_option_set(fd, name, value, len));
}

EXPORT int
getsockopt(int fd, int level, int name, void *restrict value, socklen_t *restrict len)
{
	REAL(int, getsockopt, int, int, int, void *, socklen_t *);
	int word, ret;

	if ((level != SOL_NETLINK && level != SOL_SOCKET) || !swhca_netlink_has(fd))
		return real(fd, level, name, value, len);
	ret = swhca_netlink_option_get(fd, level, name, &word);
	if (ret == -ENOPROTOOPT && level == SOL_SOCKET)
		return real(fd, level, name, value, len);
	if (ret == 0 && *len < sizeof(word))
		ret = -EINVAL;
	if (ret != 0)
		return swhca_preload_result(ret);
	memcpy(value, &word, sizeof(word));
	*len = sizeof(word);
	return 0;
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

	if (swhca_netlink_has(fd))
		return netlink_send(fd, buf, len);
	if (swhca_rtnl_has(fd))
		swhca_rtnl_requests(fd, buf, len);
	return real(fd, buf, len, flags);
}

EXPORT ssize_t
sendto(int fd, const void *buf, size_t len, int flags, const struct sockaddr *to, socklen_t to_len)
{
	REAL(ssize_t, sendto, int, const void *, size_t, int, const struct sockaddr *, socklen_t);

	if (swhca_netlink_has(fd))
		return netlink_send(fd, buf, len);
	if (swhca_rtnl_has(fd))
		swhca_rtnl_requests(fd, buf, len);
	return real(fd, buf, len, flags, to, to_len);
}

EXPORT ssize_t
sendmsg(int fd, const struct msghdr *msg, int flags)
{
	REAL(ssize_t, sendmsg, int, const struct msghdr *, int);

	if (swhca_netlink_has(fd))
		return netlink_send_pieces(fd, msg->msg_iov, msg->msg_iovlen);
	if (swhca_rtnl_has(fd))
		requests_watch(fd, msg->msg_iov, msg->msg_iovlen);
	return real(fd, msg, flags);
}

/* After a read, the socket has room for waiting packets. */
static ssize_t
received(int fd, ssize_t ret)
{
	if (ret >= 0)
		swhca_netlink_received(fd);
	return ret;
}

/* Receive extensions of a kernel list, for calls with one buffer. */
static bool
netdevs_receive(int fd, void *buf, size_t len, int flags, struct sockaddr *from,
		socklen_t *from_len, ssize_t *ret)
{
	struct iovec iov = { buf, len };
	struct msghdr msg = { .msg_name = from, .msg_iov = &iov, .msg_iovlen = 1,
			      .msg_namelen = from != NULL ? *from_len : 0 };

	if (!swhca_rtnl_has(fd) || !swhca_rtnl_receive(fd, &msg, flags, ret))
		return false;
	if (from != NULL)
		*from_len = msg.msg_namelen;
	return true;
}

EXPORT ssize_t
recv(int fd, void *buf, size_t len, int flags)
{
	REAL(ssize_t, recv, int, void *, size_t, int);
	ssize_t ret;

	if (netdevs_receive(fd, buf, len, flags, NULL, NULL, &ret))
		return ret;
	if (!swhca_netlink_has(fd))
		return real(fd, buf, len, flags);
	return received(fd, real(fd, buf, len, flags));
}

EXPORT ssize_t
recvfrom(int fd, void *restrict buf, size_t len, int flags, struct sockaddr *restrict from,
	 socklen_t *restrict from_len)
{
	REAL(ssize_t, recvfrom, int, void *, size_t, int, struct sockaddr *, socklen_t *);
	ssize_t ret;

	if (netdevs_receive(fd, buf, len, flags, from, from_len, &ret))
		return ret;
	if (!swhca_netlink_has(fd))
		return real(fd, buf, len, flags, from, from_len);
	ret = received(fd, real(fd, buf, len, flags, NULL, NULL));
	if (ret >= 0)
		kernel_address(from, from_len);
	return ret;
}

/* Variants used by _FORTIFY_SOURCE. */
ssize_t __recv_chk(int fd, void *buf, size_t len, size_t size, int flags);
ssize_t __recvfrom_chk(int fd, void *buf, size_t len, size_t size, int flags,
		       struct sockaddr *from, socklen_t *from_len);

EXPORT ssize_t
__recv_chk(int fd, void *buf, size_t len, size_t size, int flags)
{
	REAL(ssize_t, __recv_chk, int, void *, size_t, size_t, int);

	if (len > size || (!swhca_netlink_has(fd) && !swhca_rtnl_has(fd)))
		return real(fd, buf, len, size, flags);
	return recv(fd, buf, len, flags);
}

EXPORT ssize_t
__recvfrom_chk(int fd, void *buf, size_t len, size_t size, int flags, struct sockaddr *from,
	       socklen_t *from_len)
{
	REAL(ssize_t, __recvfrom_chk, int, void *, size_t, size_t, int, struct sockaddr *,
	     socklen_t *);

	if (len > size || (!swhca_netlink_has(fd) && !swhca_rtnl_has(fd)))
		return real(fd, buf, len, size, flags, from, from_len);
	return recvfrom(fd, buf, len, flags, from, from_len);
}

EXPORT ssize_t
recvmsg(int fd, struct msghdr *msg, int flags)
{
	REAL(ssize_t, recvmsg, int, struct msghdr *, int);
	void *name = msg->msg_name;
	socklen_t len = msg->msg_namelen;
	ssize_t ret;

	if (swhca_rtnl_has(fd) && swhca_rtnl_receive(fd, msg, flags, &ret))
		return ret;
	if (!swhca_netlink_has(fd))
		return real(fd, msg, flags);
	ret = received(fd, real(fd, msg, flags));
	if (ret < 0 || name == NULL)
		return ret;
	kernel_address(name, &len);
	msg->msg_namelen = len;
	return ret;
}

ssize_t
swhca_preload_netlink_write(int fd, const void *buf, size_t len)
{
	return netlink_send(fd, buf, len);
}

ssize_t
swhca_preload_netlink_read(int fd, void *buf, size_t len)
{
	return recv(fd, buf, len, 0);
}
