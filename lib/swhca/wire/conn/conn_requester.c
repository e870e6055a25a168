/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Packets of requests, and handling of their responses. */

#include <endian.h>
#include <errno.h>
#include <string.h>

#include "mem/pin.h"
#include "wire/conn/conn.h"

/* Move the cursor of a message to an offset: pieces are mostly consecutive. */
static void
msg_seek(struct swhca_conn_msg *msg, uint64_t offset)
{
	struct swhca_span piece;
	uint64_t skip;

	if (offset < msg->offset) {
		msg->at = (struct swhca_span_cursor){
			.span = msg->spans.list,
			.nb = msg->spans.nb,
		};
		msg->offset = 0;
	}
	for (skip = offset - msg->offset; skip > 0; skip -= piece.len) {
		if (swhca_span_take(&msg->at, skip, &piece) == 0)
			break;
	}
	msg->offset = offset;
}

static int
msg_read(const struct swhca_dma *dma, struct swhca_conn_msg *msg, uint64_t offset, uint8_t *dst,
	 uint32_t len)
{
	struct swhca_span piece;

	if (len == 0)
		return 0;
	if (msg->is_staged) {
		memcpy(dst, msg->store.data + offset, len);
		return 0;
	}
	msg_seek(msg, offset);
	for (; len > 0; len -= (uint32_t)piece.len, dst += piece.len) {
		if (swhca_span_take(&msg->at, len, &piece) == 0 ||
		    swhca_span_read(dma, dst, &piece) != 0)
			return -EFAULT;
		msg->offset += piece.len;
	}
	return 0;
}

static int
msg_write(const struct swhca_dma *dma, struct swhca_conn_msg *msg, uint64_t offset,
	  const uint8_t *src, uint32_t len)
{
	struct swhca_span piece;

	if (len == 0)
		return 0;
	if (msg->is_staged) {
		memcpy(msg->store.data + offset, src, len);
		return 0;
	}
	msg_seek(msg, offset);
	for (; len > 0; len -= (uint32_t)piece.len, src += piece.len) {
		if (swhca_span_take(&msg->at, len, &piece) == 0 ||
		    swhca_span_write(dma, &piece, src) != 0)
			return -EFAULT;
		msg->offset += piece.len;
	}
	return 0;
}

int
swhca_request_hold(const struct swhca_dma *dma, struct swhca_conn_msg *msg)
{
	int ret;

	if (msg->is_staged || msg->spans.nb == 0)
		return 0;
	if (swhca_store_grow(&msg->store, msg->req.len) != 0)
		return -ENOMEM;
	/* Also for a read: a part of its answer may have arrived, and all of it lands at once. */
	ret = msg_read(dma, msg, 0, msg->store.data, (uint32_t)msg->req.len);
	if (ret != 0)
		return ret;
	msg->is_staged = true;
	swhca_spans_reset(&msg->spans);
	return 0;
}

/* Fill in the fields of the machine and of the message. */
static void
packet_fill(const struct swhca_conn *conn, const struct swhca_conn_msg *msg,
	    const struct swhca_rc_packet *from, struct swhca_packet *packet)
{
	const struct swhca_wire_req *req = &msg->req;

	*packet = (struct swhca_packet){
		.opcode = SWHCA_OPCODE(conn->transport, from->opcode),
		.is_solicited = from->solicited,
		.is_migrated = true,
		.wants_ack = from->ack_req,
		.pkey = req->pkey,
		.dst_qpn = conn->remote_qpn,
		.psn = from->psn,
		.srqn = req->srqn,
		.src_qpn = req->src_qpn,
		.dc_key = conn->dc_key,
		.dc_session = conn->session,
		.dc_is_first = from->psn == conn->requester.conf.psn,
		.va = req->raddr,
		.rkey = req->rkey,
		.dma_len = from->dma_len,
		.swap_add = req->swap_add,
		.compare = req->compare,
		.imm_be = req->imm,
		.inval_rkey = be32toh(req->imm),
		.payload_len = (uint16_t)from->len,
	};
	if (req->op == SWHCA_WIRE_READ)
		packet->va += from->offset;
}

bool
swhca_request_packet(struct swhca_conn *conn, uint64_t now)
{
	const struct swhca_dma *dma = conn->net->hca->fabric->dma;
	struct swhca_rc_packet from;
	struct swhca_packet packet;
	struct swhca_conn_msg *msg;
	uint8_t *payload;

	if (!conn->has_requester || !swhca_tx_has_room(conn->net) ||
	    !swhca_rc_requester_next(&conn->requester, now, &from))
		return false;
	msg = swhca_conn_msg(conn, from.msg);
	packet_fill(conn, msg, &from, &packet);
	payload = swhca_tx_begin(conn->net, &conn->ip, &packet);
	if (payload == NULL || msg_read(dma, msg, from.offset, payload, packet.payload_len) != 0) {
		swhca_pins_check(conn->net->hca->fabric, &msg->spans);
		swhca_rc_requester_stop(&conn->requester, from.msg);
		swhca_request_wake(conn);
		swhca_conn_activate(conn);
		return false;
	}
	swhca_tx_end(conn->net);
	conn->net->hca->fabric->cost += packet.payload_len;
	/* Messages without acknowledgment are done when sent. */
	if (conn->requester.conf.is_unreliable)
		swhca_request_wake(conn);
	return true;
}

void
swhca_request_wake(struct swhca_conn *conn)
{
	const struct swhca_rc_requester *q = &conn->requester;

	if (q->head != q->una_msg || q->is_failed)
		swhca_qp_schedule(conn->qp);
}

void
swhca_request_answered(struct swhca_conn *conn, const struct swhca_packet *packet,
		       const uint8_t *payload, uint64_t now)
{
	const struct swhca_dma *dma = conn->net->hca->fabric->dma;
	const struct swhca_rc_packet from = {
		.opcode = swhca_opcode_type(packet->opcode),
		.syndrome = packet->syndrome,
		.psn = packet->psn,
		.msn = packet->msn,
		.len = packet->payload_len,
		.atomic = packet->orig,
	};
	struct swhca_rc_place place;
	struct swhca_conn_msg *msg;

	switch (swhca_rc_requester_receive(&conn->requester, now, &from, &place)) {
	case SWHCA_RC_TAKE_DATA:
		msg = swhca_conn_msg(conn, place.msg);
		if (msg_write(dma, msg, place.offset, payload, place.len) != 0) {
			swhca_pins_check(conn->net->hca->fabric, &msg->spans);
			msg->has_fault = true;
		}
		break;
	case SWHCA_RC_TAKE_ATOMIC:
		swhca_conn_msg(conn, place.msg)->old = packet->orig;
		break;
	case SWHCA_RC_TAKE_NOTHING:
	default:
		break;
	}
	swhca_request_wake(conn);
	swhca_conn_activate(conn);
}
