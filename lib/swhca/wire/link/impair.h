/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_LINK_IMPAIR_H
#define SWHCA_WIRE_LINK_IMPAIR_H

/**
 * @file
 * Link with network faults, between a port and the sending link; include/link.h documents the
 * faults. It exists without faults, too, so that they can be set at run time; packets then pass
 * unchanged.
 *
 * Packets subject to faults are copied and wait in a queue of at most SWHCA_IMPAIR_MAX_WAITING;
 * while it is full no more are accepted, so that packets are lost by the loss fault only. The
 * faults of a packet depend only on the seed and the number of packets accepted before it, not on
 * time or other faults.
 *
 * Delayed packets are sent in order. A packet to be reordered waits when its turn comes, until some
 * others have been sent, or for a millisecond if there are none.
 */

#include <stdbool.h>

#include "wire/link/link_ops.h"

/** Maximum waiting packets. */
#define SWHCA_IMPAIR_MAX_WAITING 4096u

/** Probabilities are in units of 2^-32. */
struct swhca_impair {
	uint64_t loss;
	uint64_t dup;
	uint64_t reorder;
	uint64_t corrupt;
	uint32_t delay_min_us;
	uint32_t delay_max_us;
	uint64_t seed;
	bool has_qpn;
	uint32_t qpn;
};

/**
 * Parse a text; see swhca_link_set_impair().
 *
 * @param[out] impair
 *   Unchanged on error.
 * @return
 *   0, or -EINVAL after a log line.
 */
int swhca_impair_parse(const char *text, struct swhca_impair *impair);

/** Check whether any fault is set. */
bool swhca_impair_is_on(const struct swhca_impair *impair);

#endif /* SWHCA_WIRE_LINK_IMPAIR_H */
