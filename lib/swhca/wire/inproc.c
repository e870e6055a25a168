/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Wire between the HCAs of one fabric: compares addresses, looks up numbers, and copies payload
 * between their memories. Every answer is immediate.
 */

#include <errno.h>
#include <string.h>

#include "mlx5_prm_cmd.h"
#include "include/gid.h"
#include "mad/mad_responder.h"
#include "mem/payload.h"
#include "wire/conn/gsi.h"
#include "wire/inproc.h"
#include "xport/dct.h"
#include "xport/mcg.h"
#include "xport/port.h"
#include "xport/xport_responder.h"

#define LID_MULTICAST 0xc000u
#define QPN_MULTICAST 0xffffffu

/* A switch forwards by LID only; the receiver checks the GID. */
static bool
ib_answers(const struct swhca_hca *hca, const struct swhca_addr *addr)
{
	return hca->conf.lid == addr->lid &&
	       (!addr->has_grh || memcmp(hca->ib_gid, addr->gid, sizeof(addr->gid)) == 0);
}

/* A switch forwards by MAC; the receiver has the GID, for the protocol of the sender. */
static bool
eth_answers(const struct swhca_hca *hca, const struct swhca_addr *addr, uint8_t version)
{
	const struct swhca_roce_addr *own;
	unsigned int i;

	if (memcmp(hca->conf.mac, addr->mac, sizeof(addr->mac)) != 0)
		return false;
	for (i = 0; i < SWHCA_NB_ROCE_ADDRS; i++) {
		own = &hca->roce_addrs[i];
		if (own->is_valid && own->version == version &&
		    memcmp(own->gid, addr->gid, sizeof(own->gid)) == 0)
			return true;
	}
	return false;
}

/* Check whether the port of an HCA has the address, as seen from another one. */
static bool
port_answers(const struct swhca_hca *hca, const struct swhca_hca *from,
	     const struct swhca_addr *addr)
{
	if (hca->is_failed || hca->is_halted || hca->conf.link_layer != from->conf.link_layer)
		return false;
	if (addr->is_loopback)
		return hca == from;
	if (hca->is_port_down || from->is_port_down)
		return false;
	if (from->conf.link_layer == SWHCA_LINK_IB)
		return ib_answers(hca, addr);
	/* Without an own address no packet can be sent. */
	return swhca_port_gid(from, addr->src_index) != NULL &&
	       eth_answers(hca, addr, from->roce_addrs[addr->src_index].version);
}

static struct swhca_hca *
port_find(const struct swhca_hca *from, const struct swhca_addr *addr)
{
	struct swhca_hca *hca;

	LIST_FOREACH(hca, &from->fabric->hcas, link) {
		if (port_answers(hca, from, addr))
			return hca;
	}
	return NULL;
}

/* Copy payload between both sides, counted for the active one. */
static int
payload_move(struct swhca_hca *from, const struct swhca_reception *rx)
{
	const struct swhca_wire_req *req = rx->req;

	switch (req->op) {
	case SWHCA_WIRE_SEND:
		return swhca_payload_copy(rx->to.hca, rx->spans, req->payload);
	case SWHCA_WIRE_READ:
		return swhca_payload_copy(from, req->payload, rx->spans);
	default:
		return swhca_payload_copy(from, rx->spans, req->payload);
	}
}

static void
qp_deliver(struct swhca_hca *from, struct swhca_qp *qp, const struct swhca_wire_req *req,
	   struct swhca_wire_answer *answer)
{
	struct swhca_reception rx;

	rx.req = req;
	rx.spans = &qp->hca->fabric->remote;
	rx.is_again = false;
	if (swhca_reception_begin(&rx, qp, answer))
		swhca_reception_end(&rx, payload_move(from, &rx), answer);
}

static void
dct_deliver(struct swhca_hca *from, struct swhca_hca *hca, struct swhca_dct *dct,
	    const struct swhca_wire_req *req, struct swhca_wire_answer *answer)
{
	struct swhca_reception rx;

	rx.req = req;
	rx.spans = &hca->fabric->remote;
	rx.is_again = false;
	if (swhca_reception_begin_dct(&rx, hca, dct, answer))
		swhca_reception_end(&rx, payload_move(from, &rx), answer);
}

/* Check whether a QP is connected to the HCA: it accepts packets of no other. */
static bool
is_connected_to(const struct swhca_qp *qp, const struct swhca_hca *hca)
{
	struct swhca_addr addr;

	swhca_addr_from_ads(&addr, qp->qpc + PRM_QPC_PRIMARY_PATH_BYTE);
	return port_answers(hca, qp->hca, &addr);
}

/* The subnet manager has a LID that no device has (mad/mad_responder.h). */
static bool
is_for_manager(const struct swhca_hca *from, const struct swhca_wire_req *req)
{
	return from->conf.link_layer == SWHCA_LINK_IB && !req->addr.is_loopback &&
	       !from->is_port_down && req->addr.lid == swhca_mad_manager_lid() &&
	       req->st == PRM_QP_ST_UD && req->dst_qpn < SWHCA_NB_MAD_QPS;
}

/* Deliver the answer to a datagram, from the queue pair that it was sent to. */
static void
answer_deliver(struct swhca_hca *from, const struct swhca_wire_req *req, uint16_t lid,
	       const uint8_t *mad)
{
	struct swhca_span span = swhca_span_of(mad, SWHCA_MAD_LEN);
	const struct swhca_spans spans = { .list = &span, .nb = 1, .len = SWHCA_MAD_LEN };
	const struct swhca_wire_req resp = {
		.op = SWHCA_WIRE_SEND,
		.st = PRM_QP_ST_UD,
		.pkey = req->pkey,
		.src_qpn = req->dst_qpn,
		.dst_qpn = req->src_qpn,
		.nb_packets = 1,
		.len = SWHCA_MAD_LEN,
		.msg_len = SWHCA_MAD_LEN,
		.payload = &spans,
		.qkey = req->qkey,
		.slid = lid,
		.sl = req->sl,
	};
	struct swhca_qp *qp = swhca_qp_find(from, req->src_qpn);
	struct swhca_wire_answer ignored;

	if (qp != NULL)
		qp_deliver(from, qp, &resp, &ignored);
}

/* @return false: not a management datagram, or unreadable (answer is set). */
static bool
mad_fetch(struct swhca_hca *from, const struct swhca_wire_req *req,
	  struct swhca_wire_answer *answer, uint8_t mad[SWHCA_MAD_LEN])
{
	struct swhca_span span = swhca_span_of(mad, SWHCA_MAD_LEN);
	const struct swhca_spans spans = { .list = &span, .nb = 1, .len = SWHCA_MAD_LEN };

	answer->status = SWHCA_WIRE_ACK;
	if (req->len != SWHCA_MAD_LEN)
		return false;
	if (swhca_payload_copy(from, &spans, req->payload) == 0)
		return true;
	answer->status = SWHCA_WIRE_LOCAL_FAULT;
	return false;
}

static void
manager_send(struct swhca_hca *from, const struct swhca_wire_req *req,
	     struct swhca_wire_answer *answer)
{
	uint8_t in[SWHCA_MAD_LEN], out[SWHCA_MAD_LEN];
	unsigned int i;

	if (!mad_fetch(from, req, answer, in))
		return;
	for (i = 0; swhca_mad_manager_answer(from, in, i, out); i++)
		answer_deliver(from, req, swhca_mad_manager_lid(), out);
}

/*
 * Adapters answer performance requests themselves, so that drivers do not see them (mlx5_ib would
 * answer without a header). @return false: another datagram, for the queue pair.
 */
static bool
agent_took(struct swhca_hca *from, struct swhca_hca *hca, const struct swhca_wire_req *req,
	   struct swhca_wire_answer *answer)
{
	uint8_t in[SWHCA_MAD_LEN], out[SWHCA_MAD_LEN];

	if (req->st != PRM_QP_ST_UD || req->dst_qpn != SWHCA_GSI_QPN ||
	    req->qkey != SWHCA_GSI_QKEY || hca->mad_qps[SWHCA_GSI_QPN] == NULL ||
	    !mad_fetch(from, req, answer, in) || !swhca_mad_is_performance(in) ||
	    !swhca_mad_port_answer(hca, in, out))
		return false;
	answer_deliver(from, req, hca->conf.lid, out);
	return true;
}

/* A paused device has not handled it yet: it is retried. */
static const struct swhca_wire_answer stalled_answer = {
	.status = SWHCA_WIRE_BUSY,
	.wait_ns = SWHCA_WAIT_POLL_NS,
};

static void
unicast_send(struct swhca_hca *from, const struct swhca_wire_req *req,
	     struct swhca_wire_answer *answer)
{
	enum swhca_obj_type type = req->st == PRM_QP_ST_DCI ? SWHCA_OBJ_DCT : SWHCA_OBJ_QP;
	struct swhca_hca *hca = port_find(from, &req->addr);
	struct swhca_obj *dst = NULL;

	if (hca == NULL && is_for_manager(from, req)) {
		manager_send(from, req, answer);
		return;
	}
	if (hca != NULL && hca->stall_end_ns != 0) {
		*answer = stalled_answer;
		return;
	}
	if (hca != NULL && agent_took(from, hca, req, answer))
		return;
	if (hca != NULL && type == SWHCA_OBJ_QP)
		dst = (struct swhca_obj *)swhca_qp_find(hca, req->dst_qpn);
	else if (hca != NULL)
		dst = swhca_table_get(&hca->tables[type], req->dst_qpn);
	if (dst == NULL || (type == SWHCA_OBJ_QP && req->st != PRM_QP_ST_UD &&
			    !is_connected_to((struct swhca_qp *)dst, from)))
		answer->status = SWHCA_WIRE_LOST;
	else if (type == SWHCA_OBJ_DCT)
		dct_deliver(from, hca, (struct swhca_dct *)dst, req, answer);
	else
		qp_deliver(from, (struct swhca_qp *)dst, req, answer);
}

bool
swhca_inproc_is_group(const struct swhca_hca *from, const struct swhca_wire_req *req)
{
	if (req->st != PRM_QP_ST_UD || req->dst_qpn != QPN_MULTICAST ||
	    !swhca_gid_is_multicast(req->addr.gid))
		return false;
	return from->conf.link_layer == SWHCA_LINK_ETH ||
	       (req->addr.has_grh && req->addr.lid >= LID_MULTICAST);
}

/* Deliver a copy to each member QP of every port in the fabric, including the sender's. */
static void
multicast_send(struct swhca_hca *from, const struct swhca_wire_req *req,
	       struct swhca_wire_answer *answer)
{
	const struct swhca_mcg_member *member;
	struct swhca_hca *hca;

	LIST_FOREACH(hca, &from->fabric->hcas, link) {
		if (hca->stall_end_ns != 0 && !LIST_EMPTY(&hca->mcg_members)) {
			*answer = stalled_answer;
			return;
		}
	}
	LIST_FOREACH(hca, &from->fabric->hcas, link) {
		if (hca->conf.link_layer != from->conf.link_layer || hca->is_port_down ||
		    from->is_port_down)
			continue;
		LIST_FOREACH(member, &hca->mcg_members, link) {
			if (memcmp(member->gid, req->addr.gid, sizeof(member->gid)) != 0 ||
			    ((req->flags & SWHCA_WIRE_F_NO_SELF) && hca == from &&
			     member->qp->obj.num == req->src_qpn))
				continue;
			qp_deliver(from, member->qp, req, answer);
			/*
			 * Undelivered copies are lost; a fault of the sender's own memory is
			 * reported.
			 */
			if (answer->status == SWHCA_WIRE_LOCAL_FAULT)
				return;
		}
	}
	answer->status = SWHCA_WIRE_ACK;
}

bool
swhca_inproc_reaches(const struct swhca_hca *from, const struct swhca_wire_req *req)
{
	return req->addr.is_loopback || swhca_inproc_is_group(from, req) ||
	       is_for_manager(from, req) || port_find(from, &req->addr) != NULL;
}

void
swhca_inproc_send(struct swhca_hca *from, const struct swhca_wire_req *req,
		  struct swhca_wire_answer *answer)
{
	if (swhca_inproc_is_group(from, req))
		multicast_send(from, req, answer);
	else
		unicast_send(from, req, answer);
}
