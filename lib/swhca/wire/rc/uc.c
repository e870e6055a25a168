/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <string.h>

#include "wire/rc/seq.h"
#include "wire/rc/uc.h"

#define LOG_MTU_MIN 8u
#define LOG_MTU_MAX 12u
/* Packets up to this distance before the expected one are old; others are of a restarted peer. */
#define OLD_WINDOW 1024u

int
swhca_uc_responder_init(struct swhca_uc_responder *r, uint32_t psn, uint8_t log_mtu,
			uint32_t max_msg)
{
	if (log_mtu < LOG_MTU_MIN || log_mtu > LOG_MTU_MAX || max_msg > SWHCA_RC_MAX_MSG)
		return -EINVAL;
	memset(r, 0, sizeof(*r));
	r->assembly.log_mtu = log_mtu;
	r->assembly.max_msg = max_msg;
	r->psn = psn & SWHCA_PSN_MASK;
	return 0;
}

static bool
drop(struct swhca_uc_responder *r)
{
	r->assembly.op = SWHCA_RC_OP_NONE;
	r->nb_dropped++;
	return false;
}

/* Opcodes of the service (IBTA 9.8.2, table "OpCode field"). */
static bool
is_request(const struct swhca_rc_shape *shape)
{
	return (shape->op == SWHCA_RC_OP_SEND || shape->op == SWHCA_RC_OP_WRITE) &&
	       (shape->flags & SWHCA_RC_F_INV) == 0;
}

/*
 * A duplicate or overtaken packet would deliver a message twice, or too late. The IBTA has neither
 * (9.8.2.2): its fabrics keep the order, IP networks may not.
 */
static bool
is_old(const struct swhca_uc_responder *r, uint32_t psn)
{
	return ((r->psn - 1 - psn) & SWHCA_PSN_MASK) < OLD_WINDOW;
}

bool
swhca_uc_responder_receive(struct swhca_uc_responder *r, const struct swhca_rc_packet *packet,
			   struct swhca_rc_piece *piece)
{
	struct swhca_rc_shape shape = swhca_rc_shape_of(packet->opcode);

	if (is_old(r, packet->psn)) {
		r->nb_old++;
		return false;
	}
	if (packet->psn != r->psn) {
		r->nb_out_of_sequence++;
		r->assembly.op = SWHCA_RC_OP_NONE;
	}
	r->psn = (packet->psn + 1) & SWHCA_PSN_MASK;
	/* A new message ends an incomplete one. */
	if (shape.is_first)
		r->assembly.op = SWHCA_RC_OP_NONE;
	if (!is_request(&shape) || !swhca_rc_assembly_order_fits(&r->assembly, &shape) ||
	    !swhca_rc_assembly_payload_fits(&r->assembly, &shape, packet))
		return drop(r);
	swhca_rc_assembly_begin(&r->assembly, &shape, packet, piece);
	piece->is_after_loss = shape.is_first && r->is_broken;
	return true;
}

void
swhca_uc_responder_done(struct swhca_uc_responder *r)
{
	r->nb_packets++;
	swhca_rc_assembly_end(&r->assembly);
	r->is_broken = !r->assembly.is_last;
}

void
swhca_uc_responder_drop(struct swhca_uc_responder *r)
{
	drop(r);
}
