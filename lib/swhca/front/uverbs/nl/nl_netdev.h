/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_NL_NETDEV_H
#define SWHCA_NL_NETDEV_H

/**
 * @file
 * Net devices of Ethernet ports: their state in a kernel, and the messages of rtnetlink(7) that
 * report it.
 */

#include <stdbool.h>
#include <stdint.h>

#include <net/if.h>
#include <netinet/in.h>

#include "front/uverbs/nl/nl_msg.h"

/** Prefix lengths of an IPv4 address and an IPv6 address. */
#define SWHCA_NETDEV_PREFIX4 24u
#define SWHCA_NETDEV_PREFIX6 64u

struct swhca_netdev {
	unsigned int index;	/**< Of the device. */
	uint32_t ifindex;
	uint32_t flags;		/**< IFF_* */
	uint32_t mtu;
	char name[IF_NAMESIZE];
	uint8_t mac[6];
	struct in6_addr ip6;	/**< Link-local, as GID 0. */
	struct in_addr ip4;	/**< As GID 2. */
	struct in_addr broadcast;
};

/** Check whether there are any. Cheap. */
bool swhca_netdev_exist(void);
/** Get the net device of a device, [0, SWHCA_MAX_DEVICES - 1]. @return false if it has none. */
bool swhca_netdev_get(unsigned int index, struct swhca_netdev *netdev);
/** Find one by number, or by name. @return false if it is not ours. */
bool swhca_netdev_by_ifindex(uint32_t ifindex, struct swhca_netdev *netdev);
bool swhca_netdev_by_name(const char *name, struct swhca_netdev *netdev);

/**
 * Write RTM_NEWLINK for a requested family, or RTM_NEWADDR of one; type and length of hdr are
 * ignored.
 *
 * @return
 *   0, or -EMSGSIZE: it does not fit the packet.
 */
int swhca_netdev_link_put(struct swhca_nl_packet *packet, const struct nlmsghdr *hdr,
			  const struct swhca_netdev *netdev, uint8_t family);
int swhca_netdev_addr_put(struct swhca_nl_packet *packet, const struct nlmsghdr *hdr,
			  const struct swhca_netdev *netdev, uint8_t family);

#endif /* SWHCA_NL_NETDEV_H */
