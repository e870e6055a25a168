/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Requests at their responder: the machine selects the packets to execute; xport/xport_responder.h
 * handles memory, keys and receive queues piece by piece.
 *
 * Each packet of a write is translated again, in case its key is invalidated meanwhile. Two kinds
 * of messages are collected until they are complete: sends, whose length is only known with the
 * last packet, and data that a key signs or encrypts.
 */

#include <endian.h>
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "mem/payload.h"
#include "mlx5_prm_cmd.h"
#include "queue/q_counter.h"
#include "wire/conn/conn.h"
#include "wire/packet/psn.h"
#include "xport/dct.h"

#define PSN_MASK 0xffffffu

/* State during the execution of a packet. */
struct respond {
	struct swhca_conn *conn;
	struct swhca_dct *dct;
	struct swhca_wire_req req;
	struct swhca_reception rx;
	struct swhca_wire_answer answer;
};

static bool
reception_begin(struct respond *r)
{
	r->rx.req = &r->req;
	r->rx.spans = &r->conn->net->hca->fabric->remote;
	if (r->dct != NULL)
		return swhca_reception_begin_dct(&r->rx, r->conn->net->hca, r->dct, &r->answer);
	return swhca_reception_begin(&r->rx, r->conn->qp, &r->answer);
}

/* Receive a request, or a part of one, with its payload. */
static void
receive(struct respond *r, const uint8_t *payload)
{
	struct swhca_span all = swhca_span_of(payload, r->req.len);
	const struct swhca_spans src = { .list = &all, .nb = 1, .len = r->req.len };

	if (reception_begin(r))
		swhca_reception_end(&r->rx,
				    swhca_payload_copy(r->rx.to.hca, r->rx.spans, &src),
				    &r->answer);
}

/* Accept a packet that is executed later. */
static void
collected(struct respond *r)
{
	if (r->conn->qp != NULL)
		prm_set(r->conn->qp->qpc, PRM_QPC_NEXT_RCV_PSN, (r->req.psn + 1) & PSN_MASK);
	r->answer.status = SWHCA_WIRE_ACK;
}

static bool
collect(struct respond *r, const struct swhca_rc_piece *piece, const uint8_t *payload)
{
	struct swhca_conn_part *part = &r->conn->part;

	if (swhca_store_grow(&part->store, (size_t)piece->offset + piece->len) != 0) {
		r->answer = swhca_cause_answer(SWHCA_CAUSE_REMOTE_OP);
		return false;
	}
	if (piece->len != 0)
		memcpy(part->store.data + piece->offset, payload, piece->len);
	return true;
}

/*
 * At the first of several packets of a write: check the access of the whole message, which injected
 * faults count once.
 */
static bool
write_check(struct respond *r)
{
	struct swhca_conn_part *part = &r->conn->part;

	r->req.len = part->len;
	if (!reception_begin(r))
		return false;
	part->is_staged = r->rx.spans->nb_xforms != 0;
	if (r->rx.spans->is_cut)
		swhca_reception_end(&r->rx, -EACCES, &r->answer);
	return !r->rx.spans->is_cut;
}

static void
execute_write(struct respond *r, const struct swhca_packet *packet,
	      const struct swhca_rc_piece *piece, const uint8_t *payload)
{
	struct swhca_conn_part *part = &r->conn->part;

	if (piece->is_first) {
		part->raddr = packet->va;
		part->rkey = packet->rkey;
		part->len = packet->dma_len;
		part->is_staged = false;
	}
	r->req.rkey = part->rkey;
	r->req.raddr = part->raddr;
	r->req.msg_len = part->len;
	if (piece->is_first && !piece->is_last && !write_check(r))
		return;
	r->rx.is_again = !piece->is_first || !piece->is_last;
	if (part->is_staged) {
		if (!collect(r, piece, payload))
			return;
		if (!piece->is_last) {
			collected(r);
			return;
		}
		r->req.len = part->len;
		receive(r, part->store.data);
		return;
	}
	r->req.raddr += piece->offset;
	r->req.len = piece->len;
	if (!piece->is_last)
		r->req.flags |= SWHCA_WIRE_F_MORE;
	receive(r, payload);
}

/* @return Whether there is a receive WQE, as far as known at the first packet. */
static bool
send_is_expected(struct respond *r)
{
	struct swhca_responder to;

	if (r->dct != NULL) {
		if (!swhca_dct_accept(r->conn->net->hca, r->dct, r->req.dc_key, &to))
			return true;
	} else if (r->req.st == PRM_QP_ST_XRC) {
		return true;
	} else {
		swhca_responder_of_qp(r->conn->qp, &to);
	}
	if (swhca_recv_is_posted(&to))
		return true;
	to.hca->stats.wire.out_of_buffer++;
	swhca_q_stats(to.hca, to.qp)->out_of_buffer++;
	r->answer.status = SWHCA_WIRE_RNR;
	r->answer.rnr_timer = to.min_rnr_nak;
	return false;
}

static void
execute_send(struct respond *r, const struct swhca_rc_piece *piece, const uint8_t *payload)
{
	if (piece->is_first && piece->is_last) {
		receive(r, payload);
		return;
	}
	if ((piece->is_first && !send_is_expected(r)) || !collect(r, piece, payload))
		return;
	if (!piece->is_last) {
		collected(r);
		return;
	}
	r->req.len = r->req.msg_len = (uint64_t)piece->offset + piece->len;
	receive(r, r->conn->part.store.data);
	if (r->answer.status != SWHCA_WIRE_RNR && r->answer.status != SWHCA_WIRE_ABSENT)
		swhca_store_release(&r->conn->part.store);
}

/* Read data that a key transforms once; other data are read when their packets are sent. */
static int
read_stage(struct respond *r, struct swhca_conn_read *read)
{
	struct swhca_span all;
	struct swhca_spans dst = { .list = &all, .nb = 1, .len = r->req.len };

	read->is_staged = r->rx.spans->nb_xforms != 0;
	if (!read->is_staged)
		return r->rx.spans->is_cut ? -1 : 0;
	if (swhca_store_grow(&read->store, r->req.len) != 0)
		return -1;
	all = swhca_span_of(read->store.data, r->req.len);
	return swhca_payload_copy(r->conn->net->hca, &dst, r->rx.spans);
}

static void
execute_read(struct respond *r, const struct swhca_packet *packet,
	     const struct swhca_rc_piece *piece)
{
	struct swhca_conn_read *read = &r->conn->reads[piece->resource];

	r->req.rkey = packet->rkey;
	r->req.raddr = packet->va;
	r->req.len = r->req.msg_len = piece->len;
	r->req.nb_packets = swhca_psn_nb_packets(piece->len, UINT32_C(1) << r->conn->log_mtu);
	/* Rate limits of responses are applied when packets are sent, not here. */
	if (!reception_begin(r) && r->answer.status != SWHCA_WIRE_BUSY)
		return;
	if (read_stage(r, read) != 0) {
		r->answer = swhca_cause_answer(SWHCA_CAUSE_REMOTE_OP);
		return;
	}
	read->raddr = packet->va;
	read->rkey = packet->rkey;
	read->srqn = packet->srqn;
	swhca_reception_end(&r->rx, 0, &r->answer);
}

static void
execute_atomic(struct respond *r, const struct swhca_packet *packet)
{
	r->req.rkey = packet->rkey;
	r->req.raddr = packet->va;
	r->req.compare = packet->compare;
	r->req.swap_add = packet->swap_add;
	r->req.len = r->req.msg_len = sizeof(uint64_t);
	reception_begin(r);
}

static enum swhca_wire_op
wire_op(uint8_t op)
{
	switch (op) {
	case SWHCA_RC_OP_WRITE:
		return SWHCA_WIRE_WRITE;
	case SWHCA_RC_OP_READ:
		return SWHCA_WIRE_READ;
	case SWHCA_RC_OP_CMP_SWAP:
		return SWHCA_WIRE_CMP_SWAP;
	case SWHCA_RC_OP_FETCH_ADD:
		return SWHCA_WIRE_FETCH_ADD;
	default:
		return SWHCA_WIRE_SEND;
	}
}

/* Fill the common fields of requests; only the last packet of a message has flags. */
static void
req_fill(const struct swhca_conn *conn, const struct swhca_packet *packet,
	 const struct swhca_rc_piece *piece, struct swhca_wire_req *req)
{
	*req = (struct swhca_wire_req){
		.op = wire_op(piece->op),
		.st = conn->qp == NULL ? PRM_QP_ST_DCI :
					 (uint8_t)prm_get(conn->qp->qpc, PRM_QPC_ST),
		.pkey = packet->pkey,
		.src_qpn = conn->remote_qpn,
		.dst_qpn = packet->dst_qpn,
		.psn = packet->psn,
		.nb_packets = 1,
		.len = piece->len,
		.msg_len = piece->len,
		.srqn = packet->srqn,
		.dc_key = packet->dc_key,
	};
	if (piece->flags & SWHCA_RC_F_IMM) {
		req->flags |= SWHCA_WIRE_F_IMM;
		req->imm = packet->imm_be;
	}
	if (piece->flags & SWHCA_RC_F_INV) {
		req->flags |= SWHCA_WIRE_F_INVAL;
		req->imm = htobe32(packet->inval_rkey);
	}
	if (piece->flags & SWHCA_RC_F_SOLICITED)
		req->flags |= SWHCA_WIRE_F_SOLICITED;
}

static void
execute(struct respond *r, const struct swhca_packet *packet, const struct swhca_rc_piece *piece,
	const uint8_t *payload)
{
	r->answer = (struct swhca_wire_answer){ .status = SWHCA_WIRE_LOST };
	req_fill(r->conn, packet, piece, &r->req);
	switch (piece->op) {
	case SWHCA_RC_OP_SEND:
		execute_send(r, piece, payload);
		break;
	case SWHCA_RC_OP_WRITE:
		execute_write(r, packet, piece, payload);
		break;
	case SWHCA_RC_OP_READ:
		execute_read(r, packet, piece);
		break;
	default:
		execute_atomic(r, packet);
	}
}

/* Pass an answer to the machine. */
static void
answer_give(struct respond *r, uint8_t op)
{
	struct swhca_rc_responder *machine = &r->conn->responder;

	switch (r->answer.status) {
	case SWHCA_WIRE_ACK:
		if (op > SWHCA_RC_OP_READ)
			swhca_rc_responder_done_atomic(machine, r->answer.old);
		else
			swhca_rc_responder_done(machine);
		break;
	case SWHCA_WIRE_ERROR:
		swhca_rc_responder_nak(machine, swhca_cause_row(r->answer.cause)->nak);
		break;
	case SWHCA_WIRE_RNR:
	case SWHCA_WIRE_ABSENT:
	case SWHCA_WIRE_LOST:
		/* The packet comes again. */
		swhca_inject_try_undo(&r->conn->net->hca->fabric->inject_try);
		swhca_rc_responder_rnr(machine, r->answer.rnr_timer);
		break;
	default:
		swhca_rc_responder_nak(machine, SWHCA_NAK_OP);
	}
}

static void
respond_uc(struct respond *r, const struct swhca_packet *packet,
	   const struct swhca_rc_packet *from, const uint8_t *payload)
{
	struct swhca_rc_piece piece;

	if (!swhca_uc_responder_receive(&r->conn->uc, from, &piece))
		return;
	execute(r, packet, &piece, payload);
	if (r->answer.status == SWHCA_WIRE_ACK)
		swhca_uc_responder_done(&r->conn->uc);
	else
		swhca_uc_responder_drop(&r->conn->uc);
}

/* The machine has rejected an invalid request packet: report it to the queue pair. */
static void
rejected(struct swhca_conn *conn)
{
	struct swhca_responder to;

	if (conn->qp == NULL)
		return;
	SWHCA_LOG(WARNING, "QP 0x%x: packets of QP 0x%x are no valid request", conn->qp->obj.num,
		  conn->remote_qpn);
	swhca_responder_of_qp(conn->qp, &to);
	swhca_responder_reject(&to, PRM_EVENT_WQ_INVAL_REQ_ERROR);
}

void
swhca_respond(struct swhca_conn *conn, struct swhca_dct *dct, const struct swhca_packet *packet,
	      const uint8_t *payload)
{
	const struct swhca_rc_packet from = {
		.opcode = swhca_opcode_type(packet->opcode),
		.ack_req = packet->wants_ack,
		.solicited = packet->is_solicited,
		.psn = packet->psn,
		.len = packet->payload_len,
		.dma_len = packet->dma_len,
	};
	struct respond r = { .conn = conn, .dct = dct };
	struct swhca_rc_piece piece;
	bool was_failed;

	if (conn->transport == SWHCA_TRANSPORT_UC) {
		respond_uc(&r, packet, &from, payload);
		return;
	}
	was_failed = conn->responder.is_failed;
	if (swhca_rc_responder_receive(&conn->responder, &from, &piece) == SWHCA_RC_DO_EXECUTE) {
		swhca_inject_try_begin(&conn->net->hca->fabric->inject_try);
		execute(&r, packet, &piece, payload);
		answer_give(&r, piece.op);
	} else if (conn->responder.is_failed && !was_failed) {
		rejected(conn);
	}
	swhca_conn_activate(conn);
}

static bool
read_translate(struct respond *r)
{
	struct swhca_hca *hca = r->conn->net->hca;

	if (r->conn->qp != NULL)
		return swhca_reception_again(&r->rx, r->conn->qp, &r->answer);
	r->dct = (struct swhca_dct *)swhca_table_get(&hca->tables[SWHCA_OBJ_DCT], r->conn->dctn);
	return r->dct != NULL && swhca_reception_again_dct(&r->rx, hca, r->dct, &r->answer);
}

/*
 * Get a piece of a read's answer: its key may have been destroyed.
 *
 * @return ACK if it is present, ABSENT to wait for a page.
 */
static enum swhca_wire_status
read_piece(struct swhca_conn *conn, const struct swhca_rc_packet *from, uint8_t *dst)
{
	const struct swhca_conn_read *read = &conn->reads[from->msg];
	struct swhca_span all = swhca_span_of(dst, from->len);
	struct swhca_spans to = { .list = &all, .nb = 1, .len = from->len };
	struct respond r = { .conn = conn, .answer = { .status = SWHCA_WIRE_ERROR } };

	if (from->len == 0)
		return SWHCA_WIRE_ACK;
	if (read->is_staged) {
		memcpy(dst, read->store.data + from->offset, from->len);
		return SWHCA_WIRE_ACK;
	}
	r.req = (struct swhca_wire_req){
		.op = SWHCA_WIRE_READ,
		.st = conn->qp == NULL ? PRM_QP_ST_DCI :
					 (uint8_t)prm_get(conn->qp->qpc, PRM_QPC_ST),
		.src_qpn = conn->remote_qpn,
		.len = from->len,
		.raddr = read->raddr + from->offset,
		.rkey = read->rkey,
		.srqn = read->srqn,
		.dc_key = conn->dc_key,
	};
	r.rx.req = &r.req;
	r.rx.spans = &conn->net->hca->fabric->remote;
	if (!read_translate(&r))
		return r.answer.status;
	return swhca_payload_copy(conn->net->hca, &to, r.rx.spans) == 0 ? SWHCA_WIRE_ACK :
									  SWHCA_WIRE_ERROR;
}

static void
packet_fill(const struct swhca_conn *conn, const struct swhca_rc_packet *from,
	    struct swhca_packet *packet)
{
	*packet = (struct swhca_packet){
		.opcode = SWHCA_OPCODE(conn->transport, from->opcode),
		.is_migrated = true,
		.pkey = UINT16_MAX,
		.dst_qpn = conn->remote_qpn,
		.psn = from->psn,
		.src_qpn = conn->dctn,
		.dc_session = conn->session,
		.syndrome = from->syndrome,
		.msn = from->msn,
		.orig = from->atomic,
		.payload_len = (uint16_t)from->len,
	};
}

bool
swhca_respond_packet(struct swhca_conn *conn)
{
	enum swhca_wire_status status = SWHCA_WIRE_ERROR;
	struct swhca_rc_packet from;
	struct swhca_packet packet;
	uint8_t *payload;

	if (!conn->has_responder || conn->transport == SWHCA_TRANSPORT_UC ||
	    !swhca_tx_has_room(conn->net) || !swhca_rc_responder_next(&conn->responder, &from))
		return false;
	packet_fill(conn, &from, &packet);
	payload = swhca_tx_begin(conn->net, &conn->ip, &packet);
	if (payload != NULL)
		status = read_piece(conn, &from, payload);
	if (status == SWHCA_WIRE_ABSENT) {
		swhca_rc_responder_put_back(&conn->responder, &from);
		conn->again_ns = swhca_now_ns() + SWHCA_PAGE_FAULT_POLL_NS;
		return false;
	}
	if (status != SWHCA_WIRE_ACK) {
		swhca_rc_responder_nak_read(&conn->responder, &from);
		return true;
	}
	swhca_tx_end(conn->net);
	conn->net->hca->fabric->cost += packet.payload_len;
	return true;
}
