/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/high_fd.h"
#include "include/gid.h"
#include "wire/link/netif.h"

/* Maximum IPv4 addresses examined. */
#define MAX_ADDRS 1024u
/* Bytes of /proc/net/if_inet6 examined; a line has some 54. */
#define IF_INET6_MAX 65536u
#define IPV4_LOOPBACK_NET 127u

static bool
gid_is_ipv4_loopback(const uint8_t gid[16])
{
	return swhca_gid_is_ipv4(gid) && gid[12] == IPV4_LOOPBACK_NET;
}

/* Names of secondary addresses consist of the interface, a colon and a label (netdevice(7)). */
static bool
is_name(const char *entry, const char *name)
{
	size_t len = strcspn(entry, ":");

	return name == NULL || (strlen(name) == len && strncmp(entry, name, len) == 0);
}

/* SIOCGIFCONF: the addresses of all interfaces that are up. */
static int
ipv4_find(int fd, const uint8_t gid[16], const char *name, char *found)
{
	struct ifconf list = { .ifc_len = (int)(MAX_ADDRS * sizeof(struct ifreq)) };
	int ret = -EADDRNOTAVAIL, i;

	list.ifc_req = malloc((size_t)list.ifc_len);
	if (list.ifc_req == NULL)
		return -ENOMEM;
	if (syscall(SYS_ioctl, fd, SIOCGIFCONF, &list) != 0)
		ret = -errno;
	for (i = 0; ret == -EADDRNOTAVAIL && i < list.ifc_len / (int)sizeof(struct ifreq); i++) {
		const struct ifreq *req = &list.ifc_req[i];
		struct sockaddr_in addr;

		memcpy(&addr, &req->ifr_addr, sizeof(addr));
		if (memcmp(&addr.sin_addr, gid + 12, 4) != 0 || !is_name(req->ifr_name, name))
			continue;
		memcpy(found, req->ifr_name, IFNAMSIZ);
		ret = 0;
	}
	free(list.ifc_req);
	return ret;
}

static ssize_t
file_read(const char *path, char *buf, size_t size)
{
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	ssize_t ret = -1, len = 0;

	if (fd < 0)
		return -1;
	while ((size_t)len < size - 1) {
		ret = syscall(SYS_read, fd, buf + len, size - 1 - (size_t)len);
		if (ret <= 0)
			break;
		len += ret;
	}
	swhca_fd_close(fd);
	if (ret < 0)
		return -1;
	buf[len] = '\0';
	return len;
}

/* A line: address in 32 hexadecimal digits, index, prefix, scope, flags, name. */
static bool
ipv6_line_is(const char *line, const uint8_t gid[16], const char *name, char *found)
{
	char addr[33], text[33], entry[IFNAMSIZ] = { 0 };
	unsigned int i;

	for (i = 0; i < 16; i++)
		snprintf(text + 2 * i, 3, "%02x", gid[i]);
	if (sscanf(line, "%32s %*x %*x %*x %*x %15s", addr, entry) != 2)
		return false;
	if (strcmp(addr, text) != 0 || !is_name(entry, name))
		return false;
	memcpy(found, entry, IFNAMSIZ);
	return true;
}

static int
ipv6_find(const uint8_t gid[16], const char *name, char *found)
{
	char *list = malloc(IF_INET6_MAX), *line, *rest = NULL;
	int ret = -EADDRNOTAVAIL;

	if (list == NULL)
		return -ENOMEM;
	if (file_read("/proc/net/if_inet6", list, IF_INET6_MAX) >= 0) {
		for (line = strtok_r(list, "\n", &rest); line != NULL && ret != 0;
		     line = strtok_r(NULL, "\n", &rest)) {
			if (ipv6_line_is(line, gid, name, found))
				ret = 0;
		}
	}
	free(list);
	return ret;
}

static int
request(int fd, unsigned long what, const char *name, struct ifreq *req)
{
	memset(req, 0, sizeof(*req));
	memcpy(req->ifr_name, name, strnlen(name, IFNAMSIZ - 1));
	return syscall(SYS_ioctl, fd, what, req) == 0 ? 0 : -errno;
}

static int
find(int fd, const uint8_t gid[16], const char *name, struct swhca_netif *netif)
{
	char found[IFNAMSIZ] = "lo";
	struct ifreq req;
	int ret;

	/*
	 * All of 127.0.0.0/8 belongs to the loopback interface, though only one address is
	 * configured.
	 */
	if (!gid_is_ipv4_loopback(gid) || (name != NULL && strcmp(name, found) != 0)) {
		ret = swhca_gid_is_ipv4(gid) ? ipv4_find(fd, gid, name, found) :
					       ipv6_find(gid, name, found);
		if (ret != 0)
			return ret;
	}
	ret = request(fd, SIOCGIFMTU, found, &req);
	if (ret != 0)
		return ret == -ENODEV ? -EADDRNOTAVAIL : ret;
	netif->mtu = (uint32_t)req.ifr_mtu;
	ret = request(fd, SIOCGIFINDEX, found, &req);
	if (ret != 0)
		return ret == -ENODEV ? -EADDRNOTAVAIL : ret;
	netif->index = (unsigned int)req.ifr_ifindex;
	ret = request(fd, SIOCGIFFLAGS, found, &req);
	if (ret != 0)
		return ret == -ENODEV ? -EADDRNOTAVAIL : ret;
	netif->is_up = (req.ifr_flags & IFF_UP) != 0;
	return 0;
}

int
swhca_netif_find(const uint8_t gid[16], const char *name, struct swhca_netif *netif)
{
	struct swhca_netif got;
	int fd, ret;

	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	ret = find(fd, gid, name, &got);
	swhca_fd_close(fd);
	if (ret == 0)
		*netif = got;
	return ret;
}
