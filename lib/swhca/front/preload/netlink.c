/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "front/preload/rtnl.h"
#include "front/uverbs/nl/nldev.h"
#include "base/high_fd.h"
#include "base/kept_fd.h"
#include "base/log.h"
#include "front/preload/netlink.h"

/* Open sockets; libibverbs needs one at a time, DPDK's drivers keep one for each port. */
#define MAX_SOCKETS	32u

/* Maximum bytes waiting for a reader. */
#define MAX_WAITING	(64u << 20)
/* netlink_kernel_create(): groups of a protocol that specifies no number. */
#define NB_GROUPS	32u

/* A packet that did not fit the socket. */
struct waiting {
	STAILQ_ENTRY(waiting) link;
	size_t len;
	uint8_t bytes[];
};

/* Socket and its peer; a descriptor of -1 is free. */
struct pair {
	int fd;
	int peer;
	int type;		/* Type for socket(2). */
	uint32_t port;		/* Its number; 0: none yet. */
	uint32_t options;	/* Bit mask of enabled SOL_NETLINK options. */
	uint32_t groups;
	STAILQ_HEAD(, waiting) queue;
	size_t nb_waiting;	/* Size of the waiting packets. */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pair pairs[MAX_SOCKETS] = { [0 ... MAX_SOCKETS - 1] = { .fd = -1, .peer = -1 } };
/* Without sockets, a call on a descriptor costs one load. */
static atomic_uint nb_pairs;
/* Process that owns the sockets. A child of vfork(2) runs in its memory. */
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
	int flags = type & (SOCK_CLOEXEC | SOCK_NONBLOCK), kind = type & ~flags;
	struct pair *pair;
	int fds[2], ret;

	if (kind != SOCK_RAW && kind != SOCK_DGRAM)
		return -ESOCKTNOSUPPORT;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | flags, 0, fds) != 0)
		return swhca_call_error("socketpair");
	pthread_mutex_lock(&lock);
	pair = pair_find(-1);
	if (pair != NULL) {
		atomic_store(&owner, getpid());
		*pair = (struct pair){
			.fd = fds[0],
			.peer = swhca_fd_raise(fds[1]),
			.type = type & ~(SOCK_CLOEXEC | SOCK_NONBLOCK),
		};
		STAILQ_INIT(&pair->queue);
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

/* As netlink_autobind(): the process id, then numbers that no process has. */
static uint32_t
port_draw(void)
{
	uint32_t port = (uint32_t)getpid(), next = UINT32_MAX;

	while (port_is_used(port))
		port = next--;
	return port;
}

/* netlink_bind(): a number is fixed, groups may change. Groups receive nothing here. */
static int
pair_bind(struct pair *pair, const struct sockaddr_nl *addr)
{
	pair->groups = addr->nl_groups;
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
		*addr = (struct sockaddr_nl){ .nl_family = AF_NETLINK, .nl_pid = pair->port,
					      .nl_groups = pair->groups };
	pthread_mutex_unlock(&lock);
	return pair != NULL ? 0 : -EBADF;
}

int
swhca_netlink_connect(int fd, const struct sockaddr_nl *addr, socklen_t len)
{
	struct pair *pair;
	int ret = 0;

	if (len < sizeof(addr->nl_family))
		return -EINVAL;
	if (addr->nl_family == AF_UNSPEC)
		return 0;
	if (addr->nl_family != AF_NETLINK || len < sizeof(*addr))
		return -EINVAL;
	/* The kernel is the only peer. */
	if (addr->nl_pid != 0 || addr->nl_groups != 0)
		return -EPERM;
	pthread_mutex_lock(&lock);
	pair = pair_find(fd);
	if (pair == NULL)
		ret = -EBADF;
	else if (pair->port == 0)
		pair->port = port_draw();
	pthread_mutex_unlock(&lock);
	return ret;
}

/* Boolean options (netlink_setsockopt()). */
static bool
is_switch(int name)
{
	return name == NETLINK_PKTINFO || name == NETLINK_BROADCAST_ERROR ||
	       name == NETLINK_NO_ENOBUFS || name == NETLINK_LISTEN_ALL_NSID ||
	       name == NETLINK_CAP_ACK || name == NETLINK_EXT_ACK ||
	       name == NETLINK_GET_STRICT_CHK;
}

static int
pair_option_set(struct pair *pair, int name, unsigned int value)
{
	bool is_member = name == NETLINK_ADD_MEMBERSHIP;

	if (is_member || name == NETLINK_DROP_MEMBERSHIP) {
		if (value == 0 || value > NB_GROUPS)
			return -EINVAL;
		pair->groups &= ~(1u << (value - 1));
		pair->groups |= is_member ? 1u << (value - 1) : 0;
		return 0;
	}
	if (!is_switch(name))
		return -ENOPROTOOPT;
	pair->options &= ~(1u << name);
	pair->options |= value != 0 ? 1u << name : 0;
	return 0;
}

int
swhca_netlink_option_set(int fd, int name, const void *value, socklen_t len)
{
	unsigned int word = 0;
	struct pair *pair;
	int ret = -EBADF;

	if (len >= sizeof(word))
		memcpy(&word, value, sizeof(word));
	pthread_mutex_lock(&lock);
	pair = pair_find(fd);
	if (pair != NULL)
		ret = pair_option_set(pair, name, word);
	pthread_mutex_unlock(&lock);
	return ret;
}

int
swhca_netlink_option_get(int fd, int level, int name, int *value)
{
	struct pair *pair;
	int ret = 0;

	pthread_mutex_lock(&lock);
	pair = pair_find(fd);
	if (pair == NULL)
		ret = -EBADF;
	else if (level == SOL_SOCKET && name == SO_DOMAIN)
		*value = AF_NETLINK;
	else if (level == SOL_SOCKET && name == SO_PROTOCOL)
		*value = NETLINK_RDMA;
	else if (level == SOL_SOCKET && name == SO_TYPE)
		*value = pair->type;
	else if (level == SOL_NETLINK && is_switch(name))
		*value = (pair->options & 1u << name) != 0;
	else if (level == SOL_NETLINK && name == NETLINK_LIST_MEMBERSHIPS)
		*value = (int)pair->groups;
	else
		ret = -ENOPROTOOPT;
	pthread_mutex_unlock(&lock);
	return ret;
}

static void
queue_drop(struct pair *pair)
{
	struct waiting *first = STAILQ_FIRST(&pair->queue);

	STAILQ_REMOVE_HEAD(&pair->queue, link);
	pair->nb_waiting -= first->len;
	free(first);
}

/* Other errors of the peer are permanent. By system call number, as send() is intercepted. */
static bool
packet_send(const struct pair *pair, const void *bytes, size_t len)
{
	return syscall(SYS_sendto, pair->peer, bytes, len, MSG_DONTWAIT | MSG_NOSIGNAL, NULL,
		       0) >= 0 ||
	       (errno != EAGAIN && errno != ENOBUFS);
}

static void
queue_send(struct pair *pair)
{
	struct waiting *first;

	while ((first = STAILQ_FIRST(&pair->queue)) != NULL &&
	       packet_send(pair, first->bytes, first->len))
		queue_drop(pair);
}

static void
packet_wait(struct pair *pair, const void *bytes, size_t len)
{
	struct waiting *waiting = NULL;

	if (pair->nb_waiting <= MAX_WAITING)
		waiting = malloc(sizeof(*waiting) + len);
	if (waiting == NULL) {
		SWHCA_LOG(WARNING, "netlink: dropped an answer of %zu bytes, the program has not"
			  " read %zu others", len, pair->nb_waiting);
		return;
	}
	waiting->len = len;
	memcpy(waiting->bytes, bytes, len);
	STAILQ_INSERT_TAIL(&pair->queue, waiting, link);
	pair->nb_waiting += len;
}

/* Send a packet to the requester, whose socket may be gone. */
static void
answer_send(void *arg, const void *packet, size_t len)
{
	const struct pair *asker = arg;
	struct pair *pair;

	pthread_mutex_lock(&lock);
	pair = pair_find(asker->fd);
	if (pair != NULL && pair->peer == asker->peer &&
	    (!STAILQ_EMPTY(&pair->queue) || !packet_send(pair, packet, len)))
		packet_wait(pair, packet, len);
	pthread_mutex_unlock(&lock);
}

void
swhca_netlink_received(int fd)
{
	int saved = errno;
	struct pair *pair;

	pthread_mutex_lock(&lock);
	pair = pair_find(fd);
	if (pair != NULL)
		queue_send(pair);
	pthread_mutex_unlock(&lock);
	errno = saved;
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
		while (!STAILQ_EMPTY(&pairs[i].queue))
			queue_drop(&pairs[i]);
		pairs[i] = (struct pair){ .fd = -1, .peer = -1 };
		atomic_fetch_sub(&nb_pairs, 1);
	}
	pthread_mutex_unlock(&lock);
	while (nb-- > 0)
		swhca_fd_release(peers[nb]);
}

void
swhca_netlink_forget(void)
{
	pthread_mutex_init(&lock, NULL);
	atomic_store(&owner, getpid());
	swhca_netlink_close_range(0, UINT32_MAX);
	swhca_rtnl_forget();
}

/* @return false if there is no such socket. */
static bool
asker_get(int fd, struct pair *asker)
{
	struct pair *pair;

	pthread_mutex_lock(&lock);
	pair = pair_find(fd);
	if (pair != NULL) {
		if (pair->port == 0)
			pair->port = port_draw();
		*asker = *pair;
	}
	pthread_mutex_unlock(&lock);
	return pair != NULL;
}

/*
 * Handle the first request of a buffer. @return 0 or a negative errno; *step: 0 if there is none.
 */
static int
request_send(struct pair *asker, const uint8_t *at, size_t left, size_t *step)
{
	struct swhca_nldev_peer peer = {
		.port = asker->port,
		.has_ext_ack = (asker->options & 1u << NETLINK_EXT_ACK) != 0,
		.has_cap_ack = (asker->options & 1u << NETLINK_CAP_ACK) != 0,
		.is_busy = asker->nb_waiting > 0,
		.send = answer_send,
		.arg = asker,
	};
	struct nlmsghdr hdr, *request;

	*step = 0;
	if (left < sizeof(hdr))
		return 0;
	/* The program's buffer may be unaligned. */
	memcpy(&hdr, at, sizeof(hdr));
	if (hdr.nlmsg_len < sizeof(hdr) || hdr.nlmsg_len > left)
		return 0;
	request = malloc(hdr.nlmsg_len);
	if (request == NULL)
		return -ENOBUFS;
	memcpy(request, at, hdr.nlmsg_len);
	swhca_nldev_request(request, &peer);
	free(request);
	*step = NLMSG_ALIGN(hdr.nlmsg_len);
	return 0;
}

ssize_t
swhca_netlink_send(int fd, const void *buf, size_t len)
{
	const uint8_t *at = buf;
	size_t left = len, step;
	struct pair asker;
	int ret;

	do {
		if (!asker_get(fd, &asker))
			return -EBADF;
		ret = request_send(&asker, at, left, &step);
		if (ret != 0)
			return ret;
		step = step < left ? step : left;
		at += step;
		left -= step;
	} while (step > 0 && left > 0);
	return (ssize_t)len;
}
