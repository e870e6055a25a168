/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * IP headers and ICRCs, held against others' packets: those that scapy's tests of its RoCE layer
 * have as examples (test/contrib/roce.uts).
 */

#include "cases.h"
#include "wire/packet/bytes.h"
#include "wire/packet/icrc.h"
#include "wire/packet/packet.h"

/* A congestion notification that a ConnectX-4 Lx sent, from its IP header on. */
static const uint8_t cx4_cnp[] = {
	0x45, 0xc2, 0x00, 0x3c, 0x71, 0x8c, 0x40, 0x00, 0x40, 0x11, 0x91, 0x61, 0x0a, 0x00, 0x11,
	0x01, 0x0a, 0x00, 0x12, 0x01, 0x00, 0x00, 0x12, 0xb7, 0x00, 0x28, 0x00, 0x00, 0x81, 0x00,
	0xff, 0xff, 0x40, 0x00, 0x01, 0x18, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x82, 0xfd, 0x00, 0x2a,
};

/* A UC SEND ONLY of 18 bytes and two of padding. */
static const uint8_t uc_send[] = {
	0x45, 0x01, 0x00, 0x40, 0x04, 0x78, 0x40, 0x00, 0x40, 0x11, 0xb4, 0xd5, 0xc0, 0xa8, 0x00,
	0x07, 0xc0, 0xa8, 0x00, 0x07, 0xc0, 0x00, 0x12, 0xb7, 0x00, 0x2c, 0x00, 0x00, 0x24, 0x60,
	0xff, 0xff, 0x00, 0x00, 0x00, 0xd3, 0x00, 0xcf, 0x17, 0x10, 0x46, 0x30, 0x81, 0x8b, 0xe2,
	0x89, 0x35, 0xd9, 0x0e, 0x9a, 0x95, 0x50, 0x54, 0x01, 0xbe, 0x88, 0x5e, 0x50, 0x00, 0x00,
	0x78, 0xf3, 0x53, 0xf3,
};

struct capture {
	const uint8_t *bytes;
	size_t len;
	uint8_t opcode;
	uint32_t qpn, psn;
	uint16_t id, payload_len;
};

static const struct capture captures[] = {
	{ cx4_cnp, sizeof(cx4_cnp), SWHCA_OPCODE_CNP, 0x118, 0, 0x718c, 0 },
	{ uc_send, sizeof(uc_send), 0x24, 211, 13571856, 1144, 18 },
};

#define NB_CAPTURES (NB_OF(captures))

CASE(captures_are_read_and_built_again)
{
	uint8_t ip_again[SWHCA_IP_UDP_MAX], again[SWHCA_HDRS_MAX], end[SWHCA_ICRC_LEN];
	const struct capture *c;
	struct swhca_packet_ip ip;
	struct swhca_packet pkt;
	const uint8_t *ib;
	size_t ib_len;
	uint32_t crc;
	int len;

	for (c = captures; c < captures + NB_CAPTURES; c++) {
		assert_int_equal(swhca_packet_ip_parse(c->bytes, c->len, &ip, &ib_len), 28);
		assert_int_equal(ib_len, c->len - 28);
		assert_int_equal(ip.id, c->id);
		assert_true(ip.is_df);
		assert_int_equal(swhca_packet_ip_build(&ip, ib_len, ip_again, 28), 28);
		assert_memory_equal(ip_again, c->bytes, 28);
		ib = c->bytes + 28;
		len = swhca_packet_parse(ib, ib_len, &pkt);
		assert_int_equal(len, swhca_opcode_info(c->opcode)->hdr_len);
		assert_int_equal(pkt.dst_qpn, c->qpn);
		assert_int_equal(pkt.psn, c->psn);
		assert_int_equal(pkt.payload_len, c->payload_len);
		assert_int_equal(swhca_packet_build(&pkt, again, sizeof(again)), len);
		assert_memory_equal(again, ib, (size_t)len);

		crc = swhca_icrc_begin(&ip, again, (size_t)len, swhca_packet_len(&pkt));
		crc = swhca_icrc_update(crc, ib + len, ib_len - (size_t)len - SWHCA_ICRC_LEN);
		swhca_icrc_put(crc, end);
		assert_memory_equal(end, ib + ib_len - SWHCA_ICRC_LEN, SWHCA_ICRC_LEN);
		assert_true(swhca_icrc_is_right(&ip, ib, ib_len));
	}
}

/* What routers change does not matter, any other bit does. */
CASE(bits_count_unless_they_vary)
{
	uint8_t bytes[sizeof(uc_send)];
	struct swhca_packet_ip ip;
	size_t i, ib_len, nb_free = 0;
	bool is_right;
	int ip_len;

	for (i = 0; i < 8 * sizeof(bytes); i++) {
		/* Version, lengths, protocol and checksums are the parser's. */
		memcpy(bytes, uc_send, sizeof(bytes));
		ip_len = swhca_packet_ip_parse(bytes, sizeof(bytes), &ip, &ib_len);
		assert_int_equal(ip_len, 28);
		if (i / 8 < 28)
			continue;
		bytes[i / 8] ^= (uint8_t)(1u << i % 8);
		is_right = swhca_icrc_is_right(&ip, bytes + ip_len, ib_len);
		nb_free += is_right;
		assert_int_equal(is_right, i / 8 == 28 + 4);
	}
	assert_int_equal(nb_free, 8);
	ip.tclass ^= 0xff;
	ip.hop_limit ^= 0xff;
	ip.flow_label ^= 0xff;
	assert_true(swhca_icrc_is_right(&ip, uc_send + 28, ib_len));
	ip.src_port ^= 1;
	assert_false(swhca_icrc_is_right(&ip, uc_send + 28, ib_len));
	ip.src_port ^= 1;
	ip.is_df = false;
	assert_false(swhca_icrc_is_right(&ip, uc_send + 28, ib_len));
	assert_false(swhca_icrc_is_right(&ip, uc_send + 28, 15));
}

/* A socket does not tell the identification: it follows from the ICRC, as long as that is right. */
CASE(identification_is_found)
{
	uint8_t bytes[sizeof(uc_send)];
	const struct capture *c;
	struct swhca_packet_ip ip;
	uint16_t id = 7, nb_found = 0;
	size_t i, ib_len;

	for (c = captures; c < captures + NB_CAPTURES; c++) {
		assert_int_equal(swhca_packet_ip_parse(c->bytes, c->len, &ip, &ib_len), 28);
		ip.id = 0xabcd;
		assert_true(swhca_icrc_find_id(&ip, c->bytes + 28, ib_len, &id));
		assert_int_equal(id, c->id);
	}
	for (i = 8 * 28; i < 8 * sizeof(bytes); i++) {
		if (i / 8 == 28 + 4)
			continue;
		memcpy(bytes, uc_send, sizeof(bytes));
		bytes[i / 8] ^= (uint8_t)(1u << i % 8);
		nb_found += swhca_icrc_find_id(&ip, bytes + 28, ib_len, &id);
	}
	assert_int_equal(nb_found, 0);
	assert_false(swhca_icrc_find_id(&ip, uc_send + 28, 12, &id));
}

/* Any number, any length: build, and find it. */
CASE(every_identification_is_found)
{
	struct swhca_packet_ip ip = { .src_port = 0xc001, .is_df = true };
	uint8_t *buf = calloc(1, 12 + 4096 + 4);
	struct swhca_packet pkt = { .opcode = 0x04, .pkey = 0xffff, .psn = 5 };
	uint16_t found = 0;
	size_t len;

	assert_non_null(buf);
	memset(ip.sgid + 10, 0xff, 2);
	memset(ip.dgid + 10, 0xff, 2);
	for (unsigned int id = 0; id < 65536; id += 97) {
		pkt.payload_len = (uint16_t)(id % 4097);
		assert_int_equal(swhca_packet_build(&pkt, buf, 12), 12);
		len = swhca_packet_len(&pkt);
		ip.id = (uint16_t)id;
		swhca_icrc_put(swhca_icrc_begin(&ip, buf, len - 4, len), buf + len - 4);
		ip.id = (uint16_t)~id;
		assert_true(swhca_icrc_find_id(&ip, buf, len, &found));
		assert_int_equal(found, id);
	}
	free(buf);
}

/* The CRC-32 of the bytes that annex A17 counts, one bit after the other. */
static uint32_t
crc32_slow(const uint8_t *data, size_t len)
{
	uint32_t crc = UINT32_MAX;

	for (; len > 0; len--, data++) {
		crc ^= *data;
		for (unsigned int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320u : 0);
	}
	return ~crc;
}

CASE(ipv6_has_its_own_mask)
{
	struct swhca_packet_ip ip = { .src_port = 0xd00d, .tclass = 0xa5, .hop_limit = 63,
				      .flow_label = 0x12345 }, parsed;
	struct swhca_packet pkt = { .opcode = 0x64, .pkey = 0xffff, .src_qpn = 1, .qkey = 2 };
	uint8_t bytes[48 + 20 + 4], masked[8 + sizeof(bytes)];
	uint16_t id = 1;
	size_t ib_len;

	ip.sgid[0] = ip.dgid[0] = 0xfe;
	ip.sgid[1] = ip.dgid[1] = 0x80;
	ip.dgid[15] = 1;
	assert_int_equal(swhca_packet_ip_build(&ip, 24, bytes, 48), 48);
	assert_memory_equal(bytes, "\x6a\x51\x23\x45\x00\x20\x11\x3f", 8);
	assert_int_equal(swhca_packet_build(&pkt, bytes + 48, 20), 20);
	memset(masked, 0xff, 8);
	memcpy(masked + 8, bytes, 68);
	masked[8] = 0x6f;
	memset(masked + 9, 0xff, 3);
	masked[8 + 7] = 0xff;
	memset(masked + 8 + 46, 0xff, 2);
	masked[8 + 48 + 4] = 0xff;
	swhca_icrc_put(crc32_slow(masked, 8 + 68), bytes + 68);
	assert_true(swhca_icrc_is_right(&ip, bytes + 48, 24));
	assert_int_equal(swhca_packet_ip_parse(bytes, sizeof(bytes), &parsed, &ib_len), 48);
	assert_int_equal(ib_len, 24);
	assert_memory_equal(parsed.sgid, ip.sgid, 16);
	assert_memory_equal(parsed.dgid, ip.dgid, 16);
	assert_int_equal(parsed.src_port, ip.src_port);
	assert_int_equal(parsed.tclass, ip.tclass);
	assert_int_equal(parsed.hop_limit, ip.hop_limit);
	assert_int_equal(parsed.flow_label, ip.flow_label);
	assert_true(swhca_icrc_find_id(&ip, bytes + 48, 24, &id));
	assert_int_equal(id, 0);
	bytes[70] ^= 1;
	assert_false(swhca_icrc_find_id(&ip, bytes + 48, 24, &id));
}

CASE(other_ip_packets_are_refused)
{
	uint8_t bytes[sizeof(uc_send) + 6];
	struct swhca_packet_ip ip;
	size_t ib_len, len;

	memset(bytes, 0, sizeof(bytes));
#define WITH(at, value, ret)                                                                       \
	do {                                                                                       \
		memcpy(bytes, uc_send, sizeof(uc_send));                                           \
		bytes[at] = (value);                                                               \
		assert_int_equal(swhca_packet_ip_parse(bytes, sizeof(bytes), &ip, &ib_len), ret);  \
	} while (0)
	WITH(0, 0x45, 28);			/* behind it is padding of Ethernet */
	assert_int_equal(ib_len, sizeof(uc_send) - 28);
	WITH(0, 0x46, -EPROTONOSUPPORT);	/* options */
	WITH(0, 0x55, -EPROTONOSUPPORT);
	WITH(0, 0x65, -EPROTONOSUPPORT);
	WITH(6, 0x60, -EPROTONOSUPPORT);	/* more fragments */
	WITH(7, 0x01, -EPROTONOSUPPORT);	/* not the first one */
	WITH(6, 0xc0, -EPROTONOSUPPORT);	/* reserved */
	WITH(9, 6, -EPROTONOSUPPORT);
	WITH(23, 0xb6, -EPROTONOSUPPORT);	/* port */
	WITH(8, 0x3f, -EBADMSG);		/* checksum */
	WITH(3, 0x41, -EBADMSG);
	WITH(25, 0x2b, -EBADMSG);		/* length of UDP */
#undef WITH
	for (len = 0; len < sizeof(uc_send); len++)
		assert_int_equal(swhca_packet_ip_parse(uc_send, len, &ip, &ib_len), -EBADMSG);
	memset(ip.sgid, 1, 16);
	assert_int_equal(swhca_packet_ip_build(&ip, 16, bytes, sizeof(bytes)), -EINVAL);
	memset(ip.dgid, 1, 16);
	assert_int_equal(swhca_packet_ip_build(&ip, 16, bytes, 47), -ENOSPC);
	assert_int_equal(swhca_packet_ip_build(&ip, 65508, bytes, 48), -EMSGSIZE);
	ip.flow_label = 0x100000;
	assert_int_equal(swhca_packet_ip_build(&ip, 16, bytes, 48), -EINVAL);
}

/* IBTA A17.4.5.1: an IPv4 header is in the second half. */
CASE(receive_buffers_begin_with_the_ip_header)
{
	static const uint8_t zeros[20];
	uint8_t grh[SWHCA_PACKET_GRH_LEN];
	struct swhca_packet_ip ip;
	size_t ib_len;

	assert_int_equal(swhca_packet_ip_parse(uc_send, sizeof(uc_send), &ip, &ib_len), 28);
	memset(grh, 0x5a, sizeof(grh));
	swhca_packet_grh(&ip, ib_len, grh);
	assert_memory_equal(grh, zeros, 20);
	assert_memory_equal(grh + 20, uc_send, 20);
	memset(ip.sgid, 0x11, 16);
	memset(ip.dgid, 0x22, 16);
	swhca_packet_grh(&ip, ib_len, grh);
	assert_memory_equal(grh, "\x60\x10\x00\x00\x00\x2c\x11\x40", 8);
	assert_memory_equal(grh + 8, ip.sgid, 16);
	assert_memory_equal(grh + 24, ip.dgid, 16);
}
