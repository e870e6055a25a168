/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "wire/rc/assembly.h"

#define ATOMIC_LEN 8u

bool
swhca_rc_assembly_order_fits(const struct swhca_rc_assembly *a, const struct swhca_rc_shape *shape)
{
	return shape->is_first ? a->op == SWHCA_RC_OP_NONE : a->op == shape->op;
}

/* Reads and atomics have no payload. */
static bool
rd_fits(const struct swhca_rc_assembly *a, const struct swhca_rc_shape *shape,
	const struct swhca_rc_packet *packet)
{
	return packet->len == 0 && (shape->op != SWHCA_RC_OP_READ || packet->dma_len <= a->max_msg);
}

bool
swhca_rc_assembly_payload_fits(const struct swhca_rc_assembly *a,
			       const struct swhca_rc_shape *shape,
			       const struct swhca_rc_packet *packet)
{
	uint32_t mtu = UINT32_C(1) << a->log_mtu;
	uint32_t received = shape->is_first ? 0 : a->received;
	uint32_t dma_len = shape->is_first ? packet->dma_len : a->dma_len;

	if (shape->op >= SWHCA_RC_OP_READ)
		return rd_fits(a, shape, packet);
	if (packet->len > mtu || (!shape->is_last && packet->len < mtu) ||
	    (!shape->is_first && packet->len == 0))
		return false;
	if (shape->op == SWHCA_RC_OP_SEND)
		return packet->len <= a->max_msg - received;
	if (dma_len > a->max_msg || packet->len > dma_len - received)
		return false;
	return (packet->len == dma_len - received) == shape->is_last;
}

void
swhca_rc_assembly_begin(struct swhca_rc_assembly *a, const struct swhca_rc_shape *shape,
			const struct swhca_rc_packet *packet, struct swhca_rc_piece *piece)
{
	if (shape->is_first) {
		a->received = 0;
		a->dma_len = packet->dma_len;
	}
	a->packet_op = shape->op;
	a->packet_len = packet->len;
	a->is_last = shape->is_last;
	*piece = (struct swhca_rc_piece){
		.op = shape->op,
		.flags = shape->flags,
		.is_first = shape->is_first,
		.is_last = shape->is_last,
		.offset = a->received,
		.len = packet->len,
	};
	if (packet->solicited && shape->is_last)
		piece->flags |= SWHCA_RC_F_SOLICITED;
	if (shape->op >= SWHCA_RC_OP_READ)
		piece->len = shape->op == SWHCA_RC_OP_READ ? packet->dma_len : ATOMIC_LEN;
}

void
swhca_rc_assembly_end(struct swhca_rc_assembly *a)
{
	a->received += a->packet_len;
	a->op = a->is_last ? (uint8_t)SWHCA_RC_OP_NONE : a->packet_op;
}
