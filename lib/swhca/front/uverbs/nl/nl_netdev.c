/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/if_addr.h>
#include <net/if_arp.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include "host/conf.h"
#include "host/ident.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/dev/uverbs_port.h"
#include "front/uverbs/nl/nl_msg.h"
#include "front/uverbs/nl/nl_netdev.h"

/* linux/if.h: IFF_LOWER_UP, IF_OPER_DOWN, IF_OPER_UP; libc names the others differently. */
#define FLAG_LOWER_UP	(1u << 16)
#define OPERSTATE_DOWN	2u
#define OPERSTATE_UP	6u
/* Limits of mlx5_core (mlx5e_build_nic_netdev()). */
#define MIN_MTU		68u
#define MAX_MTU		9978u
#define TX_QUEUE_LEN	1000u
#define FOREVER		UINT32_MAX

bool
swhca_netdev_exist(void)
{
	const struct swhca_conf *conf = swhca_conf_get();

	return conf->link_layer == SWHCA_LINK_ETH && conf->nb_devices > 0;
}

bool
swhca_netdev_get(unsigned int index, struct swhca_netdev *netdev)
{
	const struct swhca_conf *conf = swhca_conf_get();
	char name[SWHCA_IDENT_NAME_SIZE];
	struct swhca_gid gid;

	if (!swhca_netdev_exist() || index >= conf->nb_devices || swhca_udev_is_removed(index))
		return false;
	memset(netdev, 0, sizeof(*netdev));
	netdev->index = index;
	netdev->ifindex = swhca_ident_ifindex(index);
	netdev->flags = IFF_UP | IFF_BROADCAST | IFF_MULTICAST;
	if (swhca_uport_is_up(index))
		netdev->flags |= IFF_RUNNING | FLAG_LOWER_UP;
	netdev->mtu = SWHCA_NETDEV_MTU;
	swhca_ident_netdev(index, name);
	snprintf(netdev->name, sizeof(netdev->name), "%.15s", name);
	swhca_ident_mac(index, netdev->mac);
	if (swhca_ident_gid(conf, index, 0, &gid))
		memcpy(&netdev->ip6, gid.raw, sizeof(netdev->ip6));
	/* An IPv4 address is at the end of its GID. */
	if (swhca_ident_gid(conf, index, 2, &gid))
		memcpy(&netdev->ip4, gid.raw + 12, sizeof(netdev->ip4));
	netdev->broadcast.s_addr = netdev->ip4.s_addr |
				   htonl(UINT32_MAX >> SWHCA_NETDEV_PREFIX4);
	return true;
}

bool
swhca_netdev_by_ifindex(uint32_t ifindex, struct swhca_netdev *netdev)
{
	unsigned int i;

	for (i = 0; i < SWHCA_MAX_DEVICES; i++)
		if (swhca_ident_ifindex(i) == ifindex)
			return swhca_netdev_get(i, netdev);
	return false;
}

bool
swhca_netdev_by_name(const char *name, struct swhca_netdev *netdev)
{
	unsigned int i;

	for (i = 0; i < SWHCA_MAX_DEVICES; i++)
		if (swhca_netdev_get(i, netdev) && strcmp(netdev->name, name) == 0)
			return true;
	return false;
}

static void
message_begin(struct swhca_nl_packet *packet, const struct nlmsghdr *hdr, uint16_t type,
	      const void *body, size_t len)
{
	struct nlmsghdr copy = *hdr;

	copy.nlmsg_type = type;
	swhca_nl_begin(packet, &copy);
	swhca_nl_put_bytes(packet, body, len);
}

/* Linux, net/core/rtnetlink.c: rtnl_fill_ifinfo() */
int
swhca_netdev_link_put(struct swhca_nl_packet *packet, const struct nlmsghdr *hdr,
		      const struct swhca_netdev *netdev, uint8_t family)
{
	static const uint8_t broadcast[6] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	static const struct rtnl_link_stats64 stats;
	const struct ifinfomsg info = {
		/* inet6_fill_ifinfo() */
		.ifi_family = family == AF_INET6 ? AF_INET6 : AF_UNSPEC,
		.ifi_type = ARPHRD_ETHER,
		.ifi_index = (int)netdev->ifindex,
		.ifi_flags = netdev->flags,
	};
	bool is_up = (netdev->flags & FLAG_LOWER_UP) != 0;
	char text[SWHCA_IDENT_NAME_SIZE];

	message_begin(packet, hdr, RTM_NEWLINK, &info, sizeof(info));
	swhca_nl_put_string(packet, IFLA_IFNAME, netdev->name);
	swhca_nl_put_u32(packet, IFLA_TXQLEN, TX_QUEUE_LEN);
	swhca_nl_put_u8(packet, IFLA_OPERSTATE, is_up ? OPERSTATE_UP : OPERSTATE_DOWN);
	swhca_nl_put_u8(packet, IFLA_LINKMODE, 0);
	swhca_nl_put_u32(packet, IFLA_MTU, netdev->mtu);
	swhca_nl_put_u32(packet, IFLA_MIN_MTU, MIN_MTU);
	swhca_nl_put_u32(packet, IFLA_MAX_MTU, MAX_MTU);
	swhca_nl_put_u32(packet, IFLA_GROUP, 0);
	swhca_nl_put_u32(packet, IFLA_PROMISCUITY, 0);
	swhca_nl_put_u32(packet, IFLA_NUM_TX_QUEUES, 1);
	swhca_nl_put_u32(packet, IFLA_NUM_RX_QUEUES, 1);
	swhca_nl_put_u8(packet, IFLA_CARRIER, is_up);
	swhca_nl_put_string(packet, IFLA_QDISC, "mq");
	swhca_nl_put(packet, IFLA_ADDRESS, netdev->mac, sizeof(netdev->mac));
	swhca_nl_put(packet, IFLA_PERM_ADDRESS, netdev->mac, sizeof(netdev->mac));
	swhca_nl_put(packet, IFLA_BROADCAST, broadcast, sizeof(broadcast));
	swhca_nl_put(packet, IFLA_STATS64, &stats, sizeof(stats));
	snprintf(text, sizeof(text), "p%u", netdev->index);
	swhca_nl_put_string(packet, IFLA_PHYS_PORT_NAME, text);
	swhca_ident_pci(netdev->index, text);
	swhca_nl_put_string(packet, IFLA_PARENT_DEV_NAME, text);
	swhca_nl_put_string(packet, IFLA_PARENT_DEV_BUS_NAME, "pci");
	return swhca_nl_end(packet);
}

/* net/ipv4/devinet.c: inet_fill_ifaddr(); net/ipv6/addrconf.c: inet6_fill_ifaddr() */
int
swhca_netdev_addr_put(struct swhca_nl_packet *packet, const struct nlmsghdr *hdr,
		      const struct swhca_netdev *netdev, uint8_t family)
{
	bool is_v4 = family == AF_INET;
	const struct ifaddrmsg info = {
		.ifa_family = family,
		.ifa_prefixlen = is_v4 ? SWHCA_NETDEV_PREFIX4 : SWHCA_NETDEV_PREFIX6,
		.ifa_flags = IFA_F_PERMANENT,
		.ifa_scope = is_v4 ? RT_SCOPE_UNIVERSE : RT_SCOPE_LINK,
		.ifa_index = netdev->ifindex,
	};
	const struct ifa_cacheinfo cache = { .ifa_prefered = FOREVER, .ifa_valid = FOREVER };

	message_begin(packet, hdr, RTM_NEWADDR, &info, sizeof(info));
	if (is_v4) {
		swhca_nl_put(packet, IFA_ADDRESS, &netdev->ip4, sizeof(netdev->ip4));
		swhca_nl_put(packet, IFA_LOCAL, &netdev->ip4, sizeof(netdev->ip4));
		swhca_nl_put(packet, IFA_BROADCAST, &netdev->broadcast,
			     sizeof(netdev->broadcast));
		swhca_nl_put_string(packet, IFA_LABEL, netdev->name);
	} else {
		swhca_nl_put(packet, IFA_ADDRESS, &netdev->ip6, sizeof(netdev->ip6));
	}
	swhca_nl_put_u32(packet, IFA_FLAGS, IFA_F_PERMANENT);
	swhca_nl_put(packet, IFA_CACHEINFO, &cache, sizeof(cache));
	return swhca_nl_end(packet);
}
