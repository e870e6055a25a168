/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef LINK_BED_H
#define LINK_BED_H

/* Two socket links, and packets between them. Include after cmocka.h. */

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../../../patience.h"
#include "wire/link/link_ops.h"

static inline uint64_t
bed_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static inline struct sockaddr_in
loopback(uint16_t port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(port),
				     .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

/* A UDP socket at a port of 127.0.0.1, 0: a free one, that waits for long. */
static inline int
socket_bind(uint16_t *port)
{
	const struct timeval patience = { .tv_sec = patience_s() };
	struct sockaddr_in addr = loopback(*port);
	socklen_t len = sizeof(addr);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&addr, &len), 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)), 0);
	*port = ntohs(addr.sin_port);
	return fd;
}

static inline void
socket_connect(int fd, uint16_t port)
{
	const struct sockaddr_in addr = loopback(port);

	assert_int_equal(connect(fd, (const struct sockaddr *)&addr, sizeof(addr)), 0);
}

/* Text of a link of frames of 10.9.0.x from a free port to another. @return The free one. */
static inline uint16_t
eth_text(char text[static 64], uint16_t to, unsigned int x)
{
	uint16_t port = 0;

	close(socket_bind(&port));
	snprintf(text, 64, "eth:%u:%u:10.9.0.%u", port, to, x);
	return port;
}

static inline struct swhca_link *
bed_open(const char *wire, const char *impair, const char *capture, unsigned int index)
{
	const struct swhca_link_conf conf = { .wire = wire, .impair = impair, .capture = capture,
					      .index = index };
	struct swhca_link *link;

	assert_int_equal(swhca_link_open(&conf, &link), 0);
	return link;
}

/* The link that carries the packets. */
static inline const struct swhca_link *
bed_bottom(const struct swhca_link *link)
{
	while (link->below != NULL)
		link = link->below;
	return link;
}

/* A packet from one link to another; data is borrowed. */
static inline struct swhca_link_packet
bed_packet(const struct swhca_link *from, const struct swhca_link *to, uint8_t *data, uint32_t len)
{
	struct swhca_link_packet packet = { .data = data, .len = len };

	swhca_link_gid(from, packet.ip.sgid);
	swhca_link_gid(to, packet.ip.dgid);
	packet.ip.src_port = from->src_port;
	packet.ip.is_df = true;
	packet.ip.hop_limit = 64;
	return packet;
}

/* Send all packets in as many calls as necessary. */
static inline void
bed_send(struct swhca_link *from, const struct swhca_link_packet *packets, unsigned int nb)
{
	uint64_t end = patience_end();
	unsigned int done = 0;

	while (done < nb) {
		done += from->ops->send(from, packets + done, nb - done);
		assert_true(!patience_is_over(end));
	}
}

/* Receive packets in one successful call, after waiting. @return 0: none arrived in time. */
static inline unsigned int
bed_receive_some(struct swhca_link *to, struct swhca_link_packet *packets, unsigned int nb,
		 int timeout_ms)
{
	uint64_t now = bed_now_ns(), end = now + (uint64_t)timeout_ms * 1000000u;
	struct pollfd fd = { .fd = to->fd, .events = POLLIN };
	unsigned int got;

	for (;;) {
		got = to->ops->receive(to, packets, nb);
		now = bed_now_ns();
		if (got > 0 || now >= end)
			return got;
		if (to->ops->deadline(to) > now)
			poll(&fd, 1, 1);
	}
}

#endif /* LINK_BED_H */
