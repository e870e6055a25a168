/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Datagrams: one packet each, without an answer; to a queue pair, or to those of a group. */

#include <string.h>

#include "include/gid.h"
#include "mem/payload.h"
#include "mlx5_prm_cmd.h"
#include "wire/conn/conn.h"
#include "wire/conn/gsi.h"
#include "xport/mcg.h"
#include "xport/port.h"

/* Retry interval of a datagram that had no room. */
#define ROOM_WAIT_NS 5000u
/* All queue pairs of a group (IBTA 3.5.3). */
#define QPN_MULTICAST 0xffffffu
#define NEXT_HEADER_IBA 0x1bu

static void
packet_fill(const struct swhca_wire_req *req, struct swhca_packet *packet)
{
	uint8_t type = req->flags & SWHCA_WIRE_F_IMM ? SWHCA_PACKET_SEND_ONLY_IMM :
						       SWHCA_PACKET_SEND_ONLY;

	*packet = (struct swhca_packet){
		.opcode = SWHCA_OPCODE(SWHCA_TRANSPORT_UD, type),
		.is_solicited = (req->flags & SWHCA_WIRE_F_SOLICITED) != 0,
		.is_migrated = true,
		.pkey = req->pkey,
		.dst_qpn = req->dst_qpn,
		.psn = req->msn & SWHCA_24_BITS,
		.src_qpn = req->src_qpn,
		.qkey = req->qkey,
		.imm_be = req->imm,
		.payload_len = (uint16_t)req->len,
	};
}

void
swhca_datagram_send(struct swhca_qp *qp, const struct swhca_wire_req *req,
		    struct swhca_wire_answer *answer)
{
	struct swhca_net *net = qp->hca->net;
	struct swhca_packet_ip ip;
	struct swhca_packet packet;
	struct swhca_span all;
	struct swhca_spans dst = { .list = &all, .nb = 1, .len = req->len };
	uint8_t *payload;

	if (!swhca_net_route(net, &req->addr, &ip))
		return;
	if (!swhca_tx_has_room(net)) {
		answer->status = SWHCA_WIRE_BUSY;
		answer->wait_ns = ROOM_WAIT_NS;
		return;
	}
	packet_fill(req, &packet);
	payload = swhca_tx_begin(net, &ip, &packet);
	if (payload == NULL)
		return;
	all = swhca_span_of(payload, req->len);
	if (swhca_payload_copy(qp->hca, &dst, req->payload) != 0) {
		answer->status = SWHCA_WIRE_LOCAL_FAULT;
		return;
	}
	swhca_tx_end(net);
	answer->status = SWHCA_WIRE_ACK;
}

static void
req_fill(const struct swhca_net *net, const struct swhca_packet_ip *ip,
	 const struct swhca_packet *packet, struct swhca_wire_req *req)
{
	*req = (struct swhca_wire_req){
		.op = SWHCA_WIRE_SEND,
		.st = PRM_QP_ST_UD,
		.flags = packet->is_solicited ? SWHCA_WIRE_F_SOLICITED : 0,
		.pkey = packet->pkey,
		.src_qpn = packet->src_qpn,
		.dst_qpn = packet->dst_qpn,
		.psn = packet->psn,
		.nb_packets = 1,
		.len = packet->payload_len,
		.msg_len = packet->payload_len,
		.qkey = packet->qkey,
	};
	if (swhca_opcode_type(packet->opcode) == SWHCA_PACKET_SEND_ONLY_IMM) {
		req->flags |= SWHCA_WIRE_F_IMM;
		req->imm = packet->imm_be;
	}
	if (net->hca->conf.link_layer == SWHCA_LINK_IB)
		req->slid = (uint16_t)(ip->sgid[14] << 8 | ip->sgid[15]);
}

/* Fill the network header for the receiver: the address of a group may differ on the wire. */
static void
grh_fill(const struct swhca_net *net, const struct swhca_packet_ip *ip, const uint8_t *mgid,
	 size_t ib_len, struct swhca_wire_req *req, uint8_t *grh)
{
	bool is_ib = net->hca->conf.link_layer == SWHCA_LINK_IB;
	struct swhca_packet_ip seen = *ip;

	if (mgid != NULL && memcmp(mgid, ip->dgid, sizeof(seen.dgid)) != 0) {
		memcpy(seen.dgid, mgid, sizeof(seen.dgid));
		swhca_gid_link_local(ip->sgid, is_ib, seen.sgid);
	}
	swhca_packet_grh(&seen, ib_len, grh);
	req->grh = grh;
	if (!is_ib) {
		req->l3 = swhca_gid_is_ipv4(seen.dgid) ? PRM_CQE_L3_IPV4 : PRM_CQE_L3_IPV6;
		return;
	}
	/* IBTA 8.3: no UDP follows. */
	grh[4] = (uint8_t)(ib_len >> 8);
	grh[5] = (uint8_t)ib_len;
	grh[6] = NEXT_HEADER_IBA;
}

/* @return false: it is not for that queue pair. */
static bool
qp_receive(struct swhca_net *net, struct swhca_qp *qp, const struct swhca_packet_ip *ip,
	   const struct swhca_packet *packet, const uint8_t *payload, size_t ib_len,
	   const uint8_t *mgid)
{
	struct swhca_span all = swhca_span_of(payload, packet->payload_len);
	const struct swhca_spans src = { .list = &all, .nb = 1, .len = packet->payload_len };
	struct swhca_reception rx = { .spans = &net->hca->fabric->remote };
	struct swhca_wire_answer answer;
	uint8_t grh[SWHCA_GRH_LEN];
	struct swhca_wire_req req;

	if (!swhca_reception_takes(qp, PRM_QP_ST_UD))
		return false;
	if (!swhca_reception_pkey_matches(qp, packet->pkey)) {
		net->hca->stats.wire.nb_bad_pkeys++;
		return true;
	}
	if (prm_get(qp->qpc, PRM_QPC_Q_KEY) != packet->qkey) {
		net->hca->stats.wire.nb_bad_qkeys++;
		return true;
	}
	req_fill(net, ip, packet, &req);
	if (net->hca->conf.link_layer == SWHCA_LINK_ETH || mgid != NULL)
		grh_fill(net, ip, mgid, ib_len, &req, grh);
	rx.req = &req;
	if (!swhca_reception_begin(&rx, qp, &answer))
		return answer.status != SWHCA_WIRE_LOST;
	swhca_reception_end(&rx, swhca_payload_copy(net->hca, rx.spans, &src), &answer);
	return true;
}

/* Deliver a copy to each group member at the port. @return Whether any accepted it. */
static bool
group_receive(struct swhca_net *net, const struct swhca_packet_ip *ip,
	      const struct swhca_packet *packet, const uint8_t *payload, size_t ib_len)
{
	bool is_ipv4 = swhca_gid_is_ipv4(net->link->gid), is_for_some = false;
	const struct swhca_mcg_member *member;
	uint8_t addr[16];

	LIST_FOREACH(member, &net->hca->mcg_members, link) {
		swhca_gid_group_addr(member->gid, is_ipv4, addr);
		if (memcmp(addr, ip->dgid, sizeof(addr)) == 0 &&
		    qp_receive(net, member->qp, ip, packet, payload, ib_len, member->gid))
			is_for_some = true;
	}
	return is_for_some;
}

bool
swhca_datagram_receive(struct swhca_net *net, const struct swhca_packet_ip *ip,
		       const struct swhca_packet *packet, const uint8_t *payload, size_t ib_len)
{
	struct swhca_qp *qp;

	if (packet->dst_qpn == QPN_MULTICAST)
		return swhca_gid_is_multicast(ip->dgid) &&
		       group_receive(net, ip, packet, payload, ib_len);
	qp = swhca_qp_find(net->hca, packet->dst_qpn);
	if (packet->dst_qpn == SWHCA_GSI_QPN && qp == NULL)
		return swhca_gsi_receive(net->hca, ip, packet, payload);
	return qp != NULL && qp_receive(net, qp, ip, packet, payload, ib_len, NULL);
}
