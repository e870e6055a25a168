/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Probe of a peer of a UDP link. A host reports addresses without an open port (ICMP, port
 * unreachable): an empty datagram, which is no packet, is sent from a socket that receives errors,
 * unlike the one of the link. A stopped or slow process still has its port: for it there is no
 * answer.
 */

#include <errno.h>
#include <string.h>
#include <time.h>

/* It needs struct timespec. */
#include <linux/errqueue.h>

#include "base/high_fd.h"
#include "base/kept_fd.h"
#include "base/log.h"
#include "wire/link/udp.h"

static int
socket_bind(const struct swhca_udp *udp, int fd)
{
	union swhca_udp_addr addr = { 0 };
	struct msghdr msg = { 0 };
	int on = 1, level = udp->is_ipv6 ? IPPROTO_IPV6 : IPPROTO_IP;

	swhca_udp_addr_put(udp, udp->link.gid, &addr, &msg);
	if (udp->is_ipv6)
		addr.in6.sin6_port = 0;
	else
		addr.in.sin_port = 0;
	if (bind(fd, &addr.any, msg.msg_namelen) != 0)
		return -errno;
	return setsockopt(fd, level, udp->is_ipv6 ? IPV6_RECVERR : IP_RECVERR, &on,
			  sizeof(on)) == 0 ? 0 : -errno;
}

/* @return false: unavailable, now or permanently. */
static bool
socket_open(struct swhca_udp *udp)
{
	int fd, ret;

	if (udp->probe_fd != 0)
		return udp->probe_fd > 0;
	fd = swhca_fd_raise(socket(udp->is_ipv6 ? AF_INET6 : AF_INET,
				   SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
	ret = fd < 0 ? -errno : socket_bind(udp, fd);
	if (ret == 0) {
		swhca_fd_keep_here(fd);
		udp->probe_fd = fd;
		return true;
	}
	SWHCA_LOG(WARNING, "wire udp: peers that die are not noticed: %s", strerror(-ret));
	if (fd >= 0)
		swhca_fd_close(fd);
	udp->probe_fd = -1;
	return false;
}

void
swhca_udp_probe(struct swhca_link *link, const uint8_t gid[16])
{
	struct swhca_udp *udp = (struct swhca_udp *)link;
	union swhca_udp_addr addr = { 0 };
	struct msghdr msg = { 0 };

	if (!socket_open(udp))
		return;
	swhca_udp_addr_put(udp, gid, &addr, &msg);
	/*
	 * The returned error may be an answer to an earlier probe, which stays in the error queue.
	 */
	if (sendmsg(udp->probe_fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		(void)sendmsg(udp->probe_fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* Check for an answer that the port is closed. */
static bool
is_refusal(struct msghdr *msg)
{
	struct sock_extended_err err;
	struct cmsghdr *cmsg;

	for (cmsg = CMSG_FIRSTHDR(msg); cmsg != NULL; cmsg = CMSG_NXTHDR(msg, cmsg)) {
		if ((cmsg->cmsg_level != IPPROTO_IP || cmsg->cmsg_type != IP_RECVERR) &&
		    (cmsg->cmsg_level != IPPROTO_IPV6 || cmsg->cmsg_type != IPV6_RECVERR))
			continue;
		memcpy(&err, CMSG_DATA(cmsg), sizeof(err));
		return err.ee_errno == ECONNREFUSED;
	}
	return false;
}

bool
swhca_udp_refused(struct swhca_link *link, uint8_t gid[16])
{
	struct swhca_udp *udp = (struct swhca_udp *)link;
	union {
		uint8_t bytes[CMSG_SPACE(sizeof(struct sock_extended_err) +
					 sizeof(struct sockaddr_in6))];
		struct cmsghdr align;
	} ctrl;
	union swhca_udp_addr addr;
	struct msghdr msg;

	while (udp->probe_fd > 0) {
		msg = (struct msghdr){
			.msg_name = &addr, .msg_namelen = sizeof(addr),
			.msg_control = ctrl.bytes, .msg_controllen = sizeof(ctrl),
		};
		if (recvmsg(udp->probe_fd, &msg, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
			return false;
		if (!is_refusal(&msg))
			continue;
		memcpy(gid, udp->link.gid, 16);
		if (udp->is_ipv6)
			memcpy(gid, &addr.in6.sin6_addr, 16);
		else
			memcpy(gid + 12, &addr.in.sin_addr, 4);
		return true;
	}
	return false;
}
