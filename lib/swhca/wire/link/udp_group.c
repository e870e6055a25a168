/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Groups of a UDP link. Packets to a group are received by sockets bound to its address, not by the
 * socket of the link: one per group, which all processes of a host may open. An epoll(7) descriptor
 * represents all of them.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/queue.h>

#include "base/high_fd.h"
#include "base/kept_fd.h"
#include "base/log.h"
#include "wire/link/udp.h"

struct swhca_udp_group {
	LIST_ENTRY(swhca_udp_group) link;
	uint8_t gid[16];
	unsigned int nb_members;	/* Groups of the port with that address. */
	int fd;
};

static struct swhca_udp_group *
group_find(const struct swhca_udp *udp, const uint8_t gid[16])
{
	struct swhca_udp_group *group;

	LIST_FOREACH(group, &udp->groups, link) {
		if (memcmp(group->gid, gid, sizeof(group->gid)) == 0)
			return group;
	}
	return NULL;
}

static int
socket_join(const struct swhca_udp *udp, const uint8_t gid[16], int fd)
{
	struct ipv6_mreq mreq6 = { .ipv6mr_interface = udp->if_index };
	struct ip_mreqn mreq = { .imr_ifindex = (int)udp->if_index };
	union swhca_udp_addr addr = { 0 };
	struct msghdr msg = { 0 };
	int on = 1;

	swhca_udp_addr_put(udp, gid, &addr, &msg);
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0)
		return -errno;
	if (udp->is_ipv6)
		addr.in6.sin6_scope_id = udp->if_index;
	if (bind(fd, &addr.any, msg.msg_namelen) != 0)
		return -errno;
	swhca_udp_options_may(udp, fd);
	if (udp->is_ipv6) {
		mreq6.ipv6mr_multiaddr = addr.in6.sin6_addr;
		return setsockopt(fd, IPPROTO_IPV6, IPV6_ADD_MEMBERSHIP, &mreq6,
				  sizeof(mreq6)) == 0 ? 0 : -errno;
	}
	mreq.imr_multiaddr = addr.in.sin_addr;
	return setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &mreq, sizeof(mreq)) == 0 ? 0 :
											-errno;
}

/* @return A descriptor, or a negative errno. */
static int
socket_open(const struct swhca_udp *udp, const uint8_t gid[16])
{
	int fd = swhca_fd_raise(socket(udp->is_ipv6 ? AF_INET6 : AF_INET,
				       SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)), ret;

	if (fd < 0)
		return -errno;
	ret = socket_join(udp, gid, fd);
	if (ret != 0) {
		swhca_fd_close(fd);
		return ret;
	}
	swhca_fd_keep_here(fd);
	return fd;
}

static int
poll_add(struct swhca_udp *udp, struct swhca_udp_group *group)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = group };
	int fd;

	if (udp->link.group_fd == 0) {
		fd = swhca_fd_raise(epoll_create1(EPOLL_CLOEXEC));
		if (fd < 0)
			return -errno;
		swhca_fd_keep_here(fd);
		udp->link.group_fd = fd;
	}
	return epoll_ctl(udp->link.group_fd, EPOLL_CTL_ADD, group->fd, &event) == 0 ? 0 : -errno;
}

static int
group_join(struct swhca_udp *udp, const uint8_t gid[16])
{
	struct swhca_udp_group *group = calloc(1, sizeof(*group));
	int ret;

	if (group == NULL)
		return -ENOMEM;
	memcpy(group->gid, gid, sizeof(group->gid));
	group->nb_members = 1;
	group->fd = socket_open(udp, gid);
	ret = group->fd < 0 ? group->fd : poll_add(udp, group);
	if (ret == 0) {
		LIST_INSERT_HEAD(&udp->groups, group, link);
		return 0;
	}
	if (group->fd >= 0)
		swhca_fd_release(group->fd);
	free(group);
	return ret;
}

static void
group_leave(struct swhca_udp_group *group)
{
	LIST_REMOVE(group, link);
	/* This also removes it from the epoll descriptor. */
	swhca_fd_release(group->fd);
	free(group);
}

void
swhca_udp_group(struct swhca_link *link, const uint8_t gid[16], bool is_member)
{
	struct swhca_udp *udp = (struct swhca_udp *)link;
	struct swhca_udp_group *group = group_find(udp, gid);
	char text[INET6_ADDRSTRLEN];
	int ret;

	if (group != NULL && is_member) {
		group->nb_members++;
	} else if (group != NULL) {
		if (--group->nb_members == 0)
			group_leave(group);
	} else if (is_member) {
		ret = group_join(udp, gid);
		if (ret == 0)
			return;
		inet_ntop(udp->is_ipv6 ? AF_INET6 : AF_INET, udp->is_ipv6 ? gid : gid + 12, text,
			  sizeof(text));
		SWHCA_LOG(WARNING, "wire udp: group %s: %s: nothing of other processes comes", text,
			  strerror(-ret));
	}
}

int
swhca_udp_group_ready(const struct swhca_udp *udp, uint8_t gid[16])
{
	const struct swhca_udp_group *group;
	struct epoll_event event;

	if (LIST_EMPTY(&udp->groups) || epoll_wait(udp->link.group_fd, &event, 1, 0) != 1)
		return -1;
	group = event.data.ptr;
	memcpy(gid, group->gid, sizeof(group->gid));
	return group->fd;
}

void
swhca_udp_group_fini(struct swhca_udp *udp)
{
	struct swhca_udp_group *group, *next;

	for (group = LIST_FIRST(&udp->groups); group != NULL; group = next) {
		next = LIST_NEXT(group, link);
		group_leave(group);
	}
	if (udp->link.group_fd != 0)
		swhca_fd_release(udp->link.group_fd);
}
