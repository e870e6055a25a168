/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_GID_H
#define SWHCA_GID_H

/**
 * @file
 * Multicast GIDs: of IPv6, or of IPv4 mapped into it (RoCE).
 */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* IBTA 4.1.1: the first byte of every multicast GID; RFC 1112: the first bits of class D. */
#define SWHCA_GID_MULTICAST 0xffu
#define SWHCA_IPV4_MULTICAST 0xe0u

static inline bool
swhca_gid_is_ipv4(const uint8_t gid[16])
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return memcmp(gid, mapped, sizeof(mapped)) == 0;
}

/** Whether a GID names a group. */
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

#endif /* SWHCA_GID_H */
