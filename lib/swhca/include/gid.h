/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_GID_H
#define SWHCA_GID_H

/**
 * @file
 * GIDs as addresses: IPv6, or IPv4 mapped into it (RoCE); of a group, or of a port on a wire.
 */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* IBTA 4.1.1: first byte of every multicast GID; RFC 1112: first bits of class D. */
#define SWHCA_GID_MULTICAST 0xffu
#define SWHCA_IPV4_MULTICAST 0xe0u

static inline bool
swhca_gid_is_ipv4(const uint8_t gid[16])
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return memcmp(gid, mapped, sizeof(mapped)) == 0;
}

/** Check whether a GID is a group. */
static inline bool
swhca_gid_is_multicast(const uint8_t gid[16])
{
	if (swhca_gid_is_ipv4(gid))
		return (gid[12] & 0xf0u) == SWHCA_IPV4_MULTICAST;
	return gid[0] == SWHCA_GID_MULTICAST;
}

/** MAC address of a group (RFC 1112, RFC 2464). */
static inline void
swhca_gid_multicast_mac(const uint8_t gid[16], uint8_t mac[6])
{
	if (swhca_gid_is_ipv4(gid)) {
		mac[0] = 0x01;
		mac[1] = 0x00;
		mac[2] = 0x5e;
		mac[3] = gid[13] & 0x7f;
		memcpy(&mac[4], &gid[14], 2);
		return;
	}
	mac[0] = 0x33;
	mac[1] = 0x33;
	memcpy(&mac[2], &gid[12], 4);
}

/* FNV-1a, 32 bits. */
static inline uint32_t
swhca_gid_hash(const uint8_t gid[16])
{
	uint32_t hash = 2166136261u;
	unsigned int i;

	for (i = 0; i < 16; i++)
		hash = (hash ^ gid[i]) * 16777619u;
	return hash;
}

/**
 * Address on a wire for packets to a group. If the GID is not of the wire's IP version, the address
 * is one of 239.0.0.0/8 (RFC 2365) derived from the GID: two groups may share it.
 */
static inline void
swhca_gid_group_addr(const uint8_t gid[16], bool is_ipv4, uint8_t addr[16])
{
	uint32_t hash = swhca_gid_hash(gid);

	memcpy(addr, gid, 16);
	if (!is_ipv4 || swhca_gid_is_ipv4(gid))
		return;
	memset(addr, 0, 10);
	addr[10] = 0xff;
	addr[11] = 0xff;
	addr[12] = 239;
	addr[13] = (uint8_t)(hash >> 16);
	addr[14] = (uint8_t)(hash >> 8);
	addr[15] = (uint8_t)(hash ^ hash >> 24);
}

/**
 * MAC address of a port on a wire (link.h), derived from its address: 02:00, which is locally
 * administered, and the last four bytes. A link-local address contains it in its interface id (RFC
 * 4291, app. A).
 */
static inline void
swhca_gid_mac(const uint8_t gid[16], uint8_t mac[6])
{
	mac[0] = 0x02;
	mac[1] = 0x00;
	memcpy(&mac[2], &gid[12], 4);
	if (gid[0] != 0xfe || gid[1] != 0x80 || gid[11] != 0xff || gid[12] != 0xfe)
		return;
	mac[0] = gid[8] ^ 0x02;
	memcpy(&mac[1], &gid[9], 2);
	memcpy(&mac[3], &gid[13], 3);
}

/** Link-local GID of a port on a wire with an IPv4 address; see below. */
static inline void
swhca_gid_link_local(const uint8_t addr[16], bool is_ib, uint8_t gid[16])
{
	memset(gid, 0, 16);
	gid[0] = 0xfe;
	gid[1] = 0x80;
	gid[8] = is_ib ? 0x02 : 0x00;
	gid[10] = addr[12];
	gid[11] = 0xff;
	gid[12] = 0xfe;
	memcpy(&gid[13], &addr[13], 3);
}

/**
 * Address for packets to a GID. Link-local GIDs of a port on a wire are derived from its MAC
 * address, which is derived from its IPv4 address; on InfiniBand they are derived from the GUID,
 * without inverting the universal bit. All other GIDs are addresses themselves.
 */
static inline void
swhca_gid_wire_addr(const uint8_t gid[16], uint8_t addr[16])
{
	static const uint8_t link_local[8] = { 0xfe, 0x80 };

	memcpy(addr, gid, 16);
	if (memcmp(gid, link_local, sizeof(link_local)) != 0 || (gid[8] & 0xfd) != 0 ||
	    gid[9] != 0 || gid[11] != 0xff || gid[12] != 0xfe)
		return;
	memset(addr, 0, 10);
	addr[10] = 0xff;
	addr[11] = 0xff;
	addr[12] = gid[10];
	memcpy(&addr[13], &gid[13], 3);
}

#endif /* SWHCA_GID_H */
