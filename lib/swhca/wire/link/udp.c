/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/high_fd.h"
#include "base/kept_fd.h"
#include "base/log.h"
#include "include/gid.h"
#include "wire/link/netif.h"
#include "wire/link/open.h"
#include "wire/link/udp.h"

/* Range of free addresses, 127.0.X.Y: X.Y is a unicast LID (IBTA vol. 1, 4.1.3). */
#define FREE_FIRST 0x7f000101u
#define FREE_LAST 0x7f00bfffu
/* Requested socket buffers; net.core.rmem_max and wmem_max limit them. */
#define BUFFER_WANTED (8 << 20)

/* Address of a link, from the text. */
struct place {
	uint8_t gid[16];
	char name[IF_NAMESIZE];	/* Interface, or "". */
	bool is_any_free;	/* No address: the first free one. */
	struct swhca_netif netif;
};

static void
gid_of_ipv4(uint8_t gid[16], uint32_t addr_be)
{
	memset(gid, 0, 10);
	memset(gid + 10, 0xff, 2);
	memcpy(gid + 12, &addr_be, sizeof(addr_be));
}

static bool
gid_is_ipv6_local(const uint8_t gid[16])
{
	return gid[0] == 0xfe && (gid[1] & 0xc0) == 0x80;
}

/* Check for an address of one host. All zeros would be any address, but packets need one. */
static bool
gid_is_unicast(const uint8_t gid[16])
{
	static const uint8_t zeros[16];

	if (swhca_gid_is_ipv4(gid) && memcmp(gid + 12, zeros, 4) == 0)
		return false;
	return !swhca_gid_is_multicast(gid) && memcmp(gid, zeros, sizeof(zeros)) != 0;
}

/* ADDR or ADDR%IF. */
static int
place_parse(const char *text, struct place *place)
{
	char addr[INET6_ADDRSTRLEN];
	size_t len = strcspn(text, "%");
	uint32_t ipv4_be;

	if (len < sizeof(addr)) {
		memcpy(addr, text, len);
		addr[len] = '\0';
		if (inet_pton(AF_INET, addr, &ipv4_be) == 1)
			gid_of_ipv4(place->gid, ipv4_be);
		else if (inet_pton(AF_INET6, addr, place->gid) != 1)
			len = 0;
	}
	if (len == 0 || len >= sizeof(addr) || !gid_is_unicast(place->gid)) {
		SWHCA_LOG(ERR, "wire udp:%s: not an address of one host, of IPv4 or IPv6", text);
		return -EINVAL;
	}
	if (text[len] == '%') {
		text += len + 1;
		if (text[0] == '\0' || strlen(text) >= sizeof(place->name)) {
			SWHCA_LOG(ERR, "wire udp:%s%%%s: name of an interface has 1 to %zu bytes",
				  addr, text, sizeof(place->name) - 1);
			return -EINVAL;
		}
		strcpy(place->name, text);
	}
	if (gid_is_ipv6_local(place->gid) && place->name[0] == '\0') {
		SWHCA_LOG(ERR, "wire udp:%s: a link-local address needs %%IF", text);
		return -EINVAL;
	}
	return 0;
}

static int
place_find(const char *args, struct place *place)
{
	const char *name;
	int ret;

	if (args == NULL) {
		place->is_any_free = true;
		gid_of_ipv4(place->gid, htonl(FREE_FIRST));
	} else {
		ret = place_parse(args, place);
		if (ret != 0)
			return ret;
	}
	name = place->name[0] != '\0' ? place->name : NULL;
	ret = swhca_netif_find(place->gid, name, &place->netif);
	if (ret != 0)
		SWHCA_LOG(ERR, "wire udp%s%s: no interface%s%s that is up has the address: %s",
			  args != NULL ? ":" : "", args != NULL ? args : "",
			  name != NULL ? " " : "", name != NULL ? name : "", strerror(-ret));
	return ret;
}

/* Mandatory options, without which packets would be wrong. */
static int
options_must(int fd, bool is_ipv6)
{
	int on = 1, dont = IP_PMTUDISC_DO, dont6 = IPV6_PMTUDISC_DO;
	int hop_limit = SWHCA_LINK_HOP_LIMIT;
	socklen_t len = sizeof(hop_limit);

	if (is_ipv6) {
		if (setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) != 0 ||
		    setsockopt(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, &dont6, sizeof(dont6)) != 0 ||
		    setsockopt(fd, IPPROTO_IPV6, IPV6_UNICAST_HOPS, &hop_limit, len) != 0 ||
		    setsockopt(fd, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, &hop_limit, len) != 0)
			return -errno;
		return 0;
	}
	if (setsockopt(fd, IPPROTO_IP, IP_MTU_DISCOVER, &dont, sizeof(dont)) != 0 ||
	    setsockopt(fd, IPPROTO_IP, IP_TTL, &hop_limit, len) != 0 ||
	    setsockopt(fd, IPPROTO_IP, IP_MULTICAST_TTL, &hop_limit, len) != 0)
		return -errno;
	return 0;
}

void
swhca_udp_options_may(const struct swhca_udp *udp, int fd)
{
	int on = 1, size = BUFFER_WANTED;

	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	(void)setsockopt(fd, SOL_UDP, UDP_GRO, &on, sizeof(on));
	if (udp->is_ipv6) {
		(void)setsockopt(fd, IPPROTO_IPV6, IPV6_RECVTCLASS, &on, sizeof(on));
		(void)setsockopt(fd, IPPROTO_IPV6, IPV6_RECVHOPLIMIT, &on, sizeof(on));
	} else {
		(void)setsockopt(fd, IPPROTO_IP, IP_RECVTOS, &on, sizeof(on));
		(void)setsockopt(fd, IPPROTO_IP, IP_RECVTTL, &on, sizeof(on));
	}
}

/* Options of the link's own socket: received control data, and outgoing interface. */
static void
link_options_may(struct swhca_udp *udp, const struct place *place)
{
	struct ip_mreqn mreq = { .imr_ifindex = (int)place->netif.index };
	uint32_t index_be = htonl(place->netif.index), index = place->netif.index;
	int fd = udp->link.fd, off = 0, size = 0;
	socklen_t len = sizeof(size);

	swhca_udp_options_may(udp, fd);
	if (getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, &len) == 0 && size > 0)
		udp->link.room = (uint32_t)size;
	udp->has_gso = setsockopt(fd, SOL_UDP, UDP_SEGMENT, &off, sizeof(off)) == 0;
	if (udp->is_ipv6)
		(void)setsockopt(fd, IPPROTO_IPV6, IPV6_MULTICAST_IF, &index, sizeof(index));
	else
		(void)setsockopt(fd, IPPROTO_IP, IP_MULTICAST_IF, &mreq, sizeof(mreq));
	if (place->name[0] == '\0')
		return;
	/*
	 * Only for sending. Receiving is limited by the address; SO_BINDTODEVICE needs privileges.
	 */
	if (udp->is_ipv6)
		(void)setsockopt(fd, IPPROTO_IPV6, IPV6_UNICAST_IF, &index_be, sizeof(index_be));
	else
		(void)setsockopt(fd, IPPROTO_IP, IP_UNICAST_IF, &index_be, sizeof(index_be));
}

static int
bind_to(const struct swhca_udp *udp, const uint8_t gid[16])
{
	union swhca_udp_addr addr = { 0 };
	socklen_t len;

	if (udp->is_ipv6) {
		addr.in6.sin6_family = AF_INET6;
		addr.in6.sin6_port = htons(SWHCA_ROCE_UDP_PORT);
		addr.in6.sin6_scope_id = udp->scope_id;
		memcpy(&addr.in6.sin6_addr, gid, 16);
		len = sizeof(addr.in6);
	} else {
		addr.in.sin_family = AF_INET;
		addr.in.sin_port = htons(SWHCA_ROCE_UDP_PORT);
		memcpy(&addr.in.sin_addr, gid + 12, 4);
		len = sizeof(addr.in);
	}
	return bind(udp->link.fd, &addr.any, len) == 0 ? 0 : -errno;
}

/* Without SO_REUSEADDR: an address has a single owner, and bind(2) fails for all others. */
static int
bind_to_free(const struct swhca_udp *udp, uint8_t gid[16])
{
	uint32_t addr;
	int ret;

	for (addr = FREE_FIRST; addr <= FREE_LAST; addr++) {
		gid_of_ipv4(gid, htonl(addr));
		ret = bind_to(udp, gid);
		if (ret != -EADDRINUSE)
			return ret;
	}
	return -EADDRINUSE;
}

static int
place_take(struct swhca_udp *udp, struct place *place)
{
	char text[INET6_ADDRSTRLEN];
	int ret;

	if (place->is_any_free)
		ret = bind_to_free(udp, place->gid);
	else
		ret = bind_to(udp, place->gid);
	if (ret == 0)
		return 0;
	if (udp->is_ipv6)
		inet_ntop(AF_INET6, place->gid, text, sizeof(text));
	else
		inet_ntop(AF_INET, place->gid + 12, text, sizeof(text));
	SWHCA_LOG(ERR, "wire udp: %s%s, port %u: %s%s", place->is_any_free ? "127.0.1.1 to " : "",
		  text, SWHCA_ROCE_UDP_PORT, strerror(-ret),
		  ret == -EADDRINUSE ? " (another process, or rdma_rxe of the kernel)" : "");
	return ret;
}

static int
socket_open(struct swhca_udp *udp, struct place *place)
{
	int ret;

	udp->link.fd = swhca_fd_raise(socket(udp->is_ipv6 ? AF_INET6 : AF_INET,
					     SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
	if (udp->link.fd < 0) {
		ret = -errno;
		SWHCA_LOG(ERR, "wire udp: socket: %s", strerror(-ret));
		return ret;
	}
	swhca_fd_keep_here(udp->link.fd);
	ret = options_must(udp->link.fd, udp->is_ipv6);
	if (ret != 0)
		SWHCA_LOG(ERR, "wire udp: packets that are not fragmented: %s", strerror(-ret));
	else
		ret = place_take(udp, place);
	if (ret != 0) {
		swhca_fd_release(udp->link.fd);
		return ret;
	}
	link_options_may(udp, place);
	return 0;
}

static void
udp_close(struct swhca_link *link)
{
	struct swhca_udp *udp = (struct swhca_udp *)link;

	swhca_fd_release(link->fd);
	if (udp->probe_fd > 0)
		swhca_fd_release(udp->probe_fd);
	swhca_udp_group_fini(udp);
	swhca_udp_receive_fini(udp);
	free(udp);
}

static const struct swhca_link_ops udp_ops = {
	.send = swhca_udp_send,
	.receive = swhca_udp_receive,
	.group = swhca_udp_group,
	.probe = swhca_udp_probe,
	.refused = swhca_udp_refused,
	.deadline = swhca_udp_deadline,
	.close = udp_close,
};

/* Fill in the properties of the link. */
static void
link_fill(struct swhca_udp *udp, const struct place *place)
{
	uint32_t hdr_len = (udp->is_ipv6 ? SWHCA_IPV6_LEN : SWHCA_IPV4_LEN) + SWHCA_UDP_LEN;
	uint32_t mtu = place->netif.mtu > hdr_len ? place->netif.mtu - hdr_len : 0;

	udp->link.ops = &udp_ops;
	memcpy(udp->link.gid, place->gid, sizeof(udp->link.gid));
	/* Locally administered, unicast (IEEE 802, 8.2.2). */
	udp->link.mac[0] = 0x02;
	memcpy(udp->link.mac + 2, place->gid + 12, 4);
	udp->link.is_down = !place->netif.is_up;
	udp->link.src_port = SWHCA_ROCE_UDP_PORT;
	udp->link.mtu = mtu < SWHCA_IB_LEN_MAX ? mtu : SWHCA_IB_LEN_MAX;
	udp->is_loopback = udp->is_ipv6 ? IN6_IS_ADDR_LOOPBACK((struct in6_addr *)place->gid) :
					  place->gid[12] == IN_LOOPBACKNET;
}

int
swhca_udp_open(const struct swhca_link_conf *conf, const char *args, struct swhca_link **out)
{
	struct place place = { 0 };
	struct swhca_udp *udp;
	int ret;

	(void)conf;
	ret = place_find(args, &place);
	if (ret != 0)
		return ret;
	udp = swhca_alloc(sizeof(*udp));
	if (udp == NULL)
		return -ENOMEM;
	udp->is_ipv6 = !swhca_gid_is_ipv4(place.gid);
	LIST_INIT(&udp->groups);
	udp->if_index = place.netif.index;
	udp->scope_id = gid_is_ipv6_local(place.gid) ? place.netif.index : 0;
	ret = swhca_udp_receive_init(udp);
	if (ret != 0)
		goto free_udp;
	ret = socket_open(udp, &place);
	if (ret != 0)
		goto receive_fini;
	link_fill(udp, &place);
	SWHCA_LOG(DEBUG, "wire udp: LID 0x%x, MTU %u, %u bytes can wait to be received",
		  swhca_link_lid(&udp->link), udp->link.mtu, udp->link.room);
	*out = &udp->link;
	return 0;

receive_fini:
	swhca_udp_receive_fini(udp);
free_udp:
	free(udp);
	return ret;
}
