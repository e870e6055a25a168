/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "eth/frame.h"
#include "eth/offload.h"
#include "eth/switch.h"

/* TCP flags that only the last frame, or only the first frame of a large send keeps. */
#define TCP_FIN		0x01u
#define TCP_PSH		0x08u
#define TCP_CWR		0x80u
#define TCP_FLAGS_BYTE	13u
#define IP_PROTOCOL_TCP	6u

static void
put16(uint8_t *at, size_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static uint32_t
get32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void
put32(uint8_t *at, uint32_t value)
{
	put16(at, value >> 16);
	put16(at + 2, value & 0xffff);
}

/* Fill in checksums, and send. */
static int
frame_send(struct swhca_hca *hca, uint8_t *data, size_t len, uint8_t cs_flags)
{
	struct swhca_frame frame;

	if (len < SWHCA_ETH_HDR_LEN || len > SWHCA_MAX_FRAME)
		return -EMSGSIZE;
	swhca_frame_parse(&frame, data, len);
	if (cs_flags & PRM_WQE_ETH_CS_L4)
		swhca_frame_set_l4(&frame, data);
	if (cs_flags & PRM_WQE_ETH_CS_L3)
		swhca_frame_set_l3(&frame, data);
	swhca_switch_send(hca, data, len);
	return 0;
}

/*
 * Parse the headers of a large send. Its IP length is ignored: an IPv4 header cannot represent 64
 * KiB and more, so software does not set it (Linux: big TCP).
 */
static bool
large_parse(const uint8_t *data, const struct swhca_offload *how, struct swhca_frame *frame)
{
	uint8_t headers[256];
	size_t l3;

	if (how->hdr_len > sizeof(headers) || how->hdr_len < SWHCA_ETH_HDR_LEN)
		return false;
	memcpy(headers, data, how->hdr_len);
	swhca_frame_parse(frame, headers, how->hdr_len);
	l3 = SWHCA_ETH_HDR_LEN + (frame->has_vlan ? SWHCA_VLAN_TAG_LEN : 0);
	if (frame->ether_type == 0x0800 && l3 + 4 <= how->hdr_len)
		put16(headers + l3 + 2, how->hdr_len - l3);
	else if (frame->ether_type == 0x86dd && l3 + 40 <= how->hdr_len)
		put16(headers + l3 + 4, how->hdr_len - l3 - 40);
	swhca_frame_parse(frame, headers, how->hdr_len);
	frame->data = data;
	return frame->l4 != 0 && frame->ip_protocol == IP_PROTOCOL_TCP;
}

/* Adjust the headers of a frame of a large send, after done bytes. */
static void
segment_fix(const struct swhca_frame *large, uint8_t *data, size_t len, size_t done,
	    uint32_t number, bool is_last)
{
	uint8_t *ip = data + large->l3;
	uint8_t *tcp = data + large->l4;

	if (large->ip_version == 4) {
		put16(ip + 2, len - large->l3);
		put16(ip + 4, ((size_t)ip[4] << 8 | ip[5]) + number);
	} else {
		put16(ip + 4, len - large->l3 - 40);
	}
	put32(tcp + 4, get32(tcp + 4) + (uint32_t)done);
	if (!is_last)
		tcp[TCP_FLAGS_BYTE] &= (uint8_t)~(TCP_FIN | TCP_PSH);
	if (number != 0)
		tcp[TCP_FLAGS_BYTE] &= (uint8_t)~TCP_CWR;
}

static int
large_send(struct swhca_hca *hca, const uint8_t *data, size_t len, const struct swhca_offload *how)
{
	uint8_t cs_flags = PRM_WQE_ETH_CS_L3 | PRM_WQE_ETH_CS_L4;
	uint8_t *segment = hca->fabric->frame_seg;
	size_t hdr_len = how->hdr_len;
	size_t at, part, done = 0;
	struct swhca_frame large;
	uint32_t number;
	int ret = 0;

	if (hdr_len >= len || hdr_len + how->mss > SWHCA_MAX_FRAME ||
	    !large_parse(data, how, &large))
		return -EINVAL;
	for (number = 0; done < len - hdr_len && ret == 0; number++) {
		at = hdr_len + done;
		part = len - at < how->mss ? len - at : how->mss;
		memcpy(segment, data, hdr_len);
		memcpy(segment + hdr_len, data + at, part);
		segment_fix(&large, segment, hdr_len + part, done, number, at + part == len);
		ret = frame_send(hca, segment, hdr_len + part, cs_flags);
		done += part;
		hca->fabric->cost += SWHCA_COST_WQE + part;
	}
	return ret;
}

int
swhca_offload_send(struct swhca_hca *hca, uint8_t *data, size_t len,
		   const struct swhca_offload *how)
{
	struct swhca_offload tagged = *how;

	if (len < SWHCA_ETH_HDR_LEN)
		return -EMSGSIZE;
	if (how->vlan_type != 0) {
		data -= SWHCA_VLAN_TAG_LEN;
		len += SWHCA_VLAN_TAG_LEN;
		memmove(data, data + SWHCA_VLAN_TAG_LEN, 12);
		put16(data + 12, how->vlan_type);
		put16(data + 14, how->tci);
		tagged.hdr_len += SWHCA_VLAN_TAG_LEN;
	}
	if (how->mss != 0)
		return large_send(hca, data, len, &tagged);
	return frame_send(hca, data, len, how->cs_flags);
}
