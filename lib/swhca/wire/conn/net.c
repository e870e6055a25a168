/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Port on a link, and addresses of its packets. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "eth/switch.h"
#include "include/gid.h"
#include "object/fabric.h"
#include "wire/conn/conn.h"
#include "xport/port.h"

/* Linux: the default of IP_TTL, and of a RoCE path without a value. */
#define HOP_LIMIT 64u
/* IBTA 4.1.3: first LID of groups. */
#define LID_MULTICAST 0xc000u

/* Frames that the link does not accept are lost: only their sender can resend them. */
static void
frame_out(struct swhca_hca *hca, const uint8_t *frame, size_t len)
{
	struct swhca_link *link = swhca_link_bottom(hca->net->link);

	(void)link->ops->send_frame(link, frame, len);
}

static void
frame_in(void *arg, const uint8_t *frame, size_t len)
{
	swhca_switch_receive(arg, frame, len);
}

/* A link of frames also carries those of the port's net device. */
static void
frames_join(struct swhca_hca *hca, struct swhca_link *link)
{
	if (link->ops->send_frame == NULL || hca->conf.link_layer != SWHCA_LINK_ETH ||
	    !hca->conf.has_driver)
		return;
	hca->frame_out = frame_out;
	link->frame = frame_in;
	link->frame_arg = hca;
}

int
swhca_hca_set_link(struct swhca_hca *hca, struct swhca_link *link)
{
	struct swhca_net *net = swhca_alloc(sizeof(*net));
	int ret = 0;

	if (net == NULL)
		return -ENOMEM;
	net->hca = hca;
	net->link = link;
	net->deadline = SWHCA_RC_NEVER;
	TAILQ_INIT(&net->active);
	LIST_INIT(&net->conns);
	net->tx.buf = malloc(SWHCA_TX_SIZE);
	if (net->tx.buf == NULL) {
		free(net);
		return -ENOMEM;
	}
	swhca_fabric_lock(hca->fabric);
	if (hca->net != NULL) {
		ret = -EBUSY;
	} else {
		net->skipped_ns = hca->fabric->skipped_ns;
		hca->net = net;
		frames_join(hca, swhca_link_bottom(link));
	}
	swhca_fabric_unlock(hca->fabric);
	if (ret != 0) {
		free(net->tx.buf);
		free(net);
	}
	return ret;
}

int
swhca_hca_set_impair(struct swhca_hca *hca, const char *text)
{
	int ret = -ENODEV;

	swhca_fabric_lock(hca->fabric);
	if (hca->net != NULL)
		ret = swhca_link_set_impair(hca->net->link, text);
	swhca_fabric_unlock(hca->fabric);
	return ret;
}

int
swhca_hca_impair_stats_get(struct swhca_hca *hca, struct swhca_link_impair_stats *stats)
{
	int ret = -ENODEV;

	swhca_fabric_lock(hca->fabric);
	if (hca->net != NULL) {
		swhca_link_impair_stats_get(hca->net->link, stats);
		ret = 0;
	}
	swhca_fabric_unlock(hca->fabric);
	return ret;
}

void
swhca_net_destroy(struct swhca_net *net)
{
	if (net == NULL)
		return;
	while (!LIST_EMPTY(&net->conns))
		swhca_conn_destroy(LIST_FIRST(&net->conns));
	swhca_link_close(net->link);
	free(net->tx.buf);
	free(net);
}

void
swhca_net_gid_of_lid(const struct swhca_net *net, uint16_t lid, uint8_t gid[16])
{
	memcpy(gid, net->link->gid, 16);
	gid[14] = (uint8_t)(lid >> 8);
	gid[15] = (uint8_t)lid;
}

void
swhca_net_ip_init(const struct swhca_net *net, const uint8_t dgid[16], struct swhca_packet_ip *ip)
{
	*ip = (struct swhca_packet_ip){
		.src_port = net->link->src_port,
		.is_df = true,
		.hop_limit = HOP_LIMIT,
	};
	memcpy(ip->sgid, net->link->gid, sizeof(ip->sgid));
	memcpy(ip->dgid, dgid, sizeof(ip->dgid));
}

/* Get the address that a MAC address is derived from (include/link.h), as a GID. */
static bool
gid_of_mac(const uint8_t mac[6], uint8_t gid[16])
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	if (mac[0] != 0x02 || mac[1] != 0x00)
		return false;
	memcpy(gid, mapped, sizeof(mapped));
	memcpy(gid + sizeof(mapped), mac + 2, 4);
	return true;
}

/* On InfiniBand the GID may be unused. */
static bool
is_group(const struct swhca_net *net, const struct swhca_addr *addr)
{
	return net->hca->conf.link_layer == SWHCA_LINK_IB ?
	       addr->has_grh && addr->lid >= LID_MULTICAST :
	       swhca_port_gid(net->hca, addr->src_index) != NULL;
}

/* Get the GID of an address on the link; false: none. */
static bool
gid_of_addr(const struct swhca_net *net, const struct swhca_addr *addr, uint8_t gid[16])
{
	bool is_ipv4 = swhca_gid_is_ipv4(net->link->gid);

	if (swhca_gid_is_multicast(addr->gid) && is_group(net, addr)) {
		swhca_gid_group_addr(addr->gid, is_ipv4, gid);
		return swhca_gid_is_ipv4(gid) == is_ipv4;
	}
	if (net->hca->conf.link_layer == SWHCA_LINK_IB) {
		if (!is_ipv4 || addr->lid == 0)
			return false;
		swhca_net_gid_of_lid(net, addr->lid, gid);
		return true;
	}
	if (swhca_port_gid(net->hca, addr->src_index) == NULL)
		return false;
	if (swhca_gid_is_ipv4(addr->gid) != is_ipv4)
		return is_ipv4 && gid_of_mac(addr->mac, gid);
	memcpy(gid, addr->gid, sizeof(addr->gid));
	return true;
}

bool
swhca_net_route(const struct swhca_net *net, const struct swhca_addr *addr,
		struct swhca_packet_ip *ip)
{
	uint8_t gid[16];

	if (!gid_of_addr(net, addr, gid))
		return false;
	swhca_net_ip_init(net, gid, ip);
	return true;
}

void
swhca_net_group(struct swhca_net *net, const uint8_t gid[16], bool is_member)
{
	struct swhca_link *link = swhca_link_bottom(net->link);
	uint8_t addr[16];

	swhca_gid_group_addr(gid, swhca_gid_is_ipv4(net->link->gid), addr);
	if (link->ops->group != NULL &&
	    swhca_gid_is_ipv4(addr) == swhca_gid_is_ipv4(net->link->gid))
		link->ops->group(link, addr, is_member);
}

unsigned int
swhca_net_poll(struct swhca_net *net)
{
	uint64_t now = swhca_now_ns();
	unsigned int nb;

	/* A paused device handles received packets when it resumes. */
	if (net->hca->stall_end_ns != 0)
		return 0;
	nb = swhca_net_receive(net);

	if (net->skipped_ns != net->hca->fabric->skipped_ns) {
		swhca_conn_skip_all(net, net->hca->fabric->skipped_ns - net->skipped_ns);
		net->skipped_ns = net->hca->fabric->skipped_ns;
	}

	/* A removed or halted device neither receives nor sends. */
	if (swhca_net_is_dead(net))
		return nb;
	swhca_conn_tick_all(net, now);
	nb += swhca_conn_send_all(net, now);
	nb += swhca_tx_flush(net);
	return nb;
}
