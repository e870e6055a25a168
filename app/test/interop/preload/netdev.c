/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Net devices of Ethernet ports as a program meets them: names, numbers and addresses by libc, and
 * lists and single answers of rtnetlink, read in every way. What the kernel has stays what it is.
 */

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <netpacket/packet.h>

#include <infiniband/verbs.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include "../check.h"

#define NAME "enp8s0f0np0"

/* What the port says of itself. */
struct port {
	uint32_t ifindex;
	union ibv_gid ip6;
	union ibv_gid ip4;
	uint8_t mac[6];
};

static struct port
port_read(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = ibv_open_device(list[0]);
	struct ibv_gid_entry entry;
	struct port port;

	CHECK(ctx != NULL);
	CHECK(ibv_query_gid_ex(ctx, 1, 0, &entry, 0) == 0);
	port.ifindex = entry.ndev_ifindex;
	port.ip6 = entry.gid;
	CHECK(ibv_query_gid_ex(ctx, 1, 2, &entry, 0) == 0);
	port.ip4 = entry.gid;
	/* RFC 4291, appendix A */
	memcpy(port.mac, &port.ip6.raw[8], 3);
	memcpy(port.mac + 3, &port.ip6.raw[13], 3);
	port.mac[0] ^= 2;
	CHECK(ibv_close_device(ctx) == 0);
	ibv_free_device_list(list);
	return port;
}

static void
names_and_numbers_agree(const struct port *port)
{
	struct if_nameindex *list = if_nameindex(), *at;
	char name[IF_NAMESIZE];
	unsigned int nb = 0, nb_lo = 0;

	CHECK(if_nametoindex(NAME) == port->ifindex);
	CHECK(if_indextoname(port->ifindex, name) == name && strcmp(name, NAME) == 0);
	CHECK(if_nametoindex("lo") == 1 && strcmp(if_indextoname(1, name), "lo") == 0);
	CHECK(if_nametoindex("enp8s0f9np9") == 0);
	CHECK(if_indextoname(port->ifindex + 7, name) == NULL);
	CHECK(list != NULL);
	for (at = list; at->if_name != NULL; at++) {
		nb += at->if_index == port->ifindex && strcmp(at->if_name, NAME) == 0;
		nb_lo += strcmp(at->if_name, "lo") == 0;
	}
	CHECK(nb == 1 && nb_lo == 1);
	if_freenameindex(list);
}

static void
addresses_are_those_of_gids(const struct port *port)
{
	struct ifaddrs *list, *at;
	unsigned int nb = 0, nb_lo = 0;

	CHECK(getifaddrs(&list) == 0);
	for (at = list; at != NULL; at = at->ifa_next) {
		nb_lo += strcmp(at->ifa_name, "lo") == 0;
		if (strcmp(at->ifa_name, NAME) != 0)
			continue;
		nb++;
		CHECK((at->ifa_flags & (IFF_UP | IFF_RUNNING)) == (IFF_UP | IFF_RUNNING));
		if (at->ifa_addr->sa_family == AF_PACKET)
			CHECK(memcmp(((struct sockaddr_ll *)at->ifa_addr)->sll_addr, port->mac,
				     6) == 0);
		else if (at->ifa_addr->sa_family == AF_INET)
			CHECK(memcmp(&((struct sockaddr_in *)at->ifa_addr)->sin_addr,
				     &port->ip4.raw[12], 4) == 0);
		else
			CHECK(memcmp(&((struct sockaddr_in6 *)at->ifa_addr)->sin6_addr,
				     port->ip6.raw, 16) == 0);
	}
	CHECK(nb == 3 && nb_lo > 0);
	freeifaddrs(list);
	freeifaddrs(NULL);
}

static void
ioctls_answer(const struct port *port)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0), file = open("/dev/null", O_RDONLY);
	struct ifreq ifr = { .ifr_name = NAME };

	CHECK(fd >= 0 && file >= 0);
	CHECK(ioctl(fd, SIOCGIFINDEX, &ifr) == 0 && (uint32_t)ifr.ifr_ifindex == port->ifindex);
	memset(ifr.ifr_name, 0, sizeof(ifr.ifr_name));
	CHECK(ioctl(fd, SIOCGIFNAME, &ifr) == 0 && strcmp(ifr.ifr_name, NAME) == 0);
	CHECK(ioctl(fd, SIOCGIFHWADDR, &ifr) == 0 && ifr.ifr_hwaddr.sa_family == ARPHRD_ETHER);
	CHECK(memcmp(ifr.ifr_hwaddr.sa_data, port->mac, sizeof(port->mac)) == 0);
	CHECK(ioctl(fd, SIOCGIFMTU, &ifr) == 0 && ifr.ifr_mtu == 9000);
	CHECK(ioctl(fd, SIOCGIFFLAGS, &ifr) == 0);
	CHECK((ifr.ifr_flags & (IFF_UP | IFF_RUNNING)) == (IFF_UP | IFF_RUNNING));
	CHECK(ioctl(fd, SIOCGIFADDR, &ifr) == 0);
	CHECK(memcmp(&((struct sockaddr_in *)&ifr.ifr_addr)->sin_addr, &port->ip4.raw[12], 4) == 0);
	CHECK(ioctl(fd, SIOCSIFMTU, &ifr) < 0 && errno == EOPNOTSUPP);
	/* The kernel's own, and what is no socket. */
	strcpy(ifr.ifr_name, "lo");
	CHECK(ioctl(fd, SIOCGIFINDEX, &ifr) == 0 && ifr.ifr_ifindex == 1);
	strcpy(ifr.ifr_name, "nosuch");
	CHECK(ioctl(fd, SIOCGIFINDEX, &ifr) < 0 && errno == ENODEV);
	strcpy(ifr.ifr_name, NAME);
	CHECK(ioctl(file, SIOCGIFINDEX, &ifr) < 0 && errno == ENOTTY);
	close(fd);
	close(file);
}

struct link_request {
	struct nlmsghdr hdr;
	struct ifinfomsg info;
};

static struct link_request
link_request(uint16_t flags, uint32_t ifindex)
{
	return (struct link_request){
		.hdr = { .nlmsg_len = sizeof(struct link_request), .nlmsg_type = RTM_GETLINK,
			 .nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags), .nlmsg_seq = 5 },
		.info = { .ifi_family = AF_UNSPEC, .ifi_index = (int)ifindex },
	};
}

static int
route_open(void)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0);
	return fd;
}

/* Links of a packet that have a number. @return Whether the list has ended. */
static bool
links_count(struct nlmsghdr *hdr, ssize_t len, uint32_t ifindex, unsigned int *nb)
{
	struct ifinfomsg info;

	for (; NLMSG_OK(hdr, len); hdr = NLMSG_NEXT(hdr, len)) {
		CHECK(hdr->nlmsg_seq == 5);
		if (hdr->nlmsg_type == NLMSG_DONE)
			return true;
		CHECK(hdr->nlmsg_type == RTM_NEWLINK && (hdr->nlmsg_flags & NLM_F_MULTI) != 0);
		memcpy(&info, NLMSG_DATA(hdr), sizeof(info));
		*nb += (uint32_t)info.ifi_index == ifindex;
	}
	return false;
}

/* A list, each packet of which is measured first, as iproute2 does. */
static void
lists_are_longer(const struct port *port)
{
	struct link_request request = link_request(NLM_F_DUMP, 0);
	static struct nlmsghdr answer[4096];
	struct iovec iov = { NULL, 0 };
	struct sockaddr_nl from;
	struct msghdr msg = { .msg_name = &from, .msg_namelen = sizeof(from), .msg_iov = &iov,
			      .msg_iovlen = 1 };
	unsigned int nb = 0, nb_lo = 0;
	int fd = route_open();
	bool is_end;
	ssize_t len;

	CHECK(send(fd, &request, sizeof(request), 0) == sizeof(request));
	do {
		iov = (struct iovec){ NULL, 0 };
		len = recvmsg(fd, &msg, MSG_PEEK | MSG_TRUNC);
		CHECK(len > 0 && (size_t)len <= sizeof(answer));
		CHECK((msg.msg_flags & MSG_TRUNC) != 0 && from.nl_pid == 0);
		iov = (struct iovec){ answer, sizeof(answer) };
		CHECK(recvmsg(fd, &msg, 0) == len && (msg.msg_flags & MSG_TRUNC) == 0);
		CHECK(msg.msg_namelen == sizeof(from));
		is_end = links_count(answer, len, port->ifindex, &nb);
		links_count(answer, len, 1, &nb_lo);
	} while (!is_end);
	CHECK(nb == 1 && nb_lo == 1);
	CHECK(recv(fd, answer, sizeof(answer), MSG_DONTWAIT) < 0 && errno == EAGAIN);
	close(fd);
}

/* While a packet is to come, epoll says so; then it does not. */
static void
epoll_tells_the_truth(const struct port *port)
{
	struct link_request request = link_request(NLM_F_DUMP, 0);
	struct epoll_event event = { .events = EPOLLIN };
	static struct nlmsghdr answer[4096];
	int fd = route_open(), epoll_fd = epoll_create1(0);
	unsigned int nb = 0;
	bool is_end = false;

	CHECK(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0);
	CHECK(epoll_wait(epoll_fd, &event, 1, 0) == 0);
	CHECK(write(fd, &request, sizeof(request)) == sizeof(request));
	while (!is_end) {
		CHECK(epoll_wait(epoll_fd, &event, 1, 0) == 1);
		is_end = links_count(answer, read(fd, answer, sizeof(answer)), port->ifindex, &nb);
	}
	CHECK(nb == 1 && epoll_wait(epoll_fd, &event, 1, 0) == 0);
	close(epoll_fd);
	close(fd);
}

/* Number of the link that answers a request, or a negative errno. */
static int
link_get(int fd, uint16_t flags, uint32_t ifindex)
{
	struct link_request request = link_request(flags, ifindex);
	static struct nlmsghdr answer[1024];
	struct ifinfomsg info;
	int32_t error;
	int ret;

	CHECK(sendto(fd, &request, sizeof(request), 0, NULL, 0) == sizeof(request));
	CHECK(recvfrom(fd, answer, sizeof(answer), MSG_DONTWAIT, NULL, NULL) > 0);
	CHECK(answer->nlmsg_seq == 5);
	if (answer->nlmsg_type == NLMSG_ERROR) {
		memcpy(&error, NLMSG_DATA(answer), sizeof(error));
		return error;
	}
	CHECK(answer->nlmsg_type == RTM_NEWLINK);
	memcpy(&info, NLMSG_DATA(answer), sizeof(info));
	ret = info.ifi_index;
	if ((flags & NLM_F_ACK) != 0) {
		CHECK(recv(fd, answer, sizeof(answer), MSG_DONTWAIT) > 0);
		memcpy(&error, NLMSG_DATA(answer), sizeof(error));
		CHECK(answer->nlmsg_type == NLMSG_ERROR && error == 0 && answer->nlmsg_seq == 5);
	}
	CHECK(recv(fd, answer, sizeof(answer), MSG_DONTWAIT) < 0 && errno == EAGAIN);
	return ret;
}

static void
one_link_is_told(const struct port *port)
{
	int fd = route_open(), status;
	pid_t pid;

	CHECK(link_get(fd, 0, port->ifindex) == (int)port->ifindex);
	CHECK(link_get(fd, NLM_F_ACK, port->ifindex) == (int)port->ifindex);
	CHECK(link_get(fd, 0, 1) == 1 && link_get(fd, NLM_F_ACK, 1) == 1);
	CHECK(link_get(fd, 0, port->ifindex + 7) == -ENODEV);
	CHECK(link_get(fd, 0, port->ifindex) == (int)port->ifindex);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0)
		_exit(link_get(fd, 0, port->ifindex) == (int)port->ifindex ? 0 : 1);
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	/* Another socket in its place is left alone. */
	close(fd);
	CHECK(socket(AF_INET, SOCK_DGRAM, 0) == fd);
	CHECK(recv(fd, &status, sizeof(status), MSG_DONTWAIT) < 0 && errno == EAGAIN);
	close(fd);
}

int
main(void)
{
	struct port port = port_read();

	names_and_numbers_agree(&port);
	addresses_are_those_of_gids(&port);
	ioctls_answer(&port);
	lists_are_longer(&port);
	epoll_tells_the_truth(&port);
	one_link_is_told(&port);
	return 0;
}
