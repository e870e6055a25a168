/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>

#include "include/gid.h"
#include "wire/packet/bytes.h"
#include "wire/packet/ip.h"

#define IPV4_VERSION_IHL	0x45u	/* five words: no options */
#define IPV4_DF			0x4000u
#define IPV4_NOT_DF		0xbfffu	/* reserved; more fragments, and fragment offset */
#define IPV6_VERSION		6u
#define IP_PROTO_UDP		17u
#define FLOW_LABEL_MASK		0xfffffu

/* ::ffff:0:0/96 */
static void
gid_of_ipv4(uint8_t *gid, const uint8_t *addr)
{
	memset(gid, 0, 10);
	memset(gid + 10, 0xff, 2);
	memcpy(gid + 12, addr, 4);
}

/* RFC 1071. 0 for a header including a correct checksum. */
static uint16_t
ipv4_checksum(const uint8_t *hdr)
{
	uint32_t sum = 0, i;

	for (i = 0; i < SWHCA_IPV4_LEN; i += 2)
		sum += swhca_get_be16(hdr + i);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~(sum + (sum >> 16));
}

static void
ipv4_put(const struct swhca_packet_ip *ip, uint16_t udp_len, uint8_t *buf)
{
	buf[0] = IPV4_VERSION_IHL;
	buf[1] = ip->tclass;
	swhca_put_be16(buf + 2, (uint16_t)(SWHCA_IPV4_LEN + udp_len));
	swhca_put_be16(buf + 4, ip->id);
	swhca_put_be16(buf + 6, ip->is_df ? IPV4_DF : 0);
	buf[8] = ip->hop_limit;
	buf[9] = IP_PROTO_UDP;
	swhca_put_be16(buf + 10, 0);
	memcpy(buf + 12, ip->sgid + 12, 4);
	memcpy(buf + 16, ip->dgid + 12, 4);
	swhca_put_be16(buf + 10, ipv4_checksum(buf));
}

static void
ipv6_put(const struct swhca_packet_ip *ip, uint16_t udp_len, uint8_t *buf)
{
	swhca_put_be32(buf, IPV6_VERSION << 28 | (uint32_t)ip->tclass << 20 |
			    (ip->flow_label & FLOW_LABEL_MASK));
	swhca_put_be16(buf + 4, udp_len);
	buf[6] = IP_PROTO_UDP;
	buf[7] = ip->hop_limit;
	memcpy(buf + 8, ip->sgid, 16);
	memcpy(buf + 24, ip->dgid, 16);
}

static void
udp_put(const struct swhca_packet_ip *ip, uint16_t udp_len, uint8_t *buf)
{
	swhca_put_be16(buf, ip->src_port);
	swhca_put_be16(buf + 2, SWHCA_ROCE_UDP_PORT);
	swhca_put_be16(buf + 4, udp_len);
	swhca_put_be16(buf + 6, 0);
}

size_t
swhca_packet_ip_len(const struct swhca_packet_ip *ip)
{
	return (swhca_gid_is_ipv4(ip->dgid) ? SWHCA_IPV4_LEN : SWHCA_IPV6_LEN) + SWHCA_UDP_LEN;
}

int
swhca_packet_ip_build(const struct swhca_packet_ip *ip, size_t ib_len, uint8_t *buf, size_t size)
{
	bool is_ipv4 = swhca_gid_is_ipv4(ip->dgid);
	size_t len = swhca_packet_ip_len(ip);
	uint16_t udp_len;

	if (swhca_gid_is_ipv4(ip->sgid) != is_ipv4 || ip->flow_label > FLOW_LABEL_MASK)
		return -EINVAL;
	if (ib_len > SWHCA_IB_LEN_MAX)
		return -EMSGSIZE;
	if (size < len)
		return -ENOSPC;
	udp_len = (uint16_t)(SWHCA_UDP_LEN + ib_len);
	if (is_ipv4)
		ipv4_put(ip, udp_len, buf);
	else
		ipv6_put(ip, udp_len, buf);
	udp_put(ip, udp_len, buf + len - SWHCA_UDP_LEN);
	return (int)len;
}

/* Returns the header size; ip_len is the announced size of the rest. */
static int
ipv4_get(const uint8_t *buf, size_t len, struct swhca_packet_ip *ip, size_t *ip_len)
{
	uint16_t frag;

	if (len < SWHCA_IPV4_LEN)
		return -EBADMSG;
	frag = swhca_get_be16(buf + 6);
	if (buf[0] != IPV4_VERSION_IHL || buf[9] != IP_PROTO_UDP || (frag & IPV4_NOT_DF) != 0)
		return -EPROTONOSUPPORT;
	*ip_len = swhca_get_be16(buf + 2);
	if (*ip_len < SWHCA_IPV4_LEN || *ip_len > len || ipv4_checksum(buf) != 0)
		return -EBADMSG;
	*ip_len -= SWHCA_IPV4_LEN;
	ip->tclass = buf[1];
	ip->id = swhca_get_be16(buf + 4);
	ip->is_df = (frag & IPV4_DF) != 0;
	ip->hop_limit = buf[8];
	gid_of_ipv4(ip->sgid, buf + 12);
	gid_of_ipv4(ip->dgid, buf + 16);
	return SWHCA_IPV4_LEN;
}

static int
ipv6_get(const uint8_t *buf, size_t len, struct swhca_packet_ip *ip, size_t *ip_len)
{
	uint32_t first;

	if (len < SWHCA_IPV6_LEN)
		return -EBADMSG;
	first = swhca_get_be32(buf);
	if (first >> 28 != IPV6_VERSION || buf[6] != IP_PROTO_UDP)
		return -EPROTONOSUPPORT;
	*ip_len = swhca_get_be16(buf + 4);
	if (*ip_len > len - SWHCA_IPV6_LEN)
		return -EBADMSG;
	ip->tclass = (uint8_t)(first >> 20);
	ip->flow_label = first & FLOW_LABEL_MASK;
	ip->hop_limit = buf[7];
	memcpy(ip->sgid, buf + 8, 16);
	memcpy(ip->dgid, buf + 24, 16);
	/* IPv4-mapped addresses are invalid in IPv6, and could not be encoded again. */
	if (swhca_gid_is_ipv4(ip->sgid) || swhca_gid_is_ipv4(ip->dgid))
		return -EPROTONOSUPPORT;
	return SWHCA_IPV6_LEN;
}

int
swhca_packet_ip_parse(const uint8_t *buf, size_t len, struct swhca_packet_ip *ip, size_t *ib_len)
{
	struct swhca_packet_ip found = { 0 };
	size_t ip_len = 0;
	const uint8_t *udp;
	int ret;

	if (len == 0)
		return -EBADMSG;
	if (buf[0] >> 4 == IPV6_VERSION)
		ret = ipv6_get(buf, len, &found, &ip_len);
	else
		ret = ipv4_get(buf, len, &found, &ip_len);
	if (ret < 0)
		return ret;
	udp = buf + ret;
	if (ip_len < SWHCA_UDP_LEN)
		return -EBADMSG;
	if (swhca_get_be16(udp + 2) != SWHCA_ROCE_UDP_PORT)
		return -EPROTONOSUPPORT;
	if (swhca_get_be16(udp + 4) != ip_len || ip_len - SWHCA_UDP_LEN > SWHCA_IB_LEN_MAX)
		return -EBADMSG;
	found.src_port = swhca_get_be16(udp);
	*ip = found;
	*ib_len = ip_len - SWHCA_UDP_LEN;
	return ret + (int)SWHCA_UDP_LEN;
}

void
swhca_packet_grh(const struct swhca_packet_ip *ip, size_t ib_len, uint8_t *grh)
{
	uint16_t udp_len = (uint16_t)(SWHCA_UDP_LEN + ib_len);

	if (!swhca_gid_is_ipv4(ip->dgid)) {
		ipv6_put(ip, udp_len, grh);
		return;
	}
	memset(grh, 0, SWHCA_PACKET_GRH_LEN - SWHCA_IPV4_LEN);
	ipv4_put(ip, udp_len, grh + SWHCA_PACKET_GRH_LEN - SWHCA_IPV4_LEN);
}
