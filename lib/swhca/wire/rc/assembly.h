/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_RC_ASSEMBLY_H
#define SWHCA_WIRE_RC_ASSEMBLY_H

/**
 * @file
 * Packets in sequence to the pieces of a message: what both responders, of RC and of UC, check.
 */

#include "wire/rc/rc.h"

/** Piece of a message that is to be executed. */
struct swhca_rc_piece {
	uint8_t op;		/**< enum swhca_rc_op */
	uint8_t flags;		/**< SWHCA_RC_F_IMM, _INV, _SOLICITED: of its last packet. */
	bool is_first;
	bool is_last;
	/** UC: the message before broke off; what is there of it, and its receive WQE, is free. */
	bool is_after_loss;
	uint8_t resource;	/**< RC, reads and atomics: whose owner's part is to be filled. */
	uint32_t offset;	/**< In its message. */
	uint32_t len;		/**< Of the payload; of a read: that is asked for. */
};

/** The message at hand, and the packet of it that the owner executes. */
struct swhca_rc_assembly {
	uint32_t max_msg;	/**< Bytes of a message. */
	uint32_t dma_len;	/**< WRITE: of the message. */
	uint32_t received;	/**< Bytes of it that are there. */
	uint32_t packet_len;	/**< Bytes of the packet. */
	uint8_t log_mtu;
	uint8_t op;		/**< Of the message, NONE: none is at hand. */
	uint8_t packet_op;
	bool is_last;
};

/** Messages do not mix: a first packet when none is at hand, others of its kind (IBTA 9.7.4.1). */
bool swhca_rc_assembly_order_fits(const struct swhca_rc_assembly *a,
				  const struct swhca_rc_shape *shape);
/** Packets are full, but for the last; a write has what it announced (IBTA 9.7.4.1). */
bool swhca_rc_assembly_payload_fits(const struct swhca_rc_assembly *a,
				    const struct swhca_rc_shape *shape,
				    const struct swhca_rc_packet *packet);
/** A packet that fits is executed. */
void swhca_rc_assembly_begin(struct swhca_rc_assembly *a, const struct swhca_rc_shape *shape,
			     const struct swhca_rc_packet *packet, struct swhca_rc_piece *piece);
/** It has been. */
void swhca_rc_assembly_end(struct swhca_rc_assembly *a);

#endif /* SWHCA_WIRE_RC_ASSEMBLY_H */
