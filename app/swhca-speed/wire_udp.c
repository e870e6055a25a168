/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wire.h"

/* Size of a packet in a datagram; a datagram contains as many as fit in 64 KiB. */
#define SEGMENT (WIRE_MTU + 16u)
#define NB_SEGMENTS 15u
#define BUFFER (8 << 20)
#define ECHO_LEN 64u
#define TIMEOUT_NS UINT64_C(60000000000)

static uint8_t bytes[65536];

static bool
udp_error(const char *what)
{
	fprintf(stderr, "swhca-speed: UDP: %s: %s\n", what, strerror(errno));
	return false;
}

static int
socket_bind(struct sockaddr_in *addr)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int size = BUFFER, on = 1;
	socklen_t len = sizeof(*addr);

	*addr = (struct sockaddr_in){ .sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	setsockopt(fd, SOL_UDP, UDP_GRO, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)addr, len) == 0 &&
	    getsockname(fd, (struct sockaddr *)addr, &len) == 0)
		return fd;
	close(fd);
	return -1;
}

bool
wire_udp_open(int fds[2])
{
	struct sockaddr_in addrs[2];

	fds[0] = socket_bind(&addrs[0]);
	fds[1] = socket_bind(&addrs[1]);
	if (fds[0] < 0 || fds[1] < 0 ||
	    connect(fds[0], (struct sockaddr *)&addrs[1], sizeof(addrs[1])) != 0 ||
	    connect(fds[1], (struct sockaddr *)&addrs[0], sizeof(addrs[0])) != 0)
		return udp_error("sockets");
	return true;
}

static bool
is_full(int err)
{
	return err == EAGAIN || err == ENOBUFS || err == ENOMEM;
}

static bool
stream_send(int fd, uint64_t ns)
{
	const int segment = SEGMENT;
	uint64_t end = wire_now_ns() + ns;

	if (setsockopt(fd, SOL_UDP, UDP_SEGMENT, &segment, sizeof(segment)) != 0)
		return udp_error("UDP_SEGMENT");
	while (wire_now_ns() < end) {
		if (send(fd, bytes, NB_SEGMENTS * SEGMENT, 0) < 0 && !is_full(errno))
			return udp_error("send");
	}
	return true;
}

static bool
echo_send(int fd, uint32_t nb, bool sleeps)
{
	struct pollfd in = { .fd = fd, .events = POLLIN };
	uint64_t end = wire_now_ns() + TIMEOUT_NS;
	const int whole = 0;
	ssize_t len;

	if (setsockopt(fd, SOL_UDP, UDP_SEGMENT, &whole, sizeof(whole)) != 0)
		return udp_error("UDP_SEGMENT");
	while (nb > 0) {
		if (sleeps && poll(&in, 1, (int)(TIMEOUT_NS / 1000000)) != 1)
			return udp_error("poll");
		len = recv(fd, bytes, sizeof(bytes), 0);
		if (len > 0 && send(fd, bytes, (size_t)len, 0) == len)
			nb--;
		else if (wire_now_ns() > end)
			return false;
	}
	return true;
}

bool
wire_udp_obey(int fd, const struct wire_order *order)
{
	return order->op == WIRE_UDP_STREAM ? stream_send(fd, order->ns) :
					      echo_send(fd, order->nb, order->sleeps);
}

double
wire_udp_stream(int fd, int peer, uint64_t ns)
{
	const struct wire_order order = { .op = WIRE_UDP_STREAM, .ns = ns };
	uint64_t start = 0, last = 0, now, sum = 0;
	ssize_t len;

	if (!wire_tell(peer, &order, sizeof(order)))
		return 0;
	for (;;) {
		len = recv(fd, bytes, sizeof(bytes), 0);
		now = wire_now_ns();
		if (len > 0) {
			/* The first datagram starts the clock and does not count. */
			sum += start == 0 ? 0 : (uint64_t)len / SEGMENT * WIRE_MTU;
			start = start == 0 ? now : start;
			last = now;
		} else if (wire_has_word(peer)) {
			break;
		} else if (start != 0 && now - start > ns + TIMEOUT_NS) {
			return 0;
		}
	}
	return last > start ? (double)sum * 1e9 / (double)(last - start) : 0;
}

double
wire_udp_round_trip(int fd, int peer, uint32_t nb, bool sleeps)
{
	const struct wire_order order = { .op = WIRE_UDP_ECHO, .nb = nb, .sleeps = sleeps };
	uint64_t start, end;
	uint32_t i;

	/* Drop the rest of a stream. */
	while (recv(fd, bytes, sizeof(bytes), 0) > 0)
		;
	if (!wire_tell(peer, &order, sizeof(order)))
		return 0;
	start = wire_now_ns();
	end = start + TIMEOUT_NS;
	for (i = 0; i < nb; i++) {
		if (send(fd, bytes, ECHO_LEN, 0) != ECHO_LEN)
			return 0;
		while (recv(fd, bytes, sizeof(bytes), 0) <= 0) {
			if (wire_now_ns() > end)
				return 0;
		}
	}
	return (double)(wire_now_ns() - start) / 1e9 / nb;
}
