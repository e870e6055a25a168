/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_RC_UC_H
#define SWHCA_WIRE_RC_UC_H

/**
 * @file
 * Responder of an unreliable connection (IBTA 9.8.2), which sends no answers. A message with a
 * missing packet is dropped, including everything until the next message begins. Its requester is
 * rc_requester.h, with is_unreliable.
 */

#include "wire/rc/assembly.h"

struct swhca_uc_responder {
	struct swhca_rc_assembly assembly;
	uint32_t psn;			/**< Next expected PSN. */
	bool is_broken;			/**< The last message began and did not end. */
	uint64_t nb_packets;		/**< Executed packets. */
	uint64_t nb_out_of_sequence;
	uint64_t nb_dropped;
	uint64_t nb_old;		/**< Overtaken, or duplicates. */
};

/** @return 0, -EINVAL. */
int swhca_uc_responder_init(struct swhca_uc_responder *r, uint32_t psn, uint8_t log_mtu,
			    uint32_t max_msg);
/**
 * Handle a request.
 *
 * @return
 *   true: execute it, and call done() or drop() before the next one.
 */
bool swhca_uc_responder_receive(struct swhca_uc_responder *r, const struct swhca_rc_packet *packet,
				struct swhca_rc_piece *piece);
void swhca_uc_responder_done(struct swhca_uc_responder *r);
/** Execution failed: drop the rest of the message. */
void swhca_uc_responder_drop(struct swhca_uc_responder *r);

#endif /* SWHCA_WIRE_RC_UC_H */
