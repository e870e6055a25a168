/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef LINK_BED_H
#define LINK_BED_H

/* Two socket links, and packets between them. Include after cmocka.h. */

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../../../patience.h"
#include "wire/link/link_ops.h"


static inline uint64_t
bed_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
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
