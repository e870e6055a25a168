/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "include/gid.h"
#include "wire/link/eth.h"
#include "wire/packet/bytes.h"

/* RFC 1700, IPDEFTTL. */
#define HOP_LIMIT	64u
/* Maximum pending errors of the peer's port, one per call. */
#define MAX_REFUSED	4u

static const uint8_t zeros[SWHCA_ETHER_MIN];

static uint8_t *
parked_frame(const struct swhca_eth *eth, unsigned int i)
{
	return eth->parked_frames + (size_t)i * eth->stride;
}

/* Own frames, which are retried anyway. */
static bool
frame_send(const struct swhca_eth *eth, const uint8_t *frame, size_t len)
{
	ssize_t ret = send(eth->link.fd, frame, len, MSG_NOSIGNAL);

	/* The first call returns the error of an earlier datagram: no listener. */
	if (ret < 0 && errno == ECONNREFUSED)
		ret = send(eth->link.fd, frame, len, MSG_NOSIGNAL);
	return ret >= 0;
}

static void
sent(struct swhca_link *link, uint32_t ib_len, bool is_sent)
{
	if (!is_sent) {
		link->stats.nb_send_errors++;
		return;
	}
	link->stats.nb_sent++;
	link->stats.nb_bytes_sent += ib_len;
}

/* Send or drop parked frames whose neighbor is resolved, or failed; others keep their order. */
static void
parked_look(struct swhca_eth *eth)
{
	const struct swhca_arp_entry *entry;
	struct swhca_eth_parked *parked;
	unsigned int i, nb = 0;
	uint8_t *frame;

	for (i = 0; i < eth->nb_parked; i++) {
		parked = &eth->parked[i];
		frame = parked_frame(eth, i);
		entry = swhca_arp_look(&eth->arp, parked->ip);
		if (entry != NULL && entry->state == SWHCA_ARP_ASKED) {
			if (nb != i)
				memcpy(parked_frame(eth, nb), frame, parked->len);
			eth->parked[nb++] = *parked;
			continue;
		}
		if (entry != NULL)
			memcpy(frame, entry->mac, SWHCA_ETHER_MAC_LEN);
		sent(&eth->link, parked->ib_len,
		     entry != NULL && frame_send(eth, frame, parked->len));
	}
	eth->nb_parked = nb;
}

static void
arp_send(struct swhca_eth *eth, uint64_t now_ns)
{
	uint8_t frame[SWHCA_ETHER_MIN];

	while (swhca_arp_next(&eth->arp, now_ns, frame))
		(void)frame_send(eth, frame, sizeof(frame));
	parked_look(eth);
}

/* Get the MAC address of a packet's destination; false: not known yet. */
static bool
neighbour_find(struct swhca_eth *eth, const uint8_t *gid, uint64_t now_ns, uint8_t *mac)
{
	const struct swhca_arp_entry *entry;

	if (swhca_gid_is_multicast(gid)) {
		swhca_gid_multicast_mac(gid, mac);
		return true;
	}
	entry = swhca_arp_find(&eth->arp, gid + 12, now_ns);
	memcpy(mac, entry->mac, SWHCA_ETHER_MAC_LEN);
	return entry->state == SWHCA_ARP_KNOWN;
}

static void
packet_park(struct swhca_eth *eth, const struct swhca_link_packet *packet, const uint8_t *hdrs)
{
	struct swhca_eth_parked *parked = &eth->parked[eth->nb_parked];
	size_t len = SWHCA_ETH_HDRS_LEN + packet->len;
	uint8_t *frame;

	if (eth->nb_parked == SWHCA_ETH_PARKED) {
		eth->link.stats.nb_send_errors++;
		return;
	}
	frame = parked_frame(eth, eth->nb_parked++);
	memcpy(frame, hdrs, SWHCA_ETH_HDRS_LEN);
	memcpy(frame + SWHCA_ETH_HDRS_LEN, packet->data, packet->len);
	while (len < SWHCA_ETHER_MIN)
		frame[len++] = 0;
	memcpy(parked->ip, packet->ip.dgid + 12, sizeof(parked->ip));
	parked->len = (uint32_t)len;
	parked->ib_len = packet->len;
}

static void
message_fill(struct swhca_eth_batch *batch, unsigned int i, const struct swhca_link_packet *packet)
{
	size_t len = SWHCA_ETH_HDRS_LEN + packet->len;
	struct iovec *iov = batch->iovs[i];

	iov[0] = (struct iovec){ .iov_base = batch->hdrs[i], .iov_len = SWHCA_ETH_HDRS_LEN };
	iov[1] = (struct iovec){ .iov_base = packet->data, .iov_len = packet->len };
	/* Only read. */
	iov[2] = (struct iovec){ .iov_base = (void *)(uintptr_t)zeros,
				 .iov_len = len < SWHCA_ETHER_MIN ? SWHCA_ETHER_MIN - len : 0 };
	batch->msgs[i] = (struct mmsghdr){ .msg_hdr = { .msg_iov = iov, .msg_iovlen = 3 } };
}

/* Write the headers of a packet: true if it can be sent now. Otherwise it waits, or is dropped. */
static bool
packet_prepare(struct swhca_eth *eth, const struct swhca_link_packet *packet, uint64_t now_ns,
	       uint8_t *hdrs)
{
	struct swhca_packet_ip ip = packet->ip;
	uint8_t mac[SWHCA_ETHER_MAC_LEN];
	bool is_known;

	if (ip.hop_limit == 0)
		ip.hop_limit = HOP_LIMIT;
	if (!swhca_gid_is_ipv4(ip.dgid) || packet->len > eth->link.mtu ||
	    swhca_packet_ip_build(&ip, packet->len, hdrs + SWHCA_ETHER_LEN,
				  SWHCA_IPV4_LEN + SWHCA_UDP_LEN) < 0) {
		eth->link.stats.nb_send_errors++;
		return false;
	}
	is_known = neighbour_find(eth, ip.dgid, now_ns, mac);
	swhca_ether_put(hdrs, mac, eth->link.mac, SWHCA_ETHER_TYPE_IPV4);
	if (!is_known)
		packet_park(eth, packet, hdrs);
	return is_known;
}

/* Number of messages accepted, including those that cannot be sent at all. */
static unsigned int
batch_send(struct swhca_eth *eth, unsigned int nb)
{
	struct mmsghdr *msgs = eth->batch.msgs;
	unsigned int i = 0, nb_refused = 0;
	int ret;

	while (i < nb) {
		ret = sendmmsg(eth->link.fd, msgs + i, nb - i, MSG_NOSIGNAL);
		if (ret > 0) {
			for (; ret > 0; ret--, i++)
				sent(&eth->link, (uint32_t)eth->batch.iovs[i][1].iov_len, true);
			continue;
		}
		if (errno == EAGAIN || errno == ENOBUFS)
			break;
		/* Error of an earlier datagram: no listener. The message itself was not sent. */
		if (errno == EINTR || (errno == ECONNREFUSED && nb_refused++ < nb))
			continue;
		sent(&eth->link, 0, false);
		i++;
	}
	return i;
}

/* Buffer bytes of a datagram in addition to its own (Linux: sk_buff). */
#define SKB_LEN		1024u

/* Number of packets that may be sent now. */
static unsigned int
packets_pace(struct swhca_eth *eth, const struct swhca_link_packet *packets, unsigned int nb,
	     uint64_t now_ns)
{
	unsigned int i;

	if (eth->busy_until < now_ns)
		eth->busy_until = now_ns;
	for (i = 0; i < nb && eth->busy_until <= now_ns + eth->burst_ns; i++)
		eth->busy_until += (uint64_t)(packets[i].len + SKB_LEN) * SWHCA_ETH_NS_PER_BYTE;
	eth->is_paced = i < nb;
	return i;
}

unsigned int
swhca_eth_send(struct swhca_link *link, const struct swhca_link_packet *packets, unsigned int nb)
{
	struct swhca_eth *eth = (struct swhca_eth *)link;
	uint64_t now_ns = swhca_now_ns();
	unsigned int taken[SWHCA_LINK_BATCH];	/* Packets done once that message is accepted. */
	unsigned int i, nb_msgs = 0, nb_sent;

	nb = packets_pace(eth, packets, nb < SWHCA_LINK_BATCH ? nb : SWHCA_LINK_BATCH, now_ns);
	for (i = 0; i < nb; i++) {
		if (!packet_prepare(eth, &packets[i], now_ns, eth->batch.hdrs[nb_msgs]))
			continue;
		message_fill(&eth->batch, nb_msgs, &packets[i]);
		taken[nb_msgs++] = i;
	}
	nb_sent = batch_send(eth, nb_msgs);
	arp_send(eth, now_ns);
	/* Packets after it may have been parked: a duplicate is harmless. */
	return nb_sent < nb_msgs ? taken[nb_sent] : nb;
}

static bool
is_for_us(const struct swhca_eth *eth, const uint8_t *mac)
{
	return (mac[0] & 1) != 0 || memcmp(mac, eth->link.mac, SWHCA_ETHER_MAC_LEN) == 0;
}

enum swhca_eth_kind
swhca_eth_take(struct swhca_eth *eth, uint8_t *frame, size_t len, uint64_t now_ns,
	       struct swhca_link_packet *packet)
{
	size_t ib_len;
	int ret;

	if (len < SWHCA_ETHER_LEN || len > eth->frame_max)
		return SWHCA_ETH_BAD;
	if (!is_for_us(eth, frame))
		return SWHCA_ETH_OTHER;
	switch (swhca_get_be16(frame + 2 * SWHCA_ETHER_MAC_LEN)) {
	case SWHCA_ETHER_TYPE_ARP:
		ret = swhca_arp_receive(&eth->arp, frame, len, now_ns);
		return ret == 0 ? SWHCA_ETH_ARP : SWHCA_ETH_BAD;
	case SWHCA_ETHER_TYPE_IPV4:
		break;
	default:
		return SWHCA_ETH_OTHER;
	}
	ret = swhca_packet_ip_parse(frame + SWHCA_ETHER_LEN, len - SWHCA_ETHER_LEN, &packet->ip,
				    &ib_len);
	if (ret < 0)
		return ret == -EPROTONOSUPPORT ? SWHCA_ETH_OTHER : SWHCA_ETH_BAD;
	/* An IPv6 packet in an IPv4 frame is invalid. */
	if (!swhca_gid_is_ipv4(packet->ip.dgid) || swhca_gid_is_multicast(packet->ip.sgid))
		return SWHCA_ETH_BAD;
	if (memcmp(packet->ip.dgid, eth->link.gid, sizeof(eth->link.gid)) != 0 &&
	    !swhca_gid_is_multicast(packet->ip.dgid))
		return SWHCA_ETH_OTHER;
	packet->has_id = true;
	packet->data = frame + SWHCA_ETHER_LEN + ret;
	packet->len = (uint32_t)ib_len;
	packet->time_ns = now_ns;
	return SWHCA_ETH_PACKET;
}

bool
swhca_eth_send_frame(struct swhca_link *link, const uint8_t *frame, size_t len)
{
	struct swhca_eth *eth = (struct swhca_eth *)link;
	uint8_t padded[SWHCA_ETHER_MIN] = { 0 };

	if (len < SWHCA_ETHER_LEN || len > eth->frame_max) {
		link->stats.nb_send_errors++;
		return false;
	}
	if (len >= sizeof(padded))
		return frame_send(eth, frame, len);
	memcpy(padded, frame, len);
	return frame_send(eth, padded, sizeof(padded));
}

/* Frames that are not packets for us go to the port's net device, if any; ARP goes to both. */
static void
frame_give(const struct swhca_eth *eth, enum swhca_eth_kind kind, unsigned int i)
{
	if (eth->link.frame != NULL && (kind == SWHCA_ETH_OTHER || kind == SWHCA_ETH_ARP))
		eth->link.frame(eth->link.frame_arg, eth->batch.iovs[i][0].iov_base,
				eth->batch.msgs[i].msg_len);
}

/* Receive frames into buffers; returns their number. */
static unsigned int
batch_receive(struct swhca_eth *eth, unsigned int nb)
{
	struct swhca_eth_batch *batch = &eth->batch;
	unsigned int i, nb_refused = 0;
	int ret;

	for (i = 0; i < nb; i++) {
		batch->iovs[i][0] = (struct iovec){
			.iov_base = eth->bufs + (size_t)i * eth->stride + SWHCA_ETH_SHIFT,
			.iov_len = eth->frame_max,
		};
		batch->msgs[i] = (struct mmsghdr){
			.msg_hdr = { .msg_iov = batch->iovs[i], .msg_iovlen = 1 },
		};
	}
	do {
		ret = recvmmsg(eth->link.fd, batch->msgs, nb, 0, NULL);
	} while (ret < 0 && (errno == EINTR || errno == ECONNREFUSED) &&
		 nb_refused++ < MAX_REFUSED);
	return ret > 0 ? (unsigned int)ret : 0;
}

unsigned int
swhca_eth_receive(struct swhca_link *link, struct swhca_link_packet *packets, unsigned int nb)
{
	struct swhca_eth *eth = (struct swhca_eth *)link;
	unsigned int i, nb_frames, nb_packets = 0;
	uint64_t now_ns;

	nb_frames = batch_receive(eth, nb < SWHCA_LINK_BATCH ? nb : SWHCA_LINK_BATCH);
	now_ns = swhca_now_ns();
	for (i = 0; i < nb_frames; i++) {
		enum swhca_eth_kind kind = SWHCA_ETH_BAD;

		if ((eth->batch.msgs[i].msg_hdr.msg_flags & MSG_TRUNC) == 0)
			kind = swhca_eth_take(eth, eth->batch.iovs[i][0].iov_base,
					      eth->batch.msgs[i].msg_len, now_ns,
					      &packets[nb_packets]);
		if (kind == SWHCA_ETH_BAD)
			link->stats.nb_refused++;
		frame_give(eth, kind, i);
		if (kind != SWHCA_ETH_PACKET)
			continue;
		link->stats.nb_received++;
		link->stats.nb_bytes_received += packets[nb_packets].len;
		nb_packets++;
	}
	arp_send(eth, now_ns);
	return nb_packets;
}
