/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_LINK_NETIF_H
#define SWHCA_WIRE_LINK_NETIF_H

/**
 * @file
 * Interfaces of this host. They are queried by system calls, as getifaddrs(3) and ioctl(2) of libc
 * may be intercepted and then return the interfaces of the devices.
 */

#include <stdbool.h>
#include <stdint.h>

struct swhca_netif {
	unsigned int index;	/**< Of the interface. */
	uint32_t mtu;		/**< Including the IP header. */
	bool is_up;
};

/**
 * Find the interface that has an address.
 *
 * @param gid
 *   The address; IPv4 is mapped.
 * @param name
 *   Name that the interface must have, or NULL: any.
 * @param[out] netif
 *   Written on success.
 * @return
 *   0, -EADDRNOTAVAIL (no interface, or none of that name, has the address), or a negative errno of
 *   socket(2).
 */
int swhca_netif_find(const uint8_t gid[16], const char *name, struct swhca_netif *netif);

#endif /* SWHCA_WIRE_LINK_NETIF_H */
