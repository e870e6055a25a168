/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Link that captures packets: directly above the link with the sockets, so that it shows what is on
 * the wire. A packet is written after the link below has accepted it, thus possibly after a fast
 * answer; the time stamps show the order.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "wire/link/capture_file.h"
#include "wire/link/open.h"
#include "wire/link/pcapng.h"
#include "wire/packet/icrc.h"

#define NS_PER_S 1000000000ull
#define IOVS_PER_PACKET 3u

struct capture {
	struct swhca_link link;
	struct swhca_capture_file *file;
	uint32_t interface;
	uint64_t epoch_ns;	/* CLOCK_MONOTONIC 0, since 1970. */
	/* For the packets of one call. */
	uint8_t heads[SWHCA_LINK_BATCH][SWHCA_PCAPNG_HEAD_MAX];
	uint8_t tails[SWHCA_LINK_BATCH][SWHCA_PCAPNG_TAIL_MAX];
	struct iovec iovs[SWHCA_LINK_BATCH * IOVS_PER_PACKET];
};

/*
 * Headers as on the wire. A socket does not report the identification; the ICRC covers it if the
 * sender uses one.
 */
static struct swhca_packet_ip
ip_of(const struct swhca_link_packet *packet, bool is_outbound)
{
	struct swhca_packet_ip ip = packet->ip;

	if (ip.hop_limit == 0)
		ip.hop_limit = SWHCA_LINK_HOP_LIMIT;
	if (!is_outbound && !packet->has_id &&
	    !swhca_icrc_is_right(&ip, packet->data, packet->len))
		(void)swhca_icrc_find_id(&ip, packet->data, packet->len, &ip.id);
	return ip;
}

/* @return Number of pieces of the block. */
static unsigned int
block_put(struct capture *capture, const struct swhca_link_packet *packet, bool is_outbound,
	  unsigned int at, struct iovec *iovs)
{
	const struct swhca_packet_ip ip = ip_of(packet, is_outbound);
	const struct swhca_pcapng_packet block = {
		.interface = capture->interface, .is_outbound = is_outbound,
		.time_ns = capture->epoch_ns + packet->time_ns, .ip = &ip,
		.data = packet->data, .len = packet->len };
	int head_len = swhca_pcapng_head(&block, capture->heads[at]);

	if (head_len < 0)
		return 0;
	iovs[0] = (struct iovec){ .iov_base = capture->heads[at], .iov_len = (size_t)head_len };
	iovs[1] = (struct iovec){ .iov_base = packet->data, .iov_len = packet->len };
	iovs[2].iov_base = capture->tails[at];
	iovs[2].iov_len = swhca_pcapng_tail(&block, capture->tails[at]);
	return IOVS_PER_PACKET;
}

static void
packets_write(struct capture *capture, const struct swhca_link_packet *packets, unsigned int nb,
	      bool is_outbound)
{
	uint64_t now = is_outbound ? swhca_now_ns() : 0;
	struct swhca_link_packet packet;
	unsigned int i, nb_iovs = 0;

	for (i = 0; i < nb; i++) {
		packet = packets[i];
		if (is_outbound)
			packet.time_ns = now;
		nb_iovs += block_put(capture, &packet, is_outbound, i, &capture->iovs[nb_iovs]);
	}
	if (nb_iovs > 0)
		swhca_capture_file_write(capture->file, capture->iovs, (int)nb_iovs);
}

static unsigned int
capture_send(struct swhca_link *link, const struct swhca_link_packet *packets, unsigned int nb)
{
	unsigned int taken;

	if (nb > SWHCA_LINK_BATCH)
		nb = SWHCA_LINK_BATCH;
	taken = link->below->ops->send(link->below, packets, nb);
	packets_write((struct capture *)link, packets, taken, true);
	return taken;
}

static unsigned int
capture_receive(struct swhca_link *link, struct swhca_link_packet *packets, unsigned int nb)
{
	unsigned int got = link->below->ops->receive(link->below, packets, nb);

	packets_write((struct capture *)link, packets, got, false);
	return got;
}

static uint64_t
capture_deadline(const struct swhca_link *link)
{
	return link->below->ops->deadline(link->below);
}

static void
capture_close(struct swhca_link *link)
{
	struct capture *capture = (struct capture *)link;

	swhca_capture_file_close(capture->file);
	link->below->ops->close(link->below);
	free(capture);
}

static const struct swhca_link_ops capture_ops = {
	.send = capture_send,
	.receive = capture_receive,
	.deadline = capture_deadline,
	.close = capture_close,
};

static uint64_t
epoch_get(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec - swhca_now_ns();
}

int
swhca_capture_open(const struct swhca_link_conf *conf, struct swhca_link *below,
		   struct swhca_link **out)
{
	struct capture *capture = swhca_alloc(sizeof(*capture));
	char name[32];
	int ret;

	if (capture == NULL)
		return -ENOMEM;
	snprintf(name, sizeof(name), "swhca%u", conf->index);
	ret = swhca_capture_file_open(conf->capture, name, conf->wire, &capture->file,
				      &capture->interface);
	if (ret != 0) {
		free(capture);
		return ret;
	}
	swhca_link_stand_on(&capture->link, &capture_ops, below);
	capture->epoch_ns = epoch_get();
	*out = &capture->link;
	return 0;
}
