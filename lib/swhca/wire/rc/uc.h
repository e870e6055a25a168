/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_RC_UC_H
#define SWHCA_WIRE_RC_UC_H

/**
 * @file
 * The responder of an unreliable connection (IBTA 9.8.2): it answers nothing. A message of which a
 * packet is missing is dropped, and so is all until the next one begins. The requester is that of
 * requester.h, with is_unreliable.
 */

#include "wire/rc/assembly.h"

struct swhca_uc_responder {
	struct swhca_rc_assembly assembly;
	uint32_t psn;			/**< That is expected next. */
	bool is_broken;			/**< The last message began and did not end. */
	uint64_t nb_packets;		/**< That were executed. */
	uint64_t nb_out_of_sequence;
	uint64_t nb_dropped;
	uint64_t nb_old;		/**< Overtaken, or there twice. */
};

/** @return 0, -EINVAL. */
int swhca_uc_responder_init(struct swhca_uc_responder *r, uint32_t psn, uint8_t log_mtu,
			    uint32_t max_msg);
/**
 * A request has come.
 *
 * @return
 *   true: it is to be executed, and done() or drop() must come before the next one.
 */
bool swhca_uc_responder_receive(struct swhca_uc_responder *r, const struct swhca_rc_packet *packet,
				struct swhca_rc_piece *piece);
void swhca_uc_responder_done(struct swhca_uc_responder *r);
/** It could not be executed: the rest of the message is dropped, too. */
void swhca_uc_responder_drop(struct swhca_uc_responder *r);

#endif /* SWHCA_WIRE_RC_UC_H */
