/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Responder: executes the expected packet, answers earlier ones again, and reports a loss for later
 * ones.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "wire/rc/seq.h"
#include "wire/rc/rc_responder.h"

#define LOG_MTU_MIN 8u
#define LOG_MTU_MAX 12u

int
swhca_rc_responder_init(struct swhca_rc_responder *r, const struct swhca_rc_responder_conf *conf,
			struct swhca_rc_resource *resources)
{
	if (conf->log_mtu < LOG_MTU_MIN || conf->log_mtu > LOG_MTU_MAX ||
	    conf->max_msg > SWHCA_RC_MAX_MSG ||
	    (conf->max_dest_rd_atomic != 0 && resources == NULL))
		return -EINVAL;
	memset(r, 0, sizeof(*r));
	r->conf = *conf;
	r->resources = resources;
	r->assembly.log_mtu = conf->log_mtu;
	r->assembly.max_msg = conf->max_msg;
	r->expected = swhca_seq_init(conf->psn);
	if (conf->max_dest_rd_atomic != 0)
		memset(resources, 0, sizeof(*resources) * conf->max_dest_rd_atomic);
	return 0;
}

/* Ignore all other packets until this one arrives; one NAK for all (IBTA 9.7.5.2). */
static void
nak_set(struct swhca_rc_responder *r, uint64_t seq, uint8_t syndrome)
{
	r->nak = syndrome;
	r->nak_seq = seq;
	r->has_nak = true;
}

static enum swhca_rc_do
reject(struct swhca_rc_responder *r)
{
	r->stats.nb_invalid++;
	nak_set(r, r->expected, swhca_aeth_nak(SWHCA_NAK_INVAL_REQ));
	r->is_failed = true;
	return SWHCA_RC_DO_NOTHING;
}

static void
resource_stop(struct swhca_rc_responder *r, struct swhca_rc_resource *res)
{
	if (res->next != res->until)
		r->nb_active--;
	res->next = res->until;
}

/* Answer a read or an atomic, or repeat its answer from one of its packets on. */
static void
resource_start(struct swhca_rc_responder *r, struct swhca_rc_resource *res, uint64_t from,
	       uint64_t until, uint32_t stop)
{
	resource_stop(r, res);
	res->from = res->next = from;
	res->until = until;
	res->stop = stop;
	r->nb_active++;
}

/* Find the resource of a number, or NULL if it was reused, or the number is of another request. */
static struct swhca_rc_resource *
resource_find(struct swhca_rc_responder *r, uint64_t seq)
{
	struct swhca_rc_resource *res;
	unsigned int i;

	for (i = 0; i < r->conf.max_dest_rd_atomic; i++) {
		res = &r->resources[i];
		if (res->op != SWHCA_RC_OP_NONE && seq >= res->seq && seq < res->end)
			return res;
	}
	return NULL;
}

/* Repeat a read, or the part that the requester still lacks (IBTA 9.7.5.1.4). */
static void
read_again(struct swhca_rc_responder *r, struct swhca_rc_resource *res, uint64_t seq,
	   uint32_t dma_len)
{
	uint32_t offset = (uint32_t)((seq - res->seq) << r->conf.log_mtu), nb;

	if (dma_len > res->len - offset) {
		r->stats.nb_dropped++;
		return;
	}
	res->is_replay = true;
	nb = swhca_psn_nb_packets(dma_len, UINT32_C(1) << r->conf.log_mtu);
	resource_start(r, res, seq, seq + nb, offset + dma_len);
}

/*
 * Answer a duplicate without execution: a write or send is acknowledged with all packets received
 * since, a read is repeated, an atomic gets the stored answer; without a resource there is no
 * answer (IBTA 9.7.5.1.4).
 */
static void
answer_again(struct swhca_rc_responder *r, const struct swhca_rc_packet *packet, uint64_t seq,
	     uint8_t op)
{
	struct swhca_rc_resource *res;

	r->stats.nb_duplicates++;
	if (op == SWHCA_RC_OP_SEND || op == SWHCA_RC_OP_WRITE) {
		r->has_ack = true;
		return;
	}
	res = resource_find(r, seq);
	if (res == NULL || res->op != op) {
		r->stats.nb_dropped++;
	} else if (op == SWHCA_RC_OP_READ) {
		read_again(r, res, seq, packet->dma_len);
	} else {
		res->is_replay = true;
		resource_start(r, res, res->seq, res->end, 0);
	}
}

/* More reads and atomics than resources are an invalid request (IBTA 9.7.4.1). */
static bool
has_resource(const struct swhca_rc_responder *r)
{
	const struct swhca_rc_resource *res;

	if (r->conf.max_dest_rd_atomic == 0)
		return false;
	res = &r->resources[r->next_resource];
	return res->next == res->until || res->is_replay;
}

static enum swhca_rc_do
take_expected(struct swhca_rc_responder *r, const struct swhca_rc_packet *packet,
	      struct swhca_rc_piece *piece)
{
	struct swhca_rc_shape shape = swhca_rc_shape_of(packet->opcode);

	if (shape.op == SWHCA_RC_OP_NONE || !swhca_rc_assembly_order_fits(&r->assembly, &shape) ||
	    !swhca_rc_assembly_payload_fits(&r->assembly, &shape, packet) ||
	    (shape.op >= SWHCA_RC_OP_READ && !has_resource(r)))
		return reject(r);
	swhca_rc_assembly_begin(&r->assembly, &shape, packet, piece);
	piece->resource = r->next_resource;
	r->pending_len = piece->len;
	r->pending_ack = packet->ack_req;
	return SWHCA_RC_DO_EXECUTE;
}

enum swhca_rc_do
swhca_rc_responder_receive(struct swhca_rc_responder *r, const struct swhca_rc_packet *packet,
			   struct swhca_rc_piece *piece)
{
	uint64_t seq = swhca_seq_of(packet->psn, r->expected);

	if (r->is_failed) {
		r->stats.nb_dropped++;
		return SWHCA_RC_DO_NOTHING;
	}
	if (seq == r->expected)
		return take_expected(r, packet, piece);
	if (seq < r->expected) {
		answer_again(r, packet, seq, swhca_rc_shape_of(packet->opcode).op);
		return SWHCA_RC_DO_NOTHING;
	}
	r->stats.nb_out_of_sequence++;
	if (!r->has_nak)
		nak_set(r, r->expected, swhca_aeth_nak(SWHCA_NAK_PSN_SEQ));
	else
		r->stats.nb_dropped++;
	return SWHCA_RC_DO_NOTHING;
}

/* Advance: the message continues, or is complete and counted (IBTA 9.7.5.2, "MSN"). */
static void
advance(struct swhca_rc_responder *r, uint64_t nb)
{
	r->stats.nb_packets++;
	r->expected += nb;
	swhca_rc_assembly_end(&r->assembly);
	if (r->assembly.is_last)
		r->msn = (r->msn + 1) & SWHCA_PSN_MASK;
	/* Later packets received before it were dropped. */
	if (r->nak == swhca_aeth_nak(SWHCA_NAK_PSN_SEQ)) {
		r->nak_seq = r->expected;
		return;
	}
	r->has_nak = false;
	r->nak = 0;
}

/* An answer acknowledges all before it (IBTA 9.7.5.1.2). */
static void
rd_done(struct swhca_rc_responder *r, uint64_t old)
{
	struct swhca_rc_resource *res = &r->resources[r->next_resource];
	uint32_t nb = 1;

	if (r->assembly.packet_op == SWHCA_RC_OP_READ)
		nb = swhca_psn_nb_packets(r->pending_len, UINT32_C(1) << r->conf.log_mtu);
	resource_stop(r, res);
	*res = (struct swhca_rc_resource){ .seq = r->expected, .end = r->expected + nb,
					   .atomic = old, .len = r->pending_len,
					   .op = r->assembly.packet_op };
	resource_start(r, res, res->seq, res->end, res->len);
	r->next_resource++;
	if (r->next_resource == r->conf.max_dest_rd_atomic)
		r->next_resource = 0;
	r->has_ack = false;
	advance(r, nb);
}

void
swhca_rc_responder_done(struct swhca_rc_responder *r)
{
	if (r->assembly.packet_op == SWHCA_RC_OP_READ) {
		rd_done(r, 0);
		return;
	}
	advance(r, 1);
	r->has_ack |= r->pending_ack;
}

void
swhca_rc_responder_done_atomic(struct swhca_rc_responder *r, uint64_t old)
{
	rd_done(r, old);
}

void
swhca_rc_responder_rnr(struct swhca_rc_responder *r, uint8_t timer)
{
	nak_set(r, r->expected, swhca_aeth_rnr(timer));
}

void
swhca_rc_responder_nak(struct swhca_rc_responder *r, enum swhca_nak value)
{
	nak_set(r, r->expected, swhca_aeth_nak(value));
	r->is_failed = true;
}

static void
aeth_fill(struct swhca_rc_responder *r, uint8_t syndrome, struct swhca_rc_packet *packet)
{
	packet->syndrome = syndrome;
	packet->msn = r->msn;
}

static void
read_fill(struct swhca_rc_responder *r, const struct swhca_rc_resource *res,
	  struct swhca_rc_packet *packet)
{
	uint32_t mtu = UINT32_C(1) << r->conf.log_mtu;
	bool is_last = res->next + 1 == res->until;

	packet->opcode = swhca_rc_read_opcode(res->next == res->from, is_last);
	packet->offset = (uint32_t)((res->next - res->seq) << r->conf.log_mtu);
	packet->len = res->stop - packet->offset < mtu ? res->stop - packet->offset : mtu;
}

/* Responses are sent in the order of their numbers, including repeated ones. */
static void
response_fill(struct swhca_rc_responder *r, struct swhca_rc_packet *packet)
{
	struct swhca_rc_resource *res = NULL, *other;
	unsigned int i;

	for (i = 0; i < r->conf.max_dest_rd_atomic; i++) {
		other = &r->resources[i];
		if (other->next != other->until && (res == NULL || other->seq < res->seq))
			res = other;
	}
	/* nb_active resources have packets left. */
	assert(res != NULL);
	packet->psn = swhca_seq_psn(res->next);
	packet->msg = (uint32_t)(res - r->resources);
	aeth_fill(r, swhca_aeth_ack(r->conf.credits), packet);
	if (res->op == SWHCA_RC_OP_READ) {
		read_fill(r, res, packet);
	} else {
		packet->opcode = SWHCA_PACKET_ATOMIC_ACK;
		packet->atomic = res->atomic;
	}
	res->next++;
	if (res->next == res->until)
		r->nb_active--;
}

bool
swhca_rc_responder_next(struct swhca_rc_responder *r, struct swhca_rc_packet *packet)
{
	memset(packet, 0, sizeof(*packet));
	if (r->nb_active != 0) {
		response_fill(r, packet);
		return true;
	}
	packet->opcode = SWHCA_PACKET_ACK;
	if (r->nak != 0) {
		packet->psn = swhca_seq_psn(r->nak_seq);
		aeth_fill(r, r->nak, packet);
		r->stats.nb_naks++;
	} else if (r->has_ack) {
		packet->psn = swhca_seq_psn(r->expected - 1);
		aeth_fill(r, swhca_aeth_ack(r->conf.credits), packet);
		r->stats.nb_acks++;
	} else {
		return false;
	}
	/* A NAK acknowledges all before it. */
	r->nak = 0;
	r->has_ack = false;
	return true;
}

void
swhca_rc_responder_put_back(struct swhca_rc_responder *r, const struct swhca_rc_packet *packet)
{
	struct swhca_rc_resource *res = &r->resources[packet->msg];

	if (res->next == res->until)
		r->nb_active++;
	res->next--;
}

void
swhca_rc_responder_nak_read(struct swhca_rc_responder *r, const struct swhca_rc_packet *packet)
{
	unsigned int i;

	for (i = 0; i < r->conf.max_dest_rd_atomic; i++)
		resource_stop(r, &r->resources[i]);
	nak_set(r, swhca_seq_of(packet->psn, r->expected), swhca_aeth_nak(SWHCA_NAK_OP));
	r->is_failed = true;
}
