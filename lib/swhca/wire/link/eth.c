/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Link of Ethernet frames, each in a UDP datagram between two ports of 127.0.0.1, like QEMU's
 * -netdev dgram. All headers of a packet are generated here, and those of a peer are visible.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/high_fd.h"
#include "base/kept_fd.h"
#include "base/log.h"
#include "include/gid.h"
#include "wire/link/eth.h"
#include "wire/link/open.h"

/* Requested socket buffers; net.core.rmem_max and wmem_max limit them. */
#define BUFFER_WANTED	(4 << 20)
/* Bytes of IP packets. Default: Ethernet (RFC 894); maximum: jumbo frames. */
#define MTU_DEFAULT	1500u
#define MTU_MIN		576u
#define MTU_MAX		9000u

/* Address of a link, from the text. */
struct place {
	uint16_t port;
	uint16_t remote_port;
	uint8_t ip[4];
	uint32_t mtu;
};

/* Parse a decimal number that ends at the end of the text or at ':'. */
static bool
number_take(const char **text, uint32_t max, uint32_t *out)
{
	char *end;
	unsigned long value;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	value = strtoul(*text, &end, 10);
	if (errno != 0 || value > max || (*end != '\0' && *end != ':'))
		return false;
	*text = *end == ':' ? end + 1 : end;
	*out = (uint32_t)value;
	return true;
}

static bool
address_take(const char **text, uint8_t ip[4])
{
	char addr[INET_ADDRSTRLEN];
	size_t len = strcspn(*text, ":");

	if (len >= sizeof(addr))
		return false;
	memcpy(addr, *text, len);
	addr[len] = '\0';
	*text += len + ((*text)[len] == ':' ? 1 : 0);
	/*
	 * 0.0.0.0/8, 127.0.0.0/8, groups and broadcast are no host addresses on Ethernet (RFC
	 * 1122).
	 */
	return inet_pton(AF_INET, addr, ip) == 1 && ip[0] != 0 && ip[0] != 127 && ip[0] < 224;
}

/* LOCAL_PORT:REMOTE_PORT:ADDR[:MTU] */
static int
place_parse(const char *args, struct place *place)
{
	const char *text = args != NULL ? args : "";
	uint32_t port = 0, remote_port = 0;

	if (!number_take(&text, UINT16_MAX, &port) ||
	    !number_take(&text, UINT16_MAX, &remote_port) || port == 0 || remote_port == 0) {
		SWHCA_LOG(ERR, "wire eth:%s: two UDP ports first, 1 to %u",
			  args != NULL ? args : "", UINT16_MAX);
		return -EINVAL;
	}
	if (!address_take(&text, place->ip)) {
		SWHCA_LOG(ERR, "wire eth:%s: no IPv4 address of one host behind the ports", args);
		return -EINVAL;
	}
	place->mtu = MTU_DEFAULT;
	if (text[-1] == ':' && (!number_take(&text, MTU_MAX, &place->mtu) || text[-1] == ':' ||
				place->mtu < MTU_MIN)) {
		SWHCA_LOG(ERR, "wire eth:%s: an MTU is %u to %u", args, MTU_MIN, MTU_MAX);
		return -EINVAL;
	}
	place->port = (uint16_t)port;
	place->remote_port = (uint16_t)remote_port;
	return 0;
}

static struct sockaddr_in
loopback(uint16_t port)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
}

/* Connected: the kernel only passes datagrams of that port. */
static int
socket_open(struct swhca_link *link, const struct place *place)
{
	struct sockaddr_in local = loopback(place->port), remote = loopback(place->remote_port);
	int size = 0, ret;
	socklen_t len = sizeof(size);

	link->fd = swhca_fd_raise(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
	if (link->fd < 0) {
		ret = -errno;
		SWHCA_LOG(ERR, "wire eth: socket: %s", strerror(-ret));
		return ret;
	}
	if (bind(link->fd, (struct sockaddr *)&local, sizeof(local)) != 0 ||
	    connect(link->fd, (struct sockaddr *)&remote, sizeof(remote)) != 0) {
		ret = -errno;
		SWHCA_LOG(ERR, "wire eth: from port %u to port %u of 127.0.0.1: %s", place->port,
			  place->remote_port, strerror(-ret));
		swhca_fd_close(link->fd);
		return ret;
	}
	/* Assume that the peer has the same size: QEMU does not change it. */
	if (getsockopt(link->fd, SOL_SOCKET, SO_RCVBUF, &size, &len) == 0 && size > 0)
		link->room = (uint32_t)size;
	size = BUFFER_WANTED;
	(void)setsockopt(link->fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	(void)setsockopt(link->fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	return 0;
}

static void
eth_free(struct swhca_eth *eth)
{
	free(eth->parked_frames);
	free(eth->bufs);
	free(eth);
}

static void
eth_close(struct swhca_link *link)
{
	swhca_fd_release(link->fd);
	eth_free((struct swhca_eth *)link);
}

static uint64_t
eth_deadline(const struct swhca_link *link)
{
	const struct swhca_eth *eth = (const struct swhca_eth *)link;
	uint64_t deadline = swhca_arp_deadline(&eth->arp);
	uint64_t pace = eth->busy_until - eth->burst_ns;

	return eth->is_paced && pace < deadline ? pace : deadline;
}

static const struct swhca_link_ops eth_ops = {
	.send = swhca_eth_send,
	.receive = swhca_eth_receive,
	.send_frame = swhca_eth_send_frame,
	.deadline = eth_deadline,
	.close = eth_close,
};

/* Fill in the properties of the link. */
static void
link_fill(struct swhca_link *link, const struct place *place)
{
	link->ops = &eth_ops;
	memset(link->gid + 10, 0xff, 2);
	memcpy(link->gid + 12, place->ip, 4);
	/* Locally administered, unicast (IEEE 802, 8.2.2). */
	link->mac[0] = 0x02;
	memcpy(link->mac + 2, place->ip, 4);
	link->src_port = SWHCA_ROCE_UDP_PORT;
	link->mtu = place->mtu - SWHCA_IPV4_LEN - SWHCA_UDP_LEN;
}

static int
eth_create(const struct place *place, struct swhca_eth **out)
{
	struct swhca_eth *eth = swhca_alloc(sizeof(*eth));

	if (eth == NULL)
		return -ENOMEM;
	link_fill(&eth->link, place);
	swhca_arp_init(&eth->arp, place->ip, eth->link.mac);
	eth->frame_max = SWHCA_ETHER_LEN + place->mtu;
	/* IP headers, and the data after them, start at multiples of 4. */
	eth->stride = (eth->frame_max + SWHCA_ETH_SHIFT + 63) / 64 * 64;
	eth->bufs = swhca_alloc((size_t)eth->stride * SWHCA_LINK_BATCH);
	eth->parked_frames = swhca_alloc((size_t)eth->stride * SWHCA_ETH_PARKED);
	if (eth->bufs == NULL || eth->parked_frames == NULL) {
		eth_free(eth);
		return -ENOMEM;
	}
	*out = eth;
	return 0;
}

int
swhca_eth_open(const struct swhca_link_conf *conf, const char *args, struct swhca_link **out)
{
	struct swhca_eth *eth;
	struct place place;
	int ret;

	(void)conf;
	ret = place_parse(args, &place);
	if (ret != 0)
		return ret;
	ret = eth_create(&place, &eth);
	if (ret != 0)
		return ret;
	ret = socket_open(&eth->link, &place);
	if (ret != 0) {
		eth_free(eth);
		return ret;
	}
	eth->burst_ns = (uint64_t)eth->link.room / 4 * SWHCA_ETH_NS_PER_BYTE;
	swhca_fd_keep_here(eth->link.fd);
	*out = &eth->link;
	return 0;
}
