/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "include/gid.h"
#include "host/conf.h"
#include "host/ident.h"
#include "front/ucma/ucma_abi.h"
#include "front/ucma/addr.h"
#include "front/uverbs/dev/dev.h"

_Static_assert(sizeof(struct swhca_ucm_sockaddr_ib) == 48, "struct sockaddr_ib");

/* IBTA 4.1.1: unicast LIDs. */
#define LID_UNICAST_MAX 0xbfffu
#define LOOPBACK_NET 127u

static const struct sockaddr_in *
in_of(const struct sockaddr_storage *addr)
{
	return (const struct sockaddr_in *)addr;
}

static const struct sockaddr_in6 *
in6_of(const struct sockaddr_storage *addr)
{
	return (const struct sockaddr_in6 *)addr;
}

static const struct swhca_ucm_sockaddr_ib *
ib_of(const struct sockaddr_storage *addr)
{
	return (const struct swhca_ucm_sockaddr_ib *)addr;
}

size_t
swhca_ucm_addr_len(const struct sockaddr_storage *addr)
{
	switch (addr->ss_family) {
	case AF_INET:
		return sizeof(struct sockaddr_in);
	case AF_INET6:
		return sizeof(struct sockaddr_in6);
	case UCM_AF_IB:
		return sizeof(struct swhca_ucm_sockaddr_ib);
	default:
		return 0;
	}
}

void
swhca_ucm_addr_raw(const struct sockaddr_storage *addr, uint8_t raw[16])
{
	memset(raw, 0, 16);
	if (addr->ss_family == AF_INET) {
		raw[10] = 0xff;
		raw[11] = 0xff;
		memcpy(&raw[12], &in_of(addr)->sin_addr, 4);
	} else if (addr->ss_family == AF_INET6) {
		memcpy(raw, &in6_of(addr)->sin6_addr, 16);
	} else if (addr->ss_family == UCM_AF_IB) {
		memcpy(raw, ib_of(addr)->sib_addr, 16);
	}
}

void
swhca_ucm_addr_set_raw(struct sockaddr_storage *addr, sa_family_t family, const uint8_t raw[16])
{
	addr->ss_family = family;
	if (family == AF_INET)
		memcpy(&((struct sockaddr_in *)addr)->sin_addr, &raw[12], 4);
	else if (family == AF_INET6)
		memcpy(&((struct sockaddr_in6 *)addr)->sin6_addr, raw, 16);
	else if (family == UCM_AF_IB)
		memcpy(((struct swhca_ucm_sockaddr_ib *)addr)->sib_addr, raw, 16);
}

static bool
raw_is_zero(const uint8_t raw[16])
{
	static const uint8_t zero[16];

	return memcmp(raw + (swhca_gid_is_ipv4(raw) ? 12 : 0), zero,
		      swhca_gid_is_ipv4(raw) ? 4 : 16) == 0;
}

static bool
raw_is_loopback(const uint8_t raw[16])
{
	static const uint8_t one[16] = { [15] = 1 };

	return swhca_gid_is_ipv4(raw) ? raw[12] == LOOPBACK_NET : memcmp(raw, one, 16) == 0;
}

bool
swhca_ucm_addr_is_zero(const struct sockaddr_storage *addr)
{
	uint8_t raw[16];

	swhca_ucm_addr_raw(addr, raw);
	return raw_is_zero(raw);
}

bool
swhca_ucm_addr_is_any(const struct sockaddr_storage *addr)
{
	uint8_t raw[16];

	swhca_ucm_addr_raw(addr, raw);
	return raw_is_zero(raw) || raw_is_loopback(raw);
}

bool
swhca_ucm_addr_is_localhost(const struct sockaddr_storage *addr)
{
	static const uint8_t one[16] = { [10] = 0xff, 0xff, LOOPBACK_NET, 0, 0, 1 };
	uint8_t raw[16];

	swhca_ucm_addr_raw(addr, raw);
	return memcmp(raw, one, sizeof(one)) == 0 ||
	       (raw_is_loopback(raw) && !swhca_gid_is_ipv4(raw));
}

bool
swhca_ucm_addr_is_same(const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
	uint8_t raw_a[16], raw_b[16];

	swhca_ucm_addr_raw(a, raw_a);
	swhca_ucm_addr_raw(b, raw_b);
	return a->ss_family == b->ss_family && memcmp(raw_a, raw_b, sizeof(raw_a)) == 0;
}

uint16_t
swhca_ucm_addr_port(const struct sockaddr_storage *addr)
{
	switch (addr->ss_family) {
	case AF_INET:
		return ntohs(in_of(addr)->sin_port);
	case AF_INET6:
		return ntohs(in6_of(addr)->sin6_port);
	case UCM_AF_IB:
		return (uint16_t)be64toh(ib_of(addr)->sib_sid & ib_of(addr)->sib_sid_mask);
	default:
		return 0;
	}
}

void
swhca_ucm_addr_set_port(struct sockaddr_storage *addr, uint16_t port)
{
	struct swhca_ucm_sockaddr_ib *ib = (struct swhca_ucm_sockaddr_ib *)addr;

	if (addr->ss_family == AF_INET) {
		((struct sockaddr_in *)addr)->sin_port = htons(port);
	} else if (addr->ss_family == AF_INET6) {
		((struct sockaddr_in6 *)addr)->sin6_port = htons(port);
	} else if (addr->ss_family == UCM_AF_IB) {
		ib->sib_sid = htobe64((be64toh(ib->sib_sid) & ~UINT64_C(0xffff)) | port);
		ib->sib_sid_mask = UINT64_MAX;
	}
}

static bool
is_eth(void)
{
	return swhca_conf_get()->link_layer == SWHCA_LINK_ETH;
}

/* Get a GID table entry used by connections: RoCE 2, or the only one of an InfiniBand port. */
static bool
entry_get(unsigned int dev, unsigned int entry, struct swhca_ucm_port *port)
{
	struct swhca_gid gid;

	if (!swhca_ident_gid(swhca_conf_get(), dev, entry, &gid) ||
	    gid.type == SWHCA_GID_ROCE_V1)
		return false;
	port->dev = dev;
	port->gid_index = (uint8_t)entry;
	port->lid = swhca_ident_lid(swhca_conf_get(), dev);
	memcpy(port->gid, gid.raw, sizeof(port->gid));
	return true;
}

void
swhca_ucm_port_raw(const struct swhca_ucm_port *port, uint8_t raw[16])
{
	if (is_eth())
		memcpy(raw, port->gid, 16);
	else
		swhca_gid_wire_addr(port->gid, raw);
}

/* The last entry is the address, earlier ones are link-local. */
bool
swhca_ucm_port_of(unsigned int dev, struct swhca_ucm_port *port)
{
	unsigned int i;

	if (dev >= swhca_udev_nb() || swhca_udev_is_removed(dev))
		return false;
	for (i = swhca_ident_nb_used_gids(swhca_conf_get()); i-- > 0; ) {
		if (entry_get(dev, i, port))
			return true;
	}
	return false;
}

bool
swhca_ucm_port_of_gid(unsigned int dev, const uint8_t gid[16], struct swhca_ucm_port *port)
{
	unsigned int i;

	for (i = 0; i < swhca_ident_nb_used_gids(swhca_conf_get()); i++) {
		if (entry_get(dev, i, port) && memcmp(port->gid, gid, 16) == 0)
			return true;
	}
	return false;
}

static bool
port_has(const struct swhca_ucm_port *port, const uint8_t addr[16])
{
	uint8_t raw[16];

	swhca_ucm_port_raw(port, raw);
	return memcmp(raw, addr, 16) == 0 || memcmp(port->gid, addr, 16) == 0;
}

static bool
raw_find(const uint8_t raw[16], struct swhca_ucm_port *port)
{
	unsigned int dev, i;

	for (dev = 0; dev < swhca_udev_nb(); dev++) {
		if (swhca_udev_is_removed(dev))
			continue;
		for (i = 0; i < swhca_ident_nb_used_gids(swhca_conf_get()); i++) {
			if (entry_get(dev, i, port) && port_has(port, raw))
				return true;
		}
	}
	return false;
}

bool
swhca_ucm_port_find(const struct sockaddr_storage *addr, struct swhca_ucm_port *port)
{
	uint8_t raw[16];

	swhca_ucm_addr_raw(addr, raw);
	return raw_find(raw, port);
}

static unsigned int
bits_alike(const uint8_t a[16], const uint8_t b[16])
{
	unsigned int i = 0;

	while (i < 128 && ((a[i / 8] ^ b[i / 8]) >> (7 - i % 8) & 1) == 0)
		i++;
	return i;
}

/* Own port from which a peer is reached: the one with the longest common address prefix. */
static bool
nearest_find(const uint8_t to[16], struct swhca_ucm_port *best)
{
	struct swhca_ucm_port port;
	unsigned int dev, alike, most = 0;
	bool found = false;
	uint8_t raw[16];

	for (dev = 0; dev < swhca_udev_nb(); dev++) {
		if (!swhca_ucm_port_of(dev, &port))
			continue;
		swhca_ucm_port_raw(&port, raw);
		if (swhca_gid_is_ipv4(raw) != swhca_gid_is_ipv4(to) ||
		    raw_is_loopback(raw) != raw_is_loopback(to))
			continue;
		alike = bits_alike(raw, to);
		if (!found || alike > most) {
			*best = port;
			most = alike;
		}
		found = true;
	}
	return found;
}

bool
swhca_ucm_port_nearest(const struct sockaddr_storage *addr, struct swhca_ucm_port *port)
{
	uint8_t raw[16];

	swhca_ucm_addr_raw(addr, raw);
	return nearest_find(raw, port);
}

/* Link layer address of a peer: gid.h, link.h. */
static void
peer_gid(const uint8_t addr[16], uint8_t gid[16], uint16_t *lid)
{
	*lid = 0;
	memcpy(gid, addr, 16);
	if (is_eth())
		return;
	*lid = (uint16_t)(addr[14] << 8 | addr[15]);
	if (*lid > LID_UNICAST_MAX)
		*lid = 0;
	if (swhca_gid_is_ipv4(addr))
		swhca_gid_link_local(addr, true, gid);
}

bool
swhca_ucm_port_alike(const struct sockaddr_storage *addr, struct swhca_ucm_port *port)
{
	unsigned int dev, i;
	uint8_t raw[16];

	swhca_ucm_addr_raw(addr, raw);
	for (dev = 0; dev < swhca_udev_nb(); dev++) {
		if (swhca_udev_is_removed(dev))
			continue;
		for (i = swhca_ident_nb_used_gids(swhca_conf_get()); i-- > 0; ) {
			if (entry_get(dev, i, port) &&
			    (!is_eth() || swhca_gid_is_ipv4(port->gid) == swhca_gid_is_ipv4(raw)))
				return true;
		}
	}
	return false;
}

int
swhca_ucm_way_find(const struct sockaddr_storage *to, bool is_bound,
		   struct swhca_ucm_port *local, uint8_t gid[16], uint16_t *lid)
{
	struct swhca_ucm_port peer;
	uint8_t raw[16], mac[6];
	unsigned int dev;

	swhca_ucm_addr_raw(to, raw);
	if (raw_find(raw, &peer)) {
		if (!is_bound)
			*local = peer;
		memcpy(gid, peer.gid, 16);
		*lid = peer.lid;
		return 0;
	}
	if (!raw_is_zero(raw) && (is_bound || nearest_find(raw, local))) {
		peer_gid(raw, gid, lid);
		if (swhca_ident_resolve(swhca_conf_get(), gid, mac))
			return 0;
	}
	if (!raw_is_zero(raw) && !raw_is_loopback(raw))
		return -EHOSTUNREACH;
	/* Loopback interface of a host without one (cma.c: cma_resolve_loopback()). */
	for (dev = 0; !is_bound && dev < swhca_udev_nb(); dev++)
		is_bound = swhca_ucm_port_of(dev, local);
	if (!is_bound)
		return -ENODEV;
	memcpy(gid, local->gid, 16);
	*lid = local->lid;
	return 0;
}
