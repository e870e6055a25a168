/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "wire/link/udp.h"
#include "wire/packet/opcode.h"

/*
 * Distance between datagram buffers: UDP_GRO merges to less than 64 KiB. The rest keeps their first
 * lines in different cache sets.
 */
#define BUF_STRIDE (65536u + 4096u + 256u)
/* Datagrams per call while they have many packets, so that these stay in the cache. */
#define NB_LONG 4u
#define IB_LEN_MIN (SWHCA_BTH_LEN + SWHCA_ICRC_LEN)

/* Set the buffers for an address and control data of the kernel. */
static void
room_tell(struct swhca_udp_batch *in, unsigned int i)
{
	in->msgs[i].msg_hdr.msg_namelen = sizeof(in->addrs[i]);
	in->msgs[i].msg_hdr.msg_controllen = sizeof(in->ctrls[i]);
	in->msgs[i].msg_hdr.msg_flags = 0;
}

int
swhca_udp_receive_init(struct swhca_udp *udp)
{
	struct swhca_udp_batch *in = &udp->in;
	unsigned int i;

	/* Pages are only allocated when written: most are unused with small packets. */
	udp->bufs_len = (size_t)SWHCA_LINK_BATCH * BUF_STRIDE;
	udp->bufs = mmap(NULL, udp->bufs_len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	if (udp->bufs == MAP_FAILED) {
		udp->bufs = NULL;
		return -ENOMEM;
	}
	udp->nb_wanted = SWHCA_LINK_BATCH;
	for (i = 0; i < SWHCA_LINK_BATCH; i++) {
		struct msghdr *msg = &in->msgs[i].msg_hdr;

		in->iovs[i].iov_base = udp->bufs + (size_t)i * BUF_STRIDE;
		in->iovs[i].iov_len = BUF_STRIDE;
		msg->msg_iov = &in->iovs[i];
		msg->msg_iovlen = 1;
		msg->msg_name = &in->addrs[i];
		msg->msg_control = &in->ctrls[i];
		room_tell(in, i);
	}
	return 0;
}

void
swhca_udp_receive_fini(struct swhca_udp *udp)
{
	if (udp->bufs != NULL)
		munmap(udp->bufs, udp->bufs_len);
}

/* @return Number of datagrams received by a socket. */
static unsigned int
fetch_from(struct swhca_udp *udp, int fd, const uint8_t dgid[16])
{
	struct swhca_udp_batch *in = &udp->in;
	unsigned int i;
	int ret;

	/* The kernel has changed those received. */
	for (i = 0; i < udp->cursor.nb; i++)
		room_tell(in, i);
	do {
		ret = recvmmsg(fd, in->msgs, udp->nb_wanted, MSG_DONTWAIT, NULL);
	} while (ret < 0 && errno == EINTR);
	udp->cursor = (struct swhca_udp_cursor){ 0 };
	if (ret <= 0)
		return 0;
	udp->cursor.nb = (unsigned int)ret;
	udp->cursor.time_ns = swhca_now_ns();
	memcpy(udp->cursor.dgid, dgid, sizeof(udp->cursor.dgid));
	return udp->cursor.nb;
}

static unsigned int
fetch_group(struct swhca_udp *udp)
{
	uint8_t gid[16];
	int fd = swhca_udp_group_ready(udp, gid);

	return fd < 0 ? 0 : fetch_from(udp, fd, gid);
}

/* Alternate between the port and its groups. @return Number of datagrams. */
static unsigned int
fetch(struct swhca_udp *udp)
{
	unsigned int nb = 0;

	udp->is_group_turn = !udp->is_group_turn;
	if (udp->is_group_turn)
		nb = fetch_group(udp);
	if (nb == 0)
		nb = fetch_from(udp, udp->link.fd, udp->link.gid);
	return nb != 0 || udp->is_group_turn ? nb : fetch_group(udp);
}

/* Get the source of a datagram. @return false: not a possible source of packets. */
static bool
source_get(const struct swhca_udp *udp, const union swhca_udp_addr *from,
	   struct swhca_packet_ip *ip)
{
	if (from->any.sa_family == AF_INET && !udp->is_ipv6) {
		memcpy(ip->sgid, udp->link.gid, 12);
		memcpy(ip->sgid + 12, &from->in.sin_addr, 4);
		ip->src_port = ntohs(from->in.sin_port);
		return true;
	}
	if (from->any.sa_family == AF_INET6 && udp->is_ipv6) {
		memcpy(ip->sgid, &from->in6.sin6_addr, 16);
		ip->src_port = ntohs(from->in6.sin6_port);
		return true;
	}
	return false;
}

/* Get the segment size, and the IP header fields that the kernel reports. */
static void
ctrl_get(struct msghdr *msg, struct swhca_packet_ip *ip, uint32_t *segment)
{
	struct cmsghdr *cmsg;
	int value;

	for (cmsg = CMSG_FIRSTHDR(msg); cmsg != NULL; cmsg = CMSG_NXTHDR(msg, cmsg)) {
		if (cmsg->cmsg_level == IPPROTO_IP && cmsg->cmsg_type == IP_TOS) {
			ip->tclass = *CMSG_DATA(cmsg);
			continue;
		}
		if (cmsg->cmsg_len < CMSG_LEN(sizeof(value)))
			continue;
		memcpy(&value, CMSG_DATA(cmsg), sizeof(value));
		if (cmsg->cmsg_level == SOL_UDP && cmsg->cmsg_type == UDP_GRO && value > 0)
			*segment = (uint32_t)value;
		else if ((cmsg->cmsg_level == IPPROTO_IP && cmsg->cmsg_type == IP_TTL) ||
			 (cmsg->cmsg_level == IPPROTO_IPV6 && cmsg->cmsg_type == IPV6_HOPLIMIT))
			ip->hop_limit = (uint8_t)value;
		else if (cmsg->cmsg_level == IPPROTO_IPV6 && cmsg->cmsg_type == IPV6_TCLASS)
			ip->tclass = (uint8_t)value;
	}
}

/* Start with the packets of a datagram. @return false: it contains none. */
static bool
datagram_begin(struct swhca_udp *udp)
{
	struct swhca_udp_cursor *cursor = &udp->cursor;
	struct mmsghdr *msg = &udp->in.msgs[cursor->at];

	cursor->segment = msg->msg_len;
	cursor->ip = (struct swhca_packet_ip){ .is_df = true };
	memcpy(cursor->ip.dgid, cursor->dgid, sizeof(cursor->ip.dgid));
	/* IPv6 has no identification; loopback addresses are only used by other sockets: 0. */
	cursor->has_id = udp->is_ipv6 || udp->is_loopback;
	ctrl_get(&msg->msg_hdr, &cursor->ip, &cursor->segment);
	return (msg->msg_hdr.msg_flags & MSG_TRUNC) == 0 && msg->msg_len > 0 &&
	       source_get(udp, &udp->in.addrs[cursor->at], &cursor->ip);
}

static void
datagram_end(struct swhca_udp_cursor *cursor)
{
	cursor->at++;
	cursor->offset = 0;
}

/* Get the next packet. @return false: there is none, or it is invalid. */
static bool
packet_take(struct swhca_udp *udp, struct swhca_link_packet *packet)
{
	struct swhca_udp_cursor *cursor = &udp->cursor;
	uint32_t left;

	if (cursor->offset == 0 && !datagram_begin(udp)) {
		udp->link.stats.nb_refused++;
		datagram_end(cursor);
		return false;
	}
	left = udp->in.msgs[cursor->at].msg_len - cursor->offset;
	packet->ip = cursor->ip;
	packet->has_id = cursor->has_id;
	packet->data = (uint8_t *)udp->in.iovs[cursor->at].iov_base + cursor->offset;
	packet->len = left < cursor->segment ? left : cursor->segment;
	packet->time_ns = cursor->time_ns;
	cursor->offset += packet->len;
	if (packet->len == left)
		datagram_end(cursor);
	if (packet->len < IB_LEN_MIN || packet->len > SWHCA_IB_LEN_MAX) {
		udp->link.stats.nb_refused++;
		return false;
	}
	udp->link.stats.nb_bytes_received += packet->len;
	return true;
}

unsigned int
swhca_udp_receive(struct swhca_link *link, struct swhca_link_packet *packets, unsigned int nb)
{
	struct swhca_udp *udp = (struct swhca_udp *)link;
	struct swhca_udp_cursor *cursor = &udp->cursor;
	unsigned int done = 0;

	if (nb > SWHCA_LINK_BATCH)
		nb = SWHCA_LINK_BATCH;
	if (cursor->at == cursor->nb && fetch(udp) == 0)
		return 0;
	while (done < nb && cursor->at < cursor->nb) {
		if (packet_take(udp, &packets[done]))
			done++;
	}
	link->stats.nb_received += done;
	udp->nb_wanted = done > 2 * cursor->nb ? NB_LONG : SWHCA_LINK_BATCH;
	return done;
}

uint64_t
swhca_udp_deadline(const struct swhca_link *link)
{
	const struct swhca_udp *udp = (const struct swhca_udp *)link;

	/* Packets received together and not yet returned, which poll(2) does not report. */
	return udp->cursor.at < udp->cursor.nb ? 0 : UINT64_MAX;
}
