/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Packets: an input is one from its IP header on, and one from its BTH on. What is read can be
 * built again, and is the same but for reserved bits.
 */

#include "fuzz.h"
#include "wire/packet/aeth.h"
#include "wire/packet/icrc.h"
#include "wire/packet/packet.h"

/* Reserved: of the BTH, and of the headers that name a queue (IBTA vol. 1, 9.2, 9.3; packet.h). */
static void
reserved_clear(uint8_t *hdrs, uint16_t headers)
{
	hdrs[4] &= 0xc0;
	hdrs[8] &= 0x80;
	if ((headers & SWHCA_HDR_XRCETH) != 0)
		hdrs[SWHCA_BTH_LEN] = 0;
	if ((headers & SWHCA_HDR_DCETH) != 0)
		hdrs[SWHCA_BTH_LEN + 8] &= 0x80;
	if ((headers & SWHCA_HDR_DETH) != 0)
		hdrs[SWHCA_BTH_LEN + 4] = 0;
	if ((headers & SWHCA_HDR_CNP) != 0)
		memset(hdrs + SWHCA_BTH_LEN, 0, SWHCA_CNP_LEN);
}

static void
packet_try(const uint8_t *data, size_t size)
{
	uint8_t built[SWHCA_HDRS_MAX], expected[SWHCA_HDRS_MAX];
	struct swhca_packet pkt;
	uint8_t *exact;
	int len;

	/* Of its own, so that a sanitizer sees a byte too far. */
	exact = malloc(size == 0 ? 1 : size);
	FUZZ_NEED(exact != NULL);
	memcpy(exact, data, size);
	len = swhca_packet_parse(exact, size, &pkt);
	free(exact);
	if (len < 0)
		return;
	FUZZ_NEED(swhca_packet_len(&pkt) == size);
	FUZZ_NEED(swhca_packet_build(&pkt, built, sizeof(built)) == len);
	memcpy(expected, data, (size_t)len);
	reserved_clear(expected, swhca_opcode_info(pkt.opcode)->headers);
	FUZZ_NEED(memcmp(built, expected, (size_t)len) == 0);
	FUZZ_NEED(swhca_packet_fits_mtu(&pkt, pkt.payload_len));
	FUZZ_NEED(swhca_aeth_kind(pkt.syndrome) <= SWHCA_AETH_NAK);
}

/* A packet with its own ICRC is right, and its identification is found. */
static void
icrc_try(const struct swhca_packet_ip *ip, const uint8_t *data, size_t size)
{
	struct swhca_packet_ip other = *ip;
	uint8_t *copy;
	uint16_t id = 0;

	if (size < SWHCA_BTH_LEN + SWHCA_ICRC_LEN) {
		FUZZ_NEED(!swhca_icrc_is_right(ip, data, size));
		FUZZ_NEED(!swhca_icrc_find_id(ip, data, size, &id));
		return;
	}
	copy = malloc(size);
	FUZZ_NEED(copy != NULL);
	memcpy(copy, data, size);
	swhca_icrc_put(swhca_icrc_begin(ip, copy, size - SWHCA_ICRC_LEN, size),
		       copy + size - SWHCA_ICRC_LEN);
	FUZZ_NEED(swhca_icrc_is_right(ip, copy, size));
	other.id = (uint16_t)~ip->id;
	FUZZ_NEED(swhca_icrc_find_id(&other, copy, size, &id) && id == ip->id);
	copy[size - 1] ^= 0x10;
	FUZZ_NEED(!swhca_icrc_is_right(ip, copy, size));
	free(copy);
}

static void
datagram_try(const uint8_t *data, size_t size)
{
	uint8_t built[SWHCA_IP_UDP_MAX], expected[SWHCA_IP_UDP_MAX];
	uint8_t grh[SWHCA_PACKET_GRH_LEN];
	struct swhca_packet_ip ip;
	size_t ib_len;
	int len;

	len = swhca_packet_ip_parse(data, size, &ip, &ib_len);
	if (len < 0)
		return;
	FUZZ_NEED((size_t)len + ib_len <= size);
	FUZZ_NEED(swhca_packet_ip_build(&ip, ib_len, built, sizeof(built)) == len);
	memcpy(expected, data, (size_t)len);
	memset(expected + len - 2, 0, 2);	/* checksum of UDP */
	if (len == (int)(SWHCA_IPV4_LEN + SWHCA_UDP_LEN)) {
		/* 0xffff is a sum of zero, too. */
		memcpy(expected + 10, built + 10, 2);
	}
	FUZZ_NEED(memcmp(built, expected, (size_t)len) == 0);
	swhca_packet_grh(&ip, ib_len, grh);
	icrc_try(&ip, data + len, ib_len);
	packet_try(data + len, ib_len);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	datagram_try(data, size);
	packet_try(data, size);
	return 0;
}
