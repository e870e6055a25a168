/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include "front/preload/rtnl.h"
#include "front/uverbs/nl/nl_netdev.h"
#include "host/conf.h"

/* Maximum watched sockets; others do not report our devices. */
#define MAX_SOCKETS	64u
/* Maximum requests of a socket with unread answers. */
#define MAX_ASKS	8u
/* Maximum packet of a list (netlink_dump()). */
#define MAX_PACKET	32768u

/* A request that concerns net devices. */
struct ask {
	bool is_used;
	bool is_dump;
	bool has_ack;
	uint8_t family;
	uint16_t type;
	uint32_t seq;
	uint32_t ifindex;	/* Only this device, which is ours; 0: all. */
	unsigned int next;	/* Next device to report. */
	struct nlmsghdr hdr;
};

struct sock {
	int fd;			/* -1: free. */
	ino_t ino;
	unsigned int last;	/* Last ask entered. */
	struct ask asks[MAX_ASKS];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sock socks[MAX_SOCKETS] = { [0 ... MAX_SOCKETS - 1] = { .fd = -1 } };
/* Without sockets, a call on a descriptor costs one load. */
static atomic_uint nb_socks;
static _Atomic pid_t owner;

static struct sock *
sock_find(int fd)
{
	unsigned int i;

	for (i = 0; i < MAX_SOCKETS; i++)
		if (socks[i].fd == fd)
			return &socks[i];
	return NULL;
}

/* By system call number, as fstat() is intercepted. */
static ino_t
inode_of(int fd)
{
	struct stat st;

	return syscall(SYS_fstat, fd, &st) == 0 ? st.st_ino : 0;
}

void
swhca_rtnl_opened(int fd)
{
	struct sock *sock;

	if (fd < 0 || !swhca_netdev_exist())
		return;
	pthread_mutex_lock(&lock);
	sock = sock_find(fd);
	if (sock == NULL) {
		sock = sock_find(-1);
		if (sock != NULL)
			atomic_fetch_add(&nb_socks, 1);
	}
	if (sock != NULL)
		*sock = (struct sock){ .fd = fd, .ino = inode_of(fd) };
	atomic_store(&owner, getpid());
	pthread_mutex_unlock(&lock);
}

/* A descriptor closed unnoticed now belongs to another file. */
bool
swhca_rtnl_has(int fd)
{
	struct sock *sock;
	bool has;

	if (atomic_load(&nb_socks) == 0 || fd < 0)
		return false;
	pthread_mutex_lock(&lock);
	sock = sock_find(fd);
	has = sock != NULL && sock->ino == inode_of(fd);
	pthread_mutex_unlock(&lock);
	return has;
}

void
swhca_rtnl_close_range(unsigned int first, unsigned int last)
{
	unsigned int i;

	/* A child of vfork(2) runs in the memory of its parent. */
	if (atomic_load(&nb_socks) == 0 || atomic_load(&owner) != getpid())
		return;
	pthread_mutex_lock(&lock);
	for (i = 0; i < MAX_SOCKETS; i++) {
		if (socks[i].fd < 0 || (unsigned int)socks[i].fd < first ||
		    (unsigned int)socks[i].fd > last)
			continue;
		socks[i].fd = -1;
		atomic_fetch_sub(&nb_socks, 1);
	}
	pthread_mutex_unlock(&lock);
}

void
swhca_rtnl_forget(void)
{
	pthread_mutex_init(&lock, NULL);
	atomic_store(&owner, getpid());
}

/* Requests */

/* A list without our devices: filtered, or of another namespace. */
static bool
is_filter(uint16_t type)
{
	return type == IFLA_MASTER || type == IFLA_LINKINFO || type == IFLA_TARGET_NETNSID;
}

/* @return Whether it concerns our devices. */
static bool
link_request_read(struct ask *ask, const uint8_t *body, size_t len)
{
	struct ifinfomsg info = { 0 };
	struct swhca_netdev netdev;
	struct nlattr attr;
	const uint8_t *at;
	char name[IF_NAMESIZE];
	size_t name_len;

	memcpy(&info, body, len < sizeof(info) ? len : sizeof(info));
	body += len < sizeof(info) ? len : sizeof(info);
	len -= len < sizeof(info) ? len : sizeof(info);
	/* Ports of bridges; other families get all links. */
	if (info.ifi_family == AF_BRIDGE)
		return false;
	ask->family = info.ifi_family;
	ask->ifindex = (uint32_t)info.ifi_index;
	while ((at = swhca_nl_next(&body, &len, &attr)) != NULL) {
		if (is_filter(attr.nla_type & NLA_TYPE_MASK))
			return false;
		name_len = (size_t)(attr.nla_len - NLA_HDRLEN);
		if (attr.nla_type != IFLA_IFNAME && attr.nla_type != IFLA_ALT_IFNAME)
			continue;
		memset(name, 0, sizeof(name));
		memcpy(name, at + NLA_HDRLEN,
		       name_len < sizeof(name) - 1 ? name_len : sizeof(name) - 1);
		if (ask->ifindex == 0 && swhca_netdev_by_name(name, &netdev))
			ask->ifindex = netdev.ifindex;
	}
	if (ask->is_dump)
		return ask->ifindex == 0;
	return swhca_netdev_by_ifindex(ask->ifindex, &netdev);
}

/* Filters of a list apply if the socket enabled that (since Linux 4.20). */
static bool
is_strict(int fd)
{
	socklen_t len = sizeof(int);
	int value = 0;

	return syscall(SYS_getsockopt, fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &value, &len) ==
		       0 && value != 0;
}

static bool
addr_request_read(struct ask *ask, int fd, const uint8_t *body, size_t len)
{
	struct ifaddrmsg info = { 0 };
	struct swhca_netdev netdev;

	memcpy(&info, body, len < sizeof(info) ? len : sizeof(info));
	ask->family = info.ifa_family;
	if (!ask->is_dump || (ask->family != AF_UNSPEC && ask->family != AF_INET &&
			      ask->family != AF_INET6))
		return false;
	ask->ifindex = is_strict(fd) ? info.ifa_index : 0;
	return ask->ifindex == 0 || swhca_netdev_by_ifindex(ask->ifindex, &netdev);
}

static bool
request_read(struct ask *ask, int fd, const struct nlmsghdr *hdr, const uint8_t *body)
{
	size_t len = hdr->nlmsg_len - NLMSG_HDRLEN;

	*ask = (struct ask){
		.is_used = true,
		.is_dump = (hdr->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP,
		.has_ack = (hdr->nlmsg_flags & NLM_F_ACK) != 0,
		.type = hdr->nlmsg_type,
		.seq = hdr->nlmsg_seq,
		.hdr = *hdr,
	};
	if (hdr->nlmsg_type == RTM_GETLINK)
		return link_request_read(ask, body, len);
	return hdr->nlmsg_type == RTM_GETADDR && addr_request_read(ask, fd, body, len);
}

static void
ask_add(int fd, const struct ask *ask)
{
	struct sock *sock;

	pthread_mutex_lock(&lock);
	sock = sock_find(fd);
	if (sock != NULL) {
		sock->last = (sock->last + 1) % MAX_ASKS;
		sock->asks[sock->last] = *ask;
	}
	pthread_mutex_unlock(&lock);
}

void
swhca_rtnl_requests(int fd, const void *buf, size_t len)
{
	const uint8_t *at = buf;
	struct nlmsghdr hdr;
	struct ask ask;
	size_t step;

	while (len >= sizeof(hdr)) {
		memcpy(&hdr, at, sizeof(hdr));
		if (hdr.nlmsg_len < sizeof(hdr) || hdr.nlmsg_len > len)
			return;
		if (request_read(&ask, fd, &hdr, at + NLMSG_HDRLEN))
			ask_add(fd, &ask);
		step = NLMSG_ALIGN((size_t)hdr.nlmsg_len);
		if (step >= len)
			return;
		at += step;
		len -= step;
	}
}

/* Answers */

/* The newest request with a number, or NULL. */
static struct ask *
ask_find(struct sock *sock, uint32_t seq)
{
	unsigned int i;
	struct ask *ask;

	for (i = 0; i < MAX_ASKS; i++) {
		ask = &sock->asks[(sock->last + MAX_ASKS - i) % MAX_ASKS];
		if (ask->is_used && ask->seq == seq)
			return ask;
	}
	return NULL;
}

/* Put the messages of a device, all of them or none. */
static int
netdev_put(struct swhca_nl_packet *packet, const struct ask *ask, const struct nlmsghdr *hdr,
	   const struct swhca_netdev *netdev)
{
	const uint32_t start = packet->len;
	int ret = 0;

	if (ask->type == RTM_GETLINK)
		return swhca_netdev_link_put(packet, hdr, netdev, ask->family);
	if (ask->family != AF_INET6)
		ret = swhca_netdev_addr_put(packet, hdr, netdev, AF_INET);
	if (ret == 0 && ask->family != AF_INET)
		ret = swhca_netdev_addr_put(packet, hdr, netdev, AF_INET6);
	if (ret != 0)
		packet->len = start;
	return ret;
}

/* Put as many devices as fit; *next: the following one. @return Whether there were any. */
static bool
netdevs_put(struct swhca_nl_packet *packet, const struct ask *ask, uint32_t port,
	    unsigned int *next)
{
	const struct nlmsghdr hdr = {
		.nlmsg_flags = ask->is_dump ? NLM_F_MULTI : 0,
		.nlmsg_seq = ask->seq,
		.nlmsg_pid = port,
	};
	struct swhca_netdev netdev;

	for (*next = ask->next; *next < SWHCA_MAX_DEVICES; (*next)++) {
		if (!swhca_netdev_get(*next, &netdev) ||
		    (ask->ifindex != 0 && ask->ifindex != netdev.ifindex))
			continue;
		if (netdev_put(packet, ask, &hdr, &netdev) != 0)
			break;
	}
	return packet->len > 0;
}

/* Successful end of an answer: NLMSG_DONE for a list, else an acknowledgment. */
static void
end_put(struct swhca_nl_packet *packet, const struct ask *ask, uint32_t port)
{
	const struct nlmsghdr hdr = {
		.nlmsg_type = ask->is_dump ? NLMSG_DONE : NLMSG_ERROR,
		.nlmsg_flags = ask->is_dump ? NLM_F_MULTI : NLM_F_CAPPED,
		.nlmsg_seq = ask->seq,
		.nlmsg_pid = port,
	};
	int32_t error = 0;

	swhca_nl_begin(packet, &hdr);
	swhca_nl_put_bytes(packet, &error, sizeof(error));
	if (!ask->is_dump)
		swhca_nl_put_bytes(packet, &ask->hdr, sizeof(ask->hdr));
	swhca_nl_end(packet);
}

/* Return a packet to the receiver, like netlink_recvmsg(). @return Result of recvmsg(2). */
static ssize_t
packet_give(const struct swhca_nl_packet *packet, struct msghdr *msg, int flags)
{
	const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	size_t done = 0, part, i;

	for (i = 0; i < msg->msg_iovlen && done < packet->len; i++) {
		part = packet->len - done;
		part = part < msg->msg_iov[i].iov_len ? part : msg->msg_iov[i].iov_len;
		if (part > 0)
			memcpy(msg->msg_iov[i].iov_base, packet->bytes + done, part);
		done += part;
	}
	if (msg->msg_name != NULL) {
		memcpy(msg->msg_name, &kernel,
		       msg->msg_namelen < sizeof(kernel) ? msg->msg_namelen : sizeof(kernel));
		msg->msg_namelen = sizeof(kernel);
	}
	msg->msg_controllen = 0;
	msg->msg_flags = done < packet->len ? MSG_TRUNC : 0;
	return (ssize_t)((flags & MSG_TRUNC) != 0 ? packet->len : done);
}

/*
 * Find the message in the first packet that ends the answer to one of the requests; NULL if none.
 */
static struct ask *
end_find(struct sock *sock, const uint8_t *at, size_t len, struct nlmsghdr *hdr, int32_t *error)
{
	struct ask *ask;
	size_t step;

	while (len >= sizeof(*hdr) + sizeof(*error)) {
		memcpy(hdr, at, sizeof(*hdr));
		if (hdr->nlmsg_len < sizeof(*hdr) || hdr->nlmsg_len > len)
			return NULL;
		ask = ask_find(sock, hdr->nlmsg_seq);
		if (ask != NULL && hdr->nlmsg_len >= sizeof(*hdr) + sizeof(*error) &&
		    (hdr->nlmsg_type == NLMSG_ERROR || hdr->nlmsg_type == NLMSG_DONE)) {
			memcpy(error, at + NLMSG_HDRLEN, sizeof(*error));
			return ask;
		}
		step = NLMSG_ALIGN((size_t)hdr->nlmsg_len);
		if (step >= len)
			return NULL;
		at += step;
		len -= step;
	}
	return NULL;
}

/* Peek at, or take, the next packet. @return As recv(2). */
static ssize_t
kernel_receive(int fd, void *buf, size_t len, int flags)
{
	return syscall(SYS_recvfrom, fd, buf, len, flags | MSG_DONTWAIT, NULL, NULL);
}

/* Put a replacement of the next packet. @return Whether there is one; *is_taken: also after it. */
static bool
instead_put(struct swhca_nl_packet *packet, struct ask *ask, const struct nlmsghdr *hdr,
	    int32_t error, bool is_peek, bool *is_taken)
{
	bool is_told = error != 0 && ask->ifindex != 0;
	unsigned int next;

	*is_taken = false;
	/* A list that the kernel rejects, or a device of its own with that name. */
	if (ask->is_dump ? error != 0 && ask->ifindex == 0 : error == 0) {
		ask->is_used = is_peek;
		return false;
	}
	if (netdevs_put(packet, ask, hdr->nlmsg_pid, &next)) {
		if (!is_peek)
			ask->next = next;
		*is_taken = !ask->is_dump && !ask->has_ack;
	} else if (is_told) {
		end_put(packet, ask, hdr->nlmsg_pid);
		*is_taken = true;
	}
	if (!is_peek && (*is_taken || packet->len == 0))
		ask->is_used = false;
	return packet->len > 0;
}

static bool
sock_receive(struct sock *sock, uint8_t *buf, struct msghdr *msg, int flags, ssize_t *ret)
{
	struct swhca_nl_packet packet = { 0 };
	ssize_t len = kernel_receive(sock->fd, buf, MAX_PACKET, MSG_PEEK);
	bool is_peek = (flags & MSG_PEEK) != 0, is_taken;
	struct nlmsghdr hdr;
	struct ask *ask;
	int32_t error;

	if (len <= 0)
		return false;
	ask = end_find(sock, buf, (size_t)len, &hdr, &error);
	if (ask == NULL || !instead_put(&packet, ask, &hdr, error, is_peek, &is_taken))
		return false;
	if (is_taken && !is_peek)
		kernel_receive(sock->fd, buf, MAX_PACKET, 0);
	*ret = packet_give(&packet, msg, flags);
	return true;
}

static bool
has_asks(const struct sock *sock)
{
	unsigned int i;

	for (i = 0; i < MAX_ASKS; i++)
		if (sock->asks[i].is_used)
			return true;
	return false;
}

bool
swhca_rtnl_receive(int fd, struct msghdr *msg, int flags, ssize_t *ret)
{
	struct sock *sock;
	uint8_t *buf = NULL;
	bool is_ours = false;

	if ((flags & MSG_ERRQUEUE) != 0)
		return false;
	pthread_mutex_lock(&lock);
	sock = sock_find(fd);
	if (sock != NULL && has_asks(sock))
		buf = malloc(MAX_PACKET);
	if (buf != NULL)
		is_ours = sock_receive(sock, buf, msg, flags, ret);
	pthread_mutex_unlock(&lock);
	free(buf);
	return is_ours;
}
