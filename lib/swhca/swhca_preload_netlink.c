/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * The libc calls by which a program asks RDMA netlink; the answers it reads from its socket.
 */

#include <pthread.h>
#include <sys/socket.h>

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
