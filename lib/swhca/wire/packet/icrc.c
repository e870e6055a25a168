/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* ISA-L computes it, by carry-less multiplication if the CPU supports it. */

#include <isa-l/crc.h>

#include "include/gid.h"
#include "wire/packet/bytes.h"
#include "wire/packet/icrc.h"
#include "wire/packet/opcode.h"

#define LRH_LEN		8u
#define BTH_RESV8A	4u	/* byte of the BTH */
#define IPV4_ID		4u	/* bytes of the IPv4 header */
#define IPV4_TOS	1u
#define IPV4_TTL	8u
#define IPV4_CHECKSUM	10u
#define IPV6_HOP_LIMIT	7u
#define UDP_CHECKSUM	6u

/* CRC-32 of Ethernet, bits reversed; the highest bit of a remainder is that of x^0. */
#define CRC32_POLY	0xedb88320u
#define CRC32_ONE	0x80000000u

static void
ip_mask(const struct swhca_packet_ip *ip, uint8_t *hdr, size_t len)
{
	if (swhca_gid_is_ipv4(ip->dgid)) {
		hdr[IPV4_TOS] = 0xff;
		hdr[IPV4_TTL] = 0xff;
		memset(hdr + IPV4_CHECKSUM, 0xff, 2);
	} else {
		/* all of the first word except the version */
		hdr[0] |= 0x0f;
		memset(hdr + 1, 0xff, 3);
		hdr[IPV6_HOP_LIMIT] = 0xff;
	}
	memset(hdr + len - SWHCA_UDP_LEN + UDP_CHECKSUM, 0xff, 2);
}

uint32_t
swhca_icrc_begin(const struct swhca_packet_ip *ip, const uint8_t *hdrs, size_t hdr_len,
		 size_t ib_len)
{
	uint8_t head[LRH_LEN + SWHCA_IP_UDP_MAX + SWHCA_BTH_LEN];
	struct swhca_packet_ip masked = *ip;
	uint8_t *at = head + LRH_LEN;
	int ip_len;

	masked.flow_label = 0;
	memset(head, 0xff, LRH_LEN);
	ip_len = swhca_packet_ip_build(&masked, ib_len, at, SWHCA_IP_UDP_MAX);
	if (ip_len < 0)
		ip_len = 0;	/* No packet that can be sent has this length: the sum is wrong. */
	else
		ip_mask(ip, at, (size_t)ip_len);
	at += ip_len;
	memcpy(at, hdrs, SWHCA_BTH_LEN);
	at[BTH_RESV8A] = 0xff;
	at += SWHCA_BTH_LEN;
	return swhca_icrc_update(crc32_gzip_refl(0, head, (uint64_t)(at - head)),
				 hdrs + SWHCA_BTH_LEN, hdr_len - SWHCA_BTH_LEN);
}

uint32_t
swhca_icrc_update(uint32_t crc, const uint8_t *data, size_t len)
{
	return len == 0 ? crc : crc32_gzip_refl(crc, data, len);
}

void
swhca_icrc_put(uint32_t crc, uint8_t *dst)
{
	crc = htole32(crc);
	memcpy(dst, &crc, sizeof(crc));
}

/* Difference between the ICRC of a packet and the correct one. */
static bool
icrc_diff(const struct swhca_packet_ip *ip, const uint8_t *buf, size_t len, uint32_t *diff)
{
	uint32_t has;

	if (len < SWHCA_BTH_LEN + SWHCA_ICRC_LEN || len > SWHCA_IB_LEN_MAX)
		return false;
	if (swhca_gid_is_ipv4(ip->sgid) != swhca_gid_is_ipv4(ip->dgid))
		return false;
	memcpy(&has, buf + len - SWHCA_ICRC_LEN, sizeof(has));
	*diff = le32toh(has) ^ swhca_icrc_begin(ip, buf, len - SWHCA_ICRC_LEN, len);
	return true;
}

bool
swhca_icrc_is_right(const struct swhca_packet_ip *ip, const uint8_t *buf, size_t len)
{
	uint32_t diff;

	return icrc_diff(ip, buf, len, &diff) && diff == 0;
}

/* Product of two remainders. */
static uint32_t
crc_multiply(uint32_t a, uint32_t b)
{
	uint32_t product = 0, bit;

	for (bit = CRC32_ONE; bit != 0; bit >>= 1) {
		if ((a & bit) != 0)
			product ^= b;
		b = (b & 1) != 0 ? b >> 1 ^ CRC32_POLY : b >> 1;
	}
	return product;
}

/* The remainder that nb zero bytes turn into crc: crc divided by x^8 nb times. */
static uint32_t
crc_rewind(uint32_t crc, size_t nb)
{
	uint32_t factor = CRC32_ONE;
	unsigned int i;

	for (i = 0; i < 8; i++)
		factor = (factor & CRC32_ONE) != 0 ? (factor ^ CRC32_POLY) << 1 | 1 : factor << 1;
	for (; nb != 0; nb >>= 1) {
		if ((nb & 1) != 0)
			crc = crc_multiply(crc, factor);
		factor = crc_multiply(factor, factor);
	}
	return crc;
}

/*
 * A CRC is linear: an identification changes it by the result of shifting its 16 bits through all
 * bytes from there to the end. These steps can be reversed; the result must have 16 bits.
 */
bool
swhca_icrc_find_id(const struct swhca_packet_ip *ip, const uint8_t *buf, size_t len, uint16_t *id)
{
	struct swhca_packet_ip without = *ip;
	uint32_t diff;

	without.id = 0;
	if (!icrc_diff(&without, buf, len, &diff))
		return false;
	if (swhca_gid_is_ipv4(ip->dgid))
		diff = crc_rewind(diff, SWHCA_IPV4_LEN - IPV4_ID + SWHCA_UDP_LEN + len -
						SWHCA_ICRC_LEN);
	else if (diff != 0)
		return false;
	if (diff > UINT16_MAX)
		return false;
	/* Bits of a byte are processed lowest first, and its first byte first. */
	*id = (uint16_t)((diff & 0xff) << 8 | diff >> 8);
	return true;
}
