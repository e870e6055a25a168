/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Datagrams: to one queue pair, or to all members of a multicast group. */

#include <endian.h>
#include <inttypes.h>
#include <string.h>

#include "mlx5_prm_cmd.h"
#include "base/log.h"
#include "mem/mkey.h"
#include "xport/port.h"
#include "xport/xport_requester.h"
#include "xport/transfer.h"
#include "xport/ud.h"
#include "xport/xport.h"

/* IBTA 10.2.5: a Q_Key with this bit in the work request selects the one of the QP. */
#define QKEY_PRIVILEGED 0x80000000u

/* Global route header, also of RoCE (IBTA 8.3), and its next header. */
#define GRH_VERSION 6u
#define GRH_NEXT_HEADER_IBA 0x1bu
#define BTH_DETH_ICRC_LEN (12u + 8u + 4u)
#define IMM_LEN 4u

/* RoCE 2 uses UDP instead (IBTA A17). */
#define IPV4_LEN 20u
#define IPV4_DONT_FRAGMENT 0x40u
#define IP_PROTO_UDP 17u
#define UDP_LEN 8u

/* Bytes of the packet after the network header, up to and including the ICRC. */
static uint16_t
packet_len(const struct swhca_wire_req *req)
{
	return (uint16_t)(BTH_DETH_ICRC_LEN + ((req->len + 3u) & ~3u) +
			  (req->flags & SWHCA_WIRE_F_IMM ? IMM_LEN : 0));
}

static void
grh_fill(const struct mlx5_wqe_av *av, uint8_t *grh, const uint8_t *sgid, const uint8_t *dgid,
	 uint8_t next_header, uint16_t len)
{
	uint32_t flow = be32toh(av->grh_gid_fl) & 0xfffff;
	uint32_t first = htobe32(GRH_VERSION << 28 | (uint32_t)av->tclass << 20 | flow);
	uint16_t pay_len = htobe16(len);

	memcpy(grh, &first, sizeof(first));
	memcpy(grh + 4, &pay_len, sizeof(pay_len));
	grh[6] = next_header;
	grh[7] = av->hop_limit;
	memcpy(grh + 8, sgid, 16);
	memcpy(grh + 24, dgid, 16);
}

/* The second half is an IPv4 header (IBTA A17.4.5.1); the first is 0. */
static void
ipv4_fill(const struct mlx5_wqe_av *av, uint8_t *grh, const uint8_t *sgid, const uint8_t *dgid,
	  uint16_t len)
{
	uint8_t *ip = grh + SWHCA_GRH_LEN - IPV4_LEN;
	uint16_t total = htobe16((uint16_t)(len + IPV4_LEN));
	uint32_t sum = 0, i;

	ip[0] = 4u << 4 | IPV4_LEN / 4;
	ip[1] = av->tclass;
	memcpy(ip + 2, &total, sizeof(total));
	ip[6] = IPV4_DONT_FRAGMENT;
	ip[8] = av->hop_limit;
	ip[9] = IP_PROTO_UDP;
	/* Addresses are mapped into GIDs: ::ffff:a.b.c.d */
	memcpy(ip + 12, sgid + 12, 4);
	memcpy(ip + 16, dgid + 12, 4);
	for (i = 0; i < IPV4_LEN; i += 2)
		sum += (uint32_t)ip[i] << 8 | ip[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	sum = ~(sum + (sum >> 16)) & 0xffff;
	ip[10] = (uint8_t)(sum >> 8);
	ip[11] = (uint8_t)sum;
}

/*
 * Fill the network header that precedes the payload; RoCE always has it.
 *
 * @return false: without an own address no packet can be sent.
 */
static bool
head_fill(const struct swhca_qp *qp, const struct swhca_wqe *wqe, struct swhca_wire_req *req,
	  uint8_t *grh)
{
	const uint8_t *sgid = swhca_port_gid(qp->hca, req->addr.src_index);
	const uint8_t *dgid = req->addr.gid;
	uint16_t len = packet_len(req);
	const struct swhca_roce_addr *own;

	if (sgid == NULL)
		return false;
	own = &qp->hca->roce_addrs[req->addr.src_index];
	if (qp->hca->conf.link_layer != SWHCA_LINK_ETH || own->version == PRM_ROCE_VERSION_1) {
		grh_fill(wqe->av, grh, sgid, dgid, GRH_NEXT_HEADER_IBA, len);
	} else if (own->l3_type == PRM_ROCE_L3_TYPE_IPV4) {
		ipv4_fill(wqe->av, grh, sgid, dgid, (uint16_t)(len + UDP_LEN));
		req->l3 = PRM_CQE_L3_IPV4;
	} else {
		grh_fill(wqe->av, grh, sgid, dgid, IP_PROTO_UDP, (uint16_t)(len + UDP_LEN));
		req->l3 = PRM_CQE_L3_IPV6;
	}
	req->grh = grh;
	return true;
}

/* A datagram is one packet (IBTA 9.8.3), even if the context allows more. */
static enum swhca_wqe_end
length_check(const struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	uint64_t len = qp->hca->fabric->local.len;
	uint64_t mtu = UINT64_C(128) << prm_get(qp->qpc, PRM_QPC_MTU);

	if (len <= mtu)
		return SWHCA_WQE_DONE;
	SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: datagram of %" PRIu64 " bytes, at most %" PRIu64,
		  qp->obj.num, wqe->index, len, mtu);
	return swhca_wqe_fail(wqe, SWHCA_CAUSE_LENGTH);
}

enum swhca_wqe_end
swhca_ud_send_exec(struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	bool is_eth = qp->hca->conf.link_layer == SWHCA_LINK_ETH;
	struct swhca_wire_answer answer;
	uint8_t grh[SWHCA_GRH_LEN] = { 0 };
	struct swhca_wire_req req;
	enum swhca_wqe_end end;

	end = swhca_xport_begin(qp, wqe);
	if (end == SWHCA_WQE_DONE)
		end = swhca_local_translate(qp, wqe, SWHCA_ACCESS_LOCAL_READ);
	if (end == SWHCA_WQE_DONE)
		end = length_check(qp, wqe);
	if (end != SWHCA_WQE_DONE)
		return end;
	swhca_request_init(qp, wqe, SWHCA_WIRE_SEND, &req);
	req.qkey = be32toh(wqe->av->key.qkey.qkey);
	if (req.qkey & QKEY_PRIVILEGED)
		req.qkey = (uint32_t)prm_get(qp->qpc, PRM_QPC_Q_KEY);
	if (prm_get(qp->qpc, PRM_QPC_BLOCK_LB_MC))
		req.flags |= SWHCA_WIRE_F_NO_SELF;
	req.sl = is_eth ? 0 : wqe->av->stat_rate_sl & 0xf;
	req.slid = is_eth ? 0 : qp->hca->conf.lid;
	if ((is_eth || req.addr.has_grh) && !head_fill(qp, wqe, &req, grh))
		return SWHCA_WQE_DROPPED;
	return swhca_request_send(qp, wqe, &req, &answer);
}
