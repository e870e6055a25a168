/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <string.h>

#include "eth/frame.h"

#define ETHER_TYPE_IPV4		0x0800u
#define ETHER_TYPE_IPV6		0x86ddu
#define ETHER_TYPE_CVLAN	0x8100u
#define ETHER_TYPE_SVLAN	0x88a8u
#define IP_PROTOCOL_TCP		6u
#define IP_PROTOCOL_UDP		17u
#define IPV4_HDR_LEN		20u
#define IPV6_HDR_LEN		40u
#define TCP_HDR_LEN		20u
#define UDP_HDR_LEN		8u
/* IPv4: more fragments, and fragment offset. */
#define IPV4_FRAG_MASK		0x3fffu
/* IPv6 extension headers (RFC 8200, 4.1) that are skipped. */
#define IPV6_EXT_HOP		0u
#define IPV6_EXT_ROUTING	43u
#define IPV6_EXT_FRAGMENT	44u
#define IPV6_EXT_DESTINATION	60u
#define IPV6_MAX_EXTS		8u
#define MAX_TAGS		2u

static uint16_t
get16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static void
put16(uint8_t *at, uint16_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static void
parse_l4(struct swhca_frame *frame, size_t at)
{
	if (frame->is_fragment)
		return;
	if ((frame->ip_protocol == IP_PROTOCOL_TCP && at + TCP_HDR_LEN <= frame->end) ||
	    (frame->ip_protocol == IP_PROTOCOL_UDP && at + UDP_HDR_LEN <= frame->end))
		frame->l4 = at;
}

static void
parse_ipv4(struct swhca_frame *frame, size_t at)
{
	const uint8_t *ip = frame->data + at;
	size_t hdr_len, total_len;

	if (at + IPV4_HDR_LEN > frame->len || ip[0] >> 4 != 4)
		return;
	hdr_len = (size_t)(ip[0] & 0xf) * 4;
	total_len = get16(ip + 2);
	if (hdr_len < IPV4_HDR_LEN || total_len < hdr_len || at + total_len > frame->len)
		return;
	frame->l3 = at;
	frame->end = at + total_len;
	frame->ip_version = 4;
	frame->ip_protocol = ip[9];
	frame->is_fragment = (get16(ip + 6) & IPV4_FRAG_MASK) != 0;
	parse_l4(frame, at + hdr_len);
}

static void
parse_ipv6(struct swhca_frame *frame, size_t at)
{
	const uint8_t *ip = frame->data + at;
	size_t next = at + IPV6_HDR_LEN;
	unsigned int i;

	if (next > frame->len || ip[0] >> 4 != 6 || next + get16(ip + 4) > frame->len)
		return;
	frame->l3 = at;
	frame->end = next + get16(ip + 4);
	frame->ip_version = 6;
	frame->ip_protocol = ip[6];
	for (i = 0; i < IPV6_MAX_EXTS && next + 8 <= frame->end; i++) {
		switch (frame->ip_protocol) {
		case IPV6_EXT_FRAGMENT:
			frame->is_fragment = true;
			frame->ip_protocol = frame->data[next];
			next += 8;
			break;
		case IPV6_EXT_HOP:
		case IPV6_EXT_ROUTING:
		case IPV6_EXT_DESTINATION:
			frame->ip_protocol = frame->data[next];
			next += ((size_t)frame->data[next + 1] + 1) * 8;
			break;
		default:
			parse_l4(frame, next);
			return;
		}
	}
}

void
swhca_frame_parse(struct swhca_frame *frame, const void *data, size_t len)
{
	const uint8_t *bytes = data;
	size_t at = SWHCA_ETH_HDR_LEN - 2;
	unsigned int nb_tags;

	*frame = (struct swhca_frame){ .data = data, .len = len };
	for (nb_tags = 0; nb_tags < MAX_TAGS; nb_tags++) {
		frame->ether_type = get16(bytes + at);
		if ((frame->ether_type != ETHER_TYPE_CVLAN &&
		     frame->ether_type != ETHER_TYPE_SVLAN) ||
		    at + 2 + SWHCA_VLAN_TAG_LEN > len)
			break;
		if (nb_tags == 0) {
			frame->has_vlan = true;
			frame->tci = get16(bytes + at + 2);
		}
		at += SWHCA_VLAN_TAG_LEN;
		frame->ether_type = get16(bytes + at);
	}
	if (frame->ether_type == ETHER_TYPE_IPV4)
		parse_ipv4(frame, at + 2);
	else if (frame->ether_type == ETHER_TYPE_IPV6)
		parse_ipv6(frame, at + 2);
}

static void
match_l3(const struct swhca_frame *frame, uint8_t *match)
{
	const uint8_t *ip = frame->data + frame->l3;

	prm_set(match, PRM_MATCH_IP_VERSION, frame->ip_version);
	prm_set(match, PRM_MATCH_IP_PROTOCOL, frame->ip_protocol);
	prm_set(match, PRM_MATCH_FRAG, frame->is_fragment);
	if (frame->ip_version == 4) {
		prm_set(match, PRM_MATCH_IP_TOS, ip[1]);
		prm_set(match, PRM_MATCH_TTL, ip[8]);
		/* An IPv4 address is in the last quarter of its field (ipv4_layout). */
		memcpy(match + PRM_MATCH_SRC_IP_BYTE + 12, ip + 12, 4);
		memcpy(match + PRM_MATCH_DST_IP_BYTE + 12, ip + 16, 4);
		return;
	}
	prm_set(match, PRM_MATCH_IP_TOS, get16(ip) >> 4 & 0xff);
	prm_set(match, PRM_MATCH_TTL, ip[7]);
	memcpy(match + PRM_MATCH_SRC_IP_BYTE, ip + 8, 16);
	memcpy(match + PRM_MATCH_DST_IP_BYTE, ip + 24, 16);
}

void
swhca_frame_match(const struct swhca_frame *frame, uint8_t *match)
{
	const uint8_t *l4 = frame->data + frame->l4;
	uint16_t tag_type = get16(frame->data + SWHCA_ETH_HDR_LEN - 2);

	memset(match, 0, PRM_MATCH_OUTER_SIZE);
	memcpy(match + PRM_MATCH_DMAC_BYTE, frame->data, 6);
	memcpy(match + PRM_MATCH_SMAC_BYTE, frame->data + 6, 6);
	prm_set(match, PRM_MATCH_ETHERTYPE, frame->ether_type);
	if (frame->has_vlan) {
		prm_set(match, PRM_MATCH_FIRST_TCI, frame->tci);
		prm_set(match, PRM_MATCH_CVLAN_TAG, tag_type == ETHER_TYPE_CVLAN);
		prm_set(match, PRM_MATCH_SVLAN_TAG, tag_type == ETHER_TYPE_SVLAN);
	}
	if (frame->l3 != 0)
		match_l3(frame, match);
	if (frame->l4 == 0)
		return;
	if (frame->ip_protocol == IP_PROTOCOL_TCP) {
		prm_set(match, PRM_MATCH_TCP_SPORT, get16(l4));
		prm_set(match, PRM_MATCH_TCP_DPORT, get16(l4 + 2));
		prm_set(match, PRM_MATCH_TCP_FLAGS, get16(l4 + 12) & 0x1ff);
	} else {
		prm_set(match, PRM_MATCH_UDP_SPORT, get16(l4));
		prm_set(match, PRM_MATCH_UDP_DPORT, get16(l4 + 2));
	}
}

/* Add the 16-bit words of bytes, the last one padded, to a sum. */
static uint64_t
sum_add(uint64_t sum, const uint8_t *data, size_t len)
{
	size_t i;

	for (i = 0; i + 1 < len; i += 2)
		sum += get16(data + i);
	if (len % 2 != 0)
		sum += (uint64_t)data[len - 1] << 8;
	return sum;
}

static uint16_t
sum_fold(uint64_t sum)
{
	while (sum >> 16 != 0)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

uint16_t
swhca_frame_sum(const uint8_t *data, size_t len)
{
	return sum_fold(sum_add(0, data, len));
}

static size_t
ipv4_hdr_len(const struct swhca_frame *frame)
{
	return (size_t)(frame->data[frame->l3] & 0xf) * 4;
}

/* All ones: correct, including the checksum. IPv6 has none, and is always correct. */
bool
swhca_frame_l3_is_ok(const struct swhca_frame *frame)
{
	if (frame->ip_version != 4)
		return frame->ip_version == 6;
	return swhca_frame_sum(frame->data + frame->l3, ipv4_hdr_len(frame)) == 0xffff;
}

/* Sum of the pseudo header (RFC 793, 3.1; RFC 8200, 8.1), and all bytes after it. */
static uint16_t
l4_sum(const struct swhca_frame *frame)
{
	const uint8_t *ip = frame->data + frame->l3;
	size_t len = frame->end - frame->l4;
	uint64_t sum = len + frame->ip_protocol;

	if (frame->ip_version == 4)
		sum = sum_add(sum, ip + 12, 8);
	else
		sum = sum_add(sum, ip + 8, 32);
	return sum_fold(sum_add(sum, frame->data + frame->l4, len));
}

static size_t
l4_sum_at(const struct swhca_frame *frame)
{
	return frame->l4 + (frame->ip_protocol == IP_PROTOCOL_TCP ? 16 : 6);
}

bool
swhca_frame_l4_is_ok(const struct swhca_frame *frame)
{
	if (frame->l4 == 0)
		return false;
	/* RFC 768: no checksum; invalid with IPv6. */
	if (frame->ip_protocol == IP_PROTOCOL_UDP && frame->ip_version == 4 &&
	    get16(frame->data + l4_sum_at(frame)) == 0)
		return true;
	return l4_sum(frame) == 0xffff;
}

void
swhca_frame_set_l3(const struct swhca_frame *frame, uint8_t *data)
{
	if (frame->ip_version != 4)
		return;
	put16(data + frame->l3 + 10, 0);
	put16(data + frame->l3 + 10,
	      (uint16_t)~swhca_frame_sum(data + frame->l3, ipv4_hdr_len(frame)));
}

void
swhca_frame_set_l4(const struct swhca_frame *frame, uint8_t *data)
{
	uint16_t sum;

	if (frame->l4 == 0)
		return;
	put16(data + l4_sum_at(frame), 0);
	sum = (uint16_t)~l4_sum(frame);
	if (sum == 0 && frame->ip_protocol == IP_PROTOCOL_UDP)
		sum = 0xffff;
	put16(data + l4_sum_at(frame), sum);
}
