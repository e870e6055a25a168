/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_RC_ASSEMBLY_H
#define SWHCA_WIRE_RC_ASSEMBLY_H

/**
 * @file
 * Assembly of packets in sequence to messages: common checks of the RC and UC responders.
 */

#include "wire/rc/rc.h"

/** Piece of a message to be executed. */
struct swhca_rc_piece {
	uint8_t op;		/**< enum swhca_rc_op */
	uint8_t flags;		/**< SWHCA_RC_F_IMM, _INV, _SOLICITED: of the last packet. */
	bool is_first;
	bool is_last;
	/** UC: the previous message is incomplete; release its receive WQE. */
	bool is_after_loss;
	uint8_t resource;	/**< RC, reads and atomics: resource that the owner fills. */
	uint32_t offset;	/**< Offset in its message. */
	uint32_t len;		/**< Payload bytes; READ: requested bytes. */
};

/** Current message, and its packet that the owner executes. */
struct swhca_rc_assembly {
	uint32_t max_msg;	/**< Maximum bytes of a message. */
	uint32_t dma_len;	/**< WRITE: bytes of the message. */
	uint32_t received;	/**< Received bytes of the message. */
	uint32_t packet_len;	/**< Bytes of the current packet. */
	uint8_t log_mtu;
	uint8_t op;		/**< Of the message, NONE: there is none. */
	uint8_t packet_op;
	bool is_last;
};

/**
 * Check the order: a first packet without a current message, else others of its kind (IBTA
 * 9.7.4.1).
 */
bool swhca_rc_assembly_order_fits(const struct swhca_rc_assembly *a,
				  const struct swhca_rc_shape *shape);
/** Check sizes: packets except the last are full; a write has the announced size (IBTA 9.7.4.1). */
bool swhca_rc_assembly_payload_fits(const struct swhca_rc_assembly *a,
				    const struct swhca_rc_shape *shape,
				    const struct swhca_rc_packet *packet);
/** Start the execution of a packet that fits. */
void swhca_rc_assembly_begin(struct swhca_rc_assembly *a, const struct swhca_rc_shape *shape,
			     const struct swhca_rc_packet *packet, struct swhca_rc_piece *piece);
/** End the execution. */
void swhca_rc_assembly_end(struct swhca_rc_assembly *a);

#endif /* SWHCA_WIRE_RC_ASSEMBLY_H */
