/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SOAK_OPS_H
#define SOAK_OPS_H

/**
 * @file
 * Enqueue operations of a step on the queues of its lane, add them to the ledger, and collect them.
 */

#include "soak/lane.h"

/** Start a step: later operations of the queues belong to it. */
void soak_ops_begin(struct soak_lane *lane);

/**
 * Enqueue operations of the plan: one operation, or a burst that starts with it.
 *
 * @return
 *   Number of accepted operations, or a negative errno: the caller handles -ENOSPC, -EIO and
 *   -ENOTCONN; any other was recorded as an error.
 */
int soak_ops_post(struct soak_lane *lane, uint32_t first);

/** Post the receives of the step on the far queue. */
void soak_ops_post_recvs(struct soak_lane *lane);

/** Enqueue an operation outside the plan that moves nothing; returns as soak_ops_post(). */
int soak_ops_fill(struct soak_lane *lane, bool is_submitted);

/** Collect and record completions of the queues of a lane; returns their number. */
uint32_t soak_ops_collect(struct soak_lane *lane);

/** Record an error that does not belong to a single operation. */
void soak_lane_wrong(struct soak_lane *lane, uint64_t *counter, uint64_t nb, const char *format,
		     ...) __attribute__((format(printf, 4, 5)));

/** The same for one that has no explanation. */
#define soak_lane_odd(lane, ...)                                                                   \
	soak_lane_wrong(lane, &(lane)->tally.wrongs.nb_unexplained, 1, __VA_ARGS__)

#endif /* SOAK_OPS_H */
