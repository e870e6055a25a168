/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* A link of Ethernet frames, and a socket that stands for a virtual machine. */

#include "cases.h"
#include "../../../../patience.h"
#include "wire/link/eth.h"
#include "wire/packet/bytes.h"

#include "link_bed.h"

#define GUEST_IP	"\x0a\x09\x00\x01"
#define GUEST_MAC	"\x52\x54\x00\x12\x34\x56"
#define OWN_IP		"\x0a\x09\x00\x02"
#define OWN_MAC		"\x02\x00\x0a\x09\x00\x02"
#define ANY_MAC		"\xff\xff\xff\xff\xff\xff"
#define FRAME_MAX	2048u
#define HDRS		42u
#define IB_MIN		16u

static struct {
	struct swhca_link *link;
	struct swhca_eth *eth;	/* That it stands on. */
	int guest;		/* Socket. */
	uint16_t port, guest_port;
	uint8_t bytes[FRAME_MAX], frame[FRAME_MAX];
	struct swhca_link_packet in[SWHCA_LINK_BATCH];
} bed;

static int
setup(void **state)
{
	char wire[64];

	bed.guest_port = 0;
	bed.guest = socket_bind(&bed.guest_port);
	bed.port = eth_text(wire, bed.guest_port, 2);
	bed.link = bed_open(wire, NULL, NULL, 0);
	bed.eth = (struct swhca_eth *)bed_bottom(bed.link);
	socket_connect(bed.guest, bed.port);
	for (size_t i = 0; i < sizeof(bed.bytes); i++)
		bed.bytes[i] = (uint8_t)(i * 7 + 1);
	return 0;
}

static int
teardown(void **state)
{
	swhca_link_close(bed.link);
	close(bed.guest);
	return 0;
}

static void
guest_send(const void *frame, size_t len)
{
	assert_int_equal(send(bed.guest, frame, len, 0), (ssize_t)len);
}

static size_t
guest_receive(void)
{
	ssize_t len = recv(bed.guest, bed.frame, sizeof(bed.frame), 0);

	assert_true(len > 0);
	return (size_t)len;
}

static void
guest_hears_nothing(void)
{
	assert_int_equal(recv(bed.guest, bed.frame, sizeof(bed.frame), MSG_DONTWAIT), -1);
	assert_int_equal(errno, EAGAIN);
}

/* The guest tells where it is, or answers who asks. */
static void
guest_arp(const char *operation)
{
	char frame[60] = OWN_MAC GUEST_MAC "\x08\x06\x00\x01\x08\x00\x06\x04";

	memcpy(frame + 20, operation, 2);
	memcpy(frame + 22, GUEST_MAC GUEST_IP OWN_MAC OWN_IP, 20);
	guest_send(frame, sizeof(frame));
}

static struct swhca_link_packet
packet_to_guest(uint32_t len)
{
	struct swhca_link_packet packet = { .data = bed.bytes, .len = len };

	swhca_link_gid(bed.link, packet.ip.sgid);
	swhca_link_gid(bed.link, packet.ip.dgid);
	memcpy(packet.ip.dgid + 12, GUEST_IP, 4);
	packet.ip.src_port = bed.link->src_port;
	packet.ip.is_df = true;
	packet.ip.tclass = 0x68;
	return packet;
}

/* A frame of the guest: headers by the room that other tests hold, the rest by hand. */
static size_t
guest_frame(const char *dst_mac, const char *dst_ip, uint16_t id, uint32_t ib_len, uint8_t *frame)
{
	struct swhca_packet_ip ip = { .src_port = 0xc123, .id = id, .is_df = true, .hop_limit = 9 };

	memcpy(ip.sgid, "\0\0\0\0\0\0\0\0\0\0\xff\xff" GUEST_IP, 16);
	memcpy(ip.dgid, "\0\0\0\0\0\0\0\0\0\0\xff\xff", 12);
	memcpy(ip.dgid + 12, dst_ip, 4);
	memcpy(frame, dst_mac, 6);
	memcpy(frame + 6, GUEST_MAC "\x08\x00", 8);
	assert_int_equal(swhca_packet_ip_build(&ip, ib_len, frame + 14, 28), 28);
	memcpy(frame + HDRS, bed.bytes, ib_len);
	return HDRS + ib_len;
}

static void
expect_frame(const struct swhca_link_packet *packet)
{
	size_t len = guest_receive();
	struct swhca_packet_ip ip;
	size_t ib_len;

	assert_int_equal(len, packet->len < 18 ? 60 : HDRS + packet->len);
	assert_memory_equal(bed.frame, GUEST_MAC OWN_MAC "\x08\x00", 14);
	assert_int_equal(swhca_packet_ip_parse(bed.frame + 14, len - 14, &ip, &ib_len), 28);
	assert_int_equal(ib_len, packet->len);
	assert_memory_equal(bed.frame + HDRS, packet->data, ib_len);
	assert_memory_equal(ip.sgid, packet->ip.sgid, 16);
	assert_memory_equal(ip.dgid, packet->ip.dgid, 16);
	assert_int_equal(ip.src_port, 4791);
	assert_int_equal(ip.id, 0);
	assert_true(ip.is_df);
	assert_int_equal(ip.tclass, 0x68);
	assert_int_equal(ip.hop_limit, 64);
}

/* Look for frames, of which none is a packet, until so many packets have left. */
static void
bed_receive_none(uint64_t nb_sent)
{
	uint64_t end = patience_end();

	do {
		assert_int_equal(bed.link->ops->receive(bed.link, bed.in, SWHCA_LINK_BATCH), 0);
		assert_true(!patience_is_over(end));
	} while (bed.eth->link.stats.nb_sent < nb_sent);
}

/* Until the guest, which has told or answered, is known. */
static void
receive_arp(void)
{
	uint64_t end = patience_end();
	const struct swhca_arp_entry *entry;

	do {
		assert_int_equal(bed.link->ops->receive(bed.link, bed.in, SWHCA_LINK_BATCH), 0);
		assert_true(!patience_is_over(end));
		entry = swhca_arp_look(&bed.eth->arp, (const uint8_t *)GUEST_IP);
	} while (entry == NULL || entry->state != SWHCA_ARP_KNOWN);
}

/* The guest asks, is answered, and is known. */
static void
guest_asks(void)
{
	guest_arp("\x00\x01");
	receive_arp();
	assert_int_equal(guest_receive(), 60);
	assert_memory_equal(bed.frame, GUEST_MAC OWN_MAC "\x08\x06", 14);
}

CASE_WITH(its_addresses_are_those_of_the_text, setup, teardown)
{
	uint8_t gid[16], mac[6];

	swhca_link_gid(bed.link, gid);
	swhca_link_mac(bed.link, mac);
	assert_memory_equal(gid, "\0\0\0\0\0\0\0\0\0\0\xff\xff" OWN_IP, 16);
	assert_memory_equal(mac, OWN_MAC, 6);
	assert_int_equal(bed.link->mtu, 1500 - 28);
	assert_int_equal(bed.link->src_port, 4791);
	assert_int_equal(swhca_link_lid(bed.link), 2);
	assert_true(bed.link->room >= 65536);
}

CASE_WITH(packets_wait_for_the_address_in_order, setup, teardown)
{
	struct swhca_link_packet packets[SWHCA_ETH_PARKED + 1];

	for (unsigned int i = 0; i <= SWHCA_ETH_PARKED; i++)
		packets[i] = packet_to_guest(IB_MIN + i);
	bed_send(bed.link, packets, SWHCA_ETH_PARKED + 1);
	assert_int_equal(guest_receive(), 60);
	assert_memory_equal(bed.frame, ANY_MAC OWN_MAC "\x08\x06", 14);
	assert_memory_equal(bed.frame + 38, GUEST_IP, 4);
	guest_hears_nothing();
	assert_true(bed.link->ops->deadline(bed.link) <= bed_now_ns() + 1000000000u);
	guest_arp("\x00\x02");
	receive_arp();
	for (unsigned int i = 0; i < SWHCA_ETH_PARKED; i++)
		expect_frame(&packets[i]);
	/* Of the last one the sender will hear that it is missing. */
	guest_hears_nothing();
	assert_int_equal(bed.eth->link.stats.nb_send_errors, 1);
	assert_int_equal(bed.eth->link.stats.nb_sent, SWHCA_ETH_PARKED);
	bed_send(bed.link, packets + SWHCA_ETH_PARKED, 1);
	expect_frame(&packets[SWHCA_ETH_PARKED]);
}

CASE_WITH(who_waits_for_another_address_goes_on_waiting, setup, teardown)
{
	struct swhca_link_packet packets[3] = { packet_to_guest(20), packet_to_guest(24),
						packet_to_guest(28) };

	packets[0].ip.dgid[15] = 9;
	packets[2].ip.dgid[15] = 9;
	bed_send(bed.link, packets, 3);
	assert_int_equal(guest_receive(), 60);
	assert_int_equal(guest_receive(), 60);
	guest_arp("\x00\x02");
	bed_receive_none(1);
	expect_frame(&packets[1]);
	assert_int_equal(bed.eth->nb_parked, 2);
	assert_int_equal(bed.eth->parked[1].ib_len, 28);
}

CASE_WITH(a_burst_does_not_exceed_the_room_of_the_other_side, setup, teardown)
{
	struct swhca_link_packet packets[SWHCA_LINK_BATCH];
	uint64_t start = bed_now_ns(), ns;
	uint32_t bytes = 0, batches = 0;
	unsigned int i, nb;

	guest_arp("\x00\x01");
	receive_arp();
	for (i = 0; i < SWHCA_LINK_BATCH; i++)
		packets[i] = packet_to_guest(bed.link->mtu);
	do {
		nb = bed.link->ops->send(bed.link, packets, SWHCA_LINK_BATCH);
		bytes += nb * bed.link->mtu;
	} while (nb == SWHCA_LINK_BATCH && ++batches < 100);
	assert_in_range(nb, 0, SWHCA_LINK_BATCH - 1);
	ns = bed_now_ns() - start;
	/* As much as may be ahead, what time allows, and one packet. */
	assert_true(bytes <= bed.link->room / 4 + ns / SWHCA_ETH_NS_PER_BYTE + 3000);
	assert_true(bed.link->ops->deadline(bed.link) < bed_now_ns() + 10000000u);
}

CASE_WITH(packets_of_every_length_leave, setup, teardown)
{
	struct swhca_link_packet packet;

	guest_asks();
	for (uint32_t len = IB_MIN; len <= bed.link->mtu; len++) {
		packet = packet_to_guest(len);
		bed_send(bed.link, &packet, 1);
		expect_frame(&packet);
	}
	packet = packet_to_guest(bed.link->mtu + 1);
	bed_send(bed.link, &packet, 1);
	guest_hears_nothing();
	assert_int_equal(bed.eth->link.stats.nb_send_errors, 1);
}

CASE_WITH(a_batch_keeps_its_order, setup, teardown)
{
	struct swhca_link_packet packets[SWHCA_LINK_BATCH];

	guest_asks();
	for (unsigned int i = 0; i < SWHCA_LINK_BATCH; i++) {
		packets[i] = packet_to_guest(IB_MIN + i);
		packets[i].data = bed.bytes + i;
	}
	bed_send(bed.link, packets, SWHCA_LINK_BATCH);
	for (unsigned int i = 0; i < SWHCA_LINK_BATCH; i++)
		expect_frame(&packets[i]);
}

CASE_WITH(groups_need_no_address, setup, teardown)
{
	struct swhca_link_packet packet = packet_to_guest(64);
	size_t len;

	memcpy(packet.ip.dgid + 12, "\xe0\x81\x02\x03", 4);
	assert_int_equal(bed.link->ops->send(bed.link, &packet, 1), 1);
	assert_int_equal(guest_receive(), HDRS + 64);
	assert_memory_equal(bed.frame, "\x01\x00\x5e\x01\x02\x03" OWN_MAC "\x08\x00", 14);
	len = guest_frame("\x01\x00\x5e\x01\x02\x03", "\xe0\x81\x02\x03", 1, 64, bed.frame);
	guest_send(bed.frame, len);
	assert_int_equal(bed_receive_some(bed.link, bed.in, 1, patience_ms()), 1);
	assert_memory_equal(bed.in[0].ip.dgid + 12, "\xe0\x81\x02\x03", 4);
}

CASE_WITH(packets_of_the_guest_come_with_their_identification, setup, teardown)
{
	size_t len;
	unsigned int i, got;

	for (i = 0; i < 40; i++) {
		len = guest_frame(OWN_MAC, OWN_IP, (uint16_t)(0xfff0 + i), IB_MIN + i, bed.frame);
		/* Shorter frames are padded. */
		guest_send(bed.frame, len < 60 ? 60 : len);
	}
	for (i = 0; i < 40;) {
		got = bed_receive_some(bed.link, bed.in, SWHCA_LINK_BATCH, patience_ms());
		assert_true(got > 0 && i + got <= 40);
		for (unsigned int k = 0; k < got; k++, i++) {
			assert_true(bed.in[k].has_id);
			assert_int_equal(bed.in[k].ip.id, (uint16_t)(0xfff0 + i));
			assert_int_equal(bed.in[k].ip.src_port, 0xc123);
			assert_int_equal(bed.in[k].ip.hop_limit, 9);
			assert_memory_equal(bed.in[k].ip.sgid + 12, GUEST_IP, 4);
			assert_int_equal(bed.in[k].len, IB_MIN + i);
			assert_memory_equal(bed.in[k].data, bed.bytes, bed.in[k].len);
			assert_int_equal((uintptr_t)bed.in[k].data % 4, 0);
			assert_true(bed.in[k].time_ns <= bed_now_ns());
		}
	}
	assert_int_equal(bed.eth->link.stats.nb_received, 40);
	assert_int_equal(bed.eth->link.stats.nb_refused, 0);
}

CASE_WITH(frames_of_others_are_passed_by_and_bad_ones_counted, setup, teardown)
{
	uint8_t frame[FRAME_MAX];
	size_t len;

	/* Another station, another host, another protocol, another port. */
	len = guest_frame(ANY_MAC, OWN_IP, 0, 64, frame);
	memcpy(frame, "\x02\x00\x0a\x09\x00\x03", 6);
	guest_send(frame, len);
	guest_send(frame, guest_frame(OWN_MAC, "\x0a\x09\x00\x03", 0, 64, frame));
	len = guest_frame(OWN_MAC, OWN_IP, 0, 64, frame);
	frame[12] = 0x86;
	guest_send(frame, len);
	len = guest_frame(OWN_MAC, OWN_IP, 0, 64, frame);
	frame[14 + 20 + 3]++;
	guest_send(frame, len);
	/* No header, not all of it, more than a frame can have. */
	guest_send(frame, 13);
	guest_send(frame, guest_frame(OWN_MAC, OWN_IP, 0, 64, frame) - 1);
	guest_send(frame, guest_frame(OWN_MAC, OWN_IP, 0, 1473, frame));
	/* The sum of its header is wrong. */
	len = guest_frame(OWN_MAC, OWN_IP, 0, 64, frame);
	frame[14 + 12]++;
	guest_send(frame, len);
	len = guest_frame(OWN_MAC, OWN_IP, 0x1234, 64, frame);
	guest_send(frame, len);
	assert_int_equal(bed_receive_some(bed.link, bed.in, SWHCA_LINK_BATCH, patience_ms()), 1);
	assert_int_equal(bed.in[0].ip.id, 0x1234);
	assert_int_equal(bed.eth->link.stats.nb_refused, 4);
	assert_int_equal(bed.eth->link.stats.nb_received, 1);
}

CASE_WITH(a_guest_that_is_not_there_yet_is_waited_for, setup, teardown)
{
	struct swhca_link_packet packet = packet_to_guest(64);

	guest_arp("\x00\x01");
	receive_arp();
	close(bed.guest);
	/* The kernel tells that nobody listens, in front of this and of that. */
	for (unsigned int i = 0; i < 5; i++) {
		assert_int_equal(bed.link->ops->send(bed.link, &packet, 1), 1);
		assert_int_equal(bed.link->ops->receive(bed.link, bed.in, 1), 0);
	}
	bed.guest = socket_bind(&bed.guest_port);
	socket_connect(bed.guest, bed.port);
	assert_int_equal(bed.link->ops->send(bed.link, &packet, 1), 1);
	expect_frame(&packet);
	guest_send(bed.frame, guest_frame(OWN_MAC, OWN_IP, 7, 64, bed.frame));
	assert_int_equal(bed_receive_some(bed.link, bed.in, 1, patience_ms()), 1);
}

CASE_WITH(other_ports_are_not_heard, setup, teardown)
{
	const struct sockaddr_in addr = loopback(bed.port);
	uint16_t port = 0;
	int stranger = socket_bind(&port);
	size_t len = guest_frame(OWN_MAC, OWN_IP, 1, 64, bed.frame);

	sendto(stranger, bed.frame, len, 0, (const struct sockaddr *)&addr, sizeof(addr));
	guest_send(bed.frame, guest_frame(OWN_MAC, OWN_IP, 2, 64, bed.frame));
	assert_int_equal(bed_receive_some(bed.link, bed.in, 2, patience_ms()), 1);
	assert_int_equal(bed.in[0].ip.id, 2);
	close(stranger);
}

CASE_WITH(packets_that_cannot_be_sent_are_dropped, setup, teardown)
{
	struct swhca_link_packet packets[2] = { packet_to_guest(64), packet_to_guest(64) };

	memset(packets[0].ip.dgid, 0x20, 16);	/* IPv6 */
	packets[1].ip.sgid[0] = 1;
	assert_int_equal(bed.link->ops->send(bed.link, packets, 2), 2);
	assert_int_equal(bed.eth->link.stats.nb_send_errors, 2);
	guest_hears_nothing();
}

CASE_WITH(bad_texts_are_refused, setup, teardown)
{
	static const char *const texts[] = {
		"eth", "eth:", "eth:1", "eth:1:2", "eth:1:2:", "eth:0:2:10.0.0.1",
		"eth:1:65536:10.0.0.1", "eth:-1:2:10.0.0.1", "eth: 1:2:10.0.0.1",
		"eth:1:2:10.0.0", "eth:1:2:10.0.0.1x", "eth:1:2:fe80::1", "eth:1:2:0.0.0.1",
		"eth:1:2:127.0.0.1", "eth:1:2:224.0.0.1", "eth:1:2:255.255.255.255",
		"eth:1:2:10.0.0.1:",
		"eth:1:2:10.0.0.1:575", "eth:1:2:10.0.0.1:9001", "eth:1:2:10.0.0.1:1500:",
		"eth:1:2:10.0.0.1:1500x", "eth:99999999999999999999:2:10.0.0.1",
	};
	struct swhca_link *link = NULL;

	for (size_t i = 0; i < NB_OF(texts); i++) {
		const struct swhca_link_conf conf = { .wire = texts[i] };

		row_check(texts[i], swhca_link_open(&conf, &link), -EINVAL);
	}
	assert_null(link);
}

CASE_WITH(an_mtu_may_be_larger_and_a_port_is_had_once, setup, teardown)
{
	struct swhca_link_conf conf = { 0 };
	struct swhca_link *link, *second;
	char wire[64];

	eth_text(wire, bed.guest_port, 3);
	strcat(wire, ":4200");
	link = bed_open(wire, NULL, NULL, 1);
	assert_int_equal(link->mtu, 4200 - 28);
	conf.wire = wire;
	assert_int_equal(swhca_link_open(&conf, &second), -EADDRINUSE);
	swhca_link_close(link);
}
