/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Ethernet frames that come in, of which ARP remembers something: an input is a list of frames,
 * each behind its length and the seconds that have passed.
 */

#include "fuzz.h"
#include "wire/link/eth.h"
#include "wire/packet/bytes.h"

#define FRAME_MAX	1514u

static const uint8_t own_ip[4] = { 10, 9, 0, 2 };
static const uint8_t own_gid[16] = { [10] = 0xff, 0xff, 10, 9, 0, 2 };
static const uint8_t own_mac[6] = { 0x02, 0x00, 0x0a, 0x09, 0x00, 0x02 };

/* What is written of a packet lies in its frame, and is of a packet. */
static void
packet_look(const struct swhca_eth *eth, const uint8_t *frame, size_t len,
	    const struct swhca_link_packet *packet)
{
	FUZZ_NEED(packet->has_id);
	FUZZ_NEED(packet->data == frame + SWHCA_ETH_HDRS_LEN);
	FUZZ_NEED(packet->len <= len - SWHCA_ETH_HDRS_LEN);
	FUZZ_NEED(packet->len <= eth->link.mtu);
}

/* Frames of ARP are ours, of one length, and there is an end of them. */
static void
arp_look(struct swhca_eth *eth, uint64_t now_ns)
{
	uint8_t frame[SWHCA_ETHER_MIN];
	unsigned int nb = 0;

	while (swhca_arp_next(&eth->arp, now_ns, frame)) {
		FUZZ_NEED(++nb <= SWHCA_ARP_ENTRIES + 1);
		FUZZ_NEED(memcmp(frame + 6, own_mac, sizeof(own_mac)) == 0);
		FUZZ_NEED(swhca_get_be16(frame + 12) == SWHCA_ETHER_TYPE_ARP);
		FUZZ_NEED(memcmp(frame + 28, own_ip, sizeof(own_ip)) == 0);
	}
	FUZZ_NEED(swhca_arp_deadline(&eth->arp) > now_ns);
}

static void
frame_try(struct swhca_eth *eth, struct fuzz_input *in, uint64_t now_ns)
{
	struct swhca_link_packet packet = { 0 };
	size_t len = fuzz_u16(in);
	uint8_t *exact;

	if (len > in->left)
		len = in->left;
	/* Of its own, so that a sanitizer sees a byte too far. */
	exact = malloc(len == 0 ? 1 : len);
	FUZZ_NEED(exact != NULL);
	fuzz_bytes(in, exact, len);
	if (swhca_eth_take(eth, exact, len, now_ns, &packet) == SWHCA_ETH_PACKET) {
		packet_look(eth, exact, len, &packet);
		/* It is answered. */
		(void)swhca_arp_find(&eth->arp, packet.ip.sgid + 12, now_ns);
	}
	arp_look(eth, now_ns);
	free(exact);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { .data = data, .left = size };
	struct swhca_eth *eth = calloc(1, sizeof(*eth));
	uint64_t now_ns = 1;

	FUZZ_NEED(eth != NULL);
	memcpy(eth->link.gid, own_gid, sizeof(own_gid));
	memcpy(eth->link.mac, own_mac, sizeof(own_mac));
	eth->frame_max = FRAME_MAX;
	eth->link.mtu = FRAME_MAX - SWHCA_ETH_HDRS_LEN;
	swhca_arp_init(&eth->arp, own_ip, own_mac);
	while (in.left != 0) {
		now_ns += (uint64_t)fuzz_u8(&in) * 1000000000u;
		frame_try(eth, &in, now_ns);
	}
	free(eth);
	return 0;
}
