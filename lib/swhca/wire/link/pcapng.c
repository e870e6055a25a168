/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <string.h>

#include "include/gid.h"
#include "wire/link/pcapng.h"
#include "wire/packet/bytes.h"

/* Block types, and fields of the section header. */
#define BLOCK_IDB 1u
#define BLOCK_EPB 6u
#define BYTE_ORDER_MAGIC 0x1a2b3c4du
#define VERSION_MAJOR 1u
#define VERSION_MINOR 0u
/* IPv4 or IPv6, selected by the first byte. */
#define LINKTYPE_RAW 101u
/* Options: of any block, of section headers, of interfaces, of packets. */
#define OPT_END 0u
#define SHB_USERAPPL 4u
#define IF_NAME 2u
#define IF_DESCRIPTION 3u
#define IF_TSRESOL 9u
#define EPB_FLAGS 2u
#define EPB_INBOUND 1u
#define EPB_OUTBOUND 2u
#define TSRESOL_NS 9u
#define TEXT_MAX 127u
#define EPB_HEAD_LEN 28u
#define UDP_CHECKSUM_OFFSET 6u
#define IP_PROTO_UDP 17u

/* A block being written. */
struct block {
	uint8_t *buf;
	size_t len;
};

static void
put16(struct block *block, uint16_t value)
{
	memcpy(block->buf + block->len, &value, sizeof(value));
	block->len += sizeof(value);
}

static void
put32(struct block *block, uint32_t value)
{
	memcpy(block->buf + block->len, &value, sizeof(value));
	block->len += sizeof(value);
}

static size_t
pad_of(size_t len)
{
	return -len & 3u;
}

static void
put_bytes(struct block *block, const void *bytes, size_t len)
{
	memcpy(block->buf + block->len, bytes, len);
	memset(block->buf + block->len + len, 0, pad_of(len));
	block->len += len + pad_of(len);
}

static void
put_option(struct block *block, uint16_t code, const void *value, size_t len)
{
	put16(block, code);
	put16(block, (uint16_t)len);
	put_bytes(block, value, len);
}

/* The length of a block is at both ends. */
static size_t
block_end(struct block *block)
{
	uint32_t len = (uint32_t)(block->len + sizeof(len));

	memcpy(block->buf + 4, &len, sizeof(len));
	put32(block, len);
	return block->len;
}

size_t
swhca_pcapng_shb(uint8_t buf[SWHCA_PCAPNG_SHB_MAX])
{
	struct block block = { .buf = buf };

	put32(&block, SWHCA_PCAPNG_SHB);
	put32(&block, 0);
	put32(&block, BYTE_ORDER_MAGIC);
	put16(&block, VERSION_MAJOR);
	put16(&block, VERSION_MINOR);
	/* Length of the section: unknown. */
	put32(&block, UINT32_MAX);
	put32(&block, UINT32_MAX);
	put_option(&block, SHB_USERAPPL, "swhca", strlen("swhca"));
	put_option(&block, OPT_END, "", 0);
	return block_end(&block);
}

size_t
swhca_pcapng_idb(const char *name, const char *description, uint8_t buf[SWHCA_PCAPNG_IDB_MAX])
{
	static const uint8_t tsresol = TSRESOL_NS;
	struct block block = { .buf = buf };

	put32(&block, BLOCK_IDB);
	put32(&block, 0);
	put16(&block, LINKTYPE_RAW);
	put16(&block, 0);
	/* No packet is truncated. */
	put32(&block, 0);
	put_option(&block, IF_NAME, name, strnlen(name, TEXT_MAX));
	put_option(&block, IF_DESCRIPTION, description, strnlen(description, TEXT_MAX));
	put_option(&block, IF_TSRESOL, &tsresol, sizeof(tsresol));
	put_option(&block, OPT_END, "", 0);
	return block_end(&block);
}

static uint64_t
sum_add(uint64_t sum, const uint8_t *bytes, size_t len)
{
	size_t i;

	for (i = 0; i + 2 <= len; i += 2)
		sum += swhca_get_be16(bytes + i);
	return len % 2 == 0 ? sum : sum + (uint64_t)bytes[len - 1] * 256;
}

/* RFC 8200, 8.1: IPv6 requires a checksum, and readers of the file check it. */
static void
ipv6_checksum_put(const struct swhca_pcapng_packet *packet, uint8_t *udp)
{
	uint64_t sum = IP_PROTO_UDP + SWHCA_UDP_LEN + packet->len;

	sum = sum_add(sum, packet->ip->sgid, 16);
	sum = sum_add(sum, packet->ip->dgid, 16);
	sum = sum_add(sum, udp, SWHCA_UDP_LEN);
	sum = sum_add(sum, packet->data, packet->len);
	while (sum > UINT16_MAX)
		sum = (sum & UINT16_MAX) + (sum >> 16);
	sum = ~sum & UINT16_MAX;
	swhca_put_be16(udp + UDP_CHECKSUM_OFFSET, sum == 0 ? UINT16_MAX : (uint16_t)sum);
}

int
swhca_pcapng_head(const struct swhca_pcapng_packet *packet, uint8_t buf[SWHCA_PCAPNG_HEAD_MAX])
{
	struct block block = { .buf = buf };
	uint8_t *ip = buf + EPB_HEAD_LEN, tail[SWHCA_PCAPNG_TAIL_MAX];
	uint32_t len;
	int ret;

	ret = swhca_packet_ip_build(packet->ip, packet->len, ip, SWHCA_IP_UDP_MAX);
	if (ret < 0)
		return ret;
	if (!swhca_gid_is_ipv4(packet->ip->dgid))
		ipv6_checksum_put(packet, ip + ret - SWHCA_UDP_LEN);
	len = (uint32_t)ret + packet->len;
	put32(&block, BLOCK_EPB);
	put32(&block, (uint32_t)(EPB_HEAD_LEN + len + swhca_pcapng_tail(packet, tail)));
	put32(&block, packet->interface);
	put32(&block, (uint32_t)(packet->time_ns >> 32));
	put32(&block, (uint32_t)packet->time_ns);
	put32(&block, len);
	put32(&block, len);
	return (int)EPB_HEAD_LEN + ret;
}

size_t
swhca_pcapng_tail(const struct swhca_pcapng_packet *packet, uint8_t buf[SWHCA_PCAPNG_TAIL_MAX])
{
	uint32_t flags = packet->is_outbound ? EPB_OUTBOUND : EPB_INBOUND;
	/* IP and UDP headers are a multiple of 4. */
	size_t pad = pad_of(packet->len);
	struct block block = { .buf = buf, .len = pad };

	memset(buf, 0, pad);
	put_option(&block, EPB_FLAGS, &flags, sizeof(flags));
	put_option(&block, OPT_END, "", 0);
	put32(&block, (uint32_t)(EPB_HEAD_LEN + swhca_packet_ip_len(packet->ip) + packet->len +
				 block.len + sizeof(uint32_t)));
	return block.len;
}
