/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "cases.h"
#include "base/clock.h"
#include "memlink.h"
#include "object/fabric.h"
#include "wire/conn/net.h"

#define NB_FRAMES 4096u
#define MAX_LEN 4352u

struct frame {
	struct swhca_packet_ip ip;
	uint32_t len;
	uint8_t data[MAX_LEN];
};

struct memlink {
	struct swhca_link base;
	struct swhca_hca *hca;
	unsigned int head;
	unsigned int nb;
	struct frame frames[NB_FRAMES];
};

static const struct swhca_link_ops memlink_ops;

/* Addresses of RoCE come by commands. */
static void
address_update(struct memlink *link)
{
	const struct swhca_hca *hca = link->hca;
	uint8_t *gid = link->base.gid;

	if (hca->conf.link_layer == SWHCA_LINK_ETH) {
		memcpy(gid, hca->roce_addrs[0].gid, 16);
		return;
	}
	memset(gid, 0, 16);
	gid[10] = gid[11] = 0xff;
	gid[12] = 127;
	gid[14] = (uint8_t)(hca->conf.lid >> 8);
	gid[15] = (uint8_t)hca->conf.lid;
}

static struct memlink *
peer_find(struct memlink *from, const uint8_t gid[16])
{
	struct swhca_hca *hca;
	struct memlink *link;

	LIST_FOREACH(hca, &from->hca->fabric->hcas, link) {
		if (hca->net == NULL)
			continue;
		link = (struct memlink *)hca->net->link;
		address_update(link);
		if (memcmp(link->base.gid, gid, 16) == 0)
			return link;
	}
	return NULL;
}

static void
frame_put(struct memlink *to, const struct swhca_packet_ip *ip, const uint8_t *data, uint32_t len)
{
	struct frame *frame = &to->frames[(to->head + to->nb++) % NB_FRAMES];

	assert_in_range(len, 0, MAX_LEN);
	frame->ip = *ip;
	frame->len = len;
	memcpy(frame->data, data, len);
}

void
memlink_inject(struct swhca_hca *to, const struct swhca_packet_ip *ip, const uint8_t *data,
	       uint32_t len)
{
	frame_put((struct memlink *)to->net->link, ip, data, len);
}

static unsigned int
memlink_send(struct swhca_link *base, const struct swhca_link_packet *packets, unsigned int nb)
{
	struct memlink *link = (struct memlink *)base, *peer;
	unsigned int i;

	for (i = 0; i < nb; i++) {
		peer = peer_find(link, packets[i].ip.dgid);
		if (peer == NULL)
			continue;
		if (peer->nb == NB_FRAMES)
			break;
		frame_put(peer, &packets[i].ip, packets[i].data, packets[i].len);
	}
	return i;
}

static unsigned int
memlink_receive(struct swhca_link *base, struct swhca_link_packet *packets, unsigned int nb)
{
	struct memlink *link = (struct memlink *)base;
	struct frame *frame;
	unsigned int i;

	address_update(link);
	for (i = 0; i < nb && link->nb > 0; i++, link->nb--) {
		frame = &link->frames[link->head++ % NB_FRAMES];
		packets[i] = (struct swhca_link_packet){
			.ip = frame->ip,
			.has_id = true,
			.data = frame->data,
			.len = frame->len,
			.time_ns = swhca_now_ns(),
		};
	}
	return i;
}

static void
memlink_close(struct swhca_link *base)
{
	free(base);
}

static const struct swhca_link_ops memlink_ops = {
	.send = memlink_send,
	.receive = memlink_receive,
	.close = memlink_close,
};

struct swhca_link *
memlink_create(struct swhca_hca *hca)
{
	struct memlink *link = NOT_NULL(calloc(1, sizeof(*link)));

	link->base = (struct swhca_link){
		.ops = &memlink_ops,
		.fd = -1,
		.src_port = SWHCA_ROCE_UDP_PORT,
		.mtu = MAX_LEN,
	};
	link->hca = hca;
	address_update(link);
	return &link->base;
}
