/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "front/uverbs/nldev.h"
#include "swhca_fd.h"
#include "swhca_keep.h"
#include "swhca_netlink.h"

/* Open sockets; libibverbs needs one at a time, DPDK's drivers keep one for each port. */
#define MAX_SOCKETS	32u

/* Who talks to whom; a descriptor of -1 is free. */
struct pair {
	int fd;
	int peer;
	uint32_t port;	/* Its number; 0: none yet. */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pair pairs[MAX_SOCKETS] = { [0 ... MAX_SOCKETS - 1] = { -1, -1, 0 } };
/* Without any, a call on a descriptor costs one load. */
static atomic_uint nb_pairs;
/* The process that the sockets belong to. A child of vfork(2) runs in its memory. */
static _Atomic pid_t owner;

static struct pair *
pair_find(int fd)
{
	unsigned int i;

	for (i = 0; i < MAX_SOCKETS; i++)
		if (pairs[i].fd == fd)
			return &pairs[i];
	return NULL;
}

int
swhca_netlink_open(int type)
{
	int flags = type & (SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct pair *pair;
	int fds[2], ret;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | flags, 0, fds) != 0)
		return -errno;
	pthread_mutex_lock(&lock);
	pair = pair_find(-1);
	if (pair != NULL) {
		atomic_store(&owner, getpid());
		*pair = (struct pair){ fds[0], swhca_fd_raise(fds[1]), 0 };
		swhca_fd_keep(pair->peer);
		atomic_fetch_add(&nb_pairs, 1);
	}
	pthread_mutex_unlock(&lock);
	if (pair != NULL)
		return fds[0];
	ret = -EMFILE;
	close(fds[0]);
	close(fds[1]);
	return ret;
}

bool
swhca_netlink_has(int fd)
{
	bool has;

	if (atomic_load(&nb_pairs) == 0 || fd < 0)
		return false;
	pthread_mutex_lock(&lock);
	has = pair_find(fd) != NULL;
	pthread_mutex_unlock(&lock);
	return has;
}

static bool
port_is_used(uint32_t port)
{
	unsigned int i;

	for (i = 0; i < MAX_SOCKETS; i++)
		if (pairs[i].fd >= 0 && pairs[i].port == port)
			return true;
	return false;
}

/* As netlink_autobind(): the number of the process, then what no process has. */
static uint32_t
port_draw(void)
{
	uint32_t port = (uint32_t)getpid(), next = UINT32_MAX;

	while (port_is_used(port))
		port = next--;
	return port;
}

/* netlink_bind(): a number stays, groups may change. Nobody sends to groups here. */
static int
pair_bind(struct pair *pair, const struct sockaddr_nl *addr)
{
	if (pair->port != 0)
		return addr->nl_pid == pair->port || addr->nl_pid == 0 ? 0 : -EINVAL;
	if (addr->nl_pid != 0 && port_is_used(addr->nl_pid))
		return -EADDRINUSE;
	pair->port = addr->nl_pid != 0 ? addr->nl_pid : port_draw();
	return 0;
}

int
swhca_netlink_bind(int fd, const struct sockaddr_nl *addr, socklen_t len)
{
	struct pair *pair;
	int ret = -EBADF;

	if (len < sizeof(*addr) || addr->nl_family != AF_NETLINK)
		return -EINVAL;
	pthread_mutex_lock(&lock);
	pair = pair_find(fd);
	if (pair != NULL)
		ret = pair_bind(pair, addr);
	pthread_mutex_unlock(&lock);
	return ret;
}

int
swhca_netlink_name(int fd, struct sockaddr_nl *addr)
{
	struct pair *pair;

	pthread_mutex_lock(&lock);
	pair = pair_find(fd);
	if (pair != NULL)
		*addr = (struct sockaddr_nl){ .nl_family = AF_NETLINK, .nl_pid = pair->port };
	pthread_mutex_unlock(&lock);
	return pair != NULL ? 0 : -EBADF;
}

void
swhca_netlink_close_range(unsigned int first, unsigned int last)
{
	int peers[MAX_SOCKETS];
	unsigned int i, nb = 0;

	if (atomic_load(&nb_pairs) == 0 || atomic_load(&owner) != getpid())
		return;
	pthread_mutex_lock(&lock);
	for (i = 0; i < MAX_SOCKETS; i++) {
		if (pairs[i].fd < 0 || (unsigned int)pairs[i].fd < first ||
		    (unsigned int)pairs[i].fd > last)
			continue;
		peers[nb++] = pairs[i].peer;
		pairs[i] = (struct pair){ -1, -1, 0 };
		atomic_fetch_sub(&nb_pairs, 1);
	}
	pthread_mutex_unlock(&lock);
	while (nb-- > 0)
		swhca_fd_release(peers[nb]);
}

void
swhca_netlink_close(int fd)
{
	if (fd >= 0)
		swhca_netlink_close_range((unsigned int)fd, (unsigned int)fd);
}

void
swhca_netlink_forget(void)
{
	pthread_mutex_init(&lock, NULL);
	atomic_store(&owner, getpid());
	swhca_netlink_close_range(0, UINT32_MAX);
}

ssize_t
swhca_netlink_send(int fd, const void *buf, size_t len)
{
	size_t left = len, step;
	const uint8_t *at = buf;
	struct nlmsghdr *hdr;
	struct pair *pair;
	uint32_t port = 0;
	int peer = -1;

	pthread_mutex_lock(&lock);
	pair = pair_find(fd);
	if (pair != NULL) {
		if (pair->port == 0)
			pair->port = port_draw();
		port = pair->port;
		peer = pair->peer;
	}
	pthread_mutex_unlock(&lock);
	if (peer < 0)
		return -EBADF;
	while (left >= sizeof(*hdr)) {
		/* The program's buffer may be anywhere. */
		hdr = malloc(left);
		if (hdr == NULL)
			return -ENOBUFS;
		memcpy(hdr, at, left);
		if (hdr->nlmsg_len < sizeof(*hdr) || hdr->nlmsg_len > left) {
			free(hdr);
			break;
		}
		swhca_nldev_request(hdr, port, peer);
		step = NLMSG_ALIGN(hdr->nlmsg_len);
		free(hdr);
		if (step >= left)
			break;
		at += step;
		left -= step;
	}
	return (ssize_t)len;
}
