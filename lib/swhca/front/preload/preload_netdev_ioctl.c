/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <net/if_arp.h>
#include <linux/sockios.h>

#include "front/preload/preload_netdev_ioctl.h"
#include "front/uverbs/nl/nl_netdev.h"

#define TX_QUEUE_LEN 1000

/* By system call number, as fstat() is intercepted. */
static bool
is_socket(int fd)
{
	struct stat st;

	return syscall(SYS_fstat, fd, &st) == 0 && S_ISSOCK(st.st_mode);
}

static void
in_put(struct sockaddr *to, in_addr_t addr)
{
	const struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr.s_addr = addr };

	memcpy(to, &in, sizeof(in));
}

/* dev_ifsioc_locked() and devinet_ioctl() of Linux; changes are rejected. */
static int
request_run(const struct swhca_netdev *netdev, unsigned long request, struct ifreq *ifr)
{
	switch (request) {
	case SIOCGIFINDEX:
		ifr->ifr_ifindex = (int)netdev->ifindex;
		return 0;
	case SIOCGIFFLAGS:
		/* As dev_get_flags(), of which 16 bits fit. */
		ifr->ifr_flags = (short)netdev->flags;
		return 0;
	case SIOCGIFMTU:
		ifr->ifr_mtu = (int)netdev->mtu;
		return 0;
	case SIOCGIFHWADDR:
		ifr->ifr_hwaddr.sa_family = ARPHRD_ETHER;
		memcpy(ifr->ifr_hwaddr.sa_data, netdev->mac, sizeof(netdev->mac));
		return 0;
	case SIOCGIFTXQLEN:
		ifr->ifr_qlen = TX_QUEUE_LEN;
		return 0;
	case SIOCGIFMETRIC:
		ifr->ifr_metric = 0;
		return 0;
	case SIOCGIFADDR:
		in_put(&ifr->ifr_addr, netdev->ip4.s_addr);
		return 0;
	case SIOCGIFBRDADDR:
		in_put(&ifr->ifr_broadaddr, netdev->broadcast.s_addr);
		return 0;
	case SIOCGIFNETMASK:
		in_put(&ifr->ifr_netmask, htonl(~(UINT32_MAX >> SWHCA_NETDEV_PREFIX4)));
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

/* Requests that name a device in a struct ifreq. */
static bool
has_name(unsigned long request)
{
	return (request >= SIOCGIFFLAGS && request <= SIOCSIFTXQLEN) || request == SIOCETHTOOL;
}

bool
swhca_netdev_ioctl(int fd, unsigned long request, void *arg, int *ret)
{
	struct swhca_netdev netdev;
	char name[IF_NAMESIZE];
	struct ifreq *ifr = arg;

	if ((request != SIOCGIFNAME && !has_name(request)) || arg == NULL ||
	    !swhca_netdev_exist() || !is_socket(fd))
		return false;
	if (request == SIOCGIFNAME) {
		if (!swhca_netdev_by_ifindex((uint32_t)ifr->ifr_ifindex, &netdev))
			return false;
		memcpy(ifr->ifr_name, netdev.name, IF_NAMESIZE);
		*ret = 0;
		return true;
	}
	memcpy(name, ifr->ifr_name, sizeof(name));
	name[sizeof(name) - 1] = '\0';
	if (!swhca_netdev_by_name(name, &netdev))
		return false;
	*ret = request_run(&netdev, request, ifr);
	return true;
}
