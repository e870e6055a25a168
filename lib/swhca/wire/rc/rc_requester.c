/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Requester: transmission, acknowledgment by responses, and retransmission. */

#include <errno.h>
#include <string.h>

#include "wire/rc/seq.h"
#include "wire/rc/rc_requester.h"

/* conf.rnr_retry: unlimited (IBTA 9.7.5.2.8). */
#define RNR_RETRY_FOREVER 7u
#define ATOMIC_LEN 8u
#define LOG_MTU_MIN 8u
#define LOG_MTU_MAX 12u
#define LOG_MSGS_MAX 24u

static struct swhca_rc_msg *
msg_at(const struct swhca_rc_requester *q, uint32_t number)
{
	return &q->msgs[number & q->mask];
}

/* Reads and atomics, which are answered, not acknowledged. */
static bool
is_rd(const struct swhca_rc_msg *msg)
{
	return msg->op >= SWHCA_RC_OP_READ;
}

/* Messages that take a receive WQE; only these need a credit (IBTA 9.7.7.2). */
static bool
is_received(const struct swhca_rc_msg *msg)
{
	return msg->op == SWHCA_RC_OP_SEND || (msg->flags & SWHCA_RC_F_IMM) != 0;
}

int
swhca_rc_requester_init(struct swhca_rc_requester *q, const struct swhca_rc_requester_conf *conf,
			struct swhca_rc_msg *msgs, unsigned int log_msgs)
{
	if (conf->log_mtu < LOG_MTU_MIN || conf->log_mtu > LOG_MTU_MAX || conf->window == 0 ||
	    conf->window >= SWHCA_PSN_WINDOW || log_msgs > LOG_MSGS_MAX)
		return -EINVAL;
	memset(q, 0, sizeof(*q));
	q->conf = *conf;
	q->msgs = msgs;
	q->mask = (UINT32_C(1) << log_msgs) - 1;
	q->una = q->cursor = q->max = q->end = swhca_seq_init(conf->psn);
	q->nb_retries = conf->retry_cnt;
	q->nb_rnr_retries = conf->rnr_retry;
	return 0;
}

/* Sequence numbers of a message. */
static uint32_t
nb_packets(const struct swhca_rc_requester *q, enum swhca_rc_op op, uint32_t len)
{
	if (op > SWHCA_RC_OP_READ)
		return 1;
	return swhca_psn_nb_packets(len, UINT32_C(1) << q->conf.log_mtu);
}

static int
post_check(const struct swhca_rc_requester *q, enum swhca_rc_op op, uint32_t len)
{
	if (q->is_failed)
		return -EIO;
	if (op < SWHCA_RC_OP_SEND || op > SWHCA_RC_OP_FETCH_ADD)
		return -EINVAL;
	if (op >= SWHCA_RC_OP_READ && (q->conf.is_unreliable || q->conf.max_rd_atomic == 0))
		return -EINVAL;
	if (op > SWHCA_RC_OP_READ && len != ATOMIC_LEN)
		return -EINVAL;
	if (len > SWHCA_RC_MAX_MSG || nb_packets(q, op, len) >= SWHCA_PSN_WINDOW)
		return -EMSGSIZE;
	return q->tail - q->head > q->mask ? -ENOSPC : 0;
}

int
swhca_rc_requester_post(struct swhca_rc_requester *q, enum swhca_rc_op op, uint8_t flags,
			uint32_t len, uint32_t *msg)
{
	struct swhca_rc_msg *new = msg_at(q, q->tail);
	int ret = post_check(q, op, len);

	if (ret != 0)
		return ret;
	if (op >= SWHCA_RC_OP_READ)
		flags &= SWHCA_RC_F_FENCE;
	*new = (struct swhca_rc_msg){ .seq = q->end, .len = len, .op = (uint8_t)op,
				      .flags = flags };
	/* The first message has number 1 (IBTA 9.7.7.2). */
	new->ssn = (q->tail + 1) & SWHCA_PSN_MASK;
	new->end = q->end + nb_packets(q, op, len);
	q->end = new->end;
	*msg = q->tail++;
	return 0;
}

/* Check for a message without credit (IBTA 9.7.7.2): 24-bit numbers, like PSNs. */
static bool
lacks_credit(const struct swhca_rc_requester *q, const struct swhca_rc_msg *msg)
{
	if (!q->conf.has_credits || q->limit_ssn == SWHCA_CREDITS_UNLIMITED || !is_received(msg))
		return false;
	return ((q->limit_ssn - msg->ssn) & SWHCA_PSN_MASK) >= SWHCA_PSN_WINDOW;
}

/* Check whether a message may begin now, after the earlier ones. */
static bool
can_begin(const struct swhca_rc_requester *q, const struct swhca_rc_msg *msg)
{
	if ((msg->flags & SWHCA_RC_F_FENCE) && q->nb_rd != 0)
		return false;
	if (is_rd(msg))
		return q->nb_rd < q->conf.max_rd_atomic &&
		       msg->end - q->una < SWHCA_PSN_WINDOW;
	/* Without credit one packet may request one, when nothing else is outstanding. */
	return !lacks_credit(q, msg) || q->una == q->cursor;
}

static bool
can_send(const struct swhca_rc_requester *q)
{
	const struct swhca_rc_msg *msg = msg_at(q, q->cur);

	if (q->is_failed || q->is_rnr || q->cur == q->tail || q->cursor - q->una >= q->conf.window)
		return false;
	if (q->has_stop && q->cur == q->stop)
		return false;
	if (q->cursor == msg->seq || is_rd(msg))
		return can_begin(q, msg);
	/* It began without credit: continue when its first packet is acknowledged. */
	return !lacks_credit(q, msg) || q->una > msg->seq;
}

/* @return Sequence numbers of the packet. */
static uint64_t
packet_fill(const struct swhca_rc_requester *q, const struct swhca_rc_msg *msg,
	    struct swhca_rc_packet *packet)
{
	uint32_t mtu = UINT32_C(1) << q->conf.log_mtu;
	uint64_t index = q->cursor - msg->seq;
	bool is_last = is_rd(msg) || q->cursor + 1 == msg->end;

	memset(packet, 0, sizeof(*packet));
	packet->opcode = swhca_rc_opcode_of(msg->op, msg->flags, index == 0 || is_rd(msg), is_last);
	packet->psn = swhca_seq_psn(q->cursor);
	packet->msg = q->cur;
	packet->solicited = is_last && (msg->flags & SWHCA_RC_F_SOLICITED) != 0;
	packet->offset = (uint32_t)(index << q->conf.log_mtu);
	packet->dma_len = msg->len;
	if (is_rd(msg)) {
		/* Rest of a read: its answer continues where it stopped (IBTA 9.7.3). */
		packet->dma_len = msg->len - packet->offset;
		return msg->end - q->cursor;
	}
	packet->len = msg->len - packet->offset < mtu ? msg->len - packet->offset : mtu;
	return 1;
}

/* Request an acknowledgment if nothing more can be sent, to avoid waiting for the timer. */
static bool
asks_for_ack(struct swhca_rc_requester *q, const struct swhca_rc_msg *msg, bool is_last)
{
	uint32_t every = q->conf.ack_every != 0 ? q->conf.ack_every : q->conf.window / 4;

	if (q->conf.is_unreliable || is_rd(msg))
		return false;
	q->since_ack_req++;
	if (!(is_last && (msg->flags & SWHCA_RC_F_ACK)) && q->since_ack_req < every && can_send(q))
		return false;
	q->since_ack_req = 0;
	return true;
}

bool
swhca_rc_requester_next(struct swhca_rc_requester *q, uint64_t now_ns,
			struct swhca_rc_packet *packet)
{
	const struct swhca_rc_msg *msg = msg_at(q, q->cur);

	if (!can_send(q))
		return false;
	if (q->cursor == q->una)
		q->since = now_ns;
	q->stats.nb_packets++;
	if (q->cursor < q->max)
		q->stats.nb_resent++;
	q->cursor += packet_fill(q, msg, packet);
	if (is_rd(msg))
		q->nb_rd++;
	if (q->max < q->cursor)
		q->max = q->cursor;
	if (q->cursor == msg->end)
		q->cur++;
	packet->ack_req = asks_for_ack(q, msg, q->cursor == msg->end);
	if (q->conf.is_unreliable) {
		q->una = q->cursor;
		q->una_msg = q->cur;
	}
	return true;
}

static void
fail(struct swhca_rc_requester *q, enum swhca_rc_status status)
{
	if (q->is_failed)
		return;
	q->is_failed = true;
	q->status = (uint8_t)status;
}

/* All messages before the one to stop at are done. */
static void
stop_check(struct swhca_rc_requester *q)
{
	if (q->has_stop && (int32_t)(q->stop - q->una_msg) <= 0)
		fail(q, SWHCA_RC_LOCAL);
}

/* Send everything from una on again. */
static void
go_back(struct swhca_rc_requester *q)
{
	q->cursor = q->una;
	q->cur = q->una_msg;
	q->nb_rd = 0;
	q->since_ack_req = 0;
}

/* New acknowledgment: restart timer and counters (IBTA 9.7.6.1, 9.9.2.1). */
static void
progress(struct swhca_rc_requester *q, uint64_t now_ns)
{
	q->since = now_ns;
	q->nb_retries = q->conf.retry_cnt;
	q->nb_rnr_retries = q->conf.rnr_retry;
	q->is_lost = false;
	q->is_rnr = false;
	if (q->cursor >= q->una)
		return;
	/* It was still on its way when retransmission began. */
	q->cursor = q->una;
	q->cur = q->una_msg;
}

static void
msg_done(struct swhca_rc_requester *q, const struct swhca_rc_msg *msg)
{
	if (is_rd(msg) && msg->end <= q->cursor)
		q->nb_rd--;
	q->una_msg++;
	stop_check(q);
}

/*
 * All packets before this one have arrived, and reads and atomics before it are answered.
 *
 * @return
 *   false: but a response is missing, which is an implied NAK (IBTA 9.7.5.1.2).
 */
static bool
acknowledge(struct swhca_rc_requester *q, uint64_t seq, uint64_t now_ns)
{
	const struct swhca_rc_msg *msg = msg_at(q, q->una_msg);
	uint64_t una = q->una;

	while (q->una < seq && !is_rd(msg) && !q->is_failed) {
		q->una = seq < msg->end ? seq : msg->end;
		if (q->una == msg->end) {
			msg_done(q, msg);
			msg = msg_at(q, q->una_msg);
		}
	}
	if (q->una != una)
		progress(q, now_ns);
	return q->una >= seq;
}

void
swhca_rc_requester_stop(struct swhca_rc_requester *q, uint32_t msg)
{
	if (q->is_failed || (q->has_stop && (int32_t)(msg - q->stop) >= 0))
		return;
	q->has_stop = true;
	q->stop = msg;
	/* Unreliable: it was considered done. */
	if (q->conf.is_unreliable && (int32_t)(msg - q->head) >= 0)
		q->una_msg = msg;
	/* Outstanding packets may not have requested an acknowledgment. */
	go_back(q);
	stop_check(q);
}

static void
retry(struct swhca_rc_requester *q)
{
	if (q->nb_retries == 0) {
		fail(q, SWHCA_RC_RETRY_EXCEEDED);
		return;
	}
	q->nb_retries--;
	go_back(q);
}

/*
 * The packet at una, or its answer, is lost. Outstanding packets after it cause further reports,
 * which are ignored until progress or the timer. @return Whether this report counts.
 */
static bool
lost(struct swhca_rc_requester *q)
{
	if (q->cursor == q->una || (q->is_lost && q->lost_seq == q->una))
		return false;
	q->is_lost = true;
	q->lost_seq = q->una;
	retry(q);
	return true;
}

static void
lost_response(struct swhca_rc_requester *q)
{
	if (lost(q))
		q->stats.nb_implied_naks++;
}

static void
rnr_nak(struct swhca_rc_requester *q, uint64_t now_ns, uint8_t timer)
{
	if (q->cursor == q->una)
		return;
	q->stats.nb_rnr_naks++;
	if (q->nb_rnr_retries == 0) {
		fail(q, SWHCA_RC_RNR_RETRY_EXCEEDED);
		return;
	}
	if (q->conf.rnr_retry != RNR_RETRY_FOREVER)
		q->nb_rnr_retries--;
	q->is_rnr = true;
	q->rnr_until = now_ns + swhca_rc_rnr_ns(timer);
	go_back(q);
}

static void
nak(struct swhca_rc_requester *q, uint8_t code)
{
	switch (code) {
	case SWHCA_NAK_PSN_SEQ:
		if (lost(q))
			q->stats.nb_sequence_naks++;
		break;
	case SWHCA_NAK_INVAL_REQ:
		fail(q, SWHCA_RC_REMOTE_INVAL_REQ);
		break;
	case SWHCA_NAK_ACCESS:
		fail(q, SWHCA_RC_REMOTE_ACCESS);
		break;
	case SWHCA_NAK_OP:
		fail(q, SWHCA_RC_REMOTE_OP);
		break;
	default:	/* Reserved. */
		q->stats.nb_bad++;
	}
}

/* Credits beyond the messages that the responder has completed (IBTA 9.7.7.2). */
static void
take_credits(struct swhca_rc_requester *q, const struct swhca_rc_packet *packet)
{
	uint32_t nb = swhca_aeth_credits(swhca_aeth_code(packet->syndrome));

	if (swhca_aeth_kind(packet->syndrome) != SWHCA_AETH_ACK)
		return;
	q->limit_ssn = nb == SWHCA_CREDITS_UNLIMITED ? nb : (packet->msn + nb) & SWHCA_PSN_MASK;
}

/* An ACK acknowledges all up to its number; a NAK all before it (IBTA 9.7.5). */
static void
take_ack(struct swhca_rc_requester *q, uint64_t now_ns, const struct swhca_rc_packet *packet,
	 uint64_t seq)
{
	uint8_t code = swhca_aeth_code(packet->syndrome);

	switch (swhca_aeth_kind(packet->syndrome)) {
	case SWHCA_AETH_ACK:
		take_credits(q, packet);
		if (!acknowledge(q, seq + 1, now_ns))
			lost_response(q);
		break;
	case SWHCA_AETH_RNR:
		if (!acknowledge(q, seq, now_ns))
			lost_response(q);
		else
			rnr_nak(q, now_ns, code);
		break;
	case SWHCA_AETH_NAK:
		if (!acknowledge(q, seq, now_ns))
			lost_response(q);
		else
			nak(q, code);
		break;
	default:
		q->stats.nb_bad++;
	}
}

/* Find the read or atomic of a response, or NULL; also if an earlier one is unanswered. */
static const struct swhca_rc_msg *
response_find(struct swhca_rc_requester *q, uint64_t seq, uint8_t opcode)
{
	uint32_t number = q->una_msg;
	const struct swhca_rc_msg *msg = msg_at(q, number);

	while (msg->end <= seq) {
		if (is_rd(msg)) {
			lost_response(q);
			return NULL;
		}
		msg = msg_at(q, ++number);
	}
	if (is_rd(msg) && (msg->op == SWHCA_RC_OP_READ) == (opcode != SWHCA_PACKET_ATOMIC_ACK))
		return msg;
	q->stats.nb_bad++;
	return NULL;
}

static bool
read_opcode_fits(uint8_t opcode, bool is_last)
{
	return is_last == (opcode == SWHCA_PACKET_READ_RESPONSE_LAST ||
			   opcode == SWHCA_PACKET_READ_RESPONSE_ONLY);
}

/*
 * The number alone determines the position of a part of a read's answer: FIRST and ONLY also occur
 * at the start of a repeated request (IBTA 9.7.5.1.3).
 */
static enum swhca_rc_take
take_data(struct swhca_rc_requester *q, const struct swhca_rc_msg *msg,
	  const struct swhca_rc_packet *packet, struct swhca_rc_place *place)
{
	uint32_t mtu = UINT32_C(1) << q->conf.log_mtu;

	place->offset = (uint32_t)((q->una - msg->seq) << q->conf.log_mtu);
	place->len = msg->len - place->offset < mtu ? msg->len - place->offset : mtu;
	if (!read_opcode_fits(packet->opcode, q->una + 1 == msg->end)) {
		q->stats.nb_bad++;
		return SWHCA_RC_TAKE_NOTHING;
	}
	if (packet->len == place->len)
		return SWHCA_RC_TAKE_DATA;
	q->stats.nb_bad++;
	fail(q, SWHCA_RC_BAD_RESPONSE);
	return SWHCA_RC_TAKE_NOTHING;
}

static enum swhca_rc_take
take_response(struct swhca_rc_requester *q, uint64_t now_ns, const struct swhca_rc_packet *packet,
	      struct swhca_rc_place *place, uint64_t seq)
{
	const struct swhca_rc_msg *msg = response_find(q, seq, packet->opcode);
	enum swhca_rc_take take = SWHCA_RC_TAKE_ATOMIC;

	if (msg == NULL)
		return SWHCA_RC_TAKE_NOTHING;
	acknowledge(q, msg->seq, now_ns);
	if (q->una != seq) {
		lost_response(q);
		return SWHCA_RC_TAKE_NOTHING;
	}
	place->msg = q->una_msg;
	if (packet->opcode != SWHCA_PACKET_ATOMIC_ACK)
		take = take_data(q, msg, packet, place);
	if (take == SWHCA_RC_TAKE_NOTHING)
		return take;
	if (packet->opcode != SWHCA_PACKET_READ_RESPONSE_MIDDLE)
		take_credits(q, packet);
	q->una++;
	if (q->una == msg->end)
		msg_done(q, msg);
	progress(q, now_ns);
	return take;
}

/* It may be for a packet not sent yet, if the lost one has arrived meanwhile. */
static bool
is_sequence_nak(const struct swhca_rc_packet *packet)
{
	return packet->opcode == SWHCA_PACKET_ACK &&
	       packet->syndrome == swhca_aeth_nak(SWHCA_NAK_PSN_SEQ);
}

enum swhca_rc_take
swhca_rc_requester_receive(struct swhca_rc_requester *q, uint64_t now_ns,
			   const struct swhca_rc_packet *packet, struct swhca_rc_place *place)
{
	uint64_t seq = swhca_seq_of(packet->psn, q->una);

	if (q->is_failed || q->conf.is_unreliable || seq >= q->max + is_sequence_nak(packet)) {
		q->stats.nb_bad++;
		return SWHCA_RC_TAKE_NOTHING;
	}
	if (seq < q->una) {
		/* Credits may arrive without a new acknowledgment (IBTA 9.7.7.2). */
		if (seq + 1 == q->una && packet->opcode == SWHCA_PACKET_ACK)
			take_credits(q, packet);
		q->stats.nb_old++;
		return SWHCA_RC_TAKE_NOTHING;
	}
	switch (packet->opcode) {
	case SWHCA_PACKET_READ_RESPONSE_FIRST:
	case SWHCA_PACKET_READ_RESPONSE_MIDDLE:
	case SWHCA_PACKET_READ_RESPONSE_LAST:
	case SWHCA_PACKET_READ_RESPONSE_ONLY:
	case SWHCA_PACKET_ATOMIC_ACK:
		return take_response(q, now_ns, packet, place, seq);
	case SWHCA_PACKET_ACK:
		take_ack(q, now_ns, packet, seq);
		return SWHCA_RC_TAKE_NOTHING;
	default:
		q->stats.nb_bad++;
		return SWHCA_RC_TAKE_NOTHING;
	}
}

uint64_t
swhca_rc_requester_deadline(const struct swhca_rc_requester *q)
{
	uint64_t timeout_ns = swhca_rc_timeout_ns(q->conf.timeout);

	if (q->is_failed)
		return SWHCA_RC_NEVER;
	if (q->is_rnr)
		return q->rnr_until;
	return q->cursor == q->una || timeout_ns == 0 ? SWHCA_RC_NEVER : q->since + timeout_ns;
}

void
swhca_rc_requester_tick(struct swhca_rc_requester *q, uint64_t now_ns)
{
	if (now_ns < swhca_rc_requester_deadline(q))
		return;
	if (q->is_rnr) {
		q->is_rnr = false;
		return;
	}
	q->stats.nb_timeouts++;
	q->is_lost = false;
	retry(q);
}

void
swhca_rc_requester_skip(struct swhca_rc_requester *q, uint64_t ns)
{
	q->since += ns;
	q->rnr_until += ns;
}

bool
swhca_rc_requester_pop(struct swhca_rc_requester *q, uint32_t *msg, enum swhca_rc_status *status)
{
	if (q->head == q->una_msg && !q->is_failed)
		return false;
	if (q->head == q->tail)
		return false;
	*status = SWHCA_RC_DONE;
	if (q->head == q->una_msg) {
		/* The first incomplete message has failed, and then all are flushed. */
		*status = q->status;
		q->status = SWHCA_RC_FLUSHED;
		q->una_msg++;
	}
	*msg = q->head++;
	return true;
}
