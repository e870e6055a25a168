/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "include/gid.h"
#include "host/conf.h"
#include "front/ucma/ucma_abi.h"
#include "front/ucma/group.h"

/* LIDs of groups (IBTA 4.1.3). */
#define LID_FIRST 0xc000u
#define NB_LIDS 0x3fffu
/* Second half of the signature in MGIDs of IPoIB (RFC 4391, 4), and in those of rdma_cm. */
#define SIGNATURE_IPOIB 0x1bu
#define SIGNATURE_CM 0x01u
/* IBTA 4.1.1: link-local, not permanent. */
#define FLAGS_SCOPE 0x12u

bool
swhca_ucm_addr_is_group(const struct sockaddr_storage *addr)
{
	uint8_t raw[16];

	swhca_ucm_addr_raw(addr, raw);
	return swhca_gid_is_multicast(raw);
}

/* Check for an IPv6 address that is the MGID itself: FF1x:A01B (cma.c). */
static bool
is_mgid(const uint8_t raw[16])
{
	return raw[0] == 0xff && (raw[1] & 0xf0) == 0x10 && raw[2] == 0xa0 && raw[3] == 0x1b;
}

/* ip_ib_mc_map(), ipv6_ib_mc_map(): default partition. */
static void
ib_gid(const uint8_t raw[16], bool is_udp, uint8_t mgid[16])
{
	bool is_ipv4 = swhca_gid_is_ipv4(raw);
	const uint8_t prefix[6] = { SWHCA_GID_MULTICAST, FLAGS_SCOPE, is_ipv4 ? 0x40 : 0x60,
				    is_udp ? SIGNATURE_CM : SIGNATURE_IPOIB, 0xff, 0xff };

	memset(mgid, 0, 16);
	memcpy(mgid, prefix, sizeof(prefix));
	if (!is_ipv4) {
		memcpy(mgid + 6, raw + 6, 10);
		return;
	}
	mgid[12] = raw[12] & 0x0f;
	memcpy(mgid + 13, raw + 13, 3);
}

void
swhca_ucm_group_gid(const struct sockaddr_storage *addr, bool is_udp, uint8_t mgid[16])
{
	uint8_t raw[16];

	swhca_ucm_addr_raw(addr, raw);
	if (swhca_conf_get()->link_layer == SWHCA_LINK_ETH || addr->ss_family == UCM_AF_IB ||
	    (addr->ss_family == AF_INET6 && is_mgid(raw)))
		memcpy(mgid, raw, sizeof(raw));
	else
		ib_gid(raw, is_udp, mgid);
}

/* A subnet manager would choose one; here all processes on a wire derive the same one. */
uint16_t
swhca_ucm_group_lid(const uint8_t mgid[16])
{
	if (swhca_conf_get()->link_layer == SWHCA_LINK_ETH)
		return 0;
	return (uint16_t)(LID_FIRST + swhca_gid_hash(mgid) % NB_LIDS);
}

/* No resolution: Linux derives the hardware address of a group from its address (arp_mc_map()). */
int
swhca_ucm_group_find(const struct sockaddr_storage *to, bool is_bound,
		     struct swhca_ucm_port *local, uint8_t gid[16], uint16_t *lid)
{
	if (!is_bound && !swhca_ucm_port_alike(to, local))
		return -ENODEV;
	swhca_ucm_group_gid(to, false, gid);
	*lid = swhca_ucm_group_lid(gid);
	return 0;
}
