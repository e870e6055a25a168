/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <netinet/udp.h>
#include <string.h>

#include "base/log.h"
#include "include/gid.h"
#include "wire/link/udp.h"

/* Check whether the socket can send this packet, with the headers covered by its ICRC. */
static bool
is_sendable(const struct swhca_udp *udp, const struct swhca_link_packet *packet)
{
	const struct swhca_packet_ip *ip = &packet->ip;

	return packet->len > 0 && packet->len <= udp->link.mtu &&
	       ip->src_port == udp->link.src_port && ip->id == 0 && (udp->is_ipv6 || ip->is_df) &&
	       swhca_gid_is_ipv4(ip->dgid) != udp->is_ipv6 &&
	       memcmp(ip->sgid, udp->link.gid, sizeof(ip->sgid)) == 0;
}

static bool
is_loopback(const uint8_t gid[16])
{
	if (swhca_gid_is_ipv4(gid))
		return gid[12] == IN_LOOPBACKNET;
	return memcmp(gid, &in6addr_loopback, sizeof(in6addr_loopback)) == 0;
}

/* Check whether two packets have the same destination and headers. */
static bool
is_alike(const struct swhca_packet_ip *ip, const struct swhca_packet_ip *other)
{
	return memcmp(ip->dgid, other->dgid, sizeof(ip->dgid)) == 0 &&
	       ip->tclass == other->tclass && ip->hop_limit == other->hop_limit;
}

/* Number of packets, from the first one on, that fit one segmented datagram. */
static unsigned int
run_length(const struct swhca_udp *udp, const struct swhca_link_packet *packets, unsigned int nb)
{
	uint32_t len = packets[0].len, total = len;
	unsigned int i;

	if (!udp->has_gso || !udp->is_loopback || !is_loopback(packets[0].ip.dgid))
		return 1;
	for (i = 1; i < nb && i < SWHCA_UDP_SEGMENTS_MAX; i++) {
		if (packets[i].len > len || total + packets[i].len > SWHCA_IB_LEN_MAX ||
		    !is_sendable(udp, &packets[i]) || !is_alike(&packets[0].ip, &packets[i].ip))
			break;
		total += packets[i].len;
		if (packets[i].len < len)
			return i + 1;
	}
	return i;
}

void
swhca_udp_addr_put(const struct swhca_udp *udp, const uint8_t gid[16], union swhca_udp_addr *addr,
		   struct msghdr *msg)
{
	if (udp->is_ipv6) {
		addr->in6 = (struct sockaddr_in6){ .sin6_family = AF_INET6,
						   .sin6_port = htons(SWHCA_ROCE_UDP_PORT),
						   .sin6_scope_id = udp->scope_id };
		memcpy(&addr->in6.sin6_addr, gid, 16);
		msg->msg_namelen = sizeof(addr->in6);
	} else {
		addr->in = (struct sockaddr_in){ .sin_family = AF_INET,
						 .sin_port = htons(SWHCA_ROCE_UDP_PORT) };
		memcpy(&addr->in.sin_addr, gid + 12, 4);
		msg->msg_namelen = sizeof(addr->in);
	}
	msg->msg_name = addr;
}

static void
cmsg_add(union swhca_udp_ctrl *ctrl, size_t *at, int level, int type, const void *value, size_t len)
{
	struct cmsghdr cmsg = { .cmsg_len = CMSG_LEN(len), .cmsg_level = level, .cmsg_type = type };

	memset(ctrl->bytes + *at, 0, CMSG_SPACE(len));
	memcpy(ctrl->bytes + *at, &cmsg, sizeof(cmsg));
	memcpy(ctrl->bytes + *at + CMSG_LEN(0), value, len);
	*at += CMSG_SPACE(len);
}

/* Control data for what the socket does not set itself. */
static void
ctrl_put(const struct swhca_udp *udp, const struct swhca_link_packet *packet, unsigned int nb,
	 union swhca_udp_ctrl *ctrl, struct msghdr *msg)
{
	int tclass = packet->ip.tclass, hop_limit = packet->ip.hop_limit;
	uint16_t segment = (uint16_t)packet->len;
	size_t len = 0;

	if (nb > 1)
		cmsg_add(ctrl, &len, SOL_UDP, UDP_SEGMENT, &segment, sizeof(segment));
	if (tclass != 0)
		cmsg_add(ctrl, &len, udp->is_ipv6 ? IPPROTO_IPV6 : IPPROTO_IP,
			 udp->is_ipv6 ? IPV6_TCLASS : IP_TOS, &tclass, sizeof(tclass));
	if (hop_limit != 0 && hop_limit != SWHCA_LINK_HOP_LIMIT)
		cmsg_add(ctrl, &len, udp->is_ipv6 ? IPPROTO_IPV6 : IPPROTO_IP,
			 udp->is_ipv6 ? IPV6_HOPLIMIT : IP_TTL, &hop_limit, sizeof(hop_limit));
	msg->msg_control = len > 0 ? ctrl->bytes : NULL;
	msg->msg_controllen = len;
}

/*
 * Pieces of a datagram; packets that are adjacent in memory are merged. @return Number of pieces.
 */
static unsigned int
iovs_put(struct iovec *iovs, const struct swhca_link_packet *packets, unsigned int nb)
{
	unsigned int at = 0, i;

	iovs[0] = (struct iovec){ .iov_base = packets[0].data, .iov_len = packets[0].len };
	for (i = 1; i < nb; i++) {
		if ((uint8_t *)iovs[at].iov_base + iovs[at].iov_len == packets[i].data)
			iovs[at].iov_len += packets[i].len;
		else
			iovs[++at] = (struct iovec){ .iov_base = packets[i].data,
						     .iov_len = packets[i].len };
	}
	return at + 1;
}

/* Build datagrams, up to a packet that cannot be sent. @return Number of datagrams. */
static unsigned int
batch_build(struct swhca_udp *udp, const struct swhca_link_packet *packets, unsigned int nb)
{
	struct swhca_udp_batch *out = &udp->out;
	unsigned int nb_msgs = 0, nb_iovs = 0, i = 0;

	while (i < nb && is_sendable(udp, &packets[i])) {
		unsigned int run = run_length(udp, &packets[i], nb - i);
		struct msghdr *msg = &out->msgs[nb_msgs].msg_hdr;

		msg->msg_iov = &out->iovs[nb_iovs];
		msg->msg_iovlen = iovs_put(msg->msg_iov, &packets[i], run);
		nb_iovs += (unsigned int)msg->msg_iovlen;
		swhca_udp_addr_put(udp, packets[i].ip.dgid, &out->addrs[nb_msgs], msg);
		ctrl_put(udp, &packets[i], run, &out->ctrls[nb_msgs], msg);
		out->nb_packets[nb_msgs++] = run;
		i += run;
	}
	return nb_msgs;
}

static bool
is_no_room(int err)
{
	return err == EAGAIN || err == ENOBUFS || err == ENOMEM;
}

/* Errors of UDP_SEGMENT in kernels and interfaces without support (udp(7)). */
static bool
is_no_gso(int err)
{
	return err == EINVAL || err == EIO || err == EOPNOTSUPP || err == EMSGSIZE;
}

/* A datagram was rejected. @return Number of packets to drop; 0: retry differently. */
static unsigned int
send_failed(struct swhca_udp *udp, unsigned int nb_packets, int err)
{
	if (nb_packets > 1 && is_no_gso(err)) {
		SWHCA_LOG(DEBUG, "wire udp: UDP_SEGMENT: %s; one packet a datagram from now on",
			  strerror(err));
		udp->has_gso = false;
		return 0;
	}
	udp->link.stats.nb_send_errors += nb_packets;
	if (!udp->has_told_errors)
		SWHCA_LOG(WARNING, "wire udp: packet not sent: %s; further errors are not logged",
			  strerror(err));
	udp->has_told_errors = true;
	return nb_packets;
}

/* Result of a batch. */
struct sent {
	unsigned int nb;	/* Packets done, sent or dropped. */
	bool has_room;
};

static void
sent_add(struct swhca_udp *udp, unsigned int at, struct sent *sent)
{
	const struct msghdr *msg = &udp->out.msgs[at].msg_hdr;
	unsigned int i;

	for (i = 0; i < msg->msg_iovlen; i++)
		udp->link.stats.nb_bytes_sent += msg->msg_iov[i].iov_len;
	udp->link.stats.nb_sent += udp->out.nb_packets[at];
	sent->nb += udp->out.nb_packets[at];
}

static struct sent
batch_send(struct swhca_udp *udp, unsigned int nb_msgs)
{
	struct sent sent = { .has_room = true };
	unsigned int at = 0, nb_dropped;
	int ret;

	while (at < nb_msgs) {
		ret = sendmmsg(udp->link.fd, &udp->out.msgs[at], nb_msgs - at, MSG_DONTWAIT);
		if (ret > 0) {
			for (; ret > 0; ret--)
				sent_add(udp, at++, &sent);
			continue;
		}
		if (ret < 0 && errno == EINTR)
			continue;
		sent.has_room = ret < 0 && !is_no_room(errno);
		if (!sent.has_room)
			return sent;
		nb_dropped = send_failed(udp, udp->out.nb_packets[at++], errno);
		if (nb_dropped == 0)
			return sent;
		sent.nb += nb_dropped;
	}
	return sent;
}

unsigned int
swhca_udp_send(struct swhca_link *link, const struct swhca_link_packet *packets, unsigned int nb)
{
	struct swhca_udp *udp = (struct swhca_udp *)link;
	struct sent sent = { .has_room = true };
	unsigned int done = 0, nb_msgs;

	if (nb > SWHCA_LINK_BATCH)
		nb = SWHCA_LINK_BATCH;
	while (done < nb && sent.has_room) {
		nb_msgs = batch_build(udp, &packets[done], nb - done);
		if (nb_msgs == 0) {
			link->stats.nb_send_errors++;
			done++;
			continue;
		}
		sent = batch_send(udp, nb_msgs);
		done += sent.nb;
	}
	return done;
}
