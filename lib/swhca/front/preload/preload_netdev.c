/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * libc calls that list net devices: ours follow those of the kernel (if_nameindex(3),
 * getifaddrs(3)). The queries of libc to the kernel cannot be intercepted.
 */

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <net/if_arp.h>
#include <linux/if_link.h>
#include <netpacket/packet.h>

#include "front/uverbs/nl/nl_netdev.h"
#include "host/conf.h"
#include "front/preload/preload.h"

/* Entries of a net device: its link, and an address of each family. */
#define NB_ENTRIES 3u

union address {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_ll link;
};

struct entry {
	struct ifaddrs ifa;
	union address addr;
	union address mask;
	union address broadcast;
};

/* Entries added to a list; the first entry starts the block. */
struct block {
	struct entry entries[SWHCA_MAX_DEVICES * NB_ENTRIES];
	char names[SWHCA_MAX_DEVICES][IF_NAMESIZE];
	struct rtnl_link_stats stats;
	struct block *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block *blocks;

EXPORT unsigned int
if_nametoindex(const char *name)
{
	REAL(unsigned int, if_nametoindex, const char *);
	struct swhca_netdev netdev;

	return swhca_netdev_by_name(name, &netdev) ? netdev.ifindex : real(name);
}

EXPORT char *
if_indextoname(unsigned int ifindex, char name[IF_NAMESIZE])
{
	REAL(char *, if_indextoname, unsigned int, char *);
	struct swhca_netdev netdev;

	if (!swhca_netdev_by_ifindex(ifindex, &netdev))
		return real(ifindex, name);
	return memcpy(name, netdev.name, IF_NAMESIZE);
}

static void
nameindex_free(struct if_nameindex *list)
{
	struct if_nameindex *at;

	for (at = list; at != NULL && at->if_name != NULL; at++)
		free(at->if_name);
	free(list);
}

EXPORT void
if_freenameindex(struct if_nameindex *list)
{
	nameindex_free(list);
}

static int
nameindex_copy(struct if_nameindex *to, unsigned int ifindex, const char *name)
{
	to->if_index = ifindex;
	to->if_name = strdup(name);
	return to->if_name != NULL ? 0 : -ENOBUFS;
}

/* Append ours to the list of libc; NULL: no memory. */
static struct if_nameindex *
nameindex_extend(const struct if_nameindex *list)
{
	struct swhca_netdev netdev;
	struct if_nameindex *all;
	size_t nb = 0, i;
	int ret = 0;

	while (list[nb].if_name != NULL)
		nb++;
	all = calloc(nb + SWHCA_MAX_DEVICES + 1, sizeof(*all));
	if (all == NULL)
		return NULL;
	for (i = 0; i < nb && ret == 0; i++)
		ret = nameindex_copy(&all[i], list[i].if_index, list[i].if_name);
	for (i = 0; i < SWHCA_MAX_DEVICES && ret == 0; i++)
		if (swhca_netdev_get((unsigned int)i, &netdev))
			ret = nameindex_copy(&all[nb++], netdev.ifindex, netdev.name);
	if (ret == 0)
		return all;
	nameindex_free(all);
	return NULL;
}

EXPORT struct if_nameindex *
if_nameindex(void)
{
	static void (*real_free)(struct if_nameindex *);
	REAL(struct if_nameindex *, if_nameindex, void);
	struct if_nameindex *list = real(), *all;

	if (list == NULL || !swhca_netdev_exist())
		return list;
	if (real_free == NULL)
		real_free = (void (*)(struct if_nameindex *))
			swhca_preload_find("if_freenameindex");
	all = nameindex_extend(list);
	real_free(list);
	if (all == NULL)
		errno = ENOBUFS;
	return all;
}

static void
in6_mask(struct in6_addr *mask)
{
	memset(mask, 0, sizeof(*mask));
	memset(mask, 0xff, SWHCA_NETDEV_PREFIX6 / 8);
}

static void
link_fill(struct entry *entry, const struct swhca_netdev *netdev, struct block *block)
{
	struct sockaddr_ll *addr = &entry->addr.link;

	*addr = (struct sockaddr_ll){ .sll_family = AF_PACKET, .sll_ifindex = (int)netdev->ifindex,
				      .sll_hatype = ARPHRD_ETHER,
				      .sll_halen = sizeof(netdev->mac) };
	memcpy(addr->sll_addr, netdev->mac, sizeof(netdev->mac));
	entry->broadcast.link = *addr;
	memset(entry->broadcast.link.sll_addr, 0xff, sizeof(netdev->mac));
	entry->ifa.ifa_broadaddr = &entry->broadcast.any;
	entry->ifa.ifa_data = &block->stats;
}

static void
in_fill(struct entry *entry, const struct swhca_netdev *netdev)
{
	entry->addr.in = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr = netdev->ip4 };
	entry->mask.in = (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(~(UINT32_MAX >> SWHCA_NETDEV_PREFIX4)),
	};
	entry->broadcast.in = (struct sockaddr_in){ .sin_family = AF_INET,
						    .sin_addr = netdev->broadcast };
	entry->ifa.ifa_netmask = &entry->mask.any;
	entry->ifa.ifa_broadaddr = &entry->broadcast.any;
}

static void
in6_fill(struct entry *entry, const struct swhca_netdev *netdev)
{
	entry->addr.in6 = (struct sockaddr_in6){ .sin6_family = AF_INET6,
						 .sin6_addr = netdev->ip6,
						 .sin6_scope_id = netdev->ifindex };
	entry->mask.in6 = (struct sockaddr_in6){ .sin6_family = AF_INET6 };
	in6_mask(&entry->mask.in6.sin6_addr);
	entry->ifa.ifa_netmask = &entry->mask.any;
}

/* Fill entries of one kind for all net devices, in the order of libc. */
static unsigned int
kind_fill(struct block *block, unsigned int nb, unsigned int kind)
{
	struct swhca_netdev netdev;
	struct entry *entry;
	unsigned int i;

	for (i = 0; i < SWHCA_MAX_DEVICES; i++) {
		if (!swhca_netdev_get(i, &netdev))
			continue;
		memcpy(block->names[i], netdev.name, IF_NAMESIZE);
		entry = &block->entries[nb];
		entry->ifa.ifa_name = block->names[i];
		entry->ifa.ifa_flags = netdev.flags;
		entry->ifa.ifa_addr = &entry->addr.any;
		if (kind == 0)
			link_fill(entry, &netdev, block);
		else if (kind == 1)
			in_fill(entry, &netdev);
		else
			in6_fill(entry, &netdev);
		if (nb > 0)
			block->entries[nb - 1].ifa.ifa_next = &entry->ifa;
		nb++;
	}
	return nb;
}

/* @return NULL if there is no memory. */
static struct block *
block_create(void)
{
	struct block *block = calloc(1, sizeof(*block));
	unsigned int kind, nb = 0;

	if (block == NULL)
		return NULL;
	for (kind = 0; kind < NB_ENTRIES; kind++)
		nb = kind_fill(block, nb, kind);
	pthread_mutex_lock(&lock);
	block->next = blocks;
	blocks = block;
	pthread_mutex_unlock(&lock);
	return block;
}

/* Remove a block. @return false if it does not start there. */
static bool
block_remove(const struct ifaddrs *ifa)
{
	struct block **at, *found;

	pthread_mutex_lock(&lock);
	for (at = &blocks; *at != NULL && &(*at)->entries[0].ifa != ifa; at = &(*at)->next)
		;
	found = *at;
	if (found != NULL)
		*at = found->next;
	pthread_mutex_unlock(&lock);
	free(found);
	return found != NULL;
}

static bool
has_netdevs(void)
{
	struct swhca_netdev netdev;
	unsigned int i;

	for (i = 0; i < SWHCA_MAX_DEVICES; i++)
		if (swhca_netdev_get(i, &netdev))
			return true;
	return false;
}

EXPORT void
freeifaddrs(struct ifaddrs *list)
{
	REAL(void, freeifaddrs, struct ifaddrs *);
	struct ifaddrs **at;

	for (at = &list; *at != NULL; at = &(*at)->ifa_next) {
		if (block_remove(*at)) {
			*at = NULL;
			break;
		}
	}
	if (list != NULL)
		real(list);
}

EXPORT int
getifaddrs(struct ifaddrs **list)
{
	REAL(int, getifaddrs, struct ifaddrs **);
	struct ifaddrs **at;
	struct block *block;
	int ret = real(list);

	if (ret != 0 || !has_netdevs())
		return ret;
	block = block_create();
	if (block == NULL) {
		freeifaddrs(*list);
		errno = ENOMEM;
		return -1;
	}
	for (at = list; *at != NULL; at = &(*at)->ifa_next)
		;
	*at = &block->entries[0].ifa;
	return 0;
}
