/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef EXAMPLES_TODAY_H
#define EXAMPLES_TODAY_H

/* What is done without keys over packets, for comparison with examples that have them. */

#include "play.h"

/* Parts of chains that are to arrive behind each other. */
struct message {
	const struct rte_umr_mbuf_part *parts;
	uint32_t nb_parts;
	uint32_t len;		/* of all of them */
	uint32_t imm;		/* what the far side is told with it */
};

/*
 * Post a message: copied to a buffer, for one write, or by a write for each piece of memory. Flags
 * are those of the last operation, whose ring index is returned, or a negative errno.
 */
int today_copy(struct play_queue *queue, const struct message *message, uint64_t flags);
int today_writes(struct play_queue *queue, const struct message *message, uint64_t flags);

#endif /* EXAMPLES_TODAY_H */
