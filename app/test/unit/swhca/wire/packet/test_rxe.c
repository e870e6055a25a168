/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Packets of Linux's rdma_rxe are read, and built again byte for byte. */

#include "cases.h"
#include "rxe_packets.h"
#include "wire/packet/bytes.h"
#include "wire/packet/icrc.h"
#include "wire/packet/packet.h"

#define NB_PACKETS	(NB_OF(rxe_packets))
#define LEN_MAX		512u
#define IP_UDP_LEN	(SWHCA_IPV4_LEN + SWHCA_UDP_LEN)

/* A packet from its IP header on. */
struct bytes {
	uint8_t bytes[LEN_MAX];
	size_t len;
	struct swhca_packet_ip ip;
	const uint8_t *ib;	/* From BTH to ICRC. */
	size_t ib_len;
	struct swhca_packet pkt;
	size_t hdr_len;
};

static void
packet_read(const struct rxe_packet *packet, struct bytes *b)
{
	unsigned int byte;
	int ret;

	for (b->len = 0; packet->hex[2 * b->len] != '\0'; b->len++) {
		assert_int_equal(sscanf(packet->hex + 2 * b->len, "%2x", &byte), 1);
		assert_true(b->len < LEN_MAX);
		b->bytes[b->len] = (uint8_t)byte;
	}
	ret = swhca_packet_ip_parse(b->bytes, b->len, &b->ip, &b->ib_len);
	assert_int_equal(ret, IP_UDP_LEN);
	assert_int_equal(b->ib_len, b->len - IP_UDP_LEN);
	b->ib = b->bytes + IP_UDP_LEN;
	ret = swhca_packet_parse(b->ib, b->ib_len, &b->pkt);
	if (ret < 0)
		fail_msg("%s: %s", packet->name, swhca_packet_strerror(ret));
	b->hdr_len = (size_t)ret;
}

CASE(what_they_say_is_read)
{
	static const uint8_t sgid[16] = { [10] = 0xff, 0xff, 10, 9, 0, 1 };
	static const uint8_t dgid[16] = { [10] = 0xff, 0xff, 10, 9, 0, 2 };
	struct bytes b;

	for (size_t i = 0; i < NB_PACKETS; i++) {
		packet_read(&rxe_packets[i], &b);
		assert_memory_equal(b.ip.sgid, sgid, sizeof(sgid));
		assert_memory_equal(b.ip.dgid, dgid, sizeof(dgid));
		assert_true(b.ip.is_df);
		assert_int_equal(b.pkt.dst_qpn, rxe_packets[i].dst_qpn);
		assert_int_equal(b.pkt.psn, rxe_packets[i].psn);
		assert_int_equal(b.pkt.payload_len, rxe_packets[i].payload_len);
		assert_int_equal(b.pkt.pkey, 0xffff);
		assert_true(swhca_packet_fits_mtu(&b.pkt, 256));
	}
}

CASE(they_are_built_again)
{
	uint8_t again[LEN_MAX], *ib = again + IP_UDP_LEN;
	size_t i, end;
	struct bytes b;
	uint32_t crc;

	for (i = 0; i < NB_PACKETS; i++) {
		packet_read(&rxe_packets[i], &b);
		memset(again, 0, sizeof(again));
		assert_int_equal(swhca_packet_ip_build(&b.ip, b.ib_len, again, sizeof(again)),
				 IP_UDP_LEN);
		assert_int_equal(swhca_packet_len(&b.pkt), b.ib_len);
		assert_int_equal(swhca_packet_build(&b.pkt, ib, SWHCA_HDRS_MAX), b.hdr_len);
		memcpy(ib + b.hdr_len, b.ib + b.hdr_len, b.pkt.payload_len);
		end = b.ib_len - SWHCA_ICRC_LEN;
		crc = swhca_icrc_begin(&b.ip, ib, b.hdr_len, b.ib_len);
		crc = swhca_icrc_update(crc, ib + b.hdr_len, end - b.hdr_len);
		swhca_icrc_put(crc, ib + end);
		if (memcmp(again, b.bytes, b.len) != 0)
			print_error("%s\n", rxe_packets[i].name);
		assert_memory_equal(again, b.bytes, b.len);
	}
}

CASE(their_icrc_is_right_and_no_other)
{
	uint16_t id = 0;
	struct bytes b;

	for (size_t i = 0; i < NB_PACKETS; i++) {
		packet_read(&rxe_packets[i], &b);
		assert_true(swhca_icrc_is_right(&b.ip, b.ib, b.ib_len));
		assert_true(swhca_icrc_find_id(&b.ip, b.ib, b.ib_len, &id));
		assert_int_equal(id, b.ip.id);
		b.bytes[IP_UDP_LEN + i % b.ib_len] ^= 0x08;
		/* Of the byte of congestion marks none is counted. */
		if (i % b.ib_len != 4)
			assert_false(swhca_icrc_is_right(&b.ip, b.ib, b.ib_len));
	}
}

/* Every opcode of the three services but those with a key to invalidate. */
CASE(they_are_of_all_kinds)
{
	uint32_t seen[8] = { 0 };
	struct bytes b;

	for (size_t i = 0; i < NB_PACKETS; i++) {
		packet_read(&rxe_packets[i], &b);
		seen[b.pkt.opcode / 32] |= 1u << b.pkt.opcode % 32;
	}
	assert_int_equal(seen[SWHCA_TRANSPORT_RC / 32], 0x1fffff);
	assert_int_equal(seen[SWHCA_TRANSPORT_UC / 32], 0xfff);
	assert_int_equal(seen[SWHCA_TRANSPORT_UD / 32], 0x30);
}
