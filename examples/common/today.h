/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef EXAMPLES_TODAY_H
#define EXAMPLES_TODAY_H

/* Methods without keys over packets, for comparison with keys. */

#include "play.h"

/* Parts of chains to be sent contiguously. */
struct message {
	const struct rte_umr_mbuf_part *parts;
	uint32_t nb_parts;
	uint32_t len;		/* total of the parts */
	uint32_t imm;		/* immediate data */
};

/*
 * Post a message: copied to a buffer for one write, or a write for each piece of memory. Flags
 * apply to the last operation, whose ring index is returned, or a negative errno.
 */
int today_copy(struct play_queue *queue, const struct message *message, uint64_t flags);
int today_writes(struct play_queue *queue, const struct message *message, uint64_t flags);

#endif /* EXAMPLES_TODAY_H */
