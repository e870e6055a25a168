/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "capture.h"

/* draft-ietf-opsawg-pcap: a header of the file, and one of each record. */
#define PCAP_MAGIC_US	0xa1b2c3d4u
#define PCAP_MAGIC_NS	0xa1b23c4du
#define PCAP_HEADER	24u
#define PCAP_LINK	20u	/* offset of the link type */
#define PCAP_ETHERNET	1u
#define PCAP_RECORD	16u
#define PCAP_CAPLEN	8u	/* offset of the captured length */

#define FNV_BASIS	UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME	UINT64_C(0x100000001b3)

#define ETHER_HEADER	14u
#define VLAN_TAG	4u
#define IPV6_HEADER	40u
#define MAX_EXTENSIONS	5u

static uint32_t
host32(const uint8_t *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

static uint32_t
be16(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 8 | bytes[1];
}

static uint32_t
be32(const uint8_t *bytes)
{
	return be16(bytes) << 16 | be16(bytes + 2);
}

/* Count bytes that were found in the capture. */
static void
same_add(struct capture *capture, const uint8_t *bytes, uint32_t len)
{
	uint32_t i;

	for (i = 0; i < len; i++)
		capture->fnv = (capture->fnv ^ bytes[i]) * FNV_PRIME;
	capture->nb_same += len;
}

void
capture_rewind(struct capture *capture)
{
	capture->at = PCAP_HEADER;
	capture->nb_rest = 0;
	capture->nb_same = 0;
	capture->fnv = FNV_BASIS;
}

/* Return the bytes of the next record, or NULL after the last complete one. */
static const uint8_t *
record_next(struct capture *capture, uint32_t *caplen)
{
	const uint8_t *record = capture->file + capture->at;
	const size_t left = capture->len - capture->at;

	if (left < PCAP_RECORD)
		return NULL;
	*caplen = host32(record + PCAP_CAPLEN);
	if (left - PCAP_RECORD < *caplen)
		return NULL;
	capture->at += PCAP_RECORD + *caplen;
	return record + PCAP_RECORD;
}

/* Read a file into memory. */
static int
file_read(struct capture *capture, const char *path)
{
	struct stat about;
	FILE *file;
	size_t nb;

	if (stat(path, &about) != 0)
		return -errno;
	/* Opening a pipe would block until another process writes. */
	if (!S_ISREG(about.st_mode) || (size_t)about.st_size < PCAP_HEADER)
		return -EPROTO;
	file = fopen(path, "rb");
	if (file == NULL)
		return -errno;
	capture->len = (size_t)about.st_size;
	capture->file = malloc(capture->len);
	nb = capture->file == NULL ? 0 : fread(capture->file, 1, capture->len, file);
	fclose(file);
	if (capture->file == NULL)
		return -ENOMEM;
	return nb == capture->len ? 0 : -EIO;
}

int
capture_open(struct capture *capture, const char *path)
{
	uint32_t caplen;
	int ret;

	memset(capture, 0, sizeof(*capture));
	ret = file_read(capture, path);
	if (ret == 0 && ((host32(capture->file) != PCAP_MAGIC_US &&
			  host32(capture->file) != PCAP_MAGIC_NS) ||
			 host32(capture->file + PCAP_LINK) != PCAP_ETHERNET))
		ret = -EPROTO;
	if (ret != 0) {
		capture_close(capture);
		return ret;
	}
	capture_rewind(capture);
	while (record_next(capture, &caplen) != NULL)
		capture->nb_packets++;
	capture_rewind(capture);
	return 0;
}

void
capture_close(struct capture *capture)
{
	free(capture->file);
	capture->file = NULL;
}

/* Size of the header before the payload. */
static uint32_t
l4_length(uint8_t proto, const uint8_t *l4, uint32_t nb_captured)
{
	switch (proto) {
	case 6:		/* TCP, if its header is complete */
		return nb_captured < 20 ? 0 : (uint32_t)(l4[12] >> 4) * 4;
	case 17:	/* UDP */
		return 8;
	case 132:	/* SCTP */
		return 12;
	default:
		return 0;
	}
}

static bool
parse_ipv4(struct capture_packet *packet, const uint8_t *ip, uint32_t len)
{
	const uint32_t header = len < 20 ? 0 : (ip[0] & 15u) * 4;

	if (header < 20 || ip[0] >> 4 != 4 || be16(ip + 2) < header || be16(ip + 2) > len)
		return false;
	packet->addrs = ip + 12;
	packet->addrs_len = 8;
	packet->body = ip + header;
	packet->nb_body = be16(ip + 2) - header;
	packet->id = be16(ip + 4);
	packet->offset = (be16(ip + 6) & 0x1fff) * 8;
	packet->more = (ip[6] & 0x20) != 0;
	packet->is_fragment = packet->more || packet->offset != 0;
	if (!packet->is_fragment)
		packet->l4_len = l4_length(ip[9], packet->body, len - header);
	return true;
}

static bool
parse_ipv6(struct capture_packet *packet, const uint8_t *ip, uint32_t len)
{
	uint32_t at = IPV6_HEADER, i;
	uint8_t next;

	if (len < IPV6_HEADER || ip[0] >> 4 != 6 || be16(ip + 4) > len - IPV6_HEADER)
		return false;
	packet->addrs = ip + 8;
	packet->addrs_len = 32;
	next = ip[6];
	/*
	 * Hop by hop, routing and destination options, and a fragment header, which is the last
	 * one.
	 */
	for (i = 0; i < MAX_EXTENSIONS && (next == 0 || next == 43 || next == 60 || next == 44) &&
		    !packet->is_fragment; i++) {
		if (len - at < 8)
			return false;
		if (next == 44) {
			packet->is_fragment = true;
			packet->offset = be16(ip + at + 2) & 0xfff8;
			packet->more = (ip[at + 3] & 1) != 0;
			packet->id = be32(ip + at + 4);
		}
		next = ip[at];
		at += packet->is_fragment ? 8 : (ip[at + 1] + 1u) * 8;
		if (at > len)
			return false;
	}
	if (be16(ip + 4) < at - IPV6_HEADER)
		return false;
	packet->body = ip + at;
	packet->nb_body = IPV6_HEADER + be16(ip + 4) - at;
	if (!packet->is_fragment)
		packet->l4_len = l4_length(next, packet->body, len - at);
	return true;
}

bool
capture_next(struct capture *capture, struct capture_packet *packet)
{
	uint32_t len, at = ETHER_HEADER, type;
	const uint8_t *frame = record_next(capture, &len);
	bool is_ip = false;

	if (frame == NULL)
		return false;
	memset(packet, 0, sizeof(*packet));
	if (len < ETHER_HEADER)
		return true;
	type = be16(frame + at - 2);
	/* A service tag is followed by another tag. */
	if (type == 0x88a8)
		at += VLAN_TAG;
	if (type == 0x88a8 || type == 0x8100)
		at += VLAN_TAG;
	if (len < at)
		return true;
	type = be16(frame + at - 2);
	if (type == 0x0800)
		is_ip = parse_ipv4(packet, frame + at, len - at);
	else if (type == 0x86dd)
		is_ip = parse_ipv6(packet, frame + at, len - at);
	packet->ip = is_ip ? frame + at : NULL;
	return true;
}

/* Advance to a packet with payload, unless the current one has some left. */
static bool
rest_fill(struct capture *capture)
{
	struct capture_packet packet;

	while (capture->nb_rest == 0) {
		if (!capture_next(capture, &packet))
			return false;
		if (packet.ip == NULL || packet.nb_body <= packet.l4_len)
			continue;
		capture->rest = packet.body + packet.l4_len;
		capture->nb_rest = packet.nb_body - packet.l4_len;
	}
	return true;
}

bool
capture_take(struct capture *capture, const uint8_t *bytes, uint32_t len)
{
	uint32_t part;

	for (; len > 0; len -= part, bytes += part) {
		if (!rest_fill(capture))
			return false;
		part = capture->nb_rest < len ? capture->nb_rest : len;
		if (memcmp(bytes, capture->rest, part) != 0)
			return false;
		same_add(capture, bytes, part);
		capture->rest += part;
		capture->nb_rest -= part;
	}
	return true;
}

bool
capture_is_taken(struct capture *capture)
{
	return !rest_fill(capture);
}

bool
capture_has_datagram(struct capture *capture, const uint8_t *datagram, uint32_t len, uint32_t id)
{
	struct capture_packet whole = { 0 }, part;
	uint32_t nb_bytes = 0, end = 0;
	bool is_same = true;

	if (len == 0 || !(datagram[0] >> 4 == 4 ? parse_ipv4(&whole, datagram, len) :
						  parse_ipv6(&whole, datagram, len)))
		return false;
	capture->at = PCAP_HEADER;
	while (is_same && capture_next(capture, &part)) {
		if (part.ip == NULL || !part.is_fragment || part.id != id ||
		    part.addrs_len != whole.addrs_len ||
		    memcmp(part.addrs, whole.addrs, part.addrs_len) != 0)
			continue;
		nb_bytes += part.nb_body;
		end = part.more ? end : part.offset + part.nb_body;
		is_same = part.offset + part.nb_body <= whole.nb_body &&
			  memcmp(part.body, whole.body + part.offset, part.nb_body) == 0;
	}
	/* The fragments must cover each byte once, up to the end of the datagram. */
	if (!is_same || nb_bytes != whole.nb_body || end != whole.nb_body)
		return false;
	same_add(capture, whole.body, whole.nb_body);
	return true;
}
