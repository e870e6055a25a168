/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Received packets: validation and dispatch. All others are dropped and counted. */

#include <string.h>

#include "base/log.h"
#include "include/gid.h"
#include "object/fabric.h"
#include "mlx5_prm_cmd.h"
#include "wire/conn/conn.h"
#include "wire/packet/icrc.h"

/* Maximum batches of one pass. */
#define NB_BATCHES 4u
/* Consecutive wrong packets after which a peer's identification may not be 0. */
#define MAX_WRONG 4u

/* State of the sender of an address; another one may have the same slot. */
static struct swhca_net_peer *
peer_of(struct swhca_net *net, const uint8_t gid[16])
{
	uint32_t hash = (uint32_t)gid[15] + (uint32_t)gid[14] * 7 + (uint32_t)gid[13] * 13;

	return &net->peers[hash % SWHCA_NB_NET_PEERS];
}

/*
 * The ICRC also covers the IPv4 identification, which a socket does not report. It is only searched
 * for where it is not known to be 0, as the search also succeeds for some wrong packets.
 */
static bool
icrc_is_right(struct swhca_net *net, struct swhca_link_packet *in)
{
	struct swhca_net_peer *peer = peer_of(net, in->ip.sgid);
	bool is_known = memcmp(peer->gid, in->ip.sgid, sizeof(peer->gid)) == 0;

	if (swhca_icrc_is_right(&in->ip, in->data, in->len)) {
		memcpy(peer->gid, in->ip.sgid, sizeof(peer->gid));
		peer->nb_wrong = 0;
		return true;
	}
	/* A peer that counts also uses 0 occasionally. */
	if (in->has_id || (is_known && ++peer->nb_wrong < MAX_WRONG))
		return false;
	memset(peer, 0, sizeof(*peer));
	return swhca_icrc_find_id(&in->ip, in->data, in->len, &in->ip.id);
}

/* Find a queue pair that can receive and has the service of a packet, or NULL. */
static struct swhca_qp *
qp_find(const struct swhca_hca *hca, const struct swhca_packet *packet, uint8_t st)
{
	struct swhca_qp *qp =
		(struct swhca_qp *)swhca_table_get(&hca->tables[SWHCA_OBJ_QP], packet->dst_qpn);

	return qp != NULL && swhca_reception_takes(qp, st) ? qp : NULL;
}

/* The machine of a responder is created with its first packet. */
static bool
responder_is_there(struct swhca_conn *conn)
{
	const uint8_t *qpc = conn->qp->qpc;
	const struct swhca_rc_responder_conf conf = {
		.psn = (uint32_t)prm_get(qpc, PRM_QPC_NEXT_RCV_PSN),
		.max_msg = UINT32_C(1) << prm_get(qpc, PRM_QPC_LOG_MSG_MAX),
		.log_mtu = conn->log_mtu,
		.max_dest_rd_atomic = (uint8_t)(1u << prm_get(qpc, PRM_QPC_LOG_RRA_MAX)),
		.credits = SWHCA_AETH_CREDITS_NONE,
	};

	return conn->has_responder || swhca_conn_init_responder(conn, &conf) == 0;
}

/* Receive a packet of a connected service, from the port that its queue pair is connected to. */
static bool
connected_receive(struct swhca_net *net, const struct swhca_link_packet *in,
		  const struct swhca_packet *packet, const uint8_t *payload, uint8_t st)
{
	bool is_request = swhca_opcode_info(packet->opcode)->flags & SWHCA_OPCODE_F_REQUEST;
	struct swhca_qp *qp = qp_find(net->hca, packet, st);
	struct swhca_conn *conn = qp == NULL ? NULL : swhca_conn_of(qp);

	if (conn == NULL || memcmp(conn->ip.dgid, in->ip.sgid, sizeof(in->ip.sgid)) != 0)
		return false;
	if (!swhca_reception_pkey_matches(qp, packet->pkey)) {
		net->hca->stats.wire.nb_bad_pkeys++;
		return true;
	}
	if (!is_request) {
		if (!conn->has_requester)
			return false;
		swhca_request_answered(conn, packet, payload, in->time_ns);
		return true;
	}
	if (!responder_is_there(conn))
		return false;
	swhca_respond(conn, NULL, packet, payload);
	return true;
}

/* @return false: it has no receiver. */
static bool
packet_give(struct swhca_net *net, const struct swhca_link_packet *in,
	    const struct swhca_packet *packet, const uint8_t *payload)
{
	switch (swhca_opcode_transport(packet->opcode)) {
	case SWHCA_TRANSPORT_RC:
		return connected_receive(net, in, packet, payload, PRM_QP_ST_RC);
	case SWHCA_TRANSPORT_UC:
		return connected_receive(net, in, packet, payload, PRM_QP_ST_UC);
	case SWHCA_TRANSPORT_XRC:
		return connected_receive(net, in, packet, payload, PRM_QP_ST_XRC);
	case SWHCA_TRANSPORT_UD:
		return swhca_datagram_receive(net, &in->ip, packet, payload, in->len);
	case SWHCA_TRANSPORT_DC:
		return swhca_dc_receive(net, &in->ip, packet, payload, in->time_ns);
	case SWHCA_TRANSPORT_CNP:
	default:
		return true;
	}
}

/* Group packets of ports of this fabric were already delivered to its members. */
static bool
is_own_echo(const struct swhca_net *net, const struct swhca_packet_ip *ip)
{
	const struct swhca_hca *hca;

	if (!swhca_gid_is_multicast(ip->dgid))
		return false;
	LIST_FOREACH(hca, &net->hca->fabric->hcas, link) {
		if (hca->net != NULL && memcmp(hca->net->link->gid, ip->sgid, 16) == 0)
			return true;
	}
	return false;
}

static void
packet_receive(struct swhca_net *net, struct swhca_link_packet *in)
{
	struct swhca_packet packet;
	int hdr_len;

	if (is_own_echo(net, &in->ip))
		return;
	hdr_len = swhca_packet_parse(in->data, in->len, &packet);
	if (hdr_len < 0) {
		net->hca->stats.wire.nb_malformed++;
		SWHCA_LOG(DEBUG, "packet of %u bytes: %s", in->len, swhca_packet_strerror(hdr_len));
		return;
	}
	if (!icrc_is_right(net, in)) {
		net->hca->stats.wire.rx_icrc_encapsulated++;
		return;
	}
	net->hca->stats.wire.nb_received++;
	net->hca->stats.wire.nb_multicast_received += swhca_gid_is_multicast(in->ip.dgid);
	net->hca->stats.wire.nb_bytes_received += in->len;
	if (packet_give(net, in, &packet, in->data + hdr_len))
		return;
	net->hca->stats.wire.nb_no_qp++;
	SWHCA_LOG(DEBUG, "packet for QP 0x%x, opcode 0x%x, P_Key 0x%x: no such QP",
		  packet.dst_qpn, packet.opcode, packet.pkey);
}

unsigned int
swhca_net_receive(struct swhca_net *net)
{
	struct swhca_link_packet batch[SWHCA_LINK_BATCH];
	bool is_deaf = swhca_net_is_dead(net) || net->hca->is_port_down;
	unsigned int nb, nb_all = 0, i, j;

	for (i = 0; i < NB_BATCHES; i++) {
		nb = net->link->ops->receive(net->link, batch, SWHCA_LINK_BATCH);
		for (j = 0; j < nb && !is_deaf; j++)
			packet_receive(net, &batch[j]);
		nb_all += nb;
		if (nb < SWHCA_LINK_BATCH)
			break;
	}
	return nb_all;
}
