/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_LINK_IMPAIR_H
#define SWHCA_WIRE_LINK_IMPAIR_H

/**
 * @file
 * A link with the faults of a network, between a port and the link that sends: include/link.h says
 * which. It is there without faults, too, so that they can come at run time; packets then pass it
 * untouched.
 *
 * Packets that faults are drawn for are copied and wait in a line, at most SWHCA_IMPAIR_MAX_WAITING
 * of them; while it is full no more are taken, so that nothing is lost but by loss. What faults a
 * packet has depends on the seed and on how many were taken before it, and on nothing else: not on
 * time, and not on other faults.
 *
 * Those of a delay leave in the order in which they came. One that is to be reordered steps aside
 * when its turn comes, until some others have left, or for a millisecond if none do.
 */

#include <stdbool.h>

#include "wire/link/link.h"

/** Packets that wait, at most. */
#define SWHCA_IMPAIR_MAX_WAITING 4096u

/** Chances are of 2^32. */
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
 * Read a text; see swhca_link_set_impair().
 *
 * @param[out] impair
 *   Untouched on error.
 * @return
 *   0, or -EINVAL after a log line.
 */
int swhca_impair_parse(const char *text, struct swhca_impair *impair);

/** Are there any faults? */
bool swhca_impair_is_on(const struct swhca_impair *impair);

#endif /* SWHCA_WIRE_LINK_IMPAIR_H */
