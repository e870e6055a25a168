/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Management datagrams to and from the agent of a port.
 *
 * The agent is called without the fabric lock, so that it may send. Received datagrams wait in a
 * ring. A separate lock is held during the call, for which the removal of the agent waits.
 */

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "include/gid.h"
#include "object/fabric.h"
#include "wire/conn/gsi.h"
#include "wire/packet/icrc.h"
#include "xport/port.h"

#define PKEY_DEFAULT 0xffffu
#define TICK_NS 1000000u

struct swhca_gsi {
	pthread_mutex_t lock;	/* of the agent; taken before that of the fabric */
	struct swhca_mad_agent agent;
	bool has_agent;
	uint64_t tick_ns;	/* next tick of the agent */
	uint32_t psn;
	unsigned int head;	/* of the ring, guarded by the fabric lock, like psn */
	unsigned int nb;
	struct swhca_mad ring[SWHCA_MAX_MADS];
	struct swhca_gsi *next;	/* of the fabric: kept as long as it exists */
};

/* The fabric lock is held. @return NULL: no memory. */
static struct swhca_gsi *
gsi_of(struct swhca_hca *hca)
{
	if (hca->gsi != NULL)
		return hca->gsi;
	hca->gsi = swhca_alloc(sizeof(*hca->gsi));
	if (hca->gsi == NULL)
		return NULL;
	pthread_mutex_init(&hca->gsi->lock, NULL);
	hca->gsi->next = hca->fabric->gsis;
	hca->fabric->gsis = hca->gsi;
	return hca->gsi;
}

void
swhca_gsi_destroy_all(struct swhca_fabric *fabric)
{
	struct swhca_gsi *gsi;

	while ((gsi = fabric->gsis) != NULL) {
		fabric->gsis = gsi->next;
		pthread_mutex_destroy(&gsi->lock);
		free(gsi);
	}
}

void
swhca_hca_set_mad_agent(struct swhca_hca *hca, const struct swhca_mad_agent *agent)
{
	struct swhca_gsi *gsi;

	swhca_fabric_lock(hca->fabric);
	gsi = gsi_of(hca);
	swhca_fabric_unlock(hca->fabric);
	if (gsi == NULL) {
		SWHCA_LOG(ERR, "HCA: no memory for management datagrams");
		return;
	}
	pthread_mutex_lock(&gsi->lock);
	gsi->has_agent = agent != NULL;
	if (agent != NULL)
		gsi->agent = *agent;
	pthread_mutex_unlock(&gsi->lock);
}

/* @return false: the ring is full, or there is no agent. */
static bool
gsi_put(struct swhca_gsi *gsi, const struct swhca_mad *mad)
{
	if (gsi == NULL || gsi->nb == SWHCA_MAX_MADS)
		return false;
	gsi->ring[(gsi->head + gsi->nb++) % SWHCA_MAX_MADS] = *mad;
	return true;
}

bool
swhca_gsi_receive(struct swhca_hca *hca, const struct swhca_packet_ip *ip,
		  const struct swhca_packet *packet, const uint8_t *payload)
{
	struct swhca_mad mad = { .src_qpn = packet->src_qpn };

	if (packet->qkey != SWHCA_GSI_QKEY || packet->payload_len != SWHCA_MAD_LEN ||
	    !swhca_pkey_matches(PKEY_DEFAULT, packet->pkey))
		return false;
	memcpy(mad.sgid, ip->sgid, sizeof(mad.sgid));
	memcpy(mad.dgid, ip->dgid, sizeof(mad.dgid));
	memcpy(mad.data, payload, SWHCA_MAD_LEN);
	return gsi_put(hca->gsi, &mad);
}

/* Check whether an address belongs to a device, in any of its forms (gid.h). */
static bool
hca_has_gid(const struct swhca_hca *hca, const uint8_t gid[16])
{
	const uint8_t *own;
	uint8_t addr[16];
	unsigned int i;

	if (hca->net != NULL && memcmp(hca->net->link->gid, gid, 16) == 0)
		return true;
	for (i = 0; i < SWHCA_NB_ROCE_ADDRS; i++) {
		own = swhca_port_gid(hca, i);
		if (own != NULL && memcmp(own, gid, 16) == 0)
			return true;
	}
	if (hca->conf.link_layer == SWHCA_LINK_IB) {
		swhca_gid_wire_addr(hca->ib_gid, addr);
		return memcmp(addr, gid, sizeof(addr)) == 0;
	}
	return false;
}

static const struct swhca_packet mad_packet = {
	.opcode = SWHCA_OPCODE(SWHCA_TRANSPORT_UD, SWHCA_PACKET_SEND_ONLY),
	.is_migrated = true,
	.pkey = PKEY_DEFAULT,
	.dst_qpn = SWHCA_GSI_QPN,
	.src_qpn = SWHCA_GSI_QPN,
	.qkey = SWHCA_GSI_QKEY,
	.payload_len = SWHCA_MAD_LEN,
};

static int
net_send(struct swhca_net *net, uint32_t psn, const struct swhca_mad *mad)
{
	struct swhca_packet packet = mad_packet;
	struct swhca_packet_ip ip;
	uint8_t *payload;

	packet.psn = psn & SWHCA_24_BITS;
	swhca_net_ip_init(net, mad->dgid, &ip);
	/* Lost if there is no room, as on any wire. */
	if (!swhca_tx_has_room(net))
		return 0;
	payload = swhca_tx_begin(net, &ip, &packet);
	if (payload == NULL)
		return -ENETUNREACH;
	memcpy(payload, mad->data, SWHCA_MAD_LEN);
	swhca_tx_end(net);
	swhca_tx_flush(net);
	return 0;
}

/* Find the device of the fabric with an address, or NULL. */
static struct swhca_hca *
hca_find(const struct swhca_fabric *fabric, const uint8_t gid[16])
{
	struct swhca_hca *hca;

	LIST_FOREACH(hca, &fabric->hcas, link) {
		if (!hca->is_failed && hca_has_gid(hca, gid))
			return hca;
	}
	return NULL;
}

static int
mad_send(struct swhca_hca *hca, const struct swhca_mad *mad)
{
	struct swhca_gsi *gsi = gsi_of(hca);
	struct swhca_hca *other;

	if (hca->is_failed)
		return -ENODEV;
	if (hca->is_halted || gsi == NULL)
		return 0;
	other = hca_find(hca->fabric, mad->dgid);
	if (other != NULL) {
		if (!other->is_halted)
			gsi_put(other->gsi, mad);
		return 0;
	}
	return hca->net == NULL ? -ENETUNREACH : net_send(hca->net, gsi->psn++, mad);
}

int
swhca_hca_mad_send(struct swhca_hca *hca, const struct swhca_mad *mad)
{
	int ret;

	swhca_fabric_lock(hca->fabric);
	ret = mad_send(hca, mad);
	swhca_fabric_unlock(hca->fabric);
	return ret;
}

static int
mad_build(struct swhca_hca *hca, const struct swhca_mad *mad, struct swhca_mad_packet *out)
{
	struct swhca_packet_ip ip;
	int hdr_len;
	uint32_t crc;

	if (hca->net == NULL || hca_find(hca->fabric, mad->dgid) != NULL)
		return -ENETUNREACH;
	swhca_net_ip_init(hca->net, mad->dgid, &ip);
	hdr_len = swhca_packet_build(&mad_packet, out->bytes, sizeof(out->bytes));
	if (hdr_len < 0)
		return -ENETUNREACH;
	memcpy(out->sgid, ip.sgid, sizeof(out->sgid));
	memcpy(out->dgid, ip.dgid, sizeof(out->dgid));
	out->src_port = ip.src_port;
	out->dst_port = SWHCA_ROCE_UDP_PORT;
	out->len = (uint16_t)swhca_packet_len(&mad_packet);
	memcpy(out->bytes + hdr_len, mad->data, SWHCA_MAD_LEN);
	crc = swhca_icrc_begin(&ip, out->bytes, (size_t)hdr_len, out->len);
	crc = swhca_icrc_update(crc, out->bytes + hdr_len, SWHCA_MAD_LEN);
	swhca_icrc_put(crc, out->bytes + out->len - SWHCA_ICRC_LEN);
	return 0;
}

int
swhca_hca_mad_build(struct swhca_hca *hca, const struct swhca_mad *mad,
		    struct swhca_mad_packet *out)
{
	int ret;

	swhca_fabric_lock(hca->fabric);
	ret = mad_build(hca, mad, out);
	swhca_fabric_unlock(hca->fabric);
	return ret;
}

/* Get the next datagram of a device. @return false: there is none. */
static bool
gsi_take(struct swhca_fabric *fabric, struct swhca_gsi *gsi, struct swhca_mad *mad)
{
	bool has_one;

	swhca_fabric_lock(fabric);
	has_one = gsi->nb != 0;
	if (has_one) {
		*mad = gsi->ring[gsi->head++ % SWHCA_MAX_MADS];
		gsi->nb--;
	}
	swhca_fabric_unlock(fabric);
	return has_one;
}

static void
hca_deliver(struct swhca_fabric *fabric, struct swhca_gsi *gsi, uint64_t now)
{
	struct swhca_mad mad;

	pthread_mutex_lock(&gsi->lock);
	while (gsi_take(fabric, gsi, &mad)) {
		if (gsi->has_agent)
			gsi->agent.receive(gsi->agent.arg, &mad);
	}
	if (gsi->has_agent && gsi->agent.tick != NULL && now >= gsi->tick_ns) {
		gsi->tick_ns = now + TICK_NS;
		gsi->agent.tick(gsi->agent.arg, now);
	}
	pthread_mutex_unlock(&gsi->lock);
}

void
swhca_gsi_deliver(struct swhca_fabric *fabric)
{
	struct swhca_gsi *gsi;
	uint64_t now;

	swhca_fabric_lock(fabric);
	gsi = fabric->gsis;
	swhca_fabric_unlock(fabric);
	if (gsi == NULL)
		return;
	now = swhca_now_ns();
	/* New ones are added before it. */
	for (; gsi != NULL; gsi = gsi->next)
		hca_deliver(fabric, gsi, now);
}
