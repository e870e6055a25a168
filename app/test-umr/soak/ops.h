/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SOAK_OPS_H
#define SOAK_OPS_H

/**
 * @file
 * Operations of a step on the queues of its lane: enqueued, entered in the ledger, collected.
 */

#include "soak/lane.h"

/** Begin a step: what the queues take from here on belongs to it. */
void soak_ops_begin(struct soak_lane *lane);

/**
 * Enqueue operations of the plan, from one on: that one, or a burst that begins with it.
 *
 * @return
 *   How many were taken, or a negative errno: -ENOSPC, -EIO and -ENOTCONN are the caller's to
 *   judge, another one was noted as wrong.
 */
int soak_ops_post(struct soak_lane *lane, uint32_t first);

/** Post the receives of the step on the far queue. */
void soak_ops_post_recvs(struct soak_lane *lane);

/** Enqueue an operation that is not of the plan and moves nothing; returns as soak_ops_post(). */
int soak_ops_fill(struct soak_lane *lane, bool is_submitted);

/** Take what the queues of a lane give back, and enter it; returns how much it was. */
uint32_t soak_ops_collect(struct soak_lane *lane);

/** Pieces of a view as segments; returns nb. */
uint32_t soak_view_segs(const struct soak_lane *lane, const struct soak_view *view, uint32_t first,
			uint32_t nb, struct rte_umr_seg *segs);
/** All of them, of an interleaved layout. */
void soak_view_entries(const struct soak_view *view, const struct rte_umr_seg *segs,
		       struct rte_umr_interleaved *entries);

/** Value of the key of a view, as operations name it. */
uint32_t soak_view_key(const struct soak_lane *lane, const struct soak_view *view, bool is_remote);

/** Note something wrong that belongs to no single operation. */
void soak_lane_wrong(struct soak_lane *lane, uint64_t *counter, uint64_t nb, const char *format,
		     ...) __attribute__((format(printf, 4, 5)));

#endif /* SOAK_OPS_H */
