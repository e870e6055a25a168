/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Datagrams: to one queue pair, or to all that joined a multicast group.
 */

#include <endian.h>
#include <inttypes.h>
#include <string.h>

#include "mlx5_prm_cmd.h"
#include "base/log.h"
#include "include/gid.h"
#include "mem/mkey.h"
#include "xport/mcg.h"
#include "xport/port.h"
#include "xport/transfer.h"
#include "xport/ud.h"
#include "xport/xport.h"

/* IBTA 10.2.5: a Q_Key with this bit in the work request stands for the one of the QP. */
#define QKEY_PRIVILEGED 0x80000000u

/* Global route header, also of RoCE (IBTA 8.3), and what it says is behind it. */
#define GRH_LEN 40u
#define GRH_VERSION 6u
#define GRH_NEXT_HEADER_IBA 0x1bu
#define BTH_DETH_ICRC_LEN (12u + 8u + 4u)
#define IMM_LEN 4u

/* RoCE 2 has UDP instead of that (IBTA A17). */
#define IPV4_LEN 20u
#define IPV4_DONT_FRAGMENT 0x40u
#define IP_PROTO_UDP 17u
#define UDP_LEN 8u

#define LID_MULTICAST 0xc000u
#define QPN_MULTICAST 0xffffffu

/* What goes with the bytes of one datagram. */
struct datagram {
	struct swhca_message msg;
	struct swhca_addr addr;
	uint32_t qpn;
	uint32_t qkey;
	uint16_t pkey;
	uint8_t grh[GRH_LEN];
};

/* Bytes of the packet behind the network header, up to and with the ICRC. */
static uint16_t
packet_len(const struct swhca_wqe *wqe, const struct datagram *dgram)
{
	return (uint16_t)(BTH_DETH_ICRC_LEN + ((dgram->msg.payload->len + 3u) & ~3u) +
			  (wqe->opcode == MLX5_OPCODE_SEND_IMM ? IMM_LEN : 0));
}

static void
grh_fill(const struct swhca_wqe *wqe, struct datagram *dgram, const uint8_t *sgid,
	 uint8_t next_header, uint16_t len)
{
	const struct mlx5_wqe_av *av = wqe->av;
	uint32_t flow = be32toh(av->grh_gid_fl) & 0xfffff;
	uint32_t first = htobe32(GRH_VERSION << 28 | (uint32_t)av->tclass << 20 | flow);
	uint16_t pay_len = htobe16(len);

	memcpy(dgram->grh, &first, sizeof(first));
	memcpy(dgram->grh + 4, &pay_len, sizeof(pay_len));
	dgram->grh[6] = next_header;
	dgram->grh[7] = av->hop_limit;
	memcpy(dgram->grh + 8, sgid, 16);
	memcpy(dgram->grh + 24, dgram->addr.gid, 16);
}

/* An IPv4 header takes the second half (IBTA A17.4.5.1); the first is 0. */
static void
ipv4_fill(const struct swhca_wqe *wqe, struct datagram *dgram, const uint8_t *sgid, uint16_t len)
{
	uint8_t *ip = dgram->grh + GRH_LEN - IPV4_LEN;
	uint16_t total = htobe16((uint16_t)(len + IPV4_LEN));
	uint32_t sum = 0, i;

	ip[0] = 4u << 4 | IPV4_LEN / 4;
	ip[1] = wqe->av->tclass;
	memcpy(ip + 2, &total, sizeof(total));
	ip[6] = IPV4_DONT_FRAGMENT;
	ip[8] = wqe->av->hop_limit;
	ip[9] = IP_PROTO_UDP;
	/* Addresses are mapped into GIDs: ::ffff:a.b.c.d */
	memcpy(ip + 12, sgid + 12, 4);
	memcpy(ip + 16, dgram->addr.gid + 12, 4);
	for (i = 0; i < IPV4_LEN; i += 2)
		sum += (uint32_t)ip[i] << 8 | ip[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	sum = ~(sum + (sum >> 16)) & 0xffff;
	ip[10] = (uint8_t)(sum >> 8);
	ip[11] = (uint8_t)sum;
}

/*
 * What a router would have seen, in front of the payload; RoCE always has it.
 *
 * @return false: without an own address no packet leaves.
 */
static bool
head_fill(const struct swhca_qp *qp, const struct swhca_wqe *wqe, struct datagram *dgram)
{
	const uint8_t *sgid = swhca_port_gid(qp->hca, dgram->addr.src_index);
	uint16_t len = packet_len(wqe, dgram);
	const struct swhca_roce_addr *own;

	if (sgid == NULL)
		return false;
	own = &qp->hca->roce_addrs[dgram->addr.src_index];
	if (qp->hca->conf.link_layer != SWHCA_LINK_ETH || own->version == PRM_ROCE_VERSION_1) {
		grh_fill(wqe, dgram, sgid, GRH_NEXT_HEADER_IBA, len);
	} else if (own->l3_type == PRM_ROCE_L3_TYPE_IPV4) {
		ipv4_fill(wqe, dgram, sgid, (uint16_t)(len + UDP_LEN));
		dgram->msg.flags_rqpn |= PRM_CQE_FLAGS_RQPN_L3(PRM_CQE_L3_IPV4);
	} else {
		grh_fill(wqe, dgram, sgid, IP_PROTO_UDP, (uint16_t)(len + UDP_LEN));
		dgram->msg.flags_rqpn |= PRM_CQE_FLAGS_RQPN_L3(PRM_CQE_L3_IPV6);
	}
	dgram->msg.head = dgram->grh;
	dgram->msg.flags_rqpn |= PRM_CQE_FLAGS_RQPN_GRH;
	return true;
}

static bool
datagram_fill(const struct swhca_qp *qp, const struct swhca_wqe *wqe, struct datagram *dgram)
{
	const struct swhca_spans *local = &qp->hca->fabric->local;
	const struct mlx5_wqe_av *av = wqe->av;
	bool is_eth = qp->hca->conf.link_layer == SWHCA_LINK_ETH;
	uint8_t sl = is_eth ? 0 : av->stat_rate_sl & 0xf;

	memset(dgram, 0, sizeof(*dgram));
	swhca_addr_from_av(&dgram->addr, av, wqe->is_base_av);
	dgram->qpn = be32toh(av->dqp_dct) & 0xffffff;
	dgram->qkey = be32toh(av->key.qkey.qkey);
	if (dgram->qkey & QKEY_PRIVILEGED)
		dgram->qkey = (uint32_t)prm_get(qp->qpc, PRM_QPC_Q_KEY);
	dgram->pkey = swhca_port_pkey(qp->hca,
				      (uint16_t)prm_get(qp->qpc, PRM_QPC_PRIMARY_PATH_PKEY_INDEX));
	dgram->msg = (struct swhca_message){
		.payload = local,
		.cqe_opcode = wqe->opcode == MLX5_OPCODE_SEND_IMM ? MLX5_CQE_RESP_SEND_IMM :
								   MLX5_CQE_RESP_SEND,
		.is_solicited = (wqe->fm_ce_se & PRM_CTRL_SE) != 0,
		.imm = wqe->opcode == MLX5_OPCODE_SEND_IMM ? wqe->imm : 0,
		.len = (uint32_t)local->len + GRH_LEN,
		.flags_rqpn = PRM_CQE_FLAGS_RQPN_SL(sl) | qp->obj.num,
		.slid = is_eth ? 0 : qp->hca->conf.lid,
		.head_len = GRH_LEN,
	};
	return !(is_eth || dgram->addr.has_grh) || head_fill(qp, wqe, dgram);
}

/* IBTA 9.8.3: a packet with another Q_Key, or of another partition, is dropped. */
static bool
qp_accepts(const struct swhca_qp *qp, const struct datagram *dgram)
{
	uint64_t pkey_index = prm_get(qp->qpc, PRM_QPC_PRIMARY_PATH_PKEY_INDEX);

	if (prm_get(qp->qpc, PRM_QPC_Q_KEY) != dgram->qkey) {
		SWHCA_LOG(DEBUG, "QP 0x%x: datagram dropped, Q_Key 0x%x", qp->obj.num,
			  dgram->qkey);
		return false;
	}
	return swhca_pkey_matches(swhca_port_pkey(qp->hca, (uint16_t)pkey_index), dgram->pkey);
}

/* What does not arrive is lost; only the sender's own memory is its business. */
static enum swhca_wqe_end
datagram_deliver(struct swhca_qp *qp, struct swhca_wqe *wqe, struct swhca_qp *peer,
		 const struct datagram *dgram)
{
	struct swhca_responder to;

	if (!qp_accepts(peer, dgram))
		return SWHCA_WQE_DROPPED;
	swhca_responder_of_qp(peer, &to);
	return swhca_send_end(qp, wqe, &to, swhca_recv_deliver(&to, &dgram->msg));
}

static bool
is_multicast(const struct swhca_qp *qp, const struct datagram *dgram)
{
	if (!swhca_gid_is_multicast(dgram->addr.gid))
		return false;
	return qp->hca->conf.link_layer == SWHCA_LINK_ETH ||
	       (dgram->addr.has_grh && dgram->addr.lid >= LID_MULTICAST);
}

/* Every port of the fabric has a copy for each QP that joined; the sender's own too. */
static enum swhca_wqe_end
multicast_deliver(struct swhca_qp *qp, struct swhca_wqe *wqe, const struct datagram *dgram)
{
	bool is_blocked = prm_get(qp->qpc, PRM_QPC_BLOCK_LB_MC) != 0;
	const struct swhca_mcg_member *member;
	enum swhca_wqe_end end;
	struct swhca_hca *hca;

	LIST_FOREACH(hca, &qp->hca->fabric->hcas, link) {
		if (hca->conf.link_layer != qp->hca->conf.link_layer)
			continue;
		LIST_FOREACH(member, &hca->mcg_members, link) {
			if (memcmp(member->gid, dgram->addr.gid, sizeof(member->gid)) != 0 ||
			    (is_blocked && member->qp == qp) ||
			    swhca_xport_find_qp(hca, member->qp->obj.num, PRM_QP_ST_UD) == NULL)
				continue;
			end = datagram_deliver(qp, wqe, member->qp, dgram);
			if (end == SWHCA_WQE_ERROR)
				return end;
		}
	}
	return SWHCA_WQE_DONE;
}

/* A datagram is one packet (IBTA 9.8.3), whatever the context allows besides. */
static enum swhca_wqe_end
length_check(const struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	uint64_t len = qp->hca->fabric->local.len;
	uint64_t mtu = UINT64_C(128) << prm_get(qp->qpc, PRM_QPC_MTU);

	if (len <= mtu)
		return SWHCA_WQE_DONE;
	SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: datagram of %" PRIu64 " bytes, at most %" PRIu64,
		  qp->obj.num, wqe->index, len, mtu);
	return swhca_wqe_fail(wqe, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR, SWHCA_VENDOR_LENGTH);
}

enum swhca_wqe_end
swhca_ud_send_exec(struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	struct swhca_qp *peer = NULL;
	struct datagram dgram;
	enum swhca_wqe_end end;
	struct swhca_hca *hca;

	end = swhca_xport_begin(qp, wqe);
	if (end == SWHCA_WQE_DONE)
		end = swhca_local_translate(qp, wqe, SWHCA_ACCESS_LOCAL_READ);
	if (end == SWHCA_WQE_DONE)
		end = length_check(qp, wqe);
	if (end != SWHCA_WQE_DONE)
		return end;
	if (!datagram_fill(qp, wqe, &dgram))
		return SWHCA_WQE_DROPPED;
	if (dgram.qpn == QPN_MULTICAST && is_multicast(qp, &dgram))
		return multicast_deliver(qp, wqe, &dgram);
	hca = swhca_port_find_addr(qp->hca, &dgram.addr);
	if (hca != NULL)
		peer = swhca_xport_find_qp(hca, dgram.qpn, PRM_QP_ST_UD);
	if (peer == NULL)
		return SWHCA_WQE_DROPPED;
	return datagram_deliver(qp, wqe, peer, &dgram);
}
